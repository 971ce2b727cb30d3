// Compares surrogates, and keeps the best.
#include "search/surrogate_search.hpp"

namespace tw {

namespace {

constexpr double kLeastAdjusted = 1e-10;

const TwoWays& counted(const FoundSurrogate& one, const TwoWays& all, const SurrogateSettings& settings) {
  return settings.present ? one.present : all;
}

double adjusted(i64 agree, const TwoWays& of) {
  const i64 wrong = of.total() - of.majority();
  return wrong > 0 ? static_cast<double>(agree - of.majority()) / static_cast<double>(wrong) : 0;
}

}  // namespace

u32 branch_of_level(const TwoWays& level, const TwoWays& present) {
  if (level.of[0] != level.of[1]) return level.of[0] > level.of[1] ? 0 : 1;
  return present.of[0] >= present.of[1] ? 0 : 1;
}

FoundSurrogate surrogate_by_levels(Column column, const std::vector<TwoWays>& levels, const TwoWays& present,
                                   const SurrogateSettings& settings) {
  FoundSurrogate out;
  out.column = column;
  out.present = present;
  i64 sent[2] = {0, 0};
  i64 agreeing = 0;
  for (const TwoWays& level : levels) {
    const u32 branch = branch_of_level(level, present);
    out.agree += level.of[branch];
    sent[branch] += level.all_rows();
    agreeing += level.rows[branch];
  }
  const bool enough = settings.as_rpart ? agreeing >= 2 && present.all_rows() - agreeing >= 2 : sent[0] >= 2 && sent[1] >= 2;
  out.any = enough && out.agree > present.majority();
  return out;
}

std::vector<FoundSurrogate> ranked(std::vector<FoundSurrogate> found, const TwoWays& all, const SurrogateSettings& settings) {
  std::erase_if(
      found, [&](const FoundSurrogate& one) { return !one.any || !(adjusted(one.agree, counted(one, all, settings)) > kLeastAdjusted); });
  const auto share = [&](const FoundSurrogate& a, const FoundSurrogate& b) {
    return static_cast<i128>(a.agree) * counted(b, all, settings).total();
  };
  std::stable_sort(found.begin(), found.end(), [&](const FoundSurrogate& a, const FoundSurrogate& b) { return share(a, b) > share(b, a); });
  if (found.size() > settings.most) found.resize(settings.most);
  return found;
}

Surrogate surrogate_of(const FoundSurrogate& found, const TwoWays& all, const SurrogateSettings& settings) {
  const TwoWays& of = counted(found, all, settings);
  Surrogate out;
  out.column = found.column;
  out.below = found.below;
  out.agreement = static_cast<double>(found.agree) / static_cast<double>(of.total());
  out.adjusted = adjusted(found.agree, of);
  return out;
}

}  // namespace tw
