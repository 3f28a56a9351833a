// Read before each source by Clang (fuzzers, clang-tidy). LibTorch's headers move a std::vector of
// a type that is only declared; GCC accepts that in C++20, Clang wants the type whole because
// libstdc++ makes the destructor constexpr. Here vectors are as in C++17; nothing fills a
// std::vector<bool> through std::fill.
#include <string>
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#define __fill_a1 fill_bits  // declared constexpr before
#include <vector>
#undef __fill_a1
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR constexpr
