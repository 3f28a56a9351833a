#include "campaign/cell_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/os/interrupt.h"
#include "base/os/lock_file.h"
#include "campaign/program_run.h"
#include "campaign/remote_board.h"
#include "telemetry/process/command.h"
#include "telemetry/sensors/detail_sensors.h"

namespace flyball {
namespace {

constexpr double restore_limit_s = 10, export_limit_s = 60;

std::string host_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

// The command's own output goes into the file, what it says besides where ours goes.
CommandWords into_file(const std::filesystem::path& file, const CommandWords& command) {
  CommandWords words = {"/bin/sh", "-c", "exec \"$@\" >\"$0\"", file.string()};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

Result<int> run_to_end(const CommandWords& argv) {
  FLYBALL_ASSIGN(const auto running, RunningCommand::start(argv));
  while (!running->wait_until(monotonic_ns() + nanoseconds(1))) running->refresh();
  running->finish(false);
  if (const int signal = running->passed_on(); signal != 0) return 128 + signal;
  return running->exit_code();
}

// Its measurements as others start from them: those of the run that answered, and what that run
// took from earlier ones. What cannot be exported, such as no measurement at all, is missed by
// those that start from it.
Status keep_reference(const CampaignFolder& folder, const CampaignCell& cell,
                      const CellRunner& runner) {
  const std::filesystem::path table = folder.cell(cell) / "reference.part.csv";
  CommandWords words = {runner.program.string(),     "export", "--store",
                        folder.store(cell).string(), "--out",  table.string()};
  const Json answer = cell_answer(folder, cell);
  if (answer.is_object() && answer.contains("run") && answer["run"].is_number_integer())
    words.insert(words.end(), {"--run", answer["run"].dump()});
  FLYBALL_ASSIGN(const std::string said, run_program(words, export_limit_s));
  std::error_code problem;
  std::filesystem::rename(table, folder.reference(cell), problem);
  if (problem) return file_error("keep", folder.reference(cell), problem.value());
  return {};
}

// Of a cell that was done before others were to start from it.
Status need_reference(const CampaignFolder& folder, const CampaignCell& leader,
                      const CellRunner& runner) {
  FLYBALL_ASSIGN(const LockFile ours,
                 LockFile::take(folder.cell(leader) / "reference.lock",
                                "the table of " + leader.name, export_limit_s));
  std::error_code ignored;
  if (std::filesystem::exists(folder.reference(leader), ignored)) return {};
  return keep_reference(folder, leader, runner);
}

Status check_begin(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                   const CampaignCell& cell, const CampaignFolder& folder,
                   const CellRunner& runner) {
  std::error_code ignored;
  if (std::filesystem::exists(folder.cancelled(), ignored))
    return Error{Code::interrupted, "the campaign is cancelled",
                 "`flyball campaign run` goes on with it"};
  if (!cell.leader) return {};
  const CampaignCell& leader = cells[*cell.leader];
  const CellStatus status = cell_status(campaign, cells, leader, folder);
  if (status.state == CellState::done) return need_reference(folder, leader, runner);
  return Error{Code::unavailable,
               fmt::format("{} starts from what {} measures, which is {}", cell.name, leader.name,
                           cell_state_name(status.state)),
               "run that cell first; `flyball campaign run` does"};
}

Result<int> ask(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                const CampaignCell& cell, const CampaignFolder& folder, const CellRunner& runner,
                const std::filesystem::path& output) {
  const CampaignBoard& board = campaign.boards[cell.board];
  const CellPlaces places = cell_places(campaign, cells, cell, folder);
  if (campaign.executor == CampaignExecutor::ssh) {
    const RemoteBoard remote(campaign, board, runner.program);
    return remote.ask(cell, places, folder, output);
  }
  if (!board.simulated && campaign.start_below_c > 0)
    FLYBALL_CHECK(wait_until_cool(campaign.start_below_c, runner));
  CommandWords command = cell_arguments(campaign, cell, places);
  command.insert(command.begin(), runner.program.string());
  const auto code = run_to_end(into_file(output, command));
  if (!board.simulated)
    (void)run_program({runner.program.string(), "mode", "restore"}, restore_limit_s).ok();
  return code;
}

}  // namespace

std::optional<double> hottest_celsius(const std::filesystem::path& root) {
  std::optional<double> hottest;
  for (const SensorPtr& sensor : open_thermal_sensors(root).sensors) {
    if (sensor->info().unit != "C") continue;
    const auto celsius = sensor->read();
    if (celsius && (!hottest || *celsius > *hottest)) hottest = *celsius;
  }
  return hottest;
}

Status wait_until_cool(double below_c, const CellRunner& runner, double patience_s) {
  const Stopwatch since;
  while (true) {
    const auto celsius = hottest_celsius(runner.root);
    if (!celsius || *celsius < below_c) return {};
    if (is_interrupted(runner.cancelled))
      return Error{Code::interrupted, "stopped while the board cooled down", ""};
    if (since.seconds() >= patience_s)
      return Error{
          Code::unavailable,
          fmt::format("the board stays at {:.1f} °C, not below {:g} °C", *celsius, below_c),
          "cool it, or raise start_below_c"};
    sleep_until_ns(monotonic_ns() + nanoseconds(0.2));
  }
}

Result<int> run_cell(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                     const CampaignCell& cell, const CampaignFolder& folder,
                     const CellRunner& runner) {
  std::error_code problem;
  std::filesystem::create_directories(folder.cell(cell), problem);
  if (problem) return file_error("make", folder.cell(cell), problem.value());
  const CellStatus before = cell_status(campaign, cells, cell, folder);
  if (before.state == CellState::done) return before.last->exit_code;
  FLYBALL_ASSIGN(const LockFile ours, LockFile::take(folder.lock(cell), cell.name, 1));
  FLYBALL_CHECK(check_begin(campaign, cells, cell, folder, runner));
  std::filesystem::current_path(campaign.file.parent_path(), problem);
  if (problem) return file_error("go into", campaign.file.parent_path(), problem.value());

  CellResult result;
  result.command = cell_command(campaign, cells, cell, folder);
  result.asked = cell_question(campaign, cell);
  if (cell.leader) result.reference = reference_digest(folder, cells[*cell.leader]);
  result.begun_utc = wall_clock_utc();
  result.host = host_name();
  result.attempts = before.last ? before.last->attempts + 1 : 1;
  const Stopwatch since;
  const std::filesystem::path output = folder.answer(cell).string() + ".part";
  FLYBALL_ASSIGN(result.exit_code, ask(campaign, cells, cell, folder, runner, output));
  result.ended_utc = wall_clock_utc();
  result.seconds = since.seconds();
  if (is_answer(result.exit_code)) {
    std::filesystem::rename(output, folder.answer(cell), problem);
    if (problem) return file_error("keep", folder.answer(cell), problem.value());
    if (cell_answer(folder, cell).is_null())
      return Error{Code::corrupt, folder.answer(cell).string() + " is no JSON document",
                   "run the cell alone: " + result.command};
    std::filesystem::remove(folder.reference(cell), problem);  // of another answer
    if (cell.leads) FLYBALL_CHECK(keep_reference(folder, cell, runner));
  }
  FLYBALL_CHECK(write_result(folder, cell, result));
  return result.exit_code;
}

}  // namespace flyball
