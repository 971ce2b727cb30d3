// The criterion of targets that are several numbers a row. It has no name of its own, so it is not in the registry.
#pragma once

#include "grow/part.hpp"

namespace tw {

// What settings call it.
inline constexpr const char* kVectors = "vectors";

const CriterionPart& vector_criterion();

}  // namespace tw
