// Answers of the nodes of a grown tree, brought into the ranges that an order leaves them: see search/order.hpp.
#pragma once

#include "grow/settings.hpp"
#include "tree/tree.hpp"

namespace tw {

// Splits of columns with a direction have their answers in order already; done twice it changes nothing more.
void keep_answers_in_range(Tree& tree, const GrowSettings& settings);

}  // namespace tw
