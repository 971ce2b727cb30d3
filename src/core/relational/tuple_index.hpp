// Finds the tuples of a relation that agree with given cells: how many there are, and which. Tuples that are added later are taken in
// where they are asked for, so that semi-naive evaluation builds nothing anew.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "relational/pairs.hpp"
#include "relational/relation.hpp"

namespace tw::relational {

// Per argument: 0 where the cell is given, otherwise the number of a new variable, from 1; equal ones must hold the same constant.
using Pattern = std::vector<u32>;

class TupleIndex {
 public:
  static constexpr u32 kNone = PairTable::kNone;

  TupleIndex(const Relation& relation, Pattern pattern);

  // Takes in tuples that were added to the relation.
  void refresh(const Relation& relation);

  // Positions of the given arguments, ascending: the order in which cells are passed.
  const std::vector<u32>& given() const { return given_; }

  // The group of tuples that hold these cells; kNone if there is none.
  u32 group(std::span<const Code* const> cells, std::size_t row) const {
    if (given_.empty()) return count_.empty() ? kNone : 0;
    u32 id = cells[0][row];
    if (id >= first_.size() || (id = first_[id]) == kNone) return kNone;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      id = steps_[i].find(id, cells[i + 1][row]);
      if (id == kNone) return kNone;
    }
    return id;
  }
  u32 count(u32 group) const { return group == kNone ? 0 : count_[group]; }
  // Tuples of a group, in their order: first, and then next, until kNone.
  u32 first(u32 group) const { return head_[group]; }
  u32 next(u32 tuple) const { return next_[tuple]; }

 private:
  u32 take_group(const Relation& relation, std::size_t tuple);

  Pattern pattern_;
  std::vector<u32> given_;
  std::vector<std::pair<u32, u32>> same_;  // positions that must agree
  std::vector<u32> first_;                 // by code of the first given cell
  u32 n_first_ = 0;
  std::vector<PairTable> steps_;
  std::vector<u32> count_, head_, tail_, next_;
  std::size_t taken_ = 0;
};

// All indexes of a world that were needed so far.
class Indexes {
 public:
  explicit Indexes(const World& world) : world_(world) {}

  const TupleIndex& of(u32 relation, const Pattern& pattern);

 private:
  const World& world_;
  std::map<std::pair<u32, Pattern>, std::unique_ptr<TupleIndex>> made_;
};

}  // namespace tw::relational
