// Rules compiled into sets per interval or level, and rows matched against them block by block.
#include "rules/matcher.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/errors.hpp"

namespace tw {

namespace {

constexpr std::size_t kChunk = 4096;  // rules compiled together: bounds the memory of their sets
constexpr u64 kBlock = 256;           // rows matched together
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void set_bit(std::vector<u64>& words, std::size_t bit) { words[bit / 64] |= u64{1} << (bit % 64); }
void clear_bit(std::vector<u64>& words, std::size_t bit) { words[bit / 64] &= ~(u64{1} << (bit % 64)); }

void refuse(const char* why) { throw Invalid(std::string("the rules are damaged: ") + why); }

void validate_offsets(const std::vector<u32>& begin, std::size_t count, std::size_t pool, const char* why) {
  if (begin.size() != count + 1 || begin.front() != 0 || begin.back() != pool) refuse(why);
  if (!std::is_sorted(begin.begin(), begin.end())) refuse(why);
}

}  // namespace

void validate(const RuleColumns& rules, const RuleTable& table) {
  const std::size_t n = rules.column.size();
  for (const std::size_t size : {rules.low.size(), rules.high.size(), rules.present.size(), rules.missing.size(), rules.share.size()})
    if (size != n) refuse("its columns differ in length");
  validate_offsets(rules.rule_begin, rules.n_rules(), n, "the offsets of rules are out of order");
  validate_offsets(rules.level_begin, n, rules.level.size(), "the offsets of levels are out of order");
  for (std::size_t r = 0; r < rules.n_rules(); ++r)
    for (u32 c = rules.rule_begin[r]; c < rules.rule_begin[r + 1]; ++c) {
      if (rules.column[c] >= table.kinds.size()) refuse("a condition is on no column");
      for (u32 other = rules.rule_begin[r]; other < c; ++other)
        if (rules.column[other] == rules.column[c]) refuse("a rule has two conditions on one column");
      if (rules.present[c] > static_cast<u8>(Present::all) || rules.missing[c] > 1) refuse("a flag is none");
      if (!(rules.share[c] >= 0 && rules.share[c] <= 1)) refuse("a share is none");
      if (std::isnan(rules.low[c]) || std::isnan(rules.high[c])) refuse("an end of an interval is no number");
      for (u32 i = rules.level_begin[c]; i < rules.level_begin[c + 1]; ++i)
        if (table.kinds[rules.column[c]] != Kind::nominal || rules.level[i] >= table.levels[rules.column[c]])
          refuse("a level does not exist");
    }
}

Matcher::Matcher(RuleColumns rules, RuleTable table) : rules_(std::move(rules)), table_(std::move(table)) {
  validate(rules_, table_);
  for (std::size_t at = 0; at < rules_.n_rules(); at += kChunk) chunks_.push_back(compile(at, std::min(at + kChunk, rules_.n_rules())));
  for (std::size_t c = 0; c < rules_.column.size(); ++c) partly_ = partly_ || (rules_.missing[c] == 0 && rules_.share[c] > 0);
}

Matcher::Chunk Matcher::compile(std::size_t first, std::size_t last) const {
  Chunk chunk;
  chunk.first = first;
  chunk.words = (last - first + 63) / 64;
  chunk.all.assign(chunk.words, 0);
  std::vector<u8> used(table_.kinds.size(), 0);
  for (std::size_t r = first; r < last; ++r) {
    set_bit(chunk.all, r - first);
    for (u32 c = rules_.rule_begin[r]; c < rules_.rule_begin[r + 1]; ++c) used[rules_.column[c]] = 1;
  }
  for (Column column = 0; column < used.size(); ++column)
    if (used[column] != 0) chunk.columns.push_back(compile_column(chunk, last, column));
  return chunk;
}

Matcher::ColumnSets Matcher::compile_column(const Chunk& chunk, std::size_t last, Column column) const {
  struct Event {
    double at;
    std::size_t rule;
    bool begins;
  };
  ColumnSets out;
  out.column = column;
  Words now = chunk.all;  // rules that hold of the interval at hand, at first the lowest
  out.missing = chunk.all;
  out.partly = chunk.all;
  std::vector<Event> events;
  std::vector<std::pair<std::size_t, u32>> conditions;
  for (std::size_t r = chunk.first; r < last; ++r)
    for (u32 c = rules_.rule_begin[r]; c < rules_.rule_begin[r + 1]; ++c) {
      if (rules_.column[c] != column) continue;
      const std::size_t bit = r - chunk.first;
      const auto present = static_cast<Present>(rules_.present[c]);
      if (rules_.missing[c] == 0) clear_bit(out.missing, bit);
      if (rules_.missing[c] == 0 && rules_.share[c] == 0) clear_bit(out.partly, bit);
      if (present != Present::all) clear_bit(now, bit);
      if (present != Present::some) continue;
      conditions.emplace_back(bit, c);
      if (table_.kinds[column] == Kind::nominal || !(rules_.low[c] <= rules_.high[c])) continue;
      if (rules_.low[c] == -kInfinity)
        set_bit(now, bit);
      else
        events.push_back({rules_.low[c], bit, true});
      if (rules_.high[c] != kInfinity) events.push_back({std::nextafter(rules_.high[c], kInfinity), bit, false});
    }
  if (table_.kinds[column] == Kind::nominal) {
    for (u32 level = 0; level < table_.levels[column]; ++level) out.sets.insert(out.sets.end(), now.begin(), now.end());
    for (const auto& [bit, c] : conditions)
      for (u32 i = rules_.level_begin[c]; i < rules_.level_begin[c + 1]; ++i)
        out.sets[rules_.level[i] * chunk.words + bit / 64] |= u64{1} << (bit % 64);
    return out;
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.at < b.at; });
  out.sets = now;
  for (std::size_t e = 0; e < events.size();) {
    const double at = events[e].at;
    for (; e < events.size() && events[e].at == at; ++e) events[e].begins ? set_bit(now, events[e].rule) : clear_bit(now, events[e].rule);
    out.cuts.push_back(at);
    out.sets.insert(out.sets.end(), now.begin(), now.end());
  }
  return out;
}

bool Matcher::is_missing(Column column, double cell) const {
  return table_.kinds[column] == Kind::nominal ? !(cell >= 0 && cell < table_.levels[column]) : std::isnan(cell);
}

const u64* Matcher::set_of(const ColumnSets& column, const Chunk& chunk, double cell, bool partly) const {
  if (is_missing(column.column, cell)) return partly ? column.partly.data() : column.missing.data();
  if (table_.kinds[column.column] == Kind::nominal) return column.sets.data() + static_cast<std::size_t>(cell) * chunk.words;
  const auto interval = std::upper_bound(column.cuts.begin(), column.cuts.end(), cell) - column.cuts.begin();
  return column.sets.data() + static_cast<std::size_t>(interval) * chunk.words;
}

template <class Visit>
void Matcher::each(const Chunk& chunk, const std::vector<View>& cells, const Block& block, Words& sets, Visit&& visit) const {
  sets.clear();
  for (u64 row = block.begin; row < block.end; ++row) sets.insert(sets.end(), chunk.all.begin(), chunk.all.end());
  for (const ColumnSets& column : chunk.columns) {
    const View& view = cells[column.column];
    u64* into = sets.data();
    for (u64 row = block.begin; row < block.end; ++row, into += chunk.words) {
      const u64* from = set_of(column, chunk, view.number(row), block.partly);
      for (std::size_t w = 0; w < chunk.words; ++w) into[w] &= from[w];
    }
  }
  for (u64 row = block.begin; row < block.end; ++row) visit(row, sets.data() + (row - block.begin) * chunk.words);
}

std::vector<i32> Matcher::first(const std::vector<View>& cells, u64 n_rows, const JobControl& job) const {
  std::vector<i32> out(n_rows, -1);
  Words sets;
  for (u64 begin = 0; begin < n_rows; begin += kBlock) {
    job.check();
    const u64 end = std::min(begin + kBlock, n_rows);
    u64 open = end - begin;
    for (const Chunk& chunk : chunks_) {
      if (open == 0) break;
      each(chunk, cells, {begin, end, false}, sets, [&](u64 row, const u64* words) {
        for (std::size_t w = 0; out[row] < 0 && w < chunk.words; ++w)
          if (words[w] != 0) {
            out[row] = static_cast<i32>(chunk.first + w * 64 + static_cast<std::size_t>(std::countr_zero(words[w])));
            --open;
          }
      });
    }
  }
  return out;
}

double Matcher::share_of(std::size_t rule, const std::vector<View>& cells, u64 row) const {
  double share = 1;
  for (u32 c = rules_.rule_begin[rule]; c < rules_.rule_begin[rule + 1]; ++c)
    if (rules_.missing[c] == 0 && rules_.share[c] > 0 && is_missing(rules_.column[c], cells[rules_.column[c]].number(row)))
      share *= rules_.share[c];
  return share;
}

Matches Matcher::all(const std::vector<View>& cells, u64 n_rows, const JobControl& job) const {
  Matches out;
  out.begin.assign(n_rows + 1, 0);
  std::vector<std::vector<i32>> found(kBlock);
  Words sets;
  for (u64 begin = 0; begin < n_rows; begin += kBlock) {
    job.check();
    const u64 end = std::min(begin + kBlock, n_rows);
    for (auto& list : found) list.clear();
    for (const Chunk& chunk : chunks_)
      each(chunk, cells, {begin, end, true}, sets, [&](u64 row, const u64* words) {
        for (std::size_t w = 0; w < chunk.words; ++w)
          for (u64 left = words[w]; left != 0; left &= left - 1)
            found[row - begin].push_back(static_cast<i32>(chunk.first + w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
      });
    for (u64 row = begin; row < end; ++row) {
      for (const i32 rule : found[row - begin]) {
        out.rule.push_back(rule);
        out.share.push_back(partly_ ? share_of(static_cast<std::size_t>(rule), cells, row) : 1.0);
      }
      out.begin[row + 1] = static_cast<i64>(out.rule.size());
    }
  }
  return out;
}

}  // namespace tw
