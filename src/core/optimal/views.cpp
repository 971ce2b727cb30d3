// Columns as views, and tests of two groups joined to longer ones.
#include "optimal/views.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <string>

#include "base/errors.hpp"

namespace tw {

namespace {

// Codes that begin a new group, ascending: where each value is a group, or at the quantiles of the rows.
std::vector<u32> groups_of_codes(const EncodedColumn& column, const Table& table, u32 most_cuts) {
  std::vector<u32> group(column.n_codes);
  std::iota(group.begin(), group.end(), 0U);
  if (most_cuts == 0 || column.n_codes <= most_cuts + 1) return group;
  std::vector<double> weight(column.n_codes, 0);
  double all = 0;
  for (Row row = 0; row < table.n_rows; ++row)
    if (column.codes[row] != kMissing) {
      weight[column.codes[row]] += static_cast<double>(table.weights[row]);
      all += static_cast<double>(table.weights[row]);
    }
  double below = 0;
  u32 at = 0;
  u32 passed = 0;  // quantiles
  for (u32 code = 0; code < column.n_codes; ++code) {
    group[code] = at;
    below += weight[code];
    const u32 now = static_cast<u32>(below / all * (most_cuts + 1) + 1e-9);
    if (now > passed && code + 1 < column.n_codes) ++at;
    passed = std::max(passed, now);
  }
  return group;
}

class Maker {
 public:
  Maker(const Table& table, const OptimalSettings& settings, Meter& meter) : table_(table), settings_(settings), meter_(meter) {
    const bool majority = settings.search.missing == Missing::majority;
    for (const EncodedColumn& column : table.columns) out_.by_majority = out_.by_majority || (majority && column.n_missing > 0);
  }

  Views make() && {
    for (Column j = 0; j < table_.columns.size(); ++j) {
      const EncodedColumn& column = table_.columns[j];
      if (!meter_.goes_on(table_.n_rows)) break;
      if (column.kind == Kind::numeric)
        numeric(column, j);
      else
        nominal(column, j);
    }
    if (!out_.by_majority && !meter_.stopped()) join_pairs();
    if (meter_.stopped()) out_.each.clear();
    return std::move(out_);
  }

 private:
  u32 add(Test test) {
    out_.tests.push_back(std::move(test));
    return static_cast<u32>(out_.tests.size() - 1);
  }

  void numeric(const EncodedColumn& column, Column j) {
    const std::vector<u32> group = groups_of_codes(column, table_, settings_.max_thresholds);
    if (column.n_missing == 0) return thresholds(column, j, group, false);
    thresholds(column, j, group, true);
    thresholds(column, j, group, false);
  }

  void thresholds(const EncodedColumn& column, Column j, const std::vector<u32>& group, bool missing_first) {
    TestView view;
    std::vector<u32> of_row;
    const bool holes = column.n_missing > 0;
    const u32 n = group.empty() ? 0 : group.back() + 1;
    const u32 first = holes && missing_first ? 1 : 0;
    of_row.reserve(table_.n_rows);
    for (Row row = 0; row < table_.n_rows; ++row) {
      const Code code = column.codes[row];
      of_row.push_back(code == kMissing ? (missing_first ? 0 : n) : group[code] + first);
    }
    // Whether there is a value at all: branch 0 if so.
    if (first == 1 && n > 0 && settings_.search.missing == Missing::learned)
      view.borders.push_back({add({j, Family::presence, 0, false, {}}), true});
    else if (first == 1)
      for (u32& g : of_row) g = std::max(g, 1U) - 1;  // no test of its own: with the lowest values
    for (Code code = 0; code + 1 < column.n_codes; ++code)
      if (group[code] != group[code + 1]) view.borders.push_back({add({j, Family::threshold, code, missing_first, {}}), false});
    if (holes && !missing_first)
      for (u32& g : of_row) g = std::min(g, n == 0 ? 0 : n - 1);
    view.n_groups = static_cast<u32>(view.borders.size()) + 1;
    if (view.n_groups == 1) return;
    give(view, std::move(of_row));
    out_.each.push_back(std::move(view));
  }

  static void give(TestView& view, std::vector<u32> of_row) {
    if (view.n_groups <= TestView::kFew)
      view.few.assign(of_row.begin(), of_row.end());
    else
      view.many = std::move(of_row);
  }

  void nominal(const EncodedColumn& column, Column j) {
    std::vector<Code> levels;
    for (Code level = 0; level < column.n_codes; ++level)
      if (column.seen[level] != 0) levels.push_back(level);
    const bool holes = column.n_missing > 0;
    std::vector<std::vector<Code>> sets;
    if (settings_.search.nominal == Family::subset) {
      if (levels.size() > settings_.max_subset_levels)
        throw Invalid("column " + std::to_string(j) + " has " + std::to_string(levels.size()) + " levels");  // refused by name before
      // The first level is always in branch 0, and never all of them are.
      const u64 others = levels.empty() ? 0 : (u64{1} << (levels.size() - 1)) - 1;
      for (u64 set = 0; set < others; ++set) {
        std::vector<Code> chosen{levels[0]};
        for (std::size_t i = 1; i < levels.size(); ++i)
          if ((set >> (i - 1)) & 1) chosen.push_back(levels[i]);
        sets.push_back(std::move(chosen));
      }
    } else if (levels.size() > 1) {
      for (const Code level : levels) sets.push_back({level});
    }
    const Family family = settings_.search.nominal == Family::subset ? Family::subset : Family::one_vs_rest;
    for (const auto& set : sets) {
      if (!meter_.goes_on(table_.n_rows)) return;
      pair({j, family, 0, true, set});
      if (holes) pair({j, family, 0, false, set});
    }
    if (holes && !levels.empty() && settings_.search.missing == Missing::learned) pair({j, Family::presence, 0, false, {}});
  }

  void pair(Test test) {
    const EncodedColumn& column = table_.columns[test.column];
    TestView view;
    view.n_groups = 2;
    std::vector<u8> group_of(column.n_codes);
    for (Code level = 0; level < column.n_codes; ++level) group_of[level] = goes_first(test, level) ? 0 : 1;
    const u8 holes = goes_first(test, kMissing) ? 0 : 1;
    view.few.reserve(table_.n_rows);
    for (Row row = 0; row < table_.n_rows; ++row) {
      const Code code = column.codes[row];
      view.few.push_back(code == kMissing ? holes : group_of[code]);
    }
    view.borders.push_back({add(std::move(test)), false});
    out_.each.push_back(std::move(view));
  }

  // -- joining views of two groups ------------------------------------------------------------------------------------

  using Bits = std::vector<u64>;
  struct Link {
    u32 view;
    bool flipped;
    Bits first;  // the rows in front
    u64 count;
  };

  void join_pairs() {
    std::vector<u32> pairs;
    for (u32 v = 0; v < out_.each.size(); ++v)
      if (out_.each[v].n_groups == 2) pairs.push_back(v);
    const std::size_t words = (std::size_t{table_.n_rows} + 63) / 64;
    constexpr u64 kMost = u64{1} << 28;
    if (pairs.size() < 2 || pairs.size() * pairs.size() / 2 * words > kMost) return;
    std::vector<Link> links;
    std::map<Bits, u32> known;
    for (const u32 v : pairs) {
      Link link = link_of(v, false);
      Link other = link_of(v, true);
      // Of tests that divide the rows in the same way the first is kept.
      if (!known.emplace((link.first[0] & 1) != 0 ? link.first : other.first, v).second || link.count == 0 || other.count == 0) continue;
      links.push_back(std::move(link));
    }
    std::stable_sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.count < b.count; });
    std::vector<std::vector<Link>> chains;
    for (Link& link : links) {
      std::vector<Link>* best = nullptr;
      for (auto& chain : chains)
        if (inside(chain.back().first, link.first) && (best == nullptr || chain.back().count > best->back().count)) best = &chain;
      if (best == nullptr) best = &chains.emplace_back();
      best->push_back(std::move(link));
    }
    join_turned(chains);
    std::vector<TestView> kept;
    for (TestView& view : out_.each)
      if (view.n_groups != 2) kept.push_back(std::move(view));
    for (const auto& chain : chains) kept.push_back(view_of(chain));
    // In the order of the tests, which is that of the columns.
    std::stable_sort(kept.begin(), kept.end(), [](const TestView& a, const TestView& b) { return least_test(a) < least_test(b); });
    out_.each = std::move(kept);
  }

  static u32 least_test(const TestView& view) {
    u32 least = view.borders[0].test;
    for (const TestView::Border& border : view.borders) least = std::min(least, border.test);
    return least;
  }

  // A chain may go behind another one, turned round, or in front of it.
  void join_turned(std::vector<std::vector<Link>>& chains) const {
    std::vector<std::vector<Link>> out;
    for (auto& chain : chains) {
      std::vector<Link> turned;
      for (std::size_t i = chain.size(); i-- > 0;) turned.push_back(link_of(chain[i].view, !chain[i].flipped));
      bool joined = false;
      for (auto& other : out) {
        const bool behind = inside(other.back().first, turned.front().first);
        if (!behind && !inside(turned.back().first, other.front().first)) continue;
        other.insert(behind ? other.end() : other.begin(), turned.begin(), turned.end());
        joined = true;
        break;
      }
      if (!joined) out.push_back(std::move(chain));
    }
    chains = std::move(out);
  }

  static bool inside(const Bits& small, const Bits& large) {
    for (std::size_t w = 0; w < small.size(); ++w)
      if ((small[w] & ~large[w]) != 0) return false;
    return true;
  }

  Link link_of(u32 v, bool flipped) const {
    const TestView& view = out_.each[v];
    Link link{v, flipped, Bits((std::size_t{table_.n_rows} + 63) / 64, 0), 0};
    for (Row row = 0; row < table_.n_rows; ++row)
      if ((view.few[row] == 0) != flipped) {
        link.first[row / 64] |= u64{1} << (row % 64);
        ++link.count;
      }
    return link;
  }

  TestView view_of(const std::vector<Link>& chain) const {
    TestView view;
    view.n_groups = static_cast<u32>(chain.size()) + 1;
    std::vector<u32> of_row(table_.n_rows, 0);
    for (const Link& link : chain) {
      for (Row row = 0; row < table_.n_rows; ++row) of_row[row] += ((link.first[row / 64] >> (row % 64)) & 1) == 0;
      const TestView::Border border = out_.each[link.view].borders[0];
      view.borders.push_back({border.test, border.flipped != link.flipped});
    }
    give(view, std::move(of_row));
    return view;
  }

  const Table& table_;
  const OptimalSettings& settings_;
  Meter& meter_;
  Views out_;
};

}  // namespace

bool goes_first(const Test& test, Code code) {
  if (test.family == Family::presence) return code != kMissing;
  if (code == kMissing) return test.missing_first;
  if (test.family == Family::threshold) return code <= test.last;
  return std::binary_search(test.levels.begin(), test.levels.end(), code);
}

Views make_views(const Table& table, const OptimalSettings& settings, Meter& meter) { return Maker(table, settings, meter).make(); }

}  // namespace tw
