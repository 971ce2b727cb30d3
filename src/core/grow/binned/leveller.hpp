// The grower by levels, for classes.
#pragma once

#include <array>
#include <numeric>
#include <utility>

#include "base/errors.hpp"
#include "base/hash.hpp"
#include "grow/binned/levels.hpp"
#include "grow/binned/search.hpp"
#include "grow/limits.hpp"

namespace tw {

template <Criterion C>
  requires C::kClasses
class BinnedLevels final : public LevelGrower {
 public:
  BinnedLevels(TableFacts facts, GrowSettings settings, u64 small)
      : table_(std::move(facts.table)),
        settings_(std::move(settings)),
        frame_(BinnedFrame::without_rows(table_)),
        search_(table_, settings_, frame_, table_.weights.plain(table_.weights.total)),
        most_(static_cast<i64>(small)),
        builder_(table_.target.n_classes) {
    add({.path = mix(settings_.seed), .total = std::move(facts.class_totals)});
    level_[0].counted = level_[0].grows;
    if (!level_[0].grows) level_.clear();
    list_counted();
  }
  BinnedLevels(const BinnedLevels&) = delete;
  BinnedLevels& operator=(const BinnedLevels&) = delete;

  std::size_t counters() const override { return frame_.n_slots() * frame_.per_slot(); }

  void take(std::span<const i64> counts) override {
    if (counts.size() != counted_.size() * counters()) throw Invalid("there are not as many counts as were asked for");
    std::size_t at = 0;
    for (Open& open : level_) {
      if (!open.counted) continue;
      open.counts.wide.assign(counts.begin() + static_cast<std::ptrdiff_t>(at),
                              counts.begin() + static_cast<std::ptrdiff_t>(at + counters()));
      at += counters();
    }
    for (std::size_t i = 0; i < level_.size(); ++i) {
      Open& open = level_[i];
      if (open.counted) continue;
      open.counts = std::move(*open.parent);
      open.counts.subtract(level_[open.sibling].counts);
    }
    divisions_.clear();
    for (Open& open : std::exchange(level_, {}))
      if (open.grows) divide(open);
    list_counted();
  }

  Tree finish(const std::vector<Tree>& pieces) override {
    if (!level_.empty() || pieces.size() != small_.size()) throw Invalid("the tree has not been grown to its end");
    for (std::size_t i = 0; i < pieces.size(); ++i) put_in_place(pieces[i], small_[i].node, builder_);
    return std::move(builder_).finish(tree_columns(table_), false);
  }

 private:
  struct Open {
    u32 node = 0;
    u32 depth = 0;
    u64 path = 0;
    std::vector<i64> total{};  // by class
    bool grows = false;        // it has more rows than are left to others, and may be divided
    bool counted = false;      // of two branches one is, the other holds the rest
    std::size_t sibling = 0;   // in the level
    BinnedCounts counts{};
    std::shared_ptr<BinnedCounts> parent{};

    i64 weight() const { return std::accumulate(total.begin(), total.end(), i64{0}); }
  };

  // Describes a node that certainly is a leaf, leaves one of few rows to others, or takes it into the level.
  void add(Open open) {
    search_.read_classes(open.total, space_.targets);
    if (stops(settings_, open.depth, space_.targets))
      builder_.describe(open.node, space_.targets.facts);
    else if (open.weight() <= most_)
      small_.push_back({open.node, open.depth, open.path, table_.weights.plain(table_.weights.total)});
    else
      open.grows = true;
    level_.push_back(std::move(open));
  }

  void divide(Open& open) {
    search_.read_classes(open.total, space_.targets);
    space_.targets.path = open.path;
    builder_.describe(open.node, space_.targets.facts);
    const auto chosen = search_.choose(open.counts, open.path, space_, [](std::span<const Column>) {});
    if (!chosen) return;
    const Column j = chosen->split.column;
    LevelDivision division{open.node, builder_.divide(open.node, chosen->split, chosen->gain), j,
                           branches_by_code(chosen->split, table_.columns[j].n_codes)};
    std::array<Open, 2> children;
    const auto parent = std::make_shared<BinnedCounts>(std::move(open.counts));
    for (u32 b = 0; b < 2; ++b) {
      Open& child = children[b];
      child.node = division.first_child + b;
      child.depth = open.depth + 1;
      child.path = child_path(open.path, b);
      child.total.assign(table_.target.n_classes, 0);
      child.parent = parent;
      for (u32 code = 0; code < division.branch.size(); ++code)
        for (std::size_t k = 0; division.branch[code] == b && k < child.total.size(); ++k)
          child.total[k] += parent->at((frame_.begin[j] + code) * frame_.per_slot() + k);
    }
    const std::size_t first = level_.size();
    const std::size_t few = small_.size();
    for (Open& child : children) add(std::move(child));
    const bool grow = level_[first].grows || level_[first + 1].grows;
    if (grow) {  // the lesser one is counted
      const std::size_t less = level_[first + 1].weight() < level_[first].weight();
      level_[first + less].counted = true;
      level_[first + less].parent.reset();
      level_[first + 1 - less].sibling = first + less;
    } else {
      level_.resize(first);
    }
    if (grow || small_.size() > few) divisions_.push_back(std::move(division));
  }

  void list_counted() {
    counted_.clear();
    for (const Open& open : level_)
      if (open.counted) counted_.push_back(open.node);
  }

  Table table_;
  GrowSettings settings_;
  BinnedFrame frame_;
  const BinnedSearch<C> search_;
  const i64 most_;
  Builder builder_;
  BinnedWorkspace<C> space_;
  std::vector<Open> level_;
};

template <Criterion C>
std::unique_ptr<LevelGrower> by_levels(TableFacts facts, const GrowSettings& settings, u64 small) {
  return std::make_unique<BinnedLevels<C>>(std::move(facts), settings, small);
}

}  // namespace tw
