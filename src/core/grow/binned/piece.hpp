// Some rows of a binned table as a table of their own, for the sorted engine.
#pragma once

#include <memory>
#include <span>

#include "grow/binned/frame.hpp"

namespace tw {

// The cells of the piece's columns, which live as long as it does.
struct Piece {
  Table table;
  std::vector<std::byte> cells;
};

Piece piece_of(const Table& table, const BinnedFrame& frame, std::span<const Row> rows, i64 weight);

}  // namespace tw
