#include "device/doctor/version_report.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "boards/identity.h"
#include "commit.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// Of the toolkit: version.json, before CUDA 11.1 version.txt ("CUDA Version 10.2.300").
std::string cuda_version(const fs::path& root) {
  const fs::path folder = root / "usr/local/cuda";
  std::string version;
  if (const auto text = read_file(folder / "version.json", 1 << 20)) {
    const Json json = Json::parse(*text, nullptr, false);
    const auto cuda = json.is_object() ? json.find("cuda") : json.end();
    if (json.is_object() && cuda != json.end() && cuda->is_object())
      if (const auto found = cuda->find("version"); found != cuda->end() && found->is_string())
        version = found->get<std::string>();
  } else if (const auto old = read_file(folder / "version.txt", 1 << 16)) {
    constexpr std::string_view mark = "CUDA Version ";
    if (const size_t at = old->find(mark); at != std::string::npos)
      version = trim(old->substr(at + mark.size(), old->find('\n', at) - at - mark.size()));
  }
  return text_fault(version).empty() ? version : "";
}

std::string l4t_release(const fs::path& root) {
  const BoardIdentity board = identify_board(root);
  if (board.release.empty()) return "";
  const std::string jetpack = board.jetpack();
  return jetpack.empty() ? board.release : fmt::format("{} (JetPack {})", board.release, jetpack);
}

// A LibTorch with CUDA has a library for it beside the one for the processor.
std::string libtorch_text(const ModuleStamp& stamp) {
  std::error_code unknown;
  const fs::path folder = fs::path(stamp.library).parent_path();
  const bool cuda = fs::exists(folder / "libtorch_cuda.so", unknown);
  return fmt::format("{}{}", stamp.libtorch, cuda ? ", with CUDA" : ", for the processor alone");
}

std::string or_none(const std::string& text) {
  return text.empty() ? "none found" : text;
}

}  // namespace

VersionFacts read_version_facts(const fs::path& root) {
  return {.commit = FLYBALL_COMMIT,
          .module = check_module(),
          .module_file = module_file(),
          .cuda = cuda_version(root),
          .l4t = l4t_release(root)};
}

std::string version_text(const VersionFacts& facts) {
  const bool there = facts.module.ok();
  return fmt::format(
      "flyball {}\n"
      "commit    {}\n"
      "module    {}\n"
      "LibTorch  {}\n"
      "CUDA      {}\n"
      "L4T       {}",
      FLYBALL_VERSION, facts.commit.empty() ? "not known: built outside of a clone" : facts.commit,
      there ? facts.module_file.string() : "none: " + facts.module.error().message,
      there ? libtorch_text(*facts.module) : "none", or_none(facts.cuda), or_none(facts.l4t));
}

}  // namespace flyball
