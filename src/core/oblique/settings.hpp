// What searches for tests over several columns need to know besides the settings of growing.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace tw {

// What a score is made of: columns; their squares and products, too; the sum of their squares; of ellipsoids, as of quadratics; squashed
// sums of columns. `squares` is for methods that square columns now and then.
enum class NodeForm : u8 { linear, quadratic, sphere, ellipsoid, network, squares };

inline constexpr const char* kNodeForms[] = {"linear", "quadratic", "sphere", "ellipsoid", "network"};

// How omnivariate trees choose among kinds of nodes: by the combined 5x2cv F test, or by an information criterion.
enum class KindChoice : u8 { test, aic, bic };

inline constexpr const char* kKindChoices[] = {"f", "aic", "bic"};

struct ObliqueSettings {
  NodeForm node = NodeForm::linear;
  u32 max_terms = 0;         // terms of a score at most; 0: no limit
  u32 restarts = 20;         // OC1: hills that are climbed
  u32 hidden = 0;            // networks: squashed sums of a score; 0: half as many as columns and answers
  u32 jumps = 5;             // OC1: random directions that are tried at a local optimum
  double least_rise = 1e-3;  // CART-LC: a pass that improves the score by less than this share ends the search
  double elimination = 0.2;  // CART-LC: a column that matters less than this share of the one that matters most goes
  double explained = 0.99;   // discriminants: share of the variance that principal components keep where columns are dependent
  // Omnivariate trees: the kinds of nodes, how they choose, and the level of the test.
  std::vector<std::string> kinds = {};
  KindChoice choice = KindChoice::test;
  double alpha = 0.05;
};

// How many squashed sums a network over so many features has: fewer than three close no curve.
inline std::size_t hidden_of(const ObliqueSettings& settings, std::size_t features) {
  return settings.hidden > 0 ? settings.hidden : std::clamp<std::size_t>((features + 2) / 2, 3, 8);
}

}  // namespace tw
