#include "profile/trials/trial_conditions.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/os/temp_folder.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;

TEST(TrialConditions, HoldTheVariablesThatChangeSpeed) {
  ::setenv("OMP_WAIT_POLICY", "passive", 1);
  ::setenv("MALLOC_ARENA_MAX", "1", 1);
  ::setenv("EDITOR", "ed", 1);
  const Conditions found = process_conditions();
  EXPECT_THAT(found, Contains(Pair("OMP_WAIT_POLICY", "passive")));
  EXPECT_THAT(found, Contains(Pair("MALLOC_ARENA_MAX", "1")));
  EXPECT_THAT(found, Contains(Pair("procedure", std::to_string(trial_procedure))));
  EXPECT_THAT(found, Not(Contains(Key("EDITOR"))));
  ::unsetenv("OMP_WAIT_POLICY");
  ::unsetenv("MALLOC_ARENA_MAX");
  EXPECT_THAT(process_conditions(), Not(Contains(Key("OMP_WAIT_POLICY"))));
}

TEST(TrialConditions, NameTheFilesBehindTheLibraries) {
  const Conditions found = library_conditions();
  ASSERT_THAT(found, Contains(Key(testing::StartsWith("library libjpeg.so"))));
  for (const auto& [name, file] : found) {
    EXPECT_TRUE(file.starts_with("/")) << name << ' ' << file;
    EXPECT_THAT(file, Not(HasSubstr(", 0 bytes"))) << name;
  }
}

// Of straw: a library that is there, by the names that those have.
TEST(TrialConditions, NameTheLibrariesOfAGpu) {
  const TempFolder folder;
  const Conditions before = library_conditions();
  const auto there = std::ranges::find_if(
      before, [](const auto& found) { return found.first.starts_with("library libjpeg.so"); });
  ASSERT_NE(there, before.end());
  const std::string file = there->second.substr(0, there->second.rfind(", "));
  std::vector<void*> opened;
  const auto load = [&](const std::string& name) {
    fs::copy_file(file, folder / name);
    opened.push_back(::dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL));
    ASSERT_TRUE(opened.back()) << ::dlerror();
  };
  const std::vector<std::string> gpu = {"libcudart.so.12", "libcublas.so.12", "libcublasLt.so.12",
                                        "libcudnn.so.9"};
  for (const std::string& name : gpu) load(name);
  load("libcudnn_ops.so.9");
  const Conditions found = library_conditions();
  EXPECT_EQ(found.size(), before.size() + gpu.size());
  for (const std::string& name : gpu)
    EXPECT_THAT(found, Contains(Pair("library " + name,
                                     HasSubstr(fs::canonical(folder / name).string() + ", "))));
  for (void* library : opened) ::dlclose(library);
}

TEST(TrialConditions, SayWhichPowerIsRead) {
  EXPECT_EQ(power_conditions(*make_no_power("no sensor")), (Conditions{{"power", "none"}}));
}

TEST(TrialConditions, SayHowANetworkIsTrainedWhereThatIsNotUsual) {
  StepOptions step;
  EXPECT_EQ(step_conditions(step), Conditions());  // what was measured before still serves
  step.learning_rate = 0.3;
  step.optimizer = Optimizer::adamw;
  step.weight_decay = 0.02;  // another than usual, but computed all the same
  step.accumulate = 4;
  step.channels_last = true;
  EXPECT_EQ(step_conditions(step), (Conditions{{"memory format", "channels last"},
                                               {"optimizer", "adamw"},
                                               {"parts of a minibatch", "4"}}));
  step.weight_decay = 0;
  EXPECT_THAT(step_conditions(step), Contains(Pair("weight decay", "off")));
  step.phase = Phase::infer;
  step.precision = Precision::bf16;
  EXPECT_EQ(step_conditions(step),
            (Conditions{{"memory format", "channels last"}, {"precision", "bf16"}}));
}

TEST(TrialConditions, ChangeWithAProgramAndWhatItImports) {
  const TempFolder folder;
  const fs::path script = folder / "train.py", model = folder / "model.py";
  const auto later = [](const fs::path& file) {
    fs::last_write_time(file, fs::last_write_time(file) + std::chrono::hours(1));
  };
  std::ofstream(script) << "import model\n";
  std::ofstream(model) << "layers = 3\n";
  std::ofstream(folder / "data.bin") << "0123";
  const auto now = [&] {
    return program_conditions(
        {"sh", script.string(), "--data=" + (folder / "data.bin").string(), "--epochs=3"});
  };
  const Conditions first = now();
  EXPECT_THAT(first, Contains(Key(EndsWith("train.py"))));
  EXPECT_THAT(first, Contains(Key(EndsWith("data.bin"))));
  EXPECT_THAT(first, Contains(Key(EndsWith("sh")))) << "found on PATH";
  EXPECT_THAT(first, Contains(Key("working folder")));
  EXPECT_EQ(first, now());
  for (const fs::path& file : {script, model, folder / "data.bin"}) {
    const Conditions before = now();
    later(file);
    EXPECT_NE(before, now()) << file;
  }
}

// A setting that no axis opens reaches the program all the same.
TEST(TrialConditions, HoldSettingsThatAProgramReads) {
  ::setenv("FLYBALL_BATCH_SIZE", "32", 1);
  ::setenv("FLYBALL_STORE", "/tmp/none", 1);
  const Conditions found = program_conditions({"true"});
  ::unsetenv("FLYBALL_BATCH_SIZE");
  ::unsetenv("FLYBALL_STORE");
  EXPECT_THAT(found, Contains(Pair("FLYBALL_BATCH_SIZE", "32")));
  EXPECT_THAT(found, Not(Contains(Key("FLYBALL_STORE")))) << "a variable of Flyball's own";
  EXPECT_THAT(program_conditions({"true"}), Not(Contains(Key("FLYBALL_BATCH_SIZE"))));
}

// A variable that a script names decides what it does; a secret is kept nowhere.
TEST(TrialConditions, HoldVariablesThatAScriptNames) {
  const TempFolder folder;
  const fs::path script = folder / "train.py";
  std::ofstream(script) << "import model\nos.environ['DELAY_MS'], os.getenv(\"API_KEY\")\n"
                        << "print(os.environ.get('MAX_TOKENS'), os.environ['HOME'], HF_TOKEN)\n";
  std::ofstream(folder / "model.py") << "layers = int(os.getenv('LAYERS_OF_IT', 3))\n";
  const std::map<std::string, std::string> set = {{"DELAY_MS", "20"},     {"API_KEY", "no secret"},
                                                  {"MAX_TOKENS", "64"},   {"LAYERS_OF_IT", "5"},
                                                  {"HF_TOKEN", "hf_1f9"}, {"NOBODY_READS", "1"}};
  for (const auto& [name, value] : set) ::setenv(name.c_str(), value.c_str(), 1);
  const Conditions found = program_conditions({"sh", script.string()});
  for (const auto& [name, value] : set) ::unsetenv(name.c_str());
  for (const char* name : {"DELAY_MS", "MAX_TOKENS", "LAYERS_OF_IT"})
    EXPECT_THAT(found, Contains(Pair(name, set.at(name))));
  for (const char* name : {"API_KEY", "HF_TOKEN", "NOBODY_READS", "HOME"})
    EXPECT_THAT(found, Not(Contains(Key(name))));
  EXPECT_THAT(program_conditions({"sh", script.string()}), Not(Contains(Key("DELAY_MS"))));
}

// As after `export FLYBALL_BATCH_SIZE=32`, the answer of a tune: the next one goes on from it.
TEST(TrialConditions, HoldNoSettingThatEachTrialSets) {
  std::vector<Axis> axes = {named_axis("batch_size", {8, 16}), named_axis("layers", {3})};
  const Conditions before = program_conditions({"true"}, axes);
  ::setenv("FLYBALL_BATCH_SIZE", "32", 1);
  EXPECT_EQ(program_conditions({"true"}, axes), before);
  ::setenv("FLYBALL_LAYERS", "3", 1);
  EXPECT_THAT(program_conditions({"true"}, axes), Contains(Pair("FLYBALL_LAYERS", "3")))
      << "no axis of a run";
  axes[1].scope = Scope::run;
  EXPECT_EQ(program_conditions({"true"}, axes), before);
  ::unsetenv("FLYBALL_BATCH_SIZE");
  ::unsetenv("FLYBALL_LAYERS");
}

TEST(TrialConditions, DoNotChangeWithFilesThatAScriptDoesNotImport) {
  const TempFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  };
  write("train.py", "from models.net import Net\nimportlib.import_module('plugin')\n");
  write("models/net.py", "from . import layers\nimport shared\n");
  write("models/layers.py", "");
  write("plugin.py", "");
  write("shared.py", "");
  const auto now = [&] { return program_conditions({"sh", (folder / "train.py").string()}); };
  const Conditions first = now();
  write("notes.py", "print(1)");
  write("models/other.py", "");
  write("results/log.txt", "12");
  EXPECT_EQ(differences(first, now()), std::vector<std::string>());
  // A module that a variable names may be any.
  write("plugin.py", "importlib.import_module(name)\n");
  const Conditions any = now();
  write("notes.py", "print(2), print(3)");
  EXPECT_NE(any, now());
  for (const char* name : {"models/net.py", "models/layers.py", "plugin.py", "shared.py"}) {
    const Conditions before = now();
    write(name, "changed = True\nimport layers, shared\n");
    EXPECT_NE(before, now()) << name;
  }
}

// Both interpreters are links to one file, as those of two environments are.
TEST(TrialConditions, TellEnvironmentsOfPythonApart) {
  const TempFolder folder;
  for (const char* name : {"a", "b"}) {
    fs::create_directories(folder / name / "bin");
    fs::create_symlink("/bin/sh", folder / name / "bin" / "python3");
  }
  const auto by_path = [&](const char* name) {
    return program_conditions({(folder / name / "bin" / "python3").string(), "train.py"});
  };
  EXPECT_EQ(by_path("a"), by_path("a"));
  EXPECT_NE(by_path("a"), by_path("b"));
  const std::string path = std::getenv("PATH");
  const auto activated = [&](const char* name) {
    ::setenv("PATH", ((folder / name / "bin").string() + ":" + path).c_str(), 1);
    return program_conditions({"python3", "train.py"});
  };
  EXPECT_NE(activated("a"), activated("b"));
  ::setenv("PATH", path.c_str(), 1);
  const Conditions before = program_conditions({"sh"});
  ::setenv("VIRTUAL_ENV", "/home/me/venv", 1);
  EXPECT_THAT(program_conditions({"sh"}), Contains(Pair("VIRTUAL_ENV", "/home/me/venv")));
  EXPECT_NE(before, program_conditions({"sh"}));
  ::unsetenv("VIRTUAL_ENV");
}

TEST(TrialConditions, AreTextWhateverTheNames) {
  const Conditions odd = combine({{{"OMP_\xff", "a\nb"}}, {{"dataset", "/data/größe"}}});
  EXPECT_EQ(odd.at("OMP_\\xff"), "a\nb");
  EXPECT_EQ(odd.at("dataset"), "/data/größe");
}

}  // namespace
}  // namespace flyball
