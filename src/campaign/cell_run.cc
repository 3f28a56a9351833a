#include "campaign/cell_run.h"

#include <fmt/format.h>
#include <signal.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/files.h"
#include "base/json.h"
#include "base/os/host_addresses.h"
#include "base/os/interrupt.h"
#include "base/os/lock_file.h"
#include "campaign/remote_board.h"
#include "campaign/temperature.h"
#include "telemetry/process/bounded_run.h"
#include "telemetry/process/command.h"

namespace flyball {
namespace {

constexpr int given_up = 2, stopped = 130;  // exit codes of what has none
constexpr double restore_limit_s = 10, export_limit_s = 60, heat_look_s = 1;

struct Ended {
  int exit_code = 0;
  bool too_hot = false;  ///< it was asked to end because of that, and had no answer yet
};

// Asked to end, it keeps what it has measured; what does not end heats the board no longer.
void end_of_heat(RunningCommand& running, double grace_s) {
  running.signal(SIGTERM);
  const Stopwatch since;
  while (!running.wait_until(monotonic_ns() + nanoseconds(heat_look_s))) {
    running.refresh();
    if (since.seconds() < grace_s) continue;
    running.signal(SIGKILL);
    return;
  }
}

// Where the board becomes hotter than `stop_above_c` it is asked to end; 0: at no temperature. Its
// stdout goes into `output`.
Result<Ended> run_to_end(const CommandWords& argv, const std::filesystem::path& output,
                         double stop_above_c, const Thermometer& thermometer,
                         double heat_grace_s = 0) {
  Ended ended;
  FLYBALL_ASSIGN(const Descriptor file, open_output(output));
  FLYBALL_ASSIGN(const auto running, RunningCommand::start(argv, {.streams = {.out = file.get()}}));
  while (!running->wait_until(monotonic_ns() + nanoseconds(heat_look_s))) {
    running->refresh();
    if (stop_above_c <= 0 || thermometer.hottest_celsius().value_or(0) <= stop_above_c) continue;
    ended.too_hot = true;
    end_of_heat(*running, heat_grace_s);
    break;
  }
  running->finish(false);
  ended.exit_code = running->exit_code();
  if (const int signal = running->passed_on(); signal != 0) return Ended{128 + signal};
  ended.too_hot = ended.too_hot && !is_answer(ended.exit_code);
  return ended;
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

// What stands for / in the options of a cell ("--root DIR"); "/" otherwise.
std::string root_of(const CommandWords& arguments) {
  std::string root = "/";
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] == "--root" && i + 1 < arguments.size()) root = arguments[i + 1];
    if (arguments[i].starts_with("--root=")) root = arguments[i].substr(7);
  }
  return root;
}

// A cell of a board that is here, and is not simulated.
class BoardCell {
 public:
  BoardCell(const Campaign& campaign, const CommandWords& arguments, const CellRunner& runner,
            const std::filesystem::path& output)
      : campaign_(campaign),
        runner_(runner),
        output_(output),
        root_(root_of(arguments)),
        thermometer_(root_),
        command_(arguments) {
    command_.insert(command_.begin(), runner.program.string());
  }

  /// The command's exit code. `result` is told how often it was stopped because of heat, and why
  /// the board was not put back.
  Result<int> run(CellResult& result) const {
    while (true) {
      if (campaign_.start_below_c > 0)
        FLYBALL_CHECK(wait_until_cool(campaign_.start_below_c, thermometer_, runner_.cancelled));
      const auto ended =
          run_to_end(command_, output_, campaign_.stop_above_c, thermometer_, runner_.heat_grace_s);
      const Status restored = restore();
      result.not_restored = restored ? "" : restored.error().message;
      if (!ended) return ended.error();
      if (!ended->too_hot) return ended->exit_code;
      if (++result.heat_stops >= most_heat_stops)
        return Error{Code::unavailable,
                     fmt::format("the board was hotter than {:g} °C {} times",
                                 campaign_.stop_above_c, result.heat_stops),
                     "cool it, or raise stop_above_c; what was measured is kept"};
    }
  }

 private:
  Status restore() const {
    CommandWords words = {runner_.program.string(), "mode", "restore"};
    if (root_ != "/") words.insert(words.end(), {"--root", root_});
    const auto restored = run_program(words, restore_limit_s);
    return restored ? Status() : Status(restored.error());
  }

  const Campaign& campaign_;
  const CellRunner& runner_;
  const std::filesystem::path& output_;
  std::string root_;
  Thermometer thermometer_;
  CommandWords command_;
};

Result<int> ask(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                const CampaignCell& cell, const CampaignFolder& folder, const CellRunner& runner,
                const std::filesystem::path& output, CellResult& result) {
  const CampaignBoard& board = campaign.boards[cell.board];
  const CellPlaces places = cell_places(campaign, cells, cell, folder);
  if (campaign.executor == CampaignExecutor::ssh) {
    const RemoteBoard remote(campaign, board, runner.program);
    return remote.ask(cell, places, folder, output, result);
  }
  CommandWords arguments = cell_arguments(campaign, cell, places);
  if (!board.simulated) return BoardCell(campaign, arguments, runner, output).run(result);
  arguments.insert(arguments.begin(), runner.program.string());
  FLYBALL_ASSIGN(const Ended ended, run_to_end(arguments, output, 0, Thermometer("/")));
  return ended.exit_code;
}

}  // namespace

Result<int> run_cell(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                     const CampaignCell& cell, const CampaignFolder& folder,
                     const CellRunner& runner) {
  std::error_code problem;
  std::filesystem::create_directories(folder.cell(cell), problem);
  if (problem) return file_error("make", folder.cell(cell), problem.value());
  const CellStatus before = cell_status(campaign, cells, cell, folder);
  if (before.state == CellState::done) return before.last->exit_code;
  FLYBALL_ASSIGN(const LockFile ours, LockFile::take(folder.lock(cell), cell.name, 1));
  // Whoever held it until now may have answered.
  const auto last = cell_status(campaign, cells, cell, folder).last;
  if (last && is_answer(last->exit_code)) return last->exit_code;
  FLYBALL_CHECK(check_begin(campaign, cells, cell, folder, runner));
  if (!executor_of_run(folder)) FLYBALL_CHECK(keep_executor(folder, campaign.executor));
  std::filesystem::current_path(campaign.file.parent_path(), problem);
  if (problem) return file_error("go into", campaign.file.parent_path(), problem.value());

  CellResult result;
  result.command = cell_command(campaign, cells, cell, folder);
  result.asked = cell_question(campaign, cell);
  result.machine = cell_machine(campaign, cell);
  if (cell.leader) result.reference = reference_digest(folder, cells[*cell.leader]);
  result.begun_utc = wall_clock_utc();
  result.host =
      campaign.executor == CampaignExecutor::ssh ? campaign.boards[cell.board].host : host_name();
  result.attempts = last ? last->attempts + 1 : 1;
  const Stopwatch since;
  const std::filesystem::path output = folder.answer(cell).string() + ".part";
  const auto ended = ask(campaign, cells, cell, folder, runner, output, result);
  result.exit_code = ended ? *ended : ended.error().code == Code::interrupted ? stopped : given_up;
  result.ended_utc = wall_clock_utc();
  result.seconds = since.seconds();
  if (!ended) {
    (void)write_result(folder, cell, result).ok();  // that it ended so weighs more
    return ended.error();
  }
  if (is_answer(result.exit_code)) {
    std::filesystem::rename(output, folder.answer(cell), problem);
    if (problem) return file_error("keep", folder.answer(cell), problem.value());
    if (cell_answer(folder, cell).is_null())
      return Error{Code::corrupt, folder.answer(cell).string() + " is no JSON document",
                   "run the cell alone: " + result.command};
    std::filesystem::remove(folder.reference(cell), problem);  // of another answer
  }
  FLYBALL_CHECK(write_result(folder, cell, result));
  // Where that fails, those that start from it try once more.
  if (cell.leads && is_answer(result.exit_code))
    FLYBALL_CHECK(keep_reference(folder, cell, runner));
  return result.exit_code;
}

}  // namespace flyball
