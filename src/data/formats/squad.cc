#include "data/formats/squad.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.h"
#include "data/formats/source.h"
#include "data/formats/squad_index.h"
#include "data/text/question_set.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kLargestFile = uint64_t{1} << 30;
constexpr size_t kAtOnce = 256;  // texts that one thread cuts before it takes others

const char* file_name(Split split) {
  return split == Split::train ? squad_train_file : squad_dev_file;
}

/// What sets with rows of different sizes share.
struct Questions {
  std::shared_ptr<const ByteSource> file;
  fs::path vocabulary;
  WordPiecePtr words;
  SquadIndex index;
  std::vector<int32_t> question_tokens, text_tokens;  ///< of each question, of each paragraph
};

class SquadSet final : public QuestionSet {
 public:
  SquadSet(std::shared_ptr<const Questions> all, int64_t row_tokens)
      : all_(std::move(all)), row_tokens_(row_tokens) {
    int64_t end = 0;
    for (size_t q = 0; q < all_->index.questions.size(); ++q) ends_.push_back(end += rows_of(q));
  }

  std::string kind() const override { return "squad"; }
  int64_t size() const override { return ends_.back(); }
  WordPiecePtr words() const override { return all_->words; }
  int64_t row_tokens() const override { return row_tokens_; }
  int64_t questions() const override { return static_cast<int64_t>(ends_.size()); }
  int64_t rows_from(int64_t sample) const override { return ends_[find(sample).first] - sample; }
  DatasetPtr in_rows_of(int64_t tokens) const override {
    return std::make_shared<SquadSet>(all_, tokens);
  }

  Status fetch(int64_t sample_index, RawSample& sample) const override {
    const auto [index, row] = find(sample_index);
    const SquadQuestion& question = all_->index.questions[index];
    if (question.fault != nullptr)
      return Error{Code::corrupt, fmt::format("{}: {}", name(sample_index), question.fault),
                   "mend the file, or leave the question out"};
    sample.encoding = Encoding::parts;
    sample.label = 0;
    const JsonSlice slices[] = {question.text, all_->index.paragraphs[question.paragraph].text,
                                question.answer};
    size_t bytes = 0;
    for (const JsonSlice& slice : slices) bytes += slice.size;
    sample.bytes.resize(bytes);
    const auto lengths = sample.parts.set<int64_t>(lengths_part, {3});
    size_t done = 0;
    for (size_t i = 0; i < 3; ++i) {
      lengths[i] = slices[i].size;
      FLYBALL_CHECK(
          all_->file->read(slices[i].begin, std::span(sample.bytes).subspan(done, slices[i].size)));
      done += slices[i].size;
    }
    sample.parts.set<int64_t>(start_part, {})[0] = question.answer_start;
    sample.parts.set<int64_t>(row_part, {})[0] = row;
    return {};
  }

  std::string name(int64_t sample_index) const override {
    const auto [index, row] = find(sample_index);
    const SquadQuestion& question = all_->index.questions[index];
    std::string id(question.id.size, ' ');
    const Status read =
        all_->file->read(question.id.begin, {reinterpret_cast<uint8_t*>(id.data()), id.size()});
    std::string text = fmt::format("{} question {}", all_->file->path().string(), index + 1);
    if (read.ok() && !id.empty()) text += fmt::format(" ({})", id);
    if (const int64_t rows = rows_of(index); rows > 1)
      text += fmt::format(" row {} of {}", row + 1, rows);
    return text;
  }

  std::vector<fs::path> files() const override { return {all_->file->path(), all_->vocabulary}; }

 private:
  int64_t rows_of(size_t index) const {
    const SquadQuestion& question = all_->index.questions[index];
    if (question.fault != nullptr) return 1;
    return question_rows(row_tokens_, all_->question_tokens[index],
                         all_->text_tokens[question.paragraph])
        .count;
  }
  // The question of a sample, and which of its rows.
  std::pair<size_t, int64_t> find(int64_t sample) const {
    const auto end = std::ranges::upper_bound(ends_, sample);
    const int64_t before = end == ends_.begin() ? 0 : *std::prev(end);
    return {static_cast<size_t>(end - ends_.begin()), sample - before};
  }

  std::shared_ptr<const Questions> all_;
  int64_t row_tokens_;
  std::vector<int64_t> ends_;  ///< samples of each question and all before it
};

std::vector<int32_t> count_tokens(const WordPiece& words, const std::vector<std::string>& texts) {
  std::vector<int32_t> counts(texts.size());
  parallel_for((texts.size() + kAtOnce - 1) / kAtOnce, [&](size_t part) {
    WordPieceScratch scratch;
    std::vector<Token> tokens;
    for (size_t i = part * kAtOnce; i < std::min(texts.size(), (part + 1) * kAtOnce); ++i) {
      words.cut(texts[i], scratch, tokens);
      counts[i] = static_cast<int32_t>(tokens.size());
    }
  });
  return counts;
}

Result<std::string> content_of(const ByteSource& file) {
  if (file.size() > kLargestFile)
    return Error{Code::corrupt, fmt::format("{} is larger than 1 GiB", file.path().string()),
                 "is this the right file?"};
  std::string content(static_cast<size_t>(file.size()), '\0');
  FLYBALL_CHECK(file.read(0, {reinterpret_cast<uint8_t*>(content.data()), content.size()}));
  return content;
}

}  // namespace

bool has_squad(const fs::path& folder, Split split) {
  std::error_code ignored;
  return fs::exists(folder / file_name(split), ignored);
}

Result<DatasetPtr> open_squad(const fs::path& folder, Split split) {
  auto all = std::make_shared<Questions>();
  FLYBALL_ASSIGN(all->file, ByteSource::open(folder / file_name(split)));
  FLYBALL_ASSIGN(const std::string content, content_of(*all->file));
  FLYBALL_ASSIGN(SquadTexts parsed, parse_squad(content, all->file->path().string()));
  all->vocabulary = folder / vocabulary_file;
  auto vocabulary = Vocabulary::read(all->vocabulary);
  if (!vocabulary.ok()) {
    Error error = vocabulary.error();
    if (error.code == Code::not_found)
      error.hint = "put the vocab.txt of uncased BERT beside the JSON files";
    return error;
  }
  all->words = std::make_shared<const WordPiece>(*std::move(vocabulary));
  all->index = std::move(parsed.index);
  all->question_tokens = count_tokens(*all->words, parsed.questions);
  all->text_tokens = count_tokens(*all->words, parsed.paragraphs);
  return DatasetPtr(std::make_shared<SquadSet>(std::move(all), default_row_tokens));
}

}  // namespace flyball
