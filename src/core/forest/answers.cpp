// Rows through all members, block by block.
#include "forest/answers.hpp"

#include <algorithm>
#include <atomic>

#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "tree/router.hpp"

namespace tw {

namespace {

// Rows of a block. The members of a large forest do not fit the cache: the fewer blocks, the fewer times they are read; but threads share
// the blocks.
u64 rows_of_block(unsigned threads) { return threads > 1 ? 4096 : 16384; }

// A block of rows, of one type and with the cells of a row side by side, so that every member reads it as fast.
class Block {
 public:
  Block(const std::vector<View>& cells, u64 first, u64 n_rows) : views_(cells) {
    const std::size_t width = cells.size();
    if (side_by_side(cells)) {
      for (View& view : views_) view.data += static_cast<std::ptrdiff_t>(first) * view.stride;
      return;
    }
    numbers_.resize(width * n_rows);
    for (std::size_t j = 0; j < width; ++j) {
      for (u64 row = 0; row < n_rows; ++row) numbers_[row * width + j] = cells[j].number(first + row);
      views_[j] = {reinterpret_cast<const std::byte*>(numbers_.data() + j), static_cast<std::ptrdiff_t>(width * sizeof(double)), Type::F64};
    }
  }

  const std::vector<View>& cells() const { return views_; }

 private:
  static bool side_by_side(const std::vector<View>& cells) {
    const View& first = cells.front();
    const std::ptrdiff_t size = first.type == Type::F32 ? sizeof(float) : sizeof(double);
    return (first.type == Type::F32 || first.type == Type::F64) && std::all_of(cells.begin(), cells.end(), [&](const View& view) {
             return view.type == first.type && view.stride == first.stride && view.data == first.data + (&view - cells.data()) * size;
           });
  }

  std::vector<View> views_;
  std::vector<double> numbers_;
};

// What the leaves of rows say lies anywhere: it is asked for in two steps before it is read, where it begins first.
void add_member(const Member& member, std::span<const i64> leaves, std::size_t n_sums, double* sums) {
  const auto leaf = [&](std::size_t i) { return static_cast<std::size_t>(leaves[i]); };
  if (member.begin.empty()) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (i + kPrefetchDistance < leaves.size()) prefetch(member.values.data() + leaf(i + kPrefetchDistance));
      sums[i * n_sums + member.output] += member.weight * member.values[leaf(i)];
    }
    return;
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (i + 2 * kPrefetchDistance < leaves.size()) {
      prefetch(member.begin.data() + leaf(i + 2 * kPrefetchDistance));
      const u32 at = member.begin[leaf(i + kPrefetchDistance)];
      prefetch(member.outputs.data() + at);
      prefetch(member.values.data() + at);
    }
    for (u32 at = member.begin[leaf(i)]; at < member.begin[leaf(i) + 1]; ++at)
      sums[i * n_sums + member.outputs[at]] += member.weight * member.values[at];
  }
}

}  // namespace

Added add_answers(std::span<const Member> members, const std::vector<View>& cells, u64 n_rows, std::size_t n_sums, Nonfinite nonfinite,
                  unsigned threads, JobControl& job, double* sums) {
  std::atomic<Added> added{Added::all};
  const u64 block_rows = rows_of_block(threads);
  job.total = n_rows;
  for_each((n_rows + block_rows - 1) / block_rows, threads, [&](std::size_t number, unsigned) {
    const u64 first = number * block_rows;
    const u64 count = std::min(block_rows, n_rows - first);
    if (added.load(std::memory_order_relaxed) != Added::all) return;
    if (holds_nonfinite(cells, first, first + count, nonfinite)) {
      added = Added::refused;
      return;
    }
    const Block block(cells, first, count);
    for (const Member& member : members) {
      const Routes routes = route(*member.tree, block.cells(), count, {1, Nonfinite::nothing, true}, job);
      if (!routes.begin.empty()) {
        added = Added::divided;
        return;
      }
      add_member(member, routes.leaf, n_sums, sums + first * n_sums);
    }
    job.done += count;
  });
  return added;
}

}  // namespace tw
