#include "boards/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/text.h"
#include "boards/toml_reader.h"

namespace flyball {
namespace {

class SpecReader : public TomlReader {
 public:
  using TomlReader::TomlReader;

  using Take = std::function<Status(const toml::node&)>;
  struct Key {
    std::string name;
    Take take;
  };

  Status table(const toml::table& table, const std::vector<Key>& keys) const {
    std::vector<std::string> known;
    for (const Key& key : keys) known.push_back(key.name);
    FLYBALL_CHECK(only(table, "", known));
    for (const Key& key : keys)
      if (const toml::node* node = table.get(key.name)) FLYBALL_CHECK(key.take(*node));
    return {};
  }

  Take text(std::string& into) const {
    return [this, &into](const toml::node& node) -> Status {
      const auto value = node.value_exact<std::string>();
      if (!value) return at(node, "this is no text");
      into = *value;
      return {};
    };
  }
  Take count(int& into) const {
    return [this, &into](const toml::node& node) -> Status {
      const auto value = node.value_exact<int64_t>();
      if (!value || *value < 1 || *value > 4096) return at(node, "this is no number of cores");
      into = static_cast<int>(*value);
      return {};
    };
  }
  Take id(std::optional<int>& into) const {
    return [this, &into](const toml::node& node) -> Status {
      const auto value = node.value_exact<int64_t>();
      if (!value) return at(node, "this is no id");
      into = static_cast<int>(*value);
      return {};
    };
  }
  template <class T>
  Take list(std::vector<T>& into) const {
    return [this, &into](const toml::node& node) -> Status {
      const toml::array* array = node.as_array();
      if (!array) return at(node, "this is no list");
      for (const toml::node& element : *array) {
        const auto value = element.value<T>();
        if (!value) return at(element, "this does not belong into the list");
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
      if (!array) return at(node, "this is no list");
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
      return at(node, "this is no table");
    };
  }

 private:
  Result<Preset> preset_of(const toml::node& node) const {
    const toml::table* table = node.as_table();
    const auto id = table ? (*table)["id"].value_exact<int64_t>() : std::nullopt;
    const auto name = table ? (*table)["name"].value_exact<std::string>() : std::nullopt;
    if (!table || !id || !name) return at(node, "a preset has an id and a name");
    Preset preset{.id = static_cast<int>(*id), .name = *name};
    for (const auto& [key, cap] : *table) {
      const std::string axis(key.str());
      if (axis == "id" || axis == "name") continue;
      const auto value = cap.value<double>();
      if (!is_known_axis(axis) || named_axis(axis).scope != Scope::board)
        return at(key.source(), fmt::format("'{}' is no axis of a board", axis));
      if (!value || !(*value > 0)) return at(cap, "this is no cap");
      preset.mode.values[axis] = *value;
    }
    return preset;
  }
  Status check_path(const std::string& path, const toml::node& node) const {
    if (!path.empty() && path.front() != '/' && path.find("..") == std::string::npos) return {};
    return at(node, fmt::format("'{}' is no path below the root", path));
  }
};

std::vector<BoardSpec> read_all() {
  std::vector<BoardSpec> specs;
  for (const BoardText& text : board_texts())
    if (auto spec = parse_board_spec(text.text, text.file)) specs.push_back(*std::move(spec));
  return specs;
}

}  // namespace

Result<BoardSpec> parse_board_spec(const std::string& text, const std::string& name) {
  const SpecReader reader(name, "boards.md");
  FLYBALL_ASSIGN(const toml::table document, reader.parse(text));
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
    return reader.at(*document.get("nvpmodel"), "cpu, cores or cores_per_cluster is missing");
  if (document.contains("presets") && (spec.presets_source.empty() || spec.presets.empty()))
    return reader.at(*document.get("presets"), "source or modes are missing");
  for (Preset& preset : spec.presets) preset.is_default = preset.id == usual;
  if (usual && std::ranges::none_of(spec.presets, &Preset::is_default))
    return reader.at(*document.get("presets"), "the default is none of the modes");
  if (spec.id.empty() || spec.name.empty() || (spec.modules.empty() && spec.models.empty()))
    return reader.at(document, "id, name, and modules or models are missing");
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

std::vector<std::string> board_ids() {
  std::vector<std::string> ids;
  for (const BoardSpec& spec : board_specs()) ids.push_back(spec.id);
  return ids;
}

}  // namespace flyball
