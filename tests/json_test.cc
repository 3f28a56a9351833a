// Every `--json` document is as its schema in docs/schema says, and its keys stand in docs/json.md.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/json.h"
#include "device/host/board_trees_testing.h"
#include "live_testing.h"
#include "schema_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::IsEmpty;

// Maps from names that the user chose, or answers of other documents, are not keys of ours.
const std::set<std::string> opaque = {"config", "answer", "excluded", "conditions",
                                      "mode",   "caps",   "from",     "to"};

// The schema of each command's documents.
const std::map<std::string, std::string> schema_of = {
    {"tune", "tune"},           {"plan", "plan"},
    {"predict", "predict"},     {"measure", "measure"},
    {"profile", "profile"},     {"doctor", "doctor"},
    {"workloads", "machine"},   {"devices", "machine"},
    {"config", "machine"},      {"runs", "runs"},
    {"dataset", "tables"},      {"import", "tables"},
    {"pareto", "tables"},       {"reference", "tables"},
    {"evaluate", "evaluate"},   {"experiment", "experiment"},
    {"helper", "helper"},       {"mode", "mode"},
    {"roofline", "roofline"},   {"serve", "serve"},
    {"describe", "describe"},   {"compare", "compare"},
    {"verify-board", "verify"}, {"broker", "broker"},
    {"monitor", "monitor"},     {"record", "record"},
    {"loadtest", "loadtest"},   {"fleet", "fleet"},
    {"collect", "collect"},     {"campaign", "campaign"},
};

void collect(const SortedJson& json, std::set<std::string>& keys) {
  if (json.is_array())
    for (const SortedJson& item : json) collect(item, keys);
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
    const bool dry = std::ranges::find(arguments, "--dry-run") != arguments.end();
    const bool writes = dry && arguments[0] == "mode";
    const bool studied = arguments[1] == "findings";
    const bool benchmark = arguments[1] == "benchmark";
    const bool collected = arguments[1] == "collect";
    EXPECT_THAT(schema_faults(benchmark        ? "benchmark"
                              : dry && !writes ? "dry_run"
                              : studied        ? "findings"
                              : collected      ? "collect"
                                               : schema_of.at(arguments[0]),
                              done.json()),
                IsEmpty())
        << done.out.substr(0, 4000);
    for (const std::string& key : keys)
      EXPECT_NE(manual.find("`" + key + "`"), std::string::npos)
          << "'" << key << "' of `flyball " << arguments[0] << "` is not in docs/json.md";
  }
};

TEST_F(JsonTest, ADryRunIsDocumentedAndPresetsAre) {
  expect_documented({"tune", "mobilenet_v3", "--device", "twin:orin_nano", "--dry-run", "--json"});
  expect_documented({"tune", "mobilenet_v3", "--device", "twin:orin_nano", "--power-budget", "10W",
                     "--no-store", "-q", "--json"});
  expect_documented({"plan", "training", "--train", "mobilenet_v3", "--device", "twin:orin_nano",
                     "--power-budget", "10W", "--no-store", "-q", "--json"});
}

TEST_F(JsonTest, ThatNotEvenOneSampleFitsIsDocumented) {
  const std::vector<std::string> small = {"--device", "twin:orin_agx", "--memory",
                                          "1MB",      "--json",        "-q"};
  for (std::vector<std::string> words : {std::vector<std::string>{"tune", "resnet18"},
                                         {"plan", "training", "--train", "resnet18"}}) {
    words.insert(words.end(), small.begin(), small.end());
    expect_documented(words, 1);
  }
}

TEST_F(JsonTest, ANoBeforeAnythingIsKnownIsADocumentOfEveryCommand) {
  const std::vector<std::vector<std::string>> plans = {
      {"plan", "dynamic", "--infer", "bert_large", "--windows", "1:1min", "--latency", "1s"},
      {"plan", "inference", "--infer", "bert_large", "--arrivals", "poisson:1", "--latency", "1s"}};
  for (std::vector<std::string> words : plans) {
    words.insert(words.end(), {"--device", "twin:nano", "--json", "-q"});
    expect_documented(words, 1);
  }
  const std::vector<std::vector<std::string>> others = {
      {"predict", "bert_base", "--device", "twin:orin_nano", "--no-reference", "--json"},
      {"fleet", "choose", "--workload", "bert_base", "--board", "twin:orin_nano=2", "--json"}};
  for (const std::vector<std::string>& words : others) {
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 1) << words[0] << done.err;
    const SortedJson document = done.json();
    EXPECT_EQ(document.size(), 2u) << done.out.substr(0, 400);
    EXPECT_FALSE(document["infeasible"]["reason"].empty());
  }
}

TEST_F(JsonTest, EveryKeyIsDocumented) {
  const std::string table = small_table().string();
  expect_documented({"tune", "net", "--device", "table:" + table, "--power-budget", "15W",
                     "--oracle", "--json", "-q"});
  expect_documented(
      {"tune", "net", "--device", "table:" + table, "--power-budget", "6W", "--json", "-q"}, 1);
  expect_documented(live({"--profiles", "2"}));
  expect_documented({"workloads", "--json"});
  expect_documented({"config", "show", "tune", "--json"});
  expect_documented({"devices", "--json"});
  expect_documented({"runs", "list", "--json"});
  expect_documented({"runs", "show", "1", "--json"});
  expect_documented({"runs", "compare", "1", "2", "--json"});
  const std::string store = environment_["FLYBALL_STORE"];
  expect_documented({"runs", "spread", store, store, "--json"});
  expect_documented({"runs", "check", "--json"});
  expect_documented({"runs", "delete", "2", "--json"});
  expect_documented({"import", table, "--json"});
  const std::string log = write("tegrastats.log", "RAM 1/2MB NVENC x VDD_IN 5/5\nRAM\n").string();
  expect_documented({"import", "--format", "tegrastats", log, "--json"});
}

TEST_F(JsonTest, ARecordIsDocumented) {
  const std::string simulated = (folder_ / "twin.flyrec").string();
  expect_documented({"record", "--device", "twin:orin_nano", "--duration", "150s", "-o", simulated,
                     "-q", "--json"});
  const std::string measured = (folder_ / "here.flyrec").string();
  expect_documented({"record", "--json", "-o", measured, "--", "true"});
}

TEST_F(JsonTest, LayersOfANetworkAreDocumented) {
  expect_documented({"describe", "lenet5", "--batch-size", "2", "--json"});
  expect_documented({"describe", "lenet5", "--batch-size", "2", "--measured", "--json"});
  expect_documented({"describe", "--fits", "--json"});
  const Finished done =
      run({"describe", "lenet5", "--phase", "infer", "--batch-size", "1", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["parameters"], 61706);
  EXPECT_EQ(done.json()["layers"][0]["op"], "conv2d");
  EXPECT_EQ(done.json()["layers"][0]["name"], "conv1");
}

TEST_F(JsonTest, BoardsBesideEachOtherAreDocumented) {
  const std::string measured =
      write("measured.csv",
            "device,workload,phase,batch_size,loader_workers,minibatch_ms\n"
            "orin_agx,lstm,train,16,4,10\nrtx3090,lstm,train,16,4,2\n")
          .string();
  const std::vector<std::string> compared = {
      "compare",    "boards",   "lstm",
      "bert_base",  "--device", "twin:orin_agx,twin:rtx3090,twin:rpi5",
      "--measured", measured,   "--json"};
  expect_documented(compared);
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = compared;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  expect_documented(with({"--deadline", "2h", "--price-budget", "1USD"}));
  expect_documented(with({"--power-budget", "1W", "--objective", "energy"}), 1);
  expect_documented(
      {"compare", "boards", "net", "--device", "table:" + small_table().string(), "--json"});
}

TEST_F(JsonTest, PlansOfAFleetAreDocumented) {
  const std::vector<std::string> asked = {"fleet",    "choose",  "--workload",
                                          "resnet18", "--board", "twin:orin_agx=2,twin:orin_nano=3",
                                          "--json"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = asked;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  expect_documented(with({"--deadline", "2min", "--power-budget", "90W", "--count", "4"}));
  expect_documented(with({"--each", "--deadline", "20min", "--unused", "idle"}));
  expect_documented(with({"--deadline", "2s", "--power-budget", "30W"}), 1);
}

TEST_F(JsonTest, CollectedStoresAreDocumented) {
  const std::string table = small_table().string();
  ASSERT_EQ(run({"tune", "net", "--device", "table:" + table, "--store",
                 (folder_ / "a.db").string(), "-q", "--json"})
                .exit_code,
            0);
  const std::string fleet = (folder_ / "fleet.db").string();
  expect_documented({"collect", (folder_ / "a.db").string(), "--into", fleet, "--json"});
  expect_documented({"collect", (folder_ / "none.db").string(), "--into", fleet, "--json"}, 2);
  expect_documented({"collect", "--into", fleet, "--json"});
  expect_documented({"runs", "list", "--store", fleet, "--json"});
  expect_documented({"fleet", "show", "--store", fleet, "--power-budget", "15W,30W", "--json"});
}

TEST_F(JsonTest, CampaignsAreDocumented) {
  const std::string file = write("c.toml",
                                 "[references]\ntravel = true\n"
                                 "[[boards]]\nname = \"nano\"\ncount = 2\n"
                                 "device = \"twin:orin_nano@{n}\"\n"
                                 "[[workloads]]\nname = \"resnet18\"\n"
                                 "[[questions]]\nname = \"tune\"\n")
                               .string();
  expect_documented({"campaign", "plan", file, "--json"});
  expect_documented({"campaign", "run", file, "--json"});
  for (const char* asked : {"status", "report", "cancel"})
    expect_documented({"campaign", asked, file, "--json"});
  const std::string fleet = (folder_ / "fleet.db").string();
  expect_documented({"campaign", "collect", file, "--into", fleet, "--json"});
}

TEST_F(JsonTest, FederatedRoundsAreDocumented) {
  const std::vector<std::string> asked = {"fleet",    "rounds",   "--workload",
                                          "resnet18", "--board",  "twin:orin_nano=40",
                                          "--json",   "--rounds", "3"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = asked;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  expect_documented(with({"--deadline", "1min", "--energy-budget", "2kJ", "--count", "9"}));
  expect_documented(with({"--deadline", "10ms"}), 1);
}

TEST_F(JsonTest, WhetherANetworkFitsIsDocumented) {
  expect_documented({"describe", "lenet5", "--batch-size", "4", "--memory", "4GB", "--json"});
  expect_documented({"describe", "lenet5", "--batch-size", "4", "--device", "orin_nano", "--json"});
  expect_documented({"describe", "lenet5", "--batch-size", "4", "--device", "host", "--json"});
}

// Both sides of a study, line by line.
TEST_F(JsonTest, EveryLineOfAStudyIsDocumented) {
  const std::vector<SortedJson> messages = {
      {{"do", "create"}, {"axes", {{"batch_size", {8, 16}}}}, {"power_budget", "30W"}},
      {{"do", "best"}},
      {{"do", "dance"}},
      {{"do", "ask"}},
      {{"do", "tell"}, {"trial", 1}, {"minibatches_ms", {4, 5, 4.5}}, {"power_w", 20}},
      {{"do", "best"}},
      {{"do", "ask"}},
      {{"do", "tell"}, {"trial", 2}, {"failure", "out of memory"}},
      {{"do", "ask"}},
      {{"do", "tell"}, {"trial", 3}, {"minibatch_ms", 4.5}, {"power_w", 20}},
      {{"do", "ask"}},
      {{"do", "answer"}}};
  std::string input;
  for (const SortedJson& message : messages) {
    input += message.dump() + "\n";
    if (message["do"] != "dance") {
      EXPECT_THAT(schema_faults("study", message), IsEmpty()) << message;
    }
  }
  const std::string place = write("messages", input).string();
  const std::string flyball = std::exchange(program_, "/bin/sh");
  const Finished done = run({"-c", flyball + " study --no-store < " + place});
  program_ = flyball;
  ASSERT_EQ(done.exit_code, 0) << done.err;
  std::stringstream lines(done.out);
  std::set<std::string> kinds;
  for (std::string line; std::getline(lines, line);) {
    const SortedJson answer = SortedJson::parse(line);
    EXPECT_THAT(schema_faults("study", answer), IsEmpty()) << line;
    for (const auto& [kind, value] : answer.items()) kinds.insert(kind);
  }
  for (const char* kind : {"created", "best", "error", "trial", "told", "finished", "answer"})
    EXPECT_TRUE(kinds.contains(kind)) << kind;
}

TEST_F(JsonTest, EveryKeyOfTheMachineIsDocumented) {
  expect_documented({"doctor", "--json"});
  expect_documented({"monitor", "--once", "--json"});
  expect_documented({"monitor", "--once", "--json", "--device", "twin:orin_nano"});
  expect_documented({"measure", "--json", "--", "sleep", "0.1"});
}

TEST_F(JsonTest, EveryKeyOfTheHelperIsDocumented) {
  environment_["FLYBALL_HELPER"] = (folder_ / "none.sock").string();
  expect_documented({"helper", "status", "--json"}, 1);
  const std::string stage = (folder_ / "stage").string();
  expect_documented({"helper", "install", "--stage", stage, "--json"});
  expect_documented({"helper", "uninstall", "--stage", stage, "--json"});
}

TEST_F(JsonTest, EveryKeyOfABoardIsDocumented) {
  for (const auto& board : trees::boards()) {
    const std::string root = (folder_ / board.kind).string();
    trees::write_tree(board.kind, root);
    expect_documented({"doctor", "--json", "--root", root});
    expect_documented({"monitor", "--once", "--json", "--root", root});
    expect_documented({"mode", "show", "--json", "--root", root});
    expect_documented({"mode", "list", "--json", "--root", root});
    expect_documented({"mode", "presets", "--json", "--root", root});
  }
  const std::string root = (folder_ / "orin_agx_jp6").string();
  expect_documented({"mode", "set", "gpu_mhz=612", "--json", "--root", root});
  expect_documented({"mode", "set", "gpu_mhz=408", "--dry-run", "--json", "--root", root});
  expect_documented({"verify-board", "--quick", "--root", root, "--out",
                     (folder_ / "bundle.tar.gz").string(), "--json", "-q"});
  expect_documented({"mode", "hold", "--preset", "15W", "--json", "--root", root, "--", "true"});
  expect_documented({"mode", "restore", "--json", "--root", root});
  expect_documented({"mode", "idle", "gpu_mhz=612", "--settle", "0s", "--duration", "0.2s",
                     "--json", "--root", root});
  expect_documented(
      {"mode", "cost", "--rounds", "1", "--seed", "2", "-q", "--json", "--root", root});
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
  expect_documented({"plan", "concurrent", "--train", table, "--infer", infer, "--rate", "100",
                     "--latency", "900ms", "--arrivals", "poisson", "--json", "-q"});
  expect_documented({"plan", "dynamic", "--infer", infer, "--windows", "50:1min,100:1min",
                     "--latency", "900ms", "--json", "-q"});
  expect_documented({"serve", "--train", table, "--infer", infer, "--arrivals",
                     "windows:50:20s,150:20s", "--latency", "900ms", "--json", "-q"});
  expect_documented({"broker", "--socket", (folder_ / "broker.sock").string(), "--duration",
                     "100ms", "--json", "-q"});
  expect_documented({"evaluate", "live", "--train", table, "--infer", infer, "--modes", "all",
                     "--problems", write("asked.csv", "latency_ms,rate_hz\n900,50\n").string(),
                     "--duration", "10s", "--traces", "1", "--json", "-q"});
  expect_documented({"evaluate", "search", "--problem", "training", "--train", table, "--strategy",
                     "maxn", "--modes", "all", "--json", "-q"});
}

TEST_F(JsonTest, EveryKeyOfProfilesIsDocumented) {
  expect_documented(
      {"profile", "lenet5", "--data", data_, "--steps", "2", "--threads", "1", "-q", "--json"});
  expect_documented({"profile", "lenet5", "--data", data_, "--steps", "2", "--threads", "1", "-q",
                     "--cache", "20kB", "--json"});
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
  expect_documented({"evaluate", "predict", "--truth", table, "--predictor", "linear", "--profiles",
                     "10", "--runs", "2", "--json", "-q"});
  expect_documented({"evaluate", "twin", "--truth",
                     FLYBALL_SOURCE_DIR "/examples/orin_agx_published.csv", "--workload", "lstm",
                     "--phase", "infer", "--json"});
  expect_documented({"experiment", "findings", "--device", "twin:nano,twin:rpi5", "--json"});
  expect_documented({"experiment", "benchmark", "run", "--dry-run", "--json"});
  const std::string result = (folder_ / "result.json").string();
  expect_documented({"experiment", "benchmark", "run", "--device", "twin:orin_agx", "--only",
                     "lenet5,lstm", "--result", result, "--json"});
  expect_documented({"experiment", "benchmark", "check", result, "--json"}, 1);
  expect_documented({"experiment", "benchmark", "table", result, "--json"});
  expect_documented({"evaluate", "linear", "--json"});
  expect_documented({"evaluate", "all", std::filesystem::path(table).parent_path().string(),
                     "--strategy", "gmd,maxn", "--limit", "3", "--json", "-q"});
  expect_documented({"evaluate", "optimise", "--truth", table, "--predictor", "linear",
                     "--profiles", "10", "--budgets", "10:20:2W", "--runs", "2", "--json", "-q"});
}

TEST_F(JsonTest, EveryKeyOfExperimentsIsDocumented) {
  const fs::path file = write("small.toml",
                              "question = \"workers\"\n[dataset]\nmake = \"digits\"\n"
                              "samples = 320\n[fixed]\nworkload = \"lenet5\"\nthreads = 1\n"
                              "epochs = 2\nsteps = 5\n[vary]\nworkers = [0, 1]\n");
  const std::string report = (folder_ / "experiment.html").string();
  expect_documented({"experiment", "run", file.string(), "--out", (folder_ / "results").string(),
                     "--report", report, "--json", "-q"});
  if (HasFatalFailure()) return;
  EXPECT_THAT(schema_faults("report", report_data(report)), IsEmpty());
  expect_documented({"runs", "list", "--json"});
  expect_documented({"runs", "show", "1", "--report", report, "--json"});
  EXPECT_THAT(schema_faults("report", report_data(report)), IsEmpty());
}

TEST_F(JsonTest, ReportsAreAsTheirSchemaSays) {
  const std::string table = small_table().string(), report = (folder_ / "tune.html").string();
  for (const char* budget : {"15W", "6W"}) {
    run({"tune", "net", "--device", "table:" + table, "--power-budget", budget, "--oracle",
         "--report", report, "-q"});
    EXPECT_THAT(schema_faults("report", report_data(report)), IsEmpty()) << budget;
    fs::remove(report);
  }
  ASSERT_EQ(run(live({"--profiles", "2", "--report", report})).exit_code, 0);
  EXPECT_THAT(schema_faults("report", report_data(report)), IsEmpty());
}

// Calls `visit` for each object of the document and each of its keys that are ours.
void each_key(SortedJson& json, const std::function<void(SortedJson&, const std::string&)>& visit) {
  if (json.is_array())
    for (SortedJson& item : json) each_key(item, visit);
  if (!json.is_object()) return;
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  for (const std::string& key : keys) {
    visit(json, key);
    if (!opaque.contains(key)) each_key(json[key], visit);
  }
}

TEST_F(JsonTest, SimulatedBoardsTellTheSameKeys) {
  const std::vector<std::string> twin = {"--device", "twin:orin_nano", "--json"};
  const auto told = [&](const std::string& schema, std::vector<std::string> words) {
    words.insert(words.end(), twin.begin(), twin.end());
    const Finished done = run(words);
    ASSERT_EQ(done.exit_code, 0) << words[0] << done.err;
    EXPECT_THAT(schema_faults(schema, done.json()), IsEmpty()) << words[0] << " " << words[1];
  };
  told("doctor", {"doctor"});
  told("mode", {"mode", "show"});
  told("mode", {"mode", "list"});
  told("mode", {"mode", "idle"});
  told("plan", {"plan", "concurrent", "--modes", "20", "--train", "resnet18", "--infer",
                "mobilenet_v3", "--rate", "10", "--latency", "4s", "--no-store", "-q"});
  told("plan", {"plan", "dynamic", "--modes", "20", "--infer", "mobilenet_v3", "--windows",
                "5:10min,10:5min", "--latency", "4s", "--no-store", "-q"});
}

TEST_F(JsonTest, ARenamedKeyIsAFault) {
  const std::string table = small_table().string();
  SortedJson document = run({"tune", "net", "--device", "table:" + table, "--power-budget", "15W",
                             "--oracle", "--profiles", "4", "--json", "-q"})
                            .json();
  ASSERT_THAT(schema_faults("tune", document), IsEmpty());
  for (const char* list : {"profiled", "front"})
    document[list].erase(document[list].begin() + 1, document[list].end());
  int tried = 0;
  each_key(document, [&](SortedJson& holder, const std::string& key) {
    holder[key + "_"] = holder[key];
    holder.erase(key);
    EXPECT_FALSE(schema_faults("tune", document).empty()) << key;
    holder[key] = holder[key + "_"];
    holder.erase(key + "_");
    ++tried;
  });
  EXPECT_GT(tried, 80);
}

// Each `properties` of a schema, with the schema of each property.
void each_property(const SortedJson& json,
                   const std::function<void(const std::string&, const SortedJson&)>& visit) {
  if (json.is_array())
    for (const SortedJson& item : json) each_property(item, visit);
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    if (key == "properties")
      for (const auto& [name, property] : value.items()) visit(name, property);
    each_property(value, visit);
  }
}

TEST(Schemas, SayWhatEachKeyIsAndInWhichUnit) {
  int properties = 0;
  for (const auto& file : fs::directory_iterator(fs::path(FLYBALL_SOURCE_DIR) / "docs/schema"))
    each_property(read_schema(file.path().filename()), [&](const std::string& name,
                                                           const SortedJson& p) {
      const std::string where = file.path().stem().string() + ": " + name;
      ++properties;
      EXPECT_FALSE(p.value("description", "").empty()) << where;
      const std::string types =
          p.value("type", SortedJson()).dump() + p.value("items", SortedJson()).dump();
      if (types.find("number") != std::string::npos || types.find("integer") != std::string::npos) {
        EXPECT_FALSE(p.value("unit", "").empty()) << where;
      }
    });
  EXPECT_GT(properties, 300);
}

}  // namespace
}  // namespace flyball::testing_tools
