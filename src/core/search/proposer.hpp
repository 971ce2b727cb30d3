// A proposer sees a node and offers candidates for its split: the best of every column, or splits over several columns. A chooser picks
// among those of all proposers, and may ask one to fit a candidate again on other rows.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/job_control.hpp"
#include "base/registry.hpp"
#include "search/searcher.hpp"

namespace tw {

struct GrowSettings;
struct OpenColumns;

// A node as proposers see it.
struct NodeView {
  const NodeRows& rows;
  const NodeTargets& targets;
  u64 path = 0;                      // a hash of the way from the root: what is drawn at random depends on it alone
  const std::vector<Column>& spent;  // columns that may be used once per path and have been
  u32 depth = 0;
  const OpenColumns* open = nullptr;  // columns that may be asked for, see grow/interactions.hpp; null: all
};

struct Proposals {
  std::vector<Candidate> candidates;
  bool settled = false;  // there is one candidate, and it is the one that would be chosen among all
};

class Proposer {
 public:
  virtual ~Proposer() = default;
  // Adds candidates. `spaces`: work space of the threads that may be used.
  virtual void propose(const NodeView& node, std::span<Scratch* const> spaces, Proposals& out) const = 0;
  // The candidate as it would be if these rows were the node's; nothing where they leave none. `targets` are theirs.
  virtual std::optional<Candidate> refit(const Candidate& candidate, const NodeView& node, Scratch& space) const = 0;
};

struct ProposerEntry {
  std::string name;
  std::string summary;
  std::unique_ptr<Proposer> (*make)(const Table&, const GrowSettings&, const Searcher&, JobControl&) = nullptr;
};

}  // namespace tw
