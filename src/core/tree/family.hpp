// The split families by number, as trees store them, with what is true of each whatever the criterion. How a family is searched is in the
// file of search/ named after it (search/families.hpp lists them).
#pragma once

#include "base/types.hpp"

namespace tw {

enum class Family : u8 { none, threshold, ternary, discretised, multiway, one_vs_rest, subset, presence, grouped, largest };

// How a test divides what it reads: by cuts between numbers, by listed levels, or by whether there is anything to read.
enum class Form : u8 { none, cuts, levels, presence };

struct FamilyTraits {
  bool chosen_by_name = false;        // a recipe may ask for it
  bool two_branches = false;          // of cells that are present
  bool once_per_path = false;         // a column that was divided so has nothing left to divide below
  bool unlisted_to_heaviest = false;  // levels that did not occur at a node go with most of its rows
};

struct FamilyFacts {
  Family family;
  const char* name;
  Form form;
  FamilyTraits traits = {};
};

inline constexpr FamilyFacts kFamilies[] = {
    {Family::none, "none", Form::none},
    {Family::threshold, "threshold", Form::cuts, {.chosen_by_name = true, .two_branches = true}},
    {Family::ternary, "ternary", Form::cuts, {.chosen_by_name = true}},
    {Family::discretised, "discretised", Form::cuts, {.chosen_by_name = true, .once_per_path = true}},
    {Family::multiway, "multiway", Form::levels, {.chosen_by_name = true, .once_per_path = true}},
    {Family::one_vs_rest, "one_vs_rest", Form::levels, {.chosen_by_name = true, .two_branches = true}},
    {Family::subset, "subset", Form::levels, {.chosen_by_name = true, .two_branches = true, .unlisted_to_heaviest = true}},
    {Family::presence, "presence", Form::presence, {.two_branches = true}},
    {Family::grouped, "grouped", Form::levels, {.chosen_by_name = true}},
    {Family::largest, "largest", Form::cuts},  // of several scores: their number is cut
};
inline constexpr std::size_t kFamilyCount = sizeof kFamilies / sizeof kFamilies[0];

constexpr const FamilyFacts& facts_of(Family family) { return kFamilies[static_cast<u8>(family)]; }
constexpr const FamilyTraits& traits_of(Family family) { return facts_of(family).traits; }
constexpr Form form_of(Family family) { return facts_of(family).form; }

static_assert(
    [] {
      for (std::size_t i = 0; i < kFamilyCount; ++i)
        if (static_cast<std::size_t>(kFamilies[i].family) != i) return false;
      return true;
    }(),
    "families stand in the order of their numbers");

}  // namespace tw
