import assert from "node:assert/strict";
import { test } from "node:test";
import { infeasible_report, no_power_report, power_report } from "../tests/fixtures.ts";
import { consequence, headline, oracle_words } from "./answer.ts";
import { to_csv } from "./csv.ts";
import { value_of } from "./format.ts";
import { costs, limit_in, opening, within_budgets } from "./measures.ts";
import { problems } from "./validate.ts";

const plain = (text: string) => text.replaceAll("\u202f", " ");

test("the answer is one sentence, with what it costs against the default", () => {
  const report = power_report();
  report.choice = { configuration: 0, verified: true };
  report.configurations[0] = { config: [4, 1000, 500.5, 700], time_ms: [150, 148, 152], power_w: 20, energy_j: 3, provenance: "simulated" };
  report.default = { configuration: 1, name: "MAXN" };
  report.configurations[1] = { config: [12, 2000, 1000, 3000], time_ms: 100, power_w: 40, energy_j: 4, provenance: "simulated" };
  assert.equal(plain(headline(report)), "Train mobilenet_v3 on twin with 4 CPU cores, CPU at 1000 MHz, GPU at 500.5 MHz and memory at 700 MHz.");
  assert.equal(plain(consequence(report)), "A minibatch takes 150 ms and draws 20.0 W, within the 30 W power budget: 50 % more time, 50 % less power and 25 % less energy than the default.");
  report.configurations[1].provenance = "predicted";
  assert.match(consequence(report), /than the default \(predicted\)\.$/);
  report.default.configuration = 0;
  assert.match(consequence(report), /that is the default \(MAXN\)\.$/);
});

test("without power the answer speaks of time alone", () => {
  const text = consequence(no_power_report());
  assert.match(text, /less time than the default/);
  assert.doesNotMatch(text, /power|energy|NaN|null/);
});

test("an infeasible request says so and why", () => {
  const report = infeasible_report();
  assert.equal(plain(headline(report)), "No configuration of mobilenet_v3 on twin meets the 8 W power budget.");
  assert.match(consequence(report), /lowest power of any mode/);
});

test("the oracle is compared in the objective", () => {
  const report = power_report();
  report.oracle = { raw: report.default!.configuration, robust: report.choice!.configuration };
  assert.match(plain(oracle_words(report)), /equal to the robust optimum and \d+ % more than the raw optimum/);
});

test("the oracle is what the table says, not what was predicted of it", () => {
  const report = power_report();
  const choice = report.configurations[report.choice!.configuration]!;
  const time = value_of(choice.time_ms!);
  const tabled = { time_ms: time / 2, power_w: null, energy_j: null };
  report.oracle = { raw: report.choice!.configuration, robust: null, raw_tabled: tabled };
  assert.match(plain(oracle_words(report)), /100 % more than the raw optimum/);
});

test("the cloud opens with time against power, or with the setting that matters", () => {
  assert.deepEqual(opening(power_report()), { x: "power", y: "time" });
  assert.deepEqual(opening(no_power_report()), { x: "axis:cpu_cores", y: "time" });
  const energy = power_report();
  energy.request = { ...energy.request, objective: "energy", budgets: [] };
  assert.deepEqual(opening(energy), { x: "energy", y: "time" });
});

test("minibatches of unlike size are compared per epoch or per sample", () => {
  const report = no_power_report();
  report.axes[2] = { name: "batch_size", unit: "", scope: "run" };
  assert.equal(opening(report).y, "epoch_time");
  const epoch = costs(report).find((m) => m.id === "epoch_time")!;
  assert.equal(epoch.of({ ...report.configurations[0]!, config: [1, 0, 8], time_ms: 2 }), 15);
  report.request.samples_per_epoch = null;
  assert.equal(opening(report).y, "sample_time");
});

test("budgets are converted and checked", () => {
  assert.equal(limit_in({ quantity: "time", limit: 2, unit: "min", per: "epoch" }, "s"), 120);
  assert.equal(limit_in({ quantity: "power", limit: 30, unit: "W", per: null }, "W"), 30);
  const report = power_report();
  const within = within_budgets(report, costs(report));
  const row = report.configurations[0]!;
  assert.equal(within({ ...row, power_w: 30 }), true);
  assert.equal(within({ ...row, power_w: 30.01 }), false);
  assert.equal(within({ ...row, power_w: null }), false);
});

test("the CSV has the axes' column names and empty fields for what is unknown", () => {
  const lines = to_csv(no_power_report()).trimEnd().split("\n");
  assert.equal(lines.length, 33);
  assert.equal(lines[0], "cpu_cores,loader_workers,prefetch,minibatch_ms,minibatch_ms_low,minibatch_ms_high,power_w,power_w_low,power_w_high,energy_j,energy_j_low,energy_j_high,provenance,front");
  assert.match(lines[1]!, /^1,0,1,[\d.]+,[\d.]+,[\d.]+,,,,,,,simulated,0$/);
});

test("a document that cannot be shown is refused by name", () => {
  assert.deepEqual(problems(power_report()), []);
  assert.match(problems([])[0]!, /not a JSON object/);
  assert.match(problems({ ...power_report(), schema: "flyball-report/9" })[0]!, /flyball-report\/9/);
  assert.match(problems({ ...power_report(), kind: "plan" })[0]!, /"plan"/);
  assert.match(problems({ ...power_report(), choice: { configuration: 864, verified: true } })[0]!, /choice\.configuration is 864, there are 864/);
  assert.match(problems({ ...power_report(), axes: power_report().axes.slice(1) })[0]!, /configurations\[0\] has 4 values for 3 axes/);
  assert.match(problems({ ...power_report(), choice: null })[0]!, /infeasible does not say why/);
  const { run: _, ...without_run } = power_report();
  assert.deepEqual(problems(without_run), ["run is missing"]);
});
