// Sums of terms of many training rows, block by block.
#include "grow/plain/training_row.hpp"

#include <algorithm>
#include <cmath>

namespace tw {

void cells_of(const EncodedColumn& column, i32 level, double missing, std::span<const Row> rows, double* to) {
  if (level == DerivedTerm::kNumber) {
    const View& cells = column.cells;
    if (cells.type == Type::F64)
      for (std::size_t i = 0; i < rows.size(); ++i) to[i] = cells.at<double>(rows[i]);
    else if (cells.type == Type::F32)
      for (std::size_t i = 0; i < rows.size(); ++i) to[i] = static_cast<double>(cells.at<float>(rows[i]));
    else
      for (std::size_t i = 0; i < rows.size(); ++i) to[i] = cells.number(rows[i]);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (std::isnan(to[i])) to[i] = missing;
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Code code = column.codes[rows[i]];
    to[i] = code == kMissing ? missing : code == static_cast<Code>(level) ? 1 : 0;
  }
}

std::vector<double> derived_numbers(const Table& table, std::span<const Row> rows, const std::vector<DerivedTerm>& terms,
                                    const std::vector<ScorePart>& parts) {
  std::vector<double> out(rows.size(), 0.0);
  // A sum that needs all cells, or leaves the range of numbers, is a matter of its own.
  const bool plain =
      parts.empty() && std::none_of(terms.begin(), terms.end(), [](const DerivedTerm& term) { return std::isnan(term.missing); });
  double cells[kBlock];
  double others[kBlock];
  for (std::size_t begin = 0; plain && begin < rows.size(); begin += kBlock) {
    const auto some = rows.subspan(begin, std::min(kBlock, rows.size() - begin));
    double* to = out.data() + begin;
    for (const DerivedTerm& term : terms) {
      cells_of(table.columns[term.column], term.level, term.missing, some, cells);
      for (std::size_t i = 0; i < some.size(); ++i) cells[i] *= term.coefficient;
      if (term.by != DerivedTerm::kAlone) {
        cells_of(table.columns[static_cast<std::size_t>(term.by)], DerivedTerm::kNumber, term.by_missing, some, others);
        for (std::size_t i = 0; i < some.size(); ++i) cells[i] *= others[i];
      }
      for (std::size_t i = 0; i < some.size(); ++i) to[i] += cells[i];
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!plain || !std::isfinite(out[i])) out[i] = derived_of(terms, parts, TrainingRow{table, rows[i]});
  return out;
}

}  // namespace tw
