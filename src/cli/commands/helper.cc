#include "cli/commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "base/files.h"
#include "base/json.h"
#include "base/os/interrupt.h"
#include "cli/action.h"
#include "cli/output.h"
#include "device/helper/install.h"
#include "device/helper/link.h"
#include "device/helper/service.h"
#include "device/host/board_device.h"
#include "device/modes/mode_dispatcher.h"

namespace flyball::cli {
namespace {

namespace fs = std::filesystem;
struct HelperArguments {
  HelperPlaces places;
  HelperService service;
  bool json = false;
};

Status show(const Result<HelperSteps>& steps, bool json) {
  if (!steps) return steps.error();
  if (json) {
    print_json({{"done", steps->done}, {"next", steps->next}});
    return {};
  }
  for (const std::string& done : steps->done) fmt::print("{}\n", done);
  for (const std::string& next : steps->next) fmt::print("next: {}\n", next);
  return {};
}

Status install(const HelperArguments& options) {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  if (unknown) return Error{Code::not_found, "this program does not find itself", ""};
  return show(install_helper(options.places, program), options.json);
}

Status uninstall(const HelperArguments& options) {
  return show(uninstall_helper(options.places), options.json);
}

Result<HelperBoard> ask() {
  FLYBALL_ASSIGN(HelperLink link, HelperLink::connect(helper_socket()));
  FLYBALL_ASSIGN(const std::string reply, link.ask({HelperRequest::Kind::describe}));
  return parse_helper_board(reply);
}

Json axes_json(const HelperBoard& board) {
  Json axes = Json::array();
  for (const Axis& axis : board.axes)
    axes.push_back({{"name", axis.name}, {"unit", axis.unit}, {"values", axis.values}});
  return axes;
}

void print_status(const Result<HelperBoard>& board, bool installed) {
  fmt::print("socket     {}\n", helper_socket().string());
  fmt::print("installed  {}\n", installed ? "yes" : "no");
  if (!board) {
    fmt::print("answers    no: {}\n", board.error().message);
    if (!board.error().hint.empty()) fmt::print("           HINT: {}\n", board.error().hint);
    return;
  }
  std::string axes;
  for (const Axis& axis : board->axes)
    axes +=
        fmt::format("{}{} ({} values)", axes.empty() ? "" : ", ", axis.name, axis.values.size());
  fmt::print("answers    version {}\n", board->version);
  fmt::print("sets       {}\n", axes.empty() ? "nothing on this machine" : axes);
  for (const std::string& gap : board->gaps) fmt::print("           {}\n", gap);
  fmt::print("held by    {}\n", board->holder.empty() ? "nobody" : board->holder);
}

// The answer is no where this user has no helper.
Status status(const HelperArguments& options, Context& context) {
  const auto board = ask();
  std::error_code unknown;
  const bool installed = fs::exists(options.places.service_unit(), unknown);
  if (!board) context.exit_code = 1;
  if (!options.json) {
    print_status(board, installed);
    return {};
  }
  const auto text = [&](const std::string& value) {
    return value.empty() ? Json(nullptr) : Json(value);
  };
  print_json({{"socket", helper_socket().string()},
              {"installed", installed},
              {"answers", board.ok()},
              {"version", board ? Json(board->version) : Json(nullptr)},
              {"axes", board ? axes_json(*board) : Json::array()},
              {"gaps", board ? board->gaps : std::vector<std::string>()},
              {"holder", board ? text(board->holder) : Json(nullptr)},
              {"error", board ? Json(nullptr) : to_json(board.error())}});
  return {};
}

Status serve(HelperArguments& options) {
  HelperService& service = options.service;
  std::error_code unknown;
  service.root = fs::canonical(service.root, unknown);
  if (unknown) return file_error("read", options.service.root, unknown.value());
  service.open = [root = service.root]() -> Result<std::unique_ptr<Device>> {
    // What root lacks here no other helper has: it would ask itself.
    return std::unique_ptr<Device>(open_any_board(identify_board(root), root));
  };
  service.set_caps = [root = service.root](Device& device, const HelperRequest& request) {
    return set_caps(device, root, request);
  };
  service.log = [](const std::string& text) {
    std::fprintf(stderr, "flyball helper: %s\n", text.c_str());
  };
  catch_interrupts();
  return run_helper(service, interrupt_flag());
}

void add_stage(CLI::App& command, HelperArguments& options) {
  command.add_option("--stage", options.places.stage,
                     "Write everything below this folder, and start nothing");
}

}  // namespace

void add_helper(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand(
      "helper",
      "Run and install the root service that sets the board for members of the group flyball");
  group->require_subcommand(1);
  group->footer(
      "Example:\n  sudo \"$(command -v flyball)\" helper install\n  flyball helper status");
  auto options = std::make_shared<HelperArguments>();
  options->service.socket = helper_socket();
  CLI::App* installer = group->add_subcommand("install", "Install it and its systemd units");
  add_stage(*installer, *options);
  add_json_flag(*installer, options->json);
  installer->footer("Example:\n  sudo \"$(command -v flyball)\" helper install");
  set_action(*installer, context, [options] { return install(*options); });
  CLI::App* remover = group->add_subcommand("uninstall", "Take it away");
  add_stage(*remover, *options);
  add_json_flag(*remover, options->json);
  remover->footer("Example:\n  sudo \"$(command -v flyball)\" helper uninstall");
  set_action(*remover, context, [options] { return uninstall(*options); });
  CLI::App* asker =
      group->add_subcommand("status", "Say whether it answers this user (exit code 1: no)");
  add_json_flag(*asker, options->json);
  asker->footer("Example:\n  flyball helper status");
  set_action(*asker, context, [options, &context] { return status(*options, context); });
  CLI::App* server = group->add_subcommand("run", "Be the helper, as root; systemd does this");
  server
      ->add_option("--socket", options->service.socket,
                   "Where to listen when systemd hands over no socket")
      ->capture_default_str();
  server->add_option("--group", options->service.group, "Group whose members may connect")
      ->capture_default_str();
  server->add_option("--root", options->service.root, "Folder of the /proc and /sys to set")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  server
      ->add_option("--idle", options->service.limits.idle_s,
                   "Seconds without a client after which it ends; 0: never")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  server->footer("Example:\n  sudo \"$(command -v flyball)\" helper run --group flyball");
  set_action(*server, context, [options] { return serve(*options); });
}

}  // namespace flyball::cli
