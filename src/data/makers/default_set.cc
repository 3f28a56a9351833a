#include "data/makers/default_set.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <vector>

#include "base/files.h"
#include "base/os/host_addresses.h"
#include "base/os/places.h"
#include "base/text.h"
#include "data/formats/open.h"
#include "data/makers/coco_maker.h"
#include "data/makers/digits.h"
#include "data/makers/make.h"
#include "data/makers/questions.h"
#include "data/makers/synthetic.h"
#include "data/makers/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

int64_t samples_of(const std::string& kind) {
  if (kind == "mnist" || kind == "wikitext") return 60000;
  if (kind == "squad") return 10000;
  return kind == "cifar10" ? 5000 : 1000;
}

int version_of(const std::string& kind) {
  if (kind == "mnist") return kDigitsVersion;
  if (kind == "wikitext") return kTextVersion;
  if (kind == "squad") return kQuestionsVersion;
  if (kind == "coco") return 100 * kPicturesVersion + kShapesVersion;  // shapes before pictures
  return kPicturesVersion;
}

// What a process of this host left half drawn that was killed meanwhile.
void remove_abandoned(const fs::path& folder) {
  const std::string own = fmt::format("{}.{}.", folder.filename().string(), host_name());
  std::error_code problem;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator entry(folder.parent_path(), problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(own)) continue;
    const auto pid = parse_integer(name.substr(own.size()));
    if (pid && *pid > 0 && *pid <= std::numeric_limits<pid_t>::max() &&
        ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH)
      abandoned.push_back(entry->path());
  }
  for (const fs::path& draft : abandoned) fs::remove_all(draft, problem);
}

}  // namespace

fs::path default_dataset_folder(const std::string& kind) {
  return cache_folder() / fmt::format("{}-v{}", kind, version_of(kind));
}

Result<fs::path> drawn_dataset(const std::string& name, const std::string& kind, int64_t samples,
                               const MakeOptions& options,
                               const std::function<void(const std::string& what)>& making) {
  const fs::path folder = cache_folder() / fmt::format("{}-v{}", name, version_of(kind));
  std::error_code problem;
  if (fs::exists(folder, problem)) return folder;
  if (making) making(fmt::format("{} samples of {} into {}", samples, kind, folder.string()));
  FLYBALL_CHECK(make_whole_dataset(kind, samples, folder, options));
  return folder;
}

Status make_whole_dataset(const std::string& kind, int64_t samples, const fs::path& folder,
                          const MakeOptions& options) {
  std::error_code problem;
  const fs::path draft = fmt::format("{}.{}.{}", folder.string(), host_name(), ::getpid());
  fs::create_directories(folder.parent_path(), problem);
  remove_abandoned(folder);
  const Status made = make_dataset(kind, samples, draft, options);
  if (made.ok()) fs::rename(draft, folder, problem);
  fs::remove_all(draft, problem);
  if (!made.ok()) return made.error();
  if (!fs::exists(folder, problem)) return file_error("write", folder, EIO);
  return {};
}

Result<fs::path> default_dataset(const std::string& kind,
                                 const std::function<void(const std::string& what)>& making) {
  return drawn_dataset(kind, kind, samples_of(kind), {}, making);
}

}  // namespace flyball
