// Distinct tuples, told as they come.
#pragma once

#include <utility>
#include <vector>

#include "relational/pairs.hpp"

namespace tw::relational {

class Distinct {
 public:
  explicit Distinct(std::size_t arity) : steps_(arity > 1 ? arity - 1 : 0) {}

  // Whether the tuple is new.
  template <class Cell>
  bool add(Cell&& cell) {
    u32 id = cell(0);
    if (steps_.empty()) {
      if (id >= seen_.size()) seen_.resize(std::size_t{id} + 1, 0);
      return !std::exchange(seen_[id], u8{1});
    }
    std::size_t before = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      before = steps_[i].size();
      id = steps_[i].number(id, cell(i + 1));
    }
    return steps_.back().size() > before;
  }

 private:
  std::vector<PairTable> steps_;
  std::vector<u8> seen_;
};

}  // namespace tw::relational
