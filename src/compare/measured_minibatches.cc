#include "compare/measured_minibatches.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/statistics.h"
#include "base/text.h"
#include "compare/compared_network.h"
#include "space/axis.h"

namespace flyball {
namespace {

constexpr double most_ms = 1e9;

class Rows {
 public:
  explicit Rows(const Csv& csv) : csv_(csv) {}

  Status find_columns() {
    for (const auto& [into, name] : {std::pair{&device_, "device"},
                                     {&workload_, "workload"},
                                     {&phase_, "phase"},
                                     {&batch_, "batch_size"},
                                     {&workers_, "loader_workers"},
                                     {&time_, "minibatch_ms"}}) {
      const auto column = csv_.column(name);
      if (!column)
        return csv_.missing({Code::corrupt, csv_.name + " has no column '" + name + "'",
                             "docs/compare.md says which columns there are"});
      *into = *column;
    }
    stall_ = csv_.column("stall_ms");
    compute_ = csv_.column("compute_ms");
    return {};
  }

  bool trains(size_t row) const { return csv_.rows[row][phase_] == phase_name(Phase::train); }

  Result<MeasuredMinibatch> read(size_t row) const {
    MeasuredMinibatch one;
    one.board = csv_.rows[row][device_];
    one.network = canonical_network(csv_.rows[row][workload_]);
    FLYBALL_ASSIGN(one.batch_size, csv_.number(row, batch_));
    FLYBALL_ASSIGN(one.loader_workers, csv_.number(row, workers_));
    FLYBALL_ASSIGN(one.minibatch_ms, time(row));
    if (one.minibatch_ms > 0 && one.minibatch_ms <= most_ms) return one;
    return csv_.at(row, time_, "is no time of a minibatch", "times are milliseconds above zero");
  }

 private:
  bool blank(size_t row, size_t column) const { return trim(csv_.rows[row][column]).empty(); }

  Result<double> time(size_t row) const {
    if (!blank(row, time_) || !stall_ || !compute_) return csv_.number(row, time_);
    FLYBALL_ASSIGN(const double stall, csv_.number(row, *stall_));
    FLYBALL_ASSIGN(const double compute, csv_.number(row, *compute_));
    return stall + compute;
  }

  const Csv& csv_;
  size_t device_ = 0, workload_ = 0, phase_ = 0, batch_ = 0, workers_ = 0, time_ = 0;
  std::optional<size_t> stall_, compute_;
};

}  // namespace

Result<std::vector<MeasuredMinibatch>> parse_measured_minibatches(const Csv& csv) {
  Rows rows(csv);
  FLYBALL_CHECK(rows.find_columns());
  std::vector<MeasuredMinibatch> measured;
  std::map<std::tuple<std::string, std::string, double, double>, std::vector<double>> times;
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    if (!rows.trains(row)) continue;
    FLYBALL_ASSIGN(MeasuredMinibatch one, rows.read(row));
    auto& same = times[{one.board, one.network, one.batch_size, one.loader_workers}];
    same.push_back(one.minibatch_ms);
    if (same.size() == 1) measured.push_back(std::move(one));
  }
  for (MeasuredMinibatch& one : measured) {
    const auto& same = times.at({one.board, one.network, one.batch_size, one.loader_workers});
    one.minibatch_ms = median(same);
    one.rows = same.size();
  }
  return measured;
}

Result<std::vector<MeasuredMinibatch>> read_measured_minibatches(
    const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const Csv csv, read_csv(file));
  return parse_measured_minibatches(csv);
}

const MeasuredMinibatch* find_measured(std::span<const MeasuredMinibatch> measured,
                                       const std::string& board, const std::string& network,
                                       double batch_size, double loader_workers) {
  const auto found = std::ranges::find_if(measured, [&](const MeasuredMinibatch& one) {
    return one.board == board && one.network == network && one.batch_size == batch_size &&
           one.loader_workers == loader_workers;
  });
  return found == measured.end() ? nullptr : &*found;
}

}  // namespace flyball
