// Which rows a member of a forest learns from. A draw is a hash of (key, range of rows): nobody needs to know another's draws, so that
// whoever holds some of the rows finds the same sample as one who holds all.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace tw {

// How often each row is drawn, by `draws` draws with replacement: exactly multinomial. Ranges of rows are halved down to single rows,
// and how many draws of a range fall into its first half is binomial.
std::vector<u32> drawn_counts(u64 key, Row n_rows, u32 draws);

// `draws` different rows, ascending; every set of so many is as likely.
std::vector<Row> drawn_rows(u64 key, Row n_rows, Row draws);

}  // namespace tw
