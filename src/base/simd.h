// Compiles a function for wider vectors too and picks at run time what the machine has.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FLYBALL_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FLYBALL_WIDE
#endif
