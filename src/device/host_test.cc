#include "device/host.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "device/journal.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// A recorded two-core tree with a cpufreq driver, as a Jetson shows it.
class HostTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / ("host" + std::to_string(::getpid()));
    fs::remove_all(root_);
    for (int cpu : {0, 1}) {
      put(cpu, "scaling_available_frequencies", "115200 729600 1113600 2201600 \n");
      put(cpu, "scaling_min_freq", "115200\n");
      put(cpu, "scaling_max_freq", "2201600\n");
    }
    ASSERT_TRUE(write_file(root_ / "proc/cpuinfo", "processor : 0\nmodel name : Carmel\n").ok());
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path file(int cpu, const std::string& name) const {
    return root_ / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu)) / "cpufreq" / name;
  }
  void put(int cpu, const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(file(cpu, name), text).ok());
  }
  std::string get(int cpu, const std::string& name) const {
    const std::string text = *read_file(file(cpu, name));
    return text.substr(0, text.find('\n'));
  }
  HostOptions options() const { return {root_, root_ / "journal.json", {0, 1}, false}; }

  fs::path root_;
};

TEST_F(HostTest, ListsWhatCanBeSet) {
  const auto host = *open_host(options());
  EXPECT_EQ(host->info().title, "Carmel, 2 cores");
  ASSERT_EQ(host->axes().size(), 2u);
  EXPECT_EQ(host->axes()[0].values, (std::vector<double>{1, 2}));
  EXPECT_EQ(host->axes()[1].values, (std::vector<double>{115.2, 729.6, 1113.6, 2201.6}));
  EXPECT_EQ(host->default_mode().values.at("cpu_mhz"), 2201.6);
  EXPECT_TRUE(host->gaps().empty());
}

TEST_F(HostTest, PinsTheClockOfEveryCoreAndPutsItBack) {
  {
    const auto host = *open_host(options());
    ASSERT_TRUE(host->apply({{{"cpu_cores", 1}, {"cpu_mhz", 729.6}}}).ok());
    for (int cpu : {0, 1}) {
      EXPECT_EQ(get(cpu, "scaling_min_freq"), "729600");
      EXPECT_EQ(get(cpu, "scaling_max_freq"), "729600");
    }
    ASSERT_TRUE(host->apply({{{"cpu_mhz", 1113.6}}}).ok());
    EXPECT_EQ(get(1, "scaling_min_freq"), "1113600");
  }
  EXPECT_EQ(get(0, "scaling_min_freq"), "115200");
  EXPECT_EQ(get(1, "scaling_max_freq"), "2201600");
  EXPECT_FALSE(fs::exists(root_ / "journal.json"));
}

TEST_F(HostTest, PutsBackWhatACrashedProcessLeft) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto host = open_host(options());
    const bool applied = (*host)->apply({{{"cpu_mhz", 729.6}}}).ok();
    ::kill(::getpid(), applied ? SIGKILL : SIGTERM);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(WTERMSIG(status), SIGKILL);
  ASSERT_EQ(get(0, "scaling_max_freq"), "729600");
  const auto journal = SettingsJournal::open(root_ / "journal.json");
  ASSERT_TRUE(journal.ok());
  EXPECT_EQ((*journal)->recovered(), 4u);
  EXPECT_EQ(get(0, "scaling_max_freq"), "2201600");
  EXPECT_EQ(get(1, "scaling_min_freq"), "115200");
}

TEST_F(HostTest, AModeIsKeptWhereThereIsAClock) {
  {
    const auto host = *open_host(options());
    ASSERT_TRUE(host->can_keep().ok());
    ASSERT_TRUE(host->apply({{{"cpu_mhz", 729.6}}}).ok());
    ASSERT_TRUE(host->keep().ok());
  }
  EXPECT_EQ(get(0, "scaling_max_freq"), "729600");
  EXPECT_FALSE(fs::exists(root_ / "journal.json"));
  fs::remove_all(root_ / "sys");
  const auto without = *open_host(options());
  EXPECT_EQ(without->can_keep().error().code, Code::unavailable);
  EXPECT_EQ(without->keep().error().code, Code::unavailable);
}

TEST_F(HostTest, OneWriterAtATime) {
  const auto first = *SettingsJournal::open(root_ / "journal.json");
  const auto second = SettingsJournal::open(root_ / "journal.json");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Code::conflict);
}

TEST_F(HostTest, NamesWhatIsNotLegal) {
  const auto host = *open_host(options());
  EXPECT_NE(host->apply({{{"cpu_mhz", 1000}}}).error().hint.find("729.6"), std::string::npos);
  EXPECT_NE(host->apply({{{"gpu_mhz", 1000}}}).error().message.find("gpu_mhz"), std::string::npos);
  EXPECT_NE(host->apply({{{"cpu_cores", 3}}}).error().message.find("cpu_cores"), std::string::npos);
  EXPECT_EQ(get(0, "scaling_max_freq"), "2201600");
}

TEST_F(HostTest, SaysWhenASettingDidNotTake) {
  // A file that swallows what is written, as a governed clock does.
  const fs::path stuck = root_ / "stuck";
  fs::create_symlink("/dev/null", stuck);
  const auto journal = *SettingsJournal::open(root_ / "journal.json");
  const Status status = journal->set(stuck, "729600");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("but reads"), std::string::npos);
}

TEST_F(HostTest, WithoutCpufreqSaysSo) {
  fs::remove_all(root_ / "sys");
  const auto host = *open_host(options());
  EXPECT_EQ(host->axes().size(), 1u);
  ASSERT_EQ(host->gaps().size(), 1u);
  EXPECT_NE(host->gaps()[0].find("cpufreq"), std::string::npos);
}

TEST_F(HostTest, RefusesABrokenJournal) {
  ASSERT_TRUE(write_file(root_ / "journal.json", "{]").ok());
  const auto journal = SettingsJournal::open(root_ / "journal.json");
  ASSERT_FALSE(journal.ok());
  EXPECT_EQ(journal.error().code, Code::corrupt);
  EXPECT_TRUE(fs::exists(root_ / "journal.json"));
}

}  // namespace
}  // namespace flyball
