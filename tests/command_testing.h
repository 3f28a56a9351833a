// Runs the built `flyball` as a user would.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/clock.h"

namespace flyball::testing_tools {

namespace fs = std::filesystem;

constexpr bool built_with_torch = FLYBALL_TORCH;  ///< networks and neural predictors work
constexpr double most_seconds_to_end = 3;         ///< two, and what a busy machine adds

struct Finished {
  int exit_code = -1;  ///< 128 + signal when it was killed
  std::string out, err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

inline std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The document in a page that the program wrote.
inline nlohmann::json report_data(const fs::path& page) {
  const std::string text = slurp(page), slot = "id=\"flyball-data\" type=\"application/json\">";
  const size_t at = text.find(slot) + slot.size();
  return nlohmann::json::parse(text.substr(at, text.find("</script>", at) - at));
}

/// A folder of its own for each test, with a store of its own; removed at the end.
class CommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) /
              (std::string("flyball-") + info->name() + std::to_string(::getpid()));
    fs::create_directories(folder_);
    environment_["FLYBALL_STORE"] = (folder_ / "store.db").string();
    environment_["FLYBALL_STATE"] = (folder_ / "state").string();
    environment_["XDG_CONFIG_HOME"] = (folder_ / "configuration").string();
    environment_["FLYBALL_REFERENCES"] = (folder_ / "references").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// The log of a plug meter that shows 12.5 W twice a second, from a minute before now to a
  /// minute after.
  fs::path plug_log() {
    const double now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    std::ostringstream text;
    text.precision(16);
    text << "time,watts\n";
    for (int i = -120; i < 120; ++i) text << now + 0.5 * i << ",12.5\n";
    return write("plug.csv", text.str());
  }

  /// Starts it; output goes to files of the folder.
  pid_t start(const std::vector<std::string>& arguments) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    // A shell without job control starts tests in the background with these ignored.
    for (const int number : {SIGINT, SIGQUIT}) ::signal(number, SIG_DFL);
    for (const auto& [name, value] : environment_) ::setenv(name.c_str(), value.c_str(), 1);
    const int out =
        stdout_ >= 0 ? stdout_
                     : ::open(told(::getpid(), "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err = ::open(told(::getpid(), "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    std::vector<std::string> words = {program_};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  /// Where a process writes: two at once do not share it.
  fs::path told(pid_t process, const std::string& stream) const {
    return folder_ / (stream + "." + std::to_string(process));
  }
  Finished finish(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    Finished result;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = slurp(told(child, "out"));
    result.err = slurp(told(child, "err"));
    return result;
  }
  Finished run(const std::vector<std::string>& arguments) { return finish(start(arguments)); }
  /// Whatever it waits for, a signal ends it in time, and its exit code says so, or is that of the
  /// program that it runs.
  Finished expect_ends(pid_t child, int signal, int of_program = 0) {
    const Stopwatch watch;
    ::kill(child, signal);
    Finished done = finish(child);
    EXPECT_LT(watch.seconds(), most_seconds_to_end) << done.err;
    if (of_program == 0 || done.exit_code != of_program) {
      EXPECT_EQ(done.exit_code, 128 + signal) << done.err;
    }
    return done;
  }

  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  /// A measured-table look-alike whose time falls and power rises with both clocks.
  fs::path small_table(const std::string& phase = "train") {
    std::ostringstream text;
    text << "device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,minibatch_ms,power_w\n";
    for (int cores : {2, 4, 8})
      for (double cpu : {400, 800, 1200, 1600, 2000})
        for (double gpu : {300, 600, 900, 1200})
          text << "board,net," << phase << ",16," << cores << ',' << cpu << ',' << gpu << ','
               << 20000 / gpu + 30000 / cpu / cores + 5 << ','
               << 5 + 0.01 * gpu + 0.0008 * cpu * cores << '\n';
    return write(phase == "train" ? "table.csv" : phase + ".csv", text.str());
  }

  std::string program_ = FLYBALL_BIN_DIR "/flyball";
  fs::path folder_;
  int stdout_ = -1;  ///< of the command; else a file
  std::map<std::string, std::string> environment_;
};

/// Folder of the measured tables that are not part of the project, or "" where it is absent.
inline fs::path measured_tables() {
  const char* named = ::getenv("FLYBALL_DATA");
  const fs::path folder = named ? fs::path(named) : fs::path(FLYBALL_SOURCE_DIR) / "../shared/data";
  return fs::exists(folder) ? folder : fs::path();
}

}  // namespace flyball::testing_tools
