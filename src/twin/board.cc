#include "twin/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/amounts.h"
#include "base/files.h"
#include "base/text.h"
#include "boards/spec.h"
#include "boards/toml_reader.h"

namespace flyball {
namespace {

constexpr double most_watts = 1e6;
constexpr std::array<const char*, twin_parts> part_names = {"cpu", "gpu", "soc", "dram", "system"};

class File : public TomlReader {
 public:
  static Result<File> parse(const std::string& text, const std::string& name) {
    const TomlReader reader(name, "twin.md");
    FLYBALL_ASSIGN(toml::table document, reader.parse(text));
    return File(reader, std::move(document));
  }

  const toml::table* twin() const { return document_["twin"].as_table(); }
  std::string id() const { return document_["id"].value_or(std::string()); }
  std::string like() const { return document_["twin"]["like"].value_or(std::string()); }

  /// What this file says, over what stands there already.
  Status read(TwinBoard& board) const {
    for (const auto& [key, bytes] : {std::pair{"memory_gib", &board.capacity.memory_bytes},
                                     {"system_gib", &board.capacity.system_bytes},
                                     {"libtorch_gib", &board.capacity.libtorch_bytes}})
      if (const auto size = document_["capacity"][key].value<double>()) *bytes = *size * gibibyte;
    board.cluster_cores = document_["nvpmodel"]["cores_per_cluster"].value_or(board.cluster_cores);
    FLYBALL_CHECK(take_all(board, *twin()));
    if (find_axis(board.axes, axis::cpu_cores) && find_axis(board.axes, axis::cpu_mhz) &&
        !board.storages.empty() && board.capacity.memory_bytes > 0 &&
        board.highest(axis::mem_mhz) > 0)
      return {};
    return at(*twin(),
              "cpu_cores, cpu_mhz, mem_mhz, storages or memory_gib of [capacity] are missing");
  }

 private:
  File(const TomlReader& reader, toml::table document)
      : TomlReader(reader), document_(std::move(document)) {}

  Status take_all(TwinBoard& board, const toml::table& twin) const {
    FLYBALL_CHECK(only(twin, " in [twin]",
                       {"like", "calibrated", "by_hand", axis::cpu_cores, axis::cpu_mhz,
                        axis::gpu_mhz, axis::mem_mhz, "plug_w", "plug_suspended_w",
                        "plug_efficiency", "kept_gib", "storages", "rails", "constants"}));
    FLYBALL_ASSIGN(board.calibrated, text(twin, "calibrated", board.calibrated));
    FLYBALL_ASSIGN(board.by_hand, text(twin, "by_hand", board.by_hand));
    FLYBALL_ASSIGN(board.plug_w, number(twin, "plug_w", board.plug_w, 0, most_watts));
    FLYBALL_ASSIGN(board.plug_suspended_w,
                   number(twin, "plug_suspended_w", board.plug_suspended_w, 0, most_watts));
    FLYBALL_ASSIGN(board.plug_efficiency,
                   number(twin, "plug_efficiency", board.plug_efficiency, 0.01, 1));
    FLYBALL_ASSIGN(const double kept,
                   number(twin, "kept_gib", board.kept_bytes / gibibyte, 0, 4096));
    board.kept_bytes = kept * gibibyte;
    for (const char* key : {axis::cpu_cores, axis::cpu_mhz, axis::gpu_mhz, axis::mem_mhz})
      if (const toml::node* node = twin.get(key)) FLYBALL_CHECK(take_axis(board, key, *node));
    if (const toml::node* node = twin.get("storages")) FLYBALL_CHECK(take_storages(board, *node));
    if (const toml::node* node = twin.get("rails")) FLYBALL_CHECK(take_rails(board, *node));
    if (const toml::node* node = twin.get("constants")) return take_constants(board, *node);
    return {};
  }

  Status take_axis(TwinBoard& board, const std::string& key, const toml::node& node) const {
    std::erase_if(board.axes, [&](const Axis& axis) { return axis.name == key; });
    if (key == axis::mem_mhz && node.is_number()) {
      board.mem_mhz = node.value_or(0.0);
      return {};
    }
    std::vector<double> values;
    if (const toml::array* array = node.as_array())
      for (const toml::node& element : *array) values.push_back(element.value_or(0.0));
    for (size_t i = 0; i < values.size(); ++i)
      if (!(values[i] > (i == 0 ? 0 : values[i - 1])))
        return at(node, fmt::format("{} is no ascending list of numbers", key));
    if (!values.empty()) board.axes.push_back(named_axis(key, std::move(values)));
    return {};
  }

  Status take_storages(TwinBoard& board, const toml::node& node) const {
    board.storages.clear();
    const toml::array* array = node.as_array();
    for (size_t i = 0; array && i < array->size(); ++i) {
      const toml::node_view entry((*array)[i]);
      TwinStorage storage{entry["name"].value_or(std::string()), entry["mb_per_s"].value_or(0.0),
                          entry["latency_ms"].value_or(-1.0), entry["at_once"].value_or(1.0),
                          entry["serial"].value_or(1.0)};
      if (storage.name.empty() || !(storage.mb_per_s > 0) || !(storage.latency_ms >= 0) ||
          !(storage.at_once >= 1) || !(storage.serial >= 0 && storage.serial <= 1))
        return at(node, "a storage needs name, mb_per_s and latency_ms; serial is a share");
      board.storages.push_back(std::move(storage));
    }
    return {};
  }

  Status take_rails(TwinBoard& board, const toml::node& node) const {
    board.rails.clear();
    const toml::array* array = node.as_array();
    for (size_t i = 0; array && i < array->size(); ++i) {
      const toml::node_view entry((*array)[i]);
      TwinRail rail{entry["name"].value_or(std::string()), {}, entry["module"].value_or(true)};
      if (const toml::array* carries = entry["carries"].as_array())
        for (const toml::node& part : *carries) {
          const auto found = std::ranges::find(part_names, part.value_or(std::string()));
          if (found == part_names.end()) return at(node, "a rail carries no such part");
          rail.carries[static_cast<size_t>(found - part_names.begin())] = true;
        }
      if (rail.name.empty() || board.rails.size() == twin_max_rails)
        return at(node, fmt::format("a rail needs a name, and {} are the most", twin_max_rails));
      board.rails.push_back(std::move(rail));
    }
    return {};
  }

  Status take_constants(TwinBoard& board, const toml::node& node) const {
    const toml::table* table = node.as_table();
    if (!table) return at(node, "[twin.constants] is no table");
    for (const auto& [key, entry] : *table) {
      const std::string name(key.str());
      if (const toml::table* kinds = entry.as_table()) {
        for (const auto& [kind, value] : *kinds)
          FLYBALL_CHECK(constant(board, name + "." + std::string(kind.str()), value));
      } else {
        FLYBALL_CHECK(constant(board, name, entry));
      }
    }
    return {};
  }

  Status constant(TwinBoard& board, const std::string& name, const toml::node& node) const {
    const auto value = node.value<double>();
    if (!value) return at(node, fmt::format("{} is no number", name));
    const Status status = set_twin_constant(board.constants, name, *value);
    return status.ok() ? status : at(node, status.error().message);
  }

  toml::table document_;
};

/// The board that `file` describes, after what it is like (and what that one is like).
Status build(const std::map<std::string, File>& files, const File& file, TwinBoard& board,
             int depth) {
  const std::string like = file.like();
  if (!like.empty()) {
    const auto parent = files.find(like);
    if (parent == files.end() || !parent->second.twin() || depth > 4)
      return file.at(*file.twin(), fmt::format("it is like '{}', which has no twin", like));
    FLYBALL_CHECK(build(files, parent->second, board, depth + 1));
    board.calibrated.clear();
    board.by_hand.clear();
    if (file.id().empty() || file.id() == like) return file.read(board);  // the board itself
    board.plug_w = board.plug_suspended_w = -1;
    board.kept_bytes = 0;
    board.cluster_cores = 0;
  }
  board.id = file.id();
  return file.read(board);
}

using Texts = std::span<const std::pair<std::string, std::string>>;

Result<std::map<std::string, File>> files_of(Texts texts) {
  std::map<std::string, File> files;
  for (const auto& [name, text] : texts) {
    FLYBALL_ASSIGN(File file, File::parse(text, name));
    const std::string id = file.id();
    files.emplace(id, std::move(file));
  }
  return files;
}

Result<TwinBoard> board_of(const std::map<std::string, File>& files, const File& file) {
  TwinBoard board;
  board.constants.efficiency.fill(0.3);
  board.constants.traffic.fill(1);
  FLYBALL_CHECK(build(files, file, board, 0));
  return board;
}

std::vector<std::pair<std::string, std::string>> built_in_texts() {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const BoardText& text : board_texts()) texts.emplace_back(text.file, text.text);
  return texts;
}

const Result<std::vector<TwinBoard>>& built_in() {
  static const Result<std::vector<TwinBoard>> boards = [] {
    return parse_twin_boards(built_in_texts());
  }();
  return boards;
}

std::vector<TwinConstant> make_constants() {
  using C = TwinConstants;
  std::vector<TwinConstant> all = {
      {"cpu_speed", 0.01, 10, &C::cpu_speed},
      {"cpu_flop", 0.1, 1024, &C::cpu_flop},
      {"op_kcycles", 0, 1e5, &C::op_kcycles},
      {"backward_kcycles", 0, 1e5, &C::backward_kcycles},
      {"kernel_kcycles", 0, 1e5, &C::kernel_kcycles},
      {"step_kcycles", 0, 1e6, &C::step_kcycles},
      {"fetch_kcycles", 0, 1e6, &C::fetch_kcycles},
      {"sample_kcycles", 0, 1e5, &C::sample_kcycles},
      {"copy_cycles", 0, 100, &C::copy_cycles},
      {"memory_wait", 0, 10, &C::memory_wait},
      {"background_mhz", 0, 1e4, &C::background_mhz},
      {"crowding", 0, 10, &C::crowding},
      {"bystanders", 0, 10, &C::bystanders},
      {"cuda_cores", 0, 1e6, &C::cuda_cores},
      {"bus_bits", 8, 8192, &C::bus_bits},
      {"queue", 1, 1e6, &C::queue},
      {"kernel_us", 0, 1000, &C::kernel_us},
      {"kernel_cycles", 0, 1e7, &C::kernel_cycles},
      {"fill", 0, 1e5, &C::fill},
      {"overlap", 0, 1, &C::overlap},
      {"memory_share", 0.01, 1, &C::memory_share},
      {"bytes_per_cycle", 0.1, 1e6, &C::bytes_per_cycle},
      {"cache_mb", 0, 1e4, &C::cache_mb},
      {"backward_traffic", 0.5, 3, &C::backward_traffic},
      {"cpu_lowest_v", 0.2, 1, &C::cpu_lowest_v},
      {"cpu_knee", 0, 0.95, &C::cpu_knee},
      {"gpu_lowest_v", 0.2, 1, &C::gpu_lowest_v},
      {"gpu_knee", 0, 0.95, &C::gpu_knee},
      {"convolution_energy", 0.05, 1, &C::convolution_energy},
      {"run_noise", 0, 0.5, &C::run_noise},
      {"time_noise", 0, 0.5, &C::time_noise},
      {"sample_noise", 0, 5, &C::sample_noise},
      {"power_noise", 0, 0.5, &C::power_noise},
      {"leakage_per_c", 0, 0.1, &C::leakage_per_c},
      {"thermal_c_per_w", 0, 20, &C::thermal_c_per_w},
      {"thermal_s", 0.1, 1e4, &C::thermal_s},
  };
  const std::pair<const char*, double C::*> watts[] = {
      {"cpu_static_w", &C::cpu_static_w},     {"cpu_clock_w", &C::cpu_clock_w},
      {"cpu_busy_w", &C::cpu_busy_w},         {"gpu_static_w", &C::gpu_static_w},
      {"gpu_clock_w", &C::gpu_clock_w},       {"gpu_busy_w", &C::gpu_busy_w},
      {"gpu_math_w", &C::gpu_math_w},         {"soc_static_w", &C::soc_static_w},
      {"soc_clock_w", &C::soc_clock_w},       {"soc_traffic_w", &C::soc_traffic_w},
      {"dram_static_w", &C::dram_static_w},   {"dram_clock_w", &C::dram_clock_w},
      {"dram_traffic_w", &C::dram_traffic_w}, {"system_w", &C::system_w}};
  for (const auto& [name, member] : watts) all.push_back({name, 0, 1000, member});
  for (size_t kind = 0; kind < layer_kinds; ++kind) {
    const std::string name = layer_kind_name(static_cast<LayerKind>(kind));
    all.push_back({"efficiency." + name, 1e-4, 4, nullptr, &C::efficiency, kind});
    all.push_back({"traffic." + name, 0.01, 100, nullptr, &C::traffic, kind});
  }
  return all;
}

}  // namespace

double& TwinConstant::in(TwinConstants& constants) const {
  return plain ? constants.*plain : (constants.*by_kind)[kind];
}
double TwinConstant::in(const TwinConstants& constants) const {
  return plain ? constants.*plain : (constants.*by_kind)[kind];
}

const std::vector<TwinConstant>& twin_constants() {
  static const std::vector<TwinConstant> constants = make_constants();
  return constants;
}

double TwinBoard::highest(const char* name) const {
  if (const Axis* found = find_axis(axes, name)) return found->values.back();
  return std::string_view(name) == axis::mem_mhz ? mem_mhz : 0;
}

Result<std::vector<TwinBoard>> parse_twin_boards(Texts texts) {
  FLYBALL_ASSIGN(const auto files, files_of(texts));
  std::vector<TwinBoard> boards;
  for (const auto& [id, file] : files) {
    if (!file.twin()) continue;
    FLYBALL_ASSIGN(TwinBoard board, board_of(files, file));
    boards.push_back(std::move(board));
  }
  return boards;
}

Result<TwinBoard> find_twin_board(const std::string& id) {
  const Result<std::vector<TwinBoard>>& boards = built_in();
  if (!boards.ok()) return boards.error();
  const auto found = std::ranges::find(*boards, id, &TwinBoard::id);
  if (found != boards->end()) return *found;
  // A kind of board without a twin is no misspelling.
  return Error{Code::not_found, fmt::format("there is no simulated board '{}'", id),
               name_hint(find_board_spec(id) ? "" : id, twin_boards())};
}

Result<TwinBoard> read_twin_board(const std::filesystem::path& path) {
  FLYBALL_ASSIGN(const std::string text, read_file(path));
  FLYBALL_ASSIGN(const File own, File::parse(text, path.string()));
  FLYBALL_ASSIGN(const auto files, files_of(built_in_texts()));
  if (own.twin()) return board_of(files, own);
  return Error{Code::invalid_argument, fmt::format("{} has no part [twin]", path.string()),
               "docs/twin.md says what stands there"};
}

std::vector<std::string> twin_boards() {
  std::vector<std::string> ids;
  if (const auto& boards = built_in(); boards.ok())
    for (const TwinBoard& board : *boards) ids.push_back(board.id);
  return ids;
}

Status set_twin_constant(TwinConstants& constants, const std::string& name, double value) {
  const auto found = std::ranges::find(twin_constants(), name, &TwinConstant::name);
  if (found == twin_constants().end()) {
    std::vector<std::string> names;
    for (const TwinConstant& constant : twin_constants()) names.emplace_back(constant.name);
    return Error{Code::invalid_argument, fmt::format("unknown constant '{}'", name),
                 name_hint(name, names, "docs/twin.md lists them")};
  }
  if (!(value >= found->low && value <= found->high))
    return Error{Code::invalid_argument,
                 fmt::format("{} is to be between {:g} and {:g}", name, found->low, found->high),
                 ""};
  found->in(constants) = value;
  return {};
}

std::string format_twin_constants(const TwinConstants& constants) {
  std::string text = "[twin.constants]\n";
  for (const TwinConstant& constant : twin_constants())
    text += fmt::format("{} = {:.4g}\n", constant.name, constant.in(constants));
  return text;
}

}  // namespace flyball
