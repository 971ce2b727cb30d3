// Limits applied to a grown tree: what they would have stopped while it grew ends now.
#include "base/errors.hpp"
#include "prune/pruner.hpp"

namespace tw {

namespace {

Plan plan(const PruneInput& input) {
  const std::optional<double> max_depth = input.options.maybe("max_depth");
  const std::optional<double> min_weight = input.options.maybe("min_samples");
  const std::optional<double> min_gain = input.options.maybe("min_merit");
  if (!max_depth && !min_weight && !min_gain)
    throw Invalid("'limits' without a limit changes nothing: give max_depth=, min_samples= or min_merit=");
  const Tree& tree = input.tree;
  const std::vector<u32> depth = depths(tree);
  std::vector<u8> ends(tree.size(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i)
    ends[i] = !tree.leaf(i) &&
              ((max_depth && depth[i] >= *max_depth) || tree.weight[i] < min_weight.value_or(0) || tree.gain[i] < min_gain.value_or(0));
  return {tree, ends};
}

const Enrol<PrunerEntry> enrol({
    .name = "limits",
    .summary = "limits of depth, weight and gain, applied afterwards: what they would have stopped while the tree grew ends now",
    .errors = ErrorsNeeded::any,
    .options = {{.name = "max_depth",
                 .doc = "nodes of this depth are leaves",
                 .kind = OptionKind::whole,
                 .allowed = "a whole number from 0 up, or None"},
                {.name = "min_samples", .doc = "nodes of less weight are not split"},
                {.name = "min_merit", .doc = "splits of less gain are undone, with all below them"}},
    .plan = &plan,
});

}  // namespace

}  // namespace tw
