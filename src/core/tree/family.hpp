// The split families by number, as trees store them, with what is true of each whatever the criterion. How a family is searched is in the
// file of search/ named after it (search/families.hpp lists them).
#pragma once

#include "base/types.hpp"

namespace tw {

enum class Family : u8 { none, threshold, ternary, discretised, multiway, one_vs_rest, subset, presence, grouped };

// How a test divides what it reads: by cuts between numbers, by listed levels, or by whether there is anything to read.
enum class Form : u8 { none, cuts, levels, presence };

struct FamilyFacts {
  Family family;
  const char* name;
  Form form;
  bool chosen_by_name;  // a recipe may ask for it
  bool two_branches;    // of cells that are present
  bool once_per_path;   // a column that was divided so has nothing left to divide below
};

inline constexpr FamilyFacts kFamilies[] = {
    {Family::none, "none", Form::none, false, false, false},         {Family::threshold, "threshold", Form::cuts, true, true, false},
    {Family::ternary, "ternary", Form::cuts, true, false, false},    {Family::discretised, "discretised", Form::cuts, true, false, true},
    {Family::multiway, "multiway", Form::levels, true, false, true}, {Family::one_vs_rest, "one_vs_rest", Form::levels, true, true, false},
    {Family::subset, "subset", Form::levels, true, true, false},     {Family::presence, "presence", Form::presence, false, true, false},
    {Family::grouped, "grouped", Form::levels, true, false, false},
};
inline constexpr std::size_t kFamilyCount = sizeof kFamilies / sizeof kFamilies[0];

constexpr const FamilyFacts& facts_of(Family family) { return kFamilies[static_cast<u8>(family)]; }
constexpr Form form_of(Family family) { return facts_of(family).form; }

static_assert(
    [] {
      for (std::size_t i = 0; i < kFamilyCount; ++i)
        if (static_cast<std::size_t>(kFamilies[i].family) != i) return false;
      return true;
    }(),
    "families stand in the order of their numbers");

}  // namespace tw
