// The plain engine node by node.
#include "grow/plain/node_grower.hpp"

#include "grow/grow.hpp"
#include "grow/plain/engine.hpp"

namespace tw {

NodeGrower::NodeGrower(Table table, GrowSettings settings, JobControl& job) : table_(std::move(table)), settings_(std::move(settings)) {
  fit_settings(table_, settings_);
  settings_.early_pruning.reset();
  settings_.threads = 1;
  prepare_columns(table_, settings_);
  engine_ = std::make_unique<PlainEngine>(table_, settings_, job);
}

NodeGrower::~NodeGrower() = default;
PlainNode NodeGrower::root(NodeRows rows) const { return engine_->root(std::move(rows)); }
void NodeGrower::read(const PlainNode& node, NodeTargets& targets) const { engine_->read(node, targets); }

std::optional<Candidate> NodeGrower::examine(PlainNode& node, NodeTargets& targets) {
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
