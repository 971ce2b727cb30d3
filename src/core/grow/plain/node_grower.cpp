// The plain engine node by node.
#include "grow/plain/node_grower.hpp"

#include "grow/grow.hpp"
#include "grow/limits.hpp"
#include "grow/plain/engine.hpp"
#include "grow/shortcuts/shrinking_rows.hpp"

namespace tw {

NodeGrower::NodeGrower(Table table, GrowSettings settings, JobControl& job) : table_(std::move(table)), settings_(std::move(settings)) {
  fit_settings(table_, settings_);
  settings_.early_pruning.reset();
  settings_.threads = 1;
  prepare_columns(table_, settings_);
  engine_ = std::make_unique<PlainEngine>(table_, settings_, job);
  left_ = std::make_unique<ShrinkingRows>(table_, settings_);
}

NodeGrower::~NodeGrower() = default;
PlainNode NodeGrower::root() const { return engine_->root(left_->rest()); }
void NodeGrower::take(std::span<const Row> rows, std::span<const i64> weights) { left_->take(rows, weights); }
void NodeGrower::read(const PlainNode& node, NodeTargets& targets) const { engine_->read(node, targets); }

std::optional<Candidate> NodeGrower::examine(PlainNode& node, NodeTargets& targets) {
  if (node.depth == 0) {
    engine_->read(node, targets);
    targets.path = node.path;
    if (stops(settings_, node.depth, targets)) return std::nullopt;
    ShrinkingRows::Look found = left_->look(node.rows, targets, space_);
    if (found.certain) {
      const double all = table_.weights.plain(table_.weights.total);
      if (found.chosen && !enough(settings_, *found.chosen, targets.facts.weight, all)) return std::nullopt;
      return std::move(found.chosen);
    }
  }
  Builder unused(table_.target.n_classes);
  node.node = 0;
  PlainEngine::Spaces spaces(&space_, 1);
  auto chosen = engine_->examine(node, unused, spaces);
  std::swap(targets, space_.targets);
  return chosen;
}

std::vector<PlainNode> NodeGrower::divide(PlainNode& node, const NodeTargets& targets, Candidate& chosen) {
  return engine_->branches(node, targets, chosen);
}

}  // namespace tw
