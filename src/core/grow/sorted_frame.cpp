#include "grow/sorted_frame.hpp"

#include <utility>

#include "base/parallel.hpp"

namespace tw {

void fill_frame(Table& table, const FramePlan& plan, unsigned threads, Frame<u32>& frame) {
  frame.shape(table.n_rows, plan.n_lists());
  frame.two_classes = plan.two_classes;
  frame.kernels = &kernels();
  if (plan.numbers) {
    frame.value = table.target.value;
    frame.step.resize(table.n_rows);
  } else {
    frame.label.resize(table.n_rows);
    for (Row row = 0; row < table.n_rows; ++row) frame.label[row] = static_cast<u8>(table.target.class_of[row]);
  }
  const auto entry = [&](Row row) { return row << 1 | (plan.two_classes ? u32{frame.label[row]} : 0U); };
  for_each(plan.lists.size(), threads, [&](std::size_t f, unsigned) {
    frame.lists[f] = std::move(table.columns[plan.lists[f]].order);
    for (Row i = 0; i < table.n_rows; ++i) frame.lists[f][i] = entry(frame.lists[f][i]);
  });
  if (plan.counted()) {
    frame.lists[plan.source()].resize(table.n_rows + kOrderPadding);
    for (Row row = 0; row < table.n_rows; ++row) frame.lists[plan.source()][row] = entry(row);
  }
  frame.codes.resize(table.columns.size());
  for_each(table.columns.size(), threads, [&](std::size_t j, unsigned) {
    EncodedColumn& column = table.columns[j];
    if (plan.list_of[j] >= 0 || column.n_codes >= kCountedBelow) return;
    frame.codes[j].resize(table.n_rows);
    for (Row row = 0; row < table.n_rows; ++row) frame.codes[j][row] = static_cast<u16>(std::min(column.codes[row], column.n_codes));
    column.codes = {};
  });
}

void narrow_frame(const Table& table, const FramePlan& plan, const Frame<u32>& from, u32 begin, u32 n, std::vector<u16>& number_of,
                  Frame<u16>& into) {
  into.shape(n, plan.n_lists());
  into.two_classes = plan.two_classes;
  into.kernels = from.kernels;
  into.row.resize(n);
  const u32* source = from.list(plan.source()) + begin;
  for (u32 i = 0; i < n; ++i) {
    const Row row = source[i] >> 1;
    into.row[i] = row;
    number_of[row] = static_cast<u16>(i);
  }
  for (std::size_t f = 0; f < plan.n_lists(); ++f) {
    const u32* wide = from.list(f) + begin;
    into.lists[f].resize(n + kOrderPadding);
    u16* narrow = into.list(f);
    for (u32 i = 0; i < n; ++i) narrow[i] = static_cast<u16>(number_of[wide[i] >> 1] << 1 | (wide[i] & 1));
  }
  // Whether neighbours of a list hold the same value is asked often; their ranks in the table would be far away in memory.
  into.ranks.resize(plan.lists.size() * n);
  for (std::size_t f = 0; f < plan.lists.size(); ++f) {
    const View& cells = table.columns[plan.lists[f]].cells;
    u16* ranks = into.ranks.data() + f * n;
    u16 rank = 0;
    double last = 0;
    for (u32 i = 0; i < n; ++i) {
      const u32 id = static_cast<u32>(into.list(f)[i]) >> 1;
      const double value = cells.number(into.row[id]);
      rank = static_cast<u16>(rank + (i > 0 && value != last));  // missing ones differ from all; nobody asks
      last = value;
      ranks[id] = rank;
    }
  }
  if (plan.numbers) {
    into.value.resize(n);
    into.step.resize(n);
    for (u32 i = 0; i < n; ++i) into.value[i] = from.value[into.row[i]];
  } else {
    into.label.resize(n);
    for (u32 i = 0; i < n; ++i) into.label[i] = from.label[into.row[i]];
  }
  into.codes.resize(from.codes.size());
  for (std::size_t j = 0; j < from.codes.size(); ++j) {
    if (from.codes[j].empty()) continue;
    into.codes[j].resize(n);
    for (u32 i = 0; i < n; ++i) into.codes[j][i] = from.codes[j][into.row[i]];
  }
}

namespace {

constexpr u32 kBefore = 16;

template <class Real>
std::vector<Real> make_inverses() {
  std::vector<Real> table(kBefore + kSmallFrame + 64, 0);
  for (u32 i = 1; i < kSmallFrame + 48; ++i) table[kBefore + i] = Real{1} / static_cast<Real>(i);
  return table;
}

}  // namespace

const float* inverse_table() {
  static const std::vector<float> table = make_inverses<float>();
  return table.data() + kBefore;
}

const double* inverse_table_exact() {
  static const std::vector<double> table = make_inverses<double>();
  return table.data() + kBefore;
}

}  // namespace tw
