// Summarises the rows of each piece, adds the summaries up, and chooses.
#include "search/pieces.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace tw {

std::optional<Candidate> best_of_pieces(const Searcher& searcher, const NodeRows& node, Column column, std::span<const i64> piece_of) {
  if (!piece_of.empty() && piece_of.size() != node.rows.size()) throw Invalid("there are not as many pieces as rows");
  NodeTargets targets;
  Scratch scratch;
  searcher.read(node, targets);
  if (piece_of.empty()) return searcher.best(node, targets, column, scratch);
  ColumnSummary sum;
  const i64 pieces = *std::max_element(piece_of.begin(), piece_of.end()) + 1;
  for (i64 piece = 0; piece < pieces; ++piece) {
    NodeRows some;
    NodeTargets own = targets;
    own.classes_of.clear();
    own.steps_of.clear();
    for (std::size_t i = 0; i < node.rows.size(); ++i) {
      if (piece_of[i] != piece) continue;
      some.rows.push_back(node.rows[i]);
      some.weights.push_back(node.weights[i]);
      if (!targets.classes_of.empty()) own.classes_of.push_back(targets.classes_of[i]);
      if (!targets.steps_of.empty()) own.steps_of.push_back(targets.steps_of[i]);
    }
    sum.add(searcher.summarise(some, own, column, scratch));
  }
  return searcher.choose(sum, targets, column);
}

}  // namespace tw
