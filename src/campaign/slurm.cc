#include "campaign/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "base/os/lock_file.h"
#include "base/text.h"
#include "telemetry/process/bounded_run.h"

namespace flyball {
namespace {

constexpr double slurm_limit_s = 30;
constexpr int most_warnings = 100;  // a cell of which no trial ends within the limit never ends

// Where Slurm writes what a job says: it replaces what stands behind a "%" in names of files.
std::string said_in(const CampaignFolder& folder, const char* file) {
  std::string place;
  for (const char c : (folder.path() / "slurm").string())
    place += c == '%' ? "%%" : std::string(1, c);
  return "--output=" + place + "/" + file;
}

// Whatever happens to the script, but for a SIGKILL.
std::string put_back(const std::string& flyball) {
  return fmt::format("back() {{ {} mode restore >/dev/null 2>&1 </dev/null; }}\ntrap back EXIT\n",
                     flyball);
}

Result<std::string> run_slurm(const char* tool, const CommandWords& arguments) {
  CommandWords line = {tool};
  line.insert(line.end(), arguments.begin(), arguments.end());
  auto said = run_program(line, slurm_limit_s);
  if (said) return said;
  const Error& error = said.error();
  return Error{error.code, error.message,
               error.hint.empty()
                   ? "is this a machine of the cluster, and does its controller run "
                     "(`scontrol ping`)?"
                   : "submit from a machine of the cluster, or take --executor local"};
}

// "123", or "123;cluster".
Result<std::string> job_of(const std::string& said) {
  const std::string id(trim(said.substr(0, said.find(';'))));
  if (parse_integer(id).value_or(0) > 0) return id;
  return Error{Code::corrupt, fmt::format("sbatch answers '{}', which is no job", trim(said)), ""};
}

Status write_jobs(const CampaignFolder& folder, const SlurmJobs& jobs) {
  Json arrays = Json::array();
  for (const SlurmJob& job : jobs.arrays) arrays.push_back({{"id", job.id}, {"cells", job.cells}});
  const Json document = {
      {"arrays", arrays}, {"collect", jobs.collect}, {"collected", jobs.collected}};
  return write_file(folder.jobs(), document.dump() + "\n");
}

/// One board's cells that are to be submitted, those first that others start from.
struct Group {
  size_t board;
  bool leads;
  std::vector<size_t> cells;
};

std::vector<Group> groups_of(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                             const CampaignFolder& folder, const std::set<std::string>& queued) {
  std::vector<Group> leading, others;
  for (const CampaignCell& cell : cells) {
    if (queued.contains(cell.name)) continue;
    const CellState state = cell_status(campaign, cells, cell, folder).state;
    if (state == CellState::done || state == CellState::running) continue;
    std::vector<Group>& groups = cell.leads ? leading : others;
    if (groups.empty() || groups.back().board != cell.board ||
        groups.back().cells.size() >= most_array_tasks)
      groups.push_back({cell.board, cell.leads, {}});
    groups.back().cells.push_back(cell.index);
  }
  leading.insert(leading.end(), others.begin(), others.end());
  return leading;
}

// Between two cells of a board that is not simulated, while it is still taken.
std::string rest_line(const Campaign& campaign, const CampaignBoard& board) {
  if (board.simulated || campaign.cool_down_s <= 0) return "";
  return fmt::format("[ -n \"$warned$ended\" ] || {{ sleep {:g} & cell=$!; wait \"$cell\"; }}\n",
                     campaign.cool_down_s);
}

// A board that is not simulated is one node: of two with its feature each would answer for it.
Status check_nodes(const Campaign& campaign, const std::vector<Group>& groups) {
  std::optional<std::string> listed;
  for (const Group& group : groups) {
    const CampaignBoard& board = campaign.boards[group.board];
    if (board.simulated || !board.node.empty()) continue;
    if (!listed) {
      FLYBALL_ASSIGN(listed, run_slurm("sinfo", {"--noheader", "--Node", "--format=%N|%P|%f"}));
    }
    const auto nodes = nodes_for(board.constraint, campaign.slurm.partition, *listed);
    if (nodes && nodes->size() <= 1) continue;
    return Error{Code::invalid_argument,
                 fmt::format("board {} may be any of {}", board.name,
                             nodes ? join({nodes->begin(), nodes->end()}, ", ")
                                   : "the nodes that fit '" + board.constraint + "'"),
                 "write node = \"NAME\" in its [[boards]], or give each board's node a feature of "
                 "its own"};
  }
  return {};
}

// Ids of what the queue holds.
Result<std::set<std::string>> queued_ids() {
  FLYBALL_ASSIGN(const std::string said,
                 run_slurm("squeue", {"--me", "--noheader", "--format=%F"}));
  std::set<std::string> ids;
  for (const std::string& line : split(said, '\n')) ids.emplace(trim(line));
  return ids;
}

// Must a job that collects follow? Not where one has followed all arrays that there ever were, and
// still waits for those that are queued.
Result<bool> lacks_collecting(const SlurmJobs& jobs, const CommandWords& queued_arrays) {
  const auto followed = [&](const SlurmJob& array) {
    return std::ranges::find(jobs.collected, array.id) != jobs.collected.end();
  };
  if (!std::ranges::all_of(jobs.arrays, followed)) return true;
  if (queued_arrays.empty()) return false;
  FLYBALL_ASSIGN(const auto ids, queued_ids());
  return !ids.contains(jobs.collect);
}

Status submit_collecting(const CampaignFolder& folder, const SlurmRun& run,
                         const CommandWords& after, SlurmJobs& jobs) {
  CommandWords line = {run.program.string()};
  line.insert(line.end(), run.collect.begin(), run.collect.end());
  CommandWords options = {"--parsable", "--job-name=flyball-collect", "--requeue",
                          said_in(folder, "collect.txt"), "--wrap=" + shell_line(line)};
  if (!after.empty()) options.push_back("--dependency=afterany:" + join(after, ":"));
  FLYBALL_ASSIGN(const std::string said, run_slurm("sbatch", options));
  FLYBALL_ASSIGN(jobs.collect, job_of(said));
  jobs.collected.clear();
  for (const SlurmJob& array : jobs.arrays) jobs.collected.push_back(array.id);
  return write_jobs(folder, jobs);
}

}  // namespace

std::optional<std::set<std::string>> nodes_for(const std::string& constraint,
                                               const std::string& partition,
                                               const std::string& listed) {
  if (constraint.find_first_of("&|[]()*!,:") != std::string::npos) return {};
  std::set<std::string> nodes;
  for (const std::string& line : split(listed, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() < 3) continue;
    std::string queue(trim(fields[1]));
    const bool usual = queue.ends_with('*');
    if (usual) queue.pop_back();
    if (partition.empty() ? !usual : partition != queue) continue;
    const auto features = split(std::string(trim(fields[2])), ',');
    if (constraint.empty() || std::ranges::find(features, constraint) != features.end())
      nodes.emplace(trim(fields[0]));
  }
  return nodes;
}

std::string slurm_script(const Campaign& campaign, const CampaignFolder& folder,
                         const CampaignBoard& board, const std::vector<std::string>& cells,
                         const std::filesystem::path& program) {
  CommandWords list;
  for (const std::string& cell : cells) list.push_back(shell_line({cell}));
  const std::string flyball = shell_line({program.string()});
  return fmt::format(
      "#!/bin/bash\n"
      "# An array of `flyball campaign run`: a task for each cell. Slurm warns this shell before "
      "the\n"
      "# time limit (SIGUSR1); the cell then ends, keeps what it has measured, and is queued "
      "again. What\n"
      "# is cancelled (SIGTERM) is not.\n"
      "cells=({cells})\n"
      "end() {{ [ -z \"$cell\" ] || kill -TERM \"$cell\" 2>/dev/null; }}\n"
      "trap 'warned=1; end' USR1\n"
      "trap 'ended=1; end' TERM\n"
      "{restore}"
      "name=${{cells[$SLURM_ARRAY_TASK_ID]}}\n"
      "log={folder}/cells/$name/log.txt\n"
      "mkdir -p \"${{log%/*}}\"\n"
      "{flyball} campaign cell {file} \"$name\" --executor slurm --out {folder} </dev/null "
      ">>\"$log\" 2>&1 &\n"
      "cell=$!\n"
      "[ -z \"$warned$ended\" ] || kill -TERM \"$cell\"\n"
      "while :; do\n"
      "  wait \"$cell\"\n"
      "  code=$?\n"
      "  kill -0 \"$cell\" 2>/dev/null || break\n"
      "done\n"
      "if [ -n \"$warned\" ] && [ -z \"$ended\" ] && [ \"$code\" -gt 1 ] && [ ! -e {cancelled} ] "
      "&&\n"
      "   [ \"${{SLURM_RESTART_COUNT:-0}}\" -lt {warnings} ]; then\n"
      "  scontrol requeue \"${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID\"\n"
      "  exit \"$code\"\n"
      "fi\n"
      "{rest}"
      "exit \"$code\"\n",
      fmt::arg("cells", join(list, " ")),
      fmt::arg("restore", board.simulated ? "" : put_back(flyball)), fmt::arg("flyball", flyball),
      fmt::arg("file", shell_line({campaign.file.string()})),
      fmt::arg("folder", shell_line({folder.path().string()})),
      fmt::arg("cancelled", shell_line({folder.cancelled().string()})),
      fmt::arg("warnings", most_warnings), fmt::arg("rest", rest_line(campaign, board)));
}

CommandWords sbatch_options(const Campaign& campaign, const CampaignBoard& board,
                            const CampaignFolder& folder, size_t tasks, const CommandWords& after) {
  const SlurmSettings& slurm = campaign.slurm;
  // Slurm limits each array by itself.
  const size_t at_once =
      board.simulated
          ? std::max<size_t>(campaign.parallel / std::max<size_t>(campaign.boards.size(), 1), 1)
          : 1;
  CommandWords options = {"--parsable",
                          "--job-name=flyball-" + board.name,
                          fmt::format("--array=0-{}%{}", tasks - 1, at_once),
                          "--requeue",
                          "--open-mode=append",
                          fmt::format("--signal=B:USR1@{}", slurm.warn_s),
                          said_in(folder, "%A_%a.txt")};
  if (!board.constraint.empty()) options.push_back("--constraint=" + board.constraint);
  if (!board.node.empty()) options.push_back("--nodelist=" + board.node);
  if (!board.simulated) options.emplace_back("--exclusive");
  if (!slurm.time.empty()) options.push_back("--time=" + slurm.time);
  if (!slurm.partition.empty()) options.push_back("--partition=" + slurm.partition);
  if (!after.empty()) options.push_back("--dependency=afterany:" + join(after, ":"));
  options.insert(options.end(), slurm.options.begin(), slurm.options.end());
  return options;
}

Result<SlurmJobs> read_jobs(const CampaignFolder& folder) {
  SlurmJobs jobs;
  std::error_code ignored;
  if (!std::filesystem::exists(folder.jobs(), ignored)) return jobs;
  FLYBALL_ASSIGN(const std::string text, read_file(folder.jobs(), size_t{64} << 20));
  try {
    const Json document = Json::parse(text);
    for (const Json& job : document.at("arrays"))
      jobs.arrays.push_back({job.at("id").get<std::string>(), job.at("cells").get<CommandWords>()});
    jobs.collect = document.at("collect").get<std::string>();
    jobs.collected = document.value("collected", CommandWords());
  } catch (const Json::exception&) {
    return Error{Code::corrupt, folder.jobs().string() + " is no list of jobs",
                 "remove it: cells without an answer are submitted again then"};
  }
  return jobs;
}

std::optional<std::vector<size_t>> parse_tasks(const std::string& text) {
  std::string list = text;
  if (list.starts_with('[') && list.ends_with(']')) list = list.substr(1, list.size() - 2);
  list = list.substr(0, list.find('%'));
  std::vector<size_t> tasks;
  for (const std::string& part : split(list, ',')) {
    const size_t dash = part.find('-');
    const auto first = parse_integer(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : parse_integer(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first ||
        *last >= static_cast<long long>(most_cells))
      return {};
    for (long long task = *first; task <= *last; ++task) tasks.push_back(static_cast<size_t>(task));
    if (tasks.size() > most_cells) return {};
  }
  return tasks;
}

Result<std::map<std::string, std::string>> queue_states(const SlurmJobs& jobs) {
  std::map<std::string, std::string> states;
  std::map<std::string, const SlurmJob*> by_id;
  for (const SlurmJob& job : jobs.arrays) by_id.emplace(job.id, &job);
  if (by_id.empty()) return states;
  // Without -r tasks that wait stand in one line; an id that the controller has forgotten would
  // make `squeue --jobs` fail.
  FLYBALL_ASSIGN(const std::string said,
                 run_slurm("squeue", {"--me", "--noheader", "--format=%F|%K|%T|%R"}));
  for (const std::string& line : split(said, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() < 4) continue;
    const auto job = by_id.find(std::string(trim(fields[0])));
    const auto tasks = parse_tasks(std::string(trim(fields[1])));
    if (job == by_id.end() || !tasks) continue;
    for (const size_t task : *tasks)
      if (task < job->second->cells.size())
        states[job->second->cells[task]] = fields[2] + " " + fields[3];
  }
  return states;
}

Result<SlurmJobs> submit(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                         const CampaignFolder& folder, const SlurmRun& run) {
  std::error_code problem;
  std::filesystem::create_directories(folder.path() / "slurm", problem);
  if (problem) return file_error("make", folder.path() / "slurm", problem.value());
  FLYBALL_ASSIGN(const LockFile ours,
                 LockFile::take(folder.lock(), "the campaign " + folder.path().string(), 1));
  std::filesystem::remove(folder.cancelled(), problem);
  FLYBALL_CHECK(keep_executor(folder, campaign.executor));
  FLYBALL_ASSIGN(SlurmJobs jobs, read_jobs(folder));
  FLYBALL_ASSIGN(const auto queue, queue_states(jobs));
  std::set<std::string> queued;
  for (const auto& [cell, state] : queue) queued.insert(cell);
  CommandWords leaders, all;
  std::set<std::string> leading;
  for (const CampaignCell& cell : cells)
    if (cell.leads) leading.insert(cell.name);
  for (const SlurmJob& job : jobs.arrays) {
    const auto waits = [&](const std::string& cell) { return queued.contains(cell); };
    if (!std::ranges::any_of(job.cells, waits)) continue;
    all.push_back(job.id);
    if (std::ranges::any_of(job.cells, [&](const auto& cell) { return leading.contains(cell); }))
      leaders.push_back(job.id);
  }
  const std::vector<Group> groups = groups_of(campaign, cells, folder, queued);
  FLYBALL_CHECK(check_nodes(campaign, groups));
  for (const Group& group : groups) {
    CommandWords names;
    for (const size_t cell : group.cells) names.push_back(cells[cell].name);
    const CampaignBoard& board = campaign.boards[group.board];
    const std::filesystem::path script =
        folder.path() / "slurm" / fmt::format("array-{}.sh", jobs.arrays.size() + 1);
    FLYBALL_CHECK(write_file(script, slurm_script(campaign, folder, board, names, run.program)));
    const bool follows = std::ranges::any_of(
        group.cells, [&](size_t cell) { return cells[cell].leader.has_value(); });
    CommandWords arguments = sbatch_options(campaign, board, folder, group.cells.size(),
                                            follows ? leaders : CommandWords());
    arguments.push_back(script.string());
    FLYBALL_ASSIGN(const std::string said, run_slurm("sbatch", arguments));
    FLYBALL_ASSIGN(const std::string id, job_of(said));
    jobs.arrays.push_back({id, names});
    FLYBALL_CHECK(write_jobs(folder, jobs));
    if (group.leads) leaders.push_back(id);
    all.push_back(id);
  }
  if (run.collect.empty()) return jobs;
  FLYBALL_ASSIGN(const bool lacks, lacks_collecting(jobs, all));
  if (lacks) FLYBALL_CHECK(submit_collecting(folder, run, all, jobs));
  return jobs;
}

Status cancel_jobs(const SlurmJobs& jobs) {
  CommandWords ids;
  for (const SlurmJob& job : jobs.arrays) ids.push_back(job.id);
  if (!jobs.collect.empty()) ids.push_back(jobs.collect);
  if (ids.empty()) return {};
  CommandWords arguments = {"--quiet"};
  arguments.insert(arguments.end(), ids.begin(), ids.end());
  FLYBALL_ASSIGN(const std::string said, run_slurm("scancel", arguments));
  return {};
}

}  // namespace flyball
