// Poisson deviance around the mean, for counts and rates.
#include "criteria/poisson.hpp"

#include "grow/enrol.hpp"

#ifdef TREEWRIGHT_SORTED_UNITS

#include "criteria/poisson_scan.hpp"

namespace tw {

namespace {

const EnrolCriterion enrol({"poisson", &grow_sorted<Poisson>, Poisson::kReadsInOrder});

}  // namespace

}  // namespace tw

#else

namespace tw {

namespace {

// Cuts as of any criterion of moments; nodes are described by their deviance.
class PoissonSearch final : public Searcher {
 public:
  PoissonSearch(const Table& table, const SearchSettings& settings) : table_(table), settings_(settings), search_(table, settings) {}

  void read(const NodeRows& node, NodeTargets& targets) const override {
    search_.read(node, targets);
    std::vector<double> values;
    values.reserve(node.rows.size());
    for (const Row row : node.rows) values.push_back(table_.target.value[row]);
    Poisson(targets, settings_, 0).describe(values.data(), node.weights.data(), values.size(), targets);
  }
  void prepare(const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns, Scratch& scratch) const override {
    search_.prepare(node, targets, columns, scratch);
  }
  std::optional<Candidate> best(const NodeRows& node, const NodeTargets& targets, Column column, Scratch& scratch) const override {
    return search_.best(node, targets, column, scratch);
  }

 private:
  const Table& table_;
  const SearchSettings& settings_;
  Search<Poisson> search_;
};

std::unique_ptr<Searcher> make(const Table& table, const SearchSettings& settings) {
  return std::make_unique<PoissonSearch>(table, settings);
}

const Enrol<CriterionEntry> enrol({.name = "poisson",
                                   .summary = "fall of the halved mean Poisson deviance from the mean",
                                   .classes = false,
                                   .make = &make,
                                   .surrogates = false,
                                   .measure = "deviance"});

}  // namespace

}  // namespace tw

#endif
