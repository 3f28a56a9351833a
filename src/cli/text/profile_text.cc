#include "cli/text/profile_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/amounts.h"
#include "base/figure.h"
#include "base/text.h"
#include "cli/output.h"
#include "profile/characterise/epochs_report.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball::cli {
namespace {

std::string mebibytes(std::optional<double> bytes) {
  return bytes ? fmt::format("{:.1f}", *bytes / mebibyte) : "-";
}

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.0f}", 100 * *share) : "-";
}

void add_row(TextTable& table, std::vector<std::string> row, bool cache, double file_bytes,
             double cache_bytes) {
  if (cache) row.insert(row.end(), {mebibytes(file_bytes), mebibytes(cache_bytes)});
  table.add(std::move(row));
}

// A loss that is no number was read, unlike one that there is not.
std::string loss_text(double loss, bool has_loss) {
  if (!has_loss) return "-";
  return std::isfinite(loss) ? number(loss) : std::isnan(loss) ? "NaN" : "infinite";
}

void add_epoch(TextTable& table, const EpochRecord& epoch, bool has_loss, bool cache) {
  const ResourceUse& use = epoch.use;
  std::vector<std::string> row = {fmt::format("{}", epoch.epoch),
                                  fmt::format("{}", epoch.minibatch_count),
                                  number(epoch.e2e_s),
                                  number(epoch.stall_s),
                                  number(epoch.compute_s),
                                  number(epoch.overhead_s),
                                  number(epoch.minibatch_ms),
                                  number(use.cpu_pct),
                                  mebibytes(use.peak_memory_bytes),
                                  mebibytes(use.read_bytes),
                                  or_dash(use.disk_reads),
                                  percent(epoch.cached_before),
                                  epoch.energy ? number(epoch.energy->energy_j) : "-",
                                  epoch.energy ? number(epoch.energy->mean_w) : "-",
                                  loss_text(epoch.loss, has_loss)};
  for (const auto& figure : epoch.figures) row.push_back(number(figure.second));
  add_row(table, std::move(row), cache, static_cast<double>(epoch.file_bytes()),
          static_cast<double>(epoch.cache_bytes));
}

void add_means(TextTable& table, const EpochMeans& means, size_t figures, bool cache) {
  std::vector<std::string> row = {fmt::format("mean {}-{}", means.first, means.last),
                                  "-",
                                  number(means.e2e_s),
                                  number(means.stall_s),
                                  number(means.compute_s),
                                  number(means.overhead_s),
                                  number(means.minibatch_ms),
                                  number(means.cpu_pct),
                                  "-",
                                  "-",
                                  "-",
                                  "-",
                                  or_dash(means.energy_j),
                                  or_dash(means.power_w),
                                  "-"};
  row.resize(row.size() + figures, "-");
  add_row(table, std::move(row), cache, means.file_bytes, means.cache_bytes);
}

void print_cache(const CacheState& cache) {
  fmt::print("sample cache: {} MiB of at most {}, {} samples, in {} MiB of memory; ",
             mebibytes(static_cast<double>(cache.held_bytes)),
             mebibytes(static_cast<double>(cache.size_bytes)), cache.held_samples,
             mebibytes(static_cast<double>(cache.memory_bytes)));
  const auto others =
      fmt::format("{} other run{} at the end", cache.users - 1, cache.users == 2 ? "" : "s");
  if (!cache.shared)
    fmt::print("of this run alone\n");
  else if (cache.joined)
    fmt::print("begun by another run, with its size; shared with {}\n", others);
  else
    fmt::print("begun by this run; shared with {}\n", others);
  if (!cache.note.empty()) fmt::print("sample cache: {}\n", cache.note);
}

// "GPU 1 in epoch 0: load 93 %, 1980 MHz, 3171.2 MiB in use", of what is known.
void print_gpu(const std::optional<GpuUse>& gpu, const std::string& when) {
  if (!gpu) return;
  std::vector<std::string> figures;
  if (gpu->load_pct) figures.push_back(fmt::format("load {} %", number(*gpu->load_pct)));
  if (gpu->clock_mhz) figures.push_back(fmt::format("{} MHz", number(*gpu->clock_mhz)));
  if (gpu->memory_bytes)
    figures.push_back(fmt::format("{} MiB in use", mebibytes(gpu->memory_bytes)));
  fmt::print("GPU{} {}: {}\n", gpu->gpu > 0 ? fmt::format(" {}", gpu->gpu) : "", when,
             join(figures, ", "));
}

void add_part(TextTable& table, const ProgramPart& part, const std::string& name) {
  table.add({name, fmt::format("{}", part.minibatches), number(part.e2e_s), or_dash(part.stall_s),
             or_dash(part.compute_s), or_dash(part.overhead_s), or_dash(part.minibatch_ms),
             part.energy ? number(part.energy->energy_j) : "-",
             part.energy ? number(part.energy->mean_w) : "-"});
}

void print_columns(const char* row) {
  fmt::print(
      "E2E s = stall s + compute s + overhead s, each over all of the {}; median minibatch ms is "
      "end to end, without the first one, and hides single long ones\n",
      row);
}

void print_disturbance(const std::string& by) {
  if (!by.empty()) fmt::print("disturbed: {} measured on this machine at the same time\n", by);
}
}  // namespace

void print_epochs(const EpochRun& run) {
  const bool training = run.request.step.phase == Phase::train;
  const bool simulated = run.provenance == Provenance::simulated;
  if (simulated) fmt::print("simulated: nothing ran, and no time passed\n");
  fmt::print("{} {}, {} parameters: {}\n", run.request.workload,
             training ? "training" : "inference", run.parameters, describe(run.request));
  const std::string classes =
      run.request.size.tokens > 0
          ? fmt::format("rows of {} tokens of {}", run.request.size.tokens, run.classes)
          : fmt::format("{} classes", run.classes);
  if (simulated)
    fmt::print("data: {} samples, {} MiB\n\n", run.dataset_samples, mebibytes(run.dataset_bytes));
  else
    fmt::print("data: {}, {} samples in {}, {} MiB, {}\n\n", run.dataset_kind, run.dataset_samples,
               classes, mebibytes(run.dataset_bytes), run.request.data.string());
  std::vector<std::string> columns = {"epoch",
                                      "minibatches",
                                      "E2E s",
                                      "stall s",
                                      "compute s",
                                      "overhead s",
                                      "median minibatch ms",
                                      "CPU %",
                                      "peak MiB",
                                      "read MiB",
                                      "disk reads",
                                      "cached %",
                                      "energy J",
                                      "power W",
                                      "loss"};
  const auto& figures = run.epochs.front().figures;
  for (const auto& figure : figures) columns.push_back(figure.first);
  const bool cache = run.cache.has_value();
  if (cache) columns.insert(columns.end(), {"files MiB", "own cache MiB"});
  TextTable table(columns);
  for (const EpochRecord& epoch : run.epochs)
    add_epoch(table, epoch, training && !simulated, cache);
  if (const auto means = run.later()) add_means(table, *means, figures.size(), cache);
  fmt::print("{}\n", table.str());
  if (const std::string far = outlying_epochs(run); !far.empty())
    fmt::print("{}{}\n", far,
               run.later() ? fmt::format("; the means count all whole ones but epoch {}",
                                         run.epochs.front().epoch)
                           : "");
  print_columns("epoch");
  if (cache) print_cache(*run.cache);
  const MinibatchRecord& first = run.epochs.front().first();
  fmt::print("first minibatch: {} ms, stall {} ms, compute {} ms\n", number(first.e2e_ms()),
             number(first.stall_ms), number(first.compute_ms));
  fmt::print(
      "cached: share of the dataset in the page cache as the epoch begins; disk reads: "
      "requests of the whole machine\n");
  for (const EpochRecord& epoch : run.epochs)
    print_gpu(epoch.gpu, fmt::format("in epoch {}", epoch.epoch));
  if (run.skipped > 0) {
    fmt::print("{} samples were skipped:\n", run.skipped);
    for (const BadSample& bad : run.bad_samples) fmt::print("  {}\n", bad.error.message);
  }
  if (const auto epoch = run.diverged_in())
    fmt::print(
        "the training diverges: from epoch {} on its loss is no number (learning rate {:g}; "
        "try --learning-rate {:g})\n",
        *epoch, learning_rate(run.request.step), learning_rate(run.request.step) / 10);
  if (!run.power_gap.empty()) fmt::print("{}\n", brief_power_gap(run.power_gap));
  if (!run.stopped.empty()) fmt::print("{}\n", run.stopped);
  print_disturbance(run.disturbed);
}

void print_program(const ProgramProfile& profile) {
  fmt::print("{}: {} s, CPU {} % of one core, peak {} MiB in {} process{}, read {} MiB\n\n",
             join(profile.request.argv, " "), number(profile.wall_s), number(profile.cpu_pct),
             mebibytes(profile.peak_memory_bytes), profile.peak_processes,
             profile.peak_processes == 1 ? "" : "es", mebibytes(profile.read_bytes));
  TextTable table({"part", "minibatches", "E2E s", "stall s", "compute s", "overhead s",
                   "median minibatch ms", "energy J", "power W"});
  table.add({"whole run", "-", number(profile.wall_s), "-", "-", "-", "-",
             profile.energy ? number(profile.energy->energy_j) : "-",
             profile.energy ? number(profile.energy->mean_w) : "-"});
  if (profile.marked) add_part(table, *profile.marked, "marked");
  for (const ProgramPart& window : profile.windows) add_part(table, window, window.name);
  fmt::print("{}\n", table.str());
  if (profile.marked) print_columns("part");
  if (profile.marked)
    fmt::print("first minibatch, {} s after the start, is kept apart\n",
               number(profile.start_up_s));
  else
    fmt::print(
        "the program marked fewer than two minibatches, so it is measured as a whole; "
        "flyball.minibatch() marks one\n");
  print_gpu(profile.gpu, "in the whole run");
  if (profile.marked) print_gpu(profile.marked->gpu, "in the marked minibatches");
  for (const ProgramPart& window : profile.windows) print_gpu(window.gpu, "in " + window.name);
  if (profile.lost_marks > 0) fmt::print("{} marks were lost\n", profile.lost_marks);
  if (profile.other_marks > 0)
    fmt::print("{} marks of other processes do not count: those of the first that marked do\n",
               profile.other_marks);
  if (!profile.power_gap.empty()) fmt::print("{}\n", brief_power_gap(profile.power_gap));
  if (!profile.stopped.empty()) fmt::print("{}\n", profile.stopped);
  print_disturbance(profile.disturbed);
}

}  // namespace flyball::cli
