import assert from "node:assert/strict";
import { test } from "node:test";
import { axis_label, duration, exact, instant, interval, more_or_less, number, setting_words, upper_number, with_unit } from "./format.ts";

const plain = (text: string) => text.replaceAll("\u202f", " ");

test("numbers keep three significant digits and no powers of ten", () => {
  assert.equal(number(1.2345), "1.23");
  assert.equal(number(0.012345), "0.0123");
  assert.equal(number(123.45), "123");
  assert.equal(number(-4.5), "−4.50");
  assert.equal(number(0), "0");
  assert.equal(number(NaN), "–");
  assert.equal(plain(number(1234567)), "1 234 567");
  // As the terminal says them (base/figure_test.cc).
  assert.deepEqual([4e-7, -1.234e-6, 1.5e-10, 0.00012345, 0.000099999].map((v) => number(v)), ["4e-07", "−1.23e-06", "1.5e-10", "0.000123", "0.000100"]);
});

test("axis values lose no digit", () => {
  assert.equal(exact(1236.75), "1236.75");
  assert.equal(plain(exact(23080)), "23 080");
});

test("units are chosen so that the value reads best", () => {
  assert.equal(plain(with_unit(0.0127, "J")), "12.7 mJ");
  assert.equal(plain(with_unit(4560, "J")), "4.56 kJ");
  assert.equal(plain(with_unit(0.404, "ms")), "404 µs");
  assert.equal(plain(with_unit(97, "s")), "97.0 s");
  assert.equal(plain(with_unit(166, "s")), "2.77 min");
  assert.equal(plain(with_unit(30, "W")), "30.0 W");
});

test("an interval has the unit of its value", () => {
  assert.equal(plain(interval([0.0127, 0.012, 0.013], "J")), "12.0–13.0 mJ");
  assert.equal(interval(3, "W"), "");
});

test("differences are said in words", () => {
  assert.equal(plain(more_or_less(64, 100)), "36 % less");
  assert.equal(plain(more_or_less(104.2, 100)), "4.2 % more");
  assert.equal(more_or_less(100.04, 100), "the same");
  assert.equal(plain(more_or_less(100.3, 100)), "0.30 % more");
});

test("settings are named as people say them", () => {
  assert.equal(setting_words({ name: "cpu_cores", unit: "", scope: "board" }, 12), "12 CPU cores");
  assert.equal(setting_words({ name: "cpu_cores", unit: "", scope: "board" }, 1), "1 CPU core");
  assert.equal(setting_words({ name: "loader_workers", unit: "", scope: "run" }, 0), "no loader workers");
  assert.equal(plain(setting_words({ name: "gpu_mhz", unit: "MHz", scope: "board" }, 816)), "GPU at 816 MHz");
  assert.equal(setting_words({ name: "prefetch", unit: "", scope: "run" }, 4), "prefetch 4");
  assert.equal(axis_label({ name: "queue_depth", unit: "", scope: "run" }), "Queue depth");
});

test("what may be typed as a limit is rounded up, and not beyond the one that it keeps", () => {
  assert.deepEqual([25.211, 25.2, 0.001, 999.61, 1e6].map((v) => plain(upper_number(v))), ["25.22", "25.2", "0.001", "999.7", "1 000 000"]);
  assert.deepEqual([4e-7, 1.23451e-6, 0.000123451].map((v) => upper_number(v)), ["4e-07", "1.235e-06", "0.0001235"]);
  assert.equal(upper_number(25.2101, 25.215), "25.215");
  assert.equal(upper_number(25.2101, 25), "25.22");
});

test("durations and instants", () => {
  assert.deepEqual([0.34, 31.52, 59.96, 742, 3599.6].map((s) => plain(duration(s))), ["340 ms", "31.5 s", "1 min 0 s", "12 min 22 s", "1 h 0 min"], "as base/units_test.cc has them");
  assert.equal(plain(duration(7500)), "2 h 5 min");
  assert.equal(instant("2025-06-14T09:12:30Z"), "14 Jun 2025, 09:12 UTC");
  assert.equal(instant("yesterday"), "yesterday");
});
