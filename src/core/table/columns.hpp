// The columns of a table, shared and never changed: trees of a forest, rounds of boosting and folds look at the same encoding. Whoever
// needs a column in another form gets one of his own.
#pragma once

#include <atomic>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "table/column.hpp"

namespace tw {

// Levels of the nominal columns once more, a row's side by side and a byte each: whoever counts all columns reads one place per row.
struct ByteLevels {
  std::vector<u8> levels;  // one more than the last where the cell is missing
  std::vector<i32> place;  // by column: where in a row, or -1
  std::size_t width = 0;   // of a row

  static constexpr u32 kMostLevels = 255;
  bool holds(Column column) const { return !place.empty() && place[column] >= 0; }
};

class Columns;

// Refuses sparse columns that would take too much memory with a rank for every row.
void refuse_dense(const Columns& columns, Row n_rows);

ByteLevels make_byte_levels(const Columns& columns, Row n_rows);

class Columns {
 public:
  Columns() = default;
  explicit Columns(std::vector<EncodedColumn> columns) {
    for (EncodedColumn& column : columns) each_.push_back(std::make_shared<EncodedColumn>(std::move(column)));
  }

  // Some of the columns, shared.
  Columns only(const std::vector<u32>& chosen) const {
    Columns out;
    for (const u32 j : chosen) out.each_.push_back(each_[j]);
    return out;
  }

  std::size_t size() const { return each_.size(); }
  bool empty() const { return each_.empty(); }
  const EncodedColumn& operator[](std::size_t j) const { return *each_[j]; }

  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = EncodedColumn;
    using iterator_category = std::forward_iterator_tag;
    using reference = const EncodedColumn&;
    using pointer = const EncodedColumn*;

    Iterator() = default;
    explicit Iterator(const std::shared_ptr<EncodedColumn>* at) : at_(at) {}
    reference operator*() const { return **at_; }
    pointer operator->() const { return at_->get(); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    const std::shared_ptr<EncodedColumn>* at_ = nullptr;
  };
  Iterator begin() const { return Iterator(each_.data()); }
  Iterator end() const { return Iterator(each_.data() + each_.size()); }

  // Whether nobody else holds the column. What other holders did before they let go has then happened.
  bool sole(std::size_t j) const {
    if (each_[j].use_count() != 1) return false;
    std::atomic_thread_fence(std::memory_order_acquire);
    return true;
  }

  // A column that this holder may change: the one it has, or a copy where others hold that one as well. Different columns may be asked
  // for by several threads. Levels are never changed: `byte_levels` stays true.
  EncodedColumn& edit(std::size_t j) {
    if (!sole(j)) each_[j] = std::make_shared<EncodedColumn>(*each_[j]);
    return *each_[j];
  }

  // The nominal columns of few enough levels, made at the first need and shared by all holders.
  const ByteLevels& byte_levels(Row n_rows) const {
    return bytes_->get([&] { return make_byte_levels(*this, n_rows); });
  }

 private:
  std::vector<std::shared_ptr<EncodedColumn>> each_;
  std::shared_ptr<Once<ByteLevels>> bytes_ = std::make_shared<Once<ByteLevels>>();
};

}  // namespace tw
