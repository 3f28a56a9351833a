// `flyball profile` and `flyball dataset`, as a user types them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#include "base/json.h"
#include "device/host/board_trees_testing.h"
#include "live_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class ProfileTest : public LiveTest {
 protected:
  std::vector<std::string> profile(const std::vector<std::string>& more) {
    std::vector<std::string> all = {"profile", "lenet5", "--data", data_, "-q", "--threads", "1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string make(const std::string& kind, const std::string& samples) {
    const std::string out = (folder_ / kind).string();
    const Finished made =
        run({"dataset", "make", kind, "--samples", samples, "--classes", "2", "--out", out});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return out;
  }
};

TEST_F(ProfileTest, SplitsEachEpochAndStatesThePower) {
  const Finished done = run(profile({"--epochs", "2", "--workers", "2", "--json"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson json = done.json();
  EXPECT_EQ(json["parameters"], 61706);
  EXPECT_EQ(json["dataset"]["kind"], "mnist");
  EXPECT_EQ(json["request"]["loader_workers"], 2);
  // Either there is energy, or the document says why there is none.
  const bool powered = run({"doctor", "--json"}).json()["power_measurable"];
  EXPECT_EQ(json["power_gap"] == "", powered);
  ASSERT_EQ(json["epochs"].size(), 2u);
  for (const SortedJson& epoch : json["epochs"]) {
    EXPECT_EQ(epoch["samples"], 600);
    EXPECT_EQ(epoch["minibatches"], 38);
    EXPECT_NEAR(epoch["stall_s"].get<double>() + epoch["compute_s"].get<double>() +
                    epoch["overhead_s"].get<double>(),
                epoch["e2e_s"].get<double>(), 1e-9);
    EXPECT_GT(epoch["compute_s"], 0);
    EXPECT_GT(epoch["cpu_pct"], 0);
    EXPECT_GT(epoch["peak_memory_bytes"], 1e6);
    EXPECT_GT(epoch["first"]["e2e_ms"], 0);
    EXPECT_EQ(epoch["energy"].is_object(), powered);
  }
  EXPECT_EQ(json["later"]["e2e_s"], json["epochs"][1]["e2e_s"]);
  EXPECT_LT(json["epochs"][1]["loss"], json["epochs"][0]["loss"]);
}

// Ten minibatches in one go, and the same in two runs of which the second goes on from the first.
TEST_F(ProfileTest, GoesOnFromWhatWasKept) {
  fs::create_directory(folder_ / "run");
  const std::string kept = (folder_ / "run/half.ckpt").string();
  const auto losses = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--epochs", "1", "--batch-size", "64", "--optimizer", "adamw",
                             "--learning-rate", "0.001", "--json"});
    const Finished done = run(profile(more));
    EXPECT_EQ(done.exit_code, 0) << done.err;
    std::vector<double> each;
    const SortedJson json = done.json();
    for (const SortedJson& epoch : json["epochs"]) each.push_back(epoch["loss"].get<double>());
    return each;
  };
  // 600 samples are ten minibatches; the last two only, after eight.
  losses({"--steps", "8", "--save", kept});
  const auto second = losses({"--resume", kept});
  const std::string all = (folder_ / "all.ckpt").string(),
                    later = (folder_ / "later.ckpt").string();
  losses({"--save", all});
  losses({"--resume", kept, "--save", later});
  const auto bytes = [](const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_GT(bytes(all).size(), 3 * 4 * 61706u);
  EXPECT_EQ(bytes(all), bytes(later));
  const auto next = losses({"--resume", all});
  EXPECT_EQ(next, losses({"--resume", later, "--save", later}));  // both of one file
  EXPECT_NE(bytes(all), bytes(later));
  EXPECT_NE(next, second);

  // At its own rates, unless others are given.
  const auto rate = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--epochs", "1", "--steps", "1", "--batch-size", "64", "--optimizer",
                             "adamw", "--resume", kept, "--json"});
    return run(profile(more)).json()["request"]["learning_rate"].get<double>();
  };
  EXPECT_EQ(rate({}), 0.001);
  EXPECT_EQ(rate({"--learning-rate", "0.01"}), 0.01);

  const Finished other = run(profile({"--resume", kept, "--batch-size", "32"}));
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("has batch size '64' and this training '32'"));
  std::ofstream(kept, std::ios::app) << "more";
  const Finished changed = run(profile({"--resume", kept, "--batch-size", "64"}));
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.err, HasSubstr("half.ckpt: it was cut off or changed"));
  EXPECT_THAT(changed.err, HasSubstr("HINT"));
}

TEST_F(ProfileTest, ASampleCacheIsToldApartFromFiles) {
  const Finished done = run(profile({"--epochs", "3", "--cache", "200kB", "--json"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson json = done.json();
  EXPECT_EQ(json["request"]["cache_bytes"], 200'000);
  const int held = 200'000 / 784 * 784, all = 600 * 784;
  EXPECT_EQ(json["cache"]["held_bytes"], held);
  EXPECT_EQ(json["cache"]["users"], 1);
  EXPECT_EQ(json["epochs"][0]["file_bytes"], all);
  for (const int epoch : {1, 2}) {
    EXPECT_EQ(json["epochs"][epoch]["file_bytes"], all - held);
    EXPECT_EQ(json["epochs"][epoch]["cache_bytes"], held);
  }
  EXPECT_EQ(json["later"]["cache_bytes"], held);
  const Finished without = run(profile({"--epochs", "3", "--json"}));
  EXPECT_TRUE(without.json()["cache"].is_null());
  for (const int epoch : {0, 1, 2})
    EXPECT_EQ(without.json()["epochs"][epoch]["loss"], json["epochs"][epoch]["loss"]);
  const Finished text = run(profile({"--epochs", "2", "--cache", "200kB"}));
  EXPECT_THAT(text.out, HasSubstr("own cache MiB"));
  EXPECT_THAT(text.out, HasSubstr("sample cache: 0.2 MiB of at most 0.2, 255 samples"));
}

TEST_F(ProfileTest, ShowsThePerplexityOfALanguageModel) {
  const std::string text = make("wikitext", "200");
  const Finished checked = run({"dataset", "check", text, "--json"});
  EXPECT_EQ(checked.exit_code, 0);
  EXPECT_EQ(checked.json()["kind"], "wikitext");
  const Finished done =
      run({"profile", "lstm", "--data", text, "--epochs", "2", "--steps", "2", "--batch-size", "2",
           "--workers", "1", "--accumulate", "2", "--threads", "1", "-q", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson json = done.json();
  EXPECT_EQ(json["dataset"]["kind"], "wikitext");
  EXPECT_EQ(json["request"]["accumulate"], 2);
  EXPECT_EQ(json["epochs"].size(), 2u);
  for (const SortedJson& epoch : json["epochs"])
    EXPECT_NEAR(std::log(epoch["figures"]["perplexity"].get<double>()), epoch["loss"].get<double>(),
                1e-6);
  const Finished pictures = run({"profile", "lstm", "--data", data_, "-q"});
  EXPECT_EQ(pictures.exit_code, 2);
  EXPECT_THAT(pictures.err, HasSubstr("cannot read a data set of kind 'mnist'"));
}

TEST_F(ProfileTest, TracesShowStallsFetchesAndSteps) {
  const fs::path trace = folder_ / "trace.json", csv = folder_ / "trace.csv";
  const Finished done = run(profile({"--epochs", "1", "--steps", "20", "--workers", "1", "--trace",
                                     trace.string(), "--csv", csv.string(), "--json"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  std::map<std::string, double> spent_us;
  bool sensors = false;
  const SortedJson drawn = SortedJson::parse(slurp(trace));
  for (const SortedJson& event : drawn.at("traceEvents")) {
    if (event.at("ph") == "C") sensors = true;
    if (event.at("ph") != "X") continue;
    const auto name = event.at("name").get<std::string>();
    spent_us[name.substr(0, name.find(' '))] += event.at("dur").get<double>();
  }
  const SortedJson epoch = done.json()["epochs"][0];
  EXPECT_TRUE(sensors);
  EXPECT_NEAR(spent_us["step"], 1e6 * epoch["compute_s"].get<double>(), 20);
  EXPECT_NEAR(spent_us["stall"], 1e6 * epoch["stall_s"].get<double>(), 20);
  EXPECT_GT(spent_us["fetch"], 0);
  EXPECT_THAT(slurp(csv), HasSubstr(",cpu_time,s,"));
}

TEST_F(ProfileTest, JoinsAPlugMeterByTime) {
  const Finished done = run(profile({"--epochs", "2", "--plug", plug_log().string(), "--json"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson json = done.json();
  EXPECT_EQ(json["power_total"], "plug");
  EXPECT_EQ(json["power_gap"], "");
  ASSERT_EQ(json["epochs"].size(), 2u);
  for (const SortedJson& epoch : json["epochs"])
    EXPECT_NEAR(epoch["energy"]["mean_w"].get<double>(), 12.5, 1e-6);
}

TEST_F(ProfileTest, APlugLogOfAnotherDayIsNamedAndTheRestIsShown) {
  const auto log = write("plug.csv", "time,watts\n1767225600,5\n1767225601,5\n1767225602,5\n");
  const Finished done = run(profile({"--epochs", "1", "--steps", "2", "--plug", log.string()}));
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.out, HasSubstr("lenet5 training"));
  EXPECT_THAT(done.err, HasSubstr("plug.csv reaches from"));
  EXPECT_THAT(done.err, HasSubstr("HINT: "));
}

TEST_F(ProfileTest, TheTableNamesWhatPeopleLookFor) {
  const Finished done = run(profile({"--steps", "3"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  for (const char* text : {"lenet5 training, 61706 parameters", "stall s", "compute s", "CPU %",
                           "cached %", "mean 1-1", "first minibatch"})
    EXPECT_THAT(done.out, HasSubstr(text));
}

TEST_F(ProfileTest, OptionsReachTheStep) {
  const Finished done =
      run(profile({"--steps", "2", "--batch-size", "8", "--optimizer", "adam", "--precision",
                   "bf16", "--channels-last", "--epochs", "1", "--json"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson request = done.json()["request"];
  EXPECT_EQ(request["batch_size"], 8);
  EXPECT_EQ(request["optimizer"], "adam");
  EXPECT_EQ(request["precision"], "bf16");
  EXPECT_EQ(request["channels_last"], true);
  EXPECT_EQ(request["steps"], 2);
  EXPECT_TRUE(done.json()["later"].is_null());
}

TEST_F(ProfileTest, BadSamplesFailByNameOrAreSkippedAndListed) {
  const fs::path images = make("images", "12");
  fs::path victim;
  for (const auto& entry : fs::recursive_directory_iterator(images))
    if (entry.is_regular_file()) victim = entry.path();
  fs::resize_file(victim, 700);
  const std::vector<std::string> words = {"profile", "lenet5",   "--data", images.string(),
                                          "-q",      "--epochs", "1",      "--threads",
                                          "1",       "--json"};
  const Finished failed = run(words);
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_THAT(failed.err, HasSubstr(victim.string()));
  auto skipping = words;
  skipping.insert(skipping.end(), {"--on-bad", "skip"});
  const Finished done = run(skipping);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["skipped"], 1);
  EXPECT_EQ(done.json()["epochs"][0]["samples"], 11);
  EXPECT_THAT(done.json()["bad_samples"][0]["reason"].get<std::string>(),
              HasSubstr(victim.string()));
  const Finished checked = run({"dataset", "check", images.string(), "--json"});
  EXPECT_EQ(checked.exit_code, 2);
  EXPECT_EQ(checked.json()["problem_count"], 1);
  EXPECT_THAT(checked.json()["problems"][0]["reason"].get<std::string>(),
              HasSubstr(victim.string()));
}

TEST_F(ProfileTest, EveryKindOfDatasetIsMadeAndFoundWhole) {
  for (const std::string kind : {"images", "gld23k", "cifar10", "mnist", "coco", "squad"}) {
    const std::string out = make(kind, "20");
    const Finished checked = run({"dataset", "check", out, "--json"});
    ASSERT_EQ(checked.exit_code, 0) << checked.err << checked.out;
    EXPECT_EQ(checked.json()["kind"], kind);
    if (kind == "squad")
      EXPECT_GT(checked.json()["parts"][0]["samples"], 20);  // rows of questions
    else
      EXPECT_EQ(checked.json()["parts"][0]["samples"], 20);
    EXPECT_EQ(checked.json()["problem_count"], 0);
  }
}

TEST_F(ProfileTest, TokensAreForTextAndWithinTheirBounds) {
  const std::string questions = make("squad", "20");
  const auto fault = [&](const std::string& command, const std::string& data,
                         const std::vector<std::string>& more) {
    std::vector<std::string> words = {command,  "bert_base", "--device", "host",
                                      "--data", data,        "-q"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 2) << done.out;
    return done.err;
  };
  EXPECT_THAT(fault("profile", questions, {"--tokens", "3"}), HasSubstr("rows of 3 tokens"));
  EXPECT_THAT(fault("profile", data_, {"--tokens", "64"}), HasSubstr("mnist have no tokens"));
  EXPECT_THAT(fault("profile", data_, {}), HasSubstr("the network answers questions"));
  EXPECT_THAT(fault("tune", questions, {"--axis", "tokens=64,128"}),
              HasSubstr("give tokens one value"));
  EXPECT_THAT(fault("tune", questions, {"--axis", "tokens=1000"}),
              HasSubstr("tokens cannot be 1000"));
}

TEST_F(ProfileTest, ADetectorRunsOnBoxesAndOnNothingElse) {
  const std::string boxes = make("coco", "4");
  for (const std::string phase : {"train", "infer"}) {
    const Finished done =
        run({"profile", "yolo_v8n", "--data", boxes, "--phase", phase, "--epochs", "1", "--steps",
             "2", "--batch-size", "1", "--threads", "1", "-q", "--json"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.json()["dataset"]["kind"], "coco");
    EXPECT_EQ(done.json()["dataset"]["classes"], 2);
    EXPECT_EQ(done.json()["epochs"][0]["samples"], 2);
    EXPECT_EQ(done.json()["epochs"][0]["loss"].is_null(), phase == "infer");
  }
  const Finished digits = run({"profile", "yolo_v8n", "--data", data_, "-q"});
  EXPECT_EQ(digits.exit_code, 2);
  EXPECT_THAT(digits.err, HasSubstr("a dataset of kind 'mnist' holds no boxes"));
  const Finished classes = run({"profile", "resnet18", "--data", boxes, "-q"});
  EXPECT_EQ(classes.exit_code, 2);
  EXPECT_THAT(classes.err, HasSubstr("'coco' does not say what each picture shows"));
}

TEST_F(ProfileTest, ALearningRateThatDivergesIsSaid) {
  const std::vector<std::string> words = {"profile", "lenet5",  "--data", data_, "--epochs",
                                          "1",       "--steps", "4",      "-q",  "--learning-rate",
                                          "10000"};
  const Finished text = run(words);
  ASSERT_EQ(text.exit_code, 1) << text.err;
  EXPECT_THAT(text.out, HasSubstr("the training diverges: from epoch 0 on"));
  EXPECT_THAT(text.out, ::testing::AnyOf(HasSubstr("  NaN\n"), HasSubstr("  infinite\n")));
  std::vector<std::string> json = words;
  json.push_back("--json");
  const Finished document = run(json);
  EXPECT_EQ(document.exit_code, 1);
  EXPECT_EQ(document.json()["diverged_in"], 0);
  EXPECT_TRUE(document.json()["epochs"][0]["loss"].is_null());
  EXPECT_TRUE(
      run(profile({"--epochs", "1", "--steps", "2", "--json"})).json()["diverged_in"].is_null());
}

TEST_F(ProfileTest, WhatCannotBeKeptIsRefusedOrSaidBesideWhatWasMeasured) {
  const auto kept = write("kept.ckpt", "a training");
  const Finished inference = run(profile({"--phase", "infer", "--save", kept.string()}));
  EXPECT_EQ(inference.exit_code, 2);
  EXPECT_THAT(inference.err, HasSubstr("there is nothing to keep"));
  EXPECT_EQ(slurp(kept), "a training");
  const Finished full =
      run(profile({"--epochs", "3", "--steps", "2", "--save", "/dev/full", "--json"}));
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err, HasSubstr("cannot write /dev/full"));
  ASSERT_FALSE(full.out.empty());
  EXPECT_EQ(full.json()["epochs"].size(), 1u);
  EXPECT_THAT(full.json()["stopped"].get<std::string>(), HasSubstr("/dev/full"));
}

TEST_F(ProfileTest, AnInterruptShowsWhatWasSeenAndEndsLikeEveryOther) {
  const pid_t child = start({"profile", "lenet5", "--data", data_, "--epochs", "100000", "--json"});
  const auto runs = [&] { return slurp(told(child, "err")).find("epoch") != std::string::npos; };
  for (int i = 0; i < 1500 && !runs(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(child, SIGINT);
  const Finished done = finish(child);
  EXPECT_EQ(done.exit_code, 130) << done.err;
  ASSERT_FALSE(done.out.empty()) << done.err;
  EXPECT_GE(done.json()["epochs"].size(), 1u);
  EXPECT_THAT(done.json()["stopped"].get<std::string>(), HasSubstr("interrupted"));
}

TEST_F(ProfileTest, ADatasetThatWasCutOffIsNone) {
  const fs::path out = folder_ / "cut";
  const pid_t child = start({"dataset", "make", "images", "--samples", "20000", "--out", out});
  for (int i = 0; i < 500 && !fs::exists(out / "class_000"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ::kill(child, SIGINT);
  EXPECT_EQ(finish(child).exit_code, 130);
  const Finished checked = run({"dataset", "check", out});
  EXPECT_EQ(checked.exit_code, 2);
  EXPECT_THAT(checked.err, HasSubstr("is not whole: making it was cut off"));
  EXPECT_THAT(checked.err, HasSubstr("rm -r"));
}

// Its GPU's sensors are read although no file asks for them; an epoch here may be shorter than the
// time between two readings.
TEST_F(ProfileTest, OfAJetsonSaysWhatItsGpuDid) {
  const fs::path root = folder_ / "tree";
  trees::write_tree("orin_agx_jp6", root);
  const fs::path report = folder_ / "profile.html";
  const Finished done = run(
      profile({"--root", root.string(), "--epochs", "20", "--report", report.string(), "--json"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson epochs = done.json()["epochs"];
  const auto seen = std::ranges::find_if(
      epochs, [](const SortedJson& epoch) { return epoch["gpu"].is_object(); });
  ASSERT_NE(seen, epochs.end()) << done.out;
  const SortedJson gpu = (*seen)["gpu"];
  EXPECT_EQ(gpu["index"], 0);
  EXPECT_EQ(gpu["load_pct"], 33);
  EXPECT_EQ(gpu["clock_mhz"], 306);
  EXPECT_TRUE(gpu["memory_bytes"].is_null());  // it is the machine's
  EXPECT_THAT(slurp(report), HasSubstr(R"("gpu":{"index":0,"load_pct":33)"));
  const Finished text = run(profile({"--root", root.string(), "--epochs", "20"}));
  EXPECT_THAT(text.out, testing::ContainsRegex("GPU in epoch [0-9]+: load 33 %, 306 MHz\n"));
}

// As spaces write it beside 0 workers.
TEST_F(ProfileTest, NothingIsFetchedAheadWithoutWorkers) {
  const Finished done =
      run(profile({"--workers", "0", "--prefetch", "0", "--steps", "2", "--json"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["request"]["prefetch"], 0);
}

TEST_F(ProfileTest, WhatThisMachineLacksIsNamed) {
  const auto expect = [&](const std::vector<std::string>& words, const std::string& text) {
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_THAT(done.err, HasSubstr(text));
  };
  expect(profile({"--device", "cuda:99"}), "there is no cuda:99 here");
  expect({"profile", "lenet5", "--data", data_, "--threads", "1000"}, "may be used here");
  expect({"profile", "lenet5", "--data", data_, "--threads", "-1"}, "give 1");
}

}  // namespace
}  // namespace flyball::testing_tools
