// Lists what the registries of the core hold.
#include "base/numbers.hpp"
#include "bind/casters.hpp"
#include "bind/rooms.hpp"
#include "grow/chooser.hpp"
#include "grow/criterion_entry.hpp"
#include "grow/engine.hpp"
#include "grow/sorted/applies.hpp"
#include "search/kernels.hpp"
#include "search/proposer.hpp"
#include "tree/family.hpp"

namespace tw::bind {

namespace nb = nanobind;

namespace {

template <std::size_t N>
std::vector<std::string> names(const char* const (&list)[N]) {
  return {list, list + N};
}

template <class Entry>
nb::list registered() {
  nb::list out;
  for (const Entry& entry : Registry<Entry>::all()) {
    nb::dict one;
    one["name"] = entry.name;
    one["summary"] = entry.summary;
    out.append(one);
  }
  return out;
}

}  // namespace

void add_registries(nb::module_& module) {
  module.def(
      "criteria",
      [] {
        nb::list out;
        for (const CriterionEntry& entry : Registry<CriterionEntry>::all()) {
          nb::dict one;
          one["name"] = entry.name;
          one["summary"] = entry.summary;
          one["classes"] = entry.classes;
          one["two_branches"] = entry.two_branches;
          one["priors"] = entry.priors || Registry<ReweightedEntry>::find(entry.name) != nullptr;
          one["concave"] = entry.concave;
          one["rank_is_score"] = entry.rank_is_score;
          one["sorted"] = Registry<SortedCriterion>::find(entry.name) != nullptr;
          one["whole_rows"] = entry.whole_rows;
          one["surrogates"] = entry.surrogates;
          one["measure"] = entry.measure;
          one["alters"] = !entry.priors && Registry<ReweightedEntry>::find(entry.name) != nullptr;
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
  module.def(
      "families",
      [] {
        std::vector<std::string> out;
        for (const FamilyFacts& facts : kFamilies) out.emplace_back(facts.name);
        return out;
      },
      "Names of the split families, in the order of their numbers.");
  module.def(
      "family_facts",
      [] {
        nb::list out;
        for (const FamilyFacts& facts : kFamilies) {
          if (!facts.traits.chosen_by_name) continue;
          nb::dict one;
          one["name"] = facts.name;
          one["numeric"] = facts.form == Form::cuts;
          one["two_branches"] = facts.traits.two_branches;
          one["once_per_path"] = facts.traits.once_per_path;
          out.append(one);
        }
        return out;
      },
      "The families a recipe may ask for: for numeric or nominal columns, of two branches or more, once per path.");
  module.def("choosers", [] { return registered<ChooserEntry>(); }, "Every chooser the core knows: name and summary.");
  module.def("proposers", [] { return registered<ProposerEntry>(); }, "Every proposer the core knows: name and summary.");
  module.def(
      "engines",
      [] {
        std::vector<std::string> out;
        for (const EngineEntry& engine : Registry<EngineEntry>::all()) out.push_back(engine.name);
        return out;
      },
      "Names of the engines that grow trees.");
  module.def("missing_policies", [] { return names(kMissingNames); }, "Names of the policies for missing cells.");
  module.def("log2", &log2_of, nb::arg("x"), "The core's own base-2 logarithm, the same bits on every platform.");
  module.def("midpoint", &midpoint, nb::arg("a"), nb::arg("b"), nb::arg("strict"), "A threshold between two neighbouring values.");
  module.def("chi_square_tail", &chi_square_tail, nb::arg("statistic"), nb::arg("degrees"), "Upper tail of the chi-square distribution.");
}

}  // namespace tw::bind
