#include "experiment/containers/runtimes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/json.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using Argv = std::vector<std::string>;

void append(Argv& words, const Argv& more) {
  words.insert(words.end(), more.begin(), more.end());
}

Argv with_argv(Argv words, const ContainerPlan& plan) {
  append(words, plan.argv);
  return words;
}

// A namespace of processes and one of mounts around a runtime that leaves its container alone when
// it is killed: with the first process of the namespaces all others and all mounts go.
Argv held_together() {
  return {"unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc"};
}

Argv bare(const ContainerPlan& plan) {
  return plan.argv;
}

Argv bwrap(const ContainerPlan& plan) {
  Argv words = {"bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts"};
  for (const fs::path& folder : plan.system) append(words, {"--ro-bind", folder, folder});
  for (const auto& [link, target] : plan.links) append(words, {"--symlink", target, link});
  append(words, {"--proc", "/proc", "--dev", "/dev", "--ro-bind", "/sys", "/sys", "--tmpfs", "/run",
                 "--tmpfs", "/tmp"});
  for (const fs::path& device : plan.devices) append(words, {"--dev-bind", device, device});
  for (const fs::path& folder : plan.more) append(words, {"--ro-bind", folder, folder});
  append(words, {"--bind", plan.scratch, plan.scratch, "--"});
  return with_argv(std::move(words), plan);
}

std::string runc_state(const ContainerPlan& plan) {
  return (plan.scratch / "runc").string();
}

Argv runc(const ContainerPlan& plan) {
  Argv words = held_together();
  append(words, {"runc", "--root", runc_state(plan), "run", "--bundle", plan.scratch, plan.name});
  return words;
}

Argv nspawn(const ContainerPlan& plan) {
  Argv words = held_together();
  append(words, {"systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--link-journal=no",
                 "--resolv-conf=off", "--timezone=off", "--console=pipe", "--tmpfs=/tmp",
                 "--machine=" + plan.name, "--directory=" + rootfs_of(plan).string()});
  for (const fs::path& folder : plan.system) words.push_back("--bind-ro=" + folder.string());
  for (const fs::path& device : plan.devices) words.push_back("--bind=" + device.string());
  for (const fs::path& folder : plan.more) words.push_back("--bind-ro=" + folder.string());
  append(words, {"--bind=" + plan.scratch.string(), "--"});
  return with_argv(std::move(words), plan);
}

// An image without files, which has the mount points alone.
std::string image_of(const ContainerPlan& plan) {
  return plan.name + "-empty";
}

Argv image_tool(const std::string& tool, const ContainerPlan& plan) {
  Argv words = {tool,
                "run",
                "--rm",
                "--init",
                "--name",
                plan.name,
                "--network",
                "host",
                "--tmpfs",
                "/tmp:exec",
                "--user",
                fmt::format("{}:{}", ::getuid(), ::getgid()),
                "--security-opt",
                "label=disable"};
  const auto bind = [&](const fs::path& to, const std::string& how) {
    append(words, {"--volume", fmt::format("{}:{}{}", to.string(), to.string(), how)});
  };
  for (const fs::path& folder : plan.system) bind(folder, ":ro");
  // What is a link of / is mounted as what it leads to: an image without files has no links.
  for (const auto& [link, target] : plan.links) bind(link, ":ro");
  for (const fs::path& folder : plan.more) bind(folder, ":ro");
  bind(plan.scratch, "");
  for (const fs::path& device : plan.devices) append(words, {"--device", device});
  words.push_back(image_of(plan));
  return with_argv(std::move(words), plan);
}

bool has_image(const std::string& runtime) {
  return runtime == "docker" || runtime == "podman";
}

Json mount(const std::string& to, const std::string& type, const std::string& from,
           const Argv& options) {
  return {{"destination", to}, {"type", type}, {"source", from}, {"options", options}};
}

}  // namespace

std::string runtime_program(const std::string& runtime) {
  if (runtime == "bare") return "";
  return runtime == "nspawn" ? "systemd-nspawn" : runtime;
}

std::string runtime_package(const std::string& runtime) {
  if (runtime == "bwrap") return "bubblewrap";
  if (runtime == "nspawn") return "systemd-container";
  return runtime == "docker" ? "docker.io" : runtime;
}

fs::path rootfs_of(const ContainerPlan& plan) {
  return plan.scratch / "rootfs";
}

Argv runtime_command(const std::string& runtime, const ContainerPlan& plan) {
  if (runtime == "bwrap") return bwrap(plan);
  if (runtime == "runc") return runc(plan);
  if (runtime == "nspawn") return nspawn(plan);
  return has_image(runtime) ? image_tool(runtime, plan) : bare(plan);
}

Argv runtime_setup(const std::string& runtime, const ContainerPlan& plan) {
  if (!has_image(runtime)) return {};
  return {runtime, "import", (plan.scratch / "empty.tar").string(), image_of(plan)};
}

Argv runtime_removal(const std::string& runtime, const ContainerPlan& plan) {
  if (runtime == "runc")
    return {"runc", "--root", runc_state(plan), "delete", "--force", plan.name};
  if (has_image(runtime)) return {runtime, "rm", "--force", plan.name};
  return {};
}

Argv runtime_teardown(const std::string& runtime, const ContainerPlan& plan) {
  if (!has_image(runtime)) return {};
  return {runtime, "rmi", "--force", image_of(plan)};
}

Json runc_config(const ContainerPlan& plan) {
  Json mounts = Json::array();
  for (const fs::path& folder : plan.system)
    mounts.push_back(mount(folder, "bind", folder, {"rbind", "ro"}));
  mounts.push_back(mount("/proc", "proc", "proc", {}));
  mounts.push_back(mount("/sys", "bind", "/sys", {"rbind", "ro"}));
  mounts.push_back(mount("/dev", "tmpfs", "tmpfs", {"nosuid", "mode=755", "size=65536k"}));
  mounts.push_back(mount("/dev/shm", "tmpfs", "shm", {"nosuid", "nodev", "mode=1777"}));
  mounts.push_back(mount("/tmp", "tmpfs", "tmpfs", {"nosuid", "nodev", "mode=1777"}));
  for (const fs::path& device : plan.devices)
    mounts.push_back(mount(device, "bind", device, {"bind"}));
  for (const fs::path& folder : plan.more)
    mounts.push_back(mount(folder, "bind", folder, {"rbind", "ro"}));
  mounts.push_back(mount(plan.scratch, "bind", plan.scratch, {"rbind", "rw"}));
  Json spaces = Json::array();
  for (const char* space : {"pid", "ipc", "uts", "mount"}) spaces.push_back({{"type", space}});
  Json process{{"terminal", false}, {"user", {{"uid", ::getuid()}, {"gid", ::getgid()}}},
               {"args", plan.argv}, {"env", {"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}},
               {"cwd", "/"},        {"noNewPrivileges", true}};
  // Devices are those that are mounted: a GPU's may be used.
  Json devices = Json::array();
  devices.push_back({{"allow", true}, {"access", "rwm"}});
  return {{"ociVersion", "1.0.2"},
          {"process", std::move(process)},
          {"root", {{"path", rootfs_of(plan).string()}, {"readonly", true}}},
          {"mounts", std::move(mounts)},
          {"linux",
           {{"cgroupsPath", "/" + plan.name},
            {"resources", {{"devices", std::move(devices)}}},
            {"namespaces", std::move(spaces)}}}};
}

}  // namespace flyball
