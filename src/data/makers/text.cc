#include "data/makers/text.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/random.h"

namespace flyball {
namespace {

constexpr int64_t kWindow = 35;
constexpr size_t kSuccessors = 4;
constexpr double kFollows = 0.75;

// Syllables in a mixed order: frequent words are short, no two are equal.
std::string spell(int64_t index) {
  constexpr std::string_view onsets = "btkdlmnprsvgfh", vowels = "aeiou";
  const auto syllables = static_cast<int64_t>(onsets.size() * vowels.size());
  std::string word;
  for (int64_t rest = index + 1; rest > 0; rest /= syllables) {
    const auto digit = static_cast<size_t>(rest % syllables);
    word += onsets[digit % onsets.size()];
    word += vowels[digit / onsets.size()];
  }
  return word;
}

class Writer {
 public:
  Writer(uint64_t seed, uint64_t part, int64_t lexicon)
      : random_(mix_seed(mix_seed(seed, 5), part)), seed_(seed) {
    double sum = 0;
    for (int64_t i = 0; i < lexicon; ++i) {
      words_.push_back(spell(i));
      cumulated_.push_back(sum += 1.0 / static_cast<double>(i + 1));
    }
  }

  std::string write(int64_t words) {
    most_ = words;
    while (written_ < most_) article();
    return std::move(text_);
  }

 private:
  void put(std::string_view token) {
    if (written_ == most_) return;
    text_ += token == "\n" ? "\n" : " ";
    if (token != "\n") text_ += token;
    ++written_;
  }
  void line_end() {
    if (written_ < most_) text_ += " ";
    put("\n");
  }

  // A rank by Zipf's law for a uniform number.
  size_t rank_of(double uniform) const {
    const auto found = std::ranges::upper_bound(cumulated_, uniform * cumulated_.back());
    return std::min(static_cast<size_t>(found - cumulated_.begin()), cumulated_.size() - 1);
  }

  // Which words follow a word is the same in all parts of a set.
  size_t next_word() {
    if (random_.uniform() < kFollows) {
      Random liked(mix_seed(mix_seed(seed_, 6), word_ * kSuccessors + random_.below(kSuccessors)));
      word_ = rank_of(liked.uniform());
    } else {
      word_ = rank_of(random_.uniform());
    }
    return word_;
  }

  void sentence() {
    const size_t words = 4 + random_.below(20);
    for (size_t i = 0; i < words; ++i) put(words_[next_word()]);
    put(".");
  }

  void article() {
    line_end();
    put("=");
    put(words_[next_word()]);
    put(words_[next_word()]);
    put("=");
    line_end();
    line_end();
    const size_t paragraphs = 2 + random_.below(6);
    for (size_t p = 0; p < paragraphs && written_ < most_; ++p) {
      const size_t sentences = 2 + random_.below(8);
      for (size_t s = 0; s < sentences; ++s) sentence();
      line_end();
    }
  }

  Random random_;
  uint64_t seed_;
  std::vector<std::string> words_;
  std::vector<double> cumulated_;
  std::string text_;
  int64_t written_ = 0, most_ = 0;
  uint64_t word_ = 0;  ///< the last one's rank
};

}  // namespace

std::string draw_text(uint64_t seed, uint64_t part, int64_t words, int64_t lexicon) {
  return Writer(seed, part, lexicon).write(words);
}

Status make_wikitext(int64_t samples, const std::filesystem::path& out, uint64_t seed) {
  const int64_t words = samples * kWindow + 1;
  // Enough text for each word to be met: the drawn set has more than the papers' 29,423.
  const int64_t lexicon = std::clamp<int64_t>(words / 50, 20, 36000);
  uint64_t part = 0;
  for (const char* name : {"wiki.train.tokens", "wiki.valid.tokens", "wiki.test.tokens"}) {
    const int64_t own = part == 0 ? words : std::max<int64_t>(samples / 10, 1) * kWindow + 1;
    FLYBALL_CHECK(write_file(out / name, draw_text(seed, part++, own, lexicon)));
  }
  return {};
}

}  // namespace flyball
