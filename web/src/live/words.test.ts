import assert from "node:assert/strict";
import { test } from "node:test";
import type { LiveState } from "./contract.ts";
import { front_of, heights } from "./shapes.ts";
import { curl_line, figures_of, stop_words } from "./words.ts";

const plain = (text: string): string => text.replaceAll("\u202f", " ");

const state = (more: Partial<LiveState> = {}): LiveState => ({
  seconds: 90, draining: false, device: "host", mode: "", power_w: null, replans: 1, switches: 0, prefer: "latency", front: [],
  services: [{ name: "net", budget_ms: 200, margin_ms: 10, waiting: 2, arrived: 500, answered: 480, late: 5, refused: 0, failed: 0, p50_ms: 9, p99_ms: 90, recent_p50_ms: 0.8, recent_p99_ms: 12, largest_batch: 4, inputs: [{ name: "image", datatype: "FP32", shape: [1, 28, 28] }] }],
  trainings: [{ name: "lm", minibatches: 1234, loss: 0.4567, kept: true }], ...more,
});

test("figures have units, and latency is that of the last minute", () => {
  const words = figures_of(state()).map((f) => plain(`${f.label}: ${f.amount} ${f.unit}; ${f.note}`));
  assert.equal(words[0], "net: median latency, last minute: 800 µs; 99 % within 12.0 ms; budget 200 ms, 10.0 ms of it kept for the client's side");
  assert.match(words[1]!, /480 requests; late 5 \(1\.0 %\), refused 0; 2 waiting now$/);
  assert.match(words[2]!, /^lm: trained since the start: 1234 minibatches; loss 0\.457, mean of the last 50$/);
  assert.match(words[3]!, /--prefer.*latency ; the soonest answers that keep 99 % of the training$/);
  assert.match(words[4]!, /^Power: not available/);
  assert.match(words[5]!, /1 time; 0 changes of mode$/);
  assert.match(plain(figures_of(state({ prefer: "5ms" }))[3]!.note), /^1 % of training is worth 5ms/);
  assert.ok(!figures_of(state({ trainings: [] })).some((f) => f.name === "prefer"));
});

test("a line asks the service with its name and shape, however large", () => {
  const [net] = state().services;
  assert.equal(curl_line("http://localhost:8000", "net", [{ name: "input", datatype: "FP32", shape: [2] }], false),
    `curl http://localhost:8000/v2/models/net/infer -d '{"inputs":[{"name":"input","shape":[1,2],"datatype":"FP32","data":[0,0]}]}'`);
  assert.equal(curl_line("http://localhost:8000", "net", net!.inputs, true),
    `printf '{"inputs":[{"name":"image","shape":[1,1,28,28],"datatype":"FP32","data":[%s]}]}' "$(yes 0 | head -n 784 | paste -sd, -)" | curl http://localhost:8000/v2/models/net/infer -H "Authorization: Bearer $FLYBALL_TOKEN" -d @-`);
  assert.match(curl_line("http://h", "script:/nets/a.pt", net!.inputs, false), /http:\/\/h\/v2\/models\/script%3A%2Fnets%2Fa\.pt\/infer/);
  assert.match(curl_line("http://h", "lm", [{ name: "ids", datatype: "INT64", shape: [-1] }], false), /"shape":\[1,8\],"datatype":"INT64","data":\[0,0,0,0,0,0,0,0\]/);
});

test("who stops it is told what becomes of the training", () => {
  assert.match(stop_words(state()), /SIGTERM.*lm: the training is kept on disk/);
  assert.match(stop_words(state({ trainings: [{ name: "lm", minibatches: 1, loss: null, kept: false }] })), /lm: the training is not kept/);
});

test("there is room above the budget, and values far below it can be read", () => {
  const line = (value: number, dashed = false) => ({ name: "", colour: "", dashed, data: [[1, value] as [number, number]] });
  assert.deepEqual(heights([line(50), line(100, true)]), { log: false, low: 0, high: 114.99999999999999 });
  const far = heights([line(1), line(200, true)]);
  assert.ok(far.log && far.low < 1 && far.high > 300);
  assert.equal(heights([line(0)]).high, 1);
});

test("the front is drawn where a plan has one", () => {
  assert.equal(front_of(state()), null);
  const front = [{ median_ms: 5, trainings_per_s: 9, chosen: true }, { median_ms: 150, trainings_per_s: 9.1, chosen: false }, { median_ms: null, trainings_per_s: 1, chosen: false }];
  assert.deepEqual(front_of(state({ front }))!.points.map((p) => [p.x, p.y, p.marked]), [[5, 9, true], [150, 9.1, false]]);
});
