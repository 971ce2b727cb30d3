// One pass over a sorted column for M5's best cut, with tables of approximate fifth roots.
#include "models/m5_split.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace tw {

namespace {

// One step of Newton's towards the fifth root.
double nearer(double root, double v) { return 0.8 * root + 0.2 * v / (root * root * root * root); }

// Fifth roots to a relative 1e-4 by two table lookups: exact ones are needed near the best cut only.
class RoughRoot {
 public:
  RoughRoot() {
    // Powers of two by their own fifth roots, so that tables are the same everywhere.
    double fifth = 1.1487;
    for (int i = 0; i < 6; ++i) fifth = nearer(fifth, 2);
    std::array<double, 5> power{1, fifth, fifth * fifth, fifth * fifth * fifth, fifth * fifth * fifth * fifth};
    for (std::size_t e = 0; e < exponent_.size(); ++e) {
      const int up = static_cast<int>(e) - 1023 + 1025;  // a multiple of five is added, so that division rounds one way
      exponent_[e] = std::ldexp(power[static_cast<std::size_t>(up % 5)], up / 5 - 205);
    }
    for (std::size_t m = 0; m < mantissa_.size(); ++m) {
      const double v = 1 + (static_cast<double>(m) + 0.5) / static_cast<double>(mantissa_.size());
      double root = 1;
      for (int i = 0; i < 6; ++i) root = nearer(root, v);
      mantissa_[m] = root;
    }
  }
  double operator()(double v) const {
    const u64 bits = std::bit_cast<u64>(v);
    return exponent_[bits >> 52] * mantissa_[(bits >> 42) & 1023];
  }
  double exact(double v) const {
    if (v < 1e-280) return 0;
    const double root = nearer((*this)(v), v);
    return nearer(nearer(root, v), v);
  }
  static constexpr double kOff = 3e-4;

 private:
  std::array<double, 2048> exponent_{};
  std::array<double, 1024> mantissa_{};
};

const RoughRoot kRough;

template <bool kFifth, bool kWeighted>
std::optional<M5Cut> scan(std::span<const u64> entries, const std::vector<double>& target, const std::vector<double>& weights,
                          const Spread& all, const M5CutRules& rules) {
  std::optional<M5Cut> best;
  double bound = rules.most_left;
  double limit = bound * (1 + RoughRoot::kOff);
  Spread below;
  const double noise = all.noise();
  // Differences in the last digits are rounding: the lower cut is kept.
  const double rounding = 1e-10 * all.weight * (kFifth ? kRough.exact(all.variance()) : std::sqrt(all.variance()));
  const double step = std::max(rules.step, rounding);
  for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
    const auto row = static_cast<u32>(entries[i]);
    const double w = kWeighted ? weights[row] : 1;
    const double y = target[row] - rules.centre;
    below.weight += w;
    below.sum += w * y;
    below.squares += w * y * y;
    if (entries[i] >> 32 == entries[i + 1] >> 32 || below.weight < rules.least) continue;
    const Spread above{all.weight - below.weight, all.sum - below.sum, all.squares - below.squares};
    if (above.weight < rules.least) break;
    const double vl = below.variance(noise);
    const double vr = above.variance(noise);
    double left_over = 0;
    if constexpr (kFifth) {
      if (below.weight * kRough(vl) + above.weight * kRough(vr) > limit) continue;
      left_over = below.weight * kRough.exact(vl) + above.weight * kRough.exact(vr);
    } else {
      left_over = below.weight * std::sqrt(vl) + above.weight * std::sqrt(vr);
    }
    if (!(left_over < bound)) continue;
    if (rules.alike && rules.alike(row, static_cast<u32>(entries[i + 1]))) continue;
    best = {i + 1, left_over, below};
    bound = left_over - step;
    limit = left_over * (1 + RoughRoot::kOff);
  }
  return best;
}

}  // namespace

std::optional<M5Cut> best_cut(std::span<const u64> entries, const std::vector<double>& target, const std::vector<double>& weights,
                              const Spread& all, const M5CutRules& rules) {
  if (rules.fifth_root)
    return weights.empty() ? scan<true, false>(entries, target, weights, all, rules)
                           : scan<true, true>(entries, target, weights, all, rules);
  return weights.empty() ? scan<false, false>(entries, target, weights, all, rules)
                         : scan<false, true>(entries, target, weights, all, rules);
}

double root_of(double variance, bool fifth_root) { return fifth_root ? kRough.exact(variance) : std::sqrt(variance); }

}  // namespace tw
