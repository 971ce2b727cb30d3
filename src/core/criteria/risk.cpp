// Expected loss of the best answer, min_i sum_k loss(k, i) p_k; with 0/1 losses this is the misclassification error.
#include <limits>

#include "grow/enrol.hpp"

namespace tw {

namespace {

struct Risk : ClassCriterion {
  Risk(const NodeTargets& targets, const SearchSettings& settings, u32 n_classes)
      : ClassCriterion(targets, settings, n_classes), loss(settings.loss), n(n_classes) {}

  const std::vector<double>& loss;
  u32 n;

  struct Answer {
    double loss;
    u32 label;
  };

  Answer best(const i64* cells) const {
    Answer answer{std::numeric_limits<double>::infinity(), 0};
    for (u32 said = 0; said < n; ++said) {
      double sum = 0;
      for (u32 k = 0; k < stat.k; ++k) {
        const u32 truth = (*classes)[k];
        sum += static_cast<double>(cells[k]) * (loss.empty() ? (truth == said ? 0 : 1) : loss[std::size_t{truth} * n + said]);
      }
      if (sum < answer.loss) answer = {sum, said};
    }
    return answer;
  }

  double worth(const i64* cells) const { return -best(cells).loss; }
  double impurity(const i64* cells) const { return best(cells).loss / static_cast<double>(cells[stat.k]); }
  i32 decide(const i64* cells) const { return static_cast<i32>(best(cells).label); }
  std::optional<double> merit(const Outcome& o) const { return o.gain; }
};

const Enrol<CriterionPart> enrol(part<Risk>("risk", "fall of the expected loss under a loss matrix"));

}  // namespace

}  // namespace tw
