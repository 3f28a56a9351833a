#include "data/formats/wikitext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "base/files.h"
#include "data/data_testing.h"
#include "data/formats/open.h"
#include "data/loader/loader.h"
#include "data/makers/check.h"
#include "data/makers/make.h"
#include "data/makers/text.h"
#include "data/text/text_dataset.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Words, AreNumberedByFrequencyWithTheRestUnknown) {
  const std::unordered_map<std::string, int64_t> counts = {
      {"the", 9}, {"été", 4}, {"a", 4}, {"rare", 1}, {"<unk>", 50}, {"\xff", 70}, {"<eos>", 3}};
  const Words words(counts, 5);
  ASSERT_EQ(words.size(), 5);
  EXPECT_EQ(words.word(0), "<unk>");
  EXPECT_EQ(words.word(1), "<eos>");
  EXPECT_EQ(words.number("the"), 2);
  EXPECT_EQ(words.number("a"), 3);
  EXPECT_EQ(words.number("été"), 4);
  EXPECT_EQ(words.number("rare"), 0);
  EXPECT_EQ(words.number("<unk>"), 0);
}

TEST(Tokens, AreWhatBlanksTellApartAndLineEnds) {
  std::vector<std::string> tokens;
  std::vector<size_t> places;
  for_each_token(" = 東京 ,\t@-@ = \r\n\n x", [&](std::string_view token, size_t at) {
    tokens.emplace_back(token);
    places.push_back(at);
  });
  EXPECT_THAT(tokens, ElementsAre("=", "東京", ",", "@-@", "=", "\n", "\n", "x"));
  EXPECT_THAT(places, ElementsAre(1, 3, 10, 12, 16, 19, 20, 22));
}

TEST(Tokens, BadWordsAreNamedByTheirPlace) {
  const Words words({{"a", 1}}, 10);
  std::vector<int64_t> out(3);
  EXPECT_TRUE(number_tokens(words, "a\nb", {}, out).ok());
  EXPECT_THAT(out, ElementsAre(2, 1, 0));
  const auto complaint = [&](std::string_view bytes) {
    return number_tokens(words, bytes, {7, 100}, out).error().message;
  };
  EXPECT_EQ(complaint("a\n\xc3("), "line 8, byte 102: a word is not UTF-8");
  EXPECT_THAT(complaint("a b\x01 c"), HasSubstr("line 7, byte 102: a word "));
  EXPECT_THAT(complaint("a b"), HasSubstr("2 words where 3 were"));
  EXPECT_THAT(complaint("a b c d"), HasSubstr("4 words where 3 were"));
}

std::string numbers(const Dataset& set, int64_t index) {
  RawSample sample;
  EXPECT_TRUE(set.fetch(index, sample).ok());
  return {sample.bytes.begin(), sample.bytes.end()};
}

TEST(WikiText, WindowsFollowEachOtherAndShareAWord) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "wiki.train.tokens", " a b c \n d e\nf g h").ok());
  const auto set = open_wikitext(folder.path(), Split::train, {.window = 3});
  ASSERT_TRUE(set.ok()) << set.error().message;
  ASSERT_EQ((*set)->size(), 3);  // a b c \n d e \n f g h: ten tokens
  EXPECT_EQ(numbers(**set, 0), "a b c \n");
  EXPECT_EQ(numbers(**set, 1), "\n d e\n");
  EXPECT_EQ(numbers(**set, 2), "\nf g h");
  EXPECT_EQ((*set)->kind(), "wikitext");
  EXPECT_EQ((*set)->classes(), 2 + 8);
  EXPECT_EQ((*set)->files().size(), 1u);
}

// Blocks of the scan end within words; the oracle is a text read at once.
TEST(WikiText, LongTextsAreReadAsShortOnes) {
  const TemporaryFolder folder;
  const std::string text = draw_text(1, 0, 800'000, 500);
  ASSERT_GT(text.size(), size_t{2} << 20);
  ASSERT_TRUE(write_file(folder / "wiki.train.tokens", text).ok());
  const auto set = open_wikitext(folder.path(), Split::train);
  ASSERT_TRUE(set.ok());
  std::vector<std::string> tokens;
  for_each_token(text, [&](std::string_view token, size_t) { tokens.emplace_back(token); });
  ASSERT_EQ((*set)->size(), static_cast<int64_t>(tokens.size() - 1) / 35);
  RawSample sample;
  for (int64_t i = 0; i < (*set)->size(); ++i) {
    ASSERT_TRUE((*set)->fetch(i, sample).ok());
    std::vector<std::string> own;
    for_each_token({reinterpret_cast<const char*>(sample.bytes.data()), sample.bytes.size()},
                   [&](std::string_view token, size_t) { own.emplace_back(token); });
    ASSERT_TRUE(std::ranges::equal(own, std::span(tokens).subspan(static_cast<size_t>(i) * 35, 36)))
        << i;
  }
}

TEST(WikiText, FilesThatAreNoneAreNamed) {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& text) {
    EXPECT_TRUE(write_file(folder / "wiki.train.tokens", text).ok());
    const auto set = open_wikitext(folder.path(), Split::train);
    if (set.ok()) return std::string("accepted");
    EXPECT_THAT(set.error().message, HasSubstr("wiki.train.tokens"));
    EXPECT_FALSE(set.error().hint.empty());
    return set.error().message;
  };
  EXPECT_THAT(complaint(""), HasSubstr("holds 0 words"));
  EXPECT_THAT(complaint("too short"), HasSubstr("holds 2 words, line ends included"));
  EXPECT_THAT(complaint(std::string(3 << 20, 'x')), HasSubstr("a word of more than 65536 bytes"));
  EXPECT_EQ(complaint(draw_text(1, 0, 100, 20)), "accepted");
}

TEST(WikiText, TheTestPartSpeaksTheWordsOfTheTrainingPart) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset("wikitext", 200, folder.path()).ok());
  const auto training = open_dataset(folder.path(), Split::train);
  const auto test = open_dataset(folder.path(), Split::test);
  ASSERT_TRUE(training.ok() && test.ok());
  EXPECT_EQ((*training)->classes(), (*test)->classes());
  EXPECT_EQ((*training)->size(), 200);
  EXPECT_EQ((*test)->size(), 20);
}

TEST(WikiText, BrokenTextIsFoundAndNamedByTheCheck) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset("wikitext", 100, folder.path()).ok());
  auto sound = check_dataset(folder.path(), 2);
  ASSERT_TRUE(sound.ok());
  EXPECT_EQ(sound->problem_count, 0);
  EXPECT_EQ(sound->kind, "wikitext");
  ASSERT_EQ(sound->parts.size(), 2u);
  EXPECT_GT(sound->parts[0].largest_class, sound->parts[0].smallest_class);

  std::fstream file(folder / "wiki.train.tokens", std::ios::in | std::ios::out);
  std::string text(std::istreambuf_iterator<char>(file), {});
  const size_t at = text.find("\n", 2000) + 5;
  const auto line = std::ranges::count(text.substr(0, at), '\n') + 1;
  file.seekp(static_cast<std::streamoff>(at));
  file.put('\xff');
  file.close();
  const auto broken = check_dataset(folder.path(), 2);
  ASSERT_TRUE(broken.ok());
  ASSERT_EQ(broken->problem_count, 1);
  EXPECT_THAT(broken->problems[0].message, HasSubstr("wiki.train.tokens sample "));
  EXPECT_THAT(broken->problems[0].message, HasSubstr("line " + std::to_string(line) + ", byte "));
  EXPECT_THAT(broken->problems[0].message, HasSubstr("a word is not UTF-8"));
}

// What is drawn otherwise needs another kTextVersion, or a set of before is taken for it.
TEST(WikiText, TheDrawnTextIsThatOfItsVersion) {
  ASSERT_EQ(kTextVersion, 1);
  EXPECT_EQ(draw_text(1, 0, 30, 36000).substr(0, 42),
            " \n = da nafu = \n \n ta rila neda sihu lita ");
}

struct Seen {
  std::vector<int64_t> ids, next, windows;
  int64_t skipped = 0;
  std::string error;
  bool operator==(const Seen&) const = default;
};

Seen seen_by(const DatasetPtr& set, int workers, OnBadSample policy, int64_t batch = 4) {
  Seen seen;
  const auto strands = set->strands(batch);
  auto loader = *Loader::create(
      set, *open_text_collate(*set, {.training = true}),
      {.batch_size = batch, .workers = workers, .on_bad_sample = policy, .order = [&](int64_t) {
         return strands;
       }});
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    loader->start_epoch(epoch);
    while (true) {
      const auto loaded = loader->next();
      if (!loaded.ok()) seen.error = loaded.error().message;
      if (!loaded.ok() || !*loaded) break;
      const auto append = [&](std::vector<int64_t>& to, const char* tensor) {
        const auto values = (*loaded)->view.values<int64_t>(tensor);
        to.insert(to.end(), values.begin(), values.end());
      };
      append(seen.ids, ids_tensor);
      append(seen.next, next_tensor);
      append(seen.windows, window_tensor);
    }
  }
  seen.skipped = loader->skipped();
  return seen;
}

TEST(TextStrands, EachRowGoesOnWhereItEnded) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset("wikitext", 103, folder.path()).ok());
  const auto set = *open_dataset(folder.path(), Split::train);
  const auto strands = set->strands(4);
  ASSERT_EQ(static_cast<int64_t>(strands.size()), set->size());
  EXPECT_EQ(std::set<int64_t>(strands.begin(), strands.end()).size(), strands.size());
  const size_t whole = strands.size() / 4 * 4;
  for (size_t i = 4; i < whole; ++i) EXPECT_EQ(strands[i], strands[i - 4] + 1);
  // The words, too: what is wanted last in a row is read first in the next minibatch.
  const Seen seen = seen_by(set, 0, OnBadSample::fail);
  for (size_t row = 4; row < whole; ++row)
    EXPECT_EQ(seen.ids[row * 35], seen.next[(row - 4) * 35 + 34]);
  for (size_t i = 0; i + 1 < 35; ++i) EXPECT_EQ(seen.ids[i + 1], seen.next[i]);
  for (const int64_t few : {1, 500})
    EXPECT_EQ(static_cast<int64_t>(set->strands(few).size()), set->size());
}

TEST(TextStrands, AreTheSameBitsWithAnyNumberOfWorkers) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset("wikitext", 103, folder.path()).ok());
  const auto set = *open_dataset(folder.path(), Split::train);
  const Seen inline_run = seen_by(set, 0, OnBadSample::fail);
  EXPECT_EQ(inline_run.ids.size(), static_cast<size_t>(2 * set->size() * 35));
  for (const int workers : {1, 4}) EXPECT_EQ(seen_by(set, workers, OnBadSample::fail), inline_run);
}

TEST(TextStrands, BadTextIsNamedOrSkipped) {
  const TemporaryFolder folder;
  std::string text = draw_text(1, 0, 2000, 50);
  text[text.size() / 2] = '\x02';
  ASSERT_TRUE(write_file(folder / "wiki.train.tokens", text).ok());
  const auto set = *open_dataset(folder.path(), Split::train);
  for (const int workers : {0, 2}) {
    EXPECT_THAT(seen_by(set, workers, OnBadSample::fail).error, HasSubstr("byte "));
    const Seen skipping = seen_by(set, workers, OnBadSample::skip);
    EXPECT_EQ(skipping.error, "");
    EXPECT_GE(skipping.skipped, 2);  // one or two windows in each of two epochs
    EXPECT_LE(skipping.skipped, 4);
    EXPECT_EQ(skipping.windows.size() + static_cast<size_t>(skipping.skipped),
              static_cast<size_t>(2 * set->size()));
  }
  // A file that shrinks while it is read is an error of its samples, not a hang.
  fs::resize_file(folder / "wiki.train.tokens", 1000);
  EXPECT_THAT(seen_by(set, 2, OnBadSample::fail).error, HasSubstr("ends at byte"));
}

TEST(TextCollate, OtherSetsAreRefused) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_dataset("cifar10", 10, folder.path()).ok());
  const auto collate =
      open_text_collate(**open_dataset(folder.path(), Split::train), {.training = true});
  ASSERT_FALSE(collate.ok());
  EXPECT_THAT(collate.error().message, HasSubstr("a data set of kind 'cifar10'"));
}

}  // namespace
}  // namespace flyball
