#include "cli/line/configuration.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "base/os/places.h"
#include "base/text.h"
#include "boards/toml_reader.h"
#include "sql/database.h"

namespace flyball::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t largest_file = 1 << 20;
constexpr const char* page = "reference/configuration.md";

class Reader : TomlReader {
 public:
  Reader(const TomlReader& file, const std::string& name) : TomlReader(file), name_(name) {}

  Result<std::vector<ConfiguredValue>> read(const toml::table& document) {
    FLYBALL_CHECK(table(document, ""));
    // The more exact name counts.
    std::ranges::stable_sort(values_, {}, [](const ConfiguredValue& value) {
      return value.command.empty() ? 0 : 1 + std::ranges::count(value.command, ' ');
    });
    return std::move(values_);
  }

 private:
  Status table(const toml::table& table, const std::string& command) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (const toml::table* below = node.as_table()) {
        FLYBALL_CHECK(this->table(*below, command.empty() ? name : command + " " + name));
        continue;
      }
      ConfiguredValue value{command, "--" + name, {}, name_, node.source().begin.line};
      FLYBALL_CHECK(take(node, name, value.values));
      values_.push_back(std::move(value));
    }
    return {};
  }

  Status take(const toml::node& node, const std::string& key, std::vector<std::string>& values) {
    if (const toml::array* list = node.as_array()) {
      for (const toml::node& one : *list) {
        if (one.is_array() || one.is_table()) return refused(one, key);
        FLYBALL_CHECK(take(one, key, values));
      }
      return values.empty() ? refused(node, key) : Status();
    }
    if (const auto text = node.value<std::string>(); text && node.is_string())
      values.push_back(*text);
    else if (const auto truth = node.value<bool>(); truth && node.is_boolean())
      values.emplace_back(*truth ? "true" : "false");
    else if (const auto whole = node.value<int64_t>(); whole && node.is_integer())
      values.push_back(std::to_string(*whole));
    else if (const auto real = node.value<double>(); real && node.is_floating_point())
      values.push_back(fmt::format("{}", *real));
    else
      return refused(node, key);
    return {};
  }

  Error refused(const toml::node& node, const std::string& key) const {
    return at(node,
              fmt::format("{} is neither text, a number, true or false, nor a list of them", key));
  }

  const std::string& name_;
  std::vector<ConfiguredValue> values_;
};

// Root's files and our own; behind sudo, those of who called it.
bool trusted(const fs::path& file) {
  struct stat link {
  }, about{};
  if (::lstat(file.c_str(), &link) != 0 || ::stat(file.c_str(), &about) != 0)
    return true;  // reading it says why
  const char* caller = ::geteuid() == 0 ? std::getenv("SUDO_UID") : nullptr;
  const long long user = caller ? parse_integer(caller).value_or(-1) : -1;
  const auto of_ours = [user](const struct stat& one) {
    return one.st_uid == 0 || one.st_uid == ::geteuid() ||
           user == static_cast<long long>(one.st_uid);
  };
  return of_ours(link) && of_ours(about) && (about.st_mode & S_IWOTH) == 0;
}

// "~/x" as a shell has it.
void expand_home(std::vector<ConfiguredValue>& values) {
  for (ConfiguredValue& value : values)
    for (std::string& text : value.values)
      if (text == "~" || text.starts_with("~/")) text = home_folder().string() + text.substr(1);
}

// One store for the whole project, wherever in it somebody works.
void place_beside(const fs::path& file, std::vector<ConfiguredValue>& values) {
  for (ConfiguredValue& value : values)
    if (value.option == "--store")
      for (std::string& place : value.values)
        if (!names_postgres(place)) place = (file.parent_path() / place).string();
}

fs::path nearest_project_file() {
  std::error_code unknown;
  for (fs::path folder = fs::current_path(unknown); !folder.empty();
       folder = folder.parent_path()) {
    if (fs::exists(folder / "flyball.toml", unknown)) return folder / "flyball.toml";
    if (folder == folder.parent_path()) break;
  }
  return {};
}

}  // namespace

std::string ConfiguredValue::place() const {
  return fmt::format("{}:{}", file, line);
}

bool ConfiguredValue::is_meant_for(const std::string& path) const {
  return command.empty() || path == command || path.starts_with(command + " ");
}

ConfigurationFiles configuration_files() {
  return {configuration_folder() / "config.toml", nearest_project_file()};
}

Result<std::vector<ConfiguredValue>> parse_configuration(const std::string& text,
                                                         const std::string& name) {
  const TomlReader reader(name, page);
  FLYBALL_ASSIGN(const toml::table document, reader.parse(text));
  return Reader(reader, name).read(document);
}

Result<ConfiguredDefaults> read_configuration(const ConfigurationFiles& files) {
  ConfiguredDefaults configuration;
  for (const fs::path& file : {files.user, files.project}) {
    std::error_code unknown;
    if (file.empty() || !fs::exists(file, unknown)) continue;
    if (!trusted(file)) {
      configuration.notes.push_back(
          fmt::format("{} is not read: others can have written it", file.string()));
      continue;
    }
    FLYBALL_ASSIGN(const std::string text, read_file(file, largest_file));
    FLYBALL_ASSIGN(auto values, parse_configuration(text, file.string()));
    expand_home(values);
    if (file == files.project) place_beside(file, values);
    std::ranges::move(values, std::back_inserter(configuration.values));
  }
  return configuration;
}

}  // namespace flyball::cli
