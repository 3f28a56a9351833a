// Questions about texts as rows of token ids for a network that marks the answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/collate.h"
#include "data/text/question_set.h"
#include "data/text/tensor_names.h"

namespace flyball {

/// Names of its tensors, all int64: "ids", "types" (0: question, 1: text) and "mask" (1: no
/// padding), one row of tokens for each sample; "start" and "end", the first and last token of the
/// answer, 0 ([CLS]) where the row does not hold all of it.

inline constexpr const char* types_tensor = "types";
inline constexpr const char* mask_tensor = "mask";
inline constexpr const char* start_tensor = "start";
inline constexpr const char* end_tensor = "end";

/// For a QuestionSet: cuts question and text into pieces. Error: another kind of dataset.
Result<CollatePtr> open_question_collate(const Dataset& dataset, const CollateOptions& options);

/// The bytes [begin, end) of `answer` in `text`, from character `start` on; up to two characters
/// before it, as in some published sets. Error: it is not there.
struct AnswerBytes {
  size_t begin = 0, end = 0;
};
Result<AnswerBytes> find_answer(std::string_view text, std::string_view answer, int64_t start);

/// What stands between the quotes of a JSON string. Error: it is none.
Result<std::string_view> json_string(std::string_view raw, std::string& memory);

}  // namespace flyball
