// The loops that kernels of all instruction sets share. They are macros, since a function keeps the
// instruction set that it was written for: GCC takes wide vectors of a template apart before it
// sees into which function the template goes.
#pragma once

namespace flyball::peaks {

/// Enough for two units whose results take up to six cycles, and few enough for 16 registers.
inline constexpr int chains = 12;
inline constexpr int loads = 8;  ///< vectors that a sweep holds at once

}  // namespace flyball::peaks

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
/// `STEP(x)` is the next value of a chain, `START(i)` the first one of chain i, `SUM(x)` a double.
/// `BEFORE` declares what STEP needs besides.
#define FLYBALL_CHAINS(NAME, TARGET, VECTOR, BEFORE, START, STEP, SUM)          \
  __attribute__((target(TARGET))) double NAME(size_t rounds) {                  \
    BEFORE;                                                                     \
    VECTOR chain[chains];                                                       \
    for (int i = 0; i < chains; ++i) chain[i] = START(i);                       \
    for (size_t round = 0; round < rounds; ++round)                             \
      for (int i = 0; i < chains; ++i) chain[i] = STEP(chain[i]);               \
    double sum = 0;                                                             \
    for (int i = 0; i < chains; ++i) sum += static_cast<double>(SUM(chain[i])); \
    return sum;                                                                 \
  }

/// `LOAD(p)` reads a vector of `width` floats, `ADD(x, y)` adds two.
#define FLYBALL_SWEEP(NAME, TARGET, VECTOR, WIDTH, BEFORE, LOAD, STEP, ADD, SUM)                 \
  __attribute__((target(TARGET))) double NAME(const float* data, size_t n, int k) {              \
    BEFORE;                                                                                      \
    VECTOR total = LOAD(data);                                                                   \
    for (size_t at = 0; at + size_t{loads} * (WIDTH) <= n; at += size_t{loads} * (WIDTH)) {      \
      VECTOR x[loads];                                                                           \
      for (int i = 0; i < loads; ++i) x[i] = LOAD(data + at + static_cast<size_t>(i) * (WIDTH)); \
      for (int j = 0; j < k; ++j)                                                                \
        for (int i = 0; i < loads; ++i) x[i] = STEP(x[i]);                                       \
      total = ADD(total, ADD(ADD(ADD(x[0], x[1]), ADD(x[2], x[3])),                              \
                             ADD(ADD(x[4], x[5]), ADD(x[6], x[7]))));                            \
    }                                                                                            \
    return static_cast<double>(SUM(total));                                                      \
  }
// NOLINTEND(cppcoreguidelines-macro-usage)
