// Shares of rules, and the description length with and without one of them.
#include "rules/coverage.hpp"

#include "rules/description.hpp"

namespace tw {

Coverage::Coverage(const Cases& cases, const Bits& among, const Bits& positive, double n_conditions, bool check_error)
    : cases_(cases), among_(among), positive_(positive), n_conditions_(n_conditions), check_error_(check_error) {
  total_ = static_cast<double>(cases.weigh(among_)) * cases.quantum;
  positives_ = static_cast<double>(cases.weigh(among_, positive_)) * cases.quantum;
  expected_ = total_ > 0 ? positives_ / total_ : 0;
}

Share Coverage::share(const CoveringRule& rule, Bits& left) const {
  Bits own = left;
  for (std::size_t w = 0; w < own.size(); ++w) own[w] &= rule.covers[w];
  take_away(left, own);
  return {static_cast<double>(cases_.weigh(own)) * cases_.quantum, static_cast<double>(cases_.weigh(own, positive_)) * cases_.quantum};
}

double Coverage::theory(std::size_t length) const { return rule_bits(static_cast<double>(length), n_conditions_); }

double Coverage::bits(const Share& sum) const {
  return exception_bits(expected_, sum.cover, total_ - sum.cover, sum.wrong(), positives_ - sum.right);
}

std::optional<double> Coverage::saved_by_deleting(const CoveringRule& rule, const Share& share, Share& sum) const {
  const Share without{sum.cover - share.cover, sum.right - share.right};
  const double saved = bits(sum) + theory(rule.when.size()) - bits(without);
  if (saved < 0 && !(check_error_ && mostly_wrong(share))) return std::nullopt;
  sum = without;
  return saved;
}

double Coverage::least_bits(const std::vector<const CoveringRule*>& rules, std::size_t first_deletable, std::size_t index,
                            const std::vector<Share>& before, Bits left) const {
  Share sum;
  for (const Share& share : before) sum = {sum.cover + share.cover, sum.right + share.right};
  std::vector<Share> shares;
  for (std::size_t k = before.size(); k < rules.size(); ++k) {
    shares.push_back(k == index ? Share{} : share(*rules[k], left));
    sum = {sum.cover + shares.back().cover, sum.right + shares.back().right};
  }
  const double whole = bits(sum);
  double saved = 0;
  for (std::size_t k = first_deletable; k < rules.size(); ++k)
    if (k != index) saved += saved_by_deleting(*rules[k], shares[k - before.size()], sum).value_or(0);
  return whole - saved;
}

double Coverage::relative_bits(const std::vector<const CoveringRule*>& rules, std::size_t index, const std::vector<Share>& before,
                               const Bits& left_before) const {
  const double with = least_bits(rules, index + 1, rules.size(), before, left_before);
  const double without = least_bits(rules, index + 1, index, before, left_before);
  return with + theory(rules[index]->when.size()) - without;
}

void Coverage::shorten(std::vector<CoveringRule>& rules) const {
  Bits left = among_;
  std::vector<Share> shares;
  Share sum;
  for (const CoveringRule& rule : rules) {
    shares.push_back(share(rule, left));
    sum = {sum.cover + shares.back().cover, sum.right + shares.back().right};
  }
  for (std::size_t k = rules.size(); k-- > 0;)
    if (saved_by_deleting(rules[k], shares[k], sum)) rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(k));
}

}  // namespace tw
