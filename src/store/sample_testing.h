// Measurements and requests to try the store with, in tests and benchmarks.
#pragma once

#include "store/run.h"
#include "store/store_database.h"

namespace flyball {

/// The n-th of a series of different trials on one board, every field with a value of its own.
inline Measurement sample_measurement(int n, int minibatches = 40) {
  Measurement m;
  m.trial.mode.values = {{"cpu_cores", 2.0 + n % 6}, {"cpu_mhz", 268.8 + n}, {"gpu_mhz", 114.75}};
  m.trial.job = {"resnet18", Phase::train, {{"batch_size", 16}}};
  m.device = "orin_agx";
  m.fingerprint = "board p3701; kernel 5.15; driver 540.4";
  m.conditions = Conditions{{"dataset", "/data/imagenette"}, {"power", "module"}};
  m.minibatch_ms = 100 + 0.1 * n;
  m.noise = 0.0125;
  m.stall_ms = 20.5;
  m.compute_ms = 70.25;
  m.first = {300.5, 900.25, 1300.125};
  for (int i = 0; i < minibatches; ++i) m.minibatches.push_back({20.5 + i, 70.25, 100.123456 + i});
  m.power = PowerReading{30.5 + n, 0.003, "module", 100, 98, 55, 122.5, 4.0};
  m.power_trace = {{0.1, 30.25}, {0.2, 30.75}, {0.35, 29.001}};
  m.stop_reason = "relative noise 2 %";
  m.settle_s = 2.5;
  m.warm_up_s = 1.25;
  m.total_s = 12.75;
  m.clocks = {{"cpu_mhz", 268.5 + n, 268.1}, {"gpu_mhz", 114.5, 102.25}};
  m.interference.cores = 0.25;
  m.figures = {{"accuracy", 0.5}, {"memory", 1e9}};
  m.started_utc = "2026-03-01T12:30:05Z";
  m.seed = ~uint64_t{0} - static_cast<uint64_t>(n);
  return m;
}

inline RunRequest sample_request() {
  return {"flyball tune resnet18 --device orin",
          R"({"workload":"resnet18","profiles":10})",
          "orin_agx",
          "board p3701; kernel 5.15; driver 540.4",
          7,
          Conditions{{"dataset", "/data/imagenette"}, {"power", "module"}}};
}

/// Makes all that a store holds now, but for measurements before `from`, another board's, as where
/// its store was collected into this one.
inline Status make_collected(const std::filesystem::path& place, const std::string& board,
                             int64_t from = 1) {
  FLYBALL_ASSIGN(Database store, open_store_database(place, {}));
  FLYBALL_CHECK(
      store.run("INSERT INTO stores(store, own, name, board) VALUES(?1, FALSE, ?1, ?1)", {board}));
  const int64_t id = store.last_id();
  FLYBALL_CHECK(
      store.run("UPDATE measurements SET store_id = ?, store_row = id WHERE id >= ?", {id, from}));
  FLYBALL_CHECK(store.run("UPDATE experiment_runs SET store_id = ?, store_row = id", {id}));
  FLYBALL_CHECK(store.run("UPDATE board_facts SET store_id = ?, store_run = id", {id}));
  return store.run("UPDATE runs SET store_id = ?, store_run = id", {id});
}

}  // namespace flyball
