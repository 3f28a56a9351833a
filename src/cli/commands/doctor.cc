#include "cli/commands/doctor.h"
#include "base/json.h"

#include <fmt/format.h>

#include "base/os/places.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "device/doctor/doctor.h"
#include "device/registry/twin_report.h"
#include "module/module.h"

namespace flyball::cli {

namespace {

// Read from files: loading it would cost more than all the rest.
Capability libtorch() {
  const std::string purpose = "training and inference";
  const auto stamp = check_module();
  if (stamp)
    return {"LibTorch", purpose, Capability::State::available, "LibTorch " + stamp->libtorch, ""};
  const Error& error = stamp.error();
  return {"LibTorch", purpose, Capability::State::missing, error.message, error.hint};
}

// Shown where there is none: measurements would vanish with the temporary files.
void add_home(std::vector<Capability>& capabilities) {
  const Status home = home_status();
  if (!home.ok())
    capabilities.push_back({"home folder", "measurements that are kept", Capability::State::missing,
                            home.error().message, home.error().hint});
}

std::vector<Capability> capabilities_of(const std::filesystem::path& root) {
  DoctorOptions options;
  options.root = root;
  options.ask_kernel = root == "/";
  options.more.push_back(libtorch());
  if (options.ask_kernel) add_home(options.more);
  return examine_machine(options);
}

void show(const std::vector<Capability>& capabilities, const BoardReport& board, bool simulated,
          bool json) {
  if (!json) {
    fmt::print("{}", doctor_text(capabilities, board));
    return;
  }
  Json document = doctor_json(capabilities, board);
  document["simulated"] = simulated;
  print_json(document);
}

// The doctor looks at a machine as a whole.
Status check_is_machine(const BoardName& name) {
  if (name.kind == BoardName::Kind::table)
    return Error{Code::invalid_argument,
                 fmt::format("{} is a table, and no machine to look at", name.text()),
                 "leave --device out, or name a simulated board: twin:BOARD"};
  if (name.kind == BoardName::Kind::cuda)
    return Error{
        Code::invalid_argument, "a GPU is looked at with its machine",
        fmt::format("leave --device out, its GPUs are in the report; `flyball mode list --device "
                    "{}` tells what can be set of this one",
                    name.text())};
  return {};
}

Status examine(const std::string& device, const std::string& root, bool json) {
  if (!device.empty()) {
    FLYBALL_ASSIGN(const BoardName name, parse_board(device));
    FLYBALL_CHECK(check_is_machine(name));
    FLYBALL_ASSIGN(const auto named, open_named_board(device, root));
    if (named->twin()) {
      show(examine_twin(*named), report_of_twin(*named), true, json);
      return {};
    }
  }
  FLYBALL_ASSIGN(const std::filesystem::path place, root_folder(root));
  show(capabilities_of(place), examine_board(place), false, json);
  return {};
}

}  // namespace

Json doctor_document(const std::filesystem::path& root) {
  Json document = doctor_json(capabilities_of(root), examine_board(root));
  document["simulated"] = false;
  return document;
}

void add_doctor(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "doctor", "Tell what can be measured and set on this machine, and how to get more");
  auto json = std::make_shared<bool>(false);
  add_json_flag(*command, *json);
  auto root = std::make_shared<std::string>("/");
  add_root_option(*command, *root);
  add_board_name(*command);
  auto device = std::make_shared<std::string>();
  add_device_option(*command, *device, {.refused = {"cuda", "table"}});
  command->footer(
      "Example:\n  flyball doctor\n  flyball doctor --root recorded-tree --json\n"
      "  flyball doctor --device twin:orin_agx");
  set_action(*command, context,
             [json, root, device]() -> Status { return examine(*device, *root, *json); });
}

}  // namespace flyball::cli
