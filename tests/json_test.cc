// Every key of every `--json` document stands in docs/json.md.
#include <functional>
#include <set>

#include "live.h"

namespace flyball::testing_tools {
namespace {

using Json = nlohmann::json;

// Maps from names that the user chose, or answers of other documents, are not keys of ours.
const std::set<std::string> opaque = {"config", "answer", "excluded", "conditions"};

void collect(const Json& json, std::set<std::string>& keys) {
  if (json.is_array())
    for (const Json& item : json) collect(item, keys);
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    keys.insert(key);
    if (!opaque.contains(key)) collect(value, keys);
  }
}

class JsonTest : public LiveTest {
 protected:
  void expect_documented(const std::vector<std::string>& arguments, int exit_code = 0) {
    const Finished done = run(arguments);
    ASSERT_EQ(done.exit_code, exit_code) << done.err;
    const std::string manual = slurp(fs::path(FLYBALL_SOURCE_DIR) / "docs/json.md");
    std::set<std::string> keys;
    collect(done.json(), keys);
    EXPECT_FALSE(keys.empty());
    for (const std::string& key : keys)
      EXPECT_NE(manual.find("`" + key + "`"), std::string::npos)
          << "'" << key << "' of `flyball " << arguments[0] << "` is not in docs/json.md";
  }
};

TEST_F(JsonTest, EveryKeyIsDocumented) {
  const std::string table = small_table().string();
  expect_documented({"tune", "net", "--device", "table:" + table, "--power-budget", "15W",
                     "--oracle", "--json", "-q"});
  expect_documented(
      {"tune", "net", "--device", "table:" + table, "--power-budget", "6W", "--json", "-q"}, 1);
  expect_documented(live({"--profiles", "2"}));
  expect_documented({"workloads", "--json"});
  expect_documented({"devices", "--json"});
  expect_documented({"runs", "list", "--json"});
  expect_documented({"runs", "show", "1", "--json"});
  expect_documented({"runs", "compare", "1", "2", "--json"});
  expect_documented({"runs", "delete", "2", "--json"});
  expect_documented({"import", table, "--json"});
}

TEST_F(JsonTest, EveryKeyOfTheMachineIsDocumented) {
  expect_documented({"doctor", "--json"});
  expect_documented({"measure", "--json", "--", "sleep", "0.1"});
}

TEST_F(JsonTest, EveryKeyOfPlansIsDocumented) {
  const std::string table = small_table().string();
  expect_documented(
      {"plan", "training", "--train", table, "--power-budget", "15W", "--json", "-q"});
  expect_documented({"plan", "training", "--train", table, "--power-budget", "4W", "--json", "-q"},
                    1);
  std::string text = slurp(table);
  for (size_t at = 0; (at = text.find("net,train,16", at)) != std::string::npos;)
    text.replace(at, 12, "det,infer,16");
  const std::string infer = write("infer.csv", text).string();
  expect_documented({"plan", "concurrent", "--train", table, "--infer", infer, "--rate", "100",
                     "--latency", "900ms", "--json", "-q"});
  expect_documented({"plan", "dynamic", "--infer", infer, "--windows", "50:1min,100:1min",
                     "--latency", "900ms", "--json", "-q"});
  expect_documented({"evaluate", "search", "--problem", "training", "--train", table, "--strategy",
                     "maxn", "--modes", "all", "--json", "-q"});
}

TEST_F(JsonTest, EveryKeyOfProfilesIsDocumented) {
  expect_documented(
      {"profile", "lenet5", "--data", data_, "--steps", "2", "--threads", "1", "-q", "--json"});
  expect_documented({"profile", "--json", "--", FLYBALL_BIN_DIR "/marked_c", "5"});
  expect_documented({"dataset", "check", data_, "--json"});
}

TEST_F(JsonTest, EveryKeyOfPredictionsIsDocumented) {
  const std::string table = small_table().string();
  expect_documented({"predict", "net", "--device", "table:" + table, "--from", table, "--predictor",
                     "linear", "--json"});
  expect_documented({"pareto", table, "--json"});
  expect_documented({"reference", "add", table, "--json"});
  expect_documented({"reference", "list", "--json"});
  expect_documented({"reference", "remove", "table", "--json"});
  expect_documented({"evaluate", "predict", "--target", table, "--predictor", "linear", "--modes",
                     "10", "--runs", "2", "--json", "-q"});
  expect_documented({"evaluate", "optimise", "--target", table, "--predictor", "linear", "--modes",
                     "10", "--budgets", "10:20:2", "--runs", "2", "--json", "-q"});
}

}  // namespace
}  // namespace flyball::testing_tools
