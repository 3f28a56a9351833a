#include "device/journal_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr const char* first_word = "flyball-journal-2";
constexpr mode_t others_write = 022;

std::string checksum(const std::string& text) {
  const uLong sum =
      ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
  return fmt::format("{:08x}", sum);
}

// Settings of the kernel do not survive a boot; those of a recorded tree do.
std::string boot_of(const fs::path& root) {
  if (root != "/") return "";
  const auto id = read_file("/proc/sys/kernel/random/boot_id", 4096);
  return id ? std::string(trim(*id)) : "";
}

Error corrupt(const fs::path& path, const std::string& why) {
  return {Code::corrupt, fmt::format("{} {}", path.string(), why),
          "nothing of it was applied: put back by hand what it lists, and remove it"};
}

Status trusted(const fs::path& path) {
  struct stat file {};
  if (::lstat(path.c_str(), &file) != 0) return file_error("read", path, errno);
  const char* fault = !S_ISREG(file.st_mode)               ? "is no ordinary file"
                      : file.st_uid != ::geteuid()         ? "belongs to another user"
                      : (file.st_mode & others_write) != 0 ? "can be written by other users"
                                                           : nullptr;
  if (!fault) return {};
  return Error{
      Code::permission,
      fmt::format("the journal of settings {} {}: nothing of it was applied", path.string(), fault),
      "look who left it, put back what is right in it, and remove it"};
}

// Of the form {"boot": …, "root": …, "settings": [[file, value], [file, value, "fluid"], …]}.
std::optional<JournalContent> parse(const SortedJson& json, std::string& boot) {
  JournalContent content;
  try {
    boot = json.at("boot").get<std::string>();
    content.root = json.at("root").get<std::string>();
    for (const auto& setting : json.at("settings"))
      content.settings.push_back({setting.at(0), setting.at(1), setting.size() > 2});
  } catch (const SortedJson::exception&) {
    return {};
  }
  return content;
}

// The file without links. The root itself is none, so that nobody can lead it to another tree
// afterwards.
Result<fs::path> inside(const fs::path& root, const fs::path& file) {
  std::error_code problem;
  const fs::path real_root = fs::canonical(root, problem);
  if (problem) return file_error("read", root, problem.value());
  const fs::path real_file = fs::canonical(file, problem);
  if (problem) return file_error("set", file, problem.value());
  const fs::path below = real_file.lexically_relative(real_root / "sys");
  if (real_root == root && !below.empty() && *below.begin() != ".." && below != ".")
    return real_file;
  return Error{Code::permission,
               fmt::format("{} does not lie below {}", file.string(), (root / "sys").string()),
               "only settings of a board's sys/ and of its GPUs are set and put back"};
}

}  // namespace

Status check_state_folder(const fs::path& folder) {
  std::error_code problem;
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), problem);
  if (problem) return file_error("create the folder", folder.parent_path(), problem.value());
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return file_error("create the folder", folder, errno);
  struct stat state {};
  if (::stat(folder.c_str(), &state) != 0) return file_error("read", folder, errno);
  const std::string name = folder.string();
  if (!S_ISDIR(state.st_mode)) return file_error("create the folder", folder, EEXIST);
  if (state.st_uid != ::geteuid())
    return Error{
        Code::permission,
        fmt::format("the folder {} for what must be put back belongs to another user", name),
        "name one of your own with FLYBALL_STATE"};
  if ((state.st_mode & others_write) != 0)
    return Error{
        Code::permission,
        fmt::format("other users can write to the folder {} for what must be put back", name),
        fmt::format("chmod go-w {}, or name another one with FLYBALL_STATE", name)};
  return {};
}

Result<std::optional<JournalContent>> read_journal(const fs::path& path) {
  std::error_code ignored;
  if (const fs::path old = path.parent_path() / "host.json"; fs::exists(old, ignored))
    return corrupt(old, "is a journal of settings of an earlier flyball");
  if (!fs::exists(fs::symlink_status(path, ignored))) return std::optional<JournalContent>();
  FLYBALL_CHECK(trusted(path));
  FLYBALL_ASSIGN(const std::string text, read_file(path, 1 << 22));
  const size_t line = text.find('\n');
  const std::string body = line == std::string::npos ? "" : text.substr(line + 1);
  if (text.substr(0, line) != fmt::format("{} {}", first_word, checksum(body)))
    return corrupt(path, "is no whole journal of settings");
  std::string boot;
  const auto content = parse(SortedJson::parse(body, nullptr, false), boot);
  if (!content) return corrupt(path, "is no journal of settings");
  if (boot != boot_of(content->root)) return std::optional<JournalContent>();
  return content;
}

Status write_journal(const fs::path& path, const JournalContent& content) {
  if (content.settings.empty()) {
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return file_error("remove", path, errno);
  }
  SortedJson settings = SortedJson::array();
  for (const SavedSetting& setting : content.settings) {
    settings.push_back({setting.file, setting.value});
    if (setting.fluid) settings.back().push_back("fluid");
  }
  const SortedJson json{{"boot", boot_of(content.root)},
                        {"root", content.root.string()},
                        {"settings", std::move(settings)}};
  std::string body;
  try {
    body = json.dump(1) + "\n";
  } catch (const SortedJson::exception&) {
    return Error{Code::corrupt, "a setting of this board is no text: it could not be put back", ""};
  }
  return write_file(path, fmt::format("{} {}\n{}", first_word, checksum(body), body));
}

Result<std::string> setting_name(const fs::path& root, const SettingAddress& setting) {
  if (const auto* gpu = std::get_if<NvidiaSetting>(&setting)) {
    if (gpu->root == root) return gpu->journal_name();
    return Error{Code::permission,
                 fmt::format("{} is no GPU of {}", gpu->journal_name(), root.string()),
                 "one board at a time"};
  }
  FLYBALL_ASSIGN(const fs::path real, inside(root, std::get<fs::path>(setting)));
  return real.lexically_relative(root).string();
}

Result<SettingAddress> setting_address(const fs::path& root, const std::string& name) {
  if (auto gpu = NvidiaSetting::of_journal(root, name)) return SettingAddress(*std::move(gpu));
  FLYBALL_ASSIGN(fs::path file, inside(root, root / fs::path(name).relative_path()));
  return SettingAddress(std::move(file));
}

}  // namespace flyball
