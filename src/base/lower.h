// Names by which small and large letters do not differ.
#pragma once

#include <algorithm>
#include <string>

namespace flyball {

/// ASCII letters small; other bytes as they are.
inline std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

}  // namespace flyball
