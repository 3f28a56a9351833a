#include "cli/line/groups.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace flyball::cli {
namespace {

struct Heading {
  const char* title;
  std::vector<std::string_view> names;
};

// Help shows them in this order.
const std::vector<Heading>& command_headings() {
  static const std::vector<Heading> headings = {
      {"Find a configuration",
       {"tune", "plan", "predict", "pareto", "compare", "fleet", "campaign"}},
      {"Measure and run",
       {"profile", "measure", "record", "monitor", "metrics-server", "serve", "broker", "loadtest",
        "mode", "study"}},
      {"This machine, networks and data",
       {"doctor", "verify-board", "devices", "helper", "workloads", "describe", "dataset"}},
      {"What is kept", {"runs", "collect", "report", "import", "export", "config"}},
      {"Research", {"experiment", "roofline", "reference", "evaluate", "twin"}},
      {"Manual", {"man", "completion"}}};
  return headings;
}

const std::vector<Heading>& option_headings() {
  static const std::vector<Heading> headings = {
      {"What runs, and where",
       {"workload", "train",      "infer",   "device", "root",     "phase",  "data",    "input",
        "target",   "loss",       "weights", "epochs", "steps",    "tokens", "promote", "share",
        "epoch",    "image-size", "rules",   "fits",   "measured", "windows"}},
      {"Training step and loader",
       {"batch-size", "train-batch-size", "workers", "prefetch", "drop-last", "optimizer",
        "learning-rate", "weight-decay", "accumulate", "precision", "channels-last", "threads",
        "on-bad", "save", "resume", "checkpoint", "checkpoint-every", "no-checkpoint"}},
      {"Requests",
       {"latency",      "margin", "prefer",     "rate",      "arrivals",   "percentile",
        "overload",     "queue",  "jitter",     "listen",    "token-file", "insecure",
        "body-memory",  "url",    "protocol",   "model",     "timeout",    "connections",
        "shape",        "prompt", "max-tokens", "no-stream", "body",       "method",
        "content-type", "header", "key-from",   "server",    "ready"}},
      {"Objective and limits",
       {"objective", "power-budget", "time-budget", "energy-budget", "price-budget", "board-budget",
        "deadline", "at-most", "at-least", "samples", "switch-cost", "switch-energy", "idle-power",
        "separate-modes", "baseline", "prices", "count", "each", "unused"}},
      {"Search",
       {"profiles", "gap", "duration", "trial-time", "axis", "modes", "strategy", "predictor",
        "reference", "no-reference", "prior", "accept", "measure", "no-verify", "oracle", "seed"}},
      {"Memory", {"cache", "memory", "no-memory-check"}},
      {"Sensors",
       {"interval", "plug", "plug-zone", "plug-ahead", "plug-begin", "plug-interval", "csv",
        "trace", "record", "patience"}},
      {"This machine", {"wait", "force", "dry-run", "apply", "export"}},
      {"Results",
       {"report", "store", "no-store", "fresh", "out", "json", "verbose", "quiet", "cases"}}};
  return headings;
}

// Fewer are read at a glance.
constexpr size_t many_options = 16;

const char* heading_of(const std::vector<Heading>& headings, std::string_view name) {
  for (const Heading& heading : headings)
    if (std::ranges::find(heading.names, name) != heading.names.end()) return heading.title;
  return nullptr;
}

std::vector<CLI::Option*> shown_options(CLI::App& command) {
  return command.get_options([](const CLI::Option* option) {
    return option->nonpositional() && !option->get_group().empty();
  });
}

void arrange_options(CLI::App& command) {
  const auto options = shown_options(command);
  if (options.size() < many_options) return;
  for (CLI::Option* option : options)
    for (const std::string& name : option->get_lnames())
      if (const char* title = heading_of(option_headings(), name)) {
        option->group(title);
        break;
      }
}

}  // namespace

void arrange_help(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    if (const char* title = heading_of(command_headings(), command->get_name());
        title && app.get_parent() == nullptr)
      command->group(title);
    arrange_options(*command);
    arrange_help(*command);
  }
}

std::vector<std::string> option_groups(const CLI::App& command) {
  const auto present = command.get_groups();
  std::vector<std::string> groups;
  for (const Heading& heading : option_headings())
    if (std::ranges::find(present, heading.title) != present.end())
      groups.emplace_back(heading.title);
  for (const std::string& other : present)
    if (!other.empty() && std::ranges::find(groups, other) == groups.end()) groups.push_back(other);
  return groups;
}

void take_quiet_everywhere(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    if (!command->get_option_no_throw("--quiet")) command->add_flag("--quiet,-q")->group("");
    take_quiet_everywhere(*command);
  }
}

}  // namespace flyball::cli
