// `flyball roofline` as a user types it: measured on this machine, and over tables.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "live_testing.h"
#include "schema_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RooflineTest : public LiveTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    fs::create_directories(folder_ / "tmp");
  }
  Finished measure(std::vector<std::string> words) {
    words.insert(words.begin(), {"roofline", "measure"});
    words.insert(words.end(), {"--duration", "10ms", "--array", "1MB", "-q"});
    return run(words);
  }
  /// It keeps to the schema, and holds the answer and a map of each table.
  static void expect_page(const fs::path& page, const nlohmann::json& answer, size_t tables) {
    const auto data = report_data(page);
    EXPECT_THAT(schema_faults("report", data), IsEmpty());
    EXPECT_EQ(data["answer"], answer);
    ASSERT_EQ(data["tables"].size(), tables);
    for (const auto& table : data["tables"])
      for (const auto& one : table["configurations"])
        EXPECT_EQ(one["config"].size(), table["axes"].size()) << table["title"];
  }
  /// Two networks on one board: the memory-bound one and the other, four batch sizes, three clocks.
  std::string tables() {
    std::string text = "device,workload,phase,batch_size,gpu_mhz,minibatch_ms,power_w\n";
    for (const auto& [name, ms] : {std::pair{"resnet50", 3.0}, {"mobilenet_v3", 1.5}})
      for (const int batch : {1, 4, 16, 64})
        for (const int mhz : {300, 600, 1200})
          text += fmt::format("made_up,{},infer,{},{},{},{}\n", name, batch, mhz,
                              std::max(10.0, ms * batch) * 1200 / mhz, 8 + 3e-5 * mhz * mhz);
    return write("board.csv", text).string();
  }
};

TEST_F(RooflineTest, OfSimulatedRowsAreToldAsSimulated) {
  std::string text = slurp(tables());
  std::string marked;
  for (size_t at = 0, line = 0, end = 0; at < text.size(); at = end + 1, ++line) {
    end = text.find('\n', at);
    marked += text.substr(at, end - at) + (line == 0 ? ",provenance\n" : ",simulated\n");
  }
  const std::string file = write("simulated.csv", marked).string();
  EXPECT_EQ(run({"roofline", file}).exit_code, 2);
  EXPECT_EQ(run({"roofline", "--device", "table:" + file}).exit_code, 2);
  const Finished told = run({"roofline", file, "--accept", "simulated", "--json"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(schema_faults("roofline", told.json()), IsEmpty());
  EXPECT_EQ(told.json()["roofs"]["provenance"], "simulated");
  const fs::path page = folder_ / "page.html";
  run({"roofline", file, "--accept", "simulated", "--report", page.string()});
  EXPECT_THAT(slurp(page), HasSubstr(R"("provenance":"simulated","sources":["resnet50)"));
}

TEST_F(RooflineTest, OfThisMachineAreMeasuredKeptAndUsed) {
  const Finished without = run({"roofline", "resnet18"});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("flyball roofline measure"));
  const Finished done = measure({"cpu_cores=1", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto roofs = done.json();
  EXPECT_THAT(schema_faults("roofline", roofs), IsEmpty());
  ASSERT_EQ(roofs["modes"].size(), 1u);
  const auto& mode = roofs["modes"][0];
  EXPECT_EQ(mode["threads"], 1);
  EXPECT_GT(mode["flop_per_s"], 1e8);
  EXPECT_GT(mode["bytes_per_s"], 1e7);
  EXPECT_EQ(mode["streams"].size(), 3u);
  EXPECT_GE(mode["sweep"].size(), 5u);
  EXPECT_EQ(roofs["run"], 1);
  if (roofs["total"].is_null()) {
    EXPECT_TRUE(mode["energy"].is_null());
    EXPECT_TRUE(mode["idle"].is_null());
    EXPECT_FALSE(roofs["power_gap"].get<std::string>().empty());
  }
  const fs::path page = folder_ / "page.html";
  const Finished under = run({"roofline", "resnet18", "lstm", "--batch-size", "1", "16", "--json",
                              "--report", page.string()});
  ASSERT_EQ(under.exit_code, 0) << under.err;
  EXPECT_THAT(schema_faults("roofline", under.json()), IsEmpty());
  ASSERT_EQ(under.json()["workloads"].size(), 4u);
  for (const auto& one : nlohmann::json(under.json()["workloads"])) {
    EXPECT_GT(one["roof_ms"], 0);
    EXPECT_TRUE(one["minibatch_ms"].is_null());
    double sum = 0;
    for (const auto& [binding, share] : one["shares"].items()) sum += share.get<double>();
    EXPECT_NEAR(sum, 1, 1e-9);
  }
  EXPECT_EQ(under.json()["highest"], 0);
  expect_page(page, under.json(), 0);
}

TEST_F(RooflineTest, OverTablesSaysWhatEachModeSaves) {
  const std::string file = tables();
  const fs::path page = folder_ / "page.html";
  const Finished done =
      run({"roofline", file, "--json", "--rules", "pagoda", "--report", page.string()});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto answer = done.json();
  EXPECT_THAT(schema_faults("roofline", answer), IsEmpty());
  // Every key of ours stands in the manual; modes are keyed by axes.
  const std::string manual = slurp(fs::path(FLYBALL_SOURCE_DIR) / "docs/json.md");
  const std::function<void(const nlohmann::json&)> documented = [&](const nlohmann::json& json) {
    for (const auto& [key, value] : json.items()) {
      if (json.is_object()) {
        EXPECT_NE(manual.find("`" + key + "`"), std::string::npos) << key;
      }
      if (key != "mode" && value.is_structured()) documented(value);
    }
  };
  documented(answer);
  ASSERT_EQ(answer["cases"].size(), 8u);
  // 8 + 3e-5·f² over f is least at 516 MHz; of the three clocks at 600.
  for (const auto& one : answer["cases"]) {
    EXPECT_EQ(one["least_energy"]["mode"]["gpu_mhz"], 600) << one;
    EXPECT_NEAR(one["slowdown"], 2, 1e-9);
    EXPECT_NEAR(one["saving_pct"], 100 * (1 - 2 * 18.8 / 51.2), 1e-6);
  }
  expect_page(page, answer, 2);
  EXPECT_EQ(answer["roofs"]["modes"].size(), 3u);
  EXPECT_EQ(answer["run"], 1);
  // What was fitted is known of the board from then on; --device says the same as --data.
  const Finished same = run({"roofline", "resnet50", "--device", "table:" + file, "--no-store"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
}

TEST_F(RooflineTest, AFrontIsAPageWithAHeatMap) {
  const fs::path page = folder_ / "front.html";
  const Finished done = run({"pareto", tables(), "--json", "--report", page.string()});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  expect_page(page, done.json(), 2);
}

}  // namespace
}  // namespace flyball::testing_tools
