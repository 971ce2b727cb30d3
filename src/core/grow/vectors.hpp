// The criterion of targets that are several numbers a row. It has no name of its own, so it is not in the registry.
#pragma once

#include "grow/criterion_entry.hpp"

namespace tw {

// What settings call it.
inline constexpr const char* kVectors = "vectors";

const CriterionEntry& vector_criterion();

}  // namespace tw
