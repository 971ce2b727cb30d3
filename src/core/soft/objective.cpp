#include "soft/objective.hpp"

#include <algorithm>
#include <cmath>

#include "base/exp.hpp"
#include "base/numbers.hpp"
#include "base/parallel.hpp"

namespace tw {

namespace {

constexpr std::size_t kBlock = 256;  // rows that are looked at together, so that all of theirs stays in the nearest cache
constexpr std::size_t kStrips = 64;  // at most as many sums are added up; which rows are in which depends on their number alone
constexpr double kLn2 = 0.69314718055994530942;
constexpr double kFar = 700;  // beyond it a share is what it is there

double log_of(double x) { return log2_of(x) * kLn2; }

// Four sums side by side, always added up in the same way.
double dot(const double* a, const double* b, std::size_t n) {
  double sum[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) sum[i % 4] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// The shares that sums stand for, in their place.
void squash(double* sums, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double x = sums[i];
    const double far = x < 0 ? x : -x;
    const double e = exp_inside(far < -kFar ? -kFar : far);
    sums[i] = (x < 0 ? e : 1) / (1 + e);
  }
}

// The loss of one row, and its derivatives in the place of its answers, `step` apart; second ones unless there is no room for them.
double row_loss(const SoftRows& rows, std::size_t row, double* answer, std::size_t step, double* curvature) {
  if (rows.n_classes == 0) {
    const double off = *answer - rows.numbers[row];
    *answer = off;
    if (curvature) *curvature = 1;
    return off * off / 2;
  }
  const u32 right = rows.classes[row];
  if (rows.n_classes <= 2) {
    const double score = right == 1 ? *answer : -*answer;  // of the right class
    const double e = exp_of(-std::abs(score));
    const double wrong = (score > 0 ? e : 1) / (1 + e);
    *answer = right == 1 ? -wrong : wrong;
    if (curvature) *curvature = wrong * (1 - wrong);
    return log_of(1 + e) + (score < 0 ? -score : 0);
  }
  const std::size_t k = rows.n_classes;
  double most = answer[0];
  for (std::size_t c = 1; c < k; ++c) most = std::max(most, answer[c * step]);
  double sum = 0;
  const double own = answer[right * step];
  for (std::size_t c = 0; c < k; ++c) sum += answer[c * step] = exp_of(answer[c * step] - most);
  for (std::size_t c = 0; c < k; ++c) {
    const double share = answer[c * step] / sum;
    answer[c * step] = c == right ? share - 1 : share;
    if (curvature) curvature[c * step] = share * (1 - share);
  }
  return log_of(sum) + most - own;
}

}  // namespace

struct SoftObjective::Work {
  std::vector<double> share;    // of every node
  std::vector<double> gate;     // of every node, what goes left
  std::vector<double> meaning;  // of every node, derivatives by answers times what it says
  std::vector<double> answer;   // by output
  std::vector<double> sum;

  Work(std::size_t nodes, std::size_t outputs)
      : share(nodes * kBlock), gate(nodes * kBlock), meaning(nodes * kBlock), answer(outputs * kBlock), sum(kBlock) {}
};

SoftObjective::SoftObjective(const SoftRows& rows, const SoftPlace& place, const SoftTree& tree, double total, SoftPenalty penalty,
                             unsigned threads, const JobControl& job)
    : rows_(rows), place_(place), tree_(tree), total_(total), penalty_(penalty), threads_(threads), job_(job) {}

std::size_t SoftObjective::strips() const { return std::clamp<std::size_t>((rows_.n + kBlock - 1) / kBlock, 1, kStrips); }

void SoftObjective::forward(std::span<const double> values, std::size_t begin, std::size_t n, Work& work) const {
  const std::size_t d = rows_.d;
  const std::size_t outputs = tree_.outputs;
  double* answer = work.answer.data();
  std::fill_n(work.share.data(), n, 1.0);
  std::fill_n(answer, outputs * kBlock, 0.0);
  for (std::size_t node = 0; node < tree_.size(); ++node) {
    const double* own = values.data() + tree_.at[node];
    const double* share = work.share.data() + node * kBlock;
    if (tree_.leaf(node)) {
      for (std::size_t k = 0; k < outputs; ++k)
        for (std::size_t i = 0; i < n; ++i) answer[k * kBlock + i] += share[i] * own[k];
      continue;
    }
    double* gate = work.gate.data() + node * kBlock;
    std::fill_n(gate, n, own[d]);
    for (std::size_t j = 0; j < d; ++j) {
      if (own[j] == 0) continue;
      const double* x = rows_.cells.data() + j * rows_.n + begin;
      for (std::size_t i = 0; i < n; ++i) gate[i] += own[j] * x[i];
    }
    squash(gate, n);
    double* left = work.share.data() + tree_.first[node] * kBlock;
    double* right = left + kBlock;
    for (std::size_t i = 0; i < n; ++i) {
      left[i] = share[i] * gate[i];
      right[i] = share[i] * (1 - gate[i]);
    }
  }
  for (std::size_t k = 0; k < outputs; ++k) {
    double* out = answer + k * kBlock;
    if (!place_.scale.empty())
      for (std::size_t i = 0; i < n; ++i) out[i] *= place_.scale[begin + i];
    if (!place_.offset.empty())
      for (std::size_t i = 0; i < n; ++i) out[i] += place_.offset[k * rows_.n + begin + i];
  }
}

double SoftObjective::losses(std::size_t begin, std::size_t n, Work& work) const {
  double loss = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = rows_.weights[begin + i];
    loss += weight * row_loss(rows_, begin + i, work.answer.data() + i, kBlock, nullptr);
    const double factor = weight * (place_.scale.empty() ? 1 : place_.scale[begin + i]);
    for (std::size_t k = 0; k < tree_.outputs; ++k) work.answer[k * kBlock + i] *= factor;
  }
  return loss;
}

void SoftObjective::backward(std::span<const double> values, std::size_t begin, std::size_t n, Work& work, double* gradient) const {
  const std::size_t d = rows_.d;
  for (std::size_t node = tree_.size(); node-- > 0;) {
    const double* own = values.data() + tree_.at[node];
    double* into = gradient + tree_.at[node];
    const double* share = work.share.data() + node * kBlock;
    double* meaning = work.meaning.data() + node * kBlock;
    if (tree_.leaf(node)) {
      std::fill_n(meaning, n, 0.0);
      for (std::size_t k = 0; k < tree_.outputs; ++k) {
        const double* slope = work.answer.data() + k * kBlock;
        for (std::size_t i = 0; i < n; ++i) meaning[i] += slope[i] * own[k];
        into[k] += dot(share, slope, n);
      }
      continue;
    }
    const double* gate = work.gate.data() + node * kBlock;
    const double* left = work.meaning.data() + tree_.first[node] * kBlock;
    const double* right = left + kBlock;
    double* sum = work.sum.data();
    for (std::size_t i = 0; i < n; ++i) {
      meaning[i] = gate[i] * left[i] + (1 - gate[i]) * right[i];
      sum[i] = share[i] * gate[i] * (1 - gate[i]) * (left[i] - right[i]);
    }
    for (std::size_t j = 0; j < d; ++j) into[j] += dot(rows_.cells.data() + j * rows_.n + begin, sum, n);
    for (std::size_t i = 0; i < n; ++i) into[d] += sum[i];
  }
}

double SoftObjective::operator()(std::span<const double> values, std::span<double> gradient) const {
  const std::size_t many = strips();
  const std::size_t blocks = (rows_.n + kBlock - 1) / kBlock;
  std::vector<double> loss(many, 0);
  std::vector<double> sums(gradient.empty() ? 0 : many * size(), 0);
  const unsigned threads =
      rows_.n * (rows_.d + 4) * tree_.size() < 200'000 ? 1 : threads_;  // fewer are done before another thread has begun
  std::vector<Work> work(std::max(threads, 1U), Work(tree_.size(), tree_.outputs));
  for_each(many, threads, [&](std::size_t strip, unsigned worker) {
    job_.check();
    for (std::size_t block = strip * blocks / many; block < (strip + 1) * blocks / many; ++block) {
      const std::size_t begin = block * kBlock;
      const std::size_t n = std::min(kBlock, rows_.n - begin);
      forward(values, begin, n, work[worker]);
      loss[strip] += losses(begin, n, work[worker]);
      if (!gradient.empty()) backward(values, begin, n, work[worker], sums.data() + strip * size());
    }
  });
  double out = 0;
  for (const double each : loss) out += each;
  out /= total_;
  if (!gradient.empty()) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (std::size_t strip = 0; strip < many; ++strip)
      for (std::size_t p = 0; p < size(); ++p) gradient[p] += sums[strip * size() + p];
    for (double& each : gradient) each /= total_;
  }
  for (std::size_t node = 0; node < tree_.size(); ++node) {
    const std::size_t count = tree_.leaf(node) ? tree_.outputs : rows_.d;  // the constant of a gate is free
    const double factor = tree_.leaf(node) ? penalty_.leaves : penalty_.gates;
    for (std::size_t p = tree_.at[node]; p < tree_.at[node] + count; ++p) {
      out += factor * values[p] * values[p] / 2;
      if (!gradient.empty()) gradient[p] += factor * values[p];
    }
  }
  return out;
}

std::vector<double> SoftObjective::answers(std::span<const double> values) const {
  std::vector<double> out(tree_.outputs * rows_.n);
  Work work(tree_.size(), tree_.outputs);
  for (std::size_t begin = 0; begin < rows_.n; begin += kBlock) {
    const std::size_t n = std::min(kBlock, rows_.n - begin);
    forward(values, begin, n, work);
    for (std::size_t k = 0; k < tree_.outputs; ++k) std::copy_n(work.answer.data() + k * kBlock, n, out.data() + k * rows_.n + begin);
  }
  return out;
}

std::vector<double> SoftObjective::shares(std::span<const double> values, std::size_t node) const {
  std::vector<double> out(rows_.n);
  Work work(tree_.size(), tree_.outputs);
  for (std::size_t begin = 0; begin < rows_.n; begin += kBlock) {
    const std::size_t n = std::min(kBlock, rows_.n - begin);
    forward(values, begin, n, work);
    std::copy_n(work.share.data() + node * kBlock, n, out.data() + begin);
  }
  return out;
}

double soft_loss(const SoftRows& rows, std::span<const double> answers) {
  std::vector<double> answer(rows.outputs());
  double loss = 0;
  for (std::size_t i = 0; i < rows.n; ++i) {
    for (std::size_t k = 0; k < answer.size(); ++k) answer[k] = answers[k * rows.n + i];
    loss += rows.weights[i] * row_loss(rows, i, answer.data(), 1, nullptr);
  }
  return loss / rows.total();
}

double soft_errors(const SoftRows& rows, std::span<const double> answers) {
  double wrong = 0;
  for (std::size_t i = 0; i < rows.n; ++i) {
    u32 best = 0;
    if (rows.n_classes <= 2)
      best = answers[i] > 0;
    else
      for (u32 k = 1; k < rows.n_classes; ++k)
        if (answers[k * rows.n + i] > answers[best * rows.n + i]) best = k;
    if (best != rows.classes[i]) wrong += rows.weights[i];
  }
  return wrong / rows.total();
}

void soft_slopes(const SoftRows& rows, std::span<const double> answers, std::vector<double>& slope, std::vector<double>& curvature) {
  slope.assign(answers.begin(), answers.end());
  curvature.resize(answers.size());
  for (std::size_t i = 0; i < rows.n; ++i) {
    row_loss(rows, i, slope.data() + i, rows.n, curvature.data() + i);
    for (std::size_t k = 0; k < rows.outputs(); ++k) {
      slope[k * rows.n + i] *= rows.weights[i];
      curvature[k * rows.n + i] *= rows.weights[i];
    }
  }
}

}  // namespace tw
