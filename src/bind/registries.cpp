#include "base/numbers.hpp"
#include "bind/casters.hpp"
#include "bind/rooms.hpp"
#include "grow/criterion_entry.hpp"
#include "search/kernels.hpp"

namespace tw::bind {

namespace nb = nanobind;

namespace {

template <std::size_t N>
std::vector<std::string> names(const char* const (&list)[N]) {
  return {list, list + N};
}

}  // namespace

void add_parts(nb::module_& module) {
  module.def(
      "criteria",
      [] {
        nb::list out;
        for (const CriterionEntry& part : Registry<CriterionEntry>::all()) {
          nb::dict one;
          one["name"] = part.name;
          one["summary"] = part.summary;
          one["classes"] = part.classes;
          one["two_branches"] = part.two_branches;
          one["concave"] = part.concave;
          one["rank_is_score"] = part.rank_is_score;
          one["sorted"] = part.grow_sorted != nullptr;
          one["priors"] = part.priors || Registry<ReweightedEntry>::find(part.name) != nullptr;
          one["alters"] = !part.priors && Registry<ReweightedEntry>::find(part.name) != nullptr;
          out.append(one);
        }
        return out;
      },
      "Every criterion the core knows: name, summary, for classes or numbers, for two branches only, and what it promises.");
  module.def(
      "kernel_levels", [] { return std::vector<int>{static_cast<int>(kernel_level()), static_cast<int>(best_kernel_level())}; },
      "Level of the vector kernels in use, and the best of this machine: 0 scalar, 1 AVX2, 2 AVX-512.");
  module.def(
      "use_kernel_level", [](int level) { use_kernel_level(static_cast<KernelLevel>(level)); }, nb::arg("level"),
      "Use a level of the vector kernels, at most the machine's best. For tests: every level gives the same trees.");
  module.def("families", [] { return names(kFamilyNames); }, "Names of the split families, in the order of their codes.");
  module.def("missing_policies", [] { return names(kMissingNames); }, "Names of the policies for missing cells.");
  module.def("log2", &log2_of, nb::arg("x"), "The core's own base-2 logarithm, the same bits on every platform.");
  module.def("midpoint", &midpoint, nb::arg("a"), nb::arg("b"), nb::arg("strict"), "A threshold between two neighbouring values.");
  module.def("chi_square_tail", &chi_square_tail, nb::arg("statistic"), nb::arg("degrees"), "Upper tail of the chi-square distribution.");
}

}  // namespace tw::bind
