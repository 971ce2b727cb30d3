// Sequential covering, class by class from the rarest on; the most frequent is the default.
#include "rules/cover.hpp"

#include <algorithm>

#include "rules/one_class.hpp"

namespace tw {

namespace {

double n_conditions(const Cases& cases) {
  double n = 0;
  for (const CaseColumn& column : cases.columns) n += column.kind == Kind::nominal ? column.n_codes : 2.0 * column.n_codes;
  return n;
}

// Classes that occur, the lightest first; the lower of equals.
std::vector<u32> by_prevalence(const Cases& cases) {
  std::vector<u64> weight(cases.n_classes, 0);
  for (u32 i = 0; i < cases.size; ++i) weight[cases.class_of[i]] += cases.weight[i];
  std::vector<u32> order;
  for (u32 label = 0; label < cases.n_classes; ++label)
    if (weight[label] > 0) order.push_back(label);
  std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return weight[a] < weight[b]; });
  return order;
}

}  // namespace

LearnedList cover(const Cases& cases, const CoverSettings& settings, const JobControl& job) {
  LearnedList learned;
  learned.class_order = by_prevalence(cases);
  Bits left = cases.all();
  Lists lists = all_lists(cases);
  u64 draws = 0;
  const double n = n_conditions(cases);
  for (std::size_t c = 0; c + 1 < learned.class_order.size(); ++c) {
    const u32 label = learned.class_order[c];
    OneClass one(cases, settings, lists, left, label, n, draws, job);
    for (const CoveringRule& rule : one.learn(learned.trace)) {
      take_away(left, rule.covers);
      learned.rules.push_back({label, rule.when});
    }
    learned.trace.visits += one.visits();
    std::vector<u8> keep(cases.size, 0);
    each_case(left, [&](u32 at) { keep[at] = 1; });
    Lists rest;
    narrow(lists, keep, rest);
    lists = std::move(rest);
  }
  return learned;
}

}  // namespace tw
