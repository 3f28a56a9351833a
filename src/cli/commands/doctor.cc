#include "device/doctor/doctor.h"

#include <fmt/format.h>

#include "cli/action.h"
#include "cli/board.h"
#include "cli/commands.h"
#include "cli/output.h"
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

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "doctor", "what can be measured and set on this machine, and how to get more");
  auto json = std::make_shared<bool>(false);
  add_json_flag(*command, *json);
  auto root = std::make_shared<std::string>("/");
  add_root_option(*command, *root);
  command->footer("Example:\n  flyball doctor\n  flyball doctor --root recorded-tree --json");
  set_action(*command, context, [json, root]() -> Status {
    FLYBALL_ASSIGN(const std::filesystem::path place, root_folder(*root));
    DoctorOptions options;
    options.root = place;
    options.ask_kernel = place == "/";
    options.more.push_back(libtorch());
    const auto capabilities = examine_machine(options);
    const BoardReport board = examine_board(place);
    if (*json)
      print_json(doctor_json(capabilities, board));
    else
      fmt::print("{}", doctor_text(capabilities, board));
    return {};
  });
}

}  // namespace flyball::cli
