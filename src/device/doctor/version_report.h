// `flyball --version`: which Flyball this is, and what it has to do with here.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "module/module.h"

namespace flyball {

/// What `--version` reads of a machine and of this program.
struct VersionFacts {
  std::string commit{};  ///< that was built; "" where that is not known
  Result<ModuleStamp> module = Error{};
  std::filesystem::path module_file{};
  std::string cuda{};  ///< "12.2.140"; "" where there is none
  std::string l4t{};   ///< "R36.4.3 (JetPack 6)"; "" where there is none
};
VersionFacts read_version_facts(const std::filesystem::path& root = "/");

/// "flyball 0.1.0", which scripts read, then a line for commit, module, LibTorch, CUDA and L4T
/// each.
std::string version_text(const VersionFacts& facts);

}  // namespace flyball
