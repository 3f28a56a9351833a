#include "boards/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// Texts of a device tree end with a zero byte; lists of them are separated by it.
std::vector<std::string> zero_separated(const std::string& text) {
  std::vector<std::string> entries = split(text, '\0');
  std::erase_if(entries, [](const std::string& entry) { return trim(entry).empty(); });
  return entries;
}

// "nvidia,p3737-0000+p3701-0005" names a carrier and a module: every word of it may be meant.
std::vector<std::string> words_of(const std::vector<std::string>& entries) {
  std::vector<std::string> words = entries;
  for (const std::string& entry : entries)
    for (const std::string& part : split(entry, ','))
      for (const std::string& word : split(part, '+')) words.push_back(word);
  return words;
}

struct Match {
  const BoardSpec* spec = nullptr;
  std::string by{};  // the longest word that fits

  void take(const BoardSpec& candidate, const std::string& word) {
    if (word.size() > by.size()) *this = {&candidate, word};
  }
};

Match by_module(const std::vector<std::string>& words) {
  Match best;
  for (const BoardSpec& spec : board_specs())
    for (const std::string& module : spec.modules)
      if (std::ranges::any_of(words, [&](const auto& w) { return w.starts_with(module); }))
        best.take(spec, module);
  return best;
}

Match by_model(const std::string& model) {
  Match best;
  for (const BoardSpec& spec : board_specs())
    for (const std::string& part : spec.models)
      if (model.find(part) != std::string::npos) best.take(spec, part);
  return best;
}

std::string cpu_model(const fs::path& root) {
  const auto info = read_file(root / "proc/cpuinfo", 1 << 22);
  if (info)
    for (const std::string& line : split(*info, '\n'))
      if (line.starts_with("model name") && line.find(':') != std::string::npos)
        if (const std::string name(trim(line.substr(line.find(':') + 1))); text_fault(name).empty())
          return name;
  return "unknown CPU";
}

// "# R36 (release), REVISION: 4.3, GCID: …"
void read_release(const fs::path& root, BoardIdentity& board) {
  const fs::path file = root / "etc/nv_tegra_release";
  const auto text = read_file(file, 1 << 16);
  if (!text) {
    if (text.error().code != Code::not_found) board.problems.push_back(text.error());
    return;
  }
  const std::string line = text->substr(0, text->find('\n'));
  const size_t major = line.find('R');
  const auto number =
      major == std::string::npos
          ? std::nullopt
          : parse_integer(line.substr(major + 1, line.find_first_of(" (", major) - major - 1));
  if (!number || *number < 1 || *number > 99) {
    board.problems.push_back({Code::corrupt, file.string() + " names no release of L4T",
                              "the version of JetPack is not known"});
    return;
  }
  board.l4t = static_cast<int>(*number);
  board.release = fmt::format("R{}", board.l4t);
  constexpr std::string_view revision = "REVISION: ";
  const size_t minor = line.find(revision);
  if (minor == std::string::npos) return;
  const size_t begin = minor + revision.size();
  const size_t size = line.find_first_not_of("0123456789.", begin);
  const std::string digits = line.substr(begin, size == std::string::npos ? size : size - begin);
  if (!digits.empty()) board.release += "." + digits;
}

std::string named_board() {
  const char* name = std::getenv("FLYBALL_BOARD");
  return name ? name : "";
}

// A name alone makes no board of a PC.
bool bears_out(const BoardSpec& spec, const BoardIdentity& board, const fs::path& root) {
  if (spec.jetson()) return board.l4t != 0;
  const auto info = read_file(root / "proc/cpuinfo", 1 << 22);
  return info && std::ranges::any_of(spec.models, [&](const std::string& model) {
           return info->find(model) != std::string::npos;
         });
}

// Of a machine without a device tree: the board that the user names, or why it is not taken.
void take_named(const std::string& name, const fs::path& root, BoardIdentity& board) {
  const BoardSpec* spec = find_board_spec(name);
  if (spec == nullptr) {
    board.problems.push_back(
        {Code::invalid_argument,
         fmt::format("--board or FLYBALL_BOARD names '{}', which is no board", name),
         name_hint(name, board_ids())});
    return;
  }
  if (!bears_out(*spec, board, root)) {
    board.problems.push_back(
        {Code::not_found,
         fmt::format("--board or FLYBALL_BOARD names {}, and nothing here bears that out",
                     spec->name),
         spec->jetson() ? "mount /etc/nv_tegra_release of the board into the container"
                        : "/proc/cpuinfo names another model"});
    return;
  }
  board.spec = spec;
  board.id = spec->id;
  board.name = spec->name;
  board.named = true;
  board.known_by = "FLYBALL_BOARD";
  board.problems.push_back(
      {Code::unavailable,
       fmt::format("that this is a {} was said by FLYBALL_BOARD: there is no /proc/device-tree",
                   spec->name),
       "in a container: docker run --security-opt systempaths=unconfined shows it"});
}

}  // namespace

std::string BoardIdentity::jetpack() const {
  switch (l4t) {
    case 32:
      return "4";
    case 34:
    case 35:
      return "5";
    case 36:
      return "6";
    case 38:
      return "7";
    default:
      return "";
  }
}

BoardIdentity identify_board(const fs::path& root) {
  BoardIdentity board;
  read_release(root, board);
  std::error_code ignored;
  const fs::path folder = root / "proc/device-tree";
  const bool masked = !fs::exists(folder, ignored);
  const std::string wanted = named_board();
  if (masked && !wanted.empty()) take_named(wanted, root, board);
  if (board.named) return board;
  if (masked && board.l4t == 0) {
    board.id = "host";
    board.known_by = "a missing proc/device-tree";
    board.name = cpu_model(root);
    return board;
  }
  const auto compatible = read_file(folder / "compatible", 1 << 16);
  const auto model = read_file(folder / "model", 1 << 16);
  const char* file = "compatible";
  Match match;
  if (compatible) match = by_module(words_of(zero_separated(*compatible)));
  const std::string title = model ? std::string(trim(model->c_str())) : "";
  const bool plain = !title.empty() && text_fault(title).empty();
  if (!match.spec && plain) {
    match = by_model(title);
    file = "model";
  }
  board.spec = match.spec;
  board.name = board.spec ? board.spec->name : plain ? title : "unknown board";
  if (board.spec) {
    board.id = board.spec->id;
    board.known_by = fmt::format("{} in proc/device-tree/{}", match.by, file);
    if (!wanted.empty() && wanted != board.id)
      board.problems.push_back(
          {Code::conflict,
           fmt::format("--board or FLYBALL_BOARD names '{}', and the device tree says {}", wanted,
                       board.id),
           "the device tree counts"});
    return board;
  }
  if (masked) {
    board.name = "Jetson";
    board.problems.push_back(
        {Code::not_found,
         "/etc/nv_tegra_release says that this is a Jetson, and no device tree says which: "
         "containers hide /proc/device-tree",
         "name it by --board or FLYBALL_BOARD (" + join(board_ids(), ", ") +
             "), or let docker run --security-opt systempaths=unconfined show it"});
    return board;
  }
  for (const auto* text : {&compatible, &model})
    if (!*text) board.problems.push_back(text->error());
  board.problems.push_back({Code::not_found,
                            "this board is none that is known: its totals of power are not known, "
                            "and its axes are those that Linux shows",
                            "docs/boards.md says how to add one"});
  return board;
}

}  // namespace flyball
