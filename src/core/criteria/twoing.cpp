// Twoing (Breiman et al. 1984): (p_L p_R / 4) (sum_k |p(k|L) - p(k|R)|)^2. Two branches only; impurities are reported as Gini.
#include <cmath>
#include <queue>

#include "criteria/gini.hpp"
#include "grow/enrol.hpp"

namespace tw {

namespace {

struct Twoing : ClassCriterion {
  static constexpr bool kTwoBranches = true;

  Twoing(const NodeTargets& targets, const SearchSettings& settings, u32 n_classes)
      : ClassCriterion(targets, settings, n_classes), gini(targets, settings, n_classes) {}

  Gini gini;

  double pair(const i64* l, const i64* r) const {
    const double wl = static_cast<double>(l[stat.k]);
    const double wr = static_cast<double>(r[stat.k]);
    double distance = 0;
    for (u32 k = 0; k < stat.k; ++k) distance += std::fabs(static_cast<double>(l[k]) / wl - static_cast<double>(r[k]) / wr);
    const double w = wl + wr;
    return wl / w * (wr / w) / 4 * distance * distance;
  }
  double worth(const i64* cells) const { return gini.worth(cells); }
  double impurity(const i64* cells) const { return gini.impurity(cells); }
  std::optional<double> merit(const Outcome& o) const { return o.score; }
};

// Exact scores look at every class. Where those are many they are estimated as rows move. With t_k of a class in all, of which l_k lie below,
// and the share p of all weight below, the sum of differences is that of |l_k - t_k p| over W p (1 - p), of which the classes with l_k > t_k p
// give half: two whole numbers tell it, sums of l_k and of t_k over those classes. p only grows, so that a class leaves them where p passes
// l_k / t_k, which a queue tells, and enters them by a row of its own.
class TwoingSweep {
 public:
  TwoingSweep(const Twoing& c, i64* left, i64* right) : exact_(c, left, right), left_(left), right_(right), k_(c.stat.k) {}

  void start(const i64* left, const i64* right) {
    exact_.start(left, right);
    if (!looks_ahead()) return;
    all_ = left_[k_] + right_[k_];
    ahead_.assign(k_, 0);
    queue_ = {};
    below_ahead_ = total_ahead_ = 0;
    for (u32 k = 0; k < k_; ++k) enter(k);
  }
  void move(i32 label, i64 w) {
    exact_.move(label, w);
    if (!looks_ahead()) return;
    const auto k = static_cast<u32>(label);
    if (ahead_[k] > 0) leave(k, left_[k] - w);
    enter(k);
    while (!queue_.empty() && !is_ahead(queue_.top().below, queue_.top().total)) {
      const Passed& first = queue_.top();
      if (ahead_[first.k] == first.below) leave(first.k, first.below);
      queue_.pop();
    }
  }
  void move_group(const i64* cells) {
    for (u32 k = 0; k < k_; ++k)
      if (cells[k] > 0) move(static_cast<i32>(k), cells[k]);
  }
  i64 left_weight() const { return exact_.left_weight(); }
  i64 right_weight() const { return exact_.right_weight(); }
  double score() const { return exact_.score(); }

  bool looks_ahead() const { return k_ >= kManyClasses; }
  double estimate() const {
    if (!looks_ahead()) return 0;
    const auto below = static_cast<double>(left_weight());
    const auto above = static_cast<double>(right_weight());
    const auto all = static_cast<double>(all_);
    const double half = static_cast<double>(below_ahead_ * all_ - total_ahead_ * left_weight()) / all;
    return half / below * (half / above);
  }
  bool may_exceed(double score) const { return !looks_ahead() || estimate() > score - slack(); }
  double floor_below(double highest) const { return highest - 2 * slack(); }
  // An exact score is no more than a quarter; its sum of at most 2 is rounded once a class.
  double slack() const { return 1e-15 * (k_ + 16); }

 private:
  static constexpr u32 kManyClasses = 32;
  using i128 = __int128;

  struct Passed {
    i64 below;
    i64 total;
    u32 k;
    bool operator<(const Passed& o) const { return static_cast<i128>(below) * o.total > static_cast<i128>(o.below) * total; }
  };

  bool is_ahead(i64 below, i64 total) const { return static_cast<i128>(below) * all_ > static_cast<i128>(total) * left_weight(); }
  void enter(u32 k) {
    const i64 below = left_[k];
    const i64 total = below + right_[k];
    if (!is_ahead(below, total)) return;
    ahead_[k] = below;
    below_ahead_ += below;
    total_ahead_ += total;
    if (below < total) queue_.push({below, total, k});
  }
  void leave(u32 k, i64 below) {
    ahead_[k] = 0;
    below_ahead_ -= below;
    total_ahead_ -= left_[k] + right_[k];
  }

  Sweep<Twoing> exact_;
  i64* left_;
  i64* right_;
  u32 k_;
  i64 all_ = 0;
  std::vector<i64> ahead_;  // by class: what lies below of those that are ahead, as it was noted; else 0
  std::priority_queue<Passed> queue_;  // the one that is passed first on top; one that has moved since is in it twice
  i128 below_ahead_ = 0;
  i128 total_ahead_ = 0;
};

}  // namespace

template <>
struct PlainSweep<Twoing> {
  using type = TwoingSweep;
};

namespace {

const EnrolCriterion enrol(criterion<Twoing>("twoing", "how differently two branches are composed (two branches only)"));

}  // namespace

}  // namespace tw
