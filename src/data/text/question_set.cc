#include "data/text/question_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace flyball {

QuestionRows question_rows(int64_t row_tokens, int64_t question_tokens, int64_t text_tokens) {
  constexpr int64_t most_question = 64, marks = 3;
  QuestionRows rows;
  rows.question = std::min({question_tokens, most_question, row_tokens / 2});
  rows.text = text_tokens;
  rows.room = row_tokens - rows.question - marks;
  rows.step = std::min(row_tokens / 3, rows.room);
  const int64_t beyond = std::max<int64_t>(0, text_tokens - rows.room);
  rows.count = 1 + (beyond + rows.step - 1) / rows.step;
  return rows;
}

Result<DatasetPtr> with_row_tokens(const DatasetPtr& set, int64_t tokens) {
  if (tokens == 0) return set;
  const auto* const questions = dynamic_cast<const QuestionSet*>(set.get());
  if (questions == nullptr)
    return Error{Code::invalid_argument, fmt::format("samples of {} have no tokens", set->kind()),
                 "leave tokens to networks for text"};
  if (tokens < fewest_row_tokens || tokens > most_row_tokens)
    return Error{Code::invalid_argument, fmt::format("rows of {} tokens", tokens),
                 fmt::format("give {} to {}", fewest_row_tokens, most_row_tokens)};
  return questions->in_rows_of(tokens);
}

std::optional<int64_t> row_tokens(const Dataset& set) {
  const auto* const questions = dynamic_cast<const QuestionSet*>(&set);
  if (questions == nullptr) return {};
  return questions->row_tokens();
}

}  // namespace flyball
