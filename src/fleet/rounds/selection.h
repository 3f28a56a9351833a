// The integer programme behind a federated round: for each client at most one of its options, so
// that their values are the most within an energy budget and a number of clients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace flyball {

/// What a client adds in one of its modes; both above 0.
struct SelectionOption {
  double value = 0, energy_j = 0;
};

struct SelectionProblem {
  double most_energy_j = std::numeric_limits<double>::infinity();
  size_t most_clients = std::numeric_limits<size_t>::max();

  void reserve(size_t clients, size_t options);
  /// Options ascend in energy and in value.
  void add(std::span<const SelectionOption> options);
  size_t clients() const { return starts_.size() - 1; }
  std::span<const SelectionOption> options(size_t client) const {
    return {options_.data() + starts_[client], starts_[client + 1] - starts_[client]};
  }
  /// Of a sum of many energies, the budget with what rounding adds.
  double allowed_j() const { return most_energy_j * (1 + 1e-12); }

 private:
  std::vector<SelectionOption> options_;
  std::vector<size_t> starts_ = {0};
};

struct Selection {
  static constexpr int none = -1;
  std::vector<int> chosen;  ///< of each client the option, or none
  size_t clients = 0;
  double value = 0, energy_j = 0;
  double bound = 0;    ///< no selection has more value
  bool exact = false;  ///< none has more than this one

  double gap_pct() const { return bound > 0 ? 100 * (1 - value / bound) : 0; }
};

/// The Lagrangian of the energy budget gives a bound and a selection near it; what the bound leaves
/// open is then enumerated, if it is little. The same for any order of runs.
Selection select_clients(const SelectionProblem& problem);

}  // namespace flyball
