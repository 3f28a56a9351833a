#include "campaign/cell_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/os/file_version.h"
#include "base/os/lock_file.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr size_t most_result = size_t{1} << 20, most_answer = size_t{256} << 20;
constexpr size_t id_digits = 32;
constexpr std::streamoff read_of_log = 64 << 10;
constexpr size_t most_reason = 500;
constexpr size_t most_reference = size_t{256} << 20;

Json read_json(const std::filesystem::path& path, size_t limit) {
  const auto text = read_file(path, limit);
  if (!text) return nullptr;
  Json document = Json::parse(*text, nullptr, false);
  return document.is_discarded() ? Json(nullptr) : document;
}

std::optional<CellResult> read_result(const CampaignFolder& folder, const CampaignCell& cell) {
  const Json document = read_json(folder.cell(cell) / "result.json", most_result);
  if (!document.is_object()) return {};
  CellResult result;
  try {
    result.command = document.at("command").get<std::string>();
    result.asked = document.at("asked").get<std::string>();
    if (document.contains("machine")) result.machine = document["machine"].get<std::string>();
    result.reference = document.at("reference").get<std::string>();
    result.exit_code = document.at("exit_code").get<int>();
    result.begun_utc = document.at("begun_utc").get<std::string>();
    result.ended_utc = document.at("ended_utc").get<std::string>();
    result.host = document.at("host").get<std::string>();
    result.seconds = document.at("seconds").get<double>();
    result.attempts = document.at("attempts").get<int>();
    result.heat_stops = document.value("heat_stops", 0);
    result.not_restored = document.value("not_restored", "");
  } catch (const Json::exception&) {
    return {};
  }
  return result;
}

// How it ended with the command and on the machine that it has now.
std::optional<CellResult> last_of_question(const Campaign& campaign, const CampaignCell& cell,
                                           const CampaignFolder& folder) {
  auto last = read_result(folder, cell);
  if (last && (last->asked != cell_question(campaign, cell) ||
               (last->machine && *last->machine != cell_machine(campaign, cell))))
    last.reset();
  return last;
}

}  // namespace

CampaignFolder CampaignFolder::of(const Campaign& campaign, const std::string& named) {
  std::error_code ignored;
  if (!named.empty()) return CampaignFolder(std::filesystem::absolute(named, ignored));
  return CampaignFolder(campaign.file.parent_path() /
                        (campaign.file.stem().string() + ".campaign"));
}

std::filesystem::path CampaignFolder::store(const CampaignCell& of) const {
  return cell(of) / "store.db";
}
std::filesystem::path CampaignFolder::answer(const CampaignCell& of) const {
  return cell(of) / "answer.json";
}
std::filesystem::path CampaignFolder::log(const CampaignCell& of) const {
  return cell(of) / "log.txt";
}
std::filesystem::path CampaignFolder::reference(const CampaignCell& of) const {
  return cell(of) / "reference.csv";
}
std::filesystem::path CampaignFolder::lock(const CampaignCell& of) const {
  return cell(of) / "running";
}
std::filesystem::path CampaignFolder::lock() const {
  return path_ / "lock";
}
std::filesystem::path CampaignFolder::cancelled() const {
  return path_ / "cancelled";
}
std::filesystem::path CampaignFolder::jobs() const {
  return path_ / "slurm.json";
}
std::filesystem::path CampaignFolder::executor() const {
  return path_ / "executor";
}

const char* cell_state_name(CellState state) {
  switch (state) {
    case CellState::missing:
      return "missing";
    case CellState::running:
      return "running";
    case CellState::interrupted:
      return "interrupted";
    case CellState::failed:
      return "failed";
    case CellState::done:
      return "done";
  }
  return "";
}

CellPlaces cell_places(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                       const CampaignCell& cell, const CampaignFolder& folder) {
  CellPlaces places;
  if (keeps_store(campaign, cell)) places.store = folder.store(cell).string();
  // What is asked with other words, or of another machine, goes into another file: it cannot go on
  // with this one.
  std::string asked = cell_question(campaign, cell);
  if (const std::string machine = cell_machine(campaign, cell); !machine.empty())
    asked += " on " + machine;
  places.result =
      (folder.cell(cell) / fmt::format("benchmark-{:016x}.json", content_hash(asked))).string();
  if (cell.leader) places.reference = folder.reference(cells[*cell.leader]).string();
  return places;
}

Result<std::string> campaign_id(const CampaignFolder& folder) {
  const std::filesystem::path file = folder.path() / "id";
  FLYBALL_ASSIGN(const LockFile ours,
                 LockFile::take(folder.path() / "id.lock", "the name of the campaign", 10));
  if (const auto known = read_file(file, 64)) {
    const std::string id(trim(*known));
    if (id.size() == id_digits && id.find_first_not_of("0123456789abcdef") == std::string::npos)
      return id;
    return Error{Code::corrupt, file.string() + " holds no name of a campaign",
                 "remove it: boards reached by ssh then begin anew"};
  }
  std::random_device random;
  std::string id;
  while (id.size() < id_digits) id += fmt::format("{:08x}", random());
  FLYBALL_CHECK(write_file(file, id + "\n"));
  return id;
}

std::string cell_command(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                         const CampaignCell& cell, const CampaignFolder& folder) {
  CommandWords line = {"flyball"};
  const CommandWords arguments =
      cell_arguments(campaign, cell, cell_places(campaign, cells, cell, folder));
  line.insert(line.end(), arguments.begin(), arguments.end());
  return shell_line(line);
}

std::string cell_question(const Campaign& campaign, const CampaignCell& cell) {
  return shell_line(cell_arguments(campaign, cell,
                                   {.store = "store.db",
                                    .result = "benchmark.json",
                                    .reference = cell.leader ? "reference.csv" : ""}));
}

std::string cell_machine(const Campaign& campaign, const CampaignCell& cell) {
  const CampaignBoard& board = campaign.boards[cell.board];
  if (campaign.executor == CampaignExecutor::ssh) return board.host;
  if (campaign.executor != CampaignExecutor::slurm || board.simulated) return "";
  if (!board.node.empty()) return "node " + board.node;
  return board.constraint.empty() ? "" : "any " + board.constraint;
}

std::optional<CampaignExecutor> executor_of_run(const CampaignFolder& folder) {
  const auto name = read_file(folder.executor(), 64);
  if (!name) return {};
  const auto executor = parse_executor(std::string(trim(*name)));
  return executor ? std::optional(*executor) : std::nullopt;
}

Status keep_executor(const CampaignFolder& folder, CampaignExecutor executor) {
  return write_file(folder.executor(), std::string(executor_name(executor)) + "\n");
}

std::string reference_digest(const CampaignFolder& folder, const CampaignCell& leader) {
  const auto table = read_file(folder.reference(leader), most_reference);
  return table ? fmt::format("{:016x}", content_hash(*table)) : "";
}

bool has_outcome(const Campaign& campaign, const CampaignCell& cell, const CampaignFolder& folder) {
  std::error_code ignored;
  return !cell_answer(folder, cell).is_null() &&
         (!keeps_store(campaign, cell) || std::filesystem::exists(folder.store(cell), ignored));
}

CellStatus cell_status(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                       const CampaignCell& cell, const CampaignFolder& folder) {
  CellStatus status;
  status.running_on = LockFile::holder(folder.lock(cell));
  status.last = last_of_question(campaign, cell, folder);
  if (status.last && cell.leader) {
    const CampaignCell& leader = cells[*cell.leader];
    const auto led = last_of_question(campaign, leader, folder);
    if (!led || !is_answer(led->exit_code) ||
        status.last->reference != reference_digest(folder, leader))
      status.last.reset();
  }
  // What another program damaged or removed is asked for again.
  if (status.last && is_answer(status.last->exit_code) && !has_outcome(campaign, cell, folder))
    status.last.reset();
  std::error_code ignored;
  if (!status.running_on.empty())
    status.state = CellState::running;
  else if (status.last && is_answer(status.last->exit_code))
    status.state = CellState::done;
  else if (status.last && status.last->exit_code < 128)
    status.state = CellState::failed;
  else if (status.last || std::filesystem::exists(folder.lock(cell), ignored))
    status.state = CellState::interrupted;
  return status;
}

std::string failure_reason(const CampaignFolder& folder, const CampaignCell& cell,
                           const CellStatus& status) {
  if (status.state != CellState::failed && status.state != CellState::interrupted) return "";
  std::error_code unknown;
  const auto written = std::filesystem::last_write_time(folder.log(cell), unknown);
  if (unknown) return "";
  // A cell that was run by hand since has told its reason elsewhere.
  const auto ended = std::filesystem::last_write_time(folder.cell(cell) / "result.json", unknown);
  if (!unknown && status.last &&
      std::chrono::duration<double>(ended - written).count() > status.last->seconds + 1)
    return "";
  std::ifstream log(folder.log(cell), std::ios::binary | std::ios::ate);
  const std::streamoff size = log.tellg();
  log.seekg(std::max<std::streamoff>(size - read_of_log, 0));
  // Errors have a hint behind them, notes have none.
  constexpr std::string_view mark = "flyball: ", hint = "HINT: ";
  std::string before, reason;
  for (std::string line; std::getline(log, line); before = line)
    if (line.starts_with(hint) && before.starts_with(mark)) reason = before.substr(mark.size());
  return reason.size() > most_reason || !text_fault(reason).empty() ? "" : reason;
}

Json cell_answer(const CampaignFolder& folder, const CampaignCell& cell) {
  return read_json(folder.answer(cell), most_answer);
}

Status mark_cancelled(const CampaignFolder& folder) {
  return write_file(folder.cancelled(), wall_clock_utc() + "\n");
}

Status write_result(const CampaignFolder& folder, const CampaignCell& cell,
                    const CellResult& result) {
  Json document = {{"command", result.command},
                   {"asked", result.asked},
                   {"reference", result.reference},
                   {"exit_code", result.exit_code},
                   {"begun_utc", result.begun_utc},
                   {"ended_utc", result.ended_utc},
                   {"host", result.host},
                   {"seconds", result.seconds},
                   {"attempts", result.attempts},
                   {"heat_stops", result.heat_stops},
                   {"not_restored", result.not_restored}};
  if (result.machine) document["machine"] = *result.machine;
  return write_file(folder.cell(cell) / "result.json", document.dump(1) + "\n");
}

}  // namespace flyball
