#include "device/registry/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "boards/identity.h"
#include "boards/spec.h"
#include "twin/board.h"

namespace flyball {
namespace {

std::string names_of_kinds() {
  std::vector<std::string> names;
  for (const BoardKind& kind : board_kinds()) names.push_back(kind.usage());
  return join(names, ", ");
}

// What was meant by a name, as it is typed; nothing where that is not clear.
std::optional<std::string> meant_by(const std::string& text, const std::string& name) {
  if (find_board_spec(name)) return {};
  if (name.size() == text.size()) {
    if (const auto twin = closest(name, twin_boards())) return "twin:" + *twin;
    return closest(name, {"host", "jetson", "board", "cuda"});
  }
  std::vector<std::string> kinds;
  for (const BoardKind& kind : board_kinds()) kinds.push_back(kind.name);
  const auto kind = closest(name, kinds);
  return kind ? std::optional(*kind + text.substr(name.size())) : std::nullopt;
}

Result<const BoardKind*> find_kind(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  const auto& kinds = board_kinds();
  const auto found = std::ranges::find(kinds, name, &BoardKind::name);
  if (found != kinds.end()) return &*found;
  const auto refused = [&](const std::string& hint) {
    return Error{Code::invalid_argument, fmt::format("there is no device '{}'", name), hint};
  };
  if (name.ends_with(".csv")) return refused("a table is told by its kind: table:" + text);
  const bool twin = find_twin_board(name).ok();
  const auto meant = meant_by(text, name);
  if (meant && !twin) return refused(fmt::format("did you mean '{}'?", *meant));
  return refused((twin ? fmt::format("twin:{} simulates one; ", name) : "") +
                 "one of: " + names_of_kinds() + " (`flyball devices` says what they are)");
}

const BoardKind& entry_of(BoardName::Kind kind) {
  return *std::ranges::find(board_kinds(), kind, &BoardKind::kind);
}

}  // namespace

std::string BoardName::text() const {
  const std::string& name = entry_of(kind).name;
  return argument.empty() ? name : name + ":" + argument;
}

std::string BoardKind::usage() const {
  if (argument.empty()) return name;
  return needs_argument() ? name + ":" + argument : name + "[:" + argument.substr(1);
}

const std::vector<BoardKind>& board_kinds() {
  static const std::vector<BoardKind> kinds = {
      {BoardName::Kind::host, "host", "",
       "this machine (also: cpu): its cores, and its CPU clock where that can be set",
       open_host_board},
      {BoardName::Kind::jetson, "jetson", "",
       "the Jetson that this machine is: cores, clocks of CPU, GPU and memory, rails",
       open_known_board},
      {BoardName::Kind::board, "board", "",
       "the same of any board with a device tree, such as a Raspberry Pi", open_known_board},
      {BoardName::Kind::cuda, "cuda", "[N]",
       "an NVIDIA GPU of this machine, where LibTorch computes on it", open_cuda_board},
      {BoardName::Kind::table, "table", "FILE", "any measured table, as if it were a board",
       open_table_board},
      {BoardName::Kind::twin, "twin", "BOARD",
       "a simulated board: nano, tx2, xavier_nx, xavier_agx, orin_nano, orin_nx, orin_agx, rpi5, "
       "rtx3090, rtx_a5000; orin_nano@17 is one of many, which differ a little",
       open_twin_board},
  };
  return kinds;
}

Result<BoardName> parse_board(const std::string& text) {
  if (text.empty() || text == "cpu") return BoardName{};
  const size_t colon = text.find(':');
  FLYBALL_ASSIGN(const BoardKind* kind, find_kind(text));
  BoardName name{kind->kind, colon == std::string::npos ? "" : text.substr(colon + 1)};
  if (name.argument.empty() && (kind->needs_argument() || colon != std::string::npos))
    return Error{Code::invalid_argument,
                 fmt::format("--device {} says nothing behind the colon", text),
                 "write " + kind->usage()};
  if (kind->argument.empty() && !name.argument.empty())
    return Error{Code::invalid_argument,
                 fmt::format("'{}' takes nothing behind a colon", kind->name),
                 "write --device " + kind->name};
  return name;
}

bool may_name_absent_board(const std::string& text) {
  return !text.empty() && text != "cpu" && text.find(':') == std::string::npos &&
         !find_kind(text).ok();
}

Result<std::optional<std::string>> stored_board(const std::string& text) {
  if (may_name_absent_board(text)) return std::optional(text);
  FLYBALL_ASSIGN(const BoardName name, parse_board(text));
  if (name.kind == BoardName::Kind::twin || name.kind == BoardName::Kind::table)
    return std::optional<std::string>();
  if (name.kind == BoardName::Kind::host) return std::optional(name.text());
  return Error{Code::invalid_argument,
               fmt::format("{} is a board to measure on, and nothing is measured here", text),
               "name twin:BOARD, table:FILE, or a board as `flyball runs list` has it"};
}

Result<std::unique_ptr<Board>> open_board(const std::string& text,
                                          const std::filesystem::path& root) {
  FLYBALL_ASSIGN(BoardName name, parse_board(text));
  if (text.empty()) {
    const BoardIdentity identity = identify_board(root);
    if (identity.id != "host")
      name.kind = identity.jetson() ? BoardName::Kind::jetson : BoardName::Kind::board;
  }
  return entry_of(name.kind).open(name, root);
}

}  // namespace flyball
