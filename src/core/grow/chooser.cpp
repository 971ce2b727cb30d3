#include "grow/chooser.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/hash.hpp"

namespace tw {

namespace {

constexpr double kTie = 1e-10;  // ranks closer than this share are equal

bool better(double rank, double than) { return rank > than * (than < 0 ? 1 - kTie : 1 + kTie); }

// Over the columns that are no wider than others can be measured by; infinite if there is none.
double average_gain(const std::vector<Candidate>& candidates) {
  double sum = 0;
  double count = 0;
  for (const Candidate& c : candidates) {
    if (c.wide) continue;
    sum += c.gain - c.penalty;
    count += 1;
  }
  return count > 0 ? sum / count : std::numeric_limits<double>::infinity();
}

// J48 goes through the columns once: a later one must be better than the best before it by its own tolerance, the first than nothing.
std::size_t choose_as_weka(const std::vector<Candidate>& candidates) {
  const double floor = average_gain(candidates) - kAverageMargin;
  std::size_t pick = candidates.size();
  double best = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    if (c.gain - c.penalty < floor || !(c.rank - best > kWekaTie)) continue;
    pick = i;
    best = c.rank;
  }
  return pick;
}

}  // namespace

std::size_t choose(const std::vector<Candidate>& candidates, const GrowSettings& settings, u64 node_path,
                   const std::vector<std::pair<Column, u32>>& path) {
  const bool quinlan = settings.chooser == ChooserKind::quinlan;
  if (settings.chooser == ChooserKind::weka) return choose_as_weka(candidates);
  if (candidates.size() == 1 && !quinlan) return 0;
  double floor = quinlan ? average_gain(candidates) - kAverageMargin : 0;
  if (settings.chooser == ChooserKind::above_average) {
    // Parts of the average one by one: gains of huge targets would not survive their sum.
    for (const Candidate& c : candidates) floor += c.gain / static_cast<double>(candidates.size());
    floor *= 1 - kAverageMargin;
  }
  const auto eligible = [&](const Candidate& c) {
    if (quinlan) return c.gain - c.penalty >= floor && c.split_info > kLeastInformation;
    return settings.chooser == ChooserKind::best || c.gain >= floor;
  };
  double best = -std::numeric_limits<double>::infinity();
  for (const Candidate& c : candidates)
    if (eligible(c)) best = std::max(best, c.rank);
  std::vector<std::size_t> tied;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (eligible(candidates[i]) && !better(best, candidates[i].rank)) tied.push_back(i);
  if (tied.empty()) return candidates.size();
  if (settings.ties == Ties::first || tied.size() == 1) return tied.front();
  if (settings.ties == Ties::seeded) {
    const auto draw = [&](std::size_t i) { return mix(node_path, candidates[i].split.column); };
    return *std::min_element(tied.begin(), tied.end(), [&](std::size_t a, std::size_t b) { return draw(a) < draw(b); });
  }
  std::vector<const Candidate*> shown;
  for (const std::size_t i : tied) shown.push_back(&candidates[i]);
  const std::size_t pick = settings.ask(shown, path);
  if (pick >= tied.size()) throw Invalid("ties: the callable must return the position of one of the tied candidates");
  return tied[pick];
}

std::vector<Column> draw_order(const std::vector<Column>& columns, u64 node_path) {
  std::vector<Column> order = columns;
  std::sort(order.begin(), order.end(),
            [&](Column a, Column b) { return mix(node_path ^ 0x5bd1e995, a) < mix(node_path ^ 0x5bd1e995, b); });
  return order;
}

}  // namespace tw
