#include "compare/texts.h"

#include <algorithm>

namespace flyball {

std::string compared_text(const std::string& file) {
  return std::ranges::find(compared_texts(), file,
                           [](const ComparedText& one) { return std::string(one.file); })
      ->text;
}

}  // namespace flyball
