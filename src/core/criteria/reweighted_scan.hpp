// Cuts of a sorted list by the Gini index of reweighted classes. For the sorted engine alone.
#pragma once

#include <stdexcept>

#include "criteria/class_weights_scan.hpp"
#include "criteria/reweighted.hpp"
#include "criteria/two_class_scan.hpp"

namespace tw {

template <>
struct ListScan<Reweighted<GiniOfShares>> {
  using C = Reweighted<GiniOfShares>;
  static constexpr bool kWeighsEntries = true;

  template <class Id, class Same>
  static Place best(const C& c, const Frame<Id>& frame, const ListSlice<Id, i64>& slice, const Same& same) {
    // Of factors very far apart sums would not tell the lesser classes.
    const auto [least, most] = std::minmax_element(c.factor.begin(), c.factor.end());
    if (!(*least >= 0x1p-20 * *most)) return AnyScan<C>::best(c, frame, slice, same);
    const auto factor = [&](u32 k) { return c.factor[k]; };
    if (!frame.two_classes || c.stat.k != 2) return ClassWeightsList(c, factor).best(frame, slice, same);
    const TwoClassList list(c, c.factor[0], c.factor[1]);
    if (frame.weighted()) return list.best_of_weights(frame, slice, same);
    if constexpr (sizeof(Id) == 8)
      throw std::logic_error("wide entries carry weights");
    else
      return list.best_of_units(*frame.kernels, slice, same);
  }
};

}  // namespace tw
