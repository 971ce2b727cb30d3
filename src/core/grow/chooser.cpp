// The choosers of the core, and how ties are broken.
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

std::size_t choose_best(const std::vector<Candidate>& candidates, const Choice& choice) {
  if (candidates.size() == 1) return 0;
  return best_eligible(candidates, choice, [](const Candidate&) { return true; });
}

std::size_t choose_above_average(const std::vector<Candidate>& candidates, const Choice& choice) {
  if (candidates.size() == 1) return 0;
  // Parts of the average one by one: gains of huge targets would not survive their sum.
  double floor = 0;
  for (const Candidate& c : candidates) floor += c.gain / static_cast<double>(candidates.size());
  floor *= 1 - kAverageMargin;
  return best_eligible(candidates, choice, [&](const Candidate& c) { return c.gain >= floor; });
}

std::size_t choose_as_quinlan(const std::vector<Candidate>& candidates, const Choice& choice) {
  const double floor = average_gain(candidates) - kAverageMargin;
  return best_eligible(candidates, choice,
                       [&](const Candidate& c) { return c.gain - c.penalty >= floor && c.split_info > kLeastInformation; });
}

// J48 goes through the columns once: a later one must be better than the best before it by its own tolerance, the first than nothing.
std::size_t choose_as_weka(const std::vector<Candidate>& candidates, const Choice&) {
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

const Enrol<ChooserEntry> best({"best", "the highest merit", &choose_best, Foreseen::best});
const Enrol<ChooserEntry> above({"above_average", "the highest merit among those of at least average gain", &choose_above_average,
                                 Foreseen::above_average});
const Enrol<ChooserEntry> quinlan({"quinlan", "above average exactly as C4.5 release 8 has it", &choose_as_quinlan, Foreseen::quinlan,
                                   true});
const Enrol<ChooserEntry> weka({"weka", "above average exactly as J48 has it", &choose_as_weka, Foreseen::weka, true});

}  // namespace

const ChooserEntry& chooser_entry(const std::string& name) {
  const ChooserEntry* entry = Registry<ChooserEntry>::find(name);
  if (entry == nullptr) throw Invalid("chooser '" + name + "' is unknown");
  return *entry;
}

bool counts_cuts(const GrowSettings& settings) {
  return settings.search.cuts != Cuts::all || settings.search.penalty || chooser_entry(settings.chooser).compares_gains;
}

std::size_t best_eligible(const std::vector<Candidate>& candidates, const Choice& choice,
                          const std::function<bool(const Candidate&)>& eligible) {
  double highest = -std::numeric_limits<double>::infinity();
  for (const Candidate& c : candidates)
    if (eligible(c)) highest = std::max(highest, c.rank);
  std::vector<std::size_t> tied;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (eligible(candidates[i]) && !better(highest, candidates[i].rank)) tied.push_back(i);
  if (tied.empty()) return candidates.size();
  const GrowSettings& settings = choice.settings;
  if (settings.ties == Ties::first || tied.size() == 1) return tied.front();
  if (settings.ties == Ties::seeded) {
    const auto draw = [&](std::size_t i) { return mix(choice.node_path, candidates[i].split.column); };
    return *std::min_element(tied.begin(), tied.end(), [&](std::size_t a, std::size_t b) { return draw(a) < draw(b); });
  }
  std::vector<const Candidate*> shown;
  for (const std::size_t i : tied) shown.push_back(&candidates[i]);
  const std::size_t pick = settings.tie_breaker(shown, choice.path);
  if (pick >= tied.size()) throw Invalid("ties: the callable must return the position of one of the tied candidates");
  return tied[pick];
}

}  // namespace tw
