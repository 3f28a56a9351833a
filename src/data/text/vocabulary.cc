#include "data/text/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr size_t kLargestVocabulary = size_t{64} << 20;
constexpr std::string_view kGoesOn = "##";

// "[CLS]", "[unused7]": no pieces of words.
bool is_mark(std::string_view line) {
  return line.size() > 2 && line.starts_with('[') && line.ends_with(']');
}

bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}

}  // namespace

Status Vocabulary::take(std::string_view line, int64_t number) {
  const auto bad = [](const std::string& message, const std::string& hint) {
    return Error{Code::corrupt, message, hint};
  };
  if (line.empty())
    return bad("it is empty", "each line is a piece of a word: fetch the file again");
  if (const std::string fault = text_fault(line); !fault.empty())
    return bad("it " + fault, "fetch the file again");
  if (!is_mark(line) && std::ranges::any_of(line, is_capital))
    return bad(fmt::format("'{}' has capitals, and words are put into small letters", line),
               "take the vocabulary of an uncased network");
  if (line.size() > kGoesOn.size() && line.starts_with(kGoesOn)) {
    line.remove_prefix(kGoesOn.size());
    goes_on_.insert_or_assign(std::string(line), number);
  } else {
    begins_.insert_or_assign(std::string(line), number);
  }
  longest_ = std::max(longest_, line.size());
  return {};
}

Result<Vocabulary> Vocabulary::parse(std::string_view text, const std::string& name) {
  Vocabulary vocabulary;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const Status taken = vocabulary.take(trim(text.substr(0, end)), vocabulary.size_);
    if (!taken.ok())
      return taken.error().within(fmt::format("{} line {}", name, vocabulary.size_ + 1));
    ++vocabulary.size_;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const auto mark = [&](const char* piece, int64_t& number) -> Status {
    number = vocabulary.begins(piece);
    if (number >= 0) return {};
    return Error{Code::corrupt, fmt::format("{} has no line '{}'", name, piece),
                 "take the vocab.txt that belongs to BERT"};
  };
  FLYBALL_CHECK(mark("[PAD]", vocabulary.padding_));
  FLYBALL_CHECK(mark("[UNK]", vocabulary.unknown_));
  FLYBALL_CHECK(mark("[CLS]", vocabulary.first_));
  FLYBALL_CHECK(mark("[SEP]", vocabulary.separator_));
  return vocabulary;
}

Result<Vocabulary> Vocabulary::read(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const std::string text, read_file(file, kLargestVocabulary));
  return parse(text, file.string());
}

}  // namespace flyball
