// Names in which small and large letters do not differ, nor punctuation.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

namespace flyball {

/// ASCII letters small; other bytes as they are.
inline std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

/// Its letters and digits alone, small: "YOLOv8-n" and "yolo_v8n" are one name.
inline std::string bare(std::string text) {
  text = lower(std::move(text));
  std::erase_if(text, [](char c) { return !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'); });
  return text;
}

}  // namespace flyball
