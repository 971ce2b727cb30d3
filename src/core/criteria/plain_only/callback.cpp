// A criterion that calls back (a Python function): it scores whole divisions. Slow, and only for the plain engine;
// impurities and gains are reported as entropy. It has no name of its own, so it is not in the registry.
#include "criteria/entropy.hpp"
#include "grow/enrol.hpp"

namespace tw {

namespace {

struct Callback : ClassCriterion {
  Callback(const NodeTargets& targets, const SearchSettings& settings, u32 n_classes)
      : ClassCriterion(targets, settings, n_classes),
        entropy(targets, settings, n_classes),
        callback(settings.callback),
        plain(targets.facts.weight / static_cast<double>(targets.weight)) {}

  Entropy entropy;
  const ScoreCallback& callback;
  double plain;  // from quanta to weights

  double division(const std::vector<const i64*>& branches) const {
    std::vector<double> weights;
    std::size_t filled = 0;
    for (const i64* branch : branches) {
      if (branch[stat.k] == 0) continue;
      ++filled;
      weights.resize(filled * declared, 0);
      for (u32 k = 0; k < stat.k; ++k) weights[(filled - 1) * declared + (*classes)[k]] = static_cast<double>(branch[k]) * plain;
    }
    return callback(weights, filled);
  }
  double pair(const i64* l, const i64* r) const { return division({l, r}); }
  double worth(const i64* cells) const { return entropy.worth(cells); }
  double impurity(const i64* cells) const { return entropy.impurity(cells); }
  double rounding(i64 weight) const { return entropy.rounding(weight); }
  std::optional<double> merit(const Outcome& o) const { return o.score; }
};

}  // namespace

const CriterionEntry& callback_criterion() {
  static const CriterionEntry part{"", "", true, false, &make_search<Callback>};
  return part;
}

}  // namespace tw
