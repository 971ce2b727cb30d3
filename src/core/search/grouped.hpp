// C4.5's groups of levels (Quinlan 1993, section 7.3; release 8): starting with a branch per level, branches are merged pair by pair as
// long as the merit rises. Levels with next to no weight at the node share the last branch.
#pragma once

#include "search/family.hpp"

namespace tw {

template <Criterion C>
class GroupedSearch {
 public:
  using Cell = typename AtColumn<C>::Cell;
  using Cells = typename AtColumn<C>::Cells;

  static std::optional<Candidate> run(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    if constexpr (C::kClasses)
      return GroupedSearch(at, groups).search();
    else
      return std::nullopt;
  }

 private:
  static constexpr double kNothing = -1e-3;  // the worth of a division that is none

  struct Block {
    std::vector<Code> levels;
    Cells cells;
  };
  struct Judged {
    double gain = kNothing;
    double info = 0;
    double value = kNothing;
  };

  GroupedSearch(const AtColumn<C>& at, const Groups<typename C::Stat>& groups)
      : at_(at), unit_(static_cast<double>(at.targets.weight) / at.targets.facts.weight) {
    base_ = at.c.worth(at.rows.known);
    std::size_t g = 0;
    for (Code level = 0; level < at.column.n_codes; ++level) {
      const bool here = g < groups.size() && groups.codes[g] == level;
      if (here && plain(groups[g]) > 0.5)
        blocks_.push_back({{level}, Cells(groups[g], groups[g] + at.width)});
      else
        rest_.push_back(level);
      if (here && plain(groups[g]) <= 0.5) rest_cells_.insert(rest_cells_.end(), groups[g], groups[g] + at.width);
      g += here;
    }
  }

  double plain(const Cell* cells) const { return static_cast<double>(at_.c.stat.weight(cells)) / unit_; }
  static constexpr bool kRatio = !C::kRankIsScore;

  // The division into these blocks. Rest and unknown rows count in the information of the split and in the known share only.
  Judged judge(const std::vector<const Cells*>& blocks, double least) const {
    Judged out;
    int enough = 0;
    double worth = 0;
    i64 all = at_.rows.missing_weight;
    double bits = -x_log2_x(at_.rows.missing_weight);
    for (const Cells* cells : blocks) {
      enough += plain(cells->data()) >= least - 1e-6;
      worth += at_.c.worth(cells->data());
      all += at_.c.stat.weight(cells->data());
      bits -= x_log2_x(at_.c.stat.weight(cells->data()));
    }
    const double weight = static_cast<double>(at_.targets.weight);
    out.info = (bits + x_log2_x(all)) / weight;
    if (enough < 2) return out;
    out.gain = (worth - base_) / weight;
    const bool counts = kRatio ? out.gain >= 0 && out.info > 1e-3 : out.info > 0;
    const auto merit = at_.c.merit(Outcome{out.gain, out.info, 0, 0});
    if (counts && merit) out.value = *merit;
    return out;
  }
  Judged judge_all(double least) const {
    std::vector<const Cells*> list;
    for (const Block& block : blocks_) list.push_back(&block.cells);
    return judge(list, least);
  }

  // The last block takes the place of the one that is gone, as the original has it: ties depend on the order.
  void merge(std::size_t into, std::size_t gone) {
    Block& to = blocks_[into];
    add_cells(to.cells.data(), blocks_[gone].cells.data(), at_.width);
    to.levels.insert(to.levels.end(), blocks_[gone].levels.begin(), blocks_[gone].levels.end());
    if (gone + 1 < blocks_.size()) blocks_[gone] = std::move(blocks_.back());
    blocks_.pop_back();
  }

  // Blocks of one class belong together.
  bool merge_pure() {
    bool merged = false;
    for (std::size_t a = 0; a + 1 < blocks_.size(); ++a) {
      const std::size_t k = at_.width - 1;
      std::size_t c = 0;
      const auto of = [&](std::size_t b, std::size_t j) { return static_cast<double>(blocks_[b].cells[j]) / unit_; };
      while (c < k && of(a, c) < 0.1) ++c;
      if (c == k || of(a, c) < of(a, k) - 0.1) continue;
      for (std::size_t b = a + 1; b < blocks_.size();) {
        if (of(b, c) < of(b, k) - 0.1) {
          ++b;
          continue;
        }
        merge(a, b);
        merged = true;
      }
    }
    return merged;
  }

  std::optional<Candidate> search() {
    const double least = static_cast<double>(at_.least()) / unit_;
    Judged now = judge_all(1);
    if (merge_pure()) now = judge_all(1);
    const double half = now.gain / 2;
    while (blocks_.size() > 2) {
      std::size_t largest = 0;
      int enough = 0;
      for (std::size_t b = 0; b < blocks_.size(); ++b) {
        enough += plain(blocks_[b].cells.data()) >= least - 1e-6;
        if (blocks_[b].cells[at_.width - 1] > blocks_[largest].cells[at_.width - 1]) largest = b;
      }
      if (enough >= 3) largest = blocks_.size();
      const Pair best = best_pair(largest, enough, half);
      if (kRatio && enough >= 2 && (!best.any || best.judged.value < now.value + 1e-5)) break;
      if (!best.any) break;
      now = best.judged;
      merge(best.a, best.b);
    }
    if (now.value <= 0) return std::nullopt;
    return finish(judge_all(least));
  }

  struct Pair {
    std::size_t a = 0;
    std::size_t b = 0;
    bool any = false;
    Judged judged{kNothing, 0, 0};
  };

  Pair best_pair(std::size_t barred, int enough, double half) const {
    Pair best;
    std::vector<const Cells*> list;
    for (const Block& block : blocks_) list.push_back(&block.cells);
    for (std::size_t a = 0; a + 1 < blocks_.size(); ++a) {
      for (std::size_t b = a + 1; b < blocks_.size(); ++b) {
        if (a == barred || b == barred) continue;
        Cells both = blocks_[a].cells;
        add_cells(both.data(), blocks_[b].cells.data(), at_.width);
        auto merged = list;
        merged[a] = &both;
        merged[b] = merged.back();
        merged.pop_back();
        const Judged judged = judge(merged, 1);
        const bool forced = !best.any && (!kRatio || enough < 2);
        if ((judged.gain >= half && best.judged.gain < half) || judged.value >= best.judged.value || forced) best = {a, b, true, judged};
      }
    }
    return best;
  }

  std::optional<Candidate> finish(const Judged& judged) {
    if (judged.gain <= kNothing) return std::nullopt;
    Split split;
    split.family = Family::grouped;
    std::vector<std::pair<Code, u32>> branch_of;
    Cells branches;
    for (u32 b = 0; b < blocks_.size(); ++b) {
      branches.insert(branches.end(), blocks_[b].cells.begin(), blocks_[b].cells.end());
      for (const Code level : blocks_[b].levels) branch_of.emplace_back(level, b);
    }
    if (!rest_.empty()) {
      Cells sum(at_.width, 0);
      for (std::size_t i = 0; i < rest_cells_.size(); i += at_.width) add_cells(sum.data(), rest_cells_.data() + i, at_.width);
      branches.insert(branches.end(), sum.begin(), sum.end());
      for (const Code level : rest_) branch_of.emplace_back(level, static_cast<u32>(blocks_.size()));
    }
    std::sort(branch_of.begin(), branch_of.end());
    for (const auto& [level, branch] : branch_of) {
      split.levels.push_back(level);
      split.branch_of.push_back(branch);
    }
    auto candidate = at_.finish(std::move(split), std::move(branches), judged.gain, 1, kNowhere);
    if (!candidate) return std::nullopt;
    // The original leaves the rest out of both figures.
    candidate->gain = std::max(0.0, judged.gain);
    candidate->split_info = judged.info;
    const auto merit = at_.c.merit(Outcome{candidate->gain, judged.info, candidate->after, 0});
    if (!merit) return std::nullopt;
    candidate->merit = candidate->rank = *merit;
    return candidate;
  }

  const AtColumn<C>& at_;
  double unit_;      // quanta per unit of weight
  double base_ = 0;  // worth of the known rows
  std::vector<Block> blocks_;
  std::vector<Code> rest_;
  Cells rest_cells_;
};

}  // namespace tw
