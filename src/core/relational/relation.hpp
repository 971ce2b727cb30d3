// Relations as columns of codes. A constant is a code of its type; codes of numeric types stand in the order of their numbers.
#pragma once

#include <optional>
#include <vector>

#include "base/types.hpp"

namespace tw::relational {

using Variable = u32;  // of a clause: those of the head come first
using TypeId = u32;

struct ConstantType {
  u32 n_constants = 0;
  // Measurements: compared with each other and with thresholds, never joined.
  bool measured = false;
  // Constants that may stand in a clause.
  std::vector<Code> named;
  // Constants that a variable takes which no literal binds, where others stand in clauses alone; all of them otherwise.
  std::optional<std::vector<Code>> held;
  // Where the constants stand in an order in which no chain is endless (see order.hpp); empty where there is none.
  std::vector<u32> rank;
};

struct Relation {
  std::vector<TypeId> types;
  std::vector<std::vector<Code>> columns;  // kMissing: nothing is known there
  // Arguments that only give values: new variables stand there.
  std::vector<u8> only_new;
  bool symmetric = false;  // R(a, b) wherever R(b, a)

  std::size_t arity() const { return types.size(); }
  std::size_t size() const { return columns.empty() ? 0 : columns[0].size(); }
};

struct World {
  std::vector<ConstantType> types;
  std::vector<Relation> relations;
  // The relation that is defined, among the others; its tuples are the positive ones.
  u32 target = 0;
  // The last relation, where negative tuples were given: all tuples, positive or negative. No literal asks for it.
  u32 known = std::numeric_limits<u32>::max();
};

}  // namespace tw::relational
