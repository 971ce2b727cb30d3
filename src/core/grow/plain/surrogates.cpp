// Surrogates of a split, found in the rows of a node.
#include "grow/plain/surrogates.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "grow/plain/training_row.hpp"
#include "search/column_rows.hpp"
#include "search/search.hpp"
#include "search/threshold.hpp"

namespace tw {

namespace {

class Finder {
 public:
  Finder(const Table& table, const NodeRows& node, const Split& split, const GrowSettings& settings)
      : table_(table), node_(node), settings_(settings), count_(table) {
    const EncodedColumn& column = table.columns[split.column];
    side_.resize(node.rows.size());
    for (std::size_t i = 0; i < node.rows.size(); ++i) {
      const Code code = column.codes[node.rows[i]];
      if (!split.terms.empty())
        side_[i] = static_cast<i8>(branch_of_sum(split, {table, node.rows[i]}));
      else
        side_[i] = code == kMissing ? i8{-1} : static_cast<i8>(branch_of_code(split, code));
      if (side_[i] >= 0) all_.add(side_[i], node.weights[i], count_(node.weights[i]));
    }
  }

  const TwoWays& all() const { return all_; }

  FoundSurrogate look(Column j, Scratch& scratch) const {
    const EncodedColumn& column = table_.columns[j];
    const bool few = column.n_codes <= 4 * node_.rows.size() + 16;
    if (column.kind == Kind::nominal && few) {
      const auto [groups, present] = groups_of(column);
      return surrogate_by_levels(j, groups, present, settings_.surrogates);
    }
    const std::vector<u64>& keys = keys_of(j, scratch);
    return column.kind == Kind::nominal ? by_level_runs(j, keys) : by_cut(j, keys);
  }

  Surrogate finish(const FoundSurrogate& one, const NodeTargets& targets, const Searcher& searcher, Scratch& scratch) const {
    const EncodedColumn& column = table_.columns[one.column];
    Surrogate out = surrogate_of(one, all_, settings_.surrogates);
    const std::vector<u64>& keys = keys_of(one.column, scratch);
    if (column.kind == Kind::nominal) {
      each_run(keys, [&](Code code, const TwoWays& level) {
        if (level.all_rows() == 0) return;
        out.levels.push_back(code);
        out.branch_of.push_back(branch_of_level(level, one.present));
      });
    } else {
      const auto value = [&](u64 key) { return column.cells.number(node_.rows[static_cast<u32>(key)]); };
      out.cut = make_cut(settings_.search, value(keys[one.position - 1]), value(keys[one.position]),
                         static_cast<Code>(keys[one.position - 1] >> 32));
    }
    std::vector<i8> branch(node_.rows.size());
    for (std::size_t i = 0; i < branch.size(); ++i) branch[i] = static_cast<i8>(branch_of_code(out, column.codes[node_.rows[i]]));
    out.gain = searcher.gain_of(node_, targets, one.column, branch);
    return out;
  }

 private:
  void add(TwoWays& to, std::size_t i) const {
    if (side_[i] >= 0) to.add(side_[i], node_.weights[i], count_(node_.weights[i]));
  }

  std::pair<std::vector<TwoWays>, TwoWays> groups_of(const EncodedColumn& column) const {
    std::pair<std::vector<TwoWays>, TwoWays> out;
    out.first.resize(column.n_codes);
    for (std::size_t i = 0; i < node_.rows.size(); ++i) {
      const Code code = column.codes[node_.rows[i]];
      if (code == kMissing) continue;
      add(out.first[code], i);
      add(out.second, i);
    }
    return out;
  }

  // Keys of the present rows in order: the node's own list, or made.
  const std::vector<u64>& keys_of(Column j, Scratch& scratch) const {
    if (j < node_.sorted.size() && !node_.sorted[j].empty()) return node_.sorted[j];
    const EncodedColumn& column = table_.columns[j];
    scratch.keys.clear();
    for (std::size_t i = 0; i < node_.rows.size(); ++i) {
      const Code code = column.codes[node_.rows[i]];
      if (code != kMissing) scratch.keys.push_back(u64{code} << 32 | i);
    }
    sort_keys(scratch.keys, scratch.spare, column.n_codes);
    return scratch.keys;
  }

  TwoWays present_of(const std::vector<u64>& keys) const {
    TwoWays present;
    for (const u64 key : keys) add(present, static_cast<u32>(key));
    return present;
  }

  FoundSurrogate by_cut(Column j, const std::vector<u64>& keys) const {
    CutSurrogate cut(j, keys.size() == node_.rows.size() ? all_ : present_of(keys));
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
      const std::size_t instance = static_cast<u32>(keys[i]);
      if (side_[instance] >= 0) cut.move(side_[instance], node_.weights[instance], count_(node_.weights[instance]));
      if (cut.better() && keys[i] >> 32 != keys[i + 1] >> 32) cut.take(i + 1);
    }
    return cut.best();
  }

  template <class Visit>
  void each_run(const std::vector<u64>& keys, Visit&& visit) const {
    for (std::size_t i = 0; i < keys.size();) {
      TwoWays level;
      const u64 code = keys[i] >> 32;
      for (; i < keys.size() && keys[i] >> 32 == code; ++i) add(level, static_cast<u32>(keys[i]));
      visit(static_cast<Code>(code), level);
    }
  }

  FoundSurrogate by_level_runs(Column j, const std::vector<u64>& keys) const {
    std::vector<TwoWays> levels;
    each_run(keys, [&](Code, const TwoWays& level) { levels.push_back(level); });
    return surrogate_by_levels(j, levels, present_of(keys), settings_.surrogates);
  }

  const Table& table_;
  const NodeRows& node_;
  const GrowSettings& settings_;
  const RowCount count_;
  std::vector<i8> side_;  // branch of each instance, -1 where its cell is missing
  TwoWays all_;
};

}  // namespace

std::vector<Surrogate> find_surrogates(const Table& table, const NodeRows& node, const NodeTargets& targets, const Split& split,
                                       const GrowSettings& settings, const Searcher& searcher, const std::vector<Scratch*>& scratch) {
  std::vector<Surrogate> out;
  if (settings.surrogates.most == 0 || node.rows.size() < 2) return out;
  const Finder finder(table, node, split, settings);
  if (finder.all().all_rows() < 4) return out;  // two rows each way
  std::vector<FoundSurrogate> found(table.columns.size());
  for_each(found.size(), static_cast<unsigned>(scratch.size()), [&](std::size_t j, unsigned worker) {
    const auto tests_it = [&](const DerivedTerm& term) { return term.column == j; };
    if (j != split.column && std::none_of(split.terms.begin(), split.terms.end(), tests_it))
      found[j] = finder.look(static_cast<Column>(j), *scratch[worker]);
  });
  for (const FoundSurrogate& one : ranked(std::move(found), finder.all(), settings.surrogates))
    out.push_back(finder.finish(one, targets, searcher, *scratch[0]));
  return out;
}

}  // namespace tw
