// Reads the columns, target and weights of a table that arrives from Python.
#include "bind/table_input.hpp"

#include "base/parallel.hpp"

namespace tw::bind {

namespace {

void refuse_infinite(const TableInput& input, const Columns& columns) {
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (columns[j].infinite_row >= 0)
      throw Invalid("column " + input.shown(j) + " holds infinity in row " + std::to_string(columns[j].infinite_row) +
                    ": replace it by a number, or by NaN where it is missing");
}

std::vector<double> given_weights(const TableInput& input);

}  // namespace

Columns encode_columns(const TableInput& input, u32 order_from, unsigned threads, const JobControl& job) {
  std::vector<EncodedColumn> columns(input.views.size());
  std::vector<EncodedColumn*> numeric, sparse;
  std::vector<std::size_t> nominal;
  const auto n_rows = static_cast<Row>(input.n_rows);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (input.kinds[j] == Kind::nominal) {
      nominal.push_back(j);
      continue;
    }
    columns[j].cells = input.views[j];
    (input.views[j].type == Type::Sparse ? sparse : numeric).push_back(&columns[j]);
  }
  encode_numeric(numeric, n_rows, order_from, threads, job);
  for_each(sparse.size(), threads, [&](std::size_t i, unsigned) {
    job.check();
    encode_sparse(*sparse[i]);
  });
  for_each(nominal.size(), threads, [&](std::size_t i, unsigned) {
    job.check();
    columns[nominal[i]] = encode_nominal(input.views[nominal[i]], n_rows, input.levels[nominal[i]]);
  });
  Columns out(std::move(columns));
  refuse_infinite(input, out);
  if (order_from > 0 || sparse.empty()) return out;
  refuse_dense(out, n_rows);  // who asks for ranks gets ranks
  for (std::size_t j = 0; j < out.size(); ++j)
    if (out[j].sparse()) rank_rows(out.edit(j));
  return out;
}

std::shared_ptr<const BinnedCells> bin_columns(const TableInput& input, u32 most, unsigned threads, const JobControl& job) {
  std::vector<GivenColumn> given;
  for (std::size_t j = 0; j < input.views.size(); ++j) {
    if (input.levels[j] > kMostCodes)
      throw Invalid("column " + input.shown(j) + " has " + std::to_string(input.levels[j]) + " levels, and a table in bins at most " +
                    std::to_string(kMostCodes) + ": leave it out, or set max_bins=None");
    given.push_back({input.views[j], input.kinds[j], input.levels[j]});
  }
  const auto n_rows = static_cast<Row>(input.n_rows);
  const std::vector<double> plain = given_weights(input);
  const Weights weights = quantise_weights(input.weighted ? plain.data() : nullptr, n_rows, false);
  auto out = std::make_shared<BinnedCells>(put_in_bins(given, n_rows, weights.quanta, most, threads, job));
  refuse_infinite(input, out->columns);
  return out;
}

void TableInput::add_sparse(const Array& values, const Array& cell_rows, const Array& begin, const std::vector<std::string>& column_names) {
  const auto is = [](const Array& array, Type type) {
    return array.ndim() == 1 && type_of(array) == type && (array.shape(0) < 2 || array.stride(0) == 1);
  };
  if (!is(values, Type::F64) || !is(cell_rows, Type::I32) || !is(begin, Type::I64) || begin.shape(0) != column_names.size() + 1 ||
      cell_rows.shape(0) != values.shape(0))
    throw Invalid("sparse columns do not fit the table");
  const auto* at = static_cast<const i64*>(begin.data());
  const auto* of = static_cast<const i32*>(cell_rows.data());
  const auto* numbers = static_cast<const double*>(values.data());
  for (std::size_t j = 0; j < column_names.size(); ++j) {
    if (at[j] < 0 || at[j] > at[j + 1] || static_cast<u64>(at[j + 1]) > values.shape(0))
      throw Invalid("sparse columns do not fit the table");
    for (i64 i = at[j]; i < at[j + 1]; ++i)
      if (of[i] < 0 || static_cast<u64>(of[i]) >= n_rows || (i > at[j] && of[i] <= of[i - 1]) || !(numbers[i] < 0 || numbers[i] > 0))
        throw Invalid("rows of sparse cells must ascend, and cells must be numbers other than 0");
    const auto n = static_cast<std::size_t>(at[j + 1] - at[j]);
    sparse.push_back(std::make_shared<SparseCells>(SparseCells{of + at[j], numbers + at[j], n, n_rows}));
    views.push_back({reinterpret_cast<const std::byte*>(sparse.back().get()), 0, Type::Sparse});
    kinds.push_back(Kind::numeric);
    levels.push_back(0);
    names.push_back(column_names[j]);
  }
  for (const Array& array : {values, cell_rows, begin}) held.push_back(array);
}

namespace {

// Calls use(row, number) for all rows, whose type is looked at once.
template <class Use>
void each_number(const View& view, Row n_rows, const Use& use) {
  const auto read = [&](auto number) {
    for (Row row = 0; row < n_rows; ++row) use(row, number(row));
  };
  switch (view.type) {
    case Type::F64: return read([&](Row row) { return view.at<double>(row); });
    case Type::I64: return read([&](Row row) { return static_cast<double>(view.at<std::int64_t>(row)); });
    default: return read([&](Row row) { return view.number(row); });
  }
}

std::vector<double> given_weights(const TableInput& input) {
  std::vector<double> weights(input.weighted ? input.n_rows : 0);
  if (input.weighted) each_number(input.weights, static_cast<Row>(input.n_rows), [&](Row row, double weight) { weights[row] = weight; });
  return weights;
}

}  // namespace

void read_target(const TableInput& input, bool fractions, Table& table) {
  if (input.n_classes > 0) {
    table.target.n_classes = input.n_classes;
    table.target.class_of.resize(table.n_rows);
    each_number(input.target, table.n_rows, [&](Row row, double code) {
      if (!(code >= 0 && code < input.n_classes)) throw Invalid("the target holds a class that was not declared");
      table.target.class_of[row] = static_cast<u32>(code);
    });
  } else if (!input.outputs.empty()) {
    table.target.value.reserve(table.n_rows * input.outputs.size());
    for (Row row = 0; row < table.n_rows; ++row)
      for (const View& output : input.outputs) table.target.value.push_back(output.number(row));
  } else {
    table.target.value.resize(table.n_rows);
    each_number(input.target, table.n_rows, [&](Row row, double value) { table.target.value[row] = value; });
  }
  const std::vector<double> weights = given_weights(input);
  table.weights = quantise_weights(input.weighted ? weights.data() : nullptr, table.n_rows, fractions);
  table.weights.count_by(input.row_weight);
}

TableInput TableInput::again() const {
  if (n_whole > 0) throw Invalid("a part cannot be shared");
  TableInput out(n_rows);
  out.views = views;
  out.kinds = kinds;
  out.levels = levels;
  out.names = names;
  out.held = held;
  out.sparse = sparse;
  out.target = target;
  out.weights = weights;
  out.outputs = outputs;
  out.n_classes = n_classes;
  out.weighted = weighted;
  out.row_weight = row_weight;
  out.encoded = encoded;
  out.binned = binned;
  return out;
}

TableInput TableInput::narrowed(const std::vector<u32>& chosen) const {
  for (const u32 j : chosen)
    if (j >= views.size()) throw Invalid("there is no column " + std::to_string(j));
  TableInput out = again();
  const auto keep = [&](auto& list) {
    auto all = std::move(list);
    list.clear();
    for (const u32 j : chosen) list.push_back(all[j]);
  };
  keep(out.views);
  keep(out.kinds);
  keep(out.levels);
  keep(out.names);
  if (encoded) out.encoded = encoded->only(chosen);
  if (binned) {
    auto own = std::make_shared<BinnedCells>(*binned);
    keep(own->views);
    keep(own->bins);
    own->columns = *out.encoded;
    out.binned = std::move(own);
  }
  return out;
}

TableInput TableInput::weighing(const Array& other, double row) const {
  TableInput out = again();
  out.set_weights(other, row);
  return out;
}

TableInput TableInput::sample(std::vector<Row> chosen, const Array& own_weights, double row) const {
  TableInput out = part(std::move(chosen));
  out.set_weights(own_weights, row);
  out.sampled = true;
  return out;
}

TableInput TableInput::part(std::vector<Row> chosen) const {
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i] >= n_rows || (i > 0 && chosen[i] <= chosen[i - 1])) throw Invalid("the rows of a part must ascend and be of the table");
  if (n_whole > 0) throw Invalid("a part has no parts");
  TableInput out(chosen.size());
  out.kinds = kinds;
  out.levels = levels;
  out.names = names;
  out.n_classes = n_classes;
  out.weighted = weighted;
  out.row_weight = row_weight;
  out.own_cells = copy_rows(views, chosen);
  out.views = out.own_cells.views;
  std::vector<View> targets = outputs.empty() ? std::vector<View>{target} : outputs;
  const std::size_t many = targets.size();
  if (weighted) targets.push_back(weights);
  out.own_targets = copy_rows(targets, chosen);
  out.target = out.own_targets.views.front();
  out.weights = out.own_targets.views.back();
  if (!outputs.empty())
    out.outputs.assign(out.own_targets.views.begin(), out.own_targets.views.begin() + static_cast<std::ptrdiff_t>(many));
  out.encoded = encoded;
  out.binned = binned;
  if (binned) out.own_codes = copy_rows(binned->views, chosen);
  out.rows = std::move(chosen);
  out.n_whole = n_rows;
  return out;
}

}  // namespace tw::bind
