// A campaign: boards × workloads × questions × budgets, each combination one command line of
// flyball. Its file is TOML, read strictly.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace flyball {

using CommandWords = std::vector<std::string>;

/// What starts the cells.
enum class CampaignExecutor {
  local,  ///< processes of this machine
  slurm,  ///< array jobs
  ssh,    ///< processes of this machine, each of which asks a board by ssh
};
const char* executor_name(CampaignExecutor executor);
Result<CampaignExecutor> parse_executor(const std::string& text);

struct CampaignBoard {
  std::string name;
  std::string device;      ///< of `--device`; "": what the machine is that runs the cell
  std::string kind;        ///< boards of one kind are compared, and learn from each other
  std::string twin;        ///< simulated board that says beforehand what a cell takes; "": none
  std::string constraint;  ///< feature of Slurm's nodes; "": any node
  std::string node;        ///< name of Slurm's node that it is; "": that of the constraint
  std::string host;        ///< "[USER@]HOST" of ssh
  std::string program;     ///< flyball for that host; "": this one
  bool simulated = false;  ///< needs no board: simulated, or a table
};

struct CampaignWorkload {
  std::string name;
  CommandWords words;    ///< behind the question: "resnet18", or "--train resnet18 --infer lenet5"
  CommandWords program;  ///< behind "--": a command of the user's own
};

struct CampaignQuestion {
  std::string name;
  const struct AskedCommand* ask = nullptr;
  CommandWords options;
  CommandWords boards, workloads, budgets;  ///< asked of these alone; empty: of all
};

/// A command that a question may be.
struct AskedCommand {
  std::string words;        ///< "experiment run"
  bool keeps = false;       ///< takes --store
  bool dry_runs = false;    ///< takes --dry-run
  bool references = false;  ///< takes --reference, --profiles and --accept
  bool limits = false;      ///< its answer keeps limits, or there is none
  std::string then = "";    ///< word behind `words`
  bool results = false;     ///< takes --result
  bool of_real = false;     ///< `keeps` and `dry_runs` are of real boards alone
};
const std::vector<AskedCommand>& asked_commands();

struct CampaignBudget {
  std::string name;  ///< "": there is none
  CommandWords options;
};

struct SlurmSettings {
  std::string time;       ///< "30" (minutes), "1:00:00": limit of a cell; "": the partition's
  int warn_s = 60;        ///< before the limit
  std::string partition;  ///< "": the default one
  CommandWords options;   ///< of sbatch besides
};

struct SshSettings {
  CommandWords options;  ///< of ssh: "-F", "ssh_config"
};

/// What the first board of a kind measured is the reference of the others.
struct TravelSettings {
  bool travel = false;
  int profiles = 3;  ///< of the boards that follow
};

struct Campaign {
  std::string title;
  std::filesystem::path file;  ///< absolute, without ".."; cells run in its folder
  CampaignExecutor executor = CampaignExecutor::local;
  size_t parallel = 1;       ///< cells at a time
  std::string collect;       ///< store that all are collected into; absolute if a file; "": none
  double cool_down_s = 0;    ///< between two cells of a board that is not simulated
  double start_below_c = 0;  ///< such a board begins below this temperature; 0: at any
  double stop_above_c = 0;   ///< its cell is stopped above it, until it has cooled down; 0: never
  std::vector<CampaignBoard> boards;
  std::vector<CampaignWorkload> workloads;
  std::vector<CampaignQuestion> questions;
  std::vector<CampaignBudget> budgets;
  SlurmSettings slurm;
  SshSettings ssh;
  TravelSettings references;
};

/// "[USER@]HOST", which no program takes for an option. Error: it is none.
Status check_host(const std::string& host);

/// Can its executor run it? Error: a board lacks a host; temperatures by ssh.
Status check_executor(const Campaign& campaign);

/// Errors name file and line: syntax, unknown keys (with the closest one), values of another type
/// or out of range, two of one name, questions that there are not, an executor that lacks a host.
Result<Campaign> parse_campaign(std::string_view text, const std::filesystem::path& file);
Result<Campaign> read_campaign(const std::filesystem::path& file);

}  // namespace flyball
