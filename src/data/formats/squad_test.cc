#include "data/formats/squad.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/files.h"
#include "data/data_testing.h"
#include "data/formats/open.h"
#include "data/formats/squad_index.h"
#include "data/loader/loader.h"
#include "data/makers/check.h"
#include "data/text/question_collate.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Ids 4 to 13; what is not there is [UNK] (1).
constexpr const char* kVocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\nwho\nruns\n?\nthe\ncafe\nzo\n##e\n.\nold\nwords\n";

std::string question(const std::string& fields) {
  return R"({"question": "Who runs?", "id": "q1", )" + fields + "}";
}
std::string answer(const std::string& text, int64_t start) {
  return question(R"("is_impossible": false, "answers": [{"text": ")" + text +
                  R"(", "answer_start": )" + std::to_string(start) + "}]");
}
const std::string no_answer =
    R"("plausible_answers": [{"text": "the", "answer_start": 0}], "answers": [], "is_impossible": true)";

// "qas" before "context", as in the true files.
std::string content(const std::vector<std::string>& questions, const std::string& context) {
  std::string all;
  for (const std::string& each : questions) all += (all.empty() ? "" : ", ") + each;
  return R"({"version": "v2.0", "data": [{"title": "T", "paragraphs": [{"qas": [)" + all +
         R"(], "context": ")" + context + R"("}]}]})";
}

class SquadTest : public ::testing::Test {
 protected:
  void SetUp() override { put(vocabulary_file, kVocabulary); }
  void put(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(folder_ / name, text).ok());
  }
  DatasetPtr open(const std::vector<std::string>& questions, const std::string& context) {
    put(squad_train_file, content(questions, context));
    auto set = open_dataset(folder_.path(), Split::train);
    EXPECT_TRUE(set.ok()) << set.error().message;
    return set.ok() ? *set : nullptr;
  }
  std::string open_error(const std::string& text) {
    put(squad_train_file, text);
    const auto set = open_squad(folder_.path(), Split::train);
    return set.ok() ? "" : set.error().message;
  }
  struct Row {
    std::string error;
    std::vector<int64_t> ids, types, mask;
    int64_t start = -1, end = -1;
  };
  // A sample as a network gets it.
  static Row row(const DatasetPtr& set, int64_t index) {
    Row row;
    const CollatePtr collate = *open_question_collate(*set, {.training = true});
    const auto scratch = collate->scratch();
    BatchBuffer batch = *BatchBuffer::create(collate->layout(), 1);
    RawSample sample;
    Status status = set->fetch(index, sample);
    if (status.ok()) status = collate->add(sample, 0, scratch.get(), batch);
    if (!status.ok()) {
      row.error = status.error().message;
      return row;
    }
    batch.commit();
    const BatchView view = batch.view();
    const auto list = [&](const char* name) {
      const auto values = view.values<int64_t>(name);
      return std::vector<int64_t>(values.begin(), values.end());
    };
    row.ids = list(ids_tensor), row.types = list(types_tensor), row.mask = list(mask_tensor);
    row.start = list(start_tensor)[0], row.end = list(end_tensor)[0];
    return row;
  }
  static std::vector<int64_t> first(std::vector<int64_t> values, size_t count) {
    values.resize(count);
    return values;
  }

  TemporaryFolder folder_;
};

TEST_F(SquadTest, MakesRowsWithTheAnswerMarked) {
  // Escapes, an accent before the answer (so that bytes are not characters), an emoji of two units.
  const DatasetPtr set = open({answer("Caf\\u00e9 Zo\\u00eb", 8), question(no_answer)},
                              "\\ud83d\\ude00 \\\"\\u00e9\\\" the Caf\\u00e9 Zo\\u00eb.");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->kind(), "squad");
  EXPECT_EQ(set->size(), 2);
  EXPECT_EQ(set->classes(), 14);
  const Row found = row(set, 0);
  ASSERT_EQ(found.error,
            "its answer 'Caf\u00e9 Zo\u00eb' does not stand at character 8 of its text");
  const DatasetPtr right = open({answer("Caf\\u00e9 Zo\\u00eb", 10), question(no_answer)},
                                "\\ud83d\\ude00 \\\"\\u00e9\\\" the Caf\\u00e9 Zo\\u00eb.");
  const Row good = row(right, 0);
  ASSERT_EQ(good.error, "");
  EXPECT_THAT(first(good.ids, 17),
              ElementsAre(2, 4, 5, 6, 3, 1, 1, 1, 1, 7, 8, 9, 10, 11, 3, 0, 0));
  EXPECT_THAT(first(good.types, 17),
              ElementsAre(0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0));
  EXPECT_THAT(first(good.mask, 17), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0));
  EXPECT_EQ(good.ids.size(), 128u);
  EXPECT_EQ(good.start, 10);
  EXPECT_EQ(good.end, 12);
  const Row none = row(right, 1);
  EXPECT_EQ(none.error, "");
  EXPECT_EQ(none.start, 0);
  EXPECT_EQ(none.end, 0);
  EXPECT_EQ(none.ids, good.ids);
}

TEST_F(SquadTest, AnAnswerInsideAWordMarksIt) {
  const DatasetPtr set = open({answer("o", 1), answer("old. ", 4)}, "Zoe old. The");
  EXPECT_EQ(row(set, 0).start, 5);
  EXPECT_EQ(row(set, 0).end, 5);  // "zo", not "##e"
  EXPECT_EQ(row(set, 1).start, 7);
  EXPECT_EQ(row(set, 1).end, 8);
}

TEST_F(SquadTest, LongTextsTakeSeveralRowsThatOverlap) {
  // 100 words in rows of 32: 3 words asked and 3 marks leave 26; a row begins every 10.
  std::string text;
  for (int i = 0; i < 100; ++i) text += i == 40 ? "old " : "the ";
  const auto narrow = with_row_tokens(open({answer("old", 40 * 4)}, text), 32);
  ASSERT_TRUE(narrow.ok()) << narrow.error().message;
  ASSERT_EQ((*narrow)->size(), 9);  // 1 + ceil((100 - 26) / 10)
  EXPECT_THAT((*narrow)->name(4), HasSubstr("train-v2.0.json question 1 (q1) row 5 of 9"));
  for (int64_t i = 0; i < 9; ++i) {
    const Row part = row(*narrow, i);
    const int64_t begin = i * 10, end = std::min<int64_t>(begin + 26, 100);
    const bool here = begin <= 40 && 40 < end;
    EXPECT_EQ(part.start, here ? 5 + 40 - begin : 0) << i;
    EXPECT_EQ(part.end, part.start) << i;
    if (here) {
      EXPECT_EQ(part.ids[static_cast<size_t>(part.start)], 12) << i;
    }
    EXPECT_EQ(std::ranges::count(part.mask, 1), 6 + end - begin) << i;
  }
  EXPECT_EQ((*with_row_tokens(*narrow, 384))->size(), 1);
  for (const int64_t tokens : {31, 513, -5}) {
    const auto refused = with_row_tokens(*narrow, tokens);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().hint, HasSubstr("32 to 512"));
  }
  EXPECT_THAT(
      with_row_tokens(std::make_shared<ShapedSet>(std::array<int, 3>{3, 8, 8}), 64).error().message,
      HasSubstr("have no tokens"));
}

TEST(QuestionRows, CountAsThePublishedLoopDoes) {
  for (const int64_t width : {32, 33, 64, 128, 384, 512})
    for (const int64_t asked : {0, 1, 11, 63, 64, 65, 500})
      for (const int64_t text : {0, 1, 20, 100, 101, 127, 350, 900}) {
        const QuestionRows rows = question_rows(width, asked, text);
        ASSERT_LE(rows.question + rows.room + 3, width);
        ASSERT_GT(rows.room, 0);
        std::vector<std::pair<int64_t, int64_t>> spans;
        for (int64_t start = 0; start < text;) {
          const int64_t length = std::min(text - start, rows.room);
          spans.emplace_back(start, length);
          if (start + length == text) break;
          start += std::min(length, rows.step);
        }
        if (spans.empty()) spans.emplace_back(0, 0);
        ASSERT_EQ(rows.count, static_cast<int64_t>(spans.size()));
        for (int64_t i = 0; i < rows.count; ++i)
          ASSERT_EQ(spans[static_cast<size_t>(i)], std::pair(rows.begin(i), rows.length(i)));
      }
}

struct Bad {
  const char* name;
  std::string question;
  const char* reason;
};

class BadQuestionTest : public SquadTest, public ::testing::WithParamInterface<Bad> {};

TEST_P(BadQuestionTest, IsNamedOrSkippedAndFoundByCheck) {
  const DatasetPtr set = open({answer("The", 0), GetParam().question, question(no_answer)},
                              "The old caf\u00e9. The words.");
  ASSERT_TRUE(set);
  for (const int workers : {0, 2})
    for (const OnBadSample policy : {OnBadSample::fail, OnBadSample::skip}) {
      auto loader = *Loader::create(set, *open_question_collate(*set, {.training = true}),
                                    {.batch_size = 3, .workers = workers, .on_bad_sample = policy});
      loader->start_epoch(0);
      const auto batch = loader->next();
      EXPECT_EQ(batch.ok(), policy == OnBadSample::skip);
      const Error error = batch.ok() ? loader->bad_samples().at(0).error : batch.error();
      EXPECT_THAT(error.message, HasSubstr(squad_train_file));
      EXPECT_THAT(error.message, HasSubstr("question 2"));
      EXPECT_THAT(error.message, HasSubstr(GetParam().reason));
      if (batch.ok()) {
        EXPECT_EQ((*batch)->view.count(), 2);
      }
    }
  const auto report = check_dataset(folder_.path());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->problem_count, 1);
  EXPECT_THAT(report->problems.at(0).message, HasSubstr(GetParam().reason));
  EXPECT_EQ(report->parts.at(0).classes, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Squad, BadQuestionTest,
    ::testing::Values(
        Bad{"AnswerElsewhere", answer("old", 9), "'old' does not stand at character 9"},
        Bad{"AnswerBehindTheEnd", answer("old", 5000), "does not stand at character 5000"},
        Bad{"AnswerCutOff", answer("words. And", 18), "does not stand at character 18"},
        Bad{"EmptyAnswer", answer("", 3), "does not stand"},
        Bad{"AnswerOfBlanks", answer(" ", 3), "holds no word"},
        Bad{"NegativeStart", answer("The", -1), "lacks 'text' or 'answer_start'"},
        Bad{"StartIsNoNumber", question(R"("answers": [{"text": "The", "answer_start": "0"}])"),
            "lacks 'text' or 'answer_start'"},
        Bad{"NoAnswer", question(R"("answers": [], "is_impossible": false)"), "it has no answer"},
        Bad{"NothingSaid", question(R"("extra": {"answers": [{"text": "The"}]})"),
            "it has no answer"},
        Bad{"NoQuestion", R"({"question": 7, "id": "q1", "is_impossible": true})",
            "it has no text 'question'"}),
    [](const auto& each) { return each.param.name; });

// Each bracket is a token, and each 42 of them a row: cutting the text again for every row took
// minutes.
TEST_F(SquadTest, ALongTextIsCheckedInTimeByItsLength) {
  constexpr int64_t brackets = 200'000;
  const DatasetPtr set = open({question(no_answer), answer("The", 0), answer("old", 9)},
                              "The " + std::string(brackets, '['));
  ASSERT_TRUE(set);
  const Stopwatch taken;
  const auto report = check_dataset(folder_.path());
  EXPECT_LT(taken.milliseconds(), 10'000);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->parts.at(0).samples, set->size());
  EXPECT_GT(report->parts.at(0).bytes, set->size() / 3 * 2 * brackets) << "each row counts";
  EXPECT_EQ(report->problem_count, set->size() / 3) << "of the third question, each row";
  EXPECT_THAT(report->problems.at(1).message, HasSubstr("(q1) row 2 of"));
}

TEST_F(SquadTest, AnAnswerUpToTwoCharactersLateIsFound) {
  const DatasetPtr set = open({answer("old", 6), answer("old", 7)}, "The old words.");
  EXPECT_EQ(row(set, 0).start, 6);
  EXPECT_THAT(row(set, 1).error, HasSubstr("does not stand at character 7"));
}

TEST_F(SquadTest, AFileThatIsBrokenIsNamedWithItsByte) {
  const std::string good = content({question(no_answer)}, "the");
  EXPECT_EQ(open_error(good), "");
  EXPECT_THAT(open_error(good.substr(0, 60)), HasSubstr("train-v2.0.json byte 61 is no JSON"));
  EXPECT_THAT(open_error(good + "x"), HasSubstr("is no JSON"));
  EXPECT_THAT(open_error("<html>"), HasSubstr("byte 1 is no JSON"));
  EXPECT_THAT(open_error(""), HasSubstr("is no JSON"));
  EXPECT_THAT(open_error(content({question(no_answer)}, "a \xFF")), HasSubstr("is no JSON"));
  EXPECT_THAT(open_error(content({question(no_answer)}, "\\ud83d")), HasSubstr("is no JSON"));
  EXPECT_THAT(open_error("[]"), HasSubstr("holds no question"));
  EXPECT_THAT(open_error(R"({"data": [{"paragraphs": [{"qas": []}]}]})"),
              HasSubstr("holds no question"));
  EXPECT_THAT(open_error(R"({"data/*/paragraphs/*/qas/*": {"question": "x"}})"),
              HasSubstr("holds no question"));
  EXPECT_THAT(open_error(std::string(100000, '[')), HasSubstr("nested deeper than 64"));
}

TEST_F(SquadTest, AParagraphWithoutTextIsAFaultOfItsQuestions) {
  put(squad_train_file, R"({"data": [{"paragraphs": [{"qas": [)" + question(no_answer) + "]}]}]}");
  const auto set = open_squad(folder_.path(), Split::train);
  ASSERT_TRUE(set.ok());
  EXPECT_THAT(row(*set, 0).error, HasSubstr("its paragraph has no text 'context'"));
}

TEST_F(SquadTest, AMissingOrBrokenVocabularyIsNamed) {
  put(squad_train_file, content({question(no_answer)}, "the"));
  put(vocabulary_file, "[PAD]\n");
  EXPECT_THAT(open_squad(folder_.path(), Split::train).error().message,
              HasSubstr("vocab.txt has no line '[UNK]'"));
  fs::remove(folder_ / vocabulary_file);
  const auto set = open_squad(folder_.path(), Split::train);
  ASSERT_FALSE(set.ok());
  EXPECT_THAT(set.error().message, HasSubstr("vocab.txt"));
  EXPECT_THAT(set.error().hint, HasSubstr("beside the JSON files"));
  const auto report = check_dataset(folder_.path());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->problem_count, 1);
}

TEST_F(SquadTest, AFileThatChangesMeanwhileIsNeverReadWrongly) {
  const DatasetPtr set = open({answer("The", 0)}, "The old words.");
  fs::resize_file(folder_ / squad_train_file, 40);
  EXPECT_THAT(row(set, 0).error, HasSubstr("more were expected"));
}

}  // namespace
}  // namespace flyball
