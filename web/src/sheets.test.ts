import assert from "node:assert/strict";
import { test } from "node:test";
import { dynamic_page, plan_page, profile_page, roofline_page, run_page } from "../tests/fixtures/sheets.ts";
import { fleet_page } from "../tests/fixtures/fleet.ts";
import { benchmark_page, boards_page, evaluation_page, experiment_page, findings_page } from "../tests/fixtures/studies.ts";
import type { ComparisonPage, PlanSimulatedChoice, ProfilePage, RunsPair, RunsSide } from "./contract.ts";
import { meter_scale } from "./charts/meters.ts";
import { bars_text, build_bars, type Bar } from "./charts/epochs.ts";
import { short_labels } from "./charts/violins.ts";
import { benchmark_sheet } from "./sheets/benchmark.ts";
import { duration } from "./format.ts";
import { boards_sheet } from "./sheets/boards.ts";
import { best_of, evaluation_sheet } from "./sheets/evaluation.ts";
import { experiment_view } from "./sheets/experiment.ts";
import { fleet_sheet } from "./sheets/fleet.ts";
import { findings_sheet } from "./sheets/findings.ts";
import { plan_sheet } from "./sheets/plan.ts";
import { profile_sheet } from "./sheets/profile.ts";
import { roofline_sheet } from "./sheets/roofline.ts";
import { comparison_sheet, run_sheet } from "./sheets/runs.ts";
import type { Colours } from "./theme.ts";
import { bytes_words, quantity, type Sheet } from "./sheets/sheet.ts";
import { problems } from "./validate.ts";

const plain = (text: string): string => text.replaceAll("\u202f", " ");

/** A column of the table of this title. */
function column(sheet: Sheet, title: string, label: string): unknown[] {
  const table = [...(sheet.beside ?? []), ...sheet.tables].find((t) => t.title === title)!;
  const at = table.columns.findIndex((c) => c.label === label);
  assert.ok(at >= 0, label);
  return table.rows.map((row) => row.cells[at]);
}

test("the made-up answers keep to their schemas", () => {
  for (const page of [run_page(), roofline_page(), profile_page(), plan_page(), dynamic_page(), experiment_page(), findings_page(), evaluation_page(), boards_page(), benchmark_page(), fleet_page()]) assert.deepEqual(problems(page), []);
  const page = roofline_page();
  page.tables[0]!.axes.pop();
  assert.match(problems(page)[0]!, /tables\[0\]\.configurations\[0\] has 4 values for 3 axes/);
  assert.deepEqual(problems({ ...run_page(), answer: { ...run_page().answer, sources: undefined } }), ["answer.sources is missing"]);
});

test("a network's profile shows what training showed, and what idling draws", () => {
  const page = profile_page();
  page.answer.idle = { power_w: 6, share: 0.25, measured_utc: "2025-06-14T09:00:00Z", run: 3 };
  Object.assign(page.answer.later!, { energy_j: 295, mean_w: 24 });
  page.answer.disturbed = "process 7 (flyball tune)";
  const sheet = profile_sheet(page);
  // Few epochs stand side by side, without what none of them knows.
  const [epochs] = sheet.tables;
  assert.deepEqual(epochs!.columns.map((c) => c.label), ["", "epoch 0", "epoch 1"]);
  assert.deepEqual(epochs!.rows.find((r) => r.cells[0] === "Perplexity")!.cells.slice(1), [20, 19]);
  assert.ok(!epochs!.rows.some((r) => /power|GPU/i.test(String(r.cells[0]))));
  const figure = sheet.figures[sheet.figures.length - 1]!;
  assert.deepEqual([figure.label, figure.value, plain(figure.note!)], ["power", 24, "6.00 W of it (25 %) is idle power of this mode, measured 14 Jun 2025, 09:00 UTC (run 3)"]);
  assert.equal(plain(sheet.headline), "An epoch of lenet5 training (simulated) takes 12.3 s.");
  assert.deepEqual(sheet.settings!.map((s) => [s.label, s.value]), [["Batch size", "16"], ["Loader workers", "0"], ["Threads", "2"], ["Precision", "fp32"]]);
  assert.ok(sheet.facts[0]!.list.some((f) => f.name === "Drop last" && f.value === "no"));
  assert.deepEqual(sheet.lines, ["82 % of it compute, 16 % visible waiting for data, 2 % overhead."]);
  assert.deepEqual(sheet.notes, [
    { level: "gap", text: "power is not available on this machine (`flyball doctor` says why)", hint: "power is not available on this machine: no RAPL energy counters" },
    { level: "warning", text: "measured beside process 7 (flyball tune): its times deserve doubt" },
  ]);
});

test("of many epochs the first and the mean of the others are drawn", () => {
  const page = profile_page();
  page.answer.epochs = Array.from({ length: 20 }, (_, epoch) => ({ ...page.answer.epochs[0]!, epoch }));
  assert.deepEqual(profile_sheet(page).bars!.map((b) => b.which), ["epoch 0", "mean of the others"]);
});

test("a program's marks are rows, those whose parts are known bars", () => {
  const part = { name: "", minibatches: 5, e2e_s: 2, stall_s: 0.5, compute_s: 1.4, overhead_s: 0.1, minibatch_ms: 400, energy: null, gpu: null };
  const window = { ...part, name: "load", stall_s: null, compute_s: null, overhead_s: null, minibatch_ms: null };
  const page: ProfilePage = {
    ...profile_page(),
    answer: {
      schema: 2, command: ["./a.out", "5"], started_utc: "2026", exit_code: 0, wall_s: 2.5, start_up_s: 0.1, marked: part, lost_marks: 2, cpu_s: 2, cpu_pct: 80, peak_memory_bytes: 1, peak_processes: 1, read_bytes: null, read_chars: null, energy: null,
      gpu: { index: 0, load_pct: 33, clock_mhz: 306, memory_bytes: null }, power_total: "", power_gap: "", windows: [window], stopped: "", disturbed: null,
    },
  };
  const sheet = profile_sheet(page);
  assert.equal(sheet.headline, "./a.out 5 took 2.5 s: 5 marked minibatches of 400 ms.");
  assert.deepEqual(column(sheet, "What it marked", "stretch"), ["all marked minibatches", "load"]);
  assert.deepEqual(column(sheet, "What it marked", "GPU load"), [null, null]);
  assert.deepEqual(sheet.bars!.map((b) => b.label), ["all marked minibatches"]);
  assert.ok(sheet.figures.some((f) => f.label === "GPU load" && f.value === 33));
  assert.deepEqual(sheet.notes.map((n) => n.text), ["2 marks were lost"]);
});

test("a plan shows its answer among the alternatives, what easing buys, and where trials come from", () => {
  const page = plan_page();
  const sheet = plan_sheet(page);
  assert.equal(plain(sheet.headline), "Train net and serve det on twin with 8 CPU cores and GPU at 873 MHz; det with batch size 8.");
  assert.equal(sheet.subject, "Plan · concurrent · net (training) and det (serving) · twin (simulated)");
  assert.deepEqual(sheet.figures.map((f) => [f.label, f.value, f.note]), [["throughput", 9.375, undefined], ["power", 29.1, undefined], ["found with", 10, "in 11 trials now and 1 known before"]]);
  assert.deepEqual(column(sheet, "What a little more would buy", "gain"), ["3.2 %", "nothing"]);
  assert.deepEqual(column(sheet, "What a little more would buy", "then"), ["9.68 training minibatches/s", ""]);
  assert.deepEqual(column(sheet, "What a little more would buy", "at").map((at) => plain(at as string)), ["8 CPU cores and GPU at 921 MHz; det with batch size 8", ""]);
  const none = page.answer.would_buy[1]!;
  const easing = (gain_pct: number | null, provenance?: "predicted" | null) => {
    Object.assign(none, { gain_pct, provenance });
    return column(plan_sheet(page), "What a little more would buy", "gain")[1];
  };
  assert.deepEqual([easing(0, "predicted"), easing(0), easing(null, null)], ["none is predicted", "none is predicted", "not known"]);
  assert.deepEqual(column(sheet, "What was profiled", "minibatch").slice(1), ["failed: out of memory"]);
  assert.match(column(sheet, "What was profiled", "why")[0] as string, / \(from run 3\)$/);
  assert.equal(column(sheet, "What was profiled", "also known")[0], "others kept 0.8 cores busy");
  const [chart] = sheet.charts;
  assert.deepEqual(chart!.points.map((p) => [p.marked, p.name ?? "", p.group]).slice(3), [[true, "", "simulated"], [false, "", "simulated"], [false, "", "simulated"], [false, "with 1 W more power", "predicted"]]);
  assert.deepEqual(chart!.limits, [{ axis: "x", value: 30, label: "budget" }]);
  assert.deepEqual(sheet.facts[1]!.list[0], { name: "run", value: "42" });
  assert.deepEqual(sheet.notes.map((n) => n.text), ["search ended: 10 profiles were made"]);
  // Another is as good at less power: the answer is drawn beside the alternatives, by its power.
  page.answer.front.splice(3, 1);
  assert.deepEqual(plan_sheet(page).charts[0]!.points.filter((p) => p.name === undefined).map((p) => p.marked), [false, false, false, true, false, false]);
});

test("a plan that does not run with both at once says so first", () => {
  const page = plan_page();
  page.answer.together = { sharing: "interleaved", seconds: 0, refused: "both need 9.1 GB of memory", train_per_s: null, planned_per_s: null, latency_ms: null, late: null, late_pct: null, hungrier_w: null, provenance: "simulated" };
  const sheet = plan_sheet(page);
  assert.equal(sheet.headline, "What was chosen on twin does not run together.");
  assert.deepEqual(sheet.notes[0], { level: "warning", text: "both at once do not run: both need 9.1 GB of memory" });
});

test("what may be typed as a limit is rounded up, and never beyond the limit that it keeps", () => {
  const page = plan_page();
  Object.assign(page.answer.front[0]!, { power_w: 15.1842 });
  Object.assign(page.answer.limits[0]!, { used: 24.9601, limit: 24.965 });
  const sheet = plan_sheet(page);
  assert.equal(column(sheet, "Alternatives at other powers", "power")[0], "15.19");
  assert.deepEqual([column(sheet, "What it leaves of each limit", "used")[0], column(sheet, "What it leaves of each limit", "at most")[0]], ["24.965 W", "24.965 W"]);
  assert.deepEqual(sheet.figures.map((f) => f.limit), [undefined, 30, undefined]);
});

test("two roles of one network are told apart", () => {
  const page = plan_page();
  for (const role of page.answer.choice!.roles) role.workload = "net";
  page.answer.default = structuredClone(page.answer.choice!);
  Object.assign(page.answer.choice!.roles[1]!.config, { batch_size: 8 });
  Object.assign(page.answer.choice!.roles[0]!.config, { batch_size: 16 });
  Object.assign(page.answer.default.roles[0]!.config, { batch_size: 32 });
  const settings = plan_sheet(page).settings!.filter((s) => s.name === "batch_size");
  assert.deepEqual(settings.map((s) => [s.label, s.value, s.usual]), [["Batch size of net (training)", "16", "32"], ["Batch size of net (serving)", "8", undefined]]);
  for (const role of page.answer.choice!.roles) role.phase = "infer";
  assert.match(plan_sheet(page).headline, /the first net with batch size 16; the second net with batch size 8/);
  page.answer.profiled[1]!.service = "the second net";
  assert.equal(column(plan_sheet(page), "What was profiled", "workload")[1], "the second net");
});

test("a plan for arrivals tells latencies with their limits, and what lies beyond them", () => {
  const { answer, ...page } = plan_page();
  const { choice, answer: _, default: __, limits, would_buy, unmeasured, front, together, ...shared } = answer;
  const simulated = (latency_ms: number | null, kept_ms: number | null, power_w: number, late_pct = 0): PlanSimulatedChoice => ({
    ...choice!, power_w, services: [{ workload: "det", late_pct, latency_ms, kept_ms, mean_batch: 1.5 }], late_pct: 0, latency_ms, mean_batch: 1.5, trainings_per_s: 9, clockwork_per_s: 9.375,
  });
  const sheet_of = (clockwork: PlanSimulatedChoice) => plan_sheet({
    ...page, answer: { ...shared, problem: "concurrent", percentile: 99, overload: "refuse", queue: 4096, arrivals: ["poisson:60"], choice, simulated: simulated(612.04, 640, 29.1), clockwork, prefer: "latency", preferences: [], simulations: 7, presets: [] },
  });
  const sheet = sheet_of(simulated(null, null, 21.021, 3));
  assert.deepEqual(column(sheet, "Under these arrivals", "p99 latency"), ["612.1 of 800 (keeps 640, too)", "beyond 800"]);
  assert.equal(column(sheet_of(simulated(null, null, 21.021)), "Under these arrivals", "p99 latency")[1], "no request came");
  assert.deepEqual(column(sheet, "Under these arrivals", "power"), ["29.1", "21.03"]);
  assert.equal(sheet.figures.find((f) => f.label.startsWith("p99"))!.limit, 800);
});

test("a training that diverges is warned of", () => {
  const page = profile_page();
  Object.assign(page.answer, { diverged_in: 2, outlying: "epoch 3 took 21.4 s, far beyond the others (median 0.81 s)" });
  assert.ok(profile_sheet(page).notes.some((n) => n.level === "warning" && n.text.startsWith("epoch 3 took 21.4 s, far beyond")));
  assert.ok(profile_sheet(page).notes.some((n) => n.level === "warning" && n.text.startsWith("the training diverges: from epoch 2 on")));
});

test("a plan without an answer says why, a dynamic one has its windows", () => {
  const page = plan_page();
  page.answer.choice = page.answer.answer = null;
  page.answer.infeasible = { code: "infeasible", reason: "none of the 3 measured meets the limits", hint: "try --power-budget 12.71W", easing: [] };
  const none = plan_sheet(page);
  assert.equal(none.headline, "Nothing that was tried on twin meets the limits.");
  assert.deepEqual(none.lines, ["none of the 3 measured meets the limits", "try --power-budget 12.71W"]);
  const sheet = plan_sheet(dynamic_page());
  assert.equal(sheet.headline, "A mode for each of 3 windows on twin.");
  assert.deepEqual(column(sheet, "The windows", "requests"), [30, 60, 90]);
  assert.deepEqual(sheet.tables[0]!.rows.map((r) => r.cells[r.cells.length - 1]), ["", 40, ""]);
  assert.deepEqual(sheet.figures.map((f) => [f.label, f.value, f.note]), [["power over all windows", 21.7, undefined], ["with one mode throughout", null, "no profiled one serves all windows"], ["switches", 1, undefined], ["found with", 10, "in 11 trials now and 1 known before"]]);
});

test("an experiment shows what ran where, what varied, and what deserves doubt", () => {
  const page = experiment_page();
  const view = experiment_view(page);
  assert.equal(view.title, "E1: loader workers (made up) (simulated)");
  assert.equal(view.subject, "mobilenet_v3 training on Twin board (simulated) · varied: workers");
  assert.deepEqual(view.notes.map((n) => n.level), ["gap", "warning"]);
  assert.deepEqual(view.machine.facts.map((f) => f.value), ["256", "200000000", "cpu"]);
  assert.deepEqual([view.run.id, view.run.seed, view.run.started_at], ["workers", 7, "2025-06-14T09:12:31Z"]);
  Object.assign(page.answer, { dataset: null, compute: null, measured_utc: null, varied: [] });
  page.answer.fixed["phase"] = "infer";
  const bare = experiment_view(page);
  assert.equal(bare.subject, "mobilenet_v3 inference on Twin board (simulated)");
  assert.deepEqual([bare.machine.facts, bare.run.started_at], [[], "2025-06-14T09:12:30Z"]);
});

test("a run tells its sources apart, and why it has no answer", () => {
  const page = run_page();
  page.answer.state = "interrupted";
  Object.assign(page.answer.trials[1]!, { failure: "out of memory", minibatch_ms: null, doubts: "throttled", figures: { memory: 2e9 } });
  const sheet = run_sheet(page);
  assert.deepEqual(sheet.lines, ["It was interrupted before it had an answer; 14 trials are kept."]);
  assert.deepEqual([...new Set(column(sheet, "Its trials", "source"))], ["A", "B"]);
  assert.deepEqual([...new Set(sheet.charts[0]!.points.map((p) => p.group))], ["A", "B"]);
  assert.deepEqual([column(sheet, "Its trials", "minibatch")[1], column(sheet, "Its trials", "stopped")[1], column(sheet, "Its trials", "also known")[1]], ["failed", "out of memory", "throttled; memory 2 GB"]);
  assert.equal(sheet.charts[0]!.points.length, 13);
  assert.ok(sheet.notes.some((n) => n.text.startsWith("A and B do not compare: power total is module in A, input in B; libraries is ")));
  assert.equal(sheet.facts[0]!.title, "Source A");
});

test("of two runs each row says what came of it", () => {
  const side: RunsSide = { source: "A", provenance: "measured", readings: 2, minibatch_ms_90: [9, 11], power_w_90: null, doubts: null };
  const pair = (more: Partial<RunsPair>): RunsPair => ({ workload: "net", phase: "train", config: { cpu_cores: 2 }, first_ms: 10, second_ms: 12, first_w: 5, second_w: null, first: side, second: side, change_pct: 20, established: true, doubt: null, ...more });
  const run = (id: number) => ({ id, command: "flyball tune net", started_utc: "2026", state: "done" as const, measurements: 2 });
  const page: ComparisonPage = {
    ...run_page(), kind: "comparison",
    answer: {
      schema: 2, first: 1, second: 2, verdict: "4 trials made in both; 1 differs beyond their noise", common: 4, differences: [], runs: [run(1), run(2)], sources: [],
      trials: [pair({}), pair({ established: false, doubt: "the 90 % intervals overlap" }), pair({ second: null, second_ms: null, established: null }), pair({ established: false, change_pct: 0 }),
        pair({ second: { ...side, readings: 0, provenance: null, doubts: "throttled" }, second_ms: null, established: null }), pair({ second: { ...side, provenance: "predicted" } })],
    },
  };
  const sheet = comparison_sheet(page);
  assert.equal(sheet.headline, "4 trials made in both; 1 differs beyond their noise.");
  assert.deepEqual(column(sheet, "Trial by trial", "difference"), ["", "not established: the 90 % intervals overlap", "only in the first", "the same", "failed; run 2: throttled", ""]);
  assert.deepEqual(column(sheet, "Trial by trial", "run 1")[0], [10, 9, 11]);
  assert.deepEqual(column(sheet, "Trial by trial", "run 2").slice(2, 5), [null, [12, 9, 11], "failed"]);
  assert.deepEqual(sheet.tables[0]!.rows.map((r) => r.provenance), ["measured", "measured", "measured", "measured", "measured", "predicted"]);
});

test("roofs: the drawn modes, shares in percent, and the figures of the highest mode", () => {
  const page = roofline_page();
  const sheet = roofline_sheet(page);
  assert.deepEqual(sheet.charts[0]!.lines!.map((l) => plain(l.label)), ["GPU at 1300 MHz, memory at 3200 MHz", "GPU at 300 MHz, memory at 700 MHz"]);
  const [, knee] = sheet.charts[0]!.lines![0]!.points.find(([x]) => Math.abs(x - 2900 / 60) < 1e-9)!;
  assert.ok(Math.abs(knee - 2900) < 1e-6, "the roofs meet at the balance");
  assert.deepEqual(column(sheet, "What binds", "memory"), [60, 60, 60]);
  assert.deepEqual(sheet.figures.map((f) => f.unit), ["GFLOP/s", "GB/s", "FLOP/B", "pJ", "pJ", "W"]);
  assert.equal(sheet.subject, "Roofline · twin (simulated)");
  page.answer.verdicts = [];
  assert.equal(roofline_sheet(page).headline, "twin does 2900 GFLOP/s and moves 60 GB/s, as fitted.");
  page.answer.highest = null;
  assert.deepEqual(roofline_sheet(page).figures, []);
});

test("bytes and intervals in words", () => {
  assert.deepEqual([bytes_words(999), bytes_words(999.96), bytes_words(54e6)], ["999 B", "1 kB", "54 MB"]);
  assert.deepEqual([quantity(null, [1, 2]), quantity(3, null), quantity(3, [3, 3]), quantity(3, [2, 4])], [null, 3, 3, [3, 2, 4]]);
});

test("a plan says what its answer is to the presets of the board", () => {
  const page = plan_page();
  page.answer.comparison = "MAXN breaks the power budget (39.8 W); 50.0 % more training than preset 30W (in force)";
  page.answer.presets = [
    { id: 0, name: "MAXN", in_force: false, default: true, config: { gpu_mhz: 1300.5 }, minibatch_ms: 57.4, power_w: 39.8, provenance: "simulated", breaks: ["power"], text: "preset MAXN breaks the power budget (39.8 W)" },
    { id: 2, name: "30W", in_force: true, default: false, config: { gpu_mhz: 612 }, minibatch_ms: 99.2, power_w: 22, provenance: "simulated", breaks: [], text: "50.0 % more training than preset 30W (in force)" },
    { id: 9, name: "mine", in_force: false, default: false, config: null, minibatch_ms: null, power_w: null, provenance: null, breaks: [], text: null },
  ];
  assert.deepEqual(problems(page), []);
  const sheet = plan_sheet(page);
  assert.equal(sheet.lines[0], `${page.answer.comparison}.`);
  assert.deepEqual(column(sheet, "Presets of the board", "preset"), ["MAXN", "30W (in force)", "mine"]);
  assert.deepEqual(column(sheet, "Presets of the board", "breaks"), ["power", "", ""]);
  assert.equal(column(sheet, "Presets of the board", "the answer")[2], "not among what was searched");
});

test("without an answer a measured preset is not called unmeasured", () => {
  const page = plan_page(), preset = { in_force: false, default: false, config: { gpu_mhz: 612 }, minibatch_ms: 99.2, power_w: 22, breaks: ["power" as const], text: null };
  page.answer.presets = [{ ...preset, id: 2, name: "30W", provenance: "simulated" }, { ...preset, id: 3, name: "50W", provenance: "predicted" }];
  assert.deepEqual(problems(page), []);
  assert.deepEqual(column(plan_sheet(page), "Presets of the board", "the answer"), ["", "not measured"]);
});

test("findings show what holds, what differs and what cannot be asked, with the runs behind them", () => {
  const sheet = findings_sheet(findings_page());
  assert.equal(sheet.headline, "1 of 2 findings hold on twin.");
  assert.deepEqual(column(sheet, "What was found, asked again", "verdict"), ["holds", "differs"]);
  assert.deepEqual(column(sheet, "Cannot be asked here", "why"), ["it is asked of other_board"]);
  assert.deepEqual(column(sheet, "fronts: differs", "here"), ["cd"]);
  assert.deepEqual(column(sheet, "a worker hides: holds", "90 % interval"), ["-54 to -50"]);
  const [agreement, modes] = sheet.charts;
  assert.deepEqual(agreement!.points.map((p) => [p.x, p.y, p.group]), [[-48, -52, "holds"]]);
  assert.deepEqual(modes!.lines![0]!.points.map(([, seconds]) => seconds), [60, 50, 44]);
  assert.deepEqual(modes!.points.filter((p) => p.group === "on the front").length, 3);
  assert.deepEqual(sheet.bars!.map((b) => b.which), ["w 0", "w 4"]);
});

test("an evaluation sums up by strategy and kind, and counts what broke off", () => {
  const page = evaluation_page();
  const sheet = evaluation_sheet(page);
  assert.equal(plain(sheet.headline), "flyball satisfies 90.0 %, on average 3.00 % from the optimum, with 8.5 profiles.");
  assert.deepEqual(sheet.lines.map(plain), [
    "gmd satisfies 80.0 %, on average 12.50 % from the optimum, with 9.3 profiles.",
    "Of 30 problems 20 can be solved by some configuration; 10 could not be posed. 2 searches broke off and count as not satisfied.",
  ]);
  const [satisfied, distance] = sheet.meters!;
  assert.deepEqual(satisfied!.groups.map((g) => [g.label, ...g.bars.map((b) => plain(b.words))]), [["all problems", "80.0 % of 20", "90.0 % of 20"], ["training", "100 % of 12", "100 % of 12"], ["inference", "50.0 % of 8", "75.0 % of 8"]]);
  assert.deepEqual(distance!.groups[0]!.bars.map((b) => b.value), [12.5, 3]);
  assert.deepEqual(column(sheet, "Kinds of problems", "broken off"), [0, 2, 0, 0, 0, 2]);
  assert.deepEqual(column(sheet, "Tables and pairs", "tables").slice(0, 2), ["net train on twin", "net train on twin"]);
  assert.deepEqual(column(sheet, "What failed", "what"), ["flyball broke off", "could not be posed"]);
  assert.equal(sheet.charts[0]!.points.length, 4);
  Object.assign(page.answer.rows[0]!, { satisfied_pct: 90, mean_distance_pct: 2 });
  assert.equal(best_of(page.answer.rows.slice(0, 2))!.strategy, "gmd");
  for (const row of page.answer.rows) row.failed = 0;
  page.answer.failures = [];
  page.answer.unposed = 0;
  const whole = evaluation_sheet(page);
  assert.deepEqual([whole.notes, column(whole, "Kinds of problems", "broken off")[0]], [[], ""]);
});

test("boards: ratios in words, published seconds beside, and the choice", () => {
  const page = boards_page();
  const sheet = boards_sheet(page);
  assert.equal(sheet.headline, "Take B (simulated).");
  const [speed, energy, epochs] = sheet.meters!;
  assert.deepEqual(speed!.groups[0]!.bars.map((b) => [b.value, plain(b.words), b.remark && plain(b.remark)]), [[1, "the baseline", undefined], [4.7, "4.7 × as fast", "geometric mean over 2 networks, 4.5 to 5"], [1 / 90, "two orders of magnitude slower", "90 ×"]]);
  assert.deepEqual(speed!.groups[0]!.bars[2]!.beside!.map((o) => plain(o.words)), ["published: two orders of magnitude slower (65 ×)"]);
  assert.equal(energy!.groups[0]!.bars[2]!.value, 17);
  assert.deepEqual(epochs!.groups.map((g) => g.label), ["net", "lm"]);
  assert.deepEqual(epochs!.groups[0]!.bars.map((b) => [plain(b.words), b.beside!.map((o) => plain(o.words)), b.marked]), [["2 min 58 s", ["published: 3 min 6 s; here −4.3 %"], false], ["40 s", [], true], ["4 h 26 min", ["published: 3 h 20 min; here +33.3 %"], false]]);
  assert.deepEqual([epochs!.groups[1]!.bars[2]!.value, epochs!.groups[1]!.bars[2]!.words], [null, "does not fit: needs 9 of 8 GB (published: out of memory)"]);
  assert.deepEqual(column(sheet, "The boards", "misses"), ["nothing", "nothing", "epoch of net: 4 h 26 min of 1000 s"]);
  assert.equal(plain(column(sheet, "The boards", "mode")[0] as string), "GPU at 1300 MHz");
  page.answer.choice = null;
  assert.equal(plain(boards_sheet(page).headline), "B (simulated) is 4.7 × as fast as A (simulated).");
  page.answer.infeasible = { code: "infeasible", reason: "no board meets every limit", hint: "relax a limit", easing: [] };
  assert.equal(boards_sheet(page).headline, "No board meets every limit.");
  assert.deepEqual([59.94, 59.96, 3599.6, 12059].map(duration).map(plain), ["59.9 s", "1 min 0 s", "1 h 0 min", "3 h 20 min"]);
});

test("a fleet: stale boards and outliers first, modes by budget, energy of an epoch", () => {
  const page = fleet_page();
  const sheet = fleet_sheet(page);
  assert.equal(sheet.headline, "4 boards: 1 is stale, 1 is an outlier.");
  assert.deepEqual(column(sheet, "Boards", "board"), ["c.db", "b.db", "a.db", "d.db"]);
  assert.deepEqual(column(sheet, "Boards", "state"), ["stale", "outlier", "ok", "ok"]);
  assert.deepEqual((column(sheet, "Best modes that were tried", "of") as string[]).map(plain), ["fastest", "fastest within 30 W", "least energy"]);
  assert.equal(sheet.charts[0]!.points.length, 3);
  assert.ok(Math.abs(sheet.charts[0]!.points.find((p) => p.marked)!.y - 9) < 1e-9);
  assert.equal(plain(sheet.meters![0]!.groups[0]!.bars[0]!.words), "180 J");
  assert.deepEqual(column(sheet, "Boards far from the middle one", "board"), ["b.db"]);
  Object.assign(page.answer, { stale: 0, outliers: 0, whole_runs: 3, other_conditions: 2 });
  assert.ok(fleet_sheet(page).notes.some((n) => n.text === "measurements that neither spread nor best modes count: 3 of whole runs of programs; 2 under other conditions than the latest of their board"));
  assert.match(fleet_sheet(page).headline, /none unlike the others/);
  page.answer.spread = [];
  assert.match(fleet_sheet(page).headline, /they were not compared/);
  page.answer.boards = [];
  assert.equal(fleet_sheet(page).headline, "No board was collected yet.");
});

test("a benchmark names who is first, and draws time and energy to each target", () => {
  const page = benchmark_page();
  const sheet = benchmark_sheet(page);
  assert.equal(plain(sheet.headline), "a takes the least time to the targets; b 4.74 × as much.");
  const [overall, seconds, joules] = sheet.meters!;
  assert.deepEqual(overall!.groups[0]!.bars.map((b) => [b.label, plain(b.words), b.marked]), [["a", "1 ×", true], ["b", "4.74 ×", false]]);
  assert.deepEqual(seconds!.groups.map((g) => [g.label, ...g.bars.map((b) => `${b.label} ${plain(b.words)}`)]), [["net: accuracy ≥ 0.99", "c 20 s", "a 40 s", "b 1 min 40 s"], ["lm: perplexity ≤ 35", "a 1 h 6 min", "b 10 h 0 min"]]);
  assert.deepEqual(joules!.groups[1]!.bars.map((b) => [b.value, plain(b.words)]), [[90_000, "90.0 kJ"], [null, "no power that keeps the rules"]]);
  assert.deepEqual(column(sheet, "Left out", "entry"), ["all"]);
  assert.deepEqual(sheet.notes.length, 1, "of the simulated board");
  for (const entry of page.answer.entries) entry.rows = entry.rows.filter((r) => r.rank === 1);
  page.answer.overall = page.answer.overall.slice(0, 1);
  const alone = benchmark_sheet(page);
  assert.deepEqual([alone.headline, alone.meters!.length, alone.notes], ["a: 2 entries measured.", 2, []]);
  page.answer.entries = [];
  assert.equal(benchmark_sheet(page).headline, "No result keeps the rules.");
});

test("bars of an epoch mark how busy the GPU was, and say what it took", () => {
  const means = { e2e_s: 44, stall_s: 4, compute_s: 40, overhead_s: 0 };
  const options = (bars: Bar[]) => build_bars(bars, new Proxy({}, { get: () => "#000" }) as Colours, "sans", false) as { series: { name: string; data: unknown[] }[]; xAxis: unknown[] };
  const bare = options([{ label: "net", which: "w 0", means }]);
  assert.deepEqual([bare.series.length, bare.xAxis.length], [3, 1]);
  const known: Bar[] = [{ label: "net", which: "w 0", means: { ...means, gpu_load_pct: 81, energy_j: 12_500 } }, { label: "net", which: "w 1", means: { ...means, gpu_load_pct: null } }];
  const marked = options(known);
  assert.deepEqual([marked.series[3]!.name, marked.series[3]!.data, marked.xAxis.length], ["GPU busy", [81, null], 2]);
  assert.match(plain(bars_text(known)), /^net, w 0: 44\.0 s, .*, GPU busy for 81(\.0)? %, 12\.5 kJ; net, w 1: 44\.0 s, of it [^%J]*$/);
});

test("labels of violins leave out what all begin with", () => {
  assert.deepEqual(short_labels(["power_mode a", "power_mode b"]), ["a", "b"]);
  assert.deepEqual(short_labels(["medium ssd, workers 0", "medium sd, workers 0"]), ["ssd, workers 0", "sd, workers 0"]);
  assert.deepEqual(short_labels(["run 1", "run 2"]), ["run 1", "run 2"]);
  assert.deepEqual([short_labels(["alone here"]), short_labels(["same", "same"]), short_labels(["a b", "a"])], [["alone here"], ["same", "same"], ["a b", "a"]]);
});

test("bars begin at nothing, ratios at 1, and those far apart are logarithmic", () => {
  const meters = (values: number[], rest: object = {}) => ({ title: "", text: "", groups: [{ label: "", bars: values.map((value) => ({ label: "", value, words: "", series: "" })) }], ...rest });
  assert.deepEqual(meter_scale(meters([5, 10])).bar(5), { left: 0, width: 50 });
  assert.deepEqual(meter_scale(meters([50], { most: 100 })).bar(50), { left: 0, width: 50 });
  const ratios = meter_scale(meters([1, 100, 0.01], { ratio: true }));
  assert.deepEqual([ratios.origin, ratios.bar(0.1), ratios.bar(10)], [50, { left: 25, width: 25 }, { left: 50, width: 25 }]);
  assert.deepEqual(ratios.decades, [25, 50, 75]);
  assert.ok(meter_scale(meters([1, 1.1], { ratio: true })).bar(1.1).width < 15, "a tenth more is little");
  assert.equal(meter_scale(meters([1, 29], { far: true })).log, false);
  const far = meter_scale(meters([2, 2000], { far: true }));
  assert.ok(far.log && far.bar(2).width > 0 && far.bar(2000).width === 100);
  assert.equal(meter_scale(meters([2, 2000])).log, false);
});
