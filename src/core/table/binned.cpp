// Numbers to codes: bins are found column by column, cells coded block by block of rows, whichever way the table lies in memory.
#include "table/binned.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "base/parallel.hpp"

namespace tw {

namespace {

constexpr Row kBlock = 256;              // rows of which the cells stay in the cache until all columns are done
constexpr u64 kNoKey = ~u64{0};          // of a missing cell: that of no number
constexpr std::size_t kFirst = 1 << 16;  // buckets by the first bits of keys

// Calls use(row, key) for some rows of a column; a missing cell has no key.
template <class T, class Use>
void each_key_of(const View& view, Row begin, Row end, const Use& use) {
  for (Row row = begin; row < end; ++row) {
    const T x = view.at<T>(row);
    use(row, std::isnan(x) ? kNoKey : bin_key(x));
  }
}

template <class Use>
void each_key(const View& view, Row begin, Row end, const Use& use) {
  if (view.type == Type::F32) return each_key_of<float>(view, begin, end, use);
  if (view.type == Type::F64) return each_key_of<double>(view, begin, end, use);
  for (Row row = begin; row < end; ++row) {
    const double x = view.number(row);
    use(row, std::isnan(x) ? kNoKey : bin_key(x));
  }
}

// The code of a key: how many ends lie below it. Looked up by the first bits of the key, and among the ends that share them, which mostly
// are one or none: the next one is compared without asking, as no key of other first bits is above it.
class Coder {
 public:
  explicit Coder(const Bins& bins) : ends_(bins.ends), from_(kFirst + 1) {
    ends_.push_back(kNoKey);
    std::size_t at = 0;
    for (std::size_t bucket = 0; bucket < kFirst; ++bucket) {
      while (ends_[at] < u64{bucket} << 48) ++at;
      from_[bucket] = static_cast<u16>(at);
    }
    from_[kFirst] = static_cast<u16>(ends_.size() - 1);
  }

  u32 operator()(u64 key) const {
    u32 low = from_[key >> 48];
    const u32 high = from_[(key >> 48) + 1];
    if (high - low > 1) [[unlikely]]
      return among(low, high, key);
    return low + (ends_[low] < key);
  }

 private:
  u32 among(u32 low, u32 high, u64 key) const {
    const auto begin = ends_.begin();
    return static_cast<u32>(std::lower_bound(begin + low, begin + high, key) - begin);
  }

  std::vector<u64> ends_;
  std::vector<u16> from_;
};

// A numeric column on its way.
struct Draft {
  BinSearch search;
  std::vector<i64> counters;
  std::vector<u64> keys;     // those that are wanted
  std::vector<i64> weights;  // and what they weigh; empty: one each

  // Counts them for the round in hand.
  void count() {
    counters.assign(search.counters(), 0);
    for (std::size_t i = 0; i < keys.size(); ++i) search.count(keys[i], weights.empty() ? 1 : weights[i], counters.data());
  }
};

// Writes the codes of some rows of a numeric column, so many cells apart.
template <class T>
void write_codes(const View& cells, Row begin, Row end, const Coder& coder, T* to, std::size_t apart, CodedNumbers& seen) {
  const auto n_codes = static_cast<u32>(seen.least.size());
  each_key(cells, begin, end, [&](Row, u64 key) {
    u32 code = n_codes;
    if (key == kNoKey) {
      ++seen.missing;
    } else {
      code = coder(key);
      if (key < seen.least[code]) seen.least[code] = key;
      if (key > seen.most[code]) seen.most[code] = key;
    }
    *to = static_cast<T>(code);
    to += apart;
  });
}

// Goes through the rows of some columns block by block: use(column, row, key), missing cells left out.
template <class Use>
void each_block(std::span<const GivenColumn> given, std::span<const std::size_t> columns, Row n_rows, const JobControl& job,
                const Use& use) {
  for (Row row = 0; row < n_rows; row += std::min(kBlock, n_rows - row)) {
    job.check();
    const Row end = row + std::min(kBlock, n_rows - row);
    for (const std::size_t j : columns) use(j, row, end, given[j].cells);
  }
}

// Finds the bins of columns whose first bits have been counted. Rows are gone through again together where other keys are looked for.
void find_bins(std::span<const GivenColumn> given, std::span<const std::size_t> columns, Row n_rows, std::span<const i64> weights,
               std::vector<std::optional<Draft>>& drafts, const JobControl& job) {
  std::vector<std::size_t> open(columns.begin(), columns.end());
  while (!open.empty()) {
    for (const std::size_t j : open) {
      BinSearch& search = drafts[j]->search;
      search.take(drafts[j]->counters);
      while (!search.done() && !search.anew()) {
        drafts[j]->count();
        search.take(drafts[j]->counters);
      }
      drafts[j]->keys.clear();
      drafts[j]->weights.clear();
    }
    std::erase_if(open, [&](std::size_t j) { return drafts[j]->search.done(); });
    each_block(given, open, n_rows, job, [&](std::size_t j, Row row, Row end, const View& cells) {
      Draft& draft = *drafts[j];
      each_key(cells, row, end, [&](Row at, u64 key) {
        if (key == kNoKey || !draft.search.wants(key)) return;
        draft.keys.push_back(key);
        if (!weights.empty()) draft.weights.push_back(weights[at]);
      });
    });
    for (const std::size_t j : open) drafts[j]->count();
  }
  for (const std::size_t j : columns) drafts[j]->keys = {};
}

std::vector<Bins> bins_of(std::span<const GivenColumn> given, Row n_rows, std::span<const i64> weights, u32 most, unsigned threads,
                          const JobControl& job) {
  std::vector<std::optional<Draft>> drafts(given.size());
  std::vector<std::size_t> numeric;
  for (std::size_t j = 0; j < given.size(); ++j) {
    if (given[j].kind != Kind::numeric) continue;
    numeric.push_back(j);
    drafts[j].emplace(Draft{BinSearch(most, key_bits(given[j].cells.type)), {}, {}, {}});
    drafts[j]->counters.assign(drafts[j]->search.counters(), 0);
  }
  const std::size_t shares = std::min<std::size_t>(threads, numeric.size());
  for_each(shares, threads, [&](std::size_t share, unsigned) {
    const auto own = std::span(numeric).first(numeric.size() * (share + 1) / shares).subspan(numeric.size() * share / shares);
    each_block(given, own, n_rows, job, [&](std::size_t j, Row row, Row end, const View& cells) {
      i64* counters = drafts[j]->counters.data();
      if (weights.empty())
        each_key(cells, row, end, [&](Row, u64 key) { counters[key >> 48] += key != kNoKey; });
      else
        each_key(cells, row, end, [&](Row at, u64 key) { counters[key >> 48] += key != kNoKey ? weights[at] : 0; });
    });
    constexpr std::size_t kTogether = 8;  // columns whose keys are held at a time
    for (std::size_t at = 0; at < own.size(); at += kTogether)
      find_bins(given, own.subspan(at, std::min(kTogether, own.size() - at)), n_rows, weights, drafts, job);
  });
  std::vector<Bins> bins(given.size());
  for (const std::size_t j : numeric) bins[j].ends = drafts[j]->search.ends();
  return bins;
}

// Writes the codes of all columns, row by row.
template <class T>
class Writer {
 public:
  Writer(std::span<const GivenColumn> given, const std::vector<u32>& n_codes, std::span<const Bins> bins, unsigned threads)
      : given_(given), n_codes_(n_codes), coders_(given.size()) {
    for (std::size_t j = 0; j < given.size(); ++j)
      if (given[j].kind == Kind::numeric) coders_[j].emplace(bins[j]);
    const std::vector<CodedNumbers> nothing(n_codes.begin(), n_codes.end());
    seen_.assign(threads, nothing);
  }

  void write(Row begin, Row end, T* cells, unsigned worker) {
    const std::size_t width = given_.size();
    for (Row row = begin; row < end; row += std::min(kBlock, end - row)) {
      const Row last = row + std::min(kBlock, end - row);
      for (std::size_t j = 0; j < width; ++j) {
        T* to = cells + std::size_t{row} * width + j;
        if (given_[j].kind == Kind::numeric)
          write_codes(given_[j].cells, row, last, *coders_[j], to, width, seen_[worker][j]);
        else
          write_levels(j, row, last, to, seen_[worker][j]);
      }
    }
  }

  // What all threads have seen of a column.
  CodedNumbers seen(std::size_t j) const {
    CodedNumbers all = seen_[0][j];
    for (std::size_t worker = 1; worker < seen_.size(); ++worker) all.add(seen_[worker][j]);
    return all;
  }

 private:
  void write_levels(std::size_t j, Row begin, Row end, T* to, CodedNumbers& seen) {
    for (Row row = begin; row < end; ++row, to += given_.size()) {
      const double level = given_[j].cells.number(row);
      const bool there = level >= 0 && level < n_codes_[j];
      const u32 code = there ? static_cast<u32>(level) : n_codes_[j];
      seen.missing += !there;
      if (there) seen.least[code] = 0;
      *to = static_cast<T>(code);
    }
  }

  std::span<const GivenColumn> given_;
  const std::vector<u32>& n_codes_;
  std::vector<std::optional<Coder>> coders_;
  std::vector<std::vector<CodedNumbers>> seen_;  // by thread and column
};

EncodedColumn empty_column(Kind kind, u32 n_codes, const View& cells) {
  EncodedColumn column;
  column.kind = kind;
  column.n_codes = n_codes;
  column.cells = cells;
  return column;
}

template <class T>
void write_cells(std::span<const GivenColumn> given, Row n_rows, const std::vector<u32>& n_codes, unsigned threads, const JobControl& job,
                 BinnedCells& out) {
  constexpr Row kShare = 64 * kBlock;
  constexpr Type type = sizeof(T) == 1 ? Type::U8 : Type::U16;
  Writer<T> writer(given, n_codes, out.bins, threads);
  auto* cells = reinterpret_cast<T*>(out.cells->data());
  const std::size_t shares = (n_rows + kShare - 1) / kShare;
  for_each(shares, threads, [&](std::size_t share, unsigned worker) {
    job.check();
    const auto begin = static_cast<Row>(share * kShare);
    writer.write(begin, begin + std::min(kShare, n_rows - begin), cells, worker);
  });
  std::vector<EncodedColumn> columns;
  for (std::size_t j = 0; j < given.size(); ++j) {
    out.views.push_back({out.cells->data() + j * sizeof(T), static_cast<std::ptrdiff_t>(given.size() * sizeof(T)), type});
    columns.push_back(empty_column(given[j].kind, n_codes[j], out.views.back()));
    const CodedNumbers seen = writer.seen(j);
    columns.back().n_missing = seen.missing;
    if (given[j].kind == Kind::nominal) {
      for (const u64 key : seen.least) columns.back().seen.push_back(key != kNoKey);
      continue;
    }
    const auto number = [&](u64 key) { return number_of_key(key, given[j].cells.type); };
    for (std::size_t code = 0; code < seen.least.size(); ++code) {
      const bool empty = seen.least[code] == kNoKey;
      out.bins[j].low.push_back(empty ? std::numeric_limits<double>::quiet_NaN() : number(seen.least[code]));
      out.bins[j].high.push_back(empty ? std::numeric_limits<double>::quiet_NaN() : number(seen.most[code]));
    }
    const auto infinite = [](double x) { return std::isinf(x); };
    if (std::any_of(out.bins[j].low.begin(), out.bins[j].low.end(), infinite) ||
        std::any_of(out.bins[j].high.begin(), out.bins[j].high.end(), infinite))
      for (Row row = 0; row < n_rows && columns.back().infinite_row < 0; ++row)
        if (std::isinf(given[j].cells.number(row))) columns.back().infinite_row = row;
  }
  out.columns = Columns(std::move(columns));
}

}  // namespace

BinnedCells put_in_bins(std::span<const GivenColumn> given, Row n_rows, std::span<const i64> weights, u32 most, unsigned threads,
                        const JobControl& job) {
  threads = std::max(threads, 1U);
  BinnedCells out;
  out.bins = bins_of(given, n_rows, weights, most, threads, job);
  std::vector<u32> n_codes;
  for (std::size_t j = 0; j < given.size(); ++j) n_codes.push_back(given[j].kind == Kind::numeric ? out.bins[j].size() : given[j].n_levels);
  const bool bytes = std::all_of(n_codes.begin(), n_codes.end(), [](u32 n) { return n <= kMostByteCodes; });
  out.cells = std::make_shared<std::vector<std::byte>>(std::size_t{n_rows} * given.size() * (bytes ? 1 : 2));
  if (bytes)
    write_cells<u8>(given, n_rows, n_codes, threads, job, out);
  else
    write_cells<u16>(given, n_rows, n_codes, threads, job, out);
  return out;
}

CodedNumbers::CodedNumbers(std::size_t n_codes) : least(n_codes, kNoKey), most(n_codes, 0) {}

void CodedNumbers::add(const CodedNumbers& more) {
  missing += more.missing;
  for (std::size_t code = 0; code < least.size(); ++code) {
    least[code] = std::min(least[code], more.least[code]);
    most[code] = std::max(most[code], more.most[code]);
  }
}

void count_numbers(const BinSearch& search, const View& cells, const i64* weights, Row n_rows, i64* counters) {
  each_key(cells, 0, n_rows, [&](Row row, u64 key) {
    if (key != kNoKey && search.wants(key)) search.count(key, weights == nullptr ? 1 : weights[row], counters);
  });
}

CodedNumbers code_numbers(const View& cells, Row n_rows, const Bins& bins, bool bytes, std::byte* out, std::ptrdiff_t stride) {
  CodedNumbers seen(bins.size());
  const Coder coder(bins);
  const auto apart = static_cast<std::size_t>(stride);
  if (bytes)
    write_codes(cells, 0, n_rows, coder, reinterpret_cast<u8*>(out), apart, seen);
  else
    write_codes(cells, 0, n_rows, coder, reinterpret_cast<u16*>(out), apart / sizeof(u16), seen);
  return seen;
}

namespace {

template <class Use>
void each_code(const EncodedColumn& column, Row n_rows, const Use& use) {
  if (column.cells.type == Type::U8)
    for (Row row = 0; row < n_rows; ++row) use(row, u32{column.cells.at<u8>(row)});
  else
    for (Row row = 0; row < n_rows; ++row) use(row, u32{column.cells.at<u16>(row)});
}

}  // namespace

EncodedColumn column_in_place(Kind kind, u32 n_codes, const View& cells, Row n_rows) {
  EncodedColumn column = empty_column(kind, n_codes, cells);
  column.seen.assign(kind == Kind::nominal ? n_codes : 0, 0);
  each_code(column, n_rows, [&](Row, u32 code) {
    if (code >= n_codes)
      ++column.n_missing;
    else if (kind == Kind::nominal)
      column.seen[code] = 1;
  });
  return column;
}

bool in_place(const EncodedColumn& column) {
  return column.codes.empty() && column.order.empty() && column.stored.empty() && column.cells.data != nullptr &&
         (column.cells.type == Type::U8 || column.cells.type == Type::U16);
}

void take_codes(EncodedColumn& column, Row n_rows) {
  column.codes.resize(n_rows);
  each_code(column, n_rows, [&](Row row, u32 code) { column.codes[row] = code < column.n_codes ? code : kMissing; });
}

}  // namespace tw
