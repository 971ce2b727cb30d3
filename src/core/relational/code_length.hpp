// What a clause may cost: the bits that list the tuples it covers (Quinlan 1990).
#pragma once

#include "base/types.hpp"

namespace tw::relational {

// Bits to say which of the tuples a clause covers: log2 |T| + log2 C(|T|, p). `share`: of the negative tuples that were drawn.
double exceptions(u64 total, u64 positive, double share);

// The same, and what the limit lets pass at least: a clause of two literals in textbooks' tables of a few tuples.
double code_limit(u64 total, u64 positive, double share);

}  // namespace tw::relational
