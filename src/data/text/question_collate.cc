#include "data/text/question_collate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/json.h"

namespace flyball {
namespace {

constexpr size_t kIds = 0, kTypes = 1, kTokenMask = 2, kStart = 3, kEnd = 4;

struct QuestionScratch final : CollateScratch {
  WordPieceScratch words;
  std::vector<Token> question, text;
  std::array<std::string, 3> memory;
  std::string cut_text;  ///< that `text` is the tokens of: questions of one paragraph share it
};

struct Texts {
  std::string_view question, text, answer;
};

// First and last token of the answer within the text.
struct Span {
  int64_t first = 0, last = 0;
};

class QuestionCollate final : public Collate {
 public:
  QuestionCollate(WordPiecePtr words, int64_t row_tokens)
      : words_(std::move(words)), row_tokens_(row_tokens) {}

  std::vector<TensorSpec> layout() const override {
    return {{ids_tensor, DType::int64, {row_tokens_}},
            {types_tensor, DType::int64, {row_tokens_}},
            {mask_tensor, DType::int64, {row_tokens_}},
            {start_tensor, DType::int64, {}},
            {end_tensor, DType::int64, {}}};
  }
  std::unique_ptr<CollateScratch> scratch() const override {
    return std::make_unique<QuestionScratch>();
  }
  Status add(const RawSample& sample, uint64_t, CollateScratch* own,
             BatchBuffer& batch) const override {
    auto& scratch = *static_cast<QuestionScratch*>(own);
    FLYBALL_ASSIGN(const Texts texts, texts_of(sample, scratch));
    words_->cut(texts.question, scratch.words, scratch.question);
    if (scratch.cut_text != texts.text) {
      words_->cut(texts.text, scratch.words, scratch.text);
      scratch.cut_text = texts.text;
    }
    const int64_t start = sample.parts.get<int64_t>(QuestionSet::start_part)[0];
    std::optional<Span> answer;
    if (start >= 0) {
      FLYBALL_ASSIGN(answer, span_of(texts, start, scratch.text));
    }
    const int64_t row = sample.parts.get<int64_t>(QuestionSet::row_part)[0];
    const QuestionRows rows =
        question_rows(row_tokens_, static_cast<int64_t>(scratch.question.size()),
                      static_cast<int64_t>(scratch.text.size()));
    if (row >= rows.count)
      return Error{Code::corrupt, "it is shorter than when the set was opened",
                   "let nobody write to the file meanwhile"};
    write(scratch, rows, row, answer, batch);
    return {};
  }

 private:
  static Result<Texts> texts_of(const RawSample& sample, QuestionScratch& scratch) {
    const auto lengths = sample.parts.get<int64_t>(QuestionSet::lengths_part);
    std::string_view rest(reinterpret_cast<const char*>(sample.bytes.data()), sample.bytes.size());
    std::array<std::string_view, 3> texts;
    for (size_t i = 0; i < texts.size(); ++i) {
      FLYBALL_ASSIGN(texts[i], json_string(rest.substr(0, static_cast<size_t>(lengths[i])),
                                           scratch.memory[i]));
      rest.remove_prefix(static_cast<size_t>(lengths[i]));
    }
    return Texts{texts[0], texts[1], texts[2]};
  }

  static Result<std::optional<Span>> span_of(const Texts& texts, int64_t start,
                                             const std::vector<Token>& tokens) {
    FLYBALL_ASSIGN(const AnswerBytes bytes, find_answer(texts.text, texts.answer, start));
    const auto first =
        std::ranges::find_if(tokens, [&](const Token& token) { return token.end > bytes.begin; });
    const auto behind =
        std::find_if(first, tokens.end(), [&](const Token& t) { return t.begin >= bytes.end; });
    if (first == behind)
      return Error{Code::corrupt, fmt::format("its answer '{}' holds no word", texts.answer),
                   "mend the answer, or leave the question out"};
    return std::optional<Span>({first - tokens.begin(), behind - tokens.begin() - 1});
  }

  void write(const QuestionScratch& scratch, const QuestionRows& rows, int64_t row,
             const std::optional<Span>& answer, BatchBuffer& batch) const {
    const auto ids = batch.row<int64_t>(kIds), types = batch.row<int64_t>(kTypes),
               mask = batch.row<int64_t>(kTokenMask);
    const Vocabulary& vocabulary = words_->vocabulary();
    size_t used = 0;
    const auto put = [&](int64_t id, int64_t type) {
      ids[used] = id;
      types[used] = type;
      mask[used++] = 1;
    };
    put(vocabulary.first(), 0);
    for (int64_t i = 0; i < rows.question; ++i) put(scratch.question[static_cast<size_t>(i)].id, 0);
    put(vocabulary.separator(), 0);
    const auto text_at = static_cast<int64_t>(used);
    const int64_t begin = rows.begin(row), end = begin + rows.length(row);
    for (int64_t i = begin; i < end; ++i) put(scratch.text[static_cast<size_t>(i)].id, 1);
    put(vocabulary.separator(), 1);
    std::fill(ids.begin() + static_cast<ptrdiff_t>(used), ids.end(), vocabulary.padding());
    std::fill(types.begin() + static_cast<ptrdiff_t>(used), types.end(), 0);
    std::fill(mask.begin() + static_cast<ptrdiff_t>(used), mask.end(), 0);
    const bool here = answer && answer->first >= begin && answer->last < end;
    batch.row<int64_t>(kStart)[0] = here ? text_at + answer->first - begin : 0;
    batch.row<int64_t>(kEnd)[0] = here ? text_at + answer->last - begin : 0;
  }

  WordPiecePtr words_;
  int64_t row_tokens_;
};

// Bytes of the character that begins with this one.
size_t character_bytes(char lead) {
  const auto byte = static_cast<uint8_t>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// Where character `index` begins; nothing behind the end.
std::optional<size_t> byte_of(std::string_view text, int64_t index) {
  size_t byte = 0;
  for (; index > 0 && byte < text.size(); --index) byte += character_bytes(text[byte]);
  if (index > 0 || byte > text.size()) return {};
  return byte;
}

}  // namespace

Result<CollatePtr> open_question_collate(const Dataset& dataset, const CollateOptions&) {
  const auto* const questions = dynamic_cast<const QuestionSet*>(&dataset);
  if (questions == nullptr)
    return Error{Code::invalid_argument,
                 fmt::format("the network answers questions, and {} holds none", dataset.kind()),
                 "give the folder of a SQuAD set; `flyball dataset make squad` draws one"};
  return CollatePtr(std::make_shared<QuestionCollate>(questions->words(), questions->row_tokens()));
}

Result<AnswerBytes> find_answer(std::string_view text, std::string_view answer, int64_t start) {
  if (!answer.empty())
    for (int64_t at = start; at >= std::max<int64_t>(0, start - 2); --at) {
      const auto begin = byte_of(text, at);
      if (begin && text.substr(*begin).starts_with(answer))
        return AnswerBytes{*begin, *begin + answer.size()};
    }
  return Error{Code::corrupt,
               fmt::format("its answer '{}' does not stand at character {} of its text",
                           answer.substr(0, 80), start),
               "mend answer_start, which counts characters, not bytes"};
}

Result<std::string_view> json_string(std::string_view raw, std::string& memory) {
  if (raw.find_first_of("\\\"") == std::string_view::npos) return raw;
  memory = fmt::format("\"{}\"", raw);
  SortedJson parsed = SortedJson::parse(memory, nullptr, false);
  if (!parsed.is_string())
    return Error{Code::corrupt, "it is no JSON string any more",
                 "let nobody write to the file meanwhile"};
  memory = std::move(parsed.get_ref<std::string&>());
  return std::string_view(memory);
}

}  // namespace flyball
