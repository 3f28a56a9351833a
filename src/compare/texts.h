// What a comparison of boards brings along: the files of compare/.
#pragma once

#include <string>
#include <vector>

namespace flyball {

/// A file as it travels in the program.
struct ComparedText {
  const char* file;
  const char* text;
};
const std::vector<ComparedText>& compared_texts();

/// The text of "prices.toml" or "published.toml".
std::string compared_text(const std::string& file);

}  // namespace flyball
