// Description lengths of rules and of their exceptions, in bits. Two books: Cohen (1995) as JRip has it, and C4.5rules (Quinlan 1993,
// 1995).
#pragma once

namespace tw {

// Bits that say which k of n things, where each is expected with probability p.
double subset_bits(double n, double k, double p);

// A rule of k of n possible conditions; half of what its coding takes, because conditions are not independent.
double rule_bits(double k, double n);

// What a rule set gets wrong: it covers so much weight and leaves so much, with false positives among the covered and false negatives among
// the rest. `expected` is the share of false positives to be expected among the errors.
double exception_bits(double expected, double cover, double uncover, double false_positives, double false_negatives);

// The same in C4.5rules: a class's rules fire `fires` times among `cases`.
double selected_bits(double cases, double fires, double false_positives, double false_negatives);

}  // namespace tw
