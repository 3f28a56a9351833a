import assert from "node:assert/strict";
import { test } from "node:test";
import { duration } from "./format.ts";
import { moved, time_step, time_ticks, time_words, within, zoomed } from "./timespan.ts";

const plain = (text: string) => text.replaceAll("\u202f", " ");

test("a stretch stays within the run, as long as it was where there is room", () => {
  assert.deepEqual(within(60, 0.1, { from: -5, to: 5 }), { from: 0, to: 10 });
  assert.deepEqual(within(60, 0.1, { from: 55, to: 65 }), { from: 50, to: 60 });
  assert.deepEqual(within(60, 0.1, { from: -100, to: 100 }), { from: 0, to: 60 });
  assert.deepEqual(within(60, 2, { from: 30, to: 30 }), { from: 29, to: 31 });
});

test("what is zoomed about stays where it was", () => {
  for (const around of [0, 3, 10]) {
    const { from, to } = zoomed({ from: 0, to: 10 }, 0.25, around);
    assert.ok(Math.abs((around - from) / (to - from) - around / 10) < 1e-12);
    assert.ok(Math.abs(to - from - 2.5) < 1e-12);
  }
  assert.deepEqual(moved({ from: 1, to: 2 }, 3), { from: 4, to: 5 });
});

test("ticks are round, within the stretch, and never too many", () => {
  for (const length of [3e-5, 0.004, 0.7, 1, 11, 59, 61, 500, 3700, 86400, 1e6]) {
    for (const from of [0, 12.345]) {
      const { values } = time_ticks({ from, to: from + length }, 1e6, 8);
      assert.ok(values.length >= 2 && values.length <= 9, `${length}: ${values}`);
      for (const v of values) assert.ok(v >= from - 1e-9 * length && v <= from + length * 1.0001);
    }
  }
  assert.equal(time_step(60, 6), 10);
  assert.equal(time_step(86400, 8), 14400);
});

test("times are as fine as their step", () => {
  assert.equal(plain(time_words(12.5, 0.5, 60)), "12.5 s");
  assert.equal(plain(time_words(12, 1, 60)), "12 s");
  assert.equal(time_words(125, 1, 600), "2:05");
  assert.equal(time_words(125.25, 0.05, 600), "2:05.25");
  assert.equal(time_words(59.999, 1, 600), "1:00");
  assert.equal(time_words(12000, 600, 86400), "3:20");
  assert.equal(time_words(12005, 5, 86400), "3:20:05");
  assert.deepEqual([8.2e-4, 0.0025, 12, 600, 9000].map((s) => plain(duration(s))), ["820 µs", "2.5 ms", "12 s", "10 min 0 s", "2 h 30 min"]);
});
