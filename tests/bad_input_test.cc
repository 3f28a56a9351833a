// What each option of a kind must refuse, in words that name it, with a remedy; the words of single
// refusals stand in tests/answers.
#include <gmock/gmock.h>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

using Words = std::vector<std::string>;

class BadInputTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    table_ = small_table().string();
    std::string served = slurp(table_);
    for (size_t at = 0; (at = served.find(",train,", at)) != std::string::npos;)
      served.replace(at, 7, ",infer,");
    infer_ = write("infer.csv", served).string();
  }
  void expect_refused(const Words& words, const std::string& named, const std::string& remedy) {
    const Finished done = run(words);
    const std::string line = ::testing::PrintToString(words);
    EXPECT_EQ(done.exit_code, 2) << line;
    EXPECT_THAT(done.err, HasSubstr("flyball: ")) << line;
    EXPECT_THAT(done.err, HasSubstr(named)) << line;
    EXPECT_THAT(done.err, HasSubstr(remedy)) << line;
  }
  std::string table_, infer_;
};

// Every option whose help names a file that is written.
TEST_F(BadInputTest, AFileIsNotWrittenIntoAFolderThatIsNotThere) {
  const std::string folder = (folder_ / "nodir").string(), file = folder + "/x.html";
  const std::vector<Words> commands = {
      {"tune", "net", "--device", "table:" + table_, "--report"},
      {"plan", "training", "--train", table_, "--report"},
      {"profile", "lenet5", "--report"},
      {"profile", "lenet5", "--save"},
      {"profile", "lenet5", "--csv"},
      {"profile", "lenet5", "--trace"},
      {"serve", "--infer", infer_, "--rate", "10", "--latency", "1s", "--report"},
      {"serve", "--infer", infer_, "--rate", "10", "--latency", "1s", "--trace"},
      {"measure", "--csv", file, "--", "true"},
      {"runs", "show", "1", "--report"},
      {"report", "1", "--out"},
      {"export", "--out"},
      {"import", table_, "--out"},
      {"predict", table_, "--out"},
      {"twin", "table", "resnet18", "--device", "twin:orin_nano", "--out"},
      {"evaluate", "search", "--problem", "training", "--train", table_, "--cases"}};
  for (Words words : commands) {
    if (words[0] != "measure") words.push_back(file);
    expect_refused(words, "there is no folder '" + folder + "'", "make it (mkdir -p '" + folder);
    EXPECT_FALSE(fs::exists(folder)) << ::testing::PrintToString(words);
  }
  const fs::path page = folder_ / "page.html";
  EXPECT_EQ(run({"tune", "net", "--device", "table:" + table_, "-q", "--report", page.string()})
                .exit_code,
            0);
  EXPECT_TRUE(fs::exists(page));
}

}  // namespace
}  // namespace flyball::testing_tools
