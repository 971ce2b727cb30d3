// Description lengths of rules and of their exceptions, in bits. Two conventions: Cohen's (1995) as implemented by JRip, and that of
// C4.5rules (Quinlan 1993, 1995).
#pragma once

namespace tw {

// Bits that tell which k of n events happen, each of probability p.
double subset_bits(double n, double k, double p);

// A rule of k of n possible conditions; half of its code length, because conditions are not independent.
double rule_bits(double k, double n);

// The errors of a rule set that covers the weight `cover` and leaves `uncover`: false positives among the covered, false negatives among
// the rest. `expected` is the share of false positives expected among the errors.
double exception_bits(double expected, double cover, double uncover, double false_positives, double false_negatives);

// The same in C4.5rules: a class's rules fire `fires` times among `cases`.
double selected_bits(double cases, double fires, double false_positives, double false_negatives);

}  // namespace tw
