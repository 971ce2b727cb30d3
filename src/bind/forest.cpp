// Forests for Python: samples of rows, and what members say of rows, added up.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <type_traits>

#include "base/hash.hpp"
#include "bind/arrays.hpp"
#include "bind/casters.hpp"
#include "bind/rooms.hpp"
#include "bind/watch.hpp"
#include "forest/agreement.hpp"
#include "forest/answers.hpp"
#include "forest/contributions.hpp"
#include "forest/draw.hpp"
#include "forest/reweigh.hpp"
#include "models/exact_sum.hpp"

namespace tw::bind {

namespace {

template <class T>
using Flat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The members of a forest with what their nodes say; they and the arrays live as long as this does.
class Members {
 public:
  explicit Members(std::size_t n_sums) : n_sums_(n_sums) {}

  // Node i adds `values` of [begin[i], begin[i + 1]) to the sums `outputs`.
  void add(const nb::object& tree, const Flat<u32>& begin, const Flat<u32>& outputs, const Flat<double>& values, double weight) {
    const Tree& member = checked(tree);
    const std::span<const u32> offsets{begin.data(), begin.shape(0)};
    const std::span<const u32> sums{outputs.data(), outputs.shape(0)};
    const bool fits = offsets.size() == member.size() + 1 && offsets.front() == 0 && offsets.back() == sums.size() &&
                      sums.size() == values.shape(0) && std::is_sorted(offsets.begin(), offsets.end()) &&
                      std::all_of(sums.begin(), sums.end(), [&](u32 sum) { return sum < n_sums_; });
    if (!fits) throw Invalid("what the nodes of a member say does not fit the member");
    members_.push_back({&member, offsets, sums, {values.data(), values.shape(0)}, weight, 0});
    held_.insert(held_.end(), {tree, nb::cast(begin), nb::cast(outputs), nb::cast(values)});
    gates_.emplace_back();
  }

  // Node i adds its value to one sum.
  void add_numbers(const nb::object& tree, const Flat<double>& values, double weight, u32 output) {
    const Tree& member = checked(tree);
    if (values.shape(0) != member.size() || output >= n_sums_) throw Invalid("what the nodes of a member say does not fit the member");
    members_.push_back({&member, {}, {}, {values.data(), values.shape(0)}, weight, output});
    held_.insert(held_.end(), {tree, nb::cast(values)});
    gates_.emplace_back();
  }

  // The member that was added last passes a threshold in shares.
  void add_gate(u32 node, const std::vector<double>& at, const std::vector<double>& share) {
    const Tree& member = *members_.back().tree;
    const bool fits = node < member.size() && member.n_children[node] == 2 && !at.empty() && at.size() == share.size() &&
                      std::is_sorted(at.begin(), at.end());
    if (!fits) throw Invalid("a gate does not fit the member");
    gates_.back().push_back({node, at, share});
  }

  // The sums of all rows; None where rows are refused (of a matrix that is given as it came) or divided among leaves.
  nb::object sums(const std::vector<Array>& arrays, u64 n_rows, bool as_it_came, bool refuse_missing, unsigned threads) const {
    const std::vector<View> cells = views_of(arrays, n_rows, members_.empty() ? 0 : members_.front().tree->columns.size());
    std::vector<double> out(n_rows * n_sums_, 0.0);
    const Nonfinite nonfinite = !as_it_came ? Nonfinite::nothing : refuse_missing ? Nonfinite::infinite_or_missing : Nonfinite::infinite;
    Added added = Added::all;
    JobControl job;
    const auto run = [&] { added = add_answers(members_, cells, n_rows, n_sums_, nonfinite, threads, job, out.data()); };
    constexpr u64 kQuick = 1 << 16;
    if (n_rows * members_.size() < kQuick) {
      const nb::gil_scoped_release release;
      run();
    } else {
      watched(job, nb::none(), run);
    }
    return added == Added::all ? nb::cast(give(std::move(out))) : nb::none();
  }

  // What is said if nothing is known, per sum, and contributions: rows x columns x sums, flat.
  nb::object contributions(const std::vector<Array>& arrays, u64 n_rows, const std::vector<Array>& background, u64 n_background,
                           unsigned threads) const {
    const std::size_t n_columns = members_.empty() ? 0 : members_.front().tree->columns.size();
    const std::vector<View> cells = views_of(arrays, n_rows, n_columns);
    const std::vector<View> others = n_background > 0 ? views_of(background, n_background, n_columns) : std::vector<View>{};
    const Explained rows{cells, n_rows, n_background > 0 ? &others : nullptr, n_background};
    Contributions out;
    JobControl job;
    watched(job, nb::none(), [&] { out = tw::contributions(members_, gates_, rows, static_cast<u32>(n_sums_), threads, job); });
    return nb::make_tuple(give(std::move(out.base)), give(std::move(out.values)));
  }

 private:
  const Tree& checked(const nb::object& tree) const {
    const Tree& member = nb::cast<const Tree&>(tree);
    if (!members_.empty() && member.columns.size() != members_.front().tree->columns.size())
      throw Invalid("the members of a forest read the same columns");
    return member;
  }

  std::size_t n_sums_;
  std::vector<Member> members_;
  std::vector<std::vector<SoftGate>> gates_;
  std::vector<nb::object> held_;
};

// What is computed while others may hold the interpreter.
template <class Compute>
auto unlocked(const Compute& compute) {
  std::invoke_result_t<Compute> out;
  {
    const nb::gil_scoped_release release;
    out = compute();
  }
  return give(std::move(out));
}

u64 key_of(u64 seed, u64 member) { return mix(mix(seed), member); }

}  // namespace

void add_forest(nb::module_& module) {
  nb::class_<Members>(module, "Members", "The trees of a forest, with what their nodes add to the sums of a row.")
      .def(nb::init<std::size_t>(), nb::arg("n_sums"))
      .def("add", &Members::add, nb::arg("tree"), nb::arg("begin"), nb::arg("outputs"), nb::arg("values"), nb::arg("weight"))
      .def("add_numbers", &Members::add_numbers, nb::arg("tree"), nb::arg("values"), nb::arg("weight"), nb::arg("output") = 0)
      .def("sums", &Members::sums, nb::arg("columns"), nb::arg("n_rows"), nb::arg("as_it_came"), nb::arg("refuse_missing"),
           nb::arg("threads") = 1,
           nb::sig("def sums(self, columns: list, n_rows: int, as_it_came: bool, refuse_missing: bool, threads: int = 1) -> "
                   "numpy.typing.NDArray[numpy.float64] | None"),
           "Rows x sums, flat; None where something is to be said of the rows, or a row ends in several leaves.")
      .def("add_gate", &Members::add_gate, nb::arg("node"), nb::arg("at"), nb::arg("share"),
           "Let the member that was added last pass a threshold in shares: of the first branch, linear between points.")
      .def("contributions", &Members::contributions, nb::arg("columns"), nb::arg("n_rows"), nb::arg("background"), nb::arg("n_background"),
           nb::arg("threads") = 1,
           nb::sig("def contributions(self, columns: list, n_rows: int, background: list, n_background: int, threads: int = 1) -> "
                   "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
           "What is said if nothing is known of a row, per sum; and rows x columns x sums, flat. Without a background (0 rows) training "
           "rows stand in for what is not known.");
  module.def(
      "exact_sum",
      [](const Flat<double>& values, const std::optional<Flat<bool>>& where) {
        if (where && where->shape(0) != values.shape(0)) throw Invalid("which values are added does not fit the values");
        if (where) return exact_sum_where({values.data(), values.shape(0)}, where->data());
        ExactSum sum;
        for (std::size_t i = 0; i < values.shape(0); ++i) sum.add(values.data()[i]);
        return sum.value();
      },
      nb::arg("values"), nb::arg("where") = nb::none(),
      nb::sig("def exact_sum(values: NDArray[numpy.float64], where: NDArray[numpy.bool_] | None = None) -> float"),
      "The sum, or that of some of the values, with twice the digits, so that no order of what is added changes it.");
  module.def(
      "reweighed",
      [](const Flat<double>& weights, const Flat<bool>& where, double factor, double total) {
        if (where.shape(0) != weights.shape(0)) throw Invalid("which rows are weighed anew does not fit the weights");
        return unlocked([&] { return reweighed({weights.data(), weights.shape(0)}, where.data(), factor, total); });
      },
      nb::arg("weights"), nb::arg("where"), nb::arg("factor"), nb::arg("total"),
      "The weights, of some rows times a factor, scaled to a total.");
  module.def(
      "member_seed", [](u64 seed, u64 member) { return key_of(seed, member) >> 33; }, nb::arg("seed"), nb::arg("member"),
      "The seed of a member: a whole number below 2^31.");
  module.def(
      "drawn_counts",
      [](u64 seed, u64 member, u32 n_rows, u32 draws) {
        return unlocked([&] { return drawn_counts(key_of(seed, member), n_rows, draws); });
      },
      nb::arg("seed"), nb::arg("member"), nb::arg("n_rows"), nb::arg("draws"),
      "How often each row is drawn for a member, with replacement.");
  nb::class_<DrawnCounts>(module, "DrawnCounts", "How often rows are drawn for a member, told from the first row on, so many at a time.")
      .def(
          "__init__",
          [](DrawnCounts* self, u64 seed, u64 member, u32 n_rows, u32 draws) {
            new (self) DrawnCounts(key_of(seed, member), n_rows, draws);
          },
          nb::arg("seed"), nb::arg("member"), nb::arg("n_rows"), nb::arg("draws"))
      .def("next", [](DrawnCounts& self, u32 rows) { return give(self.next(rows)); }, nb::arg("rows"));
  const auto nearest = [](const auto& own, const auto& others, std::size_t n_trees, std::size_t k, i64 itself, unsigned threads) {
    const std::size_t n_own = n_trees == 0 ? 0 : own.shape(0) / n_trees;
    const std::size_t n_others = n_trees == 0 ? 0 : others.shape(0) / n_trees;
    const bool whole = n_own * n_trees == own.shape(0) && n_others * n_trees == others.shape(0);
    const bool held = itself < 0 || static_cast<std::size_t>(itself) + n_own <= n_others;
    if (!whole || n_trees == 0 || !held || k + (itself >= 0) > n_others) throw Invalid("leaves are not of as many rows and trees");
    Nearest found;
    {
      const nb::gil_scoped_release release;
      found = nearest_rows(std::span(own.data(), own.shape(0)), std::span(others.data(), others.shape(0)), n_trees, k, itself, threads);
    }
    return nb::make_tuple(give(std::move(found.rows)), give(std::move(found.shared)));
  };
  const char* const about =
      "Of every row the nearest k others by the trees in which both have the same leaf, and in how many; leaves tree by tree.";
  module.def(
      "nearest_rows",
      [nearest](const Flat<u8>& own, const Flat<u8>& others, std::size_t n_trees, std::size_t k, i64 itself, unsigned threads) {
        return nearest(own, others, n_trees, k, itself, threads);
      },
      nb::arg("own"), nb::arg("others"), nb::arg("n_trees"), nb::arg("k"), nb::arg("itself"), nb::arg("threads") = 1, about);
  module.def(
      "nearest_rows",
      [nearest](const Flat<u16>& own, const Flat<u16>& others, std::size_t n_trees, std::size_t k, i64 itself, unsigned threads) {
        return nearest(own, others, n_trees, k, itself, threads);
      },
      nb::arg("own"), nb::arg("others"), nb::arg("n_trees"), nb::arg("k"), nb::arg("itself"), nb::arg("threads") = 1, about);
  module.def(
      "drawn_rows",
      [](u64 seed, u64 member, u32 n_rows, u32 draws) {
        if (draws > n_rows) throw Invalid("more rows than there are cannot be drawn without replacement");
        return unlocked([&] { return drawn_rows(key_of(seed, member), n_rows, draws); });
      },
      nb::arg("seed"), nb::arg("member"), nb::arg("n_rows"), nb::arg("draws"), "Rows drawn for a member, without replacement.");
}

}  // namespace tw::bind
