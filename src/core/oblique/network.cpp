// Small networks as nodes (Guo and Gelfand 1992): classes in two groups, told apart by a sum of squashed sums that is trained by
// backpropagation.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "base/hash.hpp"
#include "oblique/drawn.hpp"
#include "oblique/machines.hpp"

namespace tw {

namespace {

constexpr double kRate = 0.2;
constexpr double kMomentum = 0.9;
constexpr double kDecay = 1e-5;
constexpr std::size_t kFewLanes = 4;  // squashed sums that are computed side by side; those that are too many weigh nothing
constexpr std::size_t kManyLanes = 8;
constexpr std::size_t kSteps = 400'000;  // rows that are looked at in one training
constexpr std::size_t kLeastPasses = 10;
constexpr std::size_t kMostPasses = 300;

class Training {
 public:
  Training(const NodeMatrix& rows, const NodeScale& scale, std::size_t hidden, const std::vector<u32>& order, u64 draw)
      : rows_(rows),
        order_(order),
        h_(hidden),
        lanes_(hidden <= kFewLanes    ? kFewLanes
               : hidden <= kManyLanes ? kManyLanes
                                      : hidden),
        width_(rows.d + 1),
        cells_(rows.n * width_, 1.0),
        drawn_(draw) {
    for (std::size_t f = 0; f < rows.d; ++f)
      for (std::size_t i = 0; i < rows.n; ++i) cells_[i * width_ + f] = (rows.of(f)[i] - scale.centre[f]) * scale.inverse[f];
    in_.resize(lanes_ * width_);
    out_.resize(h_ + 1);
    for (std::size_t j = 0; j < h_; ++j)
      for (std::size_t f = 0; f < width_; ++f) in_[f * lanes_ + j] = drawn_.next();
    for (double& w : out_) w = drawn_.next() / 2;
  }

  // With a number of lanes that loops are made for.
  void run(JobControl& job) {
    if (lanes_ == kFewLanes)
      run(job, std::integral_constant<std::size_t, kFewLanes>{});
    else if (lanes_ == kManyLanes)
      run(job, std::integral_constant<std::size_t, kManyLanes>{});
    else
      run(job, lanes_);
  }

  template <class Lanes>
  void run(JobControl& job, Lanes lanes) {
    const std::size_t passes = std::clamp(kSteps / std::max<std::size_t>(rows_.n, 1), kLeastPasses, kMostPasses);
    const double mean = rows_.total / static_cast<double>(rows_.n);
    const double rate = kRate / std::sqrt(static_cast<double>(width_));
    std::vector<double> in_speed(in_.size(), 0.0), out_speed(out_.size(), 0.0), squashed_of(h_);
    std::vector<double> sums(lanes), backs(lanes, 0.0);
    double* const sum = sums.data();
    double* const back = backs.data();
    for (std::size_t pass = 0; pass < passes; ++pass) {
      job.check();
      const double step = rate * (1 - static_cast<double>(pass) / static_cast<double>(passes));
      for (const u32 i : order_) {
        const double* x = &cells_[i * width_];
        std::fill_n(sum, lanes, 0.0);
        for (std::size_t f = 0; f < width_; ++f) {
          const double* in = &in_[f * lanes];
          for (std::size_t j = 0; j < lanes; ++j) sum[j] += in[j] * x[f];
        }
        double score = out_[h_];
        for (std::size_t j = 0; j < h_; ++j) {
          squashed_of[j] = squashed(sum[j]);
          score += out_[j] * squashed_of[j];
        }
        const double by = step * std::min(rows_.weights[i] / mean, 10.0) * (rows_.labels[i] - squashed(score));
        for (std::size_t j = 0; j < h_; ++j) {
          back[j] = by * out_[j] * squashed_of[j] * (1 - squashed_of[j]);
          out_speed[j] = kMomentum * out_speed[j] + by * squashed_of[j] - step * kDecay * out_[j];
          out_[j] += out_speed[j];
        }
        for (std::size_t f = 0; f < width_; ++f) {
          double* const in = &in_[f * lanes];
          double* const speed = &in_speed[f * lanes];
          for (std::size_t j = 0; j < lanes; ++j) {
            speed[j] = kMomentum * speed[j] + back[j] * x[f] - step * kDecay * in[j];
            in[j] += speed[j];
          }
        }
        out_speed[h_] = kMomentum * out_speed[h_] + by;
        out_[h_] += out_speed[h_];
      }
    }
  }

  std::vector<double> scores() const {
    std::vector<double> out(rows_.n, out_[h_]);
    for (std::size_t i = 0; i < rows_.n; ++i)
      for (std::size_t j = 0; j < h_; ++j) {
        double sum = 0;
        for (std::size_t f = 0; f < width_; ++f) sum += in_[f * lanes_ + j] * cells_[i * width_ + f];
        out[i] += out_[j] * squashed(sum);
      }
    return out;
  }

  // The score in the units of the features, but for its constant, which is a matter of the threshold.
  Plane plane(const NodeScale& scale) const {
    Plane out;
    for (std::size_t j = 0; j < h_; ++j) {
      PlanePart part{0, std::vector<double>(rows_.d, 0.0), in_[rows_.d * lanes_ + j], true, out_[j]};
      for (std::size_t f = 0; f < rows_.d; ++f) {
        part.weights[f] = in_[f * lanes_ + j] * scale.inverse[f];
        part.constant -= part.weights[f] * scale.centre[f];
      }
      out.parts.push_back(std::move(part));
    }
    return out;
  }

 private:
  const NodeMatrix& rows_;
  const std::vector<u32>& order_;
  const std::size_t h_, lanes_, width_;
  std::vector<double> cells_;  // row by row, with a 1 behind the features
  Drawn drawn_;
  std::vector<double> in_, out_;  // weights of the squashed sums, feature by feature, the constants last; and theirs
};

class Network final : public PlaneSearch {
 public:
  Network(const ObliqueSettings& settings, const Features&) : settings_(settings) {}

  std::vector<Plane> find(const NodeMatrix& given, Measure measure, u64 draw, JobControl& job) const override {
    const NodeMatrix rows = grouped(given, settings_.explained, job);
    const std::size_t hidden = hidden_of(settings_, rows.d);
    const std::vector<u32> order = drawn_order(rows, mix(draw, 0xb9));
    const NodeScale scale = scale_of(rows);
    Sweep sweep(given, measure);
    std::optional<Plane> best;
    double most = 0;
    for (u64 start = 0; start <= settings_.restarts; ++start) {
      Training training(rows, scale, hidden, order, mix(draw, 0xb9 + start));
      training.run(job);
      const auto found = sweep.best_shift(training.scores());
      if (!found || (best && !higher(found->score, most))) continue;
      most = found->score;
      best = training.plane(scale);
    }
    if (!best) return {};
    return {std::move(*best)};
  }

 private:
  const ObliqueSettings& settings_;
};

const Enrol<ProposerEntry> enrol({"backprop", "sums of squashed sums, trained by backpropagation", &make_planes<Network>});

}  // namespace

}  // namespace tw
