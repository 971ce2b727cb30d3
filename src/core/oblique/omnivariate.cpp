// Omnivariate trees (Yildiz and Alpaydin 2001): at every node candidates of several kinds, of which the simplest is taken unless one that
// is less simple is significantly better, by a test on halves of the node's rows or by an information criterion.
#include "oblique/omnivariate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/hash.hpp"
#include "grow/plain/training_row.hpp"
#include "grow/settings.hpp"
#include "oblique/machines.hpp"
#include "stats/tails.hpp"

namespace tw {

CombinedF combined_f(const Differences& differences) {
  double squares = 0;
  double variances = 0;
  for (const auto& [first, second] : differences) {
    const double mean = (first + second) / 2;
    squares += first * first + second * second;
    variances += (first - mean) * (first - mean) + (second - mean) * (second - mean);
  }
  if (!(squares > 0)) return {};
  if (!(variances > 0)) return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  const double f = squares / (2 * variances);
  return {f, log_f_tail(f, 10, 5)};
}

namespace {

constexpr std::size_t kFewestRows = 10;  // of a node that is cut in halves
constexpr std::size_t kRepeats = 5;
constexpr double kRounding = 1e-9;

// A kind of node, from the simplest on.
struct NodeKind {
  std::string name;
  GrowSettings settings;
  std::unique_ptr<Proposer> proposer;
  std::size_t numbers = 0;  // that its tests are made of
};

// Where a row goes; the branch of most rows where its cell is missing, or of a level that the split does not know.
std::size_t branch_in(const Candidate& candidate, const Table& table, Row row) {
  const Split& split = candidate.split;
  i32 branch = kNowhere;
  if (!split.terms.empty()) {
    branch = branch_of_sum(split, {table, row});
  } else {
    const Code code = table.columns[split.column].codes[row];
    branch = code == kMissing ? split.missing_to : branch_of_code(split, code);
  }
  if (branch >= 0 && static_cast<u32>(branch) < split.n_branches) return static_cast<std::size_t>(branch);
  const auto& present = candidate.branch_present;
  return static_cast<std::size_t>(std::max_element(present.begin(), present.end()) - present.begin());
}

class Omnivariate final : public Proposer {
 public:
  Omnivariate(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job)
      : table_(table), searcher_(searcher), job_(job), oblique_(oblique_settings(settings)), features_(table, NodeForm::linear) {
    if (!table.target.nominal()) throw Invalid("omnivariate trees tell classes apart, the target is numbers");
    struct Method {
      const char* kind;
      const char* proposer;
      NodeForm form;
    };
    static constexpr Method kMethods[] = {{"univariate", "columns", NodeForm::linear},
                                          {"linear", "ldt", NodeForm::linear},
                                          {"quadratic", "ldt", NodeForm::quadratic},
                                          {"network", "backprop", NodeForm::network}};
    kinds_.reserve(std::size(kMethods));
    for (const Method& method : kMethods) {
      if (std::find(oblique_.kinds.begin(), oblique_.kinds.end(), method.kind) == oblique_.kinds.end()) continue;
      const std::size_t features = method.form == NodeForm::quadratic ? Features(table, method.form).size() : features_.size();
      const std::size_t each = features + 1;  // of a sum, with its constant
      const bool network = method.form == NodeForm::network;
      kinds_.push_back({method.kind, settings, nullptr, network ? hidden_of(oblique_, features) * (each + 1) + 1 : each});
      auto own = std::make_shared<ObliqueSettings>(oblique_);
      own->node = method.form;
      kinds_.back().settings.oblique = std::move(own);
      kinds_.back().proposer = Registry<ProposerEntry>::find(method.proposer)->make(table, kinds_.back().settings, searcher, job);
    }
    if (kinds_.empty()) throw Invalid("there are no kinds of nodes to choose from");
  }

  void propose(const NodeView& node, std::span<Scratch* const> spaces, Proposals& out) const override {
    auto chosen = oblique_.choice == KindChoice::test ? by_test(node, spaces) : by_information(node, spaces);
    if (chosen) out.candidates.push_back(std::move(*chosen));
  }

  std::optional<Candidate> refit(const Candidate& candidate, const NodeView& node, Scratch& space) const override {
    return kinds_[candidate.split.terms.empty() ? 0 : kinds_.size() - 1].proposer->refit(candidate, node, space);
  }

 private:
  // The best of what one kind offers: the first of the largest rank.
  static std::optional<Candidate> best(const Proposer& proposer, const NodeView& node, std::span<Scratch* const> spaces) {
    for (Scratch* space : spaces) space->prepared = false;
    Proposals offered;
    proposer.propose(node, spaces, offered);
    std::optional<Candidate> out;
    for (Candidate& one : offered.candidates)
      if (!one.sketch && (!out || one.rank > out->rank * (1 + 1e-10))) out = std::move(one);
    return out;
  }

  // The first of the kinds, from one on, that offers anything.
  std::optional<Candidate> first(std::size_t from, const NodeView& node, std::span<Scratch* const> spaces) const {
    for (std::size_t k = from + 1; k-- > 0;)
      if (auto found = best(*kinds_[k].proposer, node, spaces)) return found;
    for (std::size_t k = from + 1; k < kinds_.size(); ++k)
      if (auto found = best(*kinds_[k].proposer, node, spaces)) return found;
    return std::nullopt;
  }

  std::optional<Candidate> by_test(const NodeView& node, std::span<Scratch* const> spaces) const {
    if (node.rows.rows.size() < kFewestRows || kinds_.size() == 1) return first(0, node, spaces);
    std::vector<std::array<NodeRows, 2>> halves;
    for (std::size_t r = 0; r < kRepeats; ++r) halves.push_back(halved(node, r));
    std::size_t chosen = 0;
    Differences least = errors(kinds_[0], node, halves, spaces, {});
    for (std::size_t k = 1; k < kinds_.size(); ++k) {
      if (sum(least) <= 0) break;  // nothing errs less
      // As many numbers as rows fit any classes.
      if (std::min(halves[0][0].rows.size(), halves[0][1].rows.size()) <= kinds_[k].numbers) continue;
      const Differences here = errors(kinds_[k], node, halves, spaces, least);
      Differences off{};
      for (std::size_t r = 0; r < kRepeats; ++r)
        for (std::size_t half = 0; half < 2; ++half) off[r][half] = least[r][half] - here[r][half];
      if (!(sum(off) > 0) || !(combined_f(off).log_chance < std::log(oblique_.alpha))) continue;
      chosen = k;
      least = here;
    }
    return first(chosen, node, spaces);
  }

  static double sum(const Differences& of) {
    double out = 0;
    for (const auto& pair : of)
      for (const double each : pair) out += each;
    return out;
  }

  // How a kind errs on every half after learning from the other. `least`: errors that it has to stay below, in the sum; what is no longer
  // needed to tell that it does not is left out, and counts as an error.
  Differences errors(const NodeKind& kind, const NodeView& node, const std::vector<std::array<NodeRows, 2>>& halves,
                     std::span<Scratch* const> spaces, const std::optional<Differences>& least) const {
    Differences out{};
    for (auto& pair : out) pair = {1, 1};
    double ahead = least ? sum(*least) : 0;  // of errors less than the least, if it made no more
    for (std::size_t r = 0; r < kRepeats; ++r)
      for (std::size_t half = 0; half < 2; ++half) {
        job_.check();
        if (least && ahead < -kRounding) return out;
        const NodeRows& growing = halves[r][half];
        NodeTargets targets;
        searcher_.read(growing, targets);
        targets.path = mix(node.path, 2 * r + half);
        const NodeView view{growing, targets, targets.path, node.spent, node.depth};
        std::optional<Candidate> found;
        if (!targets.pure) found = best(*kind.proposer, view, spaces);
        ahead -= out[r][half] = error(found, growing, halves[r][1 - half]);
      }
    return out;
  }

  // Rows of a node in two halves that hold as many of every class, in an order that depends on what stands in the rows.
  std::array<NodeRows, 2> halved(const NodeView& node, std::size_t repeat) const {
    const NodeMatrix rows = features_.read(node.rows, node.targets, {});
    std::vector<u8> next(rows.n_classes, 0);
    for (std::size_t k = 0; k < next.size(); ++k) next[k] = k % 2;
    std::array<NodeRows, 2> out;
    for (const u32 i : drawn_order(rows, mix(node.path, 0x5c2 + repeat))) {
      NodeRows& half = out[next[rows.labels[i]]];
      next[rows.labels[i]] ^= 1;
      half.rows.push_back(node.rows.rows[i]);
      half.weights.push_back(node.rows.weights[i]);
    }
    return out;
  }

  u32 label(Row row) const { return table_.target.class_of[row]; }

  // The share of the others that the branches of a candidate call wrong, each by its commonest class.
  double error(const std::optional<Candidate>& candidate, const NodeRows& growing, const NodeRows& others) const {
    const std::size_t n = candidate ? candidate->split.n_branches : 1;
    const std::size_t k = table_.target.n_classes;
    const auto branch = [&](Row row) { return candidate ? branch_in(*candidate, table_, row) : 0; };
    std::vector<i64> counts(n * k, 0);
    for (std::size_t i = 0; i < growing.rows.size(); ++i)
      counts[branch(growing.rows[i]) * k + label(growing.rows[i])] += growing.weights[i];
    std::vector<i64> all(k, 0);
    for (std::size_t c = 0; c < counts.size(); ++c) all[c % k] += counts[c];
    const auto most = [](auto begin, auto end) { return static_cast<u32>(std::max_element(begin, end) - begin); };
    std::vector<u32> says(n);
    for (std::size_t b = 0; b < n; ++b) {
      const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(b * k);
      const auto end = begin + static_cast<std::ptrdiff_t>(k);
      says[b] = std::all_of(begin, end, [](i64 x) { return x == 0; }) ? most(all.begin(), all.end()) : most(begin, end);
    }
    double wrong = 0;
    double total = 0;
    for (std::size_t i = 0; i < others.rows.size(); ++i) {
      const auto weight = static_cast<double>(others.weights[i]);
      total += weight;
      if (says[branch(others.rows[i])] != label(others.rows[i])) wrong += weight;
    }
    return total > 0 ? wrong / total : 0;
  }

  // Akaike's criterion, -2 ln L + 2 p, or Schwarz's, -2 ln L + p ln n: L is the likelihood of the classes by their shares in the branches,
  // p the numbers that the test is made of.
  std::optional<Candidate> by_information(const NodeView& node, std::span<Scratch* const> spaces) const {
    std::optional<Candidate> out;
    double least = 0;
    double rows = 0;
    for (const i64 weight : node.rows.weights) rows += table_.weights.plain(weight);
    const double each = oblique_.choice == KindChoice::aic ? 2 : std::log(std::max(rows, 1.0));
    for (const NodeKind& kind : kinds_) {
      job_.check();
      auto found = best(*kind.proposer, node, spaces);
      if (!found) continue;
      const double here = -2 * log_likelihood(*found, node.rows) + each * static_cast<double>(numbers(found->split));
      if (out && !(here < least - 1e-9 * std::abs(least))) continue;
      least = here;
      out = std::move(found);
    }
    return out;
  }

  static std::size_t numbers(const Split& split) {
    std::size_t out = split.terms.size() + std::max<std::size_t>(split.cuts.size(), split.levels.size());
    for (const ScorePart& part : split.parts) out += part.squashed != 0 ? 2 : 1;
    return split.terms.empty() ? out + 1 : out;  // which column it is
  }

  double log_likelihood(const Candidate& candidate, const NodeRows& node) const {
    const std::size_t k = table_.target.n_classes;
    std::vector<double> counts(candidate.split.n_branches * k, 0.0);
    for (std::size_t i = 0; i < node.rows.size(); ++i)
      counts[branch_in(candidate, table_, node.rows[i]) * k + label(node.rows[i])] += table_.weights.plain(node.weights[i]);
    double out = 0;
    for (std::size_t b = 0; b < candidate.split.n_branches; ++b) {
      double all = 0;
      for (std::size_t c = 0; c < k; ++c) all += counts[b * k + c];
      for (std::size_t c = 0; c < k; ++c)
        if (counts[b * k + c] > 0) out += counts[b * k + c] * std::log(counts[b * k + c] / all);
    }
    return out;
  }

  const Table& table_;
  const Searcher& searcher_;
  JobControl& job_;
  const ObliqueSettings oblique_;
  const Features features_;
  std::vector<NodeKind> kinds_;
};

std::unique_ptr<Proposer> make(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job) {
  return std::make_unique<Omnivariate>(table, settings, searcher, job);
}

const Enrol<ProposerEntry> enrol({"omnivariate", "one column, a discriminant or a network, by a test", &make});

}  // namespace

}  // namespace tw
