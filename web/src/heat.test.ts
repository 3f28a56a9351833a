import assert from "node:assert/strict";
import { test } from "node:test";
import type { Configuration, SheetGrid } from "./contract.ts";
import { allowed_in, around_middles, cells_of, iso_line, levels_of, mix, sheet_grid, tune_grid } from "./heat.ts";
import { costs, number_of, objective_of } from "./measures.ts";
import type { TuneReport } from "./view.ts";

const one = (config: number[], time_ms: number): Configuration => ({ config, time_ms, power_w: 2, energy_j: time_ms * 2e-3, provenance: "table" });
const measured: SheetGrid = {
  title: "net", axes: [{ name: "batch_size", unit: "", scope: "run" }, { name: "gpu_mhz", unit: "MHz", scope: "board" }, { name: "mem_mhz", unit: "MHz", scope: "board" }],
  configurations: [one([1, 300, 700], 8), one([4, 300, 700], 16), one([1, 600, 700], 5), one([4, 600, 2100], 8), one([1, 600, 2100], 4)],
};

const grid = sheet_grid(measured);

test("a cell holds the figure of a sample, of the held value or of whichever is least", () => {
  const held = cells_of(grid, "time", 1, 2, [1, 0, 0]);
  assert.deepEqual([held.xs, held.ys], [[300, 600], [700, 2100]]);
  assert.deepEqual(held.values, [[8, 5], [NaN, 4]]);
  assert.deepEqual(held.from, [[0, 2], [-1, 4]]);
  const best = cells_of(grid, "time", 1, 2, ["least", 0, 0]);
  assert.deepEqual(best.values, [[4, 5], [NaN, 2]]);
  assert.deepEqual(best.from, [[1, 2], [-1, 3]]);
});

test("power is not divided by the batch size", () => {
  assert.deepEqual(cells_of(grid, "power", 1, 2, [4, 0, 0]).values, [[2, NaN], [NaN, 2]]);
});

test("iso-lines cut the sides where the value lies", () => {
  // Values grow to the right by factors of four: 2 lies in the middle of the first step.
  const segments = iso_line([[1, 4, 16], [1, 4, 16]], 2);
  assert.deepEqual(segments, [[0.5, 0, 0.5, 1]]);
  assert.deepEqual(iso_line([[1, 4], [NaN, 4]], 2), [], "none where a corner is not known");
  assert.equal(iso_line([[1, 4], [4, 1]], 2).length, 2, "a saddle has two");
});

test("levels are round, ascending and inside", () => {
  const levels = levels_of(3, 90);
  assert.ok(levels.length >= 4 && levels[0]! > 3 && levels[levels.length - 1]! < 90);
  assert.deepEqual(levels, [...levels].sort((a, b) => a - b));
  assert.deepEqual(levels_of(5, 5), []);
});

test("colours mix from end to end", () => {
  assert.equal(mix("#000000", "#ff8000", 0), "rgb(0, 0, 0)");
  assert.equal(mix("#000000", "#ff8000", 0.5), "rgb(128, 64, 0)");
});

test("lines stop before the numbers in the cells", () => {
  assert.deepEqual(around_middles([0.5, 0, 0.5, 1], 0.3, 0.2), [[0.5, 0, 0.5, 1]], "between two columns nothing is in the way");
  const [first, ...others] = around_middles([0, 0.5, 1, 0.5], 0.3, 0.6);
  assert.deepEqual([others.length, first!.map((v) => Number(v.toFixed(6)))], [0, [0.3, 0.5, 0.7, 0.5]]);
  assert.deepEqual(around_middles([0, 0.05, 0.2, 0], 0.3, 0.2), [], "all of it lies on a number");
});

test("a cell shows the least within the budgets, and says where there is none", () => {
  const cells = cells_of(grid, "time", 1, 2, ["least", "least", "least"], (i) => grid.configurations[i]!.config[1]! < 600);
  assert.deepEqual(cells.beyond[0], [false, true]);
  const some = cells_of(grid, "time", 1, 2, ["least", "least", "least"], (i) => grid.configurations[i]!.config[0] === 4);
  assert.deepEqual([some.from[0], some.beyond[0]], [[1, 2], [false, true]], "one within the budgets goes before a lesser one beyond them");
});

test("of a tune the map ranks as the answer does", () => {
  // 1000 samples: of 600 there are two minibatches in an epoch, of 500 two as well, of 1000 one.
  const report = {
    title: "net", axes: [{ name: "batch_size", unit: "", scope: "run" }, { name: "cores", unit: "", scope: "board" }], per: "sample",
    configurations: [one([500, 2], 100), one([600, 2], 110), one([1000, 2], 190), one([1000, 4], 120)],
    request: { objective: "time", budgets: [], limits: [{ figure: "accuracy", at_least: 0.9 }], samples_per_epoch: 1000, batch_size: null },
    profiled: [{ configuration: 2, failure: null, figures: { accuracy: 0.95 } }, { configuration: 3, failure: null, figures: { accuracy: 0.5 } }],
  } as unknown as TuneReport;
  const map = tune_grid(report);
  assert.equal(map.per, "sample");
  const cells = cells_of(map, "time", 0, 1, [500, 2], allowed_in(report));
  assert.deepEqual(cells.values[0]!.map((v) => Number(v.toFixed(3))), [0.2, 0.22, 0.19]);
  const objective = objective_of(report, costs(report))!;
  assert.deepEqual(cells.values[0], report.configurations.slice(0, 3).map((c) => number_of(objective, c)));
  assert.deepEqual(cells.beyond, [[false, false, false], [true, true, true]], "the fastest breaks a limit of its own");
});
