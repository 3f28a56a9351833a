import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "./charts/hover.ts";
import { all_sides, apart, overlap, place, type Box } from "./charts/labels.ts";
import { log_ticks } from "./charts/scales.ts";
import { pareto } from "./pareto.ts";
import { accuracy, explained } from "./stats.ts";
import type { Pair } from "./view.ts";

test("the front keeps a point iff it beats all cheaper ones", () => {
  const x = [3, 1, 2, 2, 4, 5];
  const y = [5, 9, 7, 8, 5, 1];
  assert.deepEqual(pareto(x, y), [1, 2, 0, 5]);
  assert.deepEqual(pareto([1, NaN, 2], [1, 0, NaN]), [0]);
});

test("accuracy counts only what was not part of the fit", () => {
  const pair = (observed: number, predicted: [number, number, number], fitted: boolean): Pair => ({ configuration: 0, quantity: "time", observed, predicted, fitted });
  const found = accuracy([pair(100, [110, 90, 120], false), pair(100, [80, 70, 90], false), pair(100, [300, 0, 900], true)]);
  assert.equal(found?.count, 2);
  assert.ok(Math.abs(found!.mape - 15) < 1e-9);
  assert.equal(found?.coverage, 0.5);
  assert.equal(accuracy([pair(1, [1, 1, 1], true)]), null);
});

test("explained variance finds the setting that matters", () => {
  assert.equal(explained([0, 0, 1, 1], [5, 5, 9, 9]), 1);
  assert.equal(explained([0, 1, 0, 1], [5, 5, 9, 9]), 0);
});

test("the nearest point wins, a named one over its neighbours", () => {
  const x = [100, 106, 500];
  const y = [100, 100, 100];
  assert.equal(nearest(x, y, 101, 100, new Set()), 0);
  assert.equal(nearest(x, y, 101, 100, new Set([1])), 1);
  assert.equal(nearest(x, y, 300, 100, new Set()), -1);
});

test("logarithmic ticks", () => {
  assert.deepEqual(log_ticks(60, 1100), [100, 200, 500, 1000]);
  assert.deepEqual(log_ticks(0.5, 20000), [1, 10, 100, 1000, 10000]);
});

test("names never lie on each other, on a bubble, or outside", () => {
  const area: Box = { left: 0, top: 0, width: 400, height: 300 };
  const bubbles: Box[] = [[200, 150], [214, 150], [200, 168], [60, 20]].map(([x, y]) => ({ left: x! - 10, top: y! - 10, width: 20, height: 20 }));
  const spots = [[200, 150], [205, 155], [396, 4], [4, 296], [214, 150], [198, 149]];
  const places = place(spots.map(([x, y]) => ({ x: x!, y: y!, width: 70, height: 15, gap: 14, sides: all_sides })), bubbles, area);
  assert.ok(places.every((p) => p !== null), "there is room for all");
  places.forEach((a, i) => {
    assert.ok(a!.left >= 0 && a!.left + a!.width <= 400 && a!.top >= 0 && a!.top + a!.height <= 300);
    for (const b of [...bubbles, ...places.slice(0, i)]) assert.ok(!overlap(a!, b!, 0), `${i}`);
  });
  assert.deepEqual(place([{ x: 10, y: 10, width: 500, height: 15, gap: 4, sides: all_sides }], [], area), [null]);
});

test("of bubbles on each other the first one is shown", () => {
  const box = (left: number): Box => ({ left, top: 10, width: 20, height: 20 });
  assert.deepEqual(apart([box(10), box(25), box(31), box(-5)], { left: 0, top: 0, width: 100, height: 100 }), [true, false, true, false]);
});
