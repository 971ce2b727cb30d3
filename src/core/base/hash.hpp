// Counter-based randomness: a draw is a hash of its purpose, so that it does not depend on the order of draws.
#pragma once

#include "base/types.hpp"

namespace tw {

// The finaliser of splitmix64 (Steele, Lea and Flood 2014): a bijection with good avalanche.
constexpr u64 mix(u64 x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr u64 mix(u64 a, u64 b) { return mix(mix(a) ^ b); }

// The path of a child: the root's path is the seed.
constexpr u64 child_path(u64 path, u64 branch) { return mix(path, branch + 1); }

}  // namespace tw
