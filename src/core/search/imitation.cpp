#include "search/imitation.hpp"

namespace tw {

namespace {

constexpr double kLeastAdjusted = 1e-10;

const TwoWays& counted(const Imitation& one, const TwoWays& all, const SurrogateSettings& settings) {
  return settings.known ? one.known : all;
}

double adjusted(i64 agree, const TwoWays& of) {
  const i64 wrong = of.total() - of.majority();
  return wrong > 0 ? static_cast<double>(agree - of.majority()) / static_cast<double>(wrong) : 0;
}

}  // namespace

u32 branch_of_level(const TwoWays& level, const TwoWays& known) {
  if (level.of[0] != level.of[1]) return level.of[0] > level.of[1] ? 0 : 1;
  return known.of[0] >= known.of[1] ? 0 : 1;
}

Imitation imitate_by_levels(Column column, const std::vector<TwoWays>& levels, const TwoWays& known, const SurrogateSettings& settings) {
  Imitation out;
  out.column = column;
  out.known = known;
  i64 sent[2] = {0, 0};
  i64 agreeing = 0;
  for (const TwoWays& level : levels) {
    const u32 branch = branch_of_level(level, known);
    out.agree += level.of[branch];
    sent[branch] += level.all_rows();
    agreeing += level.rows[branch];
  }
  const bool enough = settings.as_rpart ? agreeing >= 2 && known.all_rows() - agreeing >= 2 : sent[0] >= 2 && sent[1] >= 2;
  out.any = enough && out.agree > known.majority();
  return out;
}

std::vector<Imitation> ranked(std::vector<Imitation> found, const TwoWays& all, const SurrogateSettings& settings) {
  std::erase_if(found,
                [&](const Imitation& one) { return !one.any || !(adjusted(one.agree, counted(one, all, settings)) > kLeastAdjusted); });
  const auto share = [&](const Imitation& a, const Imitation& b) { return static_cast<i128>(a.agree) * counted(b, all, settings).total(); };
  std::stable_sort(found.begin(), found.end(), [&](const Imitation& a, const Imitation& b) { return share(a, b) > share(b, a); });
  if (found.size() > settings.most) found.resize(settings.most);
  return found;
}

Surrogate surrogate_of(const Imitation& imitation, const TwoWays& all, const SurrogateSettings& settings) {
  const TwoWays& of = counted(imitation, all, settings);
  Surrogate out;
  out.column = imitation.column;
  out.below = imitation.below;
  out.agreement = static_cast<double>(imitation.agree) / static_cast<double>(of.total());
  out.adjusted = adjusted(imitation.agree, of);
  return out;
}

}  // namespace tw
