// The random numbers of the C library's random() (POSIX; an additive feedback of 31 words), which release 8 of C4.5rules draws from without
// ever seeding it: the same seed gives the same rules as the program does.
#pragma once

#include <array>
#include <cstddef>

#include "base/types.hpp"

namespace tw {

class LibraryDraws {
 public:
  // A program that sets no seed has that of 1; 0 counts as 1.
  explicit LibraryDraws(u64 seed) {
    constexpr i64 kMultiplier = 16807;  // of Park and Miller's generator, which fills the words
    constexpr i64 kModulus = 2147483647;
    i64 word = static_cast<i64>(seed % kModulus);
    if (word == 0) word = 1;
    for (u32& each : words_) {
      each = static_cast<u32>(word);
      word = word * kMultiplier % kModulus;
    }
    for (int i = 0; i < 310; ++i) next();  // until every word has been mixed with the others ten times
  }

  // The next of 2^31 equally likely numbers, as a share of one.
  double share() { return static_cast<double>(next()) * 0x1p-31; }

 private:
  static constexpr std::size_t kWords = 31;
  static constexpr std::size_t kLag = 3;

  u32 next() {
    u32& oldest = words_[at_];
    oldest += words_[(at_ + kWords - kLag) % kWords];
    at_ = (at_ + 1) % kWords;
    return oldest >> 1;
  }

  std::array<u32, kWords> words_{};
  std::size_t at_ = kLag;
};

}  // namespace tw
