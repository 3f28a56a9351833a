// How each container runtime is asked to run a command, as command lines: data, not processes.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/json_fwd.h"

namespace flyball {

/// What a container sees: this machine's files, read-only, but for one folder.
struct ContainerPlan {
  std::string name{};               ///< of this container, "flyball-PID"
  std::filesystem::path scratch{};  ///< a folder of our own: what it writes, and its bundle
  std::vector<std::filesystem::path> system{};                         ///< folders of /, read-only
  std::vector<std::pair<std::filesystem::path, std::string>> links{};  ///< of /, and their targets
  /// Read-only, too, over the private /tmp: the program, the data set.
  std::vector<std::filesystem::path> more{};
  std::vector<std::filesystem::path> devices{};  ///< of the GPU
  std::vector<std::string> argv{};
};

/// The program that is looked for on PATH; "" for "bare".
std::string runtime_program(const std::string& runtime);
/// The package that brings it.
std::string runtime_package(const std::string& runtime);

/// The command that runs `plan.argv` in it; for "bare" `plan.argv` itself.
std::vector<std::string> runtime_command(const std::string& runtime, const ContainerPlan& plan);
/// What makes it ready once, before its first container; empty: nothing does.
std::vector<std::string> runtime_setup(const std::string& runtime, const ContainerPlan& plan);
/// What removes the container, where its command was killed; empty: the kernel does.
std::vector<std::string> runtime_removal(const std::string& runtime, const ContainerPlan& plan);
/// What takes back runtime_setup().
std::vector<std::string> runtime_teardown(const std::string& runtime, const ContainerPlan& plan);

/// runc's config.json, in plan.scratch.
Json runc_config(const ContainerPlan& plan);
/// The folder of mount points that runc and nspawn take for /.
std::filesystem::path rootfs_of(const ContainerPlan& plan);

}  // namespace flyball
