// What a characterisation experiment varies, holds fixed and clears: a TOML file, read strictly.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "space/axis.h"

namespace flyball {

/// What an experiment is to answer, after the study of POMACS 6(3) (2022), section 5.
enum class Question {
  workers,            ///< E1: what loader workers gain
  cache,              ///< E1b: the first epoch beside later ones, with and without forced drops
  pipelining_energy,  ///< E1c: what workers do to energy
  storage,            ///< E2: what the medium of the dataset costs
  batch_size,         ///< E3
  variability,        ///< E4: spread over epochs and runs
  base_load,          ///< E6: what the machine draws without training
  dvfs,               ///< E5: needs a knob of the board
  power_modes,        ///< E7: needs knobs of the board
  containers,         ///< what a container costs beside bare metal (HiPC 2023)
};
const char* question_name(Question question);

/// When the dataset is dropped from the page cache.
enum class Clear { never, start, epoch };
const char* clear_name(Clear clear);

/// Everything that makes one run.
struct RunSettings {
  std::string workload = "lenet5";
  Phase phase = Phase::train;
  int64_t batch_size = usual_batch_size;
  int workers = 0, prefetch = usual_prefetch;
  int threads = 0;  ///< of the network; 0: all usable cores
  int epochs = 3;
  int64_t steps = 0;  ///< minibatches of an epoch; 0: all
  Clear clear = Clear::start;
  std::string medium;     ///< name of a medium; "" is where the dataset lies
  double memory_mb = 0;   ///< limit of what the run may newly take, page cache included; 0: none
  double memory_pct = 0;  ///< memory that there is for the set, of its bytes; 0: no limit
  double cache_pct = 0;   ///< of that memory, for a sample cache; 0: the page cache has all of it
  std::string state;      ///< base load: "idle", "sampling", "training", "suspended"
  int64_t seconds = 10;   ///< that a state without training lasts
  /// One of [modes], AXIS=VALUE,…, or a preset of nvpmodel; "" leaves the board as it is.
  std::string power_mode;
  std::string
      runtime;       ///< container it runs in; "bare": none; "": in the process of the experiment
  std::string dvfs;  ///< "on": clocks free below their caps; "off": pinned there; "": as they are
  uint64_t seed = 1;
};

/// A value as it stands in the TOML.
using SettingValue = std::variant<double, std::string>;
std::string setting_text(const SettingValue& value);

/// Sets one setting by its name. Errors: no such setting (with the closest one), a value of another
/// type or out of range.
Status set_setting(RunSettings& settings, const std::string& name, const SettingValue& value);
/// Names of all settings.
const std::vector<std::string>& setting_names();
Json settings_json(const RunSettings& settings);

/// "workers 2, clear epoch": these settings of a run.
std::string settings_label(const std::vector<std::string>& names, const RunSettings& settings);

/// One setting that takes several values.
struct Varied {
  std::string name;
  std::vector<SettingValue> values;
};

/// Where a dataset can lie.
struct Medium {
  std::string name;
  std::filesystem::path folder;  ///< "" is the usual place
  double read_mb_s = 0;          ///< its device is throttled to this (10⁶ bytes/s); 0: it is not
};

/// A synthetic dataset, for an experiment without one's own.
struct MadeDataset {
  std::string kind;  ///< as `flyball dataset make` knows it; "" for none
  int64_t samples = 0;
  int width = 500, height = 375;  ///< of its pictures
  /// "images-256-500x375": equal ones are the same dataset.
  std::string label() const;
};

struct ExperimentSpec {
  std::string name;   ///< the stem of the file
  std::string title;  ///< for people
  Question question = Question::workers;
  RunSettings fixed;
  std::vector<Varied> vary;
  /// Runs that are no product of values; `vary` is empty then. No file says them.
  std::vector<RunSettings> listed;
  int repeats = 1;
  std::vector<Medium> media;
  std::map<std::string, std::string> modes;  ///< names of power modes: "a" → "cpu_cores=4,…"
  double no_difference_pct = 3;              ///< of times: less is no difference
  MadeDataset dataset;
  std::filesystem::path data;  ///< one's own dataset; "" takes the made one

  /// Settings of every run, without repeats: varied settings in the order of their names, the first
  /// one changes slowest; or what is listed.
  std::vector<RunSettings> runs() const;
  bool varies_runtime() const;
  /// The same at another size: samples and memory_mb are multiplied, both within their bounds.
  ExperimentSpec scaled(double factor) const;
  /// The medium that a run names; null for the usual place.
  const Medium* medium(const std::string& medium_name) const;
};

/// Errors name the file and the line: syntax, unknown keys (with the closest one), values of the
/// wrong type or out of range, a setting both fixed and varied, media that nothing names.
Result<ExperimentSpec> parse_experiment(std::string_view text, const std::string& file);
Result<ExperimentSpec> read_experiment(const std::filesystem::path& file);

}  // namespace flyball
