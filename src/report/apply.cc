#include "report/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json.h"
#include "base/os/as_root.h"
#include "base/text.h"
#include "boards/spec.h"
#include "device/modes/nvpmodel_export.h"
#include "profile/trials/program_axes.h"
#include "profile/trials/program_run.h"

namespace flyball {
namespace {

constexpr int free_mode = 99;  // a number that no nvpmodel.conf of NVIDIA uses

Json step(const std::string& title, const std::string& text, const std::string& code) {
  return {{"title", title}, {"text", text}, {"code", code}};
}

std::optional<double> value_of(const Settings& settings, const char* name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::nullopt : std::optional(found->second);
}

// A GPU of a workstation, which no device tree names.
bool is_card(const Applied& applied) {
  const BoardSpec* spec = find_board_spec(applied.device);
  return spec && spec->name.starts_with("NVIDIA ") && spec->modules.empty();
}

// What `flyball mode` can set: a kind of board that it knows, or this machine by its device tree.
bool set_by_mode(const Applied& applied) {
  if (find_board_spec(applied.device)) return !is_card(applied);
  return applied.live && applied.device == "unknown";
}

void add_mode_set(Json& steps, const Settings& mode, const std::string& device) {
  if (mode.empty()) return;
  std::vector<std::string> settings;
  for (const auto& [name, value] : mode) settings.push_back(name + "=" + format_number(value));
  steps.push_back(step("Set the mode",
                       fmt::format("Until the machine starts again; `{}` puts back what was "
                                   "before.",
                                   as_root_elsewhere("mode restore")),
                       as_root_elsewhere("mode set " + device + join(settings, ","))));
}

void add_nvpmodel(Json& steps, const PowerMode& mode, const std::string& device) {
  const auto board = nvpmodel_board(device);
  if (!board) return;
  const auto block = export_nvpmodel(mode, *board, free_mode, "FLYBALL");
  if (!block) return;
  steps.push_back(
      step("Or add it to the board's own power modes",
           "Append this block to /etc/nvpmodel.conf on the board. Its names follow published "
           "configurations for JetPack 4 and 5; they must be among the PARAM lines of the board's "
           "own file, and its number and name must be free there.",
           *block));
  steps.push_back(step("and switch to it", "nvpmodel -q says afterwards which mode is set.",
                       fmt::format("sudo nvpmodel -m {}\nsudo nvpmodel -q", free_mode)));
}

// What no process chooses for itself: clocks and power limits.
Settings of_machine(const Settings& mode) {
  Settings machine = mode;
  machine.erase(axis::cpu_cores);
  return machine;
}

// "taskset -c 0-3 ", where cores are chosen for each process.
std::string pinned(const Settings& mode) {
  const auto cores = value_of(mode, axis::cpu_cores);
  if (!cores || *cores < 1) return "";
  const long last = std::lround(*cores) - 1;
  return last == 0 ? "taskset -c 0 " : fmt::format("taskset -c 0-{} ", last);
}

std::string own_program(const std::string& command) {
  const size_t at = command.find(" -- ");
  return at == std::string::npos ? "" : command.substr(at + 4);
}

// The words of a command as it was typed: blanks within '…' part none.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words = {""};
  bool quoted = false, escaped = false;
  for (const char c : command) {
    quoted = quoted != (c == '\'' && !escaped);
    if (c == ' ' && !quoted)
      words.emplace_back();
    else
      words.back() += c;
    escaped = c == '\\' && !quoted && !escaped;
  }
  return words;
}

// The command of `tune --server '…'`; "" where there is none.
std::string own_server(const std::string& command) {
  const std::vector<std::string> words = words_of(command);
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const bool apart = words[i] == "--server" && i + 1 < words.size();
    if (!apart && !words[i].starts_with("--server=")) continue;
    std::string server = apart ? words[i + 1] : words[i].substr(words[i].find('=') + 1);
    constexpr std::string_view quote_inside = "'\\''";
    for (size_t at = 0; (at = server.find(quote_inside, at)) != std::string::npos;)
      server.replace(at, quote_inside.size(), "\x01");
    std::erase(server, '\'');
    std::ranges::replace(server, '\x01', '\'');
    return server;
  }
  return "";
}

// What tells a true machine of this kind to run something on what was simulated.
const char* device_option(const Applied& applied) {
  return applied.simulated && is_card(applied) ? "--device cuda" : "";
}

// " --data DIR --device cuda:0": what of the command says where and on what the network runs. A
// simulated board stands for a true one, where this machine is meant.
std::string place_options(const std::string& command) {
  static const std::set<std::string> names = {
      "--data",          "--dataset",      "--device",     "--root",      "--seed",
      "--input",         "--target",       "--loss",       "--cache",     "--optimizer",
      "--learning-rate", "--weight-decay", "--accumulate", "--precision", "--image-size"};
  const std::vector<std::string> words = words_of(command);
  std::string text;
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const bool apart = words[i] == "--device" && i + 1 < words.size();
    if (words[i].starts_with("--device=twin:")) continue;
    if (apart && words[i + 1].starts_with("twin:"))
      ++i;
    else if (names.contains(words[i]) && i + 1 < words.size())
      text += " " + words[i] + " " + words[i + 1];
    else if (words[i] == "--channels-last" ||
             names.contains(words[i].substr(0, words[i].find('='))))
      text += " " + words[i];
  }
  return text;
}

// "--device cuda:1 ", where the command named a GPU whose settings are axes.
std::string gpu_of(const std::string& command) {
  const std::vector<std::string> words = words_of(command);
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const bool apart = words[i] == "--device" && i + 1 < words.size();
    const std::string named = apart                               ? words[i + 1]
                              : words[i].starts_with("--device=") ? words[i].substr(9)
                                                                  : "";
    if (named.starts_with("cuda")) return "--device " + named + " ";
  }
  return "";
}

// The options of `flyball profile` that run a network so.
std::string profile_command(const Applied& applied) {
  const bool script = applied.workload.starts_with("script:");
  std::string text =
      (script ? "flyball profile --workload " : "flyball profile ") + applied.workload;
  text += place_options(applied.command);
  if (const std::string device = device_option(applied); !device.empty()) text += " " + device;
  if (applied.phase == Phase::infer) text += " --phase infer";
  const std::pair<const char*, const char*> options[] = {{axis::batch_size, "--batch-size"},
                                                         {axis::loader_workers, "--workers"},
                                                         {axis::prefetch, "--prefetch"},
                                                         {"tokens", "--tokens"}};
  for (const auto& [name, option] : options)
    if (const auto value = value_of(applied.run, name))
      text += fmt::format(" {} {}", option, format_number(*value));
  return text;
}

void add_run(Json& steps, const Applied& applied, const std::string& cores) {
  const Settings& run = applied.run;
  const std::string program = own_program(applied.command);
  if (applied.told) {
    steps.push_back(
        {{"title", "Set them in your program"},
         {"text", fmt::format("As it did in the trials of its study: {}.", describe(run))}});
  } else if (!program.empty()) {
    std::string line = join(setting_variables(run), " ");
    if (!line.empty()) line += " ";
    steps.push_back(step("Run your program so",
                         "The settings reach it through its environment, as in the trials.",
                         line + cores + program));
  } else if (const std::string server = own_server(applied.command); !server.empty()) {
    const bool chooses = server.find(placeholder("port")) != std::string::npos;
    steps.push_back(step(
        "Start your server so",
        chooses ? "With a port of yours in place of {port}." : "With the settings of the answer.",
        cores + filled_in(server, run)));
  } else if (applied.live && !applied.workload.empty()) {
    steps.push_back(step("Run it so", "Flyball's own loop over the network, with these settings.",
                         cores + profile_command(applied)));
  } else if (!run.empty()) {
    steps.push_back({{"title", "Give your program these settings"},
                     {"text", fmt::format("Through its own options: {}.", describe(run))}});
  }
}

// Of a table: how the board is set is not known here, but where cores are chosen for each process.
std::string foreign_mode(const Applied& applied) {
  const std::string cores = applied.device == "host" ? pinned(applied.mode) : "";
  if (!cores.empty() && applied.mode.size() == 1)
    return fmt::format("The table's machine chooses cores for each process: start it with `{}`.",
                       cores.substr(0, cores.size() - 1));
  return fmt::format("Flyball does not know how {} is set: {}.", applied.device,
                     describe(applied.mode));
}

// What steps for this machine, or for the true one of a simulated, may set.
bool is_at_hand(const Applied& applied) {
  return applied.live || applied.simulated;
}

}  // namespace

std::string pinned_to_cores(const Applied& applied) {
  return is_at_hand(applied) && !set_by_mode(applied) ? pinned(applied.mode) : "";
}

Json apply_steps(const Applied& applied) {
  Json steps = Json::array();
  const bool board = set_by_mode(applied);
  const std::string device = device_option(applied);
  const std::string gpu = device.empty() ? gpu_of(applied.command) : device + " ";
  if (applied.simulated)
    steps.push_back(
        {{"title", "Measure it first"},
         {"text",
          fmt::format("These figures are simulated. The same command on a true {} {} "
                      "measures them; what follows is for that machine.",
                      applied.device, device.empty() ? "without --device" : "with " + device)}});
  if (board && !applied.mode.empty()) {
    add_mode_set(steps, applied.mode, gpu);
    add_nvpmodel(steps, PowerMode{applied.mode}, applied.device);
  } else if (is_at_hand(applied)) {
    add_mode_set(steps, of_machine(applied.mode), gpu);
  } else if (!applied.mode.empty()) {
    steps.push_back({{"title", "Set the board to this mode"}, {"text", foreign_mode(applied)}});
  }
  add_run(steps, applied, pinned_to_cores(applied));
  return steps;
}

}  // namespace flyball
