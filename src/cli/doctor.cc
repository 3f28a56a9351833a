#include "device/doctor.h"

#include <fmt/format.h>

#include "cli/action.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "workload/versions.h"

namespace flyball::cli {

void add_doctor(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "doctor", "what can be measured and set on this machine, and how to get more");
  auto json = std::make_shared<bool>(false);
  add_json_flag(*command, *json);
  command->footer("Example:\n  flyball doctor");
  set_action(*command, context, [json]() -> Status {
    DoctorOptions options;
    options.more.push_back({"LibTorch", "training and inference", Capability::State::available,
                            library_versions(), ""});
    const auto capabilities = examine_machine(options);
    if (*json)
      print_json(doctor_json(capabilities));
    else
      fmt::print("{}", doctor_text(capabilities));
    return {};
  });
}

}  // namespace flyball::cli
