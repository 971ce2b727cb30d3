// Absolute error around the median (Breiman et al. 1984, section 8.11: least absolute deviation). All sums are of whole steps of the node's
// grid. The rows of a node stand in a list in order of their target; rows leave it in the order of a column, and the median moves by a step
// or so each time. So all beginnings of a column cost one pass, and all ends another: linear, where heaps or counting trees need n log n.
#include "grow/criterion_entry.hpp"
#include "search/set_criteria.hpp"

namespace tw {

namespace {

class AbsoluteError {
 public:
  static constexpr bool kSum = true;
  static constexpr double kMean = 0;

  AbsoluteError(const NodeRows& node, const NodeTargets& targets) : node_(node), targets_(targets), order_{targets} {}

  void beginnings(const std::vector<u64>& keys, const std::vector<u32>& extra, Errors& errors, Centres* centres = nullptr) const {
    errors.assign(keys.size() + 1, 0);
    if (centres != nullptr) centres->assign(keys.size() + 1, 0);
    with_list(keys, extra, [&](auto& list) {
      for (std::size_t i = keys.size(); i > 0; --i) {
        note(list, i, errors, centres);
        list.leave(order_.place_of(static_cast<u32>(keys[i - 1])));
      }
      note(list, 0, errors, centres);
    });
  }
  void ends(const std::vector<u64>& keys, const std::vector<u32>& extra, Errors& errors, Centres* centres = nullptr) const {
    errors.assign(keys.size() + 1, 0);
    if (centres != nullptr) centres->assign(keys.size() + 1, 0);
    with_list(keys, extra, [&](auto& list) {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        note(list, i, errors, centres);
        list.leave(order_.place_of(static_cast<u32>(keys[i])));
      }
      note(list, keys.size(), errors, centres);
    });
  }
  double alone(const std::vector<u32>& some) const {
    double out = 0;
    with_list({}, some, [&](auto& list) { out = list.error(); });
    return out;
  }
  double all() const {
    std::vector<u32> everybody(order_.size());
    for (std::size_t i = 0; i < everybody.size(); ++i) everybody[i] = static_cast<u32>(i);
    return alone(everybody);
  }
  double join(double l, i64, double r, i64) const { return l + r; }
  double fall(double before, double after) const {
    const double by = before - after;
    return by > 1e-12 * before ? by : 0;
  }

  // Halfway between the lower and the upper median.
  double centre(std::span<const u64> keys, const NodeRows& node) const {
    i64 total = 0;
    for (const u64 key : keys) total += node.weights[static_cast<u32>(key)];
    i64 below = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      below += node.weights[static_cast<u32>(keys[i])];
      const auto step = static_cast<double>(targets_.steps_of[static_cast<u32>(keys[i])]);
      if (2 * below > total || i + 1 == keys.size()) return step;
      if (2 * below == total) return (step + static_cast<double>(targets_.steps_of[static_cast<u32>(keys[i + 1])])) / 2;
    }
    return 0;
  }
  double value(const Table& table, const NodeRows& node) const {
    i64 below = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const u32 instance = order_.instance(i);
      below += node.weights[instance];
      const double here = table.target.value[node.rows[instance]];
      if (2 * below == targets_.weight && i + 1 < order_.size()) {
        const double next = table.target.value[node.rows[order_.instance(i + 1)]];
        return here / 2 + next / 2;
      }
      if (2 * below >= targets_.weight) return here + 0.0;
    }
    return 0;
  }

 private:
  struct Link {
    u32 before;
    u32 after;
    i64 step;
    i64 weight;
  };

  // The rows of a set in order of target, and their lower median.
  template <class Sum>
  class List {
   public:
    List(const NodeRows& node, const TargetOrder& order, const std::vector<u8>& in, std::vector<Link>& links) : links_(links) {
      const auto n = static_cast<u32>(order.size());
      links.resize(n + 2);  // places are shifted by one: the first and the last are nobody
      u32 last = 0;
      for (u32 i = 0; i < n; ++i) {
        if (!in.empty() && in[i] == 0) continue;
        const i64 step = order.step(i);
        const i64 weight = node.weights[order.instance(i)];
        links[i + 1] = {last, 0, step, weight};
        links[last].after = i + 1;
        last = i + 1;
        weight_ += weight;
        sum_ += static_cast<Sum>(weight) * step;
      }
      links[last].after = n + 1;
      end_ = n + 1;
      links[end_].before = last;
      at_ = links[0].after;
      settle();
    }

    double error() const {
      if (weight_ == 0) return 0;
      const Sum off = sum_ - 2 * below_sum_ + static_cast<Sum>(links_[at_].step) * (2 * below_ - weight_);
      return to_plain(off);
    }

    // Halfway between the lower and the upper median.
    double centre() const {
      if (weight_ == 0) return 0;
      const auto lower = static_cast<double>(links_[at_].step);
      if (2 * (below_ + links_[at_].weight) > weight_ || links_[at_].after == end_) return lower;
      return (lower + static_cast<double>(links_[links_[at_].after].step)) / 2;
    }

    void leave(u32 place) {
      const u32 gone = place + 1;
      Link& link = links_[gone];
      weight_ -= link.weight;
      sum_ -= static_cast<Sum>(link.weight) * link.step;
      links_[link.before].after = link.after;
      links_[link.after].before = link.before;
      if (weight_ == 0) return;
      if (gone == at_) {
        at_ = link.after;
        if (at_ == end_) step_back();
      } else if (gone < at_) {
        below_ -= link.weight;
        below_sum_ -= static_cast<Sum>(link.weight) * link.step;
      }
      settle();
    }

   private:
    static double to_plain(i64 v) { return static_cast<double>(v); }
    static double to_plain(i128 v) { return to_double(v); }

    void step_back() {
      at_ = links_[at_].before;
      below_ -= links_[at_].weight;
      below_sum_ -= static_cast<Sum>(links_[at_].weight) * links_[at_].step;
    }
    // Below the median lies less than half of the weight; with it, at least half.
    void settle() {
      while (2 * (below_ + links_[at_].weight) < weight_) {
        below_ += links_[at_].weight;
        below_sum_ += static_cast<Sum>(links_[at_].weight) * links_[at_].step;
        at_ = links_[at_].after;
      }
      while (2 * below_ >= weight_ && below_ > 0) step_back();
    }

    std::vector<Link>& links_;
    u32 at_ = 0;
    u32 end_ = 0;
    i64 weight_ = 0;
    i64 below_ = 0;
    Sum sum_ = 0;
    Sum below_sum_ = 0;
  };

  template <class List>
  static void note(const List& list, std::size_t i, Errors& errors, Centres* centres) {
    errors[i] = list.error();
    if (centres != nullptr) (*centres)[i] = list.centre();
  }

  template <class Use>
  void with_list(const std::vector<u64>& keys, const std::vector<u32>& extra, Use&& use) const {
    std::vector<u8> in;
    if (keys.size() + extra.size() < order_.size()) {
      in.assign(order_.size(), 0);
      for (const u64 key : keys) in[order_.place_of(static_cast<u32>(key))] = 1;
      for (const u32 instance : extra) in[order_.place_of(instance)] = 1;
    }
    static thread_local std::vector<Link> links;
    // Up to 2^31 of weight, sums of steps fit 63 bits (stats/moments.cpp).
    if (targets_.weight < (i64{1} << 31)) {
      List<i64> list(node_, order_, in, links);
      use(list);
    } else {
      List<i128> list(node_, order_, in, links);
      use(list);
    }
  }

  const NodeRows& node_;
  const NodeTargets& targets_;
  TargetOrder order_;
};

std::unique_ptr<Searcher> make(const Table& table, const SearchSettings& settings) {
  return std::make_unique<SetSearch<AbsoluteError>>(table, settings);
}

const Enrol<CriterionEntry> enrol({.name = "absolute_error",
                                   .summary = "fall of the mean absolute deviation from the median",
                                   .classes = false,
                                   .two_branches = true,
                                   .make = &make,
                                   .whole_rows = true,
                                   .surrogates = false,
                                   .measure = "absolute"});

}  // namespace

}  // namespace tw
