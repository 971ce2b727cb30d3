#include "relational/tuple_index.hpp"

namespace tw::relational {

TupleIndex::TupleIndex(const Relation& relation, Pattern pattern) : pattern_(std::move(pattern)) {
  for (u32 i = 0; i < pattern_.size(); ++i) {
    if (pattern_[i] == 0) given_.push_back(i);
    for (u32 j = i + 1; j < pattern_.size(); ++j)
      if (pattern_[i] != 0 && pattern_[i] == pattern_[j]) {
        same_.emplace_back(i, j);
        break;
      }
  }
  if (given_.size() > 1) steps_.resize(given_.size() - 1);
  refresh(relation);
  u32 n = n_first_;
  for (PairTable& step : steps_) {
    step.spread(n);
    n = static_cast<u32>(step.size());
  }
}

u32 TupleIndex::take_group(const Relation& relation, std::size_t tuple) {
  if (given_.empty()) return 0;
  const Code code = relation.columns[given_[0]][tuple];
  if (code == kMissing) return kNone;
  if (code >= first_.size()) first_.resize(std::size_t{code} + 1, kNone);
  if (first_[code] == kNone) first_[code] = n_first_++;
  u32 id = first_[code];
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Code next = relation.columns[given_[i + 1]][tuple];
    if (next == kMissing) return kNone;
    id = steps_[i].number(id, next);
  }
  return id;
}

void TupleIndex::refresh(const Relation& relation) {
  const std::size_t size = relation.size();
  next_.resize(size, kNone);
  for (; taken_ < size; ++taken_) {
    bool fits = true;
    for (const auto& [i, j] : same_) {
      const Code a = relation.columns[i][taken_];
      fits = fits && a == relation.columns[j][taken_] && a != kMissing;
    }
    if (!fits) continue;
    const u32 id = take_group(relation, taken_);
    if (id == kNone) continue;
    if (id >= count_.size()) {
      count_.resize(id + 1, 0);
      head_.resize(id + 1, kNone);
      tail_.resize(id + 1, kNone);
    }
    const u32 tuple = static_cast<u32>(taken_);
    if (count_[id]++ == 0) {
      head_[id] = tuple;
    } else {
      next_[tail_[id]] = tuple;
    }
    tail_[id] = tuple;
  }
}

const TupleIndex& Indexes::of(u32 relation, const Pattern& pattern) {
  auto& held = made_[{relation, pattern}];
  if (held == nullptr) {
    held = std::make_unique<TupleIndex>(world_.relations[relation], pattern);
  } else {
    held->refresh(world_.relations[relation]);
  }
  return *held;
}

}  // namespace tw::relational
