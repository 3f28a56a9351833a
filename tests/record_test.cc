// Records and runs know each other: `flyball record -- COMMAND`, `measure --record`, `profile
// --record`.
#include <gmock/gmock.h>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class RecordCommandTest : public CommandTest {
 protected:
  std::string file(const char* name) const { return (folder_ / name).string(); }
  /// Numbers of the runs that a record names.
  std::vector<int> runs_in(const nlohmann::json& record) const {
    std::vector<int> numbers;
    for (const auto& run : record["runs"]) {
      EXPECT_EQ(run["place"], file("store.db"));
      numbers.push_back(run["number"]);
    }
    return numbers;
  }
  nlohmann::json shown(int number) {
    return run({"runs", "show", std::to_string(number), "--json"}).json();
  }
};

TEST_F(RecordCommandTest, TheRunOfACommandIsJoinedToItsRecord) {
  const Finished done = run({"record", "-o", file("a.flyrec"), "--json", "--", "sleep", "0.2"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(runs_in(done.json()), std::vector<int>{1});
  const auto stored = shown(1);
  EXPECT_EQ(stored["record"], file("a.flyrec"));
  EXPECT_EQ(stored["state"], "done");
  EXPECT_EQ(stored["workload"], "sleep 0.2");
  EXPECT_EQ(stored["answer"]["file"], "a.flyrec");
  // Either of the two opens the page.
  ASSERT_EQ(run({"report", "1", "--out", file("run.html")}).exit_code, 0);
  ASSERT_EQ(run({"report", file("a.flyrec"), "--out", file("record.html")}).exit_code, 0);
  const auto page = report_data(file("run.html"));
  EXPECT_EQ(page["kind"], "record");
  EXPECT_EQ(page["answer"], report_data(file("record.html"))["answer"]);
  EXPECT_EQ(runs_in(page["answer"]), std::vector<int>{1});
}

TEST_F(RecordCommandTest, RunsThatTheCommandBeginsAreInTheRecord) {
  const Finished done = run({"record", "-o", file("a.flyrec"), "--json", "--", program_, "tune",
                             "resnet18", "--device", "twin:orin_nano", "--profiles", "3", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(runs_in(done.json()), (std::vector<int>{1, 2}));
  ASSERT_EQ(run({"tune", "resnet18", "--device", "twin:orin_nano", "-q", "--fresh"}).exit_code, 0);
  EXPECT_EQ(shown(2)["record"], file("a.flyrec"));
  EXPECT_TRUE(shown(3)["record"].is_null());
  // The page of the run leads to that of the record beside it.
  ASSERT_EQ(run({"report", "2", "--out", file("tune.html")}).exit_code, 0);
  const auto page = report_data(file("tune.html"));
  EXPECT_EQ(page["kind"], "tune");
  EXPECT_EQ(page["record"]["page"], "tune.record.html");
  EXPECT_EQ(report_data(file("tune.record.html"))["kind"], "record");
}

TEST_F(RecordCommandTest, MeasureSaysThatARecordWasWritten) {
  const Finished done = run({"measure", "--record", file("m.flyrec"), "--", "sleep", "0.2"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("m.flyrec (`flyball report "));
  const auto stored = shown(1);
  EXPECT_EQ(stored["record"], file("m.flyrec"));
  EXPECT_GT(stored["answer"]["wall_s"], 0.2);
  ASSERT_EQ(run({"report", "1", "--out", file("run.html")}).exit_code, 0);
  EXPECT_EQ(report_data(file("run.html"))["kind"], "record");
}

TEST_F(RecordCommandTest, ItsBoundIsTheOneThatIsAskedFor) {
  const Finished small =
      run({"record", "-o", file("a.flyrec"), "--most-bytes", "3MiB", "--json", "--", "true"});
  EXPECT_EQ(small.exit_code, 2);
  EXPECT_THAT(small.err, HasSubstr("a record cannot be as small as 3145728 bytes"));
  EXPECT_FALSE(fs::exists(file("a.flyrec")));
  const Finished least =
      run({"record", "-o", file("a.flyrec"), "--most-bytes", "4MiB", "--json", "--", "true"});
  ASSERT_EQ(least.exit_code, 0) << least.err;
  EXPECT_EQ(least.json()["most_bytes"], 4 << 20);
  const Finished usual = run({"record", "-o", file("b.flyrec"), "--json", "--", "true"});
  EXPECT_EQ(usual.json()["most_bytes"], 256 << 20);
}

// 126 and 127 are of a command that does not start.
TEST_F(RecordCommandTest, ARecordThatCannotBeBegunIsAFailureOfFlyball) {
  const Finished refused = run({"measure", "--record", file("no/folder/a.flyrec"), "--", "true"});
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_EQ(run({"measure", "--", "no-such-command-here"}).exit_code, 127);
}

// Once it does, its record may be written where that was to stand.
TEST_F(RecordCommandTest, OfACommandThatDidNotStartThereIsNoRecord) {
  const std::vector<std::vector<std::string>> commands = {
      {"record", "-o"}, {"measure", "--record"}, {"profile", "--record"}};
  for (const auto& words : commands) {
    const auto with = [&](const std::string& program) {
      std::vector<std::string> command = words;
      command.insert(command.end(), {file("a.flyrec"), "--", program});
      return command;
    };
    EXPECT_NE(run(with("no-such-command-here")).exit_code, 0);
    EXPECT_FALSE(fs::exists(file("a.flyrec"))) << words[0];
    const Finished done = run(with("true"));
    EXPECT_EQ(done.exit_code, 0) << words[0] << ": " << done.err;
    EXPECT_TRUE(fs::remove(file("a.flyrec")));
  }
  EXPECT_EQ(shown(1)["state"], "failed");
}

// The file goes while the command runs: what became of the command is told all the same.
TEST_F(RecordCommandTest, HowTheCommandEndedCountsMoreThanItsRecord) {
  const std::string break_it = "rm -f '" + file("a.flyrec") + "'; exit ";
  const Finished failed = run({"record", "-o", file("a.flyrec"), "--", "sh", "-c", break_it + "3"});
  EXPECT_EQ(failed.exit_code, 3) << failed.err;
  EXPECT_THAT(failed.err, HasSubstr("a.flyrec"));
  const Finished fine = run({"record", "-o", file("a.flyrec"), "--", "sh", "-c", break_it + "0"});
  EXPECT_EQ(fine.exit_code, 2) << fine.err;
}

TEST_F(RecordCommandTest, TheRunOfAProfileHasItsPage) {
  const Finished done = run({"profile", "--record", file("p.flyrec"), "--", "sleep", "0.2"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("record: " + file("p.flyrec")));
  ASSERT_EQ(run({"report", "1", "--out", file("run.html")}).exit_code, 0);
  EXPECT_EQ(report_data(file("run.html"))["kind"], "profile");
  EXPECT_EQ(report_data(file("run.record.html"))["kind"], "record");
}

TEST_F(RecordCommandTest, ARecordThatIsAnothersIsNotShownForARun) {
  ASSERT_EQ(run({"record", "-o", file("a.flyrec"), "--", "true"}).exit_code, 0);
  fs::remove(file("a.flyrec"));
  ASSERT_EQ(run({"record", "-o", file("a.flyrec"), "--", "true"}).exit_code, 0);
  const Finished first = run({"report", "1", "--out", file("run.html")});
  EXPECT_THAT(first.err, HasSubstr("a.flyrec is of another run"));
  EXPECT_EQ(report_data(file("run.html"))["kind"], "run");
  EXPECT_EQ(runs_in(run({"runs", "show", "2", "--json"}).json()["answer"]), std::vector<int>{2});
}

TEST_F(RecordCommandTest, WithoutAStoreItRecordsAllTheSame) {
  environment_["FLYBALL_STORE"] = write("store.db", "no database").string();
  const Finished done = run({"record", "-o", file("a.flyrec"), "--json", "--", "true"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("note: no run of the store is joined to the record: "));
  EXPECT_EQ(done.json()["runs"].size(), 0u);
}

}  // namespace
}  // namespace flyball::testing_tools
