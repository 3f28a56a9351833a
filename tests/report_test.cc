// Reports of plans, profiles and stored runs; runs in a line, and compared.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/json.h"
#include "command_testing.h"
#include "schema_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class ReportTest : public CommandTest {
 protected:
  /// The document in the page, which must be as its schema says.
  SortedJson document(const fs::path& page) {
    SortedJson data = report_data(page);
    EXPECT_THAT(schema_faults("report", data), IsEmpty());
    return data;
  }
  std::string path(const char* name) { return (folder_ / name).string(); }

  std::string table(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = slurp(small_table());
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
    return write(name, text).string();
  }
  Finished tune(const std::string& table, const std::string& budget = "15W") {
    return run({"tune", "net", "--device", "table:" + table, "--power-budget", budget, "--profiles",
                "10", "--json", "-q"});
  }
};

TEST_F(ReportTest, OfServingHoldsWhatServeAnswers) {
  const std::string infer = table("infer.csv", "net,train,16", "det,infer,16");
  const Finished done = run({"serve", "--train", small_table().string(), "--infer", infer,
                             "--arrivals", "windows:20:20s,60:20s", "--latency", "900ms",
                             "--report", path("s.html"), "--json", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson answer = done.json(), page = document(path("s.html"));
  EXPECT_EQ(page["kind"], "serve");
  EXPECT_EQ(page["answer"], answer);
  EXPECT_THAT(answer["verdict"].get<std::string>(), StartsWith("det answered "));
  const auto sum = [](const SortedJson& column) {
    return std::accumulate(
        column.begin(), column.end(), int64_t{0},
        [](int64_t so_far, const SortedJson& one) { return so_far + one.get<int64_t>(); });
  };
  const SortedJson& requests = answer["services"][0]["requests"];
  EXPECT_EQ(sum(answer["timeline"]["services"][0]["arrived"]), requests["arrived"].get<int64_t>());
  EXPECT_EQ(sum(page["latency"][0]["count"]), requests["answered"].get<int64_t>());
  EXPECT_EQ(run({"serve", "--train", small_table().string(), "--infer", infer, "--arrivals",
                 "poisson:20", "--latency", "900ms", "--report", folder_.string()})
                .exit_code,
            2);
}

TEST_F(ReportTest, OfAnEvaluationOverAllTablesHoldsItsRows) {
  fs::create_directory(folder_ / "tables");
  fs::copy(small_table(), folder_ / "tables/train.csv");
  const std::vector<std::string> words = {
      "evaluate", "all", path("tables"), "--strategy", "maxn", "--limit", "5", "-q"};
  std::vector<std::string> reported = words;
  reported.insert(reported.end(), {"--report", path("e.html"), "--json"});
  const Finished done = run(reported);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson page = document(path("e.html"));
  EXPECT_EQ(page["kind"], "evaluation");
  EXPECT_EQ(page["answer"], SortedJson(done.json()));
}

TEST_F(ReportTest, OfBoardsHoldsTheComparisonAndWhyThereIsNoChoice) {
  const Finished done = run({"compare", "boards", "lstm", "--device", "twin:orin_agx,twin:rpi5",
                             "--deadline", "1ms", "--report", path("b.html"), "--json"});
  ASSERT_EQ(done.exit_code, 1) << done.err;
  const SortedJson page = document(path("b.html"));
  EXPECT_EQ(page["kind"], "boards");
  EXPECT_EQ(page["answer"], SortedJson(done.json()));
  EXPECT_FALSE(page["answer"]["infeasible"].is_null());
  EXPECT_THAT(page["answer"]["boards"][1]["speed"]["text"].get<std::string>(),
              StartsWith("two orders of magnitude slower"));
}

TEST_F(ReportTest, OfAPlanHoldsWhatThePlanAnswers) {
  const std::string infer = table("infer.csv", "net,train,16", "det,infer,16");
  const Finished done =
      run({"plan", "concurrent", "--train", small_table().string(), "--infer", infer, "--rate",
           "100", "--latency", "900ms", "--report", path("p.html"), "--json", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson answer = done.json(), page = document(path("p.html"));
  EXPECT_EQ(page["kind"], "plan");
  EXPECT_EQ(page["answer"], answer);
  EXPECT_THAT(page["command"].get<std::string>(), StartsWith("flyball plan concurrent"));
  EXPECT_EQ(page["apply"].back()["title"], "Run det");
  EXPECT_THAT(answer["choice"]["text"].get<std::string>(), StartsWith("cpu_cores "));
  EXPECT_EQ(answer["request"]["roles"][1]["rate_hz"], 100);
  EXPECT_EQ(answer["device"]["name"], "board");
  // The run that the store keeps opens as the same plan.
  ASSERT_EQ(run({"report", "1", "--out", path("again.html")}).exit_code, 0);
  SortedJson again = document(path("again.html"));
  again["written_utc"] = page["written_utc"];
  EXPECT_EQ(again, page);
}

TEST_F(ReportTest, OfAPlanThatHasNoAnswerSaysWhy) {
  const Finished done = run({"plan", "training", "--train", small_table().string(),
                             "--power-budget", "4W", "--report", path("p.html"), "-q"});
  EXPECT_EQ(done.exit_code, 1);
  const SortedJson page = document(path("p.html"));
  EXPECT_TRUE(page["answer"]["choice"].is_null());
  EXPECT_THAT(done.err, HasSubstr(page["answer"]["infeasible"]["reason"].get<std::string>()));
  EXPECT_THAT(page["apply"], IsEmpty());
}

TEST_F(ReportTest, OfADynamicPlanHasItsWindows) {
  const std::string infer = table("infer.csv", "net,train,16", "det,infer,16");
  const Finished done = run({"plan", "dynamic", "--infer", infer, "--windows", "50:1min,100:1min",
                             "--latency", "900ms", "--report", path("d.html"), "--json", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson page = document(path("d.html"));
  EXPECT_EQ(page["answer"], done.json());
  ASSERT_EQ(page["answer"]["windows"].size(), 2u);
  EXPECT_THAT(page["answer"]["windows"][1]["text"].get<std::string>(), StartsWith("cpu_cores "));
  ASSERT_EQ(run({"report", "1", "--out", path("again.html")}).exit_code, 0);
  EXPECT_EQ(document(path("again.html"))["answer"], done.json());
}

TEST_F(ReportTest, OfAProgramShowsItsMarks) {
  const Finished done = run(
      {"profile", "--report", path("m.html"), "--json", "--", FLYBALL_BIN_DIR "/marked_c", "5"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson page = document(path("m.html"));
  EXPECT_EQ(page["kind"], "profile");
  EXPECT_EQ(page["answer"], done.json());
}

TEST_F(ReportTest, ReopensATuneFromTheStore) {
  const SortedJson answer = tune(small_table().string()).json();
  const Finished done = run({"report", "1", "--out", path("r.html")});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson page = document(path("r.html"));
  EXPECT_EQ(page["kind"], "tune");
  EXPECT_EQ(page["answer"], answer);
  EXPECT_EQ(page["configurations"], nullptr);
  // The same as `runs show --report`.
  run({"runs", "show", "1", "--report", path("s.html")});
  SortedJson shown = document(path("s.html"));
  shown["written_utc"] = page["written_utc"];
  EXPECT_EQ(shown, page);
}

TEST_F(ReportTest, OfATuneSaysHowToApplyIt) {
  const std::string jetson = table("orin.csv", "board,net", "orin_agx,net");
  const Finished done = run({"tune", "net", "--device", "table:" + jetson, "--power-budget", "15W",
                             "--report", path("t.html"), "--json", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson config = done.json()["choice"]["config"], page = document(path("t.html"));
  EXPECT_EQ(page["answer"], done.json());
  EXPECT_THAT(page["apply"][0]["code"],
              HasSubstr("sudo \"$(command -v flyball)\" mode set cpu_cores="));
  const std::string block = page["apply"][1]["code"];
  const auto cores = static_cast<int>(config["cpu_cores"].get<double>());
  EXPECT_THAT(block, HasSubstr("< POWER_MODEL ID="));
  EXPECT_THAT(block, HasSubstr("CPU_ONLINE CORE_" + std::to_string(cores - 1) + " 1"));
  EXPECT_THAT(block, HasSubstr("CPU_ONLINE CORE_" + std::to_string(cores) + " 0"));
  ASSERT_EQ(run({"report", "1", "--out", path("r.html")}).exit_code, 0);
  EXPECT_EQ(document(path("r.html"))["apply"], page["apply"]);
}

TEST_F(ReportTest, ReopensATuneWithoutAnswer) {
  tune(small_table().string(), "6W");
  ASSERT_EQ(run({"report", "1", "--out", path("r.html")}).exit_code, 0);
  const SortedJson page = document(path("r.html"));
  EXPECT_TRUE(page["answer"]["choice"].is_null());
  EXPECT_FALSE(page["answer"]["infeasible"]["reason"].get<std::string>().empty());
  EXPECT_THAT(page["apply"], IsEmpty());
}

// Rows of two boards in one file are two runs: told apart, and what differs is said.
TEST_F(ReportTest, TellsBoardsApart) {
  const std::string other = table("other.csv", "board,net", "bench,net");
  write("both.csv", slurp(small_table()) + slurp(other).substr(slurp(other).find('\n') + 1));
  ASSERT_EQ(run({"import", path("both.csv")}).exit_code, 0);
  EXPECT_EQ(run({"runs", "list", "--json"}).json()["runs"][1]["workload"], "net train on board");
  run({"runs", "compare", "1", "2", "--report", path("c.html")});
  const SortedJson both = document(path("c.html"))["answer"];
  EXPECT_EQ(both, run({"runs", "compare", "1", "2", "--json"}).json());
  EXPECT_THAT(both["sources"][1]["differences"].dump(),
              HasSubstr("board is board in A, bench in B"));
  EXPECT_EQ(both["sources"][0]["name"], "A");
  EXPECT_EQ(both["sources"][1]["device"], "bench");
  EXPECT_EQ(both["trials"][0]["second"]["source"], "B");
  ASSERT_EQ(run({"report", "2", "--out", path("r.html")}).exit_code, 0);
  const SortedJson one = document(path("r.html"));
  EXPECT_EQ(one["kind"], "run");
  EXPECT_EQ(one["answer"], run({"runs", "show", "2", "--json"}).json());
  EXPECT_EQ(one["answer"]["trials"].size(), 60u);
}

TEST_F(ReportTest, RunsListShowsWorkloadBestAndChoice) {
  const SortedJson answer = tune(small_table().string()).json();
  const SortedJson listed = run({"runs", "list", "--json"}).json()["runs"][0];
  EXPECT_EQ(listed["workload"], "net");
  EXPECT_THAT(listed["best"].get<std::string>(), HasSubstr(" W"));
  EXPECT_THAT(listed["choice"].get<std::string>(), HasSubstr("cpu_cores "));
}

TEST_F(ReportTest, ComparesWithTheRunBeforeOfTheSameWorkload) {
  tune(small_table().string());
  tune(table("det.csv", "net,train", "det,train"));  // fails: the table holds no net
  run({"tune", "det", "--device", "table:" + path("det.csv"), "-q", "--json"});
  tune(small_table().string(), "12W");
  const SortedJson compared = run({"runs", "compare", "--json"}).json();
  EXPECT_EQ(compared["second"].get<int>(), 3);
  EXPECT_EQ(compared["first"].get<int>(), 1);
  EXPECT_GT(compared["common"].get<int>(), 0);
  const Finished none = run({"runs", "compare", "1", "2", "--report", path("c.html")});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_EQ(document(path("c.html"))["kind"], "comparison");
}

// The same trials, twice as slow, from a file of other content: another fingerprint.
TEST_F(ReportTest, ComparedRunsSayWhatDiffers) {
  ASSERT_EQ(run({"import", small_table().string()}).exit_code, 0);
  write("slow.csv", slurp(small_table()) + "board,net,train,16,16,2000,1200,9.5,60\n");
  ASSERT_EQ(run({"import", path("slow.csv")}).exit_code, 0);
  const SortedJson compared = run({"runs", "compare", "1", "2", "--json"}).json();
  EXPECT_EQ(compared["common"], 60);
  EXPECT_THAT(compared["differences"].dump(), HasSubstr("fingerprint is "));
  EXPECT_EQ(compared["trials"][0]["established"], false);
  EXPECT_EQ(compared["trials"][60]["established"], nullptr);
}

// Nothing of the document can end the script element or become markup.
TEST_F(ReportTest, AHostileNameStaysText) {
  const std::string name = "</script><img src=x onerror=alert(1)>";
  const std::string hostile = table("hostile.csv", "board,net,", "board," + name + ",");
  ASSERT_EQ(run({"import", hostile}).exit_code, 0);
  ASSERT_EQ(run({"report", "1", "--out", path("r.html")}).exit_code, 0);
  EXPECT_THAT(slurp(path("r.html")), Not(HasSubstr("<img src=x")));
  EXPECT_THAT(document(path("r.html")).dump(), HasSubstr("<img src=x"));
}

}  // namespace
}  // namespace flyball::testing_tools
