#include "bind/table_input.hpp"

namespace tw::bind {

void read_target(const TableInput& input, bool fractions, Table& table) {
  if (input.n_classes > 0) {
    table.target.n_classes = input.n_classes;
    const View codes = view_of(input.classes, 0);
    table.target.class_of.resize(table.n_rows);
    for (Row row = 0; row < table.n_rows; ++row) {
      const double code = codes.number(row);
      if (!(code >= 0 && code < input.n_classes)) throw Invalid("the target holds a class that was not declared");
      table.target.class_of[row] = static_cast<u32>(code);
    }
  } else {
    const View values = view_of(input.numbers, 0);
    table.target.value.resize(table.n_rows);
    for (Row row = 0; row < table.n_rows; ++row) table.target.value[row] = values.number(row);
  }
  std::vector<double> weights;
  if (input.weighted) {
    const View values = view_of(input.weights, 0);
    for (Row row = 0; row < table.n_rows; ++row) weights.push_back(values.number(row));
  }
  table.weights = quantise_weights(input.weighted ? weights.data() : nullptr, table.n_rows, fractions);
}

}  // namespace tw::bind
