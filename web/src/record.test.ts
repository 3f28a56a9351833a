import assert from "node:assert/strict";
import { test } from "node:test";
import { axis_label, columns_of, first_from, trace_of, value_range } from "./charts/record.ts";
import { record_sheet } from "./sheets/record.ts";
import { problems } from "./validate.ts";
import { record_page } from "../tests/fixtures/record.ts";

const close = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test("a record is a document that the page takes", () => {
  assert.deepEqual(problems(record_page()), []);
  const short = record_page();
  short.curves[0]!.mean.pop();
  assert.match(problems(short)[0]!, /different lengths/);
  const lacking = record_page();
  lacking.curves.pop();
  assert.match(problems(lacking)[0]!, /curves of/);
});

test("values stand at their times, and where nothing was measured the line breaks", () => {
  const page = record_page();
  const trace = trace_of(page.answer.channels[0]!, page.curves[0]!, page.begin_s, page.width_s, page.answer.thinned);
  close(trace.time[0]!, 0);
  const hole = trace.time.findIndex((t, i) => i > 0 && t - trace.time[i - 1]! > 100);
  assert.ok(hole > 0, "the fixture has a gap");
  const columns = columns_of(trace, { from: 0, to: page.answer.end_s }, 300);
  assert.equal(columns.filter((c) => c.broken).length, 2);
  assert.ok(columns.length <= 301);
});

test("a column holds the least and the largest of all that falls into it", () => {
  const page = record_page();
  const trace = trace_of(page.answer.channels[0]!, page.curves[0]!, page.begin_s, page.width_s, page.answer.thinned);
  const columns = columns_of(trace, { from: 0, to: page.answer.end_s }, 50);
  close(Math.min(...columns.map((c) => c.least)), Math.min(...trace.least));
  close(Math.max(...columns.map((c) => c.most)), Math.max(...trace.most));
  const [low, high] = value_range([columns], true);
  assert.equal(low, 0);
  assert.ok(high >= Math.max(...trace.most));
});

test("the first value from a time on", () => {
  const time = Float64Array.from([0, 1, 2, 4]);
  assert.deepEqual([-1, 0, 0.5, 4, 5].map((t) => first_from(time, t)), [0, 0, 1, 3, 4]);
});

test("gaps, thinned detail and damage are said", () => {
  const sheet = record_sheet(record_page());
  const words = sheet.notes.map((n) => n.text).join("\n");
  assert.match(words, /Thinned before/);
  assert.match(words, /Left out: block 7/);
  assert.match(sheet.figures[0]!.note!, /not measured/);
  assert.match(sheet.lines[0]!, /not closed/);
});

test("a simulated record does not tell when it began: the page tells when it was made", () => {
  const page = record_page();
  page.answer.provenance = "measured";
  assert.equal(record_sheet(page).started_at, page.answer.started_utc);
  page.answer.provenance = "simulated";
  assert.equal(record_sheet(page).started_at, undefined);
});

test("a counter is a slope between whole intervals: the last one, cut short, has none", () => {
  const page = record_page();
  const counter = { ...page.answer.channels[0]!, kind: "counter" as const, unit: "s" };
  const curve = { ...page.curves[0]!, after: [1, 1, 1, 1], min: [0, 2, 4, 5.8], mean: [0, 2, 4, 5.8], max: [0, 2, 4, 5.8] };
  const slope = trace_of(counter, curve, 0, 1, page.answer.thinned);
  assert.equal(slope.unit, "s/s");
  assert.deepEqual([...slope.mean], [2, 2, 2]);
  assert.equal(slope.time.length, 3);
});

test("labels of large values fit beside an axis", () => {
  assert.equal(axis_label(5_600_000_000), "5.6 G");
  assert.equal(axis_label(-2e6), "-2 M".replace("-", axis_label(-2)[0]!));
  assert.equal(axis_label(25), "25");
});
