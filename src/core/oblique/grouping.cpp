// Exchanges of classes between two groups.
#include "oblique/grouping.hpp"

#include "oblique/planes.hpp"

namespace tw {

namespace {

class Grouping {
 public:
  Grouping(const NodeMatrix& rows, double explained, JobControl& job)
      : rows_(rows), explained_(explained), job_(job), sweep_(rows, Measure::entropy), of_class_(moments_by_class(rows, job)) {}

  Told best() {
    std::vector<u8> group = begin();
    Told now = told(group);
    while (rows_.n_classes > 2) {
      Told best;
      std::size_t which = 0;
      for (std::size_t k = 0; k < group.size(); ++k) {
        job_.check();
        group[k] ^= 1;
        Told then = told(group);
        group[k] ^= 1;
        if (!(best.score < then.score)) continue;
        best = std::move(then);
        which = k;
      }
      if (!higher(best.score, now.score)) break;
      group[which] ^= 1;
      now = std::move(best);
    }
    return now;
  }

 private:
  // The two classes whose means lie farthest apart, and with each the classes that lie nearer to it.
  std::vector<u8> begin() const {
    const auto distance = [&](std::size_t a, std::size_t b) {
      double sum = 0;
      for (std::size_t f = 0; f < rows_.d; ++f)
        sum += (of_class_[a].mean[f] - of_class_[b].mean[f]) * (of_class_[a].mean[f] - of_class_[b].mean[f]);
      return sum;
    };
    std::size_t left = 0;
    std::size_t right = 1;
    double most = -1;
    for (std::size_t a = 0; a < of_class_.size(); ++a)
      for (std::size_t b = a + 1; b < of_class_.size(); ++b)
        if (const double apart = distance(a, b); higher(apart, most)) {
          most = apart;
          left = a;
          right = b;
        }
    std::vector<u8> group(of_class_.size());
    for (std::size_t k = 0; k < group.size(); ++k) group[k] = k == right || (k != left && distance(k, right) < distance(k, left));
    return group;
  }

  Told told(const std::vector<u8>& group) {
    Moments side[2] = {Moments(rows_.d), Moments(rows_.d)};
    for (std::size_t k = 0; k < group.size(); ++k) side[group[k]].add(of_class_[k]);
    if (!(side[0].weight > 0) || !(side[1].weight > 0)) return {};
    Told out{discriminant_of(side[0], side[1], explained_, job_), 0, group};
    std::vector<double> values = values_of(out.by.weights, rows_);
    for (double& x : values) x -= out.by.threshold;
    out.score = sweep_.score(values);
    return out;
  }

  const NodeMatrix& rows_;
  const double explained_;
  JobControl& job_;
  Sweep sweep_;
  std::vector<Moments> of_class_;
};

}  // namespace

Told best_grouping(const NodeMatrix& rows, double explained, JobControl& job) {
  if (rows.n_classes < 2) return {};
  return Grouping(rows, explained, job).best();
}

}  // namespace tw
