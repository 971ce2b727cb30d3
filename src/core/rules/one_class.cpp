// IREP and RIPPER for one class: rules grown, pruned, added until one ends the class, and optimised in rounds.
#include "rules/one_class.hpp"

#include <algorithm>
#include <limits>

#include "base/hash.hpp"
#include "rules/holdout_draw.hpp"

namespace tw {

namespace {

constexpr double kNoBits = std::numeric_limits<double>::infinity();

}  // namespace

OneClass::OneClass(const Cases& cases, const CoverSettings& settings, const Lists& lists, const Bits& among, u32 label, double n_conditions,
                   u64& draws, const JobControl& job)
    : cases_(cases),
      settings_(settings),
      base_(lists),
      lists_(&lists),
      positive_(cases.of_class(label)),
      coverage_(cases, among, positive_, n_conditions, settings.check_error),
      draws_(draws),
      job_(job),
      literals_(cases, settings.gain, job),
      role_(cases.size, 0),
      weight_(cases.plain ? 0 : cases.size, 0),
      keep_(cases.size, 0),
      label_(label) {}

void OneClass::draw(const Bits& left) {
  const u64 seed = mix(settings_.seed, draws_++);
  std::vector<HoldoutDraw> draws;
  for (u32 label = 0; label < cases_.n_classes; ++label) draws.emplace_back(mix(seed, label), settings_.folds);
  std::fill(role_.begin(), role_.end(), u8{kOutside});
  if (cases_.plain && settings_.prune) {
    // No branch depends on the draw, which no processor could predict.
    holdouts_.resize(cases_.size + std::size_t{1});
    std::size_t n_held_out = 0;
    each_case(left, [&](u32 at) {
      const u32 label = cases_.class_of[at];
      const u32 held_out = draws[label].held_out();
      holdouts_[n_held_out] = {at, 1};
      n_held_out += held_out;
      role_[at] = static_cast<u8>((label == label_ ? kPositive : kNegative) & (held_out - 1));
    });
    holdouts_.resize(n_held_out);
    return;
  }
  holdouts_.clear();
  each_case(left, [&](u32 at) {
    const u32 label = cases_.class_of[at];
    const u32 rows = cases_.rows[at];
    u32 held_out = 0;
    if (settings_.prune) {
      held_out = rows == 1 ? u32{draws[label].held_out()} * cases_.weight[at]
                           : static_cast<u32>(u64{cases_.weight[at]} * draws[label].held_out(rows) / rows);
    }
    if (held_out > 0) holdouts_.push_back({at, held_out});
    if (held_out == cases_.weight[at]) return;
    role_[at] = label == label_ ? kPositive : kNegative;
    if (!weight_.empty()) weight_[at] = cases_.weight[at] - held_out;
  });
}

void OneClass::narrow_lists(const Bits& left) {
  std::size_t open = 0;
  for (const u64 word : left) open += static_cast<std::size_t>(std::popcount(word));
  if (10 * open > 7 * lists_->members.size()) return;
  std::fill(keep_.begin(), keep_.end(), u8{0});
  each_case(left, [&](u32 at) { keep_[at] = 1; });
  Lists smaller;
  narrow(*lists_, keep_, smaller);
  own_ = std::move(smaller);
  lists_ = &own_;
}

Literals OneClass::grown(Literals start) {
  std::vector<u8> used(cases_.columns.size(), 0);
  const Lists* lists = lists_;
  int next = 0;
  u64 total = 0;
  const u32* weight = weight_.empty() ? nullptr : weight_.data();
  const auto restrict_to = [&](const Literal& literal) {
    used[literal.column] = literal.test == Test::equals ? 1 : 0;
    const std::vector<Code>& codes = cases_.columns[literal.column].codes;
    by_test(literal, [&](const auto& holds) {
      for (const u32 at : lists->members) role_[at] = static_cast<u8>(role_[at] & -static_cast<int>(holds(codes[at])));
    });
  };
  for (const Literal& literal : start) restrict_to(literal);
  bool narrowed = start.empty();
  for (const u32 at : lists->members) {
    const u64 role = role_[at];
    if (weight == nullptr)
      total += (role >> 7) << 32 | (role & 1);
    else if (role != kOutside)
      total += Pair::of(weight[at], role == kPositive);
  }
  while (Pair::negative(total) > 0 && Pair::positive(total) > 0) {
    job_.check();
    // The first search is over all cases that are left: narrowing the lists would not pay yet.
    const auto found = literals_.best(*lists, {role_, weight, total}, used, narrowed ? nullptr : &narrowed_[next]);
    if (!narrowed) {
      lists = &narrowed_[next];
      next = 1 - next;
    }
    if (!found || Pair::positive(found->covered) * cases_.quantum < settings_.min_weight) break;
    start.push_back(found->literal);
    restrict_to(found->literal);
    narrowed = false;
    total = found->covered;
  }
  return start;
}

void OneClass::pruned(Literals& rule, const std::vector<Holdout>& by, Against against) const {
  double positives = 0;
  double negatives = 0;
  for (const Holdout& holdout : by) (cases_.class_of[holdout.at] == label_ ? positives : negatives) += holdout.weight;
  const double q = cases_.quantum;
  positives *= q;
  negatives *= q;
  if (rule.empty() || positives + negatives == 0) return;
  double p = positives;
  double n = negatives;
  // JRip compares with the smoothed worth of the empty rule whatever is pruned against.
  const bool smoothed = settings_.worth == RuleWorth::smoothed;
  const auto value = [&](bool empty) {
    if (against == Against::rule) return worth(settings_.worth, p, n, positives, negatives);
    if (empty && smoothed) return (p + 1) / (p + n + 2);
    return (p + negatives - n) / (positives + negatives);
  };
  double most = value(true);
  std::size_t length = 0;
  std::vector<Holdout> left = by;
  for (std::size_t k = 0; k < rule.size(); ++k) {
    const std::vector<Code>& codes = cases_.columns[rule[k].column].codes;
    std::erase_if(left, [&](const Holdout& holdout) {
      if (rule[k].holds(codes[holdout.at])) return false;
      (cases_.class_of[holdout.at] == label_ ? p : n) -= holdout.weight * q;
      return true;
    });
    if (const double now = value(false); now > most) {
      most = now;
      length = k + 1;
    }
  }
  rule.resize(length);
}

CoveringRule OneClass::made(Literals rule) const {
  CoveringRule out{std::move(rule), {}};
  out.covers = cases_.covered(out.when);
  return out;
}

CoveringRule OneClass::next_rule(const Bits& left) {
  draw(left);
  Literals rule = grown({});
  if (settings_.prune) pruned(rule, holdouts_, Against::rule);
  return made(std::move(rule));
}

bool OneClass::wrong_of_most(const Literals& rule) const {
  double right = 0;
  double wrong = 0;
  for (const Holdout& holdout : holdouts_) {
    const bool holds =
        std::all_of(rule.begin(), rule.end(), [&](const Literal& l) { return l.holds(cases_.columns[l.column].codes[holdout.at]); });
    if (holds) (cases_.class_of[holdout.at] == label_ ? right : wrong) += holdout.weight;
  }
  return wrong > right;
}

bool OneClass::ends(const CoveringRule& rule, const Share& share, double bits, double least, double relative) const {
  if (rule.when.empty() || share.right <= 0) return true;
  if (settings_.stop == CoverStop::error) return wrong_of_most(rule.when);
  if (settings_.stop == CoverStop::surplus && bits > least + settings_.surplus) return true;
  if (settings_.stop == CoverStop::explains && relative >= 0) return true;
  return settings_.check_error && coverage_.mostly_wrong(share);
}

// The cases the rules so far leave, and their description length.
struct OneClass::Progress {
  Bits left;
  std::vector<Share> shares;
  double positives;
  double bits;
  double least;

  explicit Progress(const Coverage& coverage)
      : left(coverage.among()), positives(coverage.positives()), bits(coverage.empty_bits()), least(bits) {}
  bool open() const { return positives > 0; }
  void add(const Share& share) {
    shares.push_back(share);
    positives -= share.right;
  }
};

namespace {

std::vector<const CoveringRule*> pointers(const std::vector<CoveringRule>& first, const CoveringRule* then = nullptr) {
  std::vector<const CoveringRule*> out;
  for (const CoveringRule& rule : first) out.push_back(&rule);
  if (then != nullptr) out.push_back(then);
  return out;
}

}  // namespace

bool OneClass::extend(std::vector<CoveringRule>& rules, Progress& progress) {
  narrow_lists(progress.left);
  CoveringRule rule = next_rule(progress.left);
  const double relative = coverage_.relative_bits(pointers(rules, &rule), rules.size(), progress.shares, progress.left);
  Bits after = progress.left;
  const Share share = coverage_.share(rule, after);
  progress.bits += relative;
  progress.least = std::min(progress.least, progress.bits);
  if (ends(rule, share, progress.bits, progress.least, relative)) return false;
  rules.push_back(std::move(rule));
  progress.left = std::move(after);
  progress.add(share);
  return true;
}

void OneClass::build(std::vector<CoveringRule>& rules) {
  Progress progress(coverage_);
  lists_ = &base_;
  while (progress.open() && extend(rules, progress)) {
  }
  if (settings_.delete_early) coverage_.shorten(rules);
}

const CoveringRule& OneClass::choose(const std::vector<CoveringRule>& now, const std::vector<CoveringRule>& old, std::size_t at,
                                     const std::vector<Share>& before, const Bits& left, const CoveringRule& replacement,
                                     const CoveringRule& revision, CoverTrace& trace) const {
  const auto bits = [&](const CoveringRule& rule) {
    if (rule.when.empty()) return kNoBits;
    std::vector<const CoveringRule*> list = pointers(now, &rule);
    for (std::size_t k = at + 1; k < old.size(); ++k) list.push_back(&old[k]);
    return coverage_.relative_bits(list, at, before, left);
  };
  const double kept = bits(old[at]);
  const double revised = bits(revision);
  const double replaced = bits(replacement);
  if (kept <= revised && kept <= replaced) {
    ++trace.kept;
    return old[at];
  }
  if (revised <= replaced) {
    ++trace.revised;
    return revision;
  }
  ++trace.replaced;
  return replacement;
}

std::vector<CoveringRule> OneClass::optimise(const std::vector<CoveringRule>& old, CoverTrace& trace) {
  std::vector<CoveringRule> now;
  Progress progress(coverage_);
  lists_ = &base_;
  std::size_t at = 0;
  for (; progress.open(); ++at) {
    job_.check();
    if (at >= old.size()) {  // cases the optimised rules leave
      if (!extend(now, progress)) break;
      ++trace.residual;
      continue;
    }
    narrow_lists(progress.left);
    if (cases_.weigh(progress.left, old[at].covers) == 0) {
      progress.add(coverage_.share(old[at], progress.left));
      now.push_back(old[at]);
      continue;
    }
    draw(progress.left);
    // Pruning improves the whole list: cases that later rules cover do not count.
    Bits later = cases_.none();
    for (std::size_t k = at + 1; k < old.size(); ++k) add_to(later, old[k].covers);
    std::vector<Holdout> by;
    for (const Holdout& holdout : holdouts_)
      if (!cases_.has(later, holdout.at)) by.push_back(holdout);
    const std::vector<u8> roles = role_;
    Literals replacement = grown({});
    role_ = roles;
    Literals revision = grown(old[at].when);
    if (settings_.prune) {
      pruned(replacement, by, Against::list);
      pruned(revision, by, Against::list);
    }
    const CoveringRule rule =
        choose(now, old, at, progress.shares, progress.left, made(std::move(replacement)), made(std::move(revision)), trace);
    progress.add(coverage_.share(rule, progress.left));
    now.push_back(rule);
  }
  for (; at < old.size(); ++at) now.push_back(old[at]);
  coverage_.shorten(now);
  return now;
}

std::vector<CoveringRule> OneClass::learn(CoverTrace& trace) {
  std::vector<CoveringRule> rules;
  build(rules);
  for (u32 round = 0; round < settings_.rounds; ++round) rules = optimise(rules, trace);
  return rules;
}

}  // namespace tw
