#include "report/apply.h"

#include <gmock/gmock.h>

#include "base/json.h"
#include "report/plan_page.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string code_of(const Json& steps, size_t i) {
  return steps[i].value("code", "");
}

TEST(Apply, AJetsonIsSetByModeSetOrGetsAnNvpmodelBlock) {
  Applied applied;
  applied.device = "orin_agx";
  applied.mode = {{"cpu_cores", 4}, {"cpu_mhz", 1190.4}, {"gpu_mhz", 905.25}};
  const auto steps = apply_steps(applied);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(code_of(steps, 0),
            "sudo \"$(command -v flyball)\" mode set cpu_cores=4,cpu_mhz=1190.4,gpu_mhz=905.25");
  EXPECT_THAT(code_of(steps, 1), StartsWith("< POWER_MODEL ID=99 NAME=FLYBALL >\n"));
  EXPECT_THAT(code_of(steps, 1), HasSubstr("CPU_ONLINE CORE_3 1\nCPU_ONLINE CORE_4 0\n"));
  EXPECT_THAT(code_of(steps, 2), HasSubstr("sudo nvpmodel -m 99"));
}

// boards/thor.toml says nothing of nvpmodel.
TEST(Apply, ABoardWithoutNamesOfNvpmodelIsSetByModeSetAlone) {
  Applied applied;
  applied.mode = {{"cpu_cores", 4}};
  for (const char* board : {"thor", "tx2", "rpi5"}) {
    applied.device = board;
    const auto steps = apply_steps(applied);
    ASSERT_EQ(steps.size(), 1u) << board;
    EXPECT_EQ(code_of(steps, 0), "sudo \"$(command -v flyball)\" mode set cpu_cores=4");
  }
}

TEST(Apply, AStudyIsToldItsSettings) {
  Applied applied;
  applied.device = "host";
  applied.workload = "study.py";
  applied.live = applied.told = true;
  applied.command = "flyball study";
  applied.run = {{"batch_size", 16}};
  const auto steps = apply_steps(applied);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(code_of(steps, 0), "");
  EXPECT_THAT(steps[0].value("text", ""), HasSubstr("batch_size 16"));
}

TEST(Apply, AServerIsStartedWithItsSettings) {
  Applied applied;
  applied.device = "host";
  applied.live = true;
  applied.workload = "llama-server -ngl {n_gpu_layers} --port {port}";
  applied.command =
      "flyball tune --server 'llama-server -ngl {n_gpu_layers} --alias '\\''my model'\\'' --port "
      "{port}' --axis n_gpu_layers=0,16 --rate 2";
  applied.run = {{"n_gpu_layers", 16}};
  const auto steps = apply_steps(applied);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(code_of(steps, 0), "llama-server -ngl 16 --alias 'my model' --port {port}");
  EXPECT_THAT(steps[0].value("text", ""), HasSubstr("{port}"));
}

TEST(Apply, AProgramGetsItsEnvironmentOnTheCoresChosen) {
  Applied applied;
  applied.device = "host";
  applied.live = true;
  applied.command = "flyball tune --axis batch_size=8,16 -- python3 train.py --lr 0.1";
  applied.mode = {{"cpu_cores", 4}};
  applied.run = {{"batch_size", 16}, {"loader_workers", 2}};
  const auto steps = apply_steps(applied);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(code_of(steps, 0),
            "FLYBALL_BATCH_SIZE=16 FLYBALL_LOADER_WORKERS=2 taskset -c 0-3 python3 train.py --lr "
            "0.1");
}

TEST(Apply, ANetworkHereGetsTheCommandThatRunsIt) {
  Applied applied;
  applied.device = "host";
  applied.live = true;
  applied.workload = "lenet5";
  applied.mode = {{"cpu_cores", 1}, {"cpu_mhz", 1200}};
  applied.run = {{"batch_size", 32}, {"loader_workers", 0}, {"prefetch", 1}};
  const auto steps = apply_steps(applied);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(code_of(steps, 0), "sudo \"$(command -v flyball)\" mode set cpu_mhz=1200");
  EXPECT_EQ(code_of(steps, 1),
            "taskset -c 0 flyball profile lenet5 --batch-size 32 --workers 0 --prefetch 1");
}

TEST(Apply, TheSettingsOfAGpuAreSetOnThatGpu) {
  Applied applied;
  applied.device = "cuda:1";
  applied.live = true;
  applied.workload = "lenet5";
  applied.command = "flyball tune lenet5 --device cuda:1 --axis gpu_mhz=600..1300";
  applied.mode = {{"cpu_cores", 2}, {"gpu_mhz", 900}, {"power_limit_w", 150}};
  EXPECT_EQ(
      code_of(apply_steps(applied), 0),
      "sudo \"$(command -v flyball)\" mode set --device cuda:1 gpu_mhz=900,power_limit_w=150");
  applied.mode = {{"cpu_cores", 2}};  // cores are chosen for each process
  EXPECT_THAT(code_of(apply_steps(applied), 0),
              testing::StartsWith("taskset -c 0-1 flyball profile"));
}

TEST(Apply, TheCommandThatRunsANetworkTrainsItAsTheTuneDid) {
  Applied applied;
  applied.device = "host";
  applied.live = true;
  applied.workload = "yolo_v8n";
  applied.command =
      "flyball tune yolo_v8n --optimizer adamw --accumulate=2 --channels-last --image-size 320 -q";
  applied.run = {{"loader_workers", 0}};
  EXPECT_EQ(code_of(apply_steps(applied), 0),
            "flyball profile yolo_v8n --optimizer adamw --accumulate=2 --channels-last "
            "--image-size 320 --workers 0");
}

// Without it the command would run on other data, in another place.
TEST(Apply, TheCommandThatRunsANetworkKeepsItsDataAndItsDevice) {
  Applied applied;
  applied.device = "cuda:0";
  applied.live = true;
  applied.workload = "lenet5";
  applied.command =
      "flyball tune lenet5 --data '/it'\\''s my data' --device=cuda --profiles 5 --json";
  applied.run = {{"loader_workers", 0}, {"prefetch", 0}};
  EXPECT_EQ(
      code_of(apply_steps(applied), 0),
      "flyball profile lenet5 --data '/it'\\''s my data' --device=cuda --workers 0 --prefetch 0");
  applied.workload = "script:model.pt";
  applied.command = "flyball tune --workload script:model.pt --dataset d -q";
  EXPECT_EQ(code_of(apply_steps(applied), 0),
            "flyball profile --workload script:model.pt --dataset d --workers 0 --prefetch 0");
  applied.command =
      "flyball tune script:model.pt --input ids:int64:128 --target 3 --loss=l.pt --cache 2GB -q";
  applied.run["tokens"] = 384;
  EXPECT_EQ(
      code_of(apply_steps(applied), 0),
      "flyball profile --workload script:model.pt --input ids:int64:128 --target 3 --loss=l.pt "
      "--cache 2GB --workers 0 --prefetch 0 --tokens 384");
}

TEST(Apply, ASimulatedBoardStandsForATrueOne) {
  Applied applied;
  applied.device = "orin_agx";
  applied.live = applied.simulated = true;
  applied.workload = "resnet18";
  applied.command = "flyball tune resnet18 --device twin:orin_agx --seed 3 -q";
  applied.mode = {{"cpu_cores", 4}, {"gpu_mhz", 816}};
  auto steps = apply_steps(applied);
  EXPECT_THAT(steps[0]["text"].get<std::string>(), HasSubstr("simulated"));
  EXPECT_EQ(code_of(steps, 1), "sudo \"$(command -v flyball)\" mode set cpu_cores=4,gpu_mhz=816");
  EXPECT_EQ(steps.back()["code"], "flyball profile resnet18 --seed 3");
  // A card's clocks are its own device's, and cores are each process's.
  applied.device = "rtx3090";
  applied.command = "flyball tune resnet18 --device=twin:rtx3090";
  steps = apply_steps(applied);
  EXPECT_EQ(code_of(steps, 1), "sudo \"$(command -v flyball)\" mode set --device cuda gpu_mhz=816");
  EXPECT_THAT(steps[0]["text"].get<std::string>(), HasSubstr("a true rtx3090 with --device cuda"));
  EXPECT_EQ(steps.back()["code"], "taskset -c 0-3 flyball profile resnet18 --device cuda");
}

// A plan's networks share one mode: each role says its own run, on the same cores.
Json plan_steps(const std::string& device, const std::string& provenance,
                const std::string& command) {
  const Json config{{"cpu_cores", 4}, {"gpu_mhz", 816}, {"batch_size", 2}};
  const Json role{{"workload", "lenet5"}, {"config", config}};
  const Json choice{{"provenance", provenance}, {"roles", Json::array({role})}};
  const Json answer{{"device", {{"name", device}}}, {"choice", choice}};
  return plan_page(answer, command)["apply"];
}

TEST(Apply, APlanPinsItsRolesWhereCoresAreChosenForEachProcess) {
  const Json here = plan_steps("host", "measured", "flyball plan training --train lenet5");
  EXPECT_EQ(code_of(here, 0), "sudo \"$(command -v flyball)\" mode set gpu_mhz=816");
  EXPECT_EQ(here.back()["text"], "By `taskset -c 0-3`, with batch size 2.");
  const Json jetson = plan_steps("orin_agx", "measured", "flyball plan training --train lenet5");
  EXPECT_EQ(code_of(jetson, 0), "sudo \"$(command -v flyball)\" mode set cpu_cores=4,gpu_mhz=816");
  EXPECT_EQ(jetson.back()["text"], "With batch size 2.") << "the mode has the cores";
}

TEST(Apply, APlanSetsTheGpuThatItIsOf) {
  EXPECT_EQ(code_of(plan_steps("cuda:1", "measured",
                               "flyball plan training --train lenet5 --device cuda:1"),
                    0),
            "sudo \"$(command -v flyball)\" mode set --device cuda:1 gpu_mhz=816");
  const Json card = plan_steps("rtx3090", "simulated",
                               "flyball plan training --train lenet5 --device twin:rtx3090");
  EXPECT_THAT(card[0]["text"].get<std::string>(), HasSubstr("with --device cuda measures"));
  EXPECT_EQ(code_of(card, 1), "sudo \"$(command -v flyball)\" mode set --device cuda gpu_mhz=816");
  EXPECT_EQ(card.back()["text"], "By `taskset -c 0-3`, with batch size 2.");
}

// A command for a board that nobody knows would be a guess.
TEST(Apply, AnUnknownBoardIsNamedWithItsModeAndNoCommand) {
  Applied applied;
  applied.device = "twin";
  applied.mode = {{"cpu_cores", 4}, {"gpu_mhz", 816}};
  const auto steps = apply_steps(applied);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_FALSE(steps[0].contains("code"));
  EXPECT_THAT(steps[0]["text"].get<std::string>(), HasSubstr("cpu_cores 4, gpu_mhz 816"));
}

}  // namespace
}  // namespace flyball
