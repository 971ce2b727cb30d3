// Offers the best split of every column, or of a random draw of them (max_features). Where entropies are compared, the column that is going
// to be chosen is first looked for among estimates, and then searched alone.
#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "grow/column_draw.hpp"
#include "grow/interactions.hpp"
#include "grow/limits.hpp"
#include "grow/shortcuts/entropy_estimator.hpp"
#include "search/proposer.hpp"

namespace tw {

namespace {

class EachColumn final : public Proposer {
 public:
  EachColumn(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job)
      : table_(table), settings_(settings), searcher_(searcher), job_(job) {
    if (EntropyEstimator::applies(table, settings)) estimator_.emplace(table, settings, searcher);
  }

  void propose(const NodeView& node, std::span<Scratch* const> spaces, Proposals& out) const override {
    const std::vector<Column> columns = open_columns(node);
    const bool draw = settings_.max_features > 0 && settings_.max_features < columns.size();
    const bool alone = spaces.size() == 1;
    if (alone)
      searcher_.prepare(node.rows, node.targets, draw ? std::vector<Column>{} : columns, *spaces[0]);
    else
      for (Scratch* space : spaces) space->prepared = false;
    if (estimator_ && alone && predicted(node, columns, *spaces[0], out)) return;
    std::vector<Candidate> found;
    const auto look_at = [&](std::span<const Column> some) {
      std::vector<std::optional<Candidate>> slots(some.size());
      for_each(slots.size(), static_cast<unsigned>(spaces.size()), [&](std::size_t i, unsigned worker) {
        job_.check();
        slots[i] = searcher_.best(node.rows, node.targets, some[i], *spaces[worker]);
      });
      for (auto& slot : slots)
        if (slot && all_heavy(settings_, table_, *slot)) found.push_back(std::move(*slot));
    };
    if (!draw) {
      look_at(columns);
    } else {
      // If the sampled columns give no candidate, sample more.
      ColumnDraw drawn;
      drawn.start(columns, node.path);
      while (found.empty() && drawn.any_left()) look_at(drawn.next(settings_.max_features));
    }
    std::move(found.begin(), found.end(), std::back_inserter(out.candidates));
  }

  std::optional<Candidate> refit(const Candidate& candidate, const NodeView& node, Scratch& space) const override {
    space.prepared = false;
    return searcher_.best(node.rows, node.targets, candidate.split.column, space);
  }

 private:
  std::vector<Column> open_columns(const NodeView& node) const {
    std::vector<Column> columns;
    if (node.open != nullptr) {
      columns = node.open->columns;
    } else {
      columns.resize(table_.columns.size());
      std::iota(columns.begin(), columns.end(), Column{0});
    }
    std::erase_if(columns, [&](Column j) { return std::find(node.spent.begin(), node.spent.end(), j) != node.spent.end(); });
    return columns;
  }

  // Whether estimates alone tell what would be chosen.
  bool predicted(const NodeView& node, const std::vector<Column>& columns, Scratch& space, Proposals& out) const {
    const Predicted found = estimator_->look(node.rows, node.targets, columns, space);
    if (!found.certain) return false;
    if (!found.column) return true;
    auto one = settings_.early_pruning ? estimator_->sketch(found, node.rows, node.targets, space) : std::nullopt;
    if (!one) one = searcher_.best(node.rows, node.targets, *found.column, space);
    if (!one) return false;
    out.candidates.push_back(std::move(*one));
    out.settled = true;
    return true;
  }

  const Table& table_;
  const GrowSettings& settings_;
  const Searcher& searcher_;
  JobControl& job_;
  std::optional<EntropyEstimator> estimator_;
};

std::unique_ptr<Proposer> make(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job) {
  return std::make_unique<EachColumn>(table, settings, searcher, job);
}

const Enrol<ProposerEntry> enrol({"columns", "the best split of every column", &make});

}  // namespace

}  // namespace tw
