// How much a row counts when a tree answers for it, and what each answer costs.
#pragma once

#include <string>
#include <vector>

#include "tree/tree.hpp"

namespace tw {

enum class Measure : u8 { squares, absolute, deviance };  // of an error among numbers

struct Costs {
  std::vector<double> factor;  // what a row of each class counts under priors or class weights; empty: one each
  std::vector<double> loss;    // by true class and answer; empty: one for every wrong answer
  Measure measure = Measure::squares;

  Costs() = default;
  Costs(std::vector<double> factors, std::vector<double> losses, const std::string& name);

  // Refuses costs that are not for the classes of the tree.
  void check(const Tree& tree) const;
  // A class that the tree has not seen counts one.
  double counts(u32 truth) const { return truth < factor.size() ? factor[truth] : 1; }
};

}  // namespace tw
