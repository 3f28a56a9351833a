// Cells as array jobs of Slurm: one array for each board, since one has one constraint, and a task
// for each of its cells.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "campaign/cell_state.h"

namespace flyball {

/// An array of Slurm takes so many tasks where nobody raised MaxArraySize (1001).
inline constexpr size_t most_array_tasks = 1000;

struct SlurmJob {
  std::string id;      ///< "123"
  CommandWords cells;  ///< their names; the task's number is the place in this list
};
struct SlurmJobs {
  std::vector<SlurmJob> arrays;
  std::string collect;     ///< id of the job that follows them; "": none
  CommandWords collected;  ///< ids of the arrays that it follows
};

struct SlurmRun {
  std::filesystem::path program;
  CommandWords collect;  ///< what the job that follows runs: words behind "flyball"; empty: none
};

/// Submits what has no answer and is in no queue; their jobs stand in folder.jobs() afterwards,
/// each as soon as Slurm has it. Arrays of boards that start from others' measurements depend on
/// those, and a job that collects on all. Errors: no sbatch here (unavailable), Slurm refuses,
/// another process submits (conflict), a board that is not simulated may be several nodes.
Result<SlurmJobs> submit(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                         const CampaignFolder& folder, const SlurmRun& run);

/// The script of an array: it warns the cell before the time limit, is queued again then, puts a
/// board that is not simulated back, and lets it rest.
std::string slurm_script(const Campaign& campaign, const CampaignFolder& folder,
                         const CampaignBoard& board, const std::vector<std::string>& cells,
                         const std::filesystem::path& program);
/// Of `listed` (lines of sinfo: "NODE|PARTITION|FEATURES") those that have the feature; all where
/// it is "". Nothing: the constraint is more than one feature.
std::optional<std::set<std::string>> nodes_for(const std::string& constraint,
                                               const std::string& partition,
                                               const std::string& listed);
/// Behind "sbatch", but for the script. A board that is not simulated runs one cell at a time; the
/// others share out what the campaign runs at once, at least one each.
CommandWords sbatch_options(const Campaign& campaign, const CampaignBoard& board,
                            const CampaignFolder& folder, size_t tasks, const CommandWords& after);

/// Those that were submitted; none where nothing was. Error corrupt: the file holds something else.
Result<SlurmJobs> read_jobs(const CampaignFolder& folder);
/// What the queue says of each cell that is in it, by name: "PENDING", "RUNNING", with where it
/// runs or why it waits. Errors: no squeue here, no controller.
Result<std::map<std::string, std::string>> queue_states(const SlurmJobs& jobs);
/// The tasks of an array as squeue writes them: "7", "[3-5,9%2]". Nothing: it is no such list.
std::optional<std::vector<size_t>> parse_tasks(const std::string& text);
/// Takes all of them out of the queue.
Status cancel_jobs(const SlurmJobs& jobs);

}  // namespace flyball
