#include "profile/trials/program_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/guard.h"
#include "base/text.h"
#include "telemetry/process/python_package.h"

namespace flyball {
namespace {

// Of a progress bar what it showed at last.
std::string last_line(std::string text) {
  std::ranges::replace(text, '\r', '\n');
  std::ranges::replace(text, '\t', ' ');
  std::string last;
  for (const std::string& line : split(text, '\n'))
    if (!trim(line).empty()) last = std::string(trim(line));
  return printable(last, last.size());
}

double milliseconds(int64_t ns) {
  return ns < 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(ns) * 1e-6;
}

}  // namespace

std::string setting_variable(const std::string& name) {
  std::string upper = "FLYBALL_" + name;
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

std::vector<std::string> setting_variables(const Settings& settings) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : settings)
    variables.push_back(setting_variable(name) + "=" + format_number(value));
  return variables;
}

MinibatchTimes MarkedMinibatch::times() const {
  MinibatchTimes times;
  times.stall_ms = std::isnan(stall_ms) ? 0 : stall_ms;
  times.compute_ms = std::isnan(compute_ms) ? 0 : compute_ms;
  times.e2e_ms = e2e_ms();
  return times;
}

MarkedMinibatch MinibatchMarks::next(const Mark& mark) {
  MarkedMinibatch minibatch;
  minibatch.begin_ns = last_ns_;
  minibatch.end_ns = last_ns_ = mark.time_ns;
  minibatch.stall_ms = milliseconds(mark.stall_ns);
  minibatch.compute_ms = milliseconds(mark.compute_ns);
  return minibatch;
}

Result<std::unique_ptr<ProgramRun>> ProgramRun::start(const ProgramOptions& options) {
  FLYBALL_ASSIGN(TempFolder folder, TempFolder::make());
  std::unique_ptr<ProgramRun> run(new ProgramRun(options, std::move(folder)));
  FLYBALL_ASSIGN(run->marks_, MarkReader::create(run->folder_.path()));
  CommandOptions command;
  command.streams = options.streams;
  command.foreground = !options.in_background;
  if (options.in_background) {
    FLYBALL_ASSIGN(run->output_, OutputLog::open());
    command.streams = Streams::all_into(run->output_->descriptor());
  }
  command.environment = setting_variables(options.settings);
  command.environment.insert(command.environment.end(), options.environment.begin(),
                             options.environment.end());
  command.environment.push_back(run->marks_->environment());
  for (std::string& variable : python_environment())
    command.environment.push_back(std::move(variable));
  Guard::start();  // no part of the program's time
  run->started_ns_ = monotonic_ns();
  FLYBALL_ASSIGN(run->command_, RunningCommand::start(options.argv, command));
  return run;
}

ProgramRun::~ProgramRun() {
  if (command_) stop();
}

bool ProgramRun::wait_until(int64_t deadline_ns) {
  return command_->wait_until(deadline_ns);
}

void ProgramRun::stop() {
  if (!command_->wait_until(monotonic_ns())) {
    stopped_ = true;
    command_->signal(SIGTERM);
    if (!command_->wait_until(monotonic_ns() + command_grace_ns)) command_->signal(SIGKILL);
  }
  command_->finish(false);
}

Status ProgramRun::outcome() const {
  if (stopped_ || command_->exit_code() == 0) return {};
  std::string message = fmt::format("'{}' ", join(options_.argv, " "));
  message += command_->end_signal() != 0
                 ? fmt::format("was ended by signal {}", command_->end_signal())
                 : fmt::format("failed with exit code {}", command_->exit_code());
  if (output_)
    if (const std::string line = last_line(output_->text()); !line.empty())
      message += fmt::format("; it last said: {}", line);
  return Error{Code::internal, message, "run it by itself first"};
}

}  // namespace flyball
