// The largest training value below every threshold, found in one pass over the cells.
#include "tree/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tw {

namespace {

constexpr std::size_t kGrid = 2048;
constexpr u64 kBlock = 1024;

struct Place {
  double below;  // a value of the column that is no higher than ...
  double at;
  double* cut;
};

// The largest value of a column in each gap between its thresholds; a threshold takes the largest of all gaps below it.
class Gaps {
 public:
  Gaps(const View& cells, std::vector<Place> places) : cells_(cells), places_(std::move(places)) {
    std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) { return a.at < b.at; });
    for (const Place& place : places_) largest_.push_back(place.below);
    low_ = places_.front().at;
    scale_ = kGrid / (places_.back().at - low_);
    // Of each part of the grid: where to begin looking for the first threshold that is not below a value. Nobody looks where no value can
    // come nearer to a threshold than the one known.
    first_.assign(kGrid + 2, kNobody);
    std::size_t next = 0;
    for (std::size_t p = 0; p < places_.size(); ++p) {
      next = std::max(next, cell(places_[p].below));
      for (; next <= cell(places_[p].at); ++next) first_[next] = begin_at(next);
    }
  }

  void look(u64 begin, u64 end) {
    for (u64 row = begin; row < end; ++row) {
      const double x = number(row) + 0.0;
      if (!(x <= places_.back().at)) continue;
      std::size_t gap = first_[cell(x)];
      if (gap == kNobody) continue;
      while (places_[gap].at < x) ++gap;
      largest_[gap] = std::max(largest_[gap], x);
    }
  }

  void place() {
    for (std::size_t p = 1; p < places_.size(); ++p) largest_[p] = std::max(largest_[p], largest_[p - 1]);
    for (std::size_t p = 0; p < places_.size(); ++p)
      if (std::isfinite(largest_[p])) *places_[p].cut = largest_[p];
  }

 private:
  static constexpr u32 kNobody = ~u32{0};

  double number(u64 row) const { return cells_.type == Type::F32 ? static_cast<double>(cells_.at<float>(row)) : cells_.number(row); }
  u32 begin_at(std::size_t part) const {
    const auto here = std::partition_point(places_.begin(), places_.end(), [&](const Place& place) { return cell(place.at) < part; });
    return static_cast<u32>(here - places_.begin());
  }
  std::size_t cell(double x) const { return x <= low_ || !std::isfinite(scale_) ? 0 : static_cast<std::size_t>((x - low_) * scale_); }

  View cells_;
  std::vector<Place> places_;
  std::vector<double> largest_;
  double low_ = 0;
  double scale_ = 0;
  std::vector<u32> first_;
};

}  // namespace

void move_to_training_values(const std::vector<Tree*>& trees, const std::vector<View>& cells, u64 n_rows) {
  // Halfway as both programs compute it: a value exactly there counts.
  const auto place = [](Tree& tree, std::size_t c) {
    const double halfway = (tree.cut_below[c] + tree.cut_above[c]) / 2;
    return Place{tree.cut_below[c], std::isfinite(halfway) && halfway < tree.cut_above[c] ? halfway : tree.cut_at[c], &tree.cut_at[c]};
  };
  std::vector<std::vector<Place>> places(cells.size());
  for (Tree* const one : trees) {
    Tree& tree = *one;
    for (std::size_t i = 0; i < tree.size(); ++i)
      if (static_cast<Family>(tree.family[i]) == Family::threshold && !tree.strict[i] && tree.terms(i).size() == 0)
        places[static_cast<std::size_t>(tree.column[i])].push_back(place(tree, tree.cut_begin[i]));
    for (std::size_t i = 0; i < (tree.candidate_records.empty() ? 0 : tree.size()); ++i)
      for (std::size_t w = tree.candidates(i).begin; w < tree.candidates(i).end; ++w)
        if (CandidateRecord& record = tree.candidate_records[w]; record.family == Family::threshold && !tree.strict[i])
          places[record.column].push_back({-std::numeric_limits<double>::infinity(), record.cut, &record.cut});
  }
  std::vector<Gaps> columns;
  for (std::size_t j = 0; j < places.size(); ++j)
    if (!places[j].empty()) columns.emplace_back(cells[j], std::move(places[j]));
  // Block by block: cells of a row often lie side by side.
  for (u64 row = 0; row < n_rows; row += kBlock)
    for (Gaps& column : columns) column.look(row, std::min(row + kBlock, n_rows));
  for (Gaps& column : columns) column.place();
}

Tree at_training_values(Tree tree, const std::vector<View>& cells, u64 n_rows) {
  move_to_training_values({&tree}, cells, n_rows);
  return tree;
}

Tree among_values(Tree tree, const std::vector<Bins>& bins) {
  const auto move = [](const Bins& of, bool strict, double& at, double& below, double& above) {
    const double low = of.high[static_cast<std::size_t>(below)] + 0.0;
    const double high = of.low[static_cast<std::size_t>(above)] + 0.0;
    at = at == below ? low : at == above ? high : midpoint(low, high, strict);
    below = low;
    above = high;
  };
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const bool strict = tree.strict[i] != 0;
    for (std::size_t c = tree.cuts(i).begin; c < tree.cuts(i).end; ++c)
      move(bins[static_cast<std::size_t>(tree.column[i])], strict, tree.cut_at[c], tree.cut_below[c], tree.cut_above[c]);
    for (std::size_t s = tree.surrogates(i).begin; s < tree.surrogates(i).end; ++s)
      if (!std::isnan(tree.surrogate_at[s]))
        move(bins[tree.surrogate_column[s]], strict, tree.surrogate_at[s], tree.surrogate_low[s], tree.surrogate_high[s]);
  }
  return tree;
}

}  // namespace tw
