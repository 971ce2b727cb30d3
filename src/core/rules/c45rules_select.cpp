// The last steps of C4.5rules: classes and their rules put in order, the default class, and rules dropped that cost accuracy.
#include "rules/c45rules_select.hpp"

#include <algorithm>
#include <bit>

#include "rules/paths.hpp"
#include "rules/subset.hpp"

namespace tw {

namespace {

// Drops, one at a time, the first rule without which more rows would be classified correctly. Every pass finds for each row the rule that
// decides it and the one that would decide it without that rule.
void polish(std::vector<const Draft*>& list, u32 otherwise, const WeightedRows& rows, const JobControl& job) {
  std::vector<u32> decides(rows.size());
  while (true) {
    job.check();
    std::vector<i64> gain(list.size(), 0);  // of dropping a rule
    Bits open = rows.all();
    Bits decided(rows.words(), 0);  // by one rule so far
    const auto would_fall_to = [&](u32 label, std::size_t w, u64 word) {
      for (u64 left = word & rows.bits(label)[w]; left != 0; left &= left - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(left));
        gain[decides[w * 64 + bit]] += rows.quanta(w, u64{1} << bit);
      }
    };
    for (u32 k = 0; k < list.size(); ++k) {
      const u32 label = list[k]->rule.label;
      for (const u32 w : list[k]->words) {
        const u64 covers = list[k]->covers[w];
        const u64 fires = covers & open[w];
        would_fall_to(label, w, covers & decided[w]);
        gain[k] -= rows.quanta(w, fires & rows.bits(label)[w]);
        for (u64 left = fires; left != 0; left &= left - 1)
          decides[w * std::size_t{64} + static_cast<std::size_t>(std::countr_zero(left))] = k;
        open[w] &= ~fires;
        decided[w] = (decided[w] & ~covers) | fires;
      }
    }
    for (std::size_t w = 0; w < decided.size(); ++w) would_fall_to(otherwise, w, decided[w]);
    const auto worst = std::find_if(gain.begin(), gain.end(), [](i64 each) { return each > 0; });
    if (worst == gain.end()) return;
    list.erase(list.begin() + (worst - gain.begin()));
  }
}

// The class whose rules together misclassify the least weight of the rows left, the first of equals; `fires` gets the rows they cover.
std::size_t next_class(const std::vector<Draft>& drafts, const std::vector<std::vector<std::size_t>>& chosen, const std::vector<u8>& done,
                       const Bits& left, const WeightedRows& rows, Bits& fires) {
  std::size_t best = chosen.size();
  double fewest = 0;
  for (std::size_t label = 0; label < chosen.size(); ++label) {
    if (done[label] != 0) continue;
    Bits own(rows.words(), 0);
    for (const std::size_t i : chosen[label]) add_to(own, drafts[i].covers);
    for (std::size_t w = 0; w < own.size(); ++w) own[w] &= left[w];
    const double wrong = rows.weigh_without(own, rows.bits(static_cast<u32>(label)));
    if (best == chosen.size() || wrong < fewest) {
      best = label;
      fewest = wrong;
      fires = std::move(own);
    }
  }
  return best;
}

// Classes by false positives among the rows left, rules by estimated error, and the default class: the most frequent one of the rest, of
// equals the one that is more frequent among all rows, then the first.
Selected ordered(const std::vector<Draft>& drafts, std::vector<std::vector<std::size_t>> chosen, const WeightedRows& rows,
                 const JobControl& job) {
  Bits left = rows.all();
  std::vector<const Draft*> list;
  std::vector<u8> done(chosen.size(), 0);
  for (std::size_t round = 0; round < chosen.size(); ++round) {
    Bits fires;
    const std::size_t label = next_class(drafts, chosen, done, left, rows, fires);
    done[label] = 1;
    std::stable_sort(chosen[label].begin(), chosen[label].end(),
                     [&](std::size_t a, std::size_t b) { return drafts[a].rule.error < drafts[b].rule.error; });
    for (const std::size_t i : chosen[label])
      if (!drafts[i].never_fires()) list.push_back(&drafts[i]);
    take_away(left, fires);
  }
  Selected out;
  for (u32 label = 1; label < rows.n_classes(); ++label) {
    const double here = rows.weigh(left, rows.bits(label));
    const double best = rows.weigh(left, rows.bits(out.otherwise));
    if (here > best || (here == best && rows.of(label) > rows.of(out.otherwise))) out.otherwise = label;
  }
  polish(list, out.otherwise, rows, job);
  for (const Draft* draft : list) out.rules.push_back(draft->rule);
  return out;
}

}  // namespace

Selected select_rules(const Tree& tree, const std::vector<View>& cells, const Table& table, const SelectSettings& settings,
                      const JobControl& job) {
  const WeightedRows rows(table);
  const std::vector<Draft> drafts = generalised_paths(tree, cells, table, rows, settings, job);
  std::vector<std::vector<std::size_t>> chosen(rows.n_classes());
  LibraryDraws draws(settings.seed);
  for (u32 label = 0; label < rows.n_classes(); ++label) chosen[label] = best_subset(drafts, label, rows, settings.annealed, draws, job);
  Selected out = ordered(drafts, std::move(chosen), rows, job);
  out.generalised = static_cast<u32>(drafts.size());
  return out;
}

}  // namespace tw
