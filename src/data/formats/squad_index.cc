#include "data/formats/squad_index.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "base/json.h"

namespace flyball {
namespace {

constexpr size_t kDeepest = 64;

constexpr std::string_view kParagraph = "/data/*/paragraphs/*",
                           kText = "/data/*/paragraphs/*/context",
                           kQuestion = "/data/*/paragraphs/*/qas/*",
                           kQuestionText = "/data/*/paragraphs/*/qas/*/question",
                           kId = "/data/*/paragraphs/*/qas/*/id",
                           kImpossible = "/data/*/paragraphs/*/qas/*/is_impossible",
                           kAnswer = "/data/*/paragraphs/*/qas/*/answers/*",
                           kAnswerText = "/data/*/paragraphs/*/qas/*/answers/*/text",
                           kAnswerStart = "/data/*/paragraphs/*/qas/*/answers/*/answer_start";

// Goes over the content and leaves behind how far the parser has read.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, const char** read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    *read_ = ++at_;
    return *this;
  }
  Cursor operator++(int) {
    const Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }
  bool operator!=(const Cursor& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** read_;
};

// Hears each value with its path: "/data/*/paragraphs/*/context".
class Reader final : public nlohmann::json_sax<SortedJson> {
 public:
  Reader(std::string_view content, const std::string& name)
      : content_(content), name_(name), read_(content.data()) {}

  Status run() {
    const char* const end = content_.data() + content_.size();
    const char* unused = end;
    SortedJson::sax_parse(Cursor(content_.data(), &read_), Cursor(end, &unused), this);
    if (failure_) return *failure_;
    if (texts_.index.questions.empty())
      return Error{Code::corrupt, fmt::format("{} holds no question", name_),
                   "a SQuAD file has data, paragraphs and qas"};
    return {};
  }
  SquadTexts take() { return std::move(texts_); }

  bool null() override { return begin(); }
  bool boolean(bool value) override {
    begin();
    if (path_ == kImpossible) impossible_ = value;
    return true;
  }
  bool number_integer(number_integer_t) override { return begin(); }
  bool number_unsigned(number_unsigned_t value) override {
    begin();
    if (answers_ == 1 && path_ == kAnswerStart && value < kNowhere)
      start_ = static_cast<int64_t>(value);
    return true;
  }
  bool number_float(number_float_t, const string_t&) override { return begin(); }
  bool binary(binary_t&) override { return begin(); }
  bool string(string_t& value) override {
    begin();
    take_text(value);
    return true;
  }
  bool key(string_t& value) override {
    path_.resize(levels_.back().path);
    path_ += '/';
    // A key that looks like a path is none of ours.
    path_ += value.find('/') == std::string::npos ? value : "/";
    return true;
  }
  bool start_object(std::size_t) override {
    if (!open(false)) return false;
    if (path_ == kParagraph) begin_paragraph();
    if (path_ == kQuestion) begin_question();
    if (path_ == kAnswer) ++answers_;
    return true;
  }
  bool end_object() override {
    close();
    if (path_ == kParagraph) end_paragraph();
    if (path_ == kQuestion) end_question();
    return true;
  }
  bool start_array(std::size_t) override { return open(true); }
  bool end_array() override {
    close();
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& problem) override {
    const std::string words = problem.what();
    const size_t reason = words.find(": ");
    failure_ = Error{Code::corrupt,
                     fmt::format("{} byte {} is no JSON: {}", name_, position,
                                 reason == std::string::npos ? words : words.substr(reason + 2)),
                     "the file is broken or cut off: fetch it again"};
    return false;
  }

 private:
  struct Level {
    size_t path;
    bool array;
  };
  static constexpr uint64_t kNowhere = uint64_t{1} << 32;

  // Before each value: in an array the path of its elements, in an object that of the key.
  bool begin() {
    if (!levels_.empty() && levels_.back().array) path_.resize(levels_.back().path);
    return true;
  }
  bool open(bool array) {
    begin();
    if (levels_.size() == kDeepest) {
      failure_ = Error{Code::corrupt, fmt::format("{} is nested deeper than {}", name_, kDeepest),
                       "is this a SQuAD file?"};
      return false;
    }
    if (array) path_ += "/*";
    levels_.push_back({path_.size(), array});
    return true;
  }
  void close() {
    path_.resize(levels_.back().path);
    levels_.pop_back();
  }

  // The string that was read last: back from its closing quote to the one that is not escaped.
  JsonSlice slice() const {
    const char* const end = read_ - 1;
    const char* begin = end;
    const auto escaped = [&](const char* quote) {
      size_t backslashes = 0;
      while (quote - backslashes > content_.data() && *(quote - backslashes - 1) == '\\')
        ++backslashes;
      return backslashes % 2 == 1;
    };
    do --begin;
    while (*begin != '"' || escaped(begin));
    return {static_cast<uint64_t>(begin + 1 - content_.data()),
            static_cast<uint32_t>(end - begin - 1)};
  }

  void take_text(std::string& value) {
    if (path_ == kText) {
      texts_.paragraphs.back() = std::move(value);
      texts_.index.paragraphs.back().text = slice();
      has_text_ = true;
    } else if (path_ == kQuestionText) {
      texts_.questions.back() = std::move(value);
      texts_.index.questions.back().text = slice();
      has_question_ = true;
    } else if (path_ == kId) {
      texts_.index.questions.back().id = slice();
    } else if (answers_ == 1 && path_ == kAnswerText) {
      texts_.index.questions.back().answer = slice();
      has_answer_ = true;
    }
  }

  void begin_paragraph() {
    texts_.paragraphs.emplace_back();
    texts_.index.paragraphs.emplace_back();
    has_text_ = false;
    first_question_ = texts_.index.questions.size();
  }
  void end_paragraph() {
    if (has_text_) return;
    for (size_t q = first_question_; q < texts_.index.questions.size(); ++q)
      texts_.index.questions[q].fault = "its paragraph has no text 'context'";
  }
  void begin_question() {
    texts_.questions.emplace_back();
    SquadQuestion& question = texts_.index.questions.emplace_back();
    question.paragraph = static_cast<uint32_t>(texts_.index.paragraphs.size() - 1);
    has_question_ = has_answer_ = impossible_ = false;
    answers_ = 0;
    start_ = -1;
  }
  void end_question() {
    SquadQuestion& question = texts_.index.questions.back();
    if (impossible_)
      question.answer = {};
    else
      question.answer_start = start_;
    if (!has_question_)
      question.fault = "it has no text 'question'";
    else if (!impossible_ && answers_ == 0)
      question.fault = "it has no answer, and is_impossible does not say that there is none";
    else if (!impossible_ && (!has_answer_ || start_ < 0))
      question.fault = "its answer lacks 'text' or 'answer_start'";
    answers_ = 0;
  }

  std::string_view content_;
  const std::string& name_;
  const char* read_;
  std::string path_;
  std::vector<Level> levels_;
  std::optional<Error> failure_;
  SquadTexts texts_;
  size_t first_question_ = 0;  ///< of the paragraph in hand
  int64_t start_ = -1;         ///< of the question in hand
  int answers_ = 0;
  bool has_text_ = false, has_question_ = false, has_answer_ = false, impossible_ = false;
};

}  // namespace

Result<SquadTexts> parse_squad(std::string_view content, const std::string& name) {
  Reader reader(content, name);
  FLYBALL_CHECK(reader.run());
  return reader.take();
}

}  // namespace flyball
