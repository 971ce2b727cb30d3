// The Gini index under losses, sum_ij loss(i, j) p_i p_j (Breiman et al. 1984, section 4.4). It sees losses only as loss(i, j) + loss(j,
// i), so for two classes it is the plain index. Without a loss matrix it is, too.
#include "grow/enrol.hpp"

namespace tw {

namespace {

struct GeneralisedGini : ClassCriterion {
  static constexpr bool kLooksAtPriors = true;
  static constexpr bool kConcave = false;

  GeneralisedGini(const NodeTargets& targets, const SearchSettings& settings, u32 n_classes)
      : ClassCriterion(targets, settings, n_classes), settings_(settings), n_(n_classes) {
    for (const u32 k : targets.classes) {
      factor_.push_back(settings.priors.empty() ? 1 : settings.priors[k]);
      largest_ = std::max(largest_, factor_.back());
      for (const u32 j : targets.classes) dearest_ = std::max(dearest_, loss(k, j));
    }
  }

  double loss(u32 truth, u32 answer) const { return settings_.loss_of(truth, answer, n_); }

  double worth(const i64* cells) const {
    double all = 0;
    double lost = 0;
    for (u32 k = 0; k < stat.k; ++k) {
      const double x = factor_[k] * static_cast<double>(cells[k]);
      all += x;
      if (x == 0) continue;
      double row = 0;
      for (u32 j = 0; j < stat.k; ++j) row += loss((*classes)[k], (*classes)[j]) * factor_[j] * static_cast<double>(cells[j]);
      lost += x * row;
    }
    return all > 0 ? -lost / all : 0;
  }
  double impurity(const i64* cells) const { return std::max(0.0, -worth(cells) / static_cast<double>(cells[stat.k])); }
  double rounding(i64 weight) const { return 4e-15 * largest_ * std::max(1.0, dearest_) * static_cast<double>(weight); }
  std::optional<double> merit(const Outcome& o) const { return o.gain; }

 private:
  const SearchSettings& settings_;
  u32 n_;
  std::vector<double> factor_;
  double largest_ = 1;
  double dearest_ = 0;
};

const EnrolCriterion enrol(criterion<GeneralisedGini>("generalised_gini", "fall of sum loss(i, j) p_i p_j, the Gini index under losses"));

}  // namespace

}  // namespace tw
