#include "experiment/containers/runtimes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace flyball {
namespace {

ContainerPlan plan() {
  return {.name = "flyball-7",
          .scratch = "/out/x",
          .system = {"/etc", "/usr"},
          .links = {{"/lib", "usr/lib"}},
          .more = {"/tmp/data"},
          .devices = {"/dev/nvmap"},
          .argv = {"/bin/sh", "/out/x/run.sh"}};
}

std::string line(const std::string& runtime) {
  return join(runtime_command(runtime, plan()), " ");
}

TEST(Runtimes, BareIsTheCommandItself) {
  EXPECT_EQ(line("bare"), "/bin/sh /out/x/run.sh");
  EXPECT_EQ(runtime_program("bare"), "");
}

// The private /tmp comes before what is mounted below it.
TEST(Runtimes, BwrapIsOneCommandThatDiesWithItsParent) {
  EXPECT_EQ(line("bwrap"),
            "bwrap --die-with-parent --unshare-pid --unshare-ipc --unshare-uts "
            "--ro-bind /etc /etc --ro-bind /usr /usr --symlink usr/lib /lib "
            "--proc /proc --dev /dev --ro-bind /sys /sys --tmpfs /run --tmpfs /tmp "
            "--dev-bind /dev/nvmap /dev/nvmap --ro-bind /tmp/data /tmp/data "
            "--bind /out/x /out/x -- /bin/sh /out/x/run.sh");
  EXPECT_TRUE(runtime_removal("bwrap", plan()).empty());
}

TEST(Runtimes, RuncAndNspawnLiveInNamespacesThatEndWithTheirProcess) {
  EXPECT_EQ(line("runc"),
            "unshare --pid --fork --kill-child --mount --mount-proc "
            "runc --root /out/x/runc run --bundle /out/x flyball-7");
  EXPECT_EQ(join(runtime_removal("runc", plan()), " "),
            "runc --root /out/x/runc delete --force flyball-7");
  EXPECT_EQ(line("nspawn"),
            "unshare --pid --fork --kill-child --mount --mount-proc "
            "systemd-nspawn --quiet --register=no --keep-unit --link-journal=no --resolv-conf=off "
            "--timezone=off --console=pipe --tmpfs=/tmp --machine=flyball-7 "
            "--directory=/out/x/rootfs --bind-ro=/etc --bind-ro=/usr --bind=/dev/nvmap "
            "--bind-ro=/tmp/data --bind=/out/x -- /bin/sh /out/x/run.sh");
}

TEST(Runtimes, DockerAndPodmanTakeAnImageWithoutFiles) {
  const std::string user = std::to_string(::getuid()) + ":" + std::to_string(::getgid());
  EXPECT_EQ(line("podman"),
            "podman run --rm --init --name flyball-7 --network host --tmpfs /tmp:exec --user " +
                user +
                " --security-opt label=disable --volume /etc:/etc:ro --volume /usr:/usr:ro "
                "--volume /lib:/lib:ro --volume /tmp/data:/tmp/data:ro --volume /out/x:/out/x "
                "--device /dev/nvmap flyball-7-empty /bin/sh /out/x/run.sh");
  EXPECT_EQ(join(runtime_setup("docker", plan()), " "),
            "docker import /out/x/empty.tar flyball-7-empty");
  EXPECT_EQ(join(runtime_removal("docker", plan()), " "), "docker rm --force flyball-7");
  EXPECT_EQ(join(runtime_teardown("docker", plan()), " "), "docker rmi --force flyball-7-empty");
}

TEST(Runtimes, RuncMountsThisMachineReadOnlyAndOneFolderWritable) {
  const Json config = runc_config(plan());
  EXPECT_EQ(config["process"]["args"].dump(), R"(["/bin/sh","/out/x/run.sh"])");
  EXPECT_EQ(config["root"]["path"], "/out/x/rootfs");
  EXPECT_EQ(config["root"]["readonly"], true);
  std::vector<std::string> places, writable;
  for (const Json& mount : config["mounts"]) {
    const std::string place = mount["destination"];
    places.push_back(place);
    if (mount["options"].dump().find("\"rw\"") != std::string::npos) writable.push_back(place);
  }
  EXPECT_EQ(writable, std::vector<std::string>{"/out/x"});
  const auto at = [&](const char* place) { return std::ranges::find(places, place); };
  EXPECT_LT(at("/tmp"), at("/tmp/data"));
  EXPECT_NE(at("/tmp/data"), places.end());
}

}  // namespace
}  // namespace flyball
