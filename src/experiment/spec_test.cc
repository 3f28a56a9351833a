#include "experiment/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <nlohmann/json.hpp>

namespace flyball {
namespace {

using testing::HasSubstr;

ExperimentSpec parsed(const std::string& text) {
  const auto spec = parse_experiment(text, "x.toml");
  if (!spec.ok()) {
    ADD_FAILURE() << spec.error().message;
    return {};
  }
  return *spec;
}

std::string complaint(const std::string& text) {
  const auto spec = parse_experiment(text, "x.toml");
  return spec.ok() ? "accepted" : spec.error().message + " | " + spec.error().hint;
}

TEST(ExperimentSpec, ReadsWhatVariesAndWhatIsFixed) {
  const ExperimentSpec spec = parsed(R"(
title = "pipelining"
question = "storage"
repeats = 2
[dataset]
make = "images"
samples = 64
width = 800
height = 600
[[media]]
name = "slow"
read_mb_s = 20
[[media]]
name = "card"
folder = "/media/card"
[fixed]
workload = "resnet18"
phase = "infer"
epochs = 4
clear = "epoch"
[vary]
workers = [0, 2]
medium = ["slow", "card"]
)");
  EXPECT_EQ(spec.name, "x");
  EXPECT_EQ(spec.question, Question::storage);
  EXPECT_EQ(spec.repeats, 2);
  EXPECT_EQ(spec.dataset.label(), "images-64-800x600");
  const auto runs = spec.runs();
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[1].medium, "slow");
  EXPECT_EQ(runs[1].workers, 2);
  EXPECT_EQ(runs[2].medium, "card");
  EXPECT_EQ(runs[3].phase, Phase::infer);
  EXPECT_EQ(runs[3].epochs, 4);
  EXPECT_EQ(runs[3].clear, Clear::epoch);
  EXPECT_EQ(runs[3].batch_size, 16);
  ASSERT_NE(spec.medium("slow"), nullptr);
  EXPECT_EQ(spec.medium("slow")->read_mb_s, 20);
  EXPECT_EQ(spec.medium("card")->folder, "/media/card");
}

TEST(ExperimentSpec, NamesTheLineAndTheRemedy) {
  const std::string head = "question = \"workers\"\n";
  EXPECT_THAT(complaint(head + "[fixed]\nworker = 2\n"),
              HasSubstr("x.toml:3: unknown key 'worker' in [fixed] | did you mean 'workers'?"));
  EXPECT_THAT(complaint(head + "colour = 1\n"), HasSubstr("x.toml:2: unknown key 'colour'"));
  EXPECT_THAT(complaint(head + "[fixed]\nworkers = -1\n"),
              HasSubstr("x.toml:3: workers cannot be -1 | a whole number from 0 to 256"));
  EXPECT_THAT(complaint(head + "[fixed]\nworkers = 1.5\n"), HasSubstr("x.toml:3: workers"));
  EXPECT_THAT(complaint(head + "[fixed]\nepochs = \"3\"\n"),
              HasSubstr("epochs cannot be \"3\": it is text, since it stands in quotes | "
                        "a whole number from 1 to 10000, without quotes"));
  EXPECT_THAT(complaint(head + "[fixed]\nclear = \"often\"\n"), HasSubstr("never, start"));
  EXPECT_THAT(complaint(head + "[fixed]\nmemory_mb = 3\n"), HasSubstr("at least 16"));
  EXPECT_THAT(complaint(head + "[fixed]\nmemory_pct = -3\n"), HasSubstr("a percentage from 1"));
  EXPECT_THAT(complaint(head + "[fixed]\ncache_pct = 50\n"),
              HasSubstr("a memory that is not limited | write memory_pct"));
  EXPECT_THAT(complaint(head + "[fixed]\nmemory_mb = 50\nmemory_pct = 50\n"),
              HasSubstr("two limits"));
  EXPECT_THAT(complaint(head + "[fixed]\nworkers = true\n"), HasSubstr("neither a number nor"));
  EXPECT_THAT(complaint(head + "[vary]\nworkers = 2\n"), HasSubstr("workers takes no list"));
  EXPECT_THAT(complaint(head + "[vary]\nworkers = []\n"), HasSubstr("workers takes no list"));
  EXPECT_THAT(complaint(head + "[vary]\nworkers = [1, 1]\n"), HasSubstr("takes 1 twice"));
  EXPECT_THAT(complaint(head + "[fixed]\nworkers = 1\n[vary]\nworkers = [1]\n"),
              HasSubstr("both fixed and varied"));
  EXPECT_THAT(complaint(head + "[vary]\nmedium = [\"card\"]\n"), HasSubstr("no medium 'card'"));
  EXPECT_THAT(complaint(head + "[[media]]\nfolder = \"/\"\n"), HasSubstr("has no name"));
  EXPECT_THAT(complaint(head + "repeats = 0\n"), HasSubstr("x.toml:2: repeats is out of range"));
  EXPECT_THAT(complaint("title = \"x\"\n"), HasSubstr("there is no question"));
  EXPECT_THAT(complaint("question = \"why\"\n"), HasSubstr("x.toml:1: no question 'why'"));
  EXPECT_THAT(complaint("question = \n"), HasSubstr("x.toml:1"));
  EXPECT_EQ(read_experiment("/no/such.toml").error().code, Code::not_found);
}

TEST(ExperimentSpec, IsTheSameAtAnotherSize) {
  const auto spec = parse_experiment(
      "question = \"cache\"\n[dataset]\nmake = \"images\"\nsamples = 256\n"
      "[vary]\nmemory_mb = [0, 100, 40]\n",
      "x.toml");
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  const ExperimentSpec quarter = spec->scaled(0.25);
  EXPECT_EQ(quarter.dataset.samples, 64);
  std::vector<double> memory;
  for (const RunSettings& run : quarter.runs()) memory.push_back(run.memory_mb);
  EXPECT_THAT(memory, testing::ElementsAre(0, 25, 16));  // below 16 MB nothing runs
  EXPECT_EQ(spec->scaled(1e-9).dataset.samples, 1);
}

TEST(ExperimentSpec, RefusesMoreRunsThanAnybodyWants) {
  std::string list = "[1";
  for (int i = 2; i <= 64; ++i) list.append(",").append(std::to_string(i));
  std::string text = "question = \"workers\"\n[vary]\n";
  for (const char* name : {"seed", "threads", "workers"})
    text.append(name).append(" = ").append(list).append("]\n");
  EXPECT_THAT(complaint(text), HasSubstr("more than 4096 runs"));
}

TEST(ExperimentSpec, EverySettingHasANameAndAValue) {
  const auto json = settings_json({});
  EXPECT_EQ(json.size(), setting_names().size());
  EXPECT_EQ(json["batch_size"], 16);
  RunSettings settings;
  EXPECT_THAT(set_setting(settings, "batchsize", 4.0).error().hint, HasSubstr("'batch_size'"));
}

TEST(ExperimentSpec, NamesPowerModes) {
  const auto spec = parse_experiment(
      "question = \"power_modes\"\n[modes]\na = \"cpu_cores=4,gpu_mhz=612\"\n"
      "[vary]\npower_mode = [\"a\", \"15W\"]\n",
      "modes.toml");
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_EQ(spec->modes.at("a"), "cpu_cores=4,gpu_mhz=612");
  const auto wrong = parse_experiment("question = \"power_modes\"\n[modes]\na = 4\n", "modes.toml");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, HasSubstr("modes.toml:3: mode a is no text"));
}

// The experiments that come with Flyball.
TEST(ExperimentSpec, ReadsTheExperimentsOfTheProject) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(FLYBALL_SOURCE_DIR "/experiments")) {
    const auto spec = read_experiment(entry.path());
    ASSERT_TRUE(spec.ok()) << spec.error().message;
    for (const RunSettings& run : spec->runs())  // those that train
      if (run.state.empty() || run.state == "training") {
        EXPECT_FALSE(spec->dataset.kind.empty()) << spec->name;
      }
    ++files;
  }
  EXPECT_GE(files, 9);
}

}  // namespace
}  // namespace flyball
