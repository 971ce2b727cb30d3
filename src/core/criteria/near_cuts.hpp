// The cuts of a block that are scored exactly. For the sorted engine alone.
#pragma once

#include <bit>

#include "grow/sorted/scan.hpp"

namespace tw {

// Whether a cut takes the place of the best one of a list so far, whichever was looked at first: of equal scores the lowest cut is wanted.
inline bool takes_the_place(double score, u32 position, const Place& best) {
  return score > best.score || (best.any && score == best.score && position < best.position);
}

// `near(limit)` gives the cuts of a block that may reach the limit, a bit each; `promised()` a limit that one of them seems to reach;
// `look(t, limit)` scores a cut exactly, and moves the limit if the cut is taken. Those that reach what is promised come first: few others
// come near their score.
template <class Near, class Promised, class Look>
void look_at_near_cuts(double& limit, const Near& near, const Promised& promised, const Look& look) {
  const u64 cuts = near(limit);
  if (cuts == 0) return;
  const bool one = (cuts & (cuts - 1)) == 0;
  const u64 first = one ? cuts : cuts & near(promised());
  for (u64 left = first; left != 0; left &= left - 1) look(static_cast<u32>(std::countr_zero(left)), limit);
  if (first == cuts) return;
  for (u64 left = cuts & ~first & near(limit); left != 0; left &= left - 1)
    if (look(static_cast<u32>(std::countr_zero(left)), limit)) left &= near(limit) | (left & -left);
}

}  // namespace tw
