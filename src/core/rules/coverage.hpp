// What the rules of one class cover, and their description length in bits. A rule counts for the cases that no rule before it covers.
#pragma once

#include <optional>
#include <vector>

#include "rules/cases.hpp"
#include "rules/measures.hpp"

namespace tw {

struct CoveringRule {
  Literals when;
  Bits covers;
};

// The weight a rule covers beyond those before it.
struct Share {
  double cover = 0;
  double right = 0;
  double wrong() const { return cover - right; }
};

class Coverage {
 public:
  // `among`: the cases the list is about, `positive`: those of its class. `n_conditions`: how many literals there are to choose from.
  // `check_error`: a rule that misclassifies half or more of its own share is deleted, whatever that saves.
  Coverage(const Cases& cases, const Bits& among, const Bits& positive, double n_conditions, bool check_error);

  Share share(const CoveringRule& rule, Bits& left) const;  // removes the cases the rule covers from `left`

  // Bits by which the rule at `index` makes the list longer, or if negative shorter; with and without it, later rules are deleted where
  // that pays. `before` are the shares of the rules before it, `left_before` the cases that these leave.
  double relative_bits(const std::vector<const CoveringRule*>& rules, std::size_t index, const std::vector<Share>& before,
                       const Bits& left_before) const;
  // Deletes, from the last to the first, rules that lengthen the description.
  void shorten(std::vector<CoveringRule>& rules) const;

  double empty_bits() const { return bits({0, 0}); }
  bool mostly_wrong(const Share& share) const { return share.cover > 0 && share.wrong() / share.cover >= 0.5; }
  const Bits& among() const { return among_; }
  double positives() const { return positives_; }
  double theory(std::size_t length) const;

 private:
  double bits(const Share& sum) const;
  // What deleting a rule saves, if it does; `sum` is then without it.
  std::optional<double> saved_by_deleting(const CoveringRule& rule, const Share& share, Share& sum) const;
  // Bits of the exceptions of all rules but the one at `index` (of all, if that is beyond them), less what is saved by deleting those from
  // `first_deletable` on. `before` and `left` as above.
  double least_bits(const std::vector<const CoveringRule*>& rules, std::size_t first_deletable, std::size_t index,
                    const std::vector<Share>& before, Bits left) const;

  const Cases& cases_;
  Bits among_;
  Bits positive_;
  double n_conditions_;
  bool check_error_;
  double total_ = 0;
  double positives_ = 0;
  double expected_ = 0;  // share of the class among the cases: the share of errors expected to be false positives
};

}  // namespace tw
