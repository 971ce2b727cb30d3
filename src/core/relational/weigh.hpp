// What a literal does to the bindings, counted, and its gain (Quinlan 1990).
#pragma once

#include "relational/bindings.hpp"

namespace tw::relational {

// A literal and its negation, counted in one pass. "With": bindings that keep an extension; "extended": the bindings that come of them.
// A binding with a missing cell counts neither here nor there.
struct Counts {
  struct Side {
    u64 positive = 0, total = 0;                    // bindings with an extension
    u64 positive_extended = 0, total_extended = 0;  // what comes of them
    u64 positive_origins = 0, total_origins = 0;    // tuples of the head they come from
  };
  Side holds, fails;
  bool abandoned = false;    // only positive bindings were counted
  bool determinate = false;  // every positive binding has one extension, every other at most one
  u32 new_variables = 0;
  // New variables that hold the same constant in all extensions; counted where it matters (see `repeats`).
  u32 constant_variables = 0;
};

// Positive bindings with which a literal, or its denial, could be of use: where neither has as many, the others are not counted.
struct Needed {
  double holds = 0, fails = 0;
};

Counts count(const Bindings& bindings, const Literal& literal, Indexes& indexes, const JobControl& job, Needed needed = {});

// Whether a new variable repeats another one in all extensions of positive bindings: then the literal with that variable in its place says
// the same in less. Also counts new variables that never change.
bool repeats(const Bindings& bindings, const Literal& literal, const World& world, Indexes& indexes, Counts& counts);

// -log2 of the share of positive bindings; `share`: of the negative tuples that were drawn.
double information(u64 positive, u64 total, double share);

// Quinlan's gain: positive bindings that keep an extension times what is learned of each.
double gain(const Counts::Side& side, double information_before, double share);

// The threshold c of the largest gain of x > c or its negation, with its counts; false where all cells are equal.
bool best_threshold(const Bindings& bindings, Literal& literal, u32 n_constants, double information_before, double share, Counts& counts);

}  // namespace tw::relational
