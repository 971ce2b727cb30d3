// Expected loss of the best answer, min_i sum_k loss(k, i) p_k; with 0/1 losses this is the misclassification error.
#include "grow/enrol.hpp"
#ifdef TREEWRIGHT_SORTED_UNITS
#include "criteria/loss_scan.hpp"
#endif

namespace tw {

namespace {

struct Risk : ClassCriterion {
  static constexpr bool kLooksAtPriors = true;
  Risk(const NodeTargets& targets, const SearchSettings& settings, u32 n_classes)
      : ClassCriterion(targets, settings, n_classes), settings_(settings), n_(n_classes) {}

  double worth(const i64* cells) const { return -least_loss(settings_, n_, *classes, cells).loss; }
  double impurity(const i64* cells) const { return -worth(cells) / static_cast<double>(cells[stat.k]); }
  std::optional<double> merit(const Outcome& o) const { return o.gain; }

#ifdef TREEWRIGHT_SORTED_UNITS
  static constexpr bool kCountsErrors = false;
  // Of the two classes that the table has.
  AnswerCosts costs() const {
    AnswerCosts out;
    for (u32 truth = 0; truth < 2; ++truth)
      for (u32 answer = 0; answer < 2; ++answer)
        out.of[truth][answer] = (settings_.priors.empty() ? 1 : settings_.priors[truth]) * settings_.loss_of(truth, answer, n_);
    out.measure();
    if (divides_rows(settings_.missing)) out.most = 0;  // answers within rounding tie
    return out;
  }
  double costless(i64) const { return 0; }
#endif

 private:
  const SearchSettings& settings_;
  u32 n_;
};

const EnrolCriterion enrol(criterion<Risk>("risk", "fall of the expected loss under a loss matrix"));

}  // namespace

}  // namespace tw
