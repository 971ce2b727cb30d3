#include "soft/grow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/hash.hpp"
#include "base/numbers.hpp"
#include "soft/descend.hpp"
#include "soft/starts.hpp"

namespace tw {

namespace {

constexpr double kFaint = 0x1p-20;  // rows of which less than this share reaches a leaf do not train its gate
constexpr double kFlat = 1e-6;      // training ends where no derivative is larger
constexpr double kLn2 = 0.69314718055994530942;

// What a single leaf says of the rows; a class without rows counts as half of one.
std::vector<double> prior_of(const SoftRows& rows, double total) {
  if (rows.n_classes == 0) {
    double sum = 0;
    for (std::size_t i = 0; i < rows.n; ++i) sum += rows.weights[i] * rows.numbers[i];
    return {sum / total};
  }
  std::vector<double> weight(std::max(rows.n_classes, 2U), 0);
  for (std::size_t i = 0; i < rows.n; ++i) weight[rows.classes[i]] += rows.weights[i];
  for (double& each : weight) each = log2_of(std::max(each, 0.5)) * kLn2;
  if (rows.n_classes <= 2) return {weight[1] - weight[0]};
  const double mean = std::accumulate(weight.begin(), weight.end(), 0.0) / static_cast<double>(weight.size());
  for (double& each : weight) each -= mean;
  return weight;
}

std::vector<double> repeated(const std::vector<double>& answer, std::size_t n) {
  std::vector<double> out;
  for (const double each : answer) out.insert(out.end(), n, each);
  return out;
}

// Rows that a tree grows on: what it says of them now, and which share of each reaches the node that is looked at.
struct Reached {
  const SoftRows& rows;
  std::vector<double> answers;

  // What the rest of the tree says, where the leaf says this of such shares.
  std::vector<double> rest(const std::vector<double>& share, std::span<const double> answer) const {
    std::vector<double> out = answers;
    for (std::size_t k = 0; k < answer.size(); ++k)
      for (std::size_t i = 0; i < rows.n; ++i) out[k * rows.n + i] -= share[i] * answer[k];
    return out;
  }
};

struct Open {
  u32 node;
  u32 depth;
  u64 path;
  std::vector<double> share, held_share;
};

class Growth {
 public:
  Growth(const SoftRows& rows, const SoftRows* held, const SoftSettings& settings, JobControl& job)
      : settings_(settings), job_(job), total_(rows.total()), rows_{rows, {}}, held_{held ? *held : rows, {}} {}

  // `guide`: the tree whose nodes are split, from whose gates training begins.
  SoftTree grow(const SoftTree* guide) {
    const std::vector<double> prior = prior_of(rows_.rows, total_);
    tree_ = SoftTree::single(rows_.rows.d, prior);
    rows_.answers = repeated(prior, rows_.rows.n);
    held_.answers = repeated(prior, held_.rows.n);
    loss_ = soft_loss(held_.rows, held_.answers);
    std::vector<Open> open;
    open.push_back({0, 0, settings_.seed, std::vector<double>(rows_.rows.n, 1), std::vector<double>(held_.rows.n, 1)});
    std::vector<u32> guided{0};  // of every node of the tree the one of the guide
    while (!open.empty()) {
      Open here = std::move(open.back());
      open.pop_back();
      job_.check();
      std::optional<SoftTree> given;
      if (guide) {
        const u32 same = guided[here.node];
        if (guide->leaf(same)) continue;
        given.emplace(stump_of(*guide, same));
      }
      if (!split(here, given ? &*given : nullptr)) continue;
      const u32 first = tree_.first[here.node];
      if (guide) {
        const u32 same = guide->first[guided[here.node]];
        guided.push_back(same);
        guided.push_back(same + 1);
      }
      for (const u32 side : {1U, 0U})
        open.push_back({first + side, here.depth + 1, child_path(here.path, side), passed(rows_.rows, here.share, here.node, side),
                        passed(held_.rows, here.held_share, here.node, side)});
    }
    return std::move(tree_);
  }

 private:
  // The gate of a node with answers where its children end: those of the guide's own leaves, or the means of what lies below.
  static SoftTree stump_of(const SoftTree& guide, u32 node) {
    const std::span<const double> gate = guide.of(node);
    std::vector<double> values(gate.begin(), gate.end());
    for (const u32 child : {guide.first[node], guide.first[node] + 1}) {
      std::vector<double> sum(guide.outputs, 0);
      std::vector<u32> below{child};
      double count = 0;
      while (!below.empty()) {
        const u32 at = below.back();
        below.pop_back();
        if (guide.leaf(at)) {
          for (std::size_t k = 0; k < guide.outputs; ++k) sum[k] += guide.of(at)[k];
          count += 1;
        } else {
          below.push_back(guide.first[at]);
          below.push_back(guide.first[at] + 1);
        }
      }
      for (const double each : sum) values.push_back(each / count);
    }
    return SoftTree::stump(guide.inputs, guide.outputs, std::move(values));
  }

  std::vector<double> passed(const SoftRows& rows, const std::vector<double>& share, u32 node, u32 side) const {
    const std::span<const double> gate = tree_.of(node);
    std::vector<double> values(gate.begin(), gate.end());
    values.resize(gate.size() + 2 * tree_.outputs, 0);
    const SoftTree stump = SoftTree::stump(tree_.inputs, tree_.outputs, std::move(values));
    std::vector<double> out = SoftObjective(rows, kWholeTree, stump, 1, {}, 1, job_).shares(stump.values, 1 + side);
    for (std::size_t i = 0; i < rows.n; ++i) out[i] *= share[i];
    return out;
  }

  SoftLeaf leaf_of(const Open& here) const {
    const SoftRows& rows = rows_.rows;
    const std::span<const double> answer = tree_.of(here.node);
    std::vector<u32> places;
    for (u32 i = 0; i < rows.n; ++i)
      if (here.share[i] > kFaint) places.push_back(i);
    const std::vector<double> rest = rows_.rest(here.share, answer);
    SoftLeaf out{rows.part(places), {}, {answer.begin(), answer.end()}};
    for (std::size_t k = 0; k < answer.size(); ++k)
      for (const u32 i : places) out.place.offset.push_back(rest[k * rows.n + i]);
    for (const u32 i : places) out.place.scale.push_back(here.share[i]);
    return out;
  }

  // Whether enough weight reaches both leaves of a stump.
  bool heavy(const SoftLeaf& leaf, const SoftTree& stump) const {
    const std::vector<double> left = SoftObjective(leaf.rows, kWholeTree, stump, 1, {}, 1, job_).shares(stump.values, 1);
    double weight[2] = {0, 0};
    for (std::size_t i = 0; i < left.size(); ++i) {
      weight[0] += leaf.rows.weights[i] * leaf.place.scale[i] * left[i];
      weight[1] += leaf.rows.weights[i] * leaf.place.scale[i] * (1 - left[i]);
    }
    return std::min(weight[0], weight[1]) >= settings_.min_leaf;
  }

  // A stump in the place of a leaf: what the tree with it says of the rows that judge.
  struct Candidate {
    SoftTree stump;
    std::vector<double> answers;
    double loss;
  };

  // Trains a stump from where it is.
  Candidate trained(const SoftLeaf& leaf, const SoftPlace& judged, const SoftTree& from) const {
    SoftTree out = from;
    const double penalty = settings_.penalty / total_;
    const SoftObjective objective(leaf.rows, leaf.place, from, total_, {penalty, penalty}, settings_.threads, job_);
    descend([&](std::span<const double> values, std::span<double> gradient) { return objective(values, gradient); }, out.values,
            {settings_.iterations, kFlat, {}});
    return untrained(judged, out);
  }

  Candidate untrained(const SoftPlace& judged, const SoftTree& stump) const {
    Candidate out{stump, SoftObjective(held_.rows, judged, stump, 1, {}, 1, job_).answers(stump.values), 0};
    out.loss = soft_loss(held_.rows, out.answers);
    return out;
  }

  // The stump that answers the rows held out best, if any answers them better than the leaf.
  std::optional<Candidate> best_stump(const SoftLeaf& leaf, const SoftPlace& judged, u64 path) const {
    std::optional<Candidate> best;
    const auto consider = [&](Candidate&& one) {
      if (one.loss < (best ? best->loss : loss_ - settings_.least_improvement) && heavy(leaf, one.stump)) best.emplace(std::move(one));
    };
    for (const SoftTree& start : soft_starts(leaf, settings_, path)) consider(trained(leaf, judged, start));
    return best;
  }

  // Makes a leaf a gate, where that helps; `guide`: the gate that it becomes in any case.
  bool split(const Open& here, const SoftTree* guide) {
    const SoftLeaf leaf = leaf_of(here);
    if (!guide) {
      double weight = 0;
      for (std::size_t i = 0; i < leaf.rows.n; ++i) weight += leaf.rows.weights[i] * leaf.place.scale[i];
      if (here.depth >= settings_.max_depth || leaf.rows.n < 2 || weight < 2 * settings_.min_leaf) return false;
    }
    const SoftPlace judged{held_.rest(here.held_share, tree_.of(here.node)), here.held_share};
    std::optional<Candidate> best;
    if (guide) {
      best.emplace(trained(leaf, judged, *guide));
      if (!heavy(leaf, best->stump)) best.emplace(untrained(judged, *guide));
    } else {
      best = best_stump(leaf, judged, here.path);
    }
    if (!best) return false;
    loss_ = best->loss;
    held_.answers = std::move(best->answers);
    const SoftPlace whole{rows_.rest(here.share, tree_.of(here.node)), here.share};
    rows_.answers = SoftObjective(rows_.rows, whole, best->stump, 1, {}, 1, job_).answers(best->stump.values);
    tree_.split(here.node, best->stump);
    return true;
  }

  const SoftSettings& settings_;
  JobControl& job_;
  double total_;
  Reached rows_, held_;
  SoftTree tree_;
  double loss_ = 0;
};

}  // namespace

SoftTree grow_soft(const SoftRows& rows, const SoftRows& held, const SoftSettings& settings, JobControl& job) {
  return Growth(rows, held.n > 0 ? &held : nullptr, settings, job).grow(nullptr);
}

SoftTree retrain_soft(const SoftRows& rows, const SoftTree& tree, const SoftSettings& settings, JobControl& job) {
  return Growth(rows, nullptr, settings, job).grow(&tree);
}

Refined refine_soft(const SoftRows& rows, const SoftRows& held, const SoftRows& all, const SoftTree& tree, const std::vector<u8>& free,
                    const SoftSettings& settings, JobControl& job) {
  const auto trained = [&](const SoftRows& on, const Descent& how) {
    SoftTree out = tree;
    const double total = on.total();
    const SoftObjective objective(on, kWholeTree, tree, total, {settings.penalty / total, settings.penalty / total}, settings.threads, job);
    const auto function = [&](std::span<const double> values, std::span<double> gradient) {
      const double loss = objective(values, gradient);
      for (std::size_t p = 0; p < free.size(); ++p)
        if (!free[p]) gradient[p] = 0;
      return loss;
    };
    descend(function, out.values, how);
    return out;
  };
  u32 best = settings.iterations;
  if (held.n > 0) {
    const SoftObjective judge(held, kWholeTree, tree, held.total(), {}, settings.threads, job);
    double least = settings.from_start ? judge(tree.values, {}) : std::numeric_limits<double>::infinity();
    best = 0;
    u32 step = 0;
    trained(rows, {settings.iterations, kFlat, [&](std::span<const double> values) {
                     ++step;
                     const double loss = judge(values, {});
                     if (loss < least) {
                       least = loss;
                       best = step;
                     }
                     return false;
                   }});
  }
  return {trained(all, {best, kFlat, {}}), best};
}

}  // namespace tw
