// Made-up reports for the tests: a small made-up board, drawn from a seed. Nothing here is a measurement of anything, so
// every number is labelled `simulated` (or `predicted`), whatever the story told around it.
import { schema, type Axis, type Comparison, type Configuration, type EpochMeans, type ExperimentReport, type Pair, type Quantity, type Report, type SheetReport, type Trial, type TuneReport } from "../src/contract.ts";
import { pareto } from "../src/pareto.ts";

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

function base(): Pick<TuneReport, "schema" | "kind" | "notes" | "machine" | "run"> {
  return {
    schema,
    kind: "tune",
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
export function comparison_of(report: TuneReport, established = true): Comparison {
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
      configuration, why: i < 4 ? whys[0]! : whys[1 + (i % 3)]!, stop_reason: stops[i % 4]!,
      noise_percent: round(0.6 + rng() * 1.3, 2), minibatches: 40 + Math.floor(rng() * 160),
      stall_ms: round(stall), compute_ms: round(e2e - stall), e2e_ms: round(e2e), window_s: round(12 + rng() * 40, 3), power_updates: 12 + Math.floor(rng() * 30),
      throttled: i === 8 ? null : i === 6, repeated: i === 4, reused: i < 2,
      ...(i === 3 ? { disturbed: "process 7 (flyball tune) since 12:30", figures: [{ name: "accuracy", value: 0.7125, text: "0.7125" }] } : {}),
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
    const batch = [8, 16, 32, 64][i % 4]!;
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
  report.reused = [{ run: 1, trials: 10, measured_utc: "2025-06-14T09:04:00Z", age_s: 480, other_cores: 1.4, busy: true }];
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

const sheet_base = { schema, command: "flyball plan concurrent --train a.csv --infer b.csv --rate 60", started_at: "2025-06-14T09:12:30Z", version: "0.1.0" } as const;

export function plan_report(): SheetReport {
  const options = [[14.2, 3.1], [19.8, 6.2], [25.4, 8.75], [29.1, 9.375], [38, 10.6], [44.5, 11.2]] as const;
  return {
    ...sheet_base, kind: "plan", title: "plan concurrent on twin", subject: "Plan · concurrent · net (training) and det (serving) · twin",
    headline: "Set twin to cpu_cores 8, cpu_mhz 1420.8, gpu_mhz 816, mem_mhz 2133; det batch_size 8.", lines: [],
    figures: [{ label: "throughput", value: 9.375, unit: "training minibatches/s", provenance: "simulated" }, { label: "power", value: [29.1, 28.6, 29.7], unit: "W", provenance: "simulated" }, { label: "found with", value: 10, unit: "profiles", note: "in 12 trials" }],
    apply: [{ title: "Set the board to this mode", text: "Flyball does not know how twin is set: cpu_cores 8." }], bars: [],
    charts: [{ title: "Power against the objective", x: { label: "power", unit: "W" }, y: { label: "throughput", unit: "training minibatches/s" }, limits: [{ axis: "x", value: 30, label: "budget" }], points: options.map(([x, y]) => ({ x, y, label: `a mode at ${x} W`, group: "simulated", marked: x === 29.1 })) }],
    tables: [
      { title: "What it leaves of each limit", text: "A limit that binds keeps a better choice out.", columns: ["limit", "of", "used", "at most", "unit", ""].map((label) => ({ label, unit: "" })), rows: [{ cells: ["power", "", 29.1, 30, "W", "binds"] }, { cells: ["latency", "det", 612, 800, "ms", ""] }] },
      { title: "Measured alternatives at other powers", text: "", columns: [{ label: "power", unit: "W" }, { label: "objective", unit: "" }, { label: "unit", unit: "" }, { label: "set", unit: "" }], rows: options.map(([x, y]) => ({ cells: [x, y, "training minibatches/s", `cpu_cores 8, cpu_mhz 1420.8, gpu_mhz ${Math.round(x * 30)}, mem_mhz 2133; det batch_size 8`], provenance: "simulated" as const, marked: x === 29.1 })) },
    ],
    facts: [{ title: "Machine", list: [{ name: "name", value: "twin" }, { name: "fingerprint", value: "fixture-7f3a91" }] }],
    notes: [{ level: "note", text: "search ended: 10 profiles were made" }],
  };
}

/** Trials of two boards in one run: an import. */
export function run_report(): SheetReport {
  const next = random(31);
  const rows = Array.from({ length: 14 }, (_, i) => ({ source: i < 9 ? "A" : "B", time: round(40 + 80 * next()), power: round(12 + 25 * next()), set: `cpu_cores ${[2, 4, 8][i % 3]}, cpu_mhz ${400 * (1 + (i % 5))}` }));
  return {
    ...sheet_base, kind: "run", title: "run 3", command: "flyball import both.csv", subject: "Run 3 · twin · done", headline: "Run 3: 14 trials on twin.", lines: [], apply: [], bars: [],
    figures: [{ label: "trials", value: 14, unit: "", note: "0 of them reused" }],
    charts: [{ title: "Power against time", x: { label: "power", unit: "W" }, y: { label: "minibatch", unit: "ms" }, limits: [], points: rows.map((r) => ({ x: r.power, y: r.time, label: r.set, group: r.source, marked: false })) }],
    tables: [{ title: "Its trials", text: "In their order.", columns: [{ label: "#", unit: "" }, { label: "workload", unit: "" }, { label: "set", unit: "" }, { label: "minibatch", unit: "ms" }, { label: "power", unit: "W" }, { label: "source", unit: "" }, { label: "stopped", unit: "" }], rows: rows.map((r, i) => ({ cells: [i + 1, "net train", r.set, [r.time, r.time * 0.98, r.time * 1.02], r.power, r.source, "row of a table"], provenance: "simulated" as const })) }],
    facts: ["A", "B"].map((name) => ({ title: `Source ${name}`, list: [{ name: "name", value: "twin" }, { name: "power total", value: name === "A" ? "module" : "input" }, { name: "libraries", value: name === "A" ? "LibTorch 1.13.1" : "LibTorch 2.6.0" }] })),
    notes: [{ level: "warning", text: "A and B do not compare: power total is module in A, input in B; libraries is LibTorch 1.13.1 in A, LibTorch 2.6.0 in B", hint: "Compare figures of one source only." }],
  };
}

/** Roofs of two made-up modes with two networks under them, and a table of 4 × 6 × 3 modes and 2 batch sizes. */
export function roofline_report(): SheetReport {
  const roof = (label: string, flop: number, bytes: number) => ({ label, points: [0.5, 2, 8, flop / bytes, 64, 200].sort((a, b) => a - b).map((x): [number, number] => [x, Math.min(flop, bytes * x)]) });
  const axes: Axis[] = [{ name: "batch_size", unit: "", scope: "run" }, { name: "cpu_cores", unit: "", scope: "board" }, { name: "gpu_mhz", unit: "MHz", scope: "board" }, { name: "mem_mhz", unit: "MHz", scope: "board" }];
  const configurations = grid([[1, 16], [2, 4, 8, 12], clocks(300, 1300, 6), [700, 2100, 3200]]).map((config): Configuration => {
    const [batch, cores, gpu, mem] = config as [number, number, number, number];
    const time_ms = 4 + 40 / cores + (batch * 3000) / gpu + (batch * 2000) / mem;
    const power_w = 6 + 0.4 * cores + 1.6e-5 * gpu * gpu + 0.002 * mem;
    return { config, time_ms: round(time_ms, 4), power_w: round(power_w, 4), energy_j: round(time_ms * power_w * 1e-3, 5), provenance: "simulated" };
  });
  const point = (x: number, y: number, label: string, group: string) => ({ x, y, label, group, marked: false });
  return {
    ...sheet_base, kind: "roofline", title: "roofs of twin", command: "flyball roofline --data a.csv --report out.html", subject: "Roofline · twin",
    headline: "The highest mode (MAXN) is the most energy-efficient one in none of 4 cases: the least energy of a minibatch lies 9 to 31 % below it.",
    lines: ["The best mode saves 17 % of the energy (median) and takes 1.30 times as long."], apply: [], bars: [],
    figures: [{ label: "arithmetic", value: 2900, unit: "GFLOP/s", provenance: "simulated", note: "highest mode" }, { label: "energy of a byte", value: [392, 278, 506], unit: "pJ", provenance: "simulated", note: "highest mode" }],
    charts: [{
      title: "Time: what each byte's work lets the board attain", x: { label: "intensity", unit: "FLOP/B" }, y: { label: "attained", unit: "GFLOP/s" }, limits: [], log: true,
      lines: [roof("gpu_mhz 1300, mem_mhz 3200", 2900, 60), roof("gpu_mhz 300, mem_mhz 700", 600, 14)],
      points: [point(34, 1700, "net infer, batch 16: gpu_mhz 1300", "net"), point(24, 500, "net infer, batch 1: gpu_mhz 1300", "net"), point(5.4, 250, "det infer, batch 16: gpu_mhz 1300", "det")],
    }],
    grids: [{ title: "net infer on twin", axes, configurations }, { title: "det infer on twin", axes, configurations: configurations.map((c) => ({ ...c, power_w: null, energy_j: null })) }],
    tables: [{ title: "What binds", text: "", columns: [{ label: "workload", unit: "" }, { label: "memory", unit: "%" }], rows: [{ cells: ["net", 84] }] }],
    facts: [{ title: "Board", list: [{ name: "name", value: "twin" }] }], notes: [],
  };
}

export function profile_report(): SheetReport {
  const part = (which: string, stall: number, compute: number) => ({ label: "lenet5", which, e2e_s: stall + compute + 0.2, stall_s: stall, compute_s: compute, overhead_s: 0.2 });
  return {
    ...sheet_base, kind: "profile", title: "profile of lenet5 training", command: "flyball profile lenet5 --epochs 2", subject: "Profile · lenet5 training · cpu", headline: "An epoch of lenet5 training takes 12.3 s.",
    lines: ["82 % of it compute, 16 % visible waiting for data, 2 % overhead."], apply: [], charts: [], bars: [part("epoch 0", 4.1, 10.3), part("epoch 1", 2, 10.1)],
    figures: [{ label: "epoch", value: 12.3, unit: "s", provenance: "simulated", note: "mean of the epochs after the first" }, { label: "CPU", value: 198, unit: "% of one core" }],
    tables: [{ title: "Epoch by epoch", text: "Fetching and pre-processing are the loader's work, hidden or not.", columns: ["epoch", "minibatches", "end to end", "stall", "compute", "overhead", "fetching", "pre-processing", "minibatch", "CPU", "in cache", "energy", "power", "loss"].map((label) => ({ label, unit: label === "epoch" || label === "minibatches" || label === "loss" ? "" : label === "minibatch" ? "ms" : "s" })), rows: [0, 1].map((i) => ({ cells: [i, 3750, 12.3 + 2 * (1 - i), 2, 10.1, 0.2, 0.3, 1.9, 3.21, 198, null, null, null, 0.41 - i / 5] })) }],
    facts: [{ title: "Settings", list: [{ name: "batch_size", value: "16" }] }], notes: [{ level: "gap", text: "power is not available on this machine: no RAPL energy counters" }],
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
      configuration, why: i < 3 ? whys[0]! : whys[1]!, stop_reason: "noise ≤ 2 %", noise_percent: round(1 + rng(), 2), minibatches: 600 + Math.floor(rng() * 900),
      stall_ms: round(Math.max(0.01, e2e - compute), 3), compute_ms: round(Math.min(compute, e2e), 3), e2e_ms: round(e2e), throttled: null, repeated: false, reused: false,
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
export function experiment_report(): ExperimentReport {
  const next = random(11);
  const settings = [{ label: "workers 0", stall: 4.2, compute: 11.8 }, { label: "workers 1", stall: 0.3, compute: 12.1 }, { label: "workers 2", stall: 0.2, compute: 12.3 }];
  const means = (stall: number, compute: number, cached: number): EpochMeans => ({
    epochs: cached === 0 ? 1 : 2, e2e_s: round(stall + compute + 0.05), stall_s: stall, compute_s: compute, overhead_s: 0.05, fetch_s: cached === 0 ? 1.1 : 0.1, preprocess_s: 3.9,
    stall_ms: round((stall * 1000) / 16), minibatch_ms: round(((stall + compute + 0.05) * 1000) / 16), cpu_pct: 100, others_cpu_pct: null, cached, read_bytes: (1 - cached) * 2e8, disk_reads: null, file_bytes: 2e8, cache_bytes: 0, energy_j: null, power_w: null,
  });
  const groups = settings.map(({ label, stall, compute }) => {
    const [first, later] = [means(stall + 1, compute, 0), means(stall, compute, 1)];
    const epochs = [0, 1, 2].map((epoch) => {
      const m = epoch === 0 ? first : later;
      const minibatch_ms = Array.from({ length: 51 }, () => round(m.minibatch_ms * (1 + 0.06 * (next() + next() - 1)))).sort((a, b) => a - b);
      return { repeat: 0, epoch, e2e_s: m.e2e_s, stall_s: m.stall_s, compute_s: m.compute_s, overhead_s: 0.05, loss: 7 - epoch, cached: m.cached, read_bytes: m.read_bytes, energy_j: null, others_cpu_pct: m.others_cpu_pct, disturbed: null, minibatch_ms };
    });
    return { label, doubts: label === "workers 2" ? "others took 45 % of a core" : null, first, later, epochs };
  });
  const { machine, run } = base();
  return {
    schema, kind: "experiment", title: "E1: loader workers (made up)", question: "workers", workload: "mobilenet_v3", phase: "train", command: "flyball experiment run experiments/workers.toml",
    fixed: { batch_size: 16, epochs: 3 }, varied: ["workers"], groups, machine, run: { ...run, power_total: null, predictor: null },
    findings: [
      { text: "With 1 loader worker the stall of an epoch goes from 4.2 s to 0.3 s.", as_expected: true },
      { text: "1 worker is enough.", as_expected: null },
      { text: "The losses of 3 runs differ by up to 0.1: the loss curve depends on the setting.", as_expected: false },
    ],
    notes: [{ level: "gap", text: "power is not available on this machine: no RAPL energy counters on this machine" }],
  };
}

export const fixtures: Record<string, () => Report> = {
  power: power_report, no_power: no_power_report, infeasible: infeasible_report, large: large_report, experiment: experiment_report,
  batch: batch_report, unsure: () => batch_report(false), wide: wide_report, plan: plan_report, run: run_report, profile: profile_report, roofline: roofline_report,
};
