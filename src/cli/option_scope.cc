#include "cli/option_scope.h"

#include <fmt/format.h>

namespace flyball::cli {
namespace {

Error does_not_apply(const std::string& option, Target target, const std::string& named) {
  const auto refused = [](std::string message, std::string hint) {
    return Error{Code::invalid_argument, std::move(message), std::move(hint)};
  };
  switch (target) {
    case Target::program:
      return refused(fmt::format("{} says nothing to a program of your own", option),
                     "leave it out; the program itself decides that");
    case Target::table:
      return refused(option == "--data"
                         ? "a table was measured already: no data is read for it"
                         : fmt::format("a table was measured already: {} changes nothing", option),
                     fmt::format("leave {} out, or run a network on this machine", option));
    case Target::twin:
      return refused(fmt::format("{} means nothing on a simulated board", option),
                     "leave it out: the twin knows the layers and the data of its workloads");
    case Target::arrivals:
      return refused(fmt::format("{} says nothing beside --arrivals: what is known is simulated, "
                                 "and nothing is measured",
                                 option),
                     "leave it out, or plan without --arrivals");
    case Target::clockwork:
      return refused(fmt::format("{} says nothing without --arrivals", option),
                     "leave it out, or say how requests come: --arrivals poisson");
    case Target::one_mode:
      return refused(fmt::format("{} says nothing where one mode is kept", option),
                     "leave it out, or allow --separate-modes");
    case Target::no_energy:
      return refused(fmt::format("{} counts with --objective energy alone", option),
                     "leave it out, or ask for --objective energy");
    case Target::no_joules:
      return refused(fmt::format("{} counts with --objective power or energy alone", option),
                     "leave it out, or ask for one of them");
    case Target::no_training:
      return refused(fmt::format("{} has no effect without --train", option),
                     "leave it out, or train in the gaps: --train NETWORK");
    case Target::known:
      return refused(
          fmt::format("{} changes nothing where every configuration is known", option),
          "leave it out, or have the table searched as if it were measured: --profiles 10");
    case Target::network:
    case Target::script:
    case Target::onnx:
      break;
  }
  return refused(fmt::format("{} says nothing to '{}'", option, named), "leave it out");
}

}  // namespace

void OptionScope::exclude(std::initializer_list<Target> targets, const AddedOptions& options,
                          const ScopeException& exception) {
  for (CLI::Option* option : options) excluded_.push_back({targets, option, exception});
}

Status OptionScope::check(Target target, const std::string& named) const {
  for (const Excluded& one : excluded_) {
    if (!given(*one.option) || !one.targets.contains(target)) continue;
    if (one.exception.unless && one.exception.unless()) continue;
    Error error = does_not_apply(one.option->get_name(), target, named);
    if (!one.exception.remedy.empty()) error.hint = one.exception.remedy;
    if (!one.exception.reason.empty())
      error.message = one.option->get_name() + " " + one.exception.reason;
    return error;
  }
  return {};
}

bool given(const CLI::Option& option) {
  return option.count() > 0 && !takes_default(option);
}

bool takes_default(const CLI::Option& option) {
  return !option.get_configurable();
}

CLI::Option* checked_in_files(CLI::Option* option,
                              std::function<Status(const std::string&)> check) {
  return option->check([option, check = std::move(check)](const std::string& text) -> std::string {
    const Status status = takes_default(*option) ? check(text) : Status();
    if (status.ok()) return "";
    const Error& error = status.error();
    return error.message + (error.hint.empty() ? "" : ": " + error.hint);
  });
}

CLI::Option* note_given(CLI::Option* option, bool& given) {
  return option->each(
      [&given, option](const std::string&) { given = given || !takes_default(*option); });
}

}  // namespace flyball::cli
