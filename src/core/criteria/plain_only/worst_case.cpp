// The worst error of any row (Alpaydin, Introduction to Machine Learning, eq. 9.15): half the range of the targets, around its middle.
#include "grow/criterion_entry.hpp"
#include "search/set_criteria.hpp"

namespace tw {

namespace {

class WorstCase {
 public:
  static constexpr bool kSum = false;
  static constexpr double kMean = 1e-6;  // weight of the mean error of both sides, which tells apart cuts of the same worst error

  WorstCase(const NodeRows&, const NodeTargets& targets) : targets_(targets), order_{targets} {}

  void beginnings(const std::vector<u64>& keys, const std::vector<u32>& extra, Errors& errors, Centres* centres = nullptr) const {
    errors.assign(keys.size() + 1, 0);
    if (centres != nullptr) centres->assign(keys.size() + 1, 0);
    Range range = range_of(extra);
    range.note(0, errors, centres);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      range.add(targets_.steps_of[static_cast<u32>(keys[i])]);
      range.note(i + 1, errors, centres);
    }
  }
  void ends(const std::vector<u64>& keys, const std::vector<u32>& extra, Errors& errors, Centres* centres = nullptr) const {
    errors.assign(keys.size() + 1, 0);
    if (centres != nullptr) centres->assign(keys.size() + 1, 0);
    Range range = range_of(extra);
    range.note(keys.size(), errors, centres);
    for (std::size_t i = keys.size(); i-- > 0;) {
      range.add(targets_.steps_of[static_cast<u32>(keys[i])]);
      range.note(i, errors, centres);
    }
  }
  double alone(const std::vector<u32>& some) const { return range_of(some).half(); }
  double all() const {
    Range range;
    range.add(order_.step(0));
    range.add(order_.step(order_.size() - 1));
    return range.half();
  }
  double join(double l, i64 wl, double r, i64 wr) const {
    const auto a = static_cast<double>(wl);
    const auto b = static_cast<double>(wr);
    return std::max(l, r) + kMean * (a * l + b * r) / (a + b);
  }
  double fall(double before, double after) const {
    // What the mean of the sides adds is no error.
    const double by = before * (1 + kMean) - after;
    return by > 2 * kMean * before ? by : 0;
  }
  double centre(std::span<const u64> keys, const NodeRows&) const {
    const auto step = [&](u64 key) { return static_cast<double>(targets_.steps_of[static_cast<u32>(key)]); };
    return (step(keys.front()) + step(keys.back())) / 2;
  }
  double value(const Table& table, const NodeRows& node) const {
    const auto target = [&](std::size_t place) { return table.target.value[node.rows[order_.instance(place)]]; };
    const double low = target(0);
    const double high = target(order_.size() - 1);
    return low / 2 + high / 2 + 0.0;
  }

 private:
  struct Range {
    i64 low = std::numeric_limits<i64>::max();
    i64 high = std::numeric_limits<i64>::min();
    void add(i64 step) {
      low = std::min(low, step);
      high = std::max(high, step);
    }
    double half() const { return low > high ? 0 : static_cast<double>(high - low) / 2; }
    void note(std::size_t i, Errors& errors, Centres* centres) const {
      errors[i] = half();
      if (centres != nullptr && low <= high) (*centres)[i] = (static_cast<double>(low) + static_cast<double>(high)) / 2;
    }
  };

  Range range_of(const std::vector<u32>& some) const {
    Range range;
    for (const u32 instance : some) range.add(targets_.steps_of[instance]);
    return range;
  }

  const NodeTargets& targets_;
  TargetOrder order_;
};

std::unique_ptr<Searcher> make(const Table& table, const SearchSettings& settings) {
  return std::make_unique<SetSearch<WorstCase>>(table, settings);
}

const Enrol<CriterionEntry> enrol({.name = "worst_case",
                                   .summary = "fall of the largest deviation from the middle of the range",
                                   .classes = false,
                                   .two_branches = true,
                                   .make = &make,
                                   .whole_rows = true,
                                   .surrogates = false,
                                   .measure = "worst"});

}  // namespace

}  // namespace tw
