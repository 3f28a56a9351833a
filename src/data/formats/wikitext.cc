#include "data/formats/wikitext.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "data/formats/source.h"
#include "data/text/text_dataset.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
constexpr size_t kBlock = size_t{1} << 20;
constexpr size_t kLongestTextWord = size_t{1} << 16, kLongestWindow = size_t{1} << 26;

fs::path file_of(const fs::path& folder, Split split) {
  return folder / (split == Split::train ? "wiki.train.tokens" : "wiki.test.tokens");
}

// Where a window begins, and how long its first word is.
struct Start {
  uint64_t byte;
  uint32_t line, length;
};

using Counts = std::unordered_map<std::string, int64_t>;

// What one pass over a file tells.
struct Scan {
  std::shared_ptr<const ByteSource> file;
  Counts counts;
  std::vector<Start> starts;  ///< of windows, and of the word behind the last
  int64_t tokens = 0;
};

class Scanner {
 public:
  Scanner(Scan& scan, int64_t window) : scan_(scan), window_(window) {}

  Status run() {
    std::string text;
    uint64_t begin = 0;  // of `text` in the file
    for (uint64_t done = 0; done < scan_.file->size();) {
      const size_t kept = text.size();
      const size_t bytes = std::min<uint64_t>(kBlock, scan_.file->size() - done);
      text.resize(kept + bytes);
      FLYBALL_CHECK(
          scan_.file->read(done, {reinterpret_cast<uint8_t*>(text.data()) + kept, bytes}));
      done += bytes;
      const bool last = done == scan_.file->size();
      // A word at the end may go on in the next block.
      const size_t blank = text.find_last_of(" \t\r\n");
      const size_t whole = last ? text.size() : blank == std::string::npos ? 0 : blank + 1;
      if (text.size() - whole > kLongestTextWord)
        return Error{Code::corrupt,
                     fmt::format("{}: line {}: a word of more than {} bytes",
                                 scan_.file->path().string(), line_, kLongestTextWord),
                     "is this text, with blanks between its words?"};
      take(std::string_view(text).substr(0, whole), begin);
      begin += whole;
      text.erase(0, whole);
    }
    return {};
  }

 private:
  void take(std::string_view text, uint64_t begin) {
    for_each_token(text, [&](std::string_view token, size_t offset) {
      if (scan_.tokens++ % window_ == 0)
        scan_.starts.push_back({begin + offset, line_,
                                static_cast<uint32_t>(std::min(token.size(), kLongestTextWord))});
      if (token == "\n") {
        ++line_;
        return;
      }
      word_ = token;  // keeps its memory
      ++scan_.counts[word_];
    });
  }

  Scan& scan_;
  int64_t window_;
  uint32_t line_ = 1;
  std::string word_;
};

Result<Scan> scan_file(const fs::path& path, int64_t window) {
  Scan scan;
  FLYBALL_ASSIGN(scan.file, ByteSource::open(path));
  FLYBALL_CHECK(Scanner(scan, window).run());
  if (scan.tokens <= window)
    return Error{Code::corrupt,
                 fmt::format("{} holds {} words, line ends included: a sample takes {}",
                             path.string(), scan.tokens, window + 1),
                 "is this the right file? `flyball dataset make wikitext` draws one"};
  return scan;
}

class WikiText final : public TextDataset {
 public:
  WikiText(Scan scan, std::shared_ptr<const Words> words, int64_t window)
      : file_(std::move(scan.file)),
        starts_(std::move(scan.starts)),
        words_(std::move(words)),
        window_(window) {}

  std::string kind() const override { return "wikitext"; }
  int64_t size() const override { return static_cast<int64_t>(starts_.size()) - 1; }
  std::shared_ptr<const Words> words() const override { return words_; }
  int64_t window() const override { return window_; }

  Status fetch(int64_t index, RawSample& sample) const override {
    const Start &start = starts_[static_cast<size_t>(index)],
                &behind = starts_[static_cast<size_t>(index) + 1];
    sample.encoding = Encoding::text;
    sample.shape = {};
    sample.label = 0;
    const auto place = sample.parts.set<int64_t>(0, {3});
    place[0] = index;
    place[1] = start.line;
    place[2] = static_cast<int64_t>(start.byte);
    const uint64_t bytes = behind.byte + behind.length - start.byte;
    if (bytes > kLongestWindow)
      return Error{Code::corrupt,
                   fmt::format("{}: line {}: {} words in {} bytes", file_->path().string(),
                               start.line, window_, bytes),
                   "is this text?"};
    sample.bytes.resize(bytes);
    return file_->read(start.byte, sample.bytes);
  }
  std::string name(int64_t index) const override {
    return fmt::format("{} sample {}", file_->path().string(), index);
  }
  std::vector<fs::path> files() const override { return {file_->path()}; }

 private:
  std::shared_ptr<const ByteSource> file_;
  std::vector<Start> starts_;
  std::shared_ptr<const Words> words_;
  int64_t window_;
};

}  // namespace

bool has_wikitext(const fs::path& folder, Split split) {
  std::error_code ignored;
  return fs::exists(file_of(folder, split), ignored);
}

Result<DatasetPtr> open_wikitext(const fs::path& folder, Split split,
                                 const WikiTextOptions& options) {
  FLYBALL_ASSIGN(Scan scan, scan_file(file_of(folder, split), options.window));
  if (split == Split::test && has_wikitext(folder, Split::train)) {
    FLYBALL_ASSIGN(Scan training, scan_file(file_of(folder, Split::train), options.window));
    scan.counts = std::move(training.counts);
  }
  auto words = std::make_shared<const Words>(scan.counts, options.words);
  return DatasetPtr(std::make_shared<WikiText>(std::move(scan), std::move(words), options.window));
}

}  // namespace flyball
