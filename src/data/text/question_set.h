// Sets of questions about texts: what they hold besides samples, and how long texts become rows.
#pragma once

#include <cstdint>

#include "data/dataset.h"
#include "data/text/word_piece.h"

namespace flyball {

/// Rows of a network for questions: [CLS] question [SEP] text [SEP], then padding.
inline constexpr int64_t default_row_tokens = 128;
inline constexpr int64_t fewest_row_tokens = 32, most_row_tokens = 512;

/// Which tokens of question and text stand in which rows. A text that is longer than its row has
/// room for takes several, which begin `step` tokens apart (Devlin et al. 2018: 128 in rows of
/// 384).
struct QuestionRows {
  int64_t question = 0;  ///< tokens kept: 64 at most, and no more than half a row
  int64_t text = 0;      ///< tokens of the whole text
  int64_t room = 0;      ///< for the text in a row
  int64_t step = 0;      ///< a third of the row's tokens, or its room where that is less
  int64_t count = 0;     ///< rows; one at least

  int64_t begin(int64_t row) const { return row * step; }
  int64_t length(int64_t row) const { return text - begin(row) < room ? text - begin(row) : room; }
};
QuestionRows question_rows(int64_t row_tokens, int64_t question_tokens, int64_t text_tokens);

/// Each sample is a row. Its bytes are question, text and answer, one behind the other as they
/// stand in a JSON file, and its parts
/// - "lengths" (int64, 3): bytes of question, text and answer;
/// - "answer_start" (int64): where the answer begins in the text, in characters; −1: there is none;
/// - "row" (int64): which of the rows of its question.
class QuestionSet : public Dataset {
 public:
  static constexpr size_t lengths_part = 0, start_part = 1, row_part = 2;
  std::vector<TensorSpec> parts() const final {
    return {{"lengths", DType::int64, {3}},
            {"answer_start", DType::int64, {}},
            {"row", DType::int64, {}}};
  }
  std::array<int, 3> shape() const final { return {}; }
  /// Entries of the vocabulary: what a network needs a vector for.
  int64_t classes() const final { return words()->vocabulary().size(); }
  /// Rows have no class; they are made by whoever checks.
  Status check(const RawSample&, std::vector<int64_t>&) const final { return {}; }
  virtual WordPiecePtr words() const = 0;
  virtual int64_t row_tokens() const = 0;
  virtual int64_t questions() const = 0;
  /// Samples from this one to the last row of its question: all of them read the same bytes.
  virtual int64_t rows_from(int64_t sample) const = 0;
  /// The same questions in rows of another size.
  virtual DatasetPtr in_rows_of(int64_t tokens) const = 0;
};

/// `set` in rows of so many tokens; 0: as it is. Errors: it has no tokens, too few or too many.
Result<DatasetPtr> with_row_tokens(const DatasetPtr& set, int64_t tokens);
/// Of a row; nothing for sets without tokens.
std::optional<int64_t> row_tokens(const Dataset& set);

}  // namespace flyball
