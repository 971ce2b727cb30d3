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

  static constexpr double kRounding = 1e-12;  // of values that are sums
  static constexpr std::size_t kMostKept = 2048;

  struct Block {
    std::vector<Code> levels;
    Cells cells;
    double weight = 0;
    double worth = 0;
    double bits = 0;  // in the information of the split
  };
  // What a merged pair differs by from its two blocks.
  struct Merged {
    double worth;
    double bits;
  };
  struct ScoredPair {
    double gain = kNothing;
    double info = 0;
    double value = kNothing;
  };

  GroupedSearch(const AtColumn<C>& at, const Groups<typename C::Stat>& groups)
      : at_(at), unit_(static_cast<double>(at.targets.weight) / at.targets.facts.weight) {
    base_ = at.c.worth(at.rows.present);
    std::size_t g = 0;
    for (Code level = 0; level < at.column.n_codes; ++level) {
      const bool here = g < groups.size() && groups.codes[g] == level;
      if (here && plain(groups[g]) > 0.5)
        blocks_.push_back({{level}, Cells(groups[g], groups[g] + at.width), 0, 0, 0});
      else
        rest_.push_back(level);
      if (here && plain(groups[g]) <= 0.5) rest_cells_.insert(rest_cells_.end(), groups[g], groups[g] + at.width);
      g += here;
    }
    weight_ = at.rows.missing_weight;
    for (Block& block : blocks_) {
      measure(block);
      weight_ += at.c.stat.weight(block.cells.data());
    }
  }

  double plain(const Cell* cells) const { return static_cast<double>(at_.c.stat.weight(cells)) / unit_; }
  static constexpr bool kRatio = !C::kRankIsScore;

  // What a division adds up to: worth and bits of split information of its blocks, and how many hold enough.
  struct Sums {
    double worth = 0;
    double bits = 0;
    int enough = 0;
  };

  ScoredPair judge(const Sums& sums) const {
    ScoredPair out;
    const double weight = static_cast<double>(at_.targets.weight);
    out.info = sums.bits / weight;
    if (sums.enough < 2) return out;
    out.gain = (sums.worth - base_) / weight;
    const bool counts = kRatio ? out.gain >= -kRounding && out.info > 1e-3 : out.info > 0;
    const auto merit = at_.c.merit(Outcome{out.gain, out.info, 0, 0});
    if (counts && merit) out.value = *merit;
    return out;
  }
  // Of the blocks; the rest counts in neither figure.
  Sums sums(double least) const {
    Sums out;
    out.bits = x_log2_x(weight_) - x_log2_x(at_.rows.missing_weight);
    for (const Block& block : blocks_) {
      out.worth += block.worth;
      out.bits += block.bits;
      out.enough += block.weight >= least - 1e-6;
    }
    return out;
  }
  // Of all levels, those of the rest one by one: release 8 starts from these figures, and keeps them where nothing is merged.
  Sums sums_of_levels() const {
    Sums out = sums(1);
    i64 all = weight_;
    for (std::size_t i = 0; i < rest_cells_.size(); i += at_.width) {
      const i64 weight = at_.c.stat.weight(rest_cells_.data() + i);
      out.worth += at_.c.worth(rest_cells_.data() + i);
      out.bits -= x_log2_x(weight);
      all += weight;
    }
    out.bits += x_log2_x(all) - x_log2_x(weight_);
    return out;
  }
  void measure(Block& block) const {
    block.weight = plain(block.cells.data());
    block.worth = at_.c.worth(block.cells.data());
    block.bits = -x_log2_x(at_.c.stat.weight(block.cells.data()));
  }

  // The last block takes the place of the one that is gone, as the original has it: ties depend on the order.
  void merge(std::size_t into, std::size_t gone) {
    Block& to = blocks_[into];
    add_cells(to.cells.data(), blocks_[gone].cells.data(), at_.width);
    to.levels.insert(to.levels.end(), blocks_[gone].levels.begin(), blocks_[gone].levels.end());
    measure(to);
    if (gone + 1 < blocks_.size()) blocks_[gone] = std::move(blocks_.back());
    blocks_.pop_back();
    if (kept_.empty()) return;
    for (const std::size_t changed : {into, gone}) {
      if (changed >= blocks_.size()) continue;
      for (std::size_t other = 0; other < blocks_.size(); ++other)
        if (other != changed) kept(std::min(changed, other), std::max(changed, other)) = merged(changed, other);
    }
  }

  // Pairs are asked for again after every merge, and few of them are others then: they are kept, unless that would be many.
  void keep_pairs() {
    stride_ = blocks_.size();
    if (stride_ > kMostKept) return;
    kept_.resize(stride_ * stride_);
    for (std::size_t a = 0; a + 1 < stride_; ++a)
      for (std::size_t b = a + 1; b < stride_; ++b) kept(a, b) = merged(a, b);
  }
  Merged& kept(std::size_t a, std::size_t b) { return kept_[a * stride_ + b]; }
  Merged pair(std::size_t a, std::size_t b) const { return kept_.empty() ? merged(a, b) : kept_[a * stride_ + b]; }
  Merged merged(std::size_t a, std::size_t b) const {
    Cells both = blocks_[a].cells;
    add_cells(both.data(), blocks_[b].cells.data(), at_.width);
    return {at_.c.worth(both.data()) - blocks_[a].worth - blocks_[b].worth,
            -x_log2_x(at_.c.stat.weight(both.data())) - blocks_[a].bits - blocks_[b].bits};
  }

  // Blocks of one class belong together. Whether there were such.
  bool merge_pure() {
    const std::size_t before = blocks_.size();
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
      }
    }
    return blocks_.size() < before;
  }

  std::optional<Candidate> search() {
    const double least = static_cast<double>(at_.least()) / unit_;
    ScoredPair now = judge(merge_pure() ? sums(1) : sums_of_levels());
    const double half = now.gain / 2;
    keep_pairs();
    while (blocks_.size() > 2) {
      std::size_t largest = 0;
      int enough = 0;
      for (std::size_t b = 0; b < blocks_.size(); ++b) {
        enough += blocks_[b].weight >= least - 1e-6;
        if (blocks_[b].cells[at_.width - 1] > blocks_[largest].cells[at_.width - 1]) largest = b;
      }
      if (enough >= 3) largest = blocks_.size();
      const Pair best = best_pair(largest, enough, half);
      if (kRatio && enough >= 2 && (!best.any || best.judged.value < now.value + 1e-5)) break;
      if (!best.any) break;
      now = best.judged;
      merge(best.a, best.b);
    }
    if (now.value <= kRounding) return std::nullopt;
    return finish(judge(sums(least)).gain, now.info);
  }

  struct Pair {
    std::size_t a = 0;
    std::size_t b = 0;
    bool any = false;
    ScoredPair judged{kNothing, 0, 0};
  };

  Pair best_pair(std::size_t barred, int enough, double half) const {
    Pair best;
    const Sums now = sums(1);
    for (std::size_t a = 0; a + 1 < blocks_.size(); ++a) {
      if (a == barred) continue;
      for (std::size_t b = a + 1; b < blocks_.size(); ++b) {
        if (b == barred) continue;
        const Merged change = pair(a, b);
        const auto fills = [](double weight) { return weight >= 1 - 1e-6; };
        const double weights[2] = {blocks_[a].weight, blocks_[b].weight};
        const int enough_now = now.enough - fills(weights[0]) - fills(weights[1]) + fills(weights[0] + weights[1]);
        const ScoredPair judged = judge({now.worth + change.worth, now.bits + change.bits, enough_now});
        const bool forced = !best.any && (!kRatio || enough < 2);
        // Of equal values the last, and what differs by the order of a sum only is equal.
        const bool better = judged.value >= best.judged.value - kRounding;
        if ((judged.gain >= half - kRounding && best.judged.gain < half - kRounding) || better || forced) best = {a, b, true, judged};
      }
    }
    return best;
  }

  std::optional<Candidate> finish(double gain, double info) {
    if (gain <= kNothing) return std::nullopt;
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
    auto candidate = at_.finish(std::move(split), std::move(branches), gain, 1, kNowhere);
    if (!candidate) return std::nullopt;
    candidate->gain = std::max(0.0, gain);
    candidate->split_info = info;
    const auto merit = at_.c.merit(Outcome{candidate->gain, info, candidate->after, 0});
    if (!merit) return std::nullopt;
    candidate->merit = candidate->rank = *merit;
    return candidate;
  }

  const AtColumn<C>& at_;
  double unit_;      // quanta per unit of weight
  double base_ = 0;  // worth of the present rows
  i64 weight_ = 0;   // of the blocks and the missing rows
  std::vector<Block> blocks_;
  std::vector<Merged> kept_;  // by pair, the lower block first
  std::size_t stride_ = 0;
  std::vector<Code> rest_;
  Cells rest_cells_;
};

template <>
struct FamilySearch<Family::grouped> {
  template <Criterion C>
  static std::optional<Candidate> best(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    return GroupedSearch<C>::run(at, groups);
  }
};

}  // namespace tw
