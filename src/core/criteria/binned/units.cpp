// The criteria for which there is an engine of tables in bins.
#include "criteria/entropy.hpp"
#include "criteria/gini_scan.hpp"
#include "criteria/variance_scan.hpp"
#include "grow/binned/entry.hpp"

namespace tw {

namespace {

struct InfoGain : Entropy {
  using Entropy::Entropy;
  std::optional<double> merit(const Outcome& o) const { return o.gain; }
};

const EnrolBinned gini(binned_unit<Gini>("gini"));
const EnrolBinned info_gain(binned_unit<InfoGain>("info_gain"));
const EnrolBinned variance(binned_unit<Variance>("variance"));

}  // namespace

}  // namespace tw
