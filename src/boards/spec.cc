#include "boards/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "boards/board_file.h"

namespace flyball {
namespace {

class Reader {
 public:
  explicit Reader(const BoardFile& file) : file_(file) {}

  using Take = std::function<Status(const toml::node&)>;
  struct Key {
    std::string name;
    Take take;
  };

  Status table(const toml::table& table, const std::vector<Key>& keys) const {
    for (const auto& [name, node] : table) {
      const auto key = std::ranges::find(keys, std::string(name.str()), &Key::name);
      if (key == keys.end())
        return file_.at(name.source(), fmt::format("unknown key '{}'", name.str()));
      FLYBALL_CHECK(key->take(node));
    }
    return {};
  }

  Take text(std::string& into) const {
    return [this, &into](const toml::node& node) -> Status {
      const auto value = node.value_exact<std::string>();
      if (!value) return file_.at(node.source(), "this is no text");
      into = *value;
      return {};
    };
  }
  Take count(int& into) const {
    return [this, &into](const toml::node& node) -> Status {
      const auto value = node.value_exact<int64_t>();
      if (!value || *value < 1 || *value > 4096)
        return file_.at(node.source(), "this is no number of cores");
      into = static_cast<int>(*value);
      return {};
    };
  }
  Take id(std::optional<int>& into) const {
    return [this, &into](const toml::node& node) -> Status {
      const auto value = node.value_exact<int64_t>();
      if (!value) return file_.at(node.source(), "this is no id");
      into = static_cast<int>(*value);
      return {};
    };
  }
  template <class T>
  Take list(std::vector<T>& into) const {
    return [this, &into](const toml::node& node) -> Status {
      const toml::array* array = node.as_array();
      if (!array) return file_.at(node.source(), "this is no list");
      for (const toml::node& element : *array) {
        const auto value = element.value<T>();
        if (!value) return file_.at(element.source(), "this does not belong into the list");
        into.push_back(*value);
      }
      return {};
    };
  }
  Take path(std::string& into) const {
    return [this, &into](const toml::node& node) -> Status {
      FLYBALL_CHECK(text(into)(node));
      return check_path(into, node);
    };
  }
  Take paths(std::vector<std::string>& into) const {
    return [this, &into](const toml::node& node) -> Status {
      FLYBALL_CHECK(list(into)(node));
      for (const std::string& one : into) FLYBALL_CHECK(check_path(one, node));
      return {};
    };
  }
  /// Its caps stand beside id and name, by axis.
  Take preset(std::vector<Preset>& into) const {
    return [this, &into](const toml::node& node) -> Status {
      const toml::array* array = node.as_array();
      if (!array) return file_.at(node.source(), "this is no list");
      for (const toml::node& element : *array) {
        FLYBALL_ASSIGN(Preset one, preset_of(element));
        into.push_back(std::move(one));
      }
      return {};
    };
  }
  Take inner(const std::vector<Key>& keys) const {
    return [this, keys](const toml::node& node) -> Status {
      if (const toml::table* found = node.as_table()) return table(*found, keys);
      return file_.at(node.source(), "this is no table");
    };
  }

 private:
  Result<Preset> preset_of(const toml::node& node) const {
    const toml::table* table = node.as_table();
    const auto id = table ? (*table)["id"].value_exact<int64_t>() : std::nullopt;
    const auto name = table ? (*table)["name"].value_exact<std::string>() : std::nullopt;
    if (!id || !name) return file_.at(node.source(), "a preset has an id and a name");
    Preset preset{.id = static_cast<int>(*id), .name = *name};
    for (const auto& [key, cap] : *table) {
      const std::string axis(key.str());
      if (axis == "id" || axis == "name") continue;
      const auto value = cap.value<double>();
      if (!is_known_axis(axis) || named_axis(axis).scope != Scope::board)
        return file_.at(key.source(), fmt::format("'{}' is no axis of a board", axis));
      if (!value || !(*value > 0)) return file_.at(cap.source(), "this is no cap");
      preset.mode.values[axis] = *value;
    }
    return preset;
  }
  Status check_path(const std::string& path, const toml::node& node) const {
    if (!path.empty() && path.front() != '/' && path.find("..") == std::string::npos) return {};
    return file_.at(node.source(), fmt::format("'{}' is no path below the root", path));
  }

  const BoardFile& file_;
};

std::vector<BoardSpec> read_all() {
  std::vector<BoardSpec> specs;
  for (const BoardText& text : board_texts())
    if (auto spec = parse_board_spec(text.text, text.file)) specs.push_back(*std::move(spec));
  return specs;
}

}  // namespace

Result<BoardSpec> parse_board_spec(const std::string& text, const std::string& name) {
  FLYBALL_ASSIGN(const BoardFile file, BoardFile::parse(text, name, "boards.md"));
  const Reader reader(file);
  const toml::table& document = file.document();
  BoardSpec spec;
  MemorySpec& memory = spec.memory;
  std::optional<int> usual;
  FLYBALL_CHECK(reader.table(
      document, {{"id", reader.text(spec.id)},
                 {"name", reader.text(spec.name)},
                 {"modules", reader.list(spec.modules)},
                 {"models", reader.list(spec.models)},
                 {"last_cores", reader.list(spec.last_cores)},
                 {"raising_may_need_reboot", reader.list(spec.raising_may_need_reboot)},
                 {"firmware_tool", reader.path(spec.firmware_tool)},
                 {"gpu", reader.inner({{"folders", reader.paths(spec.gpu_folders)},
                                       {"loads", reader.paths(spec.gpu_loads)}})},
                 {"memory", reader.inner({{"rate", reader.path(memory.rate)},
                                          {"lock", reader.path(memory.lock)},
                                          {"state", reader.path(memory.state)},
                                          {"rates", reader.paths(memory.rates)},
                                          {"caps", reader.paths(memory.caps)}})},
                 {"capacity", [](const toml::node&) { return Status(); }},  // capacity.h
                 {"nvpmodel", reader.inner({{"cpu", reader.text(spec.nvpmodel.cpu)},
                                            {"cores", reader.count(spec.nvpmodel.cores)},
                                            {"cores_per_cluster",
                                             reader.count(spec.nvpmodel.cores_per_cluster)}})},
                 {"presets", reader.inner({{"source", reader.text(spec.presets_source)},
                                           {"default", reader.id(usual)},
                                           {"modes", reader.preset(spec.presets)}})},
                 {"rails", reader.inner({{"module", reader.list(spec.module_rails)}})},
                 // For the simulated board (twin/board.h), which reads it itself.
                 {"twin", [](const toml::node&) { return Status(); }}}));
  const NvpmodelArguments& nvpmodel = spec.nvpmodel;
  if (document.contains("nvpmodel") &&
      (nvpmodel.cpu.empty() || nvpmodel.cores == 0 || nvpmodel.cores_per_cluster == 0))
    return file.at(document["nvpmodel"].node()->source(),
                   "cpu, cores or cores_per_cluster is missing");
  if (document.contains("presets") && (spec.presets_source.empty() || spec.presets.empty()))
    return file.at(document["presets"].node()->source(), "source or modes are missing");
  for (Preset& preset : spec.presets) preset.is_default = preset.id == usual;
  if (usual && std::ranges::none_of(spec.presets, &Preset::is_default))
    return file.at(document["presets"].node()->source(), "the default is none of the modes");
  if (spec.id.empty() || spec.name.empty() || (spec.modules.empty() && spec.models.empty()))
    return file.at(document.source(), "id, name, and modules or models are missing");
  return spec;
}

const std::vector<BoardSpec>& board_specs() {
  static const std::vector<BoardSpec> specs = read_all();
  return specs;
}

const BoardSpec* find_board_spec(std::string_view id) {
  const auto found = std::ranges::find(board_specs(), id, &BoardSpec::id);
  return found == board_specs().end() ? nullptr : &*found;
}

}  // namespace flyball
