// Rows through the plans of all members, block by block.
#include "forest/contributions.hpp"

#include <algorithm>
#include <deque>

#include "base/parallel.hpp"

namespace tw {

namespace {

constexpr u64 kBlock = 8 * kLanes;   // rows that a member sees before the next member does, at most,
constexpr u64 kSums = u64{1} << 22;  // and sums that are held for them

// So many rows, of which each needs so many sums.
u64 block_of(u64 n_sums) { return std::clamp<u64>(kSums / std::max<u64>(n_sums, 1), 1, kBlock); }

// Rows abreast: their cells, columns x lanes. Behind the last row it is repeated.
class Group {
 public:
  void read(const std::vector<View>& cells, u64 first, u64 n_rows) {
    fill(cells, [&](u64 lane) { return std::min(first + lane, n_rows - 1); });
  }

  // One row in all lanes.
  void repeat(const std::vector<View>& cells, u64 row) {
    fill(cells, [&](u64) { return row; });
  }

  WalkRows asked(const ContributionPlan& plan) {
    asked_.resize(std::size_t{plan.n_asked()} * kLanes);
    plan.ask(views_, asked_.data());
    return {numbers_.data(), asked_.data()};
  }

 private:
  template <class RowOf>
  void fill(const std::vector<View>& cells, const RowOf& row_of) {
    numbers_.resize(cells.size() * kLanes);
    views_.resize(cells.size());
    for (std::size_t j = 0; j < cells.size(); ++j) {
      for (u64 l = 0; l < kLanes; ++l) numbers_[j * kLanes + l] = cells[j].number(row_of(l));
      views_[j] = {reinterpret_cast<const std::byte*>(numbers_.data() + j * kLanes), sizeof(double), Type::F64};
    }
  }

  std::vector<double> numbers_, asked_;
  std::vector<View> views_;
};

// What a thread needs of its own.
struct Room {
  explicit Room(const std::deque<ContributionPlan>& plans) {
    std::size_t n_scratch = 0;
    std::size_t n_places = 0;
    for (const ContributionPlan& plan : plans) {
      n_scratch = std::max(n_scratch, plan.n_scratch());
      n_places = std::max(n_places, plan.n_places());
    }
    scratch.resize(n_scratch);
    places.resize(n_places);
  }

  std::vector<double> scratch;
  std::vector<u32> places;
};

void run(const ContributionPlan& plan, const WalkRows& rows, const WalkRows& others, Room& room, double* sums) {
  Walk walk = plan.walk();
  walk.rows = rows;
  walk.others = others;
  walk.scratch = room.scratch.data();
  walk.places = room.places.data();
  walk.sums = sums;
  contribution_walk()(walk);
}

// Against the training rows: rows are the lanes.
void explain_block(const std::deque<ContributionPlan>& plans, const Explained& rows, u64 first, u64 count, std::size_t width,
                   const JobControl& job, double* out) {
  const u64 groups = (count + kLanes - 1) / kLanes;
  std::vector<Group> lanes(groups);
  for (u64 g = 0; g < groups; ++g) lanes[g].read(rows.cells, first + g * kLanes, rows.n_rows);
  std::vector<double> sums(groups * width * kLanes);
  Room room(plans);
  for (const ContributionPlan& plan : plans) {
    job.check();
    if (plan.leaf()) continue;
    for (u64 g = 0; g < groups; ++g) run(plan, lanes[g].asked(plan), {}, room, sums.data() + g * width * kLanes);
  }
  for (u64 row = 0; row < count; ++row)
    for (std::size_t i = 0; i < width; ++i) out[(first + row) * width + i] = sums[((row / kLanes) * width + i) * kLanes + row % kLanes];
}

// Against a background: its rows are the lanes, all against one row at a time. A member asks the background once for all rows of a block.
void explain_pairs(const std::deque<ContributionPlan>& plans, const Explained& rows, u64 first, u64 count, std::size_t width,
                   const JobControl& job, double* out) {
  const u64 groups = (rows.n_background + kLanes - 1) / kLanes;
  const u64 in_last = rows.n_background - (groups - 1) * kLanes;
  std::vector<Group> own(count);
  for (u64 row = 0; row < count; ++row) own[row].repeat(rows.cells, first + row);
  std::vector<WalkRows> asked(count);
  Group others;
  Room room(plans);
  // The last group is added up apart, as some of its lanes may be repetitions.
  std::vector<double> sums(2 * count * width * kLanes);
  for (const ContributionPlan& plan : plans) {
    if (plan.leaf()) continue;
    for (u64 row = 0; row < count; ++row) asked[row] = own[row].asked(plan);
    for (u64 g = 0; g < groups; ++g) {
      job.check();
      others.read(*rows.background, g * kLanes, rows.n_background);
      const WalkRows against = others.asked(plan);
      for (u64 row = 0; row < count; ++row)
        run(plan, asked[row], against, room, sums.data() + (2 * row + (g + 1 == groups)) * width * kLanes);
    }
  }
  for (u64 row = 0; row < count; ++row)
    for (std::size_t i = 0; i < width; ++i) {
      double total = 0;
      for (u64 l = 0; l < kLanes; ++l) total += sums[(2 * row * width + i) * kLanes + l];
      for (u64 l = 0; l < in_last; ++l) total += sums[((2 * row + 1) * width + i) * kLanes + l];
      out[(first + row) * width + i] = total / static_cast<double>(rows.n_background);
    }
}

}  // namespace

Contributions contributions(std::span<const Member> members, std::span<const std::vector<SoftGate>> gates, const Explained& rows,
                            u32 n_sums, unsigned threads, JobControl& job) {
  double all = 0;
  for (const Member& member : members) all += member.weight;
  Contributions out;
  out.base.assign(n_sums, 0.0);
  std::deque<ContributionPlan> plans;  // tests hold on to their tree
  for (std::size_t i = 0; i < members.size(); ++i) {
    job.check();
    const ContributionPlan& plan = plans.emplace_back(members[i], gates[i], members[i].weight / all, n_sums);
    for (u32 k = 0; k < n_sums; ++k) out.base[k] += plan.base()[k];
  }
  const std::size_t width = rows.cells.size() * n_sums;
  out.values.resize(rows.n_rows * width);
  job.total = rows.n_rows;
  const bool pairs = rows.background != nullptr;
  const u64 block = block_of(pairs ? 2 * kLanes * width : width);
  for_each((rows.n_rows + block - 1) / block, threads, [&](std::size_t number, unsigned) {
    const u64 first = number * block;
    const u64 count = std::min(block, rows.n_rows - first);
    if (pairs)
      explain_pairs(plans, rows, first, count, width, job, out.values.data());
    else
      explain_block(plans, rows, first, count, width, job, out.values.data());
    job.done += count;
  });
  return out;
}

}  // namespace tw
