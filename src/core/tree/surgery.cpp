// Cutting a tree back and what can be read off it as a whole. Children come after their parent, so one pass forwards or
// backwards over the nodes does what a recursion would.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tree/tree.hpp"

namespace tw {

std::vector<u32> depths(const Tree& tree) {
  std::vector<u32> depth(tree.size(), 0);
  for (std::size_t i = 1; i < tree.size(); ++i) depth[i] = depth[static_cast<std::size_t>(tree.parent[i])] + 1;
  return depth;
}

namespace {

// Whether the classes of two nodes have the same shares.
bool alike(const Tree& tree, std::size_t a, std::size_t b) {
  const Tree::Range one = tree.classes(a);
  const Tree::Range two = tree.classes(b);
  if (one.size() != two.size()) return false;
  double total_one = 0;
  double total_two = 0;
  for (std::size_t k = 0; k < one.size(); ++k) {
    total_one += tree.class_weight[one.begin + k];
    total_two += tree.class_weight[two.begin + k];
  }
  for (std::size_t k = 0; k < one.size(); ++k) {
    if (tree.class_id[one.begin + k] != tree.class_id[two.begin + k]) return false;
    if (tree.class_weight[one.begin + k] / total_one != tree.class_weight[two.begin + k] / total_two) return false;
  }
  return true;
}

// Whether the label is the class of the largest share, the first of equals.
bool says_most(const Tree& tree, std::size_t i) {
  const Tree::Range classes = tree.classes(i);
  std::size_t best = classes.begin;
  for (std::size_t k = classes.begin; k < classes.end; ++k)
    if (tree.class_weight[k] > tree.class_weight[best]) best = k;
  return static_cast<u32>(tree.label[i]) == tree.class_id[best];
}

}  // namespace

std::vector<u8> mergeable(const Tree& tree) {
  std::vector<u8> ends(tree.size(), 0);  // leaf, or merged into one
  std::vector<u8> cut(tree.size(), 0);
  // A row in fractions gets the class of the largest sum of shares: where fractions may come, leaves must be alike in all shares to be
  // merged.
  std::vector<u8> fractions(tree.size(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i)
    fractions[i] = (!tree.leaf(i) && tree.missing_to[i] == kAllBranches) || (i > 0 && fractions[static_cast<std::size_t>(tree.parent[i])]);
  const auto says_same = [&](std::size_t a, std::size_t b) {
    return tree.n_classes > 0 ? tree.label[a] == tree.label[b] : tree.value[a] == tree.value[b];
  };
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (tree.leaf(i)) {
      ends[i] = 1;
      continue;
    }
    const std::size_t first = tree.first_child[i];
    bool same = true;
    for (std::size_t c = first; c < first + tree.n_children[i]; ++c) same = same && ends[c] && says_same(c, first);
    // The parent must say it too: with losses or ties the majority of the whole may differ from that of every part.
    same = same && says_same(i, first);
    if (fractions[i] && tree.n_classes > 0) {
      same = same && says_most(tree, i);
      for (std::size_t c = first; same && c < first + tree.n_children[i]; ++c) same = alike(tree, c, i);
    }
    ends[i] = cut[i] = same;
  }
  return cut;
}

namespace {

// Keeps of a pool what the kept nodes own, and their offsets; bare nodes own nothing any more.
template <class... Pool>
void repool(const std::vector<u32>& kept, const std::vector<u8>& bare, std::vector<u32>& begin, std::vector<Pool>&... pool) {
  if (begin.empty()) return;
  u32 count = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Tree::Range from = Tree::range(begin, kept[i]);
    begin[i] = count;
    if (!bare.empty() && bare[kept[i]]) continue;
    (std::copy(pool.begin() + static_cast<std::ptrdiff_t>(from.begin), pool.begin() + static_cast<std::ptrdiff_t>(from.end),
               pool.begin() + count),
     ...);
    count += static_cast<u32>(from.size());
  }
  begin[kept.size()] = count;
  begin.resize(count > 0 ? kept.size() + 1 : 0);
  (pool.resize(count), ...);
}

}  // namespace

Tree cut_back(const Tree& tree, const std::vector<u8>& cut) {
  std::vector<u8> gone(tree.size(), 0);
  std::vector<u8> bare(tree.size(), 0);  // owns no split any more
  std::vector<u32> number(tree.size(), 0);
  std::vector<u32> kept;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const auto up = static_cast<std::size_t>(std::max(tree.parent[i], 0));
    gone[i] = i > 0 && (gone[up] || bare[up]);
    bare[i] = cut[i] || tree.leaf(i);
    if (gone[i]) continue;
    number[i] = static_cast<u32>(kept.size());
    kept.push_back(static_cast<u32>(i));
  }
  Tree out = tree;
  out.saved.clear();
  // Kept nodes are in ascending order: every column can be closed up in place.
  const auto thin = [&](auto& column) {
    for (std::size_t i = 0; i < kept.size(); ++i) column[i] = column[kept[i]];
    column.resize(kept.size());
  };
  each_fact_column(out, thin);
  const auto thin_split = [&](auto& column, auto none) {
    for (const u32 i : kept)
      if (bare[i]) column[i] = none;
    thin(column);
  };
  each_split_column(out, thin_split);
  thin_split(out.step, i32{-1});
  thin(out.parent);
  thin(out.first_child);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i > 0) out.parent[i] = static_cast<i32>(number[static_cast<std::size_t>(out.parent[i])]);
    out.first_child[i] = out.leaf(i) ? 0 : number[out.first_child[i]];
  }
  // The steps that remain, numbered anew in their old order.
  std::vector<std::pair<i32, std::size_t>> steps;
  for (std::size_t i = 0; i < out.step.size(); ++i)
    if (out.step[i] >= 0) steps.emplace_back(out.step[i], i);
  std::sort(steps.begin(), steps.end());
  for (std::size_t s = 0; s < steps.size(); ++s) out.step[steps[s].second] = static_cast<i32>(s);
  each_pool([&](auto pool) {
    std::apply([&](auto& begin, auto&... items) { repool(kept, of_split(pool()) ? bare : std::vector<u8>{}, begin, items...); },
               pool_of<pool()>(out));
  });
  return out;
}

Tree weighing(Tree tree, double times, double over) {
  int exponent = 0;
  std::frexp(tree.weight[0] * times / over, &exponent);
  const int grid = 49 - exponent;  // finer than any quantum, coarser than the rounding
  // Divided weights are such sums where all rows weigh the same; others may look like one by chance, which is undone on the way back.
  const double off = (over == 1 ? 8 : 1) * std::numeric_limits<double>::epsilon();
  for (std::vector<double>* weights : {&tree.weight, &tree.class_weight, &tree.surrogate_sent}) {
    for (double& weight : *weights) {
      // What has weight keeps some: shares are weights over their sum.
      const double product = std::max(weight * times / over, weight > 0 ? std::numeric_limits<double>::denorm_min() : 0.0);
      const double sum = std::ldexp(std::nearbyint(std::ldexp(product, grid)), -grid);
      // Under priors, and where all rows weigh the same, weights are no such sums.
      weight = std::fabs(sum - product) <= off * product ? sum : product;
    }
  }
  return tree;
}

}  // namespace tw
