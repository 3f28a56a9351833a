// The problem sets of AutoCITE/Fulcrum: which budgets, latencies and arrival rates, on which modes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace flyball {

enum class ProblemKind { training, inference, concurrent, two_inference };
const char* kind_name(ProblemKind kind);  ///< "training", "two-inference", …
Result<ProblemKind> parse_kind(const std::string& text);

/// The budgets of one problem of a set.
struct ProblemSpec {
  Budgets budgets;
  double latency_ms = unlimited;
  double rate_hz = 0;
};

/// Power 10–50 W; latency and rate of serving roles as published. `long_latency`: the ranges for
/// BERT (power to 60 W, seconds of latency, 1–15 requests/s).
std::vector<ProblemSpec> paper_problems(ProblemKind kind, bool long_latency);
/// Does the workload take the ranges for BERT (its name begins with "bert")?
bool takes_long_latency(const std::string& workload);

/// A set from a CSV file with any of the columns power_w, time_ms, energy_j, latency_ms, rate_hz.
Result<std::vector<ProblemSpec>> read_problems(const std::filesystem::path& path);

/// The rows of a space whose mode is one of the paper's 441 of the AGX Orin; an error when none is.
Result<Space> paper_modes(const Space& space);

/// The same on any board, live or not: each value of the grid as the nearest that the space has,
/// within 5 %, on those axes of the grid that the space has.
struct NearPaper {
  std::vector<size_t> rows;        ///< of the space
  std::vector<std::string> notes;  ///< values that were moved, and those that are left out
};
/// Error: none is near.
Result<NearPaper> near_paper_modes(const Space& space);

/// A problem of this kind over linked candidates. The objective is the paper's: least t_tr, least
/// t_in, most θ; for two inferences the least share of the latency budgets. `roles` say what each
/// role is (role_of()); phases, rates and latencies are those of the kind and of `spec`.
Problem make_problem(ProblemKind kind, std::shared_ptr<const Candidates> candidates,
                     std::vector<Role> roles, const ProblemSpec& spec);

}  // namespace flyball
