import assert from "node:assert/strict";
import { test } from "node:test";
import { plan_page } from "../tests/fixtures/sheets.ts";
import { batch_report, comparison_of, infeasible_report, no_power_report, power_report } from "../tests/fixtures/tune.ts";
import { marks } from "./charts/cloud.ts";
import type { Colours } from "./theme.ts";
import { consequence, headline, idle_words, not_established, oracle_words } from "./answer.ts";
import { to_csv } from "./csv.ts";
import { value_of } from "./format.ts";
import { bounded_by, compared_per, costs, limit_in, limit_on, objective_of, opening, per_sample, within_budgets } from "./measures.ts";
import { axis_of } from "./words.ts";
import { answer_at, limit_at, question_of, slider_steps, step_at } from "./whatif.ts";
import { problems } from "./validate.ts";
import { page_of } from "../tests/tune_page.ts";
import { tune_report } from "./sheets/tune.ts";
import type { TuneReport } from "./view.ts";

const plain = (text: string) => text.replaceAll("\u202f", " ");

test("the answer is one sentence, with what it costs against the default", () => {
  const report = power_report();
  report.choice = { configuration: 0, verified: true };
  report.configurations[0] = { config: [4, 1000, 500.5, 700], time_ms: [150, 148, 152], power_w: 20, energy_j: 3, provenance: "simulated" };
  report.default = { configuration: 1, name: "MAXN" };
  report.configurations[1] = { config: [12, 2000, 1000, 3000], time_ms: 100, power_w: 40, energy_j: 4, provenance: "simulated" };
  assert.equal(plain(headline(report)), "Train mobilenet_v3 on twin with 4 CPU cores, CPU at 1000 MHz, GPU at 500.5 MHz and memory at 700 MHz.");
  report.comparison = comparison_of(report);
  assert.equal(plain(consequence(report)), "A minibatch takes 150 ms and draws 20 W, within the 30 W power budget: 50 % more time per minibatch than the default.");
});

test("the comparison is in the program's words, and noise is no gain", () => {
  const report = power_report();
  report.comparison = { ...report.comparison!, text: "words of the terminal", established: true };
  assert.match(consequence(report), /: words of the terminal\.$/);
  assert.equal(not_established(report), false);
  report.comparison = comparison_of(report, false);
  assert.equal(not_established(report), true);
  report.default!.configuration = report.choice!.configuration;
  assert.equal(not_established(report), false);
});

test("a server's time is its latency, which times power is no energy", () => {
  const page = page_of(power_report());
  page.answer.per = "request";
  page.answer.request.samples = null;
  page.answer.request.figure = "ttft";
  const report = tune_report(page);
  assert.deepEqual(costs(report).map((m) => m.label), ["Time to the first token", "Power"]);
  assert.match(plain(consequence(report)), /^Time to the first token: [\d.]+ m?s and it draws /);
  page.answer.request.limits = [{ figure: "ttft", at_most: 0.5 }, { figure: "failed", at_most: 0.01 }];
  assert.match(plain(consequence(tune_report(page))), /ttft ≤ 500 ms.*failed ≤ 1 %/);
  page.answer.request.figure = "throughput";
  const rated = tune_report(page);
  assert.deepEqual(costs(rated).slice(0, 3).map((m) => m.label), ["Time per request", "Power", "Energy per request"]);
  assert.match(plain(consequence(rated)), /^It answers [\d.]+ requests\/s and draws /);
  assert.equal(problems(page).length, 0);
});

test("how much of the power is idle power is said where it is known", () => {
  const report = power_report();
  assert.equal(idle_words(report), "");
  report.choice!.idle = { power_w: 9.1, share: 0.41, measured_utc: null, run: null };
  assert.equal(plain(idle_words(report)), "Of its power 9.10 W (41 %) is idle power of this mode, simulated.");
  assert.deepEqual(tune_report(page_of(report)).choice!.idle, report.choice!.idle);
});

test("where batch sizes vary, everything is per sample", () => {
  const report = batch_report();
  delete report.per;
  const available = costs(report);
  assert.deepEqual(available.slice(0, 3).map((m) => m.id), ["sample_time", "power", "sample_energy"]);
  assert.match(plain(consequence(report)), /^A sample takes [\d.]+ ms and draws /);
  assert.equal(objective_of(report, available)!.id, "sample_time");
  const c = report.configurations[5]!;
  assert.equal(value_of(available[0]!.of(c)!), value_of(c.time_ms!) / c.config[0]!);
});

test("limits on the program's own figures are kept by the slider, too", () => {
  const report = power_report();
  const question = question_of(report)!;
  const best = answer_at(report, question, question.most)!;
  report.request.limits = [{ figure: "accuracy", at_least: 0.7 }];
  assert.equal(answer_at(report, question, question.most), best, "what is not told is not held against it");
  report.profiled.push({ ...report.profiled[0]!, configuration: best, failure: null, figures: { accuracy: 0.5 } });
  assert.notEqual(answer_at(report, question, question.most), best);
  report.profiled[report.profiled.length - 1]!.figures = { accuracy: 1 - 0.01 * 32 }; // a hair below the number that is written so
  report.request.limits = [{ figure: "accuracy", at_least: 0.68 }];
  assert.equal(answer_at(report, question, question.most), best);
});

test("axes of a minibatch are those that the program knows as such", () => {
  assert.deepEqual(["batch_size", "tokens", "threads", "precision", "gpu_mhz"].map((name) => axis_of(name).scope), ["run", "run", "run", "run", "board"]);
});

test("a budget is found on every axis that it bounds", () => {
  const report = power_report();
  const available = costs(report);
  const epoch = { quantity: "time", limit: 4, unit: "min", per: "epoch" } as const;
  const time = available.find((m) => m.id === "time")!;
  assert.equal(bounded_by(epoch, available)!.id, "epoch_time");
  assert.ok(Math.abs(limit_on(report, epoch, time, available) - 240_000 / Math.ceil(23_080 / 16)) < 1e-6);
  assert.ok(Number.isNaN(limit_on(report, epoch, available.find((m) => m.id === "power")!, available)));
  // Minibatches of unlike size have no common limit.
  const batch = batch_report();
  assert.ok(Number.isNaN(limit_on(batch, epoch, costs(batch).find((m) => m.id === "time")!, costs(batch))));
});

test("the slider reads the best within another budget from what is measured or predicted", () => {
  const report = power_report();
  const question = question_of(report)!;
  assert.equal(question.measure.id, "power");
  assert.equal(question.asked, 30);
  for (const limit of [15, 22.5, 30, 60]) {
    const best = answer_at(report, question, limit)!;
    const allowed = report.configurations.filter((c) => value_of(c.power_w!) <= limit);
    assert.equal(value_of(report.configurations[best]!.time_ms!), Math.min(...allowed.map((c) => value_of(c.time_ms!))), `${limit} W`);
  }
  assert.equal(answer_at(report, question, 1), null);
  assert.equal(limit_at(question, slider_steps), question.most);
  assert.ok(Math.abs(limit_at(question, step_at(question, 30)) - 30) < (question.most - question.least) / slider_steps);
  // Other budgets stay.
  report.request.budgets.push({ quantity: "energy", limit: 4, unit: "J", per: "minibatch" });
  const both = answer_at(report, question_of(report)!, 40)!;
  assert.ok(value_of(report.configurations[both]!.energy_j!) <= 4);
  assert.equal(question_of(no_power_report()), null);
});

test("without power the answer speaks of time alone", () => {
  const report = no_power_report();
  report.comparison = comparison_of(report);
  const text = consequence(report);
  assert.match(text, /less time per minibatch than the default/);
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

test("minibatches of unlike size are compared per sample", () => {
  const report = no_power_report();
  report.axes[2] = { name: "batch_size", unit: "", scope: "run" };
  assert.equal(opening(report).y, "sample_time");
  const epoch = costs(report).find((m) => m.id === "epoch_time")!;
  assert.equal(epoch.of({ ...report.configurations[0]!, config: [1, 0, 8], time_ms: 2 }), 15);
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
  assert.deepEqual(problems(page_of(power_report())), []);
  assert.match(problems([])[0]!, /not a JSON object/);
  assert.match(problems({ ...page_of(power_report()), schema: "flyball-report/9" })[0]!, /flyball-report\/9/);
  assert.match(problems({ ...page_of(power_report()), kind: "sums" })[0]!, /"sums"/);
  assert.deepEqual(problems(plan_page()), []);
  const silent = plan_page();
  silent.answer.choice = silent.answer.answer = null;
  assert.match(problems(silent)[0]!, /infeasible does not say why/);
  const page = () => page_of(power_report());
  assert.match(problems({ ...page(), configurations: page().configurations!.slice(0, 400) })[0]!, /answer\.\w+ is not among the 400 configurations/);
  const narrow = page();
  narrow.answer.axes.shift();
  assert.match(problems(narrow)[0]!, /configurations\[0\] has 4 values for 3 axes/);
  const unnamed = page();
  delete unnamed.answer.choice!.config["gpu_mhz"];
  assert.deepEqual(problems(unnamed), ["answer.choice has no gpu_mhz"]);
  assert.match(problems({ ...page(), answer: { ...page().answer, choice: null } })[0]!, /infeasible does not say why/);
  const { apply: _, ...without_apply } = page();
  assert.deepEqual(problems(without_apply), ["apply is missing"]);
});

test("a tune's page shows what its answer says", () => {
  for (const made of [power_report(), no_power_report(), batch_report(), infeasible_report()]) {
    const shown = tune_report(page_of(made));
    const rows = (r: TuneReport) => r.configurations.map(({ config, time_ms, power_w, provenance, front }) => ({ config, time_ms, power_w, provenance, front: front ?? false }));
    assert.deepEqual(rows(shown), rows(made));
    for (const key of ["axes", "default", "front", "per"] as const) assert.deepEqual(shown[key], key === "per" ? compared_per(made) : made[key], key);
    assert.equal(shown.choice?.configuration, made.choice?.configuration);
    assert.deepEqual(shown.infeasible ?? null, made.infeasible ?? null);
    assert.deepEqual(shown.request.budgets, made.request.budgets);
    assert.deepEqual(shown.profiled.map((t) => t.configuration), made.profiled.map((t) => t.configuration));
    assert.equal(shown.pairs!.length, made.pairs!.filter((p) => p.quantity !== "energy").length);
    assert.deepEqual([shown.oracle?.raw, shown.oracle?.robust], [made.oracle?.raw, made.oracle?.robust]);
  }
  const sample = tune_report(page_of(batch_report()));
  const c = sample.configurations[5]!;
  assert.equal(value_of(per_sample(sample, c, c.time_ms)!), value_of(c.time_ms!) / c.config[0]!);
  const partial = { ...sample, request: { ...sample.request, samples_per_epoch: 2 * c.config[0]! + 1 } };
  assert.equal(value_of(per_sample(partial, c, c.time_ms)!), (value_of(c.time_ms!) * 3) / (2 * c.config[0]! + 1), "three minibatches, the last one of one sample");
  assert.ok(Math.abs(value_of(c.energy_j!) - value_of(c.time_ms!) * value_of(c.power_w!) * 1e-3) < 1e-12);
});

test("a reopened tune holds what its answer speaks of, and says so", () => {
  const page = page_of(power_report());
  const whole = tune_report(page);
  const again = tune_report({ ...page, configurations: null });
  assert.ok(again.configurations.length < whole.configurations.length);
  const at = (r: TuneReport, index: number) => r.configurations[index]!;
  assert.deepEqual(at(again, again.choice!.configuration), at(whole, whole.choice!.configuration));
  assert.deepEqual(at(again, again.default!.configuration).power_w, at(whole, whole.default!.configuration).power_w);
  again.profiled.forEach((t, i) => assert.deepEqual(at(again, t.configuration), at(whole, whole.profiled[i]!.configuration)));
  assert.match(again.title, /^run 42: mobilenet_v3 training on twin \(simulated\)$/);
  assert.match(again.notes.at(-1)!.text, /^reopened from the store/);
  assert.match(again.notes.at(-1)!.hint!, /--report/);
  for (const t of page.answer.profiled) t.origin = "told";
  assert.equal(tune_report({ ...page, configurations: null }).notes.at(-1)!.hint, undefined, "no command goes on with a study");
});

test("presets that are known are marked where they stand", () => {
  const page = page_of(power_report());
  const preset = (name: string, gpu_mhz: number, known = true) => ({ id: 0, name, in_force: false, default: false, config: { gpu_mhz }, minibatch_ms: known ? 1 : null, power_w: null, provenance: "simulated" as const, breaks: [], text: null });
  const axes = page.answer.axes.map((axis) => axis.name), at = axes.indexOf("gpu_mhz");
  const base = axes.map((name) => page.answer.default.config[name]!);
  const other = page.configurations!.findIndex(({ config }) => config.every((v, i) => (i === at ? v !== base[i] : v === base[i])));
  const clock = page.configurations![other]!.config[at]!;
  page.answer.presets = [preset("15W", clock), preset("not measured", clock, false), preset("not offered", 1)];
  const report = tune_report(page);
  assert.deepEqual(report.presets, [{ configuration: other, name: "15W" }]);
  assert.equal(report.configurations.length, page.configurations!.length, "none is added for them");
  const named = marks(report, {} as Colours).filter((m) => m.kind === "preset");
  assert.deepEqual(named.map((m) => [m.index, m.text]), [[other, "15W"]]);
});

test("a limit on the slowdown is drawn as the time that the default would then take", () => {
  const page = page_of(power_report());
  const free = tune_report(page).request.budgets.length;
  page.answer.request.slowdown_limit_pct = 10;
  const report = tune_report(page);
  const budget = report.request.budgets.at(-1)!;
  assert.equal(report.request.budgets.length, free + 1);
  assert.equal(budget.limit, page.answer.default.minibatch_ms! * (1 + 10 / 100));
  assert.ok(bounded_by(budget, costs(report)));
  assert.match(plain(consequence(report)), /limit of 10 % on the slowdown against the default/);
});

test("what the trials watched, figures and limits are put into words", () => {
  const page = page_of(power_report());
  page.answer.profiled[0]!.throttled = true;
  page.answer.choice!.figures = { memory: 1e9, accuracy: 0.5 };
  page.answer.request.limits = [{ figure: "memory", at_most: 2e9 }, { figure: "accuracy", at_least: 0.25 }];
  const report = tune_report(page);
  assert.ok(report.notes.some((n) => n.level === "warning" && n.text === "the board throttled during 2 of 10 trials that were watched for it"), JSON.stringify(report.notes));
  assert.match(plain(consequence(report)), /limit memory ≤ 2 GB and limit accuracy ≥ 0\.25/);
});
