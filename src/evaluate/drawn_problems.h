// Problems drawn for tables: such as time allows, whatever the board and the network.
#pragma once

#include <span>
#include <vector>

#include "problem/dynamic.h"
#include "problem/paper.h"
#include "space/table.h"

namespace flyball {

/// `count` problems that time allows on this table: a power budget between the table's lowest and
/// highest power; for a service the rate is 0.3 to 1 of what some configuration serves, the latency
/// budget 1 to 2 times its peak latency at that rate.
std::vector<ProblemSpec> draw_problems(ProblemKind kind, const WorkloadTable& table, size_t count,
                                       uint64_t seed);

/// The same for two roles over linked candidates: what serves, serves in one mode that both have.
std::vector<ProblemSpec> draw_pair_problems(ProblemKind kind, const Candidates& candidates,
                                            const Readings& readings, size_t count, uint64_t seed);

/// Six windows of 5 to 20 minutes, each at 0.3 to 1 of the problem's rate.
std::vector<RateWindow> draw_windows(const ProblemSpec& problem, uint64_t seed);

}  // namespace flyball
