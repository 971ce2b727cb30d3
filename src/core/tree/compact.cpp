// Makes the compact form of a tree, and sends rows down it.
#include "tree/compact.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace tw {

namespace {

constexpr std::size_t kLanes = 32;      // rows on their way at once
constexpr std::size_t kWave = 256;      // rows that take a step together
constexpr std::size_t kGathered = 256;  // rows whose cells are put together at a time

std::size_t words_of(u32 levels) { return (std::size_t{levels} + 63) / 64; }

// Whether the compact form can stand for a node.
bool fits(const Tree& tree, std::size_t node) {
  return tree.n_children[node] == 2 && tree.terms(node).size() == 0 && static_cast<u32>(tree.column[node]) < kCompactLeaf >> kColumnShift;
}

// Whether a missing cell needs the general walk.
bool stops(const Tree& tree, std::size_t node) { return tree.missing_to[node] == kAllBranches || tree.surrogates(node).size() > 0; }

bool presence(const Tree& tree, std::size_t node) { return static_cast<Family>(tree.family[node]) == Family::presence; }

// Whether levels that a split does not list stop a row as missing cells do.
bool stops_unlisted(const Tree& tree, std::size_t node) {
  return stops(tree, node) && !presence(tree, node) && tree.otherwise[node] == kNowhere;
}

std::size_t words_at(const Tree& tree, std::size_t node) {
  return words_of(tree.columns[static_cast<std::size_t>(tree.column[node])].n_levels) * (stops_unlisted(tree, node) ? 2 : 1);
}

// Sets the bits of a split by levels.
void set_levels(const Tree& tree, std::size_t node, u64* bits) {
  const u32 n_levels = tree.columns[static_cast<std::size_t>(tree.column[node])].n_levels;
  const i32 others = presence(tree, node) ? 0 : tree.otherwise[node] != kNowhere ? tree.otherwise[node] : tree.missing_to[node];
  const auto set = [](u64* words, u32 level, bool on) {
    const u64 bit = u64{1} << (level % 64);
    words[level / 64] = on ? words[level / 64] | bit : words[level / 64] & ~bit;
  };
  for (u32 level = 0; level < n_levels; ++level) set(bits, level, others == 1);
  if (presence(tree, node)) return;
  const Tree::Range levels = tree.levels(node);
  for (std::size_t at = levels.begin; at < levels.end; ++at) {
    set(bits, tree.level[at], tree.level_branch[at] == 1);
    if (stops_unlisted(tree, node)) set(bits + words_of(n_levels), tree.level[at], true);
  }
}

CompactNode numeric(const Tree& tree, std::size_t node) {
  double cut = std::numeric_limits<double>::infinity();  // presence: every number goes to the first child
  if (!presence(tree, node)) {
    cut = tree.cut_at[tree.cuts(node).begin];
    // x < t is x <= the number before t.
    if (tree.strict[node]) cut = std::nextafter(cut, -std::numeric_limits<double>::infinity());
  }
  return {std::bit_cast<u64>(cut), 0, 0};
}

// The cells of columns of one type at one distance from row to row.
struct Cells {
  const std::byte* const* column;
  std::ptrdiff_t stride;
};

// Where a row is.
struct Lane {
  u32 at;
  u32 row;
};

// Rows through cuts whose missing cells go one way. All rows of a wave take a step, and those that have come to a leaf stay behind: without
// a branch, so that nothing that could be foretold no better than a coin keeps the next row waiting.
template <class T>
void walk_cuts(const CompactTree& compact, const Cells& cells, u64 first, u64 last, i64* leaf) {
  const CompactNode* const nodes = compact.pairs.data()->node;
  const u32 some_column = compact.used[0];  // a leaf reads a cell that is there, for nothing
  std::array<Lane, kWave> lanes;
  for (u64 begin = first; begin < last; begin += kWave) {
    auto busy = static_cast<u32>(std::min<u64>(kWave, last - begin));
    for (u32 i = 0; i < busy; ++i) lanes[i] = {0, i};
    i64* const ends = leaf + (begin - first);
    while (busy > 0) {
      u32 left = 0;
      for (u32 i = 0; i < busy; ++i) {
        const Lane lane = lanes[i];
        const CompactNode node = nodes[lane.at];
        const bool ended = node.what == kCompactLeaf;
        ends[lane.row] = node.next;  // the last one counts
        T cell;
        const std::byte* column = cells.column[ended ? some_column : node.what >> kColumnShift];
        std::memcpy(&cell, column + static_cast<std::ptrdiff_t>(begin + lane.row) * cells.stride, sizeof(T));
        const auto x = static_cast<double>(cell);
        const u32 second = u32{x > std::bit_cast<double>(node.cut)} | (u32{std::isnan(x)} & node.what & kMissingSecond);
        const u32 next = node.next + second;
        __builtin_prefetch(nodes + next);
        lanes[left] = {next, lane.row};
        left += !ended;
      }
      busy = left;
    }
  }
}

// What else may be met on the way: cuts that a missing cell may stop at, anything.
enum class Met : u8 { stopping_cuts, anything };

template <class T, Met kMet>
void walk_rows(const CompactTree& compact, const Tree& tree, const Cells& cells, u64 first, u64 last, i64* leaf) {
  const CompactPair* const pairs = compact.pairs.data();
  const u64 n = last - first;
  std::array<Lane, kLanes> lanes;
  u64 next = 0;
  std::size_t busy = 0;
  while (busy < kLanes && next < n) lanes[busy++] = {0, static_cast<u32>(next++)};
  // A row is done: its lane takes the next one, or the last lane moves up.
  const auto finish = [&](Lane& lane, i64 end) {
    leaf[lane.row] = end;
    lane = next < n ? Lane{0, static_cast<u32>(next++)} : lanes[--busy];
  };
  while (busy > 0) {
    for (std::size_t i = 0; i < busy; ++i) {
      Lane& lane = lanes[i];
      const CompactNode& node = pairs[lane.at / 2].node[lane.at % 2];
      if (node.what == kCompactLeaf) {
        finish(lane, node.next);
        continue;
      }
      const u32 column = node.what >> kColumnShift;
      T cell;
      std::memcpy(&cell, cells.column[column] + static_cast<std::ptrdiff_t>(first + lane.row) * cells.stride, sizeof(T));
      const auto x = static_cast<double>(cell);
      bool second = x > std::bit_cast<double>(node.cut);
      if constexpr (kMet == Met::stopping_cuts) {
        if (std::isnan(x)) {
          if ((node.what & kMissingStops) != 0) {
            finish(lane, kStopped);
            continue;
          }
          second = (node.what & kMissingSecond) != 0;
        }
      } else {
        const bool levels = (node.what & kByLevels) != 0;
        bool present = levels ? x >= 0 && x < tree.columns[column].n_levels : !std::isnan(x);
        if (present && (node.what & kListed) != 0) {
          const auto level = static_cast<u32>(x);
          present = (compact.bits[node.cut + words_of(tree.columns[column].n_levels) + level / 64] >> (level % 64) & 1) != 0;
        }
        if (!present && (node.what & kMissingStops) != 0) {
          finish(lane, kStopped);
          continue;
        }
        if (!present) {
          second = (node.what & kMissingSecond) != 0;
        } else if (levels) {
          const auto level = static_cast<u32>(x);
          second = (compact.bits[node.cut + level / 64] >> (level % 64) & 1) != 0;
        }
      }
      lane.at = node.next + second;
      __builtin_prefetch(&pairs[lane.at / 2]);
    }
  }
}

template <class T>
void walk_cells(const CompactTree& compact, const Tree& tree, const Cells& cells, u64 first, u64 last, i64* leaf) {
  if (!compact.cuts)
    walk_rows<T, Met::anything>(compact, tree, cells, first, last, leaf);
  else if (compact.stops)
    walk_rows<T, Met::stopping_cuts>(compact, tree, cells, first, last, leaf);
  else
    walk_cuts<T>(compact, cells, first, last, leaf);
}

template <class T>
void copy_as(const View& cells, u64 first, u64 n, double* out) {
  for (u64 i = 0; i < n; ++i) out[i] = static_cast<double>(cells.at<T>(first + i));
}

// Some cells of a column as doubles. Levels are 16 bits in most tables.
void copy_numbers(const View& cells, u64 first, u64 n, double* out) {
  switch (cells.type) {
    case Type::F32: return copy_as<float>(cells, first, n, out);
    case Type::F64: return copy_as<double>(cells, first, n, out);
    case Type::I16: return copy_as<std::int16_t>(cells, first, n, out);
    case Type::I32: return copy_as<std::int32_t>(cells, first, n, out);
    case Type::I64: return copy_as<std::int64_t>(cells, first, n, out);
    default:
      for (u64 i = 0; i < n; ++i) out[i] = cells.number(first + i);
  }
}

// Columns of several types: their cells are put together as doubles, some rows at a time.
void walk_gathered(const CompactTree& compact, const Tree& tree, const std::vector<View>& cells, u64 first, u64 last, i64* leaf) {
  std::vector<double> numbers(compact.used.size() * kGathered);
  std::vector<const std::byte*> columns(cells.size());
  for (std::size_t i = 0; i < compact.used.size(); ++i)
    columns[compact.used[i]] = reinterpret_cast<const std::byte*>(&numbers[i * kGathered]);
  for (u64 begin = first; begin < last; begin += kGathered) {
    const u64 count = std::min<u64>(kGathered, last - begin);
    for (std::size_t i = 0; i < compact.used.size(); ++i) copy_numbers(cells[compact.used[i]], begin, count, &numbers[i * kGathered]);
    walk_cells<double>(compact, tree, {columns.data(), sizeof(double)}, 0, count, leaf + (begin - first));
  }
}

}  // namespace

CompactTree make_compact(const Tree& tree) {
  CompactTree compact;
  u64 words = 0;
  std::vector<u8> used(tree.columns.size());
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.leaf(node)) continue;
    if (!fits(tree, node)) return {};
    const auto column = static_cast<std::size_t>(tree.column[node]);
    used[column] = 1;
    if (tree.columns[column].kind == Kind::nominal) words += words_at(tree, node);
  }
  // Many levels at many nodes: the bits would take more memory than the tree.
  if (words > 8 * tree.size() + (u64{1} << 17)) return {};
  for (std::size_t j = 0; j < used.size(); ++j)
    if (used[j]) compact.used.push_back(static_cast<u32>(j));

  compact.bits.reserve(words);
  compact.pairs.resize((tree.size() + 1) / 2);
  u32 free = 2;
  struct Open {
    u32 node;
    u32 place;
  };
  std::vector<Open> open{{0, 0}};
  while (!open.empty()) {
    const auto [node, place] = open.back();
    open.pop_back();
    CompactNode& out = compact.pairs[place / 2].node[place % 2];
    if (tree.leaf(node)) {
      out = {0, node, kCompactLeaf};
      continue;
    }
    const auto column = static_cast<u32>(tree.column[node]);
    if (tree.columns[column].kind == Kind::numeric) {
      out = numeric(tree, node);
    } else {
      out.cut = compact.bits.size();
      compact.bits.resize(compact.bits.size() + words_at(tree, node));
      set_levels(tree, node, compact.bits.data() + out.cut);
      out.what |= kByLevels;
      if (stops_unlisted(tree, node)) out.what |= kListed;
    }
    if (stops(tree, node))
      out.what |= kMissingStops;
    else if (tree.missing_to[node] == 1)
      out.what |= kMissingSecond;
    compact.cuts = compact.cuts && (out.what & kByLevels) == 0;
    compact.stops = compact.stops || (out.what & kMissingStops) != 0;
    out.what |= column << kColumnShift;
    out.next = free;
    free += 2;
    const u32 child = tree.first_child[node];
    const u32 heavy = tree.weight[child + 1] > tree.weight[child] ? 1 : 0;
    open.push_back({child + 1 - heavy, out.next + 1 - heavy});
    open.push_back({child + heavy, out.next + heavy});
  }
  return compact;
}

void walk(const CompactTree& compact, const Tree& tree, const std::vector<View>& cells, u64 first, u64 last, i64* leaf) {
  if (compact.used.empty()) {
    std::fill(leaf, leaf + (last - first), 0);
    return;
  }
  const View& sample = cells[compact.used[0]];
  const bool alike = std::all_of(compact.used.begin(), compact.used.end(),
                                 [&](u32 j) { return cells[j].type == sample.type && cells[j].stride == sample.stride; });
  if (!alike || (sample.type != Type::F32 && sample.type != Type::F64)) return walk_gathered(compact, tree, cells, first, last, leaf);
  std::vector<const std::byte*> columns;
  for (const View& view : cells) columns.push_back(view.data);
  if (sample.type == Type::F32)
    walk_cells<float>(compact, tree, {columns.data(), sample.stride}, first, last, leaf);
  else
    walk_cells<double>(compact, tree, {columns.data(), sample.stride}, first, last, leaf);
}

}  // namespace tw
