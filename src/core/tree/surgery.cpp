// Cutting a tree back and what can be read off it as a whole. Children come after their parent, so one pass forwards or
// backwards over the nodes does what a recursion would.
#include <algorithm>

#include "tree/tree.hpp"

namespace tw {

std::vector<u32> depths(const Tree& tree) {
  std::vector<u32> depth(tree.size(), 0);
  for (std::size_t i = 1; i < tree.size(); ++i) depth[i] = depth[static_cast<std::size_t>(tree.parent[i])] + 1;
  return depth;
}

std::vector<u8> mergeable(const Tree& tree) {
  std::vector<u8> ends(tree.size(), 0);  // leaf, or merged into one
  std::vector<u8> cut(tree.size(), 0);
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (tree.leaf(i)) {
      ends[i] = 1;
      continue;
    }
    const std::size_t first = tree.first_child[i];
    bool same = true;
    for (std::size_t c = first; c < first + tree.n_children[i]; ++c)
      same = same && ends[c] && tree.label[c] == tree.label[first] && tree.value[c] == tree.value[first];
    // The parent must say it too: with losses or ties the majority of the whole may differ from that of every part.
    same = same && tree.label[i] == tree.label[first] && (tree.n_classes > 0 || tree.value[i] == tree.value[first]);
    ends[i] = cut[i] = same;
  }
  return cut;
}

std::vector<double> importances(const Tree& tree) {
  std::vector<double> total(tree.columns.size(), 0);
  const double root = tree.weight[0];
  // In units of the largest gain, so that those of huge targets do not overflow in their sum.
  const double largest = *std::max_element(tree.gain.begin(), tree.gain.end());
  if (!(largest > 0)) return total;
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (!tree.leaf(i)) total[static_cast<std::size_t>(tree.column[i])] += tree.weight[i] / root * (tree.gain[i] / largest);
  return total;
}

namespace {

// Copies what the kept nodes own in one pool and writes the new offsets.
template <class Copy>
std::vector<u64> repool(const std::vector<u32>& kept, const std::vector<u64>& begin, const std::vector<u8>& bare, Copy copy) {
  std::vector<u64> offsets{0};
  offsets.reserve(kept.size() + 1);
  u64 count = 0;
  for (const u32 node : kept) {
    if (bare.empty() || !bare[node])
      for (u64 i = begin[node]; i < begin[node + 1]; ++i, ++count) copy(i);
    offsets.push_back(count);
  }
  return offsets;
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
  Tree out;
  out.n_classes = tree.n_classes;
  out.columns = tree.columns;
  const auto take = [&](auto& to, const auto& from) {
    to.reserve(kept.size());
    for (const u32 i : kept) to.push_back(from[i]);
  };
  const auto take_or = [&](auto& to, const auto& from, auto none) {
    to.reserve(kept.size());
    for (const u32 i : kept) to.push_back(bare[i] ? none : from[i]);
  };
  take(out.label, tree.label);
  take(out.value, tree.value);
  take(out.weight, tree.weight);
  take(out.impurity, tree.impurity);
  take_or(out.gain, tree.gain, 0.0);
  take_or(out.n_children, tree.n_children, u32{0});
  take_or(out.family, tree.family, u8{0});
  take_or(out.strict, tree.strict, u8{0});
  take_or(out.column, tree.column, i32{-1});
  take_or(out.otherwise, tree.otherwise, kNowhere);
  take_or(out.missing_to, tree.missing_to, kNowhere);
  take_or(out.missing_seen, tree.missing_seen, u8{0});
  take_or(out.step, tree.step, i32{-1});
  for (const u32 i : kept) {
    out.parent.push_back(i == 0 ? -1 : static_cast<i32>(number[static_cast<std::size_t>(tree.parent[i])]));
    out.first_child.push_back(bare[i] ? 0 : number[tree.first_child[i]]);
  }
  // The steps that remain, numbered anew in their old order.
  std::vector<std::pair<i32, std::size_t>> steps;
  for (std::size_t i = 0; i < out.step.size(); ++i)
    if (out.step[i] >= 0) steps.emplace_back(out.step[i], i);
  std::sort(steps.begin(), steps.end());
  for (std::size_t s = 0; s < steps.size(); ++s) out.step[steps[s].second] = static_cast<i32>(s);
  out.cut_begin = repool(kept, tree.cut_begin, bare, [&](u64 i) {
    out.cut_at.push_back(tree.cut_at[i]);
    out.cut_below.push_back(tree.cut_below[i]);
    out.cut_above.push_back(tree.cut_above[i]);
  });
  out.level_begin = repool(kept, tree.level_begin, bare, [&](u64 i) {
    out.level.push_back(tree.level[i]);
    out.level_branch.push_back(tree.level_branch[i]);
  });
  out.class_begin = repool(kept, tree.class_begin, {}, [&](u64 i) {
    out.class_id.push_back(tree.class_id[i]);
    out.class_weight.push_back(tree.class_weight[i]);
  });
  out.weighed_begin = repool(kept, tree.weighed_begin, {}, [&](u64 i) { out.weighed.push_back(tree.weighed[i]); });
  return out;
}

}  // namespace tw
