// Where the texts of a SQuAD file lie in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace flyball {

/// What stands between the quotes of a string of a JSON file, escapes and all.
struct JsonSlice {
  uint64_t begin = 0;
  uint32_t size = 0;
};

struct SquadQuestion {
  JsonSlice id, text, answer;  ///< the first answer; empty where there is none
  int64_t answer_start = -1;   ///< in characters of the paragraph; −1: it cannot be answered
  uint32_t paragraph = 0;
  const char* fault = nullptr;  ///< what keeps it from being a sample
};

struct SquadParagraph {
  JsonSlice text;
};

struct SquadIndex {
  std::vector<SquadQuestion> questions;
  std::vector<SquadParagraph> paragraphs;
};

/// With the texts themselves, which are needed once.
struct SquadTexts {
  SquadIndex index;
  std::vector<std::string> questions, paragraphs;
};

/// Keys that SQuAD does not know are passed over. Errors name the file: no JSON, nested deeper than
/// 64, no question.
Result<SquadTexts> parse_squad(std::string_view content, const std::string& name);

}  // namespace flyball
