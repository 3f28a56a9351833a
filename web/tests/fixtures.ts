// Made-up reports for the tests: a small made-up board, drawn from a seed. Nothing here is a measurement of anything, so
// every number is labelled `simulated` (or `predicted`), whatever the story told around it.
import { schema, type BenchmarkPage, type BenchmarkRankedRow, type BoardsPage, type CommonAxis as Axis, type CompareBoard, type CompareNetworkFigures, type EvaluateAllRow, type EvaluationPage, type ExperimentMeans, type ExperimentPage, type FindingsPage, type Plan, type PlanChoice, type PlanDynamicPlan, type PlanPage, type ProfileEpochs, type ProfilePage, type Quantity, type Report, type RooflineBound, type RooflinePage, type RunPage, type RunsTrial, type TuneComparison } from "../src/contract.ts";
import { pareto } from "../src/pareto.ts";
import type { Configuration, Pair, Trial, TuneReport } from "../src/view.ts";
import { page_of } from "./tune_page.ts";

/** Small seeded generator (mulberry32): the fixtures are the same bytes everywhere. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const round = (v: number, digits = 4) => Number(v.toPrecision(digits));
const around = (v: number, relative: number): Quantity => [round(v), round(v * (1 - relative)), round(v * (1 + relative))];
const first = (q: Quantity) => (typeof q === "number" ? q : q[0]);

/** Evenly spaced clocks that look like none of a real board. */
const clocks = (from: number, to: number, count: number) => Array.from({ length: count }, (_, i) => round(from + ((to - from) * i) / (count - 1), 5));

export const board_axes: Axis[] = [
  { name: "cpu_cores", unit: "", scope: "board" },
  { name: "cpu_mhz", unit: "MHz", scope: "board" },
  { name: "gpu_mhz", unit: "MHz", scope: "board" },
  { name: "mem_mhz", unit: "MHz", scope: "board" },
];

function grid(values: number[][]): number[][] {
  return values.reduce<number[][]>((rows, axis) => rows.flatMap((row) => axis.map((v) => [...row, v])), [[]]);
}

/** A plausible shape: loading on the CPU beside compute on the GPU, power growing with clocks. */
function board_model([cores, cpu, gpu, mem]: number[]): { stall: number; compute: number; power: number } {
  const compute = 24 + 42_000 / gpu! + 16_000 / mem! + 7_000 / cpu!;
  const load = 420_000 / (cpu! * Math.min(cores!, 9) ** 0.8);
  const power = 9 + 0.55 * cores! * (cpu! / 1000) ** 1.8 + 17 * (gpu! / 1000) ** 1.7 + 3.2 * (mem! / 1000) ** 0.9;
  return { stall: Math.max(0.03 * compute, load - 0.6 * compute), compute, power };
}

function base(): Pick<TuneReport, "notes" | "machine" | "run"> {
  return {
    notes: [],
    machine: {
      name: "Twin board (made up)",
      fingerprint: "fixture-7f3a91",
      facts: [
        { name: "Processor", value: "12 cores at up to 2.2 GHz" },
        { name: "Accelerator", value: "made up, up to 1.3 GHz" },
        { name: "Kernel", value: "5.15.0-fixture" },
      ],
    },
    run: {
      id: "run-0042", started_at: "2025-06-14T09:12:30Z", duration_s: 742, seed: 7, strategy: "flyball", predictor: "gaussian process",
      power_total: "module",
      intervals: { simulated: "mean and 5th to 95th percentile of the simulated minibatches", predicted: "mean and 90 % interval of the predictor" },
      versions: { flyball: "0.1.0", LibTorch: "1.13.1" },
    },
  };
}

function board_configurations(modes: number[][], rng: () => number): Configuration[] {
  return modes.map((config) => {
    const { stall, compute, power } = board_model(config);
    const time = (stall + compute) * (1 + 0.03 * (rng() - 0.5));
    const watts = power * (1 + 0.03 * (rng() - 0.5));
    return { config, time_ms: around(time, 0.07), power_w: around(watts, 0.05), energy_j: around((time * watts) / 1000, 0.09), provenance: "predicted" };
  });
}

/** As the program compares: what it says is shown, not computed again. */
export function comparison_of(report: TuneReport, established = true): TuneComparison {
  const [a, b] = [report.configurations[report.choice!.configuration]!, report.configurations[report.default!.configuration]!];
  const change = (x: Quantity | null, y: Quantity | null) => (x === null || y === null ? null : { pct: round(100 * (first(x) / first(y) - 1), 3), established });
  const time = change(a.time_ms, b.time_ms)!;
  const amount = `${Math.abs(time.pct)} % ${time.pct < 0 ? "less" : "more"} time`;
  return {
    text: established ? `${amount} per minibatch than the default` : `difference from the default not established: ${amount} per minibatch was read, but the 90 % intervals overlap`,
    per: "minibatch", established, doubt: established ? null : "the 90 % intervals overlap", time, power: change(a.power_w, b.power_w), energy: change(a.energy_j, b.energy_j),
  };
}

const whys = ["space-filling start", "best predicted under the budget", "widest interval near the budget", "check of a predicted front mode"];
const stops = ["noise ≤ 2 %", "noise ≤ 2 %", "noise ≤ 2 %", "time cap 60 s"];

const unremarkable: Omit<Trial, "configuration" | "reason" | "stop_reason" | "noise_pct" | "minibatches" | "minibatch_ms" | "minibatch_ms_90" | "power_w" | "power_w_90"> = {
  workload: "", config: {}, provenance: "simulated", stall_ms: null, compute_ms: null, verification: false, run: null, measured_utc: null, other_cores: null, throttled: null, clocks: [], power_settled: null, disturbed: null, failure: null, figures: {},
  power_gap: null, power_total: null, power_noise_pct: null, power_updates: null, power_samples: null, power_samples_wanted: null, window_s: null, window_j: null, first_ms: null, settle_s: 0, warm_up_s: 0, total_s: 0, seed: 7, repeat: false, from_store: false,
};

const interval_of = (q: Quantity | null): [number, number] | null => (q === null || typeof q === "number" ? null : [q[1], q[2]]);
const own_reading = ({ time_ms, power_w }: Configuration) => ({ minibatch_ms: first(time_ms!), minibatch_ms_90: interval_of(time_ms), power_w: power_w === null ? null : first(power_w), power_w_90: interval_of(power_w) });

function board_trials(rows: Configuration[], picks: number[], rng: () => number): Trial[] {
  return picks.map((configuration, i) => {
    const row = rows[configuration]!;
    const model = board_model(row.config);
    const e2e = first(row.time_ms!);
    const stall = (e2e * model.stall) / (model.stall + model.compute);
    row.provenance = "simulated";
    row.time_ms = around(e2e, 0.012);
    row.power_w = around(first(row.power_w!), 0.008);
    row.energy_j = around(first(row.energy_j!), 0.014);
    return {
      ...unremarkable, configuration, reason: i < 4 ? whys[0]! : whys[1 + (i % 3)]!, stop_reason: stops[i % 4]!,
      noise_pct: round(0.6 + rng() * 1.3, 2), minibatches: 40 + Math.floor(rng() * 160), ...own_reading(row),
      stall_ms: round(stall), compute_ms: round(e2e - stall), window_s: round(12 + rng() * 40, 3), power_updates: 12 + Math.floor(rng() * 30),
      throttled: i === 8 ? null : i === 6, repeat: i === 4, from_store: i < 2,
      ...(i === 3 ? { disturbed: "process 7 (flyball tune) since 12:30", figures: { accuracy: 0.7125 } } : {}),
    };
  });
}

function mark_front(report: TuneReport): void {
  const rows = report.configurations;
  const indices = pareto(rows.map((c) => first(c.power_w!)), rows.map((c) => first(c.time_ms!)));
  for (const i of indices) rows[i]!.front = true;
  report.front = { over: ["time", "power"], configurations: indices };
}

function pairs_of(rows: Configuration[], trials: Trial[], rng: () => number): Pair[] {
  return trials.flatMap(({ configuration }, i) => (["time", "power", "energy"] as const).map((quantity): Pair => {
    const row = rows[configuration]!;
    const observed = { time: row.time_ms, power: row.power_w, energy: row.energy_j }[quantity]!;
    const error = (i < 4 ? 0.02 : 0.12) * (rng() - 0.5);
    return { configuration, quantity, observed, predicted: around(first(observed) * (1 + error), 0.09), fitted: i < 4 };
  }));
}

/** Fastest row within a power limit. */
function best_under(rows: Configuration[], watts: number): number {
  let best = -1;
  rows.forEach((c, i) => {
    if (first(c.power_w!) <= watts && (best < 0 || first(c.time_ms!) < first(rows[best]!.time_ms!))) best = i;
  });
  return best;
}

function board(modes: number[][], watts: number, seed: number): TuneReport {
  const rng = random(seed);
  const rows = board_configurations(modes, rng);
  const choice = best_under(rows, watts);
  const spread = Array.from({ length: 8 }, () => Math.floor(rng() * rows.length));
  const near = [best_under(rows, watts * 0.8), best_under(rows, watts * 1.15), choice].filter((i) => i >= 0);
  const picks = [...new Set([...spread, ...near])].slice(0, 11);
  const profiled = board_trials(rows, picks, rng);
  const report: TuneReport = {
    ...base(),
    title: "tune mobilenet_v3",
    request: {
      workload: "mobilenet_v3", phase: "train", device: "twin", objective: "time", profiles_limit: 12, samples_per_epoch: 23_080, batch_size: 16,
      budgets: [{ quantity: "power", limit: watts, unit: "W", per: null }],
      command: `flyball tune mobilenet_v3 --device twin --power-budget ${watts}W --profiles 12 --report out/report.html`,
    },
    axes: board_axes, configurations: rows, profiled,
    choice: choice >= 0 ? { configuration: choice, verified: true } : null,
    default: { configuration: rows.length - 1, name: "MAXN" },
    front: null, pairs: pairs_of(rows, profiled, rng),
  };
  mark_front(report);
  if (choice >= 0) report.oracle = { raw: best_under(rows, watts * 1.0), robust: best_under(rows, watts * 0.99), excluded_rows: 3 };
  if (choice >= 0) {
    report.comparison = comparison_of(report);
    report.apply = [
      { title: "Add the power mode to the board", text: "Append this block to /etc/nvpmodel.conf on the board.", code: "< POWER_MODEL ID=99 NAME=FLYBALL >\nCPU_ONLINE CORE_0 1\nCPU_ONLINE CORE_1 1\nCPU_A78_0 MIN_FREQ 1190400\nCPU_A78_0 MAX_FREQ 1190400\nGPU MIN_FREQ 905250000\nGPU MAX_FREQ 905250000\n" },
      { title: "Switch to it", text: "nvpmodel -q says afterwards which mode is set.", code: "sudo nvpmodel -m 99\nsudo nvpmodel -q" },
    ];
  }
  report.notes.push({ level: "warning", text: "Trial 7 ran while the board was throttling; its time is longer than the mode needs.", hint: "Let the board cool, then profile it again with --fresh." });
  report.notes.push({ level: "note", text: "The power total is the module's input; it includes memory and carrier losses up to the regulator." });
  return report;
}

/** Batch sizes differ, and so do the minibatches: only samples compare. */
export function batch_report(established = true): TuneReport {
  const report = power_report();
  report.axes = [{ name: "batch_size", unit: "", scope: "run" }, ...report.axes.slice(1)];
  report.configurations = report.configurations.map((c, i) => {
    const batch = [8, 16, 32, 64][Math.floor((4 * i) / report.configurations.length)]!; // in place of the cores
    const time = round((first(c.time_ms!) * batch) / 16 + 3);
    return { ...c, config: [batch, ...c.config.slice(1)], time_ms: around(time, 0.05), energy_j: around((time * first(c.power_w!)) / 1000, 0.06), sample_ms: around(time / batch, 0.05), sample_j: around((time * first(c.power_w!)) / 1000 / batch, 0.06) };
  });
  report.per = "sample";
  report.request.batch_size = null;
  const amount = "12.5 % less time per sample";
  report.comparison = {
    text: established ? `${amount} than the default` : `difference from the default not established: ${amount} was read, but other processes kept 1.4 cores busy`,
    per: "sample", established, doubt: established ? null : "other processes kept 1.4 cores busy", time: { pct: -12.5, established }, power: { pct: -60, established: true }, energy: null,
  };
  report.run.effort = "10 of 864 configurations known: 10 trials from run 1, 8 min ago, on a busy machine; --fresh measures again";
  delete report.oracle;
  return report;
}

/** Many axes with long names: more columns than most windows have room for. */
export function wide_report(): TuneReport {
  const report = power_report();
  const more = ["queue_depth_of_the_loader", "threads_of_one_operation", "prefetch", "power_limit_w"];
  report.axes = [...report.axes, ...more.map((name): Axis => ({ name, unit: name.endsWith("_w") ? "W" : "", scope: "run" }))];
  report.configurations = report.configurations.map((c, i) => ({ ...c, config: [...c.config, (i * 1024) % 65536, 1 + (i % 12), 2 ** (i % 6), 15 + (i % 4) * 12.5] }));
  return report;
}

const page_base = { schema, version: "0.1.0", written_utc: "2025-06-14T09:12:30Z" } as const;

const made_up_trial: Omit<RunsTrial, "id" | "config" | "source" | "minibatch_ms" | "minibatch_ms_90" | "power_w"> = {
  workload: "net", phase: "train", power_w_90: null, doubts: null, idle: null, provenance: "simulated", origin: "imported", span: "minibatch", conditions: null, stop_reason: "row of a table", failure: null, run: null, reused: false,
  power_gap: null, power_total: "module", power_noise_pct: null, power_updates: null, power_samples: null, power_samples_wanted: null, window_s: null, window_j: null, stall_ms: null, compute_ms: null, noise_pct: null,
  minibatches: 0, first_ms: null, settle_s: 0, warm_up_s: 0, total_s: 0, measured_utc: null, other_cores: null, throttled: null, clocks: [], power_settled: null, disturbed: null, repeat: false, figures: {}, seed: 0,
};

/** As much training as fits beside serving; the third of six alternatives was chosen within 30 W. */
export function plan_page(): PlanPage & { answer: Plan } {
  const role = (workload: string, phase: "train" | "infer", config: Record<string, number>) => ({ workload, phase, config, minibatch_ms: null });
  const option = (power_w: number, value: number): PlanChoice => ({
    text: `a mode at ${power_w} W`, value, value_unit: "training minibatches/s", minibatch_ms: null, power_w, provenance: "simulated",
    roles: [role("net", "train", { cpu_cores: 8, gpu_mhz: Math.round(power_w * 30) }), role("det", "infer", { batch_size: 8, cpu_cores: 8, gpu_mhz: Math.round(power_w * 30) })],
  });
  const chosen = { ...option(29.1, 9.375), text: "cpu_cores 8, cpu_mhz 1420.8, gpu_mhz 816, mem_mhz 2133; det batch_size 8" };
  const front = ([[14.2, 3.1], [19.8, 6.2], [25.4, 8.75], [29.1, 9.375], [38, 10.6], [44.5, 11.2]] as const).map(([x, y]) => option(x, y));
  const { configuration: _, ...trial } = board_trials([{ config: [8, 1420.8, 816, 2133], time_ms: 60, power_w: 29, energy_j: 1.7, provenance: "simulated" }], [0, 0], random(3))[0]!;
  return {
    ...page_base, kind: "plan", command: "flyball plan concurrent --train a.csv --infer b.csv --rate 60",
    apply: [{ title: "Set the board to this mode", text: "Flyball does not know how twin is set: cpu_cores 8." }],
    answer: {
      schema: 2, problem: "concurrent", objective: "throughput", asked: "objective throughput, power ≤ 30 W, latency of det ≤ 800 ms at 60 requests/s",
      request: {
        problem: "concurrent", device: "twin", objective: "throughput", power_budget_w: 30, time_budget_ms: null, energy_budget_j: null, separate_modes: false, switch_ms: 0, profiles_limit: 10, strategy: "flyball", predictor: "auto", seed: 7, references: [],
        roles: [{ workload: "net", phase: "train", rate_hz: 0, latency_ms: null, fingerprint: "fixture-7f3a91" }, { workload: "det", phase: "infer", rate_hz: 60, latency_ms: 800, fingerprint: "fixture-7f3a91" }],
      },
      device: { name: "twin", title: "twin", fingerprint: "fixture-7f3a91", conditions: { libraries: "LibTorch 1.13.1" }, power_total: "module", power_gap: null, gaps: [] },
      choice: chosen, answer: chosen, default: null, infeasible: null, front, unmeasured: null, modes: null, together: null, reused: [], set_aside: [],
      limits: [{ constraint: "power", workload: "", used: 29.1, limit: 30, unit: "W", binds: true }, { constraint: "latency", workload: "det", used: 612, limit: 800, unit: "ms", binds: false }],
      would_buy: [{ what: "1 W more power", gain_pct: 3.2, provenance: "predicted", choice: { ...option(30.7, 9.68), provenance: "predicted" } }, { what: "10 ms more latency", gain_pct: 0, provenance: "simulated", choice: chosen }],
      profiled: [{ ...trial, workload: "net", config: chosen.roles[0]!.config, from_store: true, run: 3, doubts: "others kept 0.8 cores busy" }, { ...trial, workload: "det", config: chosen.roles[1]!.config, minibatch_ms: null, minibatch_ms_90: null, from_store: false, failure: "out of memory" }],
      profiles: 10, trials: 12, stopped: "10 profiles were made", effort: "10 of 864 configurations profiled", run: 42, notes: [], started_utc: "2025-06-14T09:12:30Z", seconds: 742, own_seconds: 1,
    },
  };
}

/** A mode for each of three windows of arrivals. */
export function dynamic_page(): PlanPage & { answer: PlanDynamicPlan } {
  const { answer, ...page } = plan_page();
  const { choice: _, answer: __, default: ___, limits, would_buy, unmeasured, front, modes, together, ...shared } = answer;
  const window = (rate_hz: number, power_w: number, switches: boolean) => ({ rate_hz, seconds: 600, text: `gpu_mhz ${power_w * 30}; det batch_size 8`, choice: [{ workload: "det", config: { batch_size: 8, gpu_mhz: power_w * 30 } }], value: power_w, provenance: "simulated" as const, switches, switch_j: switches ? 40 : 0 });
  return { ...page, apply: [], answer: { ...shared, problem: "dynamic", objective: "power", windows: [window(30, 14.2, false), window(60, 25.4, true), window(90, 25.4, false)], switches: 1, switch_j: 40, value: 21.7, value_unit: "W", static_value: null } };
}

/** Trials of two boards in one run: an import. */
export function run_page(): RunPage {
  const next = random(31);
  const trials = Array.from({ length: 14 }, (_, i): RunsTrial => {
    const minibatch_ms = round(40 + 80 * next());
    return { ...made_up_trial, id: i + 1, config: { cpu_cores: [2, 4, 8][i % 3]!, cpu_mhz: 400 * (1 + (i % 5)) }, source: i < 9 ? "A" : "B", minibatch_ms, minibatch_ms_90: [minibatch_ms * 0.98, minibatch_ms * 1.02], power_w: round(12 + 25 * next()) };
  });
  const source = (name: string, power_total: string, libraries: string, differences: string[]) => ({ name, device: "twin", fingerprint: "fixture-7f3a91", power_total, conditions: { libraries }, measurements: 7, differences });
  return {
    ...page_base, kind: "run", command: "flyball import both.csv",
    answer: {
      schema: 2, id: 3, command: "flyball import both.csv", device: "twin", fingerprint: "fixture-7f3a91", conditions: null, seed: 0, started_utc: "2025-06-14T09:12:30Z", finished_utc: "2025-06-14T09:12:31Z", state: "done", measurements: 14, reused: 0,
      workload: null, best: null, choice: null, request: { import: "both.csv" }, answer: { notes: ["2 rows were left out"] }, trials,
      sources: [source("A", "module", "LibTorch 1.13.1", []), source("B", "input", "LibTorch 2.6.0", ["power total is module in A, input in B", "libraries is LibTorch 1.13.1 in A, LibTorch 2.6.0 in B"])],
    },
  };
}

/** Roofs of two made-up modes with two networks under them, and a table of 4 × 6 × 3 modes and 2 batch sizes. */
export function roofline_page(): RooflinePage {
  const bounded = (value: number) => ({ value, low: 0.7 * value, high: 1.3 * value });
  const roofs_of = (gpu_mhz: number, mem_mhz: number, flop_per_s: number, bytes_per_s: number) => ({
    mode: { gpu_mhz, mem_mhz }, threads: 0, flop_per_s, bytes_per_s, balance: flop_per_s / bytes_per_s, launch_s: 0.004, peaks: [], streams: [], sweep: [], idle: null, samples: 40, error_pct: 3,
    energy: { j_per_flop: bounded(2e-12), j_per_byte: bounded(392e-12), static_w: bounded(5), samples: 40, error_pct: 4 },
  });
  const modes = [roofs_of(1300, 3200, 2900e9, 60e9), roofs_of(300, 700, 600e9, 14e9)];
  const bound = (workload: string, batch_size: number, intensity: number, flop: number, minibatch_ms: number): RooflineBound => ({
    workload, phase: "infer", batch_size, rules: "exact", mode: modes[0]!.mode, flop, bytes: flop / intensity, kernels: 60, intensity, roof_ms: 0.8 * minibatch_ms, roof_j: null, minibatch_ms, power_w: null, doubted: false, of_roof_pct: 80,
    shares: { compute: 0.1, memory: 0.6, launch: 0.1, loader: 0, unexplained: 0.2 }, layers: [],
  });
  const figures = (mhz: number, minibatch_j: number) => ({ mode: { gpu_mhz: mhz }, minibatch_ms: 20, power_w: minibatch_j / 0.02, minibatch_j, doubted: false });
  const axes: Axis[] = [{ name: "batch_size", unit: "", scope: "run" }, { name: "cpu_cores", unit: "", scope: "board" }, { name: "gpu_mhz", unit: "MHz", scope: "board" }, { name: "mem_mhz", unit: "MHz", scope: "board" }];
  const configurations = grid([[1, 16], [2, 4, 8, 12], clocks(300, 1300, 6), [700, 2100, 3200]]).map((config): Configuration => {
    const [batch, cores, gpu, mem] = config as [number, number, number, number];
    const time_ms = 4 + 40 / cores + (batch * 3000) / gpu + (batch * 2000) / mem;
    const power_w = 6 + 0.4 * cores + 1.6e-5 * gpu * gpu + 0.002 * mem;
    return { config, time_ms: round(time_ms, 4), power_w: round(power_w, 4), energy_j: round(time_ms * power_w * 1e-3, 5), provenance: "simulated" };
  });
  return {
    ...page_base, kind: "roofline", command: "flyball roofline a.csv --report out.html",
    tables: [{ title: "net infer on twin", axes, configurations }, { title: "det infer on twin", axes, configurations: configurations.map((c) => ({ ...c, power_w: null, energy_j: null })) }],
    answer: {
      schema: 2,
      roofs: { device: "twin", title: "twin", fingerprint: "", provenance: "simulated", sources: ["net infer on twin", "det infer on twin"], total: "module", power_gap: null, other_cores: null, disturbed: null, measured_utc: "2025-06-14T09:12:30Z", modes },
      highest: 0, run: null, notes: [],
      workloads: [bound("net", 16, 34, 34e9, 20), bound("net", 1, 24, 5e9, 10), bound("det", 16, 5.4, 2.7e9, 10.8)],
      cases: [{ workload: "net", phase: "infer", batch_size: 16, configurations: 18, highest: figures(1300, 0.6), least_energy: figures(700, 0.5), robust_least_energy: figures(700, 0.5), about_as_fast: figures(1300, 0.6), saving_pct: 17, robust_saving_pct: 17, slowdown: 1.3, agreement: 0.4, doubt: null, named_by_roofs: null }],
      balance: { modes: 2, holds: 0, time_low: 43, time_high: 48, energy_low: 60, energy_high: 70 },
      verdicts: ["The highest mode (MAXN) is the most energy-efficient one in none of 4 cases: the least energy of a minibatch lies 9 to 31 % below it.", "The best mode saves 17 % of the energy (median) and takes 1.30 times as long."],
    },
  };
}

export function profile_page(): ProfilePage & { answer: ProfileEpochs } {
  const parts = (stall_s: number, compute_s: number) => ({ e2e_s: stall_s + compute_s + 0.2, stall_s, compute_s, overhead_s: 0.2, minibatch_ms: 3.21, cpu_pct: 198, file_bytes: 4e6, cache_bytes: 0 });
  const epoch = (i: number) => ({
    ...parts(i === 0 ? 4.1 : 2, i === 0 ? 10.3 : 10.1), epoch: i, minibatches: 3750, samples: 60000, skipped: 0, fetch_s: 0.3, preprocess_s: 1.9, loss: 0.41 - i / 5, figures: { perplexity: 20 - i }, first: { e2e_ms: 40, stall_ms: 30, compute_ms: 10 }, sample_bytes: 4e6, cpu_s: 24,
    memory_bytes: 3e8, peak_memory_bytes: 3e8, read_bytes: null, read_chars: null, disk_reads: null, disk_read_bytes: null, cached_before_pct: null, cached_after_pct: null, energy: null, gpu: null,
  });
  return {
    ...page_base, kind: "profile", command: "flyball profile lenet5 --epochs 2",
    answer: {
      schema: 2,
      request: {
        workload: "lenet5", phase: "train", device: "cpu", data: "", batch_size: 16, tokens: null, image_size: null, inputs: [], loss: "", loader_workers: 0, prefetch: 0, optimizer: "sgd", learning_rate: 0.01, weight_decay: 0, accumulate: 1, precision: "fp32",
        channels_last: false, threads: 2, epochs: 2, steps: null, drop_last: false, on_bad: "fail", save: "", resume: "", cache_bytes: null, seed: 7,
      },
      started_utc: "2025-06-14T09:12:30Z", provenance: "simulated", fingerprint: "fixture-7f3a91", dataset: { kind: "digits", samples: 60000, classes: 10, bytes: 54e6 }, parameters: 61706, buffer_bytes: 2e5, power_total: "", cache: null,
      power_gap: "power is not available on this machine: no RAPL energy counters", epochs: [epoch(0), epoch(1)], later: { ...parts(2, 10.1), epochs: 1, energy_j: null, mean_w: null }, skipped: 0, bad_samples: [], diverged_in: null, stopped: "", disturbed: null,
    },
  };
}

/** 4 × 9 × 8 × 3 = 864 modes under 30 W. */
export function power_report(): TuneReport {
  return board(grid([[2, 4, 8, 12], clocks(300, 2190, 9), clocks(180, 1290, 8), [700, 2100, 3100]]), 30, 11);
}

/** 12 × 29 × 13 × 4 = 18,096 modes. */
export function large_report(): TuneReport {
  return board(grid([clocks(1, 12, 12), clocks(120, 2190, 29), clocks(120, 1290, 13), [250, 700, 2100, 3100]]), 30, 23);
}

/** A budget below every mode's power. */
export function infeasible_report(): TuneReport {
  const report = board(grid([[2, 4, 8, 12], clocks(300, 2190, 9), clocks(180, 1290, 8), [700, 2100, 3100]]), 30, 11);
  const rows = report.configurations;
  const closest = rows.reduce((best, c, i) => (first(c.power_w!) < first(rows[best]!.power_w!) ? i : best), 0);
  report.request.budgets = [{ quantity: "power", limit: 8, unit: "W", per: null }];
  report.request.command = report.request.command.replace("30W", "8W");
  report.choice = null;
  report.oracle = null;
  report.infeasible = {
    reason: `The lowest power of any mode is ${first(rows[closest]!.power_w!)} W (predicted), above the budget of 8 W.`,
    closest,
    hint: "Raise --power-budget, or open an axis that lowers power.",
  };
  return report;
}

/** A machine without power sensors: loader workers and prefetch, no predictor figures for power. */
export function no_power_report(): TuneReport {
  const rng = random(5);
  const axes: Axis[] = [
    { name: "cpu_cores", unit: "", scope: "board" },
    { name: "loader_workers", unit: "", scope: "run" },
    { name: "prefetch", unit: "", scope: "run" },
  ];
  const configurations = grid([[1, 2], [0, 1, 2, 3], [1, 2, 4, 8]]).map(([cores, workers, prefetch]): Configuration => {
    const compute = cores === 1 ? 2.05 : 1.31;
    const load = workers === 0 ? 0.62 : 0.34 / Math.min(workers!, cores!) / (1 + 0.12 * Math.log2(prefetch!)) + 0.05 * Math.max(0, workers! - cores!);
    return { config: [cores!, workers!, prefetch!], time_ms: around((compute + load) * (1 + 0.04 * (rng() - 0.5)), 0.08), power_w: null, energy_j: null, provenance: "predicted" };
  });
  const picks = [0, 31, 18, 9, 22, 26, 23, 27];
  const profiled = picks.map((configuration, i): Trial => {
    const row = configurations[configuration]!;
    const e2e = first(row.time_ms!);
    const compute = row.config[0] === 1 ? 2.05 : 1.31;
    row.provenance = "simulated";
    row.time_ms = around(e2e, 0.018);
    return {
      ...unremarkable, configuration, reason: i < 3 ? whys[0]! : whys[1]!, stop_reason: "noise ≤ 2 %", noise_pct: round(1 + rng(), 2), minibatches: 600 + Math.floor(rng() * 900),
      ...own_reading(row), stall_ms: round(Math.max(0.01, e2e - compute), 3), compute_ms: round(Math.min(compute, e2e), 3),
    };
  });
  const best = configurations.reduce((b, c, i) => (c.provenance === "simulated" && first(c.time_ms!) < first(configurations[b]!.time_ms!) ? i : b), picks[0]!);
  const report = base();
  report.run = { ...report.run, power_total: null, duration_s: 48 };
  report.machine = { name: "Twin host (made up)", fingerprint: "fixture-host-2", facts: [{ name: "Processor", value: "2 cores" }, { name: "Memory", value: "24 GB" }] };
  report.notes = [
    { level: "gap", text: "power is not available on this machine: no RAPL counters under /sys/class/powercap and no hwmon power sensor.", hint: "A virtual machine has none; run on the host, or measure at the wall." },
    { level: "gap", text: "cpu_mhz cannot be set on this machine: cpufreq is absent.", hint: "The axis was left out of the search." },
  ];
  return {
    ...report,
    comparison: null,
    title: "tune lenet5",
    request: {
      workload: "lenet5", phase: "train", device: "host", objective: "time", budgets: [], profiles_limit: 10, samples_per_epoch: 60_000, batch_size: 16,
      command: "flyball tune lenet5 --device host --objective time --report out/report.html",
    },
    axes, configurations, profiled,
    choice: { configuration: best, verified: true }, default: { configuration: 0, name: "1 core, no workers" },
    front: null, pairs: pairs_of_time(configurations, profiled, rng),
  };
}

function pairs_of_time(rows: Configuration[], trials: Trial[], rng: () => number): Pair[] {
  return trials.map(({ configuration }, i) => {
    const observed = rows[configuration]!.time_ms!;
    return { configuration, quantity: "time", observed, predicted: around(first(observed) * (1 + (i < 3 ? 0.02 : 0.1) * (rng() - 0.5)), 0.08), fitted: i < 3 };
  });
}

/** Loader workers 0, 1 and 2 of a made-up machine: one worker hides what no worker leaves visible. */
export function experiment_page(): ExperimentPage {
  const next = random(11);
  const fixed = { workload: "mobilenet_v3", phase: "train", batch_size: 16, workers: 0, epochs: 3, seed: 7 };
  const settings = [{ label: "workers 0", stall: 4.2, compute: 11.8 }, { label: "workers 1", stall: 0.3, compute: 12.1 }, { label: "workers 2", stall: 0.2, compute: 12.3 }];
  const means = (stall: number, compute: number, cached: number): ExperimentMeans => ({
    epochs: cached === 0 ? 1 : 2, e2e_s: round(stall + compute + 0.05), stall_s: stall, compute_s: compute, overhead_s: 0.05, fetch_s: cached === 0 ? 1.1 : 0.1, preprocess_s: 3.9,
    stall_ms: round((stall * 1000) / 16), minibatch_ms: round(((stall + compute + 0.05) * 1000) / 16), cpu_pct: 100, others_cpu_pct: null, cached, read_bytes: (1 - cached) * 2e8, disk_reads: null, file_bytes: 2e8, cache_bytes: 0, energy_j: null, power_w: null, gpu_load_pct: null, gpu_mhz: null, gpu_memory_bytes: null,
  });
  const groups = settings.map(({ label, stall, compute }, index) => {
    const [first, later] = [means(stall + 1, compute, 0), means(stall, compute, 1)];
    const epochs = [0, 1, 2].map((epoch) => {
      const m = epoch === 0 ? first : later;
      const minibatch_ms = Array.from({ length: 51 }, () => round(m.minibatch_ms * (1 + 0.06 * (next() + next() - 1)))).sort((a, b) => a - b);
      return { repeat: 0, epoch, e2e_s: m.e2e_s, stall_s: m.stall_s, compute_s: m.compute_s, overhead_s: 0.05, loss: 7 - epoch, cached: m.cached, read_bytes: m.read_bytes, energy_j: null, others_cpu_pct: m.others_cpu_pct, disturbed: null, minibatch_ms };
    });
    return { label, settings: { ...fixed, workers: index }, repeats: 1, disturbed: [], doubts: label === "workers 2" ? "others took 45 % of a core" : null, first, later, epochs, residency: {} };
  });
  return {
    ...page_base, kind: "experiment", command: "flyball experiment run experiments/workers.toml",
    answer: {
      schema: 2, experiment: "workers", title: "E1: loader workers (made up)", question: "workers", fixed, varied: ["workers"], device: "Twin board (simulated)", fingerprint: "fixture-7f3a91", compute: "cpu", groups,
      started_utc: "2025-06-14T09:12:30Z", measured_utc: "2025-06-14T09:12:31Z", seconds: 742, runs: 3, wanted: 3, reused: 0, power_total: null, dataset: { samples: 256, bytes: 2e8 },
      findings: [
        { text: "With 1 loader worker the stall of an epoch goes from 4.2 s to 0.3 s.", as_expected: true },
        { text: "1 worker is enough.", as_expected: null },
        { text: "The losses of 3 runs differ by up to 0.1: the loss curve depends on the setting.", as_expected: false },
      ],
      gaps: ["power is not available on this machine: no RAPL energy counters on this machine"], doubts: ["other programs took 45 % of a core in the median epoch"],
    },
  };
}

/** What a page is to be opened with: what it is to show, or its document. */
export type Shown = TuneReport | Report;

export const document_of = (shown: Shown): Report => ("machine" in shown ? page_of(shown) : shown);

export function findings_page(): FindingsPage {
  const run = (mode: string, workers: number, e2e_s: number, stall_s: number, energy_j: number | null) => ({
    board: "twin", workload: "net", mode, usual_mode: mode === "g", storage: "ssd", workers, batch_size: 16, dropped: false, governors: false, e2e_s, stall_s, compute_s: e2e_s - stall_s, overhead_s: 0, energy_j, gpu_pct: 81,
  });
  const value = (name: string, of: number | null, unit: string, text: string | null = null) => ({ name, value: of, unit, low: null, high: null, text });
  const shared = { study: "made_up", section: "5.1", use: "held" as const, transferred: false };
  return {
    ...page_base, kind: "findings", command: "flyball experiment findings --device twin:made_up --report out.html",
    answer: {
      schema: 2, studies: ["A made-up study"], boards: [{ board: "twin", provenance: "simulated" }], holds: 1, differ: 1, wrong_sign: 1, unanswered: 1, held: 2, held_holds: 1,
      findings: [
        { ...shared, id: "a-worker-hides", name: "a worker hides", claim: "A worker hides what no worker lets wait.", holds: true, verdict: "holds", why: "",
          ours: [{ ...value("net on twin: stall, workers 0 → 1", -52, "%"), low: -54, high: -50, verdict: "holds" }], published: [{ ...value("net on twin: stall, workers 0 → 1", -48, "%"), spread: 5 }] },
        { ...shared, id: "fronts", name: "fronts", claim: "Mode a is on the front.", holds: false, verdict: "sign", why: "1 of 1 figure differs",
          ours: [{ ...value("net on twin: front by energy", null, "", "cd"), verdict: "sign" }], published: [{ ...value("net on twin: front by energy", null, "", "acd"), spread: null }] },
        { ...shared, id: "elsewhere", name: "elsewhere", claim: "Another board is faster.", holds: null, verdict: null, why: "it is asked of other_board", ours: [], published: [] },
      ],
      runs: [run("a", 4, 90, 8, 900), run("b", 4, 80, 8, 940), run("c", 4, 60, 6, 880), run("d", 4, 50, 5, 990), run("g", 0, 71, 30, 1100), run("g", 4, 44, 4, 1010)], notes: [],
    },
  };
}

/** Two strategies on two kinds of problems; some searches broke off, and a pair could not be posed. */
export function evaluation_page(): EvaluationPage {
  const row = (strategy: string, kind: EvaluateAllRow["kind"], tables: string | null, solvable: number, satisfied: number, distance: number | null, profiles: number, failed = 0): EvaluateAllRow =>
    ({ strategy, kind, tables, solvable, satisfied, satisfied_pct: (100 * satisfied) / solvable, failed, median_distance_pct: distance === null ? null : distance / 4, mean_distance_pct: distance, mean_profiles: profiles, max_profiles: Math.ceil(profiles) + 5 });
  return {
    ...page_base, kind: "evaluation", command: "flyball evaluate all tables --report out.html",
    answer: {
      schema: 2, tables: 3, configurations: 12345, problems: 30, solvable: 20, unposed: 10,
      rows: [
        row("gmd", null, null, 20, 16, 12.5, 9.25), row("flyball", null, null, 20, 18, 3, 8.5, 2),
        row("gmd", "training", null, 12, 12, 15, 7), row("flyball", "training", null, 12, 12, 3, 9), row("gmd", "inference", null, 8, 4, 5, 12.6), row("flyball", "inference", null, 8, 6, 3, 7.75, 2),
        row("gmd", "training", "net train on twin", 12, 12, 15, 7), row("flyball", "training", "net train on twin", 12, 12, 3, 9), row("gmd", "inference", "net infer on twin", 8, 4, 5, 12.6), row("flyball", "inference", "net infer on twin", 8, 6, 3, 7.75, 2),
      ],
      failures: [
        { strategy: "flyball", kind: "inference", tables: "net infer on twin", count: 2, message: "no power was measured", hint: "give a table with power" },
        { strategy: null, kind: "concurrent", tables: "net train, det infer on twin", count: 10, message: "the workloads have no power mode in common", hint: "" },
      ],
    },
  };
}

/** Three boards, the last of which has no room for the second network; one is chosen. */
export function boards_page(): BoardsPage {
  const figures = (workload: string, epoch_s: number | null, published_s: number | null): CompareNetworkFigures => ({
    workload, missing: epoch_s === null ? "does not fit: needs 9 of 8 GB" : null, fits: epoch_s !== null, needed_bytes: 4e9, available_bytes: 8e9, config: epoch_s === null ? null : { batch_size: 16, loader_workers: 4, prefetch: 2, gpu_mhz: 1300 },
    minibatch_ms: epoch_s === null ? null : epoch_s * 10, minibatch_ms_90: epoch_s === null ? null : [epoch_s * 9.9, epoch_s * 10.1], power_w: epoch_s === null ? null : 20, power_w_90: epoch_s === null ? null : [19, 21], provenance: epoch_s === null ? null : "simulated",
    epoch_s, epoch_j: epoch_s === null ? null : epoch_s * 20, epoch_price: epoch_s === null ? null : epoch_s * 1e-5, published_s, published_fits: epoch_s === null ? false : published_s === null ? null : true,
    published_difference_pct: epoch_s === null || published_s === null ? null : 100 * (epoch_s / published_s - 1), measured_ms: null, measured_difference_pct: null,
  });
  const board = (name: string, of: CompareNetworkFigures[], rest: Partial<CompareBoard>): CompareBoard => ({
    name, board: name, title: `${name.toUpperCase()} (simulated)`, source: "twin", baseline: false, power_total: "module", power_parts: null, price: { amount: 500, currency: "USD", date: "2024", what: "developer kit", source: "its maker" },
    figures: of, speed: null, energy: null, published_speed: null, measured_speed: null, text: "", misses: [], ...rest,
  });
  const ratio = (mean: number, text: string, networks = 2) => ({ mean, least: mean, most: mean, networks, text });
  return {
    ...page_base, kind: "boards", command: "flyball compare boards net lm --device twin:a,twin:b,twin:c --report out.html",
    answer: {
      schema: 2, asked: { batch_size: 16, loader_workers: 4, prefetch: 2, seed: 1, objective: "time", deadline_s: 1000, power_budget_w: null, energy_budget_j: null, price_budget: null, board_budget: null, text: "objective time, epoch ≤ 1000 s" },
      networks: [{ workload: "net", samples: 1600, minibatches: 100 }, { workload: "lm", samples: 1600, minibatches: 100 }],
      boards: [
        board("a", [figures("net", 178, 186), figures("lm", 400, null)], { baseline: true }),
        board("b", [figures("net", 40, null), figures("lm", 80, null)], { speed: ratio(4.7, "4.7 × as fast (geometric mean over 2 networks, 4.5 to 5)"), energy: ratio(1.1, "1.1 × the energy (1.1 to 1.1)"), price: null }),
        board("c", [figures("net", 16000, 12000), figures("lm", null, null)], {
          speed: ratio(1 / 90, "two orders of magnitude slower (90 ×)", 1), energy: ratio(17, "17 × the energy", 1), published_speed: ratio(1 / 65, "two orders of magnitude slower (65 ×)", 1), misses: ["epoch of net: 4 h 26 min of 1000 s"],
        }),
      ],
      prices: { file: "the built-in prices.toml", currency: "USD", life_years: 5, electricity_per_kwh: 0.15 }, published: { title: "a made-up report", source: "its table" }, measured_file: null,
      choice: { name: "b", objective: "time", value: 57, text: "B (simulated): 57 s an epoch (geometric mean over 2 networks), the lowest time of the 2 boards that qualify" }, infeasible: null, notes: ["prices are made up"],
    },
  };
}

/** Two measured results and a simulated one; the second has no power, and one breaks a rule. */
export function benchmark_page(): BenchmarkPage {
  const row = (rank: number | null, board: string, seconds: number, joules: number | null, ratio: number): BenchmarkRankedRow => ({
    rank, board, file: `${board}.json`, signed_off_by: rank === 1 ? "A. Person" : null, provenance: rank === null ? "simulated" : "measured", epochs_to_target: 4, time_to_target_s: seconds, epoch_s: seconds / 4, energy_to_target_j: joules, mean_w: joules === null ? null : joules / seconds, ratio,
  });
  return {
    ...page_base, kind: "benchmark", command: "flyball experiment benchmark table a.json b.json c.json d.json --report out.html",
    answer: {
      schema: 2, by: "time", shared: ["net", "lm"],
      entries: [
        { id: "net", quality: "accuracy", target: 0.99, rows: [row(null, "c", 20, 600, 0.5), row(1, "a", 40, 800, 1), row(2, "b", 100, null, 2.5)] },
        { id: "lm", quality: "perplexity", target: 35, rows: [row(1, "a", 4000, 90_000, 1), row(2, "b", 36_000, null, 9)] },
      ],
      overall: [{ rank: 1, board: "a", file: "a.json", ratio: 1 }, { rank: 2, board: "b", file: "b.json", ratio: Math.sqrt(2.5 * 9) }],
      left_out: [{ file: "d.json", entry: null, why: "signed off: nobody vouches for it" }],
    },
  };
}

export const fixtures: Record<string, () => Shown> = {
  power: power_report, no_power: no_power_report, infeasible: infeasible_report, large: large_report, experiment: experiment_page, findings: findings_page, evaluation: evaluation_page, boards: boards_page, benchmark: benchmark_page,
  batch: batch_report, unsure: () => batch_report(false), wide: wide_report, plan: plan_page, dynamic: dynamic_page, run: run_page, profile: profile_page, roofline: roofline_page,
};
