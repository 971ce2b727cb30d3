// Pessimistic estimates of errors (Quinlan 1993, chapter 4): how many errors beyond those seen are expected of a leaf or a rule.
#pragma once

#include "base/types.hpp"

namespace tw {

enum class Estimate : u8 { quinlan, weka };  // C4.5 release 8, and J48

class ErrorEstimate {
 public:
  // `confidence`: between 0 and 1 (weka: 0.5); smaller prunes more.
  ErrorEstimate(double confidence, Estimate kind);

  // Errors to expect beyond the `errors` seen among `weight` cases.
  double extra(double weight, double errors) const;
  double total(double weight, double errors) const { return weight > 0 ? errors + extra(weight, errors) : 0; }

 private:
  double confidence_;
  Estimate kind_;
  double z_;
};

}  // namespace tw
