// What the page expects inside <script id="flyball-data">. docs/report-data.md says the same in prose.
// A change that an older page cannot show gets a new schema name.

export const schema = "flyball-report/1";

/** How a number is known. `table`: looked up in a measured table; `simulated`: the twin's. */
export type Provenance = "measured" | "table" | "predicted" | "simulated";

/** A plain number (spread not known), or [value, low, high]; `Run.intervals` says what low and high are. */
export type Quantity = number | [value: number, low: number, high: number];

/** Position in `TuneReport.configurations`. */
export type Index = number;

export interface Axis {
  /** The CSV column name, e.g. `cpu_mhz`. */
  name: string;
  /** `MHz`, `W`, …; empty for counts. */
  unit: string;
  scope: "board" | "run";
  /** For people; made from the name when left out. */
  label?: string;
}

export interface Configuration {
  /** One value per axis, in the order of `axes`. */
  config: number[];
  /** Per minibatch. Null: not known. */
  time_ms: Quantity | null;
  /** Null: not available on this machine. */
  power_w: Quantity | null;
  /** Per minibatch, joules. */
  energy_j: Quantity | null;
  provenance: Provenance;
  /** On the Pareto front of `Front.over`. */
  front?: boolean;
}

export interface Budget {
  quantity: "time" | "power" | "energy";
  limit: number;
  /** `ms`, `s`, `W`, `J`, as the limit was asked. */
  unit: string;
  /** What a time or energy budget covers; null for power. */
  per: "minibatch" | "epoch" | null;
}

export interface Request {
  workload: string;
  phase: "train" | "infer";
  device: string;
  objective: "time" | "power" | "energy";
  budgets: Budget[];
  /** The command line as typed. */
  command: string;
  /** Most trials that may be profiled. */
  profiles_limit?: number | null;
  /** Samples in an epoch; null: not known, so figures are per minibatch. */
  samples_per_epoch?: number | null;
  /** The fixed minibatch size; null when `batch_size` is an axis. */
  batch_size?: number | null;
}

/** One profiled trial. The list is in the order of profiling. */
export interface Trial {
  configuration: Index;
  /** Why the strategy asked for it, in words. */
  why: string;
  /** The named stopping rule that ended it. */
  stop_reason: string;
  /** Relative noise of the end-to-end time, percent. */
  noise_percent: number | null;
  minibatches: number;
  /** Means per minibatch. */
  stall_ms: number | null;
  compute_ms: number | null;
  e2e_ms: number | null;
  /** Wall time the measurement covers. */
  window_s?: number | null;
  /** Distinct sensor updates behind the power figure. */
  power_updates?: number | null;
  throttled: boolean;
  /** Repeated because it lay too far from what its neighbours let expect. */
  repeated: boolean;
  /** Answered from the store. */
  reused?: boolean;
}

export interface Choice {
  configuration: Index;
  /** The answer was measured once more after the search. */
  verified: boolean;
}

/** There is no answer: why, what comes closest and what to do. */
export interface Infeasible {
  reason: string;
  closest: Index | null;
  hint?: string;
}

export interface Default {
  configuration: Index;
  /** E.g. `MAXN`, `all cores, no workers`. */
  name: string;
}

export interface Front {
  over: ["time", "power" | "energy"];
  configurations: Index[];
}

/** The optimum of a table whose every row is known. */
/** What a table says of a row; `configurations` may hold a prediction of it. */
export interface Tabled {
  time_ms: number;
  power_w: number | null;
  energy_j: number | null;
}

export interface Oracle {
  raw: Index | null;
  /** Without the rows whose power was probably read too early. */
  robust: Index | null;
  raw_tabled?: Tabled | null;
  robust_tabled?: Tabled | null;
  excluded_rows?: number;
}

/** Predicted against observed. */
export interface Pair {
  configuration: Index;
  quantity: "time" | "power" | "energy";
  observed: Quantity;
  predicted: Quantity;
  /** The observation was part of the fit, so it says nothing about accuracy. */
  fitted: boolean;
}

export interface Note {
  /** `gap`: something is missing; `warning`: a number deserves doubt; `note`: good to know. */
  level: "gap" | "warning" | "note";
  text: string;
  hint?: string;
}

export interface Fact {
  name: string;
  value: string;
}

export interface Machine {
  name: string;
  fingerprint: string;
  facts: Fact[];
}

export interface Run {
  id: string;
  /** ISO 8601. */
  started_at: string;
  duration_s: number;
  seed: number;
  strategy: string;
  /** Null: nothing was predicted. */
  predictor: string | null;
  /** `module`, `monitor` or a rail; null without power. */
  power_total: string | null;
  /** What low and high mean, per provenance. */
  intervals: Partial<Record<Provenance, string>>;
  /** Program and library versions, e.g. {"flyball": "0.1.0"}. */
  versions: Record<string, string>;
}

interface Common {
  schema: string;
  title: string;
  notes: Note[];
  machine: Machine;
  run: Run;
}

export interface TuneReport extends Common {
  kind: "tune";
  request: Request;
  axes: Axis[];
  configurations: Configuration[];
  profiled: Trial[];
  /** Null when nothing is feasible; then `infeasible` says why. */
  choice: Choice | null;
  infeasible?: Infeasible | null;
  default: Default | null;
  front: Front | null;
  oracle?: Oracle | null;
  pairs?: Pair[];
}

/** Means over epochs of the same kind and over repeats; sums are of whole epochs. */
export interface EpochMeans {
  /** How many epochs the means are over. */
  epochs: number;
  e2e_s: number;
  /** Visible waiting for data. */
  stall_s: number;
  compute_s: number;
  /** e2e − stall − compute. */
  overhead_s: number;
  /** Work of the loader on one thread, hidden or not. */
  fetch_s: number;
  preprocess_s: number;
  /** Per minibatch. */
  stall_ms: number;
  minibatch_ms: number;
  /** Of one core: 200 is two cores busy. */
  cpu_pct: number;
  /** Share of the dataset in the page cache before the epoch, 0 to 1. Null: the kernel does not tell. */
  cached: number | null;
  /** From storage. */
  read_bytes: number | null;
  energy_j: number | null;
  power_w: number | null;
}

export interface EpochPoint {
  repeat: number;
  /** From 0. */
  epoch: number;
  e2e_s: number;
  stall_s: number;
  compute_s: number;
  overhead_s: number;
  loss: number;
  cached: number | null;
  read_bytes: number | null;
  energy_j: number | null;
  /** End-to-end time of its minibatches at 0, 2, 4, … 100 %; empty without minibatches. */
  minibatch_ms: number[];
}

/** All runs of one setting. */
export interface Group {
  /** The varied settings: "workers 2". */
  label: string;
  /** Epoch 0. */
  first: EpochMeans;
  /** Epochs 1 and on; null when there are none. */
  later: EpochMeans | null;
  epochs: EpochPoint[];
}

export interface Finding {
  text: string;
  /** As the study found it on its boards; null: no such question. */
  as_expected: boolean | null;
}

export interface ExperimentReport extends Common {
  kind: "experiment";
  question: string;
  workload: string;
  phase: "train" | "infer";
  /** The command line as typed. */
  command: string;
  fixed: Record<string, string | number>;
  /** Names of the settings that differ between groups. */
  varied: string[];
  groups: Group[];
  findings: Finding[];
}

/** Later kinds (`evaluate`, `plan`) join this union; kinds.ts says which sections each has. */
export type Report = TuneReport | ExperimentReport;
