import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveState } from "./contract.ts";
import { connection_words, History } from "./events.ts";

const state = (seconds: number, answered: number): LiveState => ({
  seconds, draining: false, device: "host", mode: "", power_w: null, replans: 0, switches: 0, prefer: "latency", front: [],
  services: [{ name: "net", budget_ms: 100, waiting: 0, arrived: answered, answered, late: 0, refused: 0, failed: 0, p50_ms: 1, p99_ms: 2, recent_p50_ms: 1, recent_p99_ms: 2, margin_ms: 0, largest_batch: 4, inputs: [] }],
  trainings: [],
});

test("rates are per second between two states, and none where no time passed", () => {
  const history = new History();
  for (const [seconds, answered] of [[0, 0], [2, 120], [2, 130], [3, 190]] as const) history.add(state(seconds, answered));
  assert.deepEqual(history.rates((s) => s.services[0]!.answered), [[2, 60], [2, null], [3, 60]]);
});

test("a server that began again begins anew", () => {
  const history = new History();
  history.add(state(50, 3000));
  history.add(state(1, 10));
  assert.equal(history.states.length, 1);
});

test("ten minutes are kept", () => {
  const history = new History();
  for (let s = 0; s < 2000; s++) history.add(state(s, s));
  assert.equal(history.states.length, 600);
  assert.equal(history.states[0]!.seconds, 1400);
});

test("a lost connection, a drain and an end are told apart", () => {
  const on = state(42.2, 7);
  const drains = { ...on, draining: true };
  assert.equal(connection_words(null, false).kind, "waiting");
  assert.equal(connection_words(on, true).kind, "on");
  assert.equal(connection_words(drains, true).kind, "draining");
  assert.equal(connection_words(drains, false).kind, "ended");
  const lost = connection_words(on, false);
  assert.equal(lost.kind, "lost");
  assert.match(lost.text, /connection lost after 42\u202fs/);
});
