// Everything the profiled trials tell of the configurations that were not profiled.
#pragma once

#include "tune/tune.h"

namespace flyball {

/// The profiled trials as rows to fit on; failed ones are left out.
WorkloadTable measured_rows(const Profiler& profiler, std::span<const Observation> profiled);

/// Fits the request's predictor on the profiled trials, without those of the configurations
/// `left_out`. Of more than 400 configurations it takes 400, evenly chosen.
Result<std::unique_ptr<Predictor>> fit_profiled(const Profiler& profiler,
                                                const SessionOptions& options,
                                                std::span<const Observation> profiled,
                                                std::span<const size_t> left_out = {});

/// Fills configurations and front of the result from a table, of which every row is known.
Status read_all(Profiler& table, TuneResult& result);
/// Fills configurations, held_out (of at most 30 configurations, evenly chosen), front and notes of
/// the result from its profiled trials. Nothing is fitted where all are measured. Of those that
/// failed, and of `failures`, which are likely to, nothing is predicted. Error interrupted.
Status predict_rest(const Profiler& profiler, TuneResult& result,
                    std::span<const size_t> failures = {});

}  // namespace flyball
