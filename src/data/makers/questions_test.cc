#include "data/makers/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/files.h"
#include "base/json.h"
#include "data/data_testing.h"
#include "data/formats/squad.h"
#include "data/text/question_set.h"

namespace flyball {
namespace {

class QuestionsTest : public ::testing::Test {
 protected:
  SortedJson read(const char* file) const { return SortedJson::parse(*read_file(folder_ / file)); }
  TemporaryFolder folder_;
};

TEST_F(QuestionsTest, HaveTheTrueFormatAndAnswersWhereTheySay) {
  ASSERT_TRUE(make_questions(folder_.path(), {.train = 1000, .dev = 100}).ok());
  const SortedJson train = read(squad_train_file);
  EXPECT_EQ(train.at("version"), "v2.0");
  int asked = 0, impossible = 0;
  std::map<std::string, int> ids;
  for (const SortedJson& article : train.at("data"))
    for (const SortedJson& paragraph : article.at("paragraphs"))
      for (const SortedJson& question : paragraph.at("qas")) {
        ++asked;
        ++ids[question.at("id")];
        EXPECT_EQ(question.at("id").get<std::string>().size(), 24u);
        EXPECT_EQ(question.at("is_impossible"), question.at("answers").empty());
        impossible += question.at("answers").empty();
        EXPECT_EQ(question.contains("plausible_answers"), question.at("answers").empty());
      }
  EXPECT_EQ(asked, 1000);
  EXPECT_EQ(ids.size(), 1000u);
  EXPECT_NEAR(impossible, 333, 60);
  const SortedJson dev = read(squad_dev_file);
  EXPECT_EQ(dev["data"][0]["paragraphs"][0]["qas"].size(), 5u);
  const auto set = open_squad(folder_.path(), Split::test);
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(dynamic_cast<const QuestionSet&>(**set).questions(), 100);
  EXPECT_EQ((*set)->classes(), 30522);
}

// Whoever changes what is drawn raises the version and puts the new texts here.
TEST_F(QuestionsTest, AChangedDrawingNeedsAnotherVersion) {
  ASSERT_TRUE(make_questions(folder_.path(), {.train = 5, .dev = 5}).ok());
  ASSERT_EQ(kQuestionsVersion, 1);
  const SortedJson first = read(squad_train_file)["data"][0]["paragraphs"][0];
  EXPECT_EQ(first["qas"][0]["question"], "What do people say is the harvest of Velra?");
  EXPECT_EQ(first["qas"][0]["answers"][0]["text"], "rough rye");
  EXPECT_EQ(first["qas"][0]["answers"][0]["answer_start"], 98);
  const SortedJson dev = read(squad_dev_file)["data"][0]["paragraphs"][0];
  EXPECT_NE(first["context"], dev["context"]);
}

}  // namespace
}  // namespace flyball
