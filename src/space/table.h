// Measured tables in the tidy form: one row per configuration,
// device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,minibatch_ms,power_w.
// Any other numeric column that is no other spelling of these is an axis by its name (with ":run"
// behind it one of the run, where the name alone would say one of the board); a workload that lacks
// an axis leaves it empty.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/csv.h"
#include "space/cost.h"
#include "space/measurement.h"
#include "space/space.h"

namespace flyball {

/// One workload in one phase on one board: time and power over a space.
/// A configuration may stand in it more than once (repeats).
struct WorkloadTable {
  std::string device;
  std::string workload;
  Phase phase = Phase::train;
  double batch_size = 0;     ///< of all rows, where no axis says it; 0: not known
  std::string power_total;   ///< "module", "monitor", a rail, or "" when unknown
  std::optional<Cost> cost;  ///< of the workload, where somebody counted it; no file holds it
  /// What a simulation of the board says of the same workload, where there is one: known before
  /// anything is measured. No file holds it.
  std::shared_ptr<const WorkloadTable> prior;
  Space space;
  std::vector<double> minibatch_ms;  ///< one per row of the space
  std::vector<double> power_w;       ///< one per row; NaN where it was not measured
  /// One per row; empty while all are `table`, as in a file that does not say.
  std::vector<Provenance> provenance;
  Accepted accepted;  ///< which of its rows fits take besides those measured

  size_t size() const { return minibatch_ms.size(); }
  bool has_power() const;  ///< is there any power reading?
  /// Is it known how large each minibatch is?
  bool knows_batches() const { return batch_size > 0 || space.axis_index(axis::batch_size); }
  Provenance known(size_t row) const {
    return provenance.empty() ? Provenance::table : provenance[row];
  }
  void add(std::span<const double> config, double time_ms, double power,
           Provenance known = Provenance::table);
  /// "mobilenet_v3 train on orin_agx".
  std::string title() const;
};

/// All workloads of one file.
struct Table {
  std::string name;  ///< the file
  std::vector<WorkloadTable> workloads;

  /// The named workload; phase may be left open when there is one only. The error lists what is
  /// there.
  Result<const WorkloadTable*> find(const std::string& workload,
                                    std::optional<Phase> phase = {}) const;
  /// The only workload of the file (in that phase), or an error that lists those there are.
  Result<const WorkloadTable*> only(std::optional<Phase> phase = {}) const;
};

/// Repeats of one configuration.
struct KnownRows {
  std::vector<size_t> rows;
  Provenance provenance = Provenance::table;  ///< of all of them; `table` for different ones
};
/// Those of the rows that are known best: measured ones (also by somebody else) outdo simulated
/// ones, and these predicted ones. `rows` is not empty.
KnownRows best_known(const WorkloadTable& table, std::span<const size_t> rows);
/// The distinct configurations in the order of their first row, with the medians of their repeats
/// that are known best.
WorkloadTable merge_repeats(const WorkloadTable& table);
/// "2 repeated rows merged: medians of the best known" of so many rows beyond the distinct
/// configurations; `table` names it where there may be several.
std::string merged_text(size_t repeats, const std::string& table = "");
/// Only these rows, in this order.
WorkloadTable take_rows(const WorkloadTable& table, std::span<const size_t> rows);
/// The measured rows and those accepted; the number left out is added to `dropped`.
WorkloadTable accepted_rows(const WorkloadTable& table, Accepted accepted, size_t& dropped);

/// Reads a tidy table; a bad row is named by file, line and column.
/// Optional columns: `power_total` names the total that power_w is, `provenance` how the row is
/// known (`table` where it is empty). The bounds of predictions (minibatch_ms_lo90, …) and
/// `extrapolated` are passed over.
Result<Table> parse_table(const Csv& csv);
/// Is it one of those that are passed over?
bool is_passed_over(const std::string& column);
Result<Table> read_table(const std::filesystem::path& path);

/// The tidy form back as CSV text. Axes absent from a workload are left empty; provenance has a
/// column unless all rows are `table`.
std::string format_table(std::span<const WorkloadTable> workloads);

}  // namespace flyball
