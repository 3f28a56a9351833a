#include "device/helper/install.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/os/privileges_testing.h"
#include "base/os/temp_folder.h"
#include "base/text.h"
#include "device/helper/units.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A machine as a folder, and the commands that would have been run.
class HelperInstallTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root installs the helper";
    ASSERT_TRUE(write_file(root_ / "etc/group", "root:x:0:\n").ok());
    ASSERT_TRUE(write_file(root_ / "program", std::string("\x7f"
                                                          "ELF\0x",
                                                          6))
                    .ok());
    places_.root = root_.path();
  }
  void with_systemd() { fs::create_directories(root_ / "run/systemd/system"); }
  Result<HelperSteps> install() { return install_helper(places_, root_ / "program", run_); }
  Result<HelperSteps> uninstall() { return uninstall_helper(places_, run_); }
  mode_t mode_of(const fs::path& file) const {
    struct stat known {};
    return ::stat(file.c_str(), &known) == 0 ? known.st_mode & 07777 : 0;
  }

  TempFolder root_;
  HelperPlaces places_;
  std::vector<std::string> commands_;
  std::string failing_;
  SystemCommand run_ = [this](const std::vector<std::string>& argv) -> Status {
    commands_.push_back(join(argv, " "));
    if (commands_.back() == failing_) return Error{Code::unavailable, "it failed", ""};
    return {};
  };
};

TEST_F(HelperInstallTest, CopiesTheProgramAndTellsSystemd) {
  with_systemd();
  const auto steps = install();
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  EXPECT_THAT(commands_,
              ElementsAre("groupadd --system flyball", "systemd-tmpfiles --create flyball.conf",
                          "systemctl daemon-reload", "systemctl enable --now flyball-helper.socket",
                          "systemctl stop flyball-helper.service"));
  EXPECT_EQ(*read_file(places_.program()), *read_file(root_ / "program"));
  EXPECT_EQ(mode_of(places_.program()), 0755u);  // who may use it may not change it
  EXPECT_EQ(mode_of(places_.service_unit()), 0644u);
  EXPECT_THAT(*read_file(places_.service_unit()),
              HasSubstr("ExecStart=/usr/local/libexec/flyball-helper helper run"));
  EXPECT_EQ(*read_file(places_.socket_unit()), helper_socket_unit());
  EXPECT_EQ(*read_file(places_.measuring_unit()), measuring_folder_unit());
  EXPECT_THAT(steps->next, ElementsAre(HasSubstr("usermod -aG flyball")));
  // Again: the group is there, and the same is written.
  ASSERT_TRUE(write_file(root_ / "etc/group", "flyball:x:998:\n").ok());
  commands_.clear();
  ASSERT_TRUE(install().ok());
  EXPECT_THAT(commands_, Not(testing::Contains(HasSubstr("groupadd"))));
}

TEST_F(HelperInstallTest, WithoutSystemdSaysHowToStartIt) {
  const auto steps = install();
  ASSERT_TRUE(steps.ok());
  EXPECT_THAT(commands_, ElementsAre("groupadd --system flyball"));
  EXPECT_THAT(steps->next.front(), HasSubstr("helper run"));
}

TEST_F(HelperInstallTest, UninstallLeavesNothingButTheGroup) {
  with_systemd();
  ASSERT_TRUE(install().ok());
  ASSERT_TRUE(write_file(root_ / "etc/group", "flyball:x:998:\n").ok());
  commands_.clear();
  const auto steps = uninstall();
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  EXPECT_THAT(commands_,
              ElementsAre("systemctl disable --now flyball-helper.socket flyball-helper.service",
                          "systemctl daemon-reload"));
  for (const fs::path& file :
       {places_.program(), places_.service_unit(), places_.socket_unit(), places_.measuring_unit()})
    EXPECT_FALSE(fs::exists(file)) << file;
  EXPECT_THAT(steps->next, ElementsAre(HasSubstr("sudo groupdel flyball")));
  EXPECT_EQ(uninstall().error().code, Code::not_found);
}

TEST_F(HelperInstallTest, ACommandThatFailsIsTheError) {
  with_systemd();
  failing_ = "systemctl daemon-reload";
  EXPECT_THAT(install().error().message, HasSubstr("it failed"));
  EXPECT_EQ(commands_.back(), failing_);
}

TEST_F(HelperInstallTest, AStageIsWrittenByAnybodyAndStartsNothing) {
  with_systemd();
  const TempFolder stage;
  places_.stage = stage.path();
  ASSERT_EQ(::chmod(stage.path().c_str(), 0777), 0);
  ASSERT_EQ(::chmod(root_.path().c_str(), 0755), 0);
  const WithoutPrivileges nobody;
  const auto steps = install();
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  EXPECT_TRUE(commands_.empty());
  EXPECT_TRUE(fs::exists(stage / "usr/local/libexec/flyball-helper"));
  EXPECT_FALSE(fs::exists(root_ / "usr"));
  EXPECT_THAT(steps->next.front(), HasSubstr("groupadd --system flyball"));
  EXPECT_TRUE(uninstall().ok());
}

TEST_F(HelperInstallTest, NeedsRoot) {
  const WithoutPrivileges nobody;
  if (!nobody.effective()) GTEST_SKIP() << "permissions do not bind this process";
  EXPECT_EQ(install().error().code, Code::permission);
  EXPECT_EQ(uninstall().error().code, Code::permission);
  EXPECT_TRUE(commands_.empty());
}

TEST(HelperUnits, AreHardenedAndForTheGroupAlone) {
  const std::string service = helper_service_unit("/opt/a/flyball");
  for (const char* line :
       {"ExecStart=/opt/a/flyball helper run", "Environment=FLYBALL_STATE=/run/flyball\n",
        "RuntimeDirectoryPreserve=yes\n", "NoNewPrivileges=yes\n", "CapabilityBoundingSet=\n",
        "PrivateNetwork=yes\n", "ProtectSystem=strict\n", "SystemCallFilter=@system-service\n"})
    EXPECT_THAT(service, HasSubstr(line));
  EXPECT_THAT(service, Not(HasSubstr("@FLYBALL_PROGRAM@")));
  EXPECT_THAT(service, Not(HasSubstr("\nProtectKernelTunables")));  // /sys must stay writable
  const std::string socket(helper_socket_unit());
  for (const char* line :
       {"ListenStream=/run/flyball-helper.sock\n", "SocketMode=0660\n", "SocketGroup=flyball\n"})
    EXPECT_THAT(socket, HasSubstr(line));
  const std::string folder(measuring_folder_unit());
  for (const char* line : {"d /run/flyball-measuring 0750 root flyball -\n",
                           "f /run/flyball-measuring/sessions 0660 root flyball -\n"})
    EXPECT_THAT(folder, HasSubstr(line));
}

TEST(HelperInstallCommand, SaysWhatFailed) {
  EXPECT_TRUE(run_system_command({"true"}).ok());
  EXPECT_THAT(run_system_command({"false"}).error().message, HasSubstr("`false` failed"));
  EXPECT_FALSE(run_system_command({"no-such-command-of-flyball"}).ok());
}

}  // namespace
}  // namespace flyball
