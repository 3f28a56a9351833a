// The names that users rely on (docs/schema/contract.json) are there.
#include <gmock/gmock.h>

#include <filesystem>
#include <regex>

#include "base/json.h"
#include "base/own_variables.h"
#include "command_testing.h"
#include "schema_testing.h"

namespace flyball::testing_tools {
namespace {

/// The schemas in `file` that a schema stands for: references, alternatives, items of lists.
std::vector<std::pair<std::string, SortedJson>> resolved(const std::string& file,
                                                         const SortedJson& schema) {
  std::vector<std::pair<std::string, SortedJson>> all;
  const auto add = [&](const std::string& in, const SortedJson& part) {
    for (auto& one : resolved(in, part)) all.push_back(std::move(one));
  };
  if (schema.contains("properties")) all.emplace_back(file, schema);
  if (schema.contains("items")) add(file, schema["items"]);
  for (const char* list : {"allOf", "anyOf", "oneOf"})
    if (schema.contains(list))
      for (const SortedJson& one : schema[list]) add(file, one);
  if (!schema.contains("$ref")) return all;
  const std::string ref = schema["$ref"];
  const std::string in = ref.starts_with("#") ? file : ref.substr(0, ref.find('#'));
  add(in, read_schema(in)[SortedJson::json_pointer(ref.substr(ref.find('#') + 1))]);
  return all;
}

/// Does the schema demand "a.b.c"?
bool demands(const std::string& file, const SortedJson& schema, const std::string& path) {
  const std::string key = path.substr(0, path.find('.'));
  for (const auto& [in, one] : resolved(file, schema)) {
    const SortedJson required = one.value("required", SortedJson::array());
    if (std::find(required.begin(), required.end(), key) == required.end()) continue;
    if (key.size() == path.size()) return true;
    if (demands(in, one["properties"][key], path.substr(key.size() + 1))) return true;
  }
  return false;
}

std::vector<std::string> words_of(const std::string& text) {
  std::stringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

class Contract : public CommandTest {
 protected:
  const SortedJson contract_ = read_schema("contract.json");
};

// Real documents are held to their schemas in json_test.cc.
TEST_F(Contract, DocumentsDemandItsKeys) {
  size_t keys = 0;
  for (const auto& [document, paths] : contract_["documents"].items()) {
    const std::vector<std::string> words = words_of(document);
    const std::string file = words[0] + ".json";
    const SortedJson whole = read_schema(file);
    const SortedJson schema = words.size() > 1 ? whole["definitions"][words[1]] : whole;
    for (const std::string path : paths) {
      EXPECT_TRUE(demands(file, schema, path)) << document << ": " << path;
      ++keys;
    }
    EXPECT_FALSE(demands(file, schema, "no_such_key")) << document;
  }
  EXPECT_GT(keys, 100u);
}

TEST_F(Contract, CommandsTakeItsOptions) {
  for (const auto& [command, options] : contract_["options"].items()) {
    std::vector<std::string> words = words_of(command);
    words.emplace_back("--help");
    const std::string help = run(words).out;
    for (const std::string option : options)
      EXPECT_THAT(help, ::testing::ContainsRegex(option + "[ ,]")) << command;
  }
}

TEST_F(Contract, TheProgramReadsItsEnvironment) {
  // Compilers take short names apart, so that they do not stand in the program as they are.
  std::string sources;
  for (const auto& file : std::filesystem::recursive_directory_iterator(FLYBALL_SOURCE_DIR "/src"))
    if (file.path().extension() == ".cc" && !file.path().stem().string().ends_with("_test"))
      sources += slurp(file.path());
  for (const std::string name : contract_["environment"]) {
    EXPECT_NE(sources.find('"' + name + '"'), std::string::npos) << name;
    EXPECT_TRUE(is_own_variable(name)) << name;
  }
}

// Whose names no axis of a user's program may have.
TEST_F(Contract, ThePageOfVariablesNamesFlyballsOwn) {
  const std::string page = slurp(FLYBALL_SOURCE_DIR "/docs/reference/environment.md");
  const std::regex row(R"(\n\| `(FLYBALL_[A-Z_]+)` \|)");
  size_t named = 0;
  for (std::sregex_iterator one(page.begin(), page.end(), row), end; one != end; ++one, ++named)
    EXPECT_TRUE(is_own_variable((*one)[1].str())) << (*one)[1];
  EXPECT_GE(named, 15u);
}

std::vector<std::string> keys_of(const nlohmann::json& document) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : document.items()) keys.push_back(key);
  return keys;
}

// The keys of programs before version 2, all of them and no others.
TEST_F(Contract, VersionOneHasItsKeysAlone) {
  using ::testing::UnorderedElementsAre;
  const auto trial_keys = [&](const nlohmann::json& answer, std::vector<std::string> more) {
    std::vector<std::string> keys = {
        "config",        "minibatch_ms",    "power_w",      "power_gap",   "power_total",
        "power_updates", "power_samples",   "window_s",     "window_j",    "power_samples_wanted",
        "stall_ms",      "compute_ms",      "noise_pct",    "minibatches", "first_ms",
        "provenance",    "power_noise_pct", "stop_reason",  "settle_s",    "warm_up_s",
        "power_settled", "total_s",         "measured_utc", "other_cores", "throttled",
        "clocks",        "disturbed",       "repeat",       "failure",     "figures",
        "seed",          "reason",          "verification", "from_store",  "run"};
    keys.insert(keys.end(), more.begin(), more.end());
    EXPECT_THAT(keys_of(answer["profiled"][0]), ::testing::UnorderedElementsAreArray(keys));
  };
  const auto tune = run({"tune", "lenet5", "--device", "twin:orin_nano", "--json=1", "-q"}).json();
  EXPECT_THAT(keys_of(tune),
              UnorderedElementsAre("request", "device", "choice", "infeasible", "default", "per",
                                   "comparison", "effort", "reused", "profiles", "trials",
                                   "profiled", "set_aside", "front", "configurations", "modes",
                                   "stopped", "notes", "started_utc", "seconds", "own_seconds"));
  trial_keys(tune, {});
  const auto plan =
      run({"plan", "training", "--train", "lenet5", "--device", "twin:orin_nano", "--json=1", "-q"})
          .json();
  EXPECT_THAT(keys_of(plan), UnorderedElementsAre("problem", "objective", "answer", "infeasible",
                                                  "asked", "stopped", "limits", "would_buy",
                                                  "front", "profiled", "unmeasured", "profiles",
                                                  "trials", "run", "notes", "modes", "together"));
  trial_keys(plan, {"workload"});
  const auto dynamic = run({"plan", "dynamic", "--infer", "lenet5", "--device", "twin:orin_nano",
                            "--windows", "10:1min,80:1min", "--json=1", "-q"})
                           .json();
  EXPECT_THAT(keys_of(dynamic), UnorderedElementsAre("problem", "objective", "windows", "switches",
                                                     "switch_j", "value", "value_unit",
                                                     "static_value", "profiles", "run", "notes"));
}

TEST_F(Contract, VersionOneIsPrintedWhenAsked) {
  const std::string table = small_table().string();
  for (const char* budget : {"15W", "4W"}) {
    std::vector<std::string> plan = {"plan",           "training", "--train", table,
                                     "--power-budget", budget,     "--json",  "-q"};
    const SortedJson now = run(plan).json();
    plan[6] = "--json=1";
    const SortedJson before = run(plan).json();
    EXPECT_EQ(now["schema"], 2);
    for (const char* key : {"schema", "choice", "default", "effort", "request", "device"})
      EXPECT_FALSE(before.contains(key)) << key;
    EXPECT_EQ(now["choice"], now["answer"]);
    if (!now["choice"].is_null()) {
      EXPECT_EQ(before["answer"]["roles"][0]["config"], now["choice"]["roles"][0]["config"]);
    }
    EXPECT_EQ(before.contains("error"), now["choice"].is_null());
    EXPECT_EQ(before["profiled"][0]["failure"], "");
    EXPECT_TRUE(now["profiled"][0]["failure"].is_null());
  }
  std::vector<std::string> tune = {"tune", "net", "--device", "table:" + table, "--json", "-q"};
  const SortedJson now = run(tune).json();
  tune[4] = "--json=1";
  const SortedJson before = run(tune).json();
  EXPECT_EQ(before["request"]["asked"], now["asked"]);
  EXPECT_FALSE(before.contains("schema") || before.contains("asked"));
  EXPECT_EQ(run({"pareto", table, "--json"}).json()["schema"], 2);
  EXPECT_FALSE(run({"pareto", table, "--json=1"}).json().contains("schema"));
}

TEST_F(Contract, TextsKeepTheirWords) {
  std::string text = slurp(small_table());
  const std::string train = write("train.csv", text).string();
  for (size_t at = 0; (at = text.find("net,train,16", at)) != std::string::npos;)
    text.replace(at, 12, "det,infer,16");
  const Finished plan =
      run({"plan", "concurrent", "--train", train, "--infer", write("infer.csv", text).string(),
           "--rate", "100", "--latency", "900ms", "-q"});
  EXPECT_THAT(plan.out, ::testing::ContainsRegex("[0-9] training minibatches/s"));
}

}  // namespace
}  // namespace flyball::testing_tools
