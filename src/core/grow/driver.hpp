// The loop that grows a tree, whatever engine looks at the nodes: take a node from the frontier, examine it, divide it, push its branches.
// Large nodes are examined by all threads together; small subtrees are grown whole, each by one thread, and grafted. A node's split
// depends on its rows and path alone, so neither changes the tree.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/job_control.hpp"
#include "base/parallel.hpp"
#include "grow/frontier.hpp"
#include "grow/settings.hpp"
#include "tree/builder.hpp"

namespace tw {

// What an engine is asked for. `Spaces` is its work space: of one thread, or of all that may work on a node together.
template <class Engine, class Spaces>
concept GrowsNodes = requires(Engine& engine, typename Engine::Node& node, Candidate& chosen, Builder& builder, Spaces& spaces) {
  // Describes the node and finds its split; nothing if it is to be a leaf.
  { engine.examine(node, builder, spaces) } -> std::same_as<std::optional<Candidate>>;
  // Makes the branches and adds those that are to be grown, in the order of `add_in_order`.
  engine.divide(node, chosen, builder, spaces, [](typename Engine::Node) {});
  // A node that was examined ends as a leaf.
  engine.end(node, builder, spaces);
  // Describes a node that will not be examined.
  engine.describe(node, builder, spaces);
  { engine.urgency(node, chosen, spaces) } -> std::same_as<double>;
  { engine.rows(node) } -> std::same_as<std::size_t>;
};

// Hands branches over so that they are examined from the first to the last: depth first the first comes last, to be taken next.
template <class Nodes, class Add>
void add_in_order(Order order, Nodes& nodes, const Add& add) {
  const std::size_t n = std::size(nodes);
  for (std::size_t i = 0; i < n; ++i) add(std::move(nodes[order == Order::depth_first ? n - 1 - i : i]));
}

template <class Node>
struct SetAside {
  std::size_t most_rows = 0;  // nodes of at most so many rows are not grown here
  std::vector<Node> nodes;
};

template <class Engine, class Spaces>
  requires GrowsNodes<Engine, Spaces>
void grow_below(Engine& engine, typename Engine::Node root, Builder& builder, Spaces& spaces, const GrowSettings& settings, JobControl& job,
                SetAside<typename Engine::Node>* aside = nullptr) {
  using Node = typename Engine::Node;
  Frontier<Node> frontier(settings.order());
  const auto add = [&](Node node) {
    typename Frontier<Node>::Entry entry{std::move(node), nullptr, 0};
    if (frontier.ranks()) {
      auto chosen = engine.examine(entry.node, builder, spaces);
      if (!chosen) return engine.end(entry.node, builder, spaces);
      entry.urgency = engine.urgency(entry.node, *chosen, spaces);
      entry.chosen = std::make_unique<Candidate>(std::move(*chosen));
    }
    frontier.push(std::move(entry));
  };
  if (settings.max_leaves == 1) return engine.describe(root, builder, spaces);
  u64 leaves = 1;
  add(std::move(root));
  while (auto entry = frontier.pop()) {
    Node& node = entry->node;
    if (aside != nullptr && engine.rows(node) <= aside->most_rows) {
      aside->nodes.push_back(std::move(node));
      continue;
    }
    std::optional<Candidate> chosen;
    if (entry->chosen)
      chosen = std::move(*entry->chosen);
    else
      chosen = engine.examine(node, builder, spaces);
    if (!chosen) {
      engine.end(node, builder, spaces);
      continue;
    }
    // A split that would make too many leaves is passed over; a smaller one may still fit.
    const u64 more = chosen->split.n_branches - 1;
    if (settings.max_leaves > 0 && leaves + more > settings.max_leaves) {
      job.done += engine.rows(node);
      continue;
    }
    leaves += more;
    engine.divide(node, *chosen, builder, spaces, add);
  }
}

// Grows the subtrees that were set aside, the largest first, and puts them in their places. `grow_piece(node, builder, worker)` grows one
// from the node of the builder that `node` names: one thread grows straight into the tree, several need trees of their own.
template <class Node, class Rows, class GrowPiece>
void grow_pieces(std::vector<Node> pieces, Builder& builder, u32 n_classes, unsigned threads, const Rows& rows,
                 const GrowPiece& grow_piece) {
  std::stable_sort(pieces.begin(), pieces.end(), [&](const Node& a, const Node& b) { return rows(a) > rows(b); });
  if (threads <= 1) {
    for (Node& piece : pieces) grow_piece(std::move(piece), builder, 0U);
    return;
  }
  std::vector<u32> places;
  for (const Node& piece : pieces) places.push_back(piece.node);
  std::vector<Builder> grown(pieces.size(), Builder(n_classes));
  for_each(pieces.size(), threads, [&](std::size_t i, unsigned worker) {
    pieces[i].node = 0;
    grow_piece(std::move(pieces[i]), grown[i], worker);
  });
  for (std::size_t i = 0; i < grown.size(); ++i) builder.graft(places[i], std::move(grown[i]));
}

}  // namespace tw
