// Made from docs/schema/report.json by `npm run generate`; change it there.

/** What a report page shows: the answer of a tune, an experiment, or a sheet (a plan, a profile, a stored run, a comparison of two, roofs, a front). `unit` is the unit of a number: `1` a share of 0 to 1, `count`, `index` a position in `configurations` from 0. A number that is not known is null, never NaN, infinite or 0. */
export type Report = TuneReport | ExperimentReport | SheetReport;
/** Name of this contract. A change that an older page cannot show gets a new one. */
export type Schema = "flyball-report/1";
/** Training or inference. */
export type Phase = "train" | "infer";
/** A plain number where its spread is not known, else [value, low, high]; `Run.intervals` says what low and high are. */
export type Quantity = number | [number, number, number];
/** How a number is known. `table`: looked up in a measured table; `simulated`: the twin's. */
export type Provenance = "measured" | "table" | "predicted" | "simulated";
/** [index] Position in `TuneReport.configurations`. */
export type Index = number;
/** Text, a figure in the unit of its column, or null where it is not known. */
export type Cell = string | Quantity | null;

/** The answer of `flyball tune`. */
export interface TuneReport {
  /** Name of this contract. */
  schema: Schema;
  /** Says that the document is a TuneReport. */
  kind: "tune";
  /** Shown in the head and as the window's title. */
  title: string;
  /** What was asked. */
  request: Request;
  /** What can be set. */
  axes: Axis[];
  /** All there are; one that was profiled twice stands here once. */
  configurations: Configuration[];
  /** The trials in their order. */
  profiled: Trial[];
  /** Null when nothing is feasible; then `infeasible` says why. */
  choice: Choice | null;
  /** Only without a choice. */
  infeasible?: Infeasible | null;
  /** How to set the choice, in order; left out without one. */
  apply?: ApplyStep[];
  /** What times and energies are compared per, everywhere on the page: a sample where the batch size varies, a run where a program marks no minibatches. Left out: minibatch. */
  per?: "minibatch" | "sample" | "run";
  /** The choice against the default; null without a choice. */
  comparison?: Comparison | null;
  /** Trials of earlier runs; empty when all were made now. */
  reused?: Reused[];
  /** Null: not known. */
  default: Default | null;
  /** Null without power. */
  front: Front | null;
  /** Only with `--oracle`. */
  oracle?: Oracle | null;
  /** At most 30 of the profiled configurations, evenly chosen, held out of the fit one at a time (2 % at a time where 100 or more were profiled). Where every configuration was measured there is nothing to predict and there are no pairs. */
  pairs?: Pair[];
  /** Gaps, doubts and remarks. */
  notes: Note[];
  /** Where it ran. */
  machine: Machine;
  /** How it ran. */
  run: Run;
}
export interface Request {
  /** Name of the network or program. */
  workload: string;
  /** Training or inference. */
  phase: Phase;
  /** The board's name. */
  device: string;
  /** What is made least. */
  objective: "time" | "power" | "energy";
  /** Limits that the answer keeps. */
  budgets: Budget[];
  /** Objective, budgets, limits and when to end, in words. */
  asked?: string;
  /** On figures that the program reports; empty without them. */
  limits?: FigureLimit[];
  /** [%] Profile until no more than this could be gained; null: not asked. */
  gap_pct?: number | null;
  /** [s] Begin no trial after this time; null: not asked. */
  time_limit_s?: number | null;
  /** The command line as typed. */
  command: string;
  /** [count] Most configurations that may be profiled. */
  profiles_limit?: number | null;
  /** [count] Configurations there are; a reopened run holds some of them. */
  offered?: number;
  /** [count] Samples in an epoch; null: not known, so there are no figures per epoch. */
  samples_per_epoch?: number | null;
  /** [count] The fixed minibatch size; null when `batch_size` is an axis. */
  batch_size?: number | null;
}
export interface Budget {
  /** What is limited. */
  quantity: "time" | "power" | "energy";
  /** [of `unit`] As the limit was asked. */
  limit: number;
  /** Unit of the limit. */
  unit: "µs" | "ms" | "s" | "min" | "h" | "mW" | "W" | "mJ" | "J" | "kJ";
  /** What a time or energy budget covers; null for power. */
  per: "minibatch" | "epoch" | "run" | null;
}
/** One of at_most and at_least. */
export interface FigureLimit {
  /** Its name. */
  figure: string;
  /** [1] In the unit in which it is reported; memory in bytes. */
  at_most?: number;
  /** [1] Likewise. */
  at_least?: number;
  /** The same for people: `memory ≤ 2 GB`. */
  text: string;
}
export interface Axis {
  /** The CSV column name, e.g. `cpu_mhz`. */
  name: string;
  /** `MHz`, `W`, …; empty for counts. */
  unit: string;
  /** Set on the board, or given to the run. */
  scope: "board" | "run";
  /** For people; made from the name when left out. */
  label?: string;
}
/** One configuration and what is known of it. One that was profiled carries what was measured; what had been predicted for it stands in `pairs`. */
export interface Configuration {
  /** [of each axis] One value per axis, in the order of `axes`. */
  config: number[];
  /** [ms] Per minibatch, or per run where `per` is `run`; pooled of all its readings. Null: not known. */
  time_ms: Quantity | null;
  /** [W] Null: not available on this machine. */
  power_w: Quantity | null;
  /** [J] Per minibatch, or per run where `per` is `run`. Null: not known. */
  energy_j: Quantity | null;
  /** How these figures are known. */
  provenance: Provenance;
  /** [ms] Per sample; only where `per` is `sample`. */
  sample_ms?: Quantity | null;
  /** [J] Per sample; only where `per` is `sample`. */
  sample_j?: Quantity | null;
  /** On the Pareto front of `Front.over`. */
  front?: boolean;
}
/** One profiled trial. */
export interface Trial {
  /** [index] What was profiled. */
  configuration: Index;
  /** Why the strategy asked for it, in words. */
  why: string;
  /** The named stopping rule that ended it, or why it failed. */
  stop_reason: string;
  /** [%] Relative noise of the end-to-end time. */
  noise_percent: number | null;
  /** [count] Minibatches behind the figures; 0 for a row of a table. */
  minibatches: number;
  /** [ms] Mean visible waiting for data, per minibatch. */
  stall_ms: number | null;
  /** [ms] Mean compute time, per minibatch. */
  compute_ms: number | null;
  /** [ms] Mean end-to-end time, per minibatch. */
  e2e_ms: number | null;
  /** [s] Wall time that the power figure covers. */
  window_s?: number | null;
  /** [count] Distinct sensor updates behind the power figure. */
  power_updates?: number | null;
  /** [J] Energy of that window. */
  window_j?: number;
  /** [count] Readings of the sensor. */
  power_samples?: number;
  /** [count] Readings that were due. */
  power_samples_wanted?: number;
  /** [%] Relative standard error of the power; left out where not known. */
  power_noise_percent?: number;
  /** Why there is no power; left out where there is some. */
  power_gap?: string;
  /** [ms] The first minibatch, which does not count. */
  first_ms?: number;
  /** [s] Wait for the power mode to take; this and the two below are left out for a row of a table. */
  settle_s?: number;
  /** [s] Warm-up, which does not count. */
  warm_up_s?: number;
  /** [s] Wall time of the whole trial. */
  total_s?: number;
  /** Who measured on this machine at the same time; left out: nobody. */
  disturbed?: string;
  /** What the program reported; left out where it reported nothing. */
  figures?: ReportedFigure[];
  /** The board throttled meanwhile; null: nobody looked. */
  throttled: boolean | null;
  /** Had power settled when counting began? Left out without power and for whole runs. */
  power_settled?: boolean;
  /** Axes of the mode as they read while the trial was counted; left out where the board does not tell. */
  clocks?: SeenClock[];
  /** The configuration had been measured before in this run. */
  repeated: boolean;
  /** Answered from the store. */
  reused?: boolean;
  /** [ms] This reading alone: the time of its configuration is what all its readings come to. Null: it failed. */
  time_ms?: Quantity | null;
  /** [W] This reading alone. Null: not known. */
  power_w?: Quantity | null;
  /** The answer or the default, measured once more. */
  verification?: boolean;
  /** Its start, ISO 8601; left out for a row of a table. */
  measured_utc?: string;
  /** [count] Number of the run that made it; left out where nothing is kept. */
  run?: number;
  /** [count] Cores that other processes kept busy meanwhile; left out where not known. */
  other_cores?: number;
}
/** What a program reported of itself. */
export interface ReportedFigure {
  /** E.g. `accuracy`. */
  name: string;
  /** [its own] As reported; memory in bytes. */
  value: number;
  /** The same for people: `1.2 GB`. */
  text: string;
}
/** An axis of a mode, asked and seen. */
export interface SeenClock {
  /** Its name. */
  axis: string;
  /** Of the numbers. */
  unit: string;
  /** [by name] What was set. */
  asked: number;
  /** [by name] Mean of what it read. */
  seen_mean: number;
  /** [by name] Least of what it read. */
  seen_min: number;
}
export interface Choice {
  /** [index] The answer. */
  configuration: Index;
  /** The answer was measured once more after the search. */
  verified: boolean;
  /** What its trials reported, medians; left out where they reported nothing. */
  figures?: ReportedFigure[];
}
/** There is no answer: why, what comes closest and what to do. */
export interface Infeasible {
  /** A sentence. */
  reason: string;
  /** [index] The configuration that comes closest; null: not known. */
  closest: Index | null;
  /** What to do. */
  hint?: string;
}
/** One step of setting what the answer says. */
export interface ApplyStep {
  /** What it does. */
  title: string;
  /** A sentence or two. */
  text: string;
  /** To be typed or copied, lines and all; left out where there is nothing to type. */
  code?: string;
}
/** The choice against the default. Show `text`: it is the one sentence that terminal and page share. */
export interface Comparison {
  /** E.g. `36.4 % less time per minibatch than the default`, without a full stop. */
  text: string;
  /** What `time` and `energy` are compared per. */
  per: "minibatch" | "sample" | "run";
  /** Of what was to be made least: is there a difference? */
  established: boolean;
  /** Why not, else null. */
  doubt: string | null;
  /** Null: not known. */
  time: Change | null;
  /** Null: not known. */
  power: Change | null;
  /** Null: not known. */
  energy: Change | null;
}
/** One figure of the choice against that of the default. */
export interface Change {
  /** [%] Below zero is less than the default. */
  pct: number;
  /** The 90 % intervals do not overlap, and no busy machine explains it. */
  established: boolean;
}
/** Live trials that one earlier run made. */
export interface Reused {
  /** [count] Its number in the store; null: they belong to none. */
  run: number | null;
  /** [count] How many. */
  trials: number;
  /** Start of the latest of them, ISO 8601. */
  measured_utc: string;
  /** [s] Of that one when this run began; null: not known. */
  age_s: number | null;
  /** [count] Cores that other processes kept busy in the median of them; null: not known. */
  other_cores: number | null;
  /** Noticeably: times may be shorter on a quiet machine. */
  busy: boolean;
}
/** What one gets without tuning. */
export interface Default {
  /** [index] Which one it is. */
  configuration: Index;
  /** E.g. `MAXN`, `all cores, no workers`. */
  name: string;
}
/** A Pareto front. On other pairs of costs the page applies the same rule: sorted by one, kept iff strictly below the best kept in the other. */
export interface Front {
  /**
   * The two costs.
   *
   * @minItems 2
   * @maxItems 2
   */
  over: ["time", "power" | "energy"];
  /** [index] What lies on it. */
  configurations: Index[];
}
/** The optimum of a table whose every row is known. */
export interface Oracle {
  /** [index] Over all rows; null: no row meets the budgets. */
  raw: Index | null;
  /** [index] Without the rows whose power was probably read too early. */
  robust: Index | null;
  /** The raw optimum as the table has it. */
  raw_tabled?: Tabled | null;
  /** The robust optimum as the table has it. */
  robust_tabled?: Tabled | null;
  /** [count] Rows that the robust optimum leaves out. */
  excluded_rows?: number;
  /** [%] By how much the choice is above the raw optimum in what was to be made least; null: not known. */
  gap_pct?: number | null;
  /** [%] The same against the robust optimum. */
  robust_gap_pct?: number | null;
  /** Both in words, without a full stop; empty without a choice. */
  text?: string;
}
/** What a table says of a row; `configurations` may hold a prediction of it. */
export interface Tabled {
  /** [ms] Per minibatch. */
  time_ms: number;
  /** [W] Null: the table has none. */
  power_w: number | null;
  /** [J] Per minibatch. Null: the table has no power. */
  energy_j: number | null;
}
/** Predicted against observed, per minibatch. */
export interface Pair {
  /** [index] Of which configuration. */
  configuration: Index;
  /** What is compared. */
  quantity: "time" | "power" | "energy";
  /** [ms, W or J] As measured. */
  observed: Quantity;
  /** [ms, W or J] As predicted. */
  predicted: Quantity;
  /** The observation was part of the fit, so it says nothing about accuracy. */
  fitted: boolean;
}
export interface Note {
  /** `gap`: something is missing; `warning`: a number deserves doubt; `note`: good to know. The first gap that speaks of power is also shown among the figures of the answer. */
  level: "gap" | "warning" | "note";
  /** A sentence. */
  text: string;
  /** The remedy. */
  hint?: string;
}
export interface Machine {
  /** The board's title. */
  name: string;
  /** Equal ones mean comparable numbers. */
  fingerprint: string;
  /** What else is known of it. */
  facts: Fact[];
}
export interface Fact {
  /** What it is. */
  name: string;
  /** What it says, with its unit. */
  value: string;
}
export interface Run {
  /** Number of the run in the store, or name of the experiment. */
  id: string;
  /** ISO 8601, UTC. */
  started_at: string;
  /** [s] Wall time. */
  duration_s: number;
  /** [count] Of all that is random. */
  seed: number;
  /** Who asked for the trials. */
  strategy: string;
  /** Null: nothing was predicted. */
  predictor: string | null;
  /** `module`, `monitor` or a rail; null without power. */
  power_total: string | null;
  /** What low and high of a quantity mean, per provenance. */
  intervals: Intervals;
  /** What was profiled, how long it took, and which trials are those of earlier runs: `10 of 20 configurations profiled in 31.5 s`. */
  effort?: string;
  /** Of the program and its libraries, e.g. {"flyball": "0.1.0"}. */
  versions: {
    [k: string]: string;
  };
}
/** A phrase such as `median and 5th to 95th percentile of the minibatches`. */
export interface Intervals {
  /** Of what was measured. */
  measured?: string;
  /** Of what a table says. */
  table?: string;
  /** Of what was predicted. */
  predicted?: string;
  /** Of what was simulated. */
  simulated?: string;
}
/** What `flyball experiment` measured. */
export interface ExperimentReport {
  /** Name of this contract. */
  schema: Schema;
  /** Says that the document is an ExperimentReport. */
  kind: "experiment";
  /** Shown in the head and as the window's title. */
  title: string;
  /** What the experiment asks: `workers`, `cache`, `storage`, … (docs/json.md). */
  question: string;
  /** Name of the network. */
  workload: string;
  /** Training or inference. */
  phase: Phase;
  /** The command line as typed. */
  command: string;
  /** Settings that are the same everywhere (docs/json.md). */
  fixed: {
    [k: string]: string | number;
  };
  /** Names of the settings that differ between groups. */
  varied: string[];
  /** One for each setting. */
  groups: Group[];
  /** What holds, in words. */
  findings: Finding[];
  /** Gaps, doubts and remarks. */
  notes: Note[];
  /** Where it ran. */
  machine: Machine;
  /** How it ran. */
  run: Run;
}
/** All runs of one setting. */
export interface Group {
  /** The varied settings: `workers 2`. */
  label: string;
  /** Why its figures deserve doubt: another session, a busy machine; null: nothing says so. */
  doubts: string | null;
  /** Epoch 0. */
  first: EpochMeans;
  /** Epochs 1 and on; null when there are none. */
  later: EpochMeans | null;
  /** Each epoch of each repeat. */
  epochs: EpochPoint[];
}
/** Means over epochs of the same kind and over repeats; sums are of whole epochs. */
export interface EpochMeans {
  /** [count] How many epochs the means are over. */
  epochs: number;
  /** [s] End to end: stall, compute and overhead. */
  e2e_s: number;
  /** [s] Visible waiting for data. */
  stall_s: number;
  /** [s] Compute time. */
  compute_s: number;
  /** [s] The rest: e2e − stall − compute. */
  overhead_s: number;
  /** [s] Work of the loader on one thread, hidden or not: reading. */
  fetch_s: number;
  /** [s] Work of the loader on one thread, hidden or not: decoding and transforms. */
  preprocess_s: number;
  /** [ms] Visible waiting for data, per minibatch. */
  stall_ms: number;
  /** [ms] End-to-end time, per minibatch. */
  minibatch_ms: number;
  /** [% of one core] CPU time of the program: 200 is two cores busy. */
  cpu_pct: number;
  /** [% of one core] Taken by other programs meanwhile. Null: not known. */
  others_cpu_pct: number | null;
  /** [1] Share of the dataset in the page cache before the epoch. Null: the kernel does not tell. */
  cached: number | null;
  /** [byte] From storage, by this program. Null: not known. */
  read_bytes: number | null;
  /** [count] Requests to all disks. Null: not known. */
  disk_reads: number | null;
  /** [byte] Of samples, read from files, through the page cache or past it. Null: not known. */
  file_bytes: number | null;
  /** [byte] Of samples, from the sample cache. Null: not known. */
  cache_bytes: number | null;
  /** [J] Of an epoch. Null: not known. */
  energy_j: number | null;
  /** [W] Mean power. Null: not known. */
  power_w: number | null;
}
/** One epoch of one run. */
export interface EpochPoint {
  /** [count] Which repeat of the setting, from 0. */
  repeat: number;
  /** [count] Which epoch of the run, from 0. */
  epoch: number;
  /** [s] End to end: stall, compute and overhead. */
  e2e_s: number;
  /** [s] Visible waiting for data. */
  stall_s: number;
  /** [s] Compute time. */
  compute_s: number;
  /** [s] The rest: e2e − stall − compute. */
  overhead_s: number;
  /** [1] Mean loss of its minibatches. Null: the training diverged, or there is none. */
  loss: number | null;
  /** [1] Share of the dataset in the page cache before the epoch. Null: the kernel does not tell. */
  cached: number | null;
  /** [byte] From storage, by this program. Null: not known. */
  read_bytes: number | null;
  /** [J] Of the epoch. Null: not known. */
  energy_j: number | null;
  /** [% of one core] Taken by other programs meanwhile. Null: not known. */
  others_cpu_pct: number | null;
  /** Who measured on this machine during its run. Null: nobody. */
  disturbed: string | null;
  /** [ms] End-to-end time of its minibatches at 0, 2, 4, … 100 %; empty without minibatches. */
  minibatch_ms: number[];
}
export interface Finding {
  /** A sentence. */
  text: string;
  /** As the published study found it on its boards; null: no such question. */
  as_expected: boolean | null;
}
/** What `flyball plan`, `profile`, `runs`, `report`, `roofline`, `pareto` and `serve` have to show: words, figures, points, bars and tables. The page shows what there is. */
export interface SheetReport {
  /** Name of this contract. */
  schema: Schema;
  /** Says that the document is a SheetReport, and of what. */
  kind: "plan" | "profile" | "run" | "comparison" | "roofline" | "front" | "serve";
  /** Shown in the head and as the window's title. */
  title: string;
  /** The line above the headline. */
  subject: string;
  /** The answer in one sentence. */
  headline: string;
  /** The command line as typed. */
  command: string;
  /** ISO 8601. */
  started_at: string;
  /** Of the program that wrote it. */
  version: string;
  /** Sentences below the headline. */
  lines: string[];
  /** The figures that head the page. */
  figures: SheetFigure[];
  /** How to set the answer, in order. */
  apply: ApplyStep[];
  /** Points against two axes. */
  charts: SheetChart[];
  /** Heat maps, one for each workload; left out: none. */
  grids?: SheetGrid[];
  /** Where time goes. */
  bars: SheetBar[];
  /** What was served and trained when; only of `serve`. */
  serving?: Serving;
  /** In their order. */
  tables: SheetTable[];
  /** Where the numbers come from; sources that do not compare stand apart. */
  facts: FactList[];
  /** Gaps, doubts and remarks. */
  notes: Note[];
}
export interface SheetFigure {
  /** What it is. */
  label: string;
  /** [of `unit`] Null: not known. */
  value: Quantity | null;
  /** `ms`, `W`, `profiles`, …; empty for a count. */
  unit: string;
  /** How it is known; left out where that says nothing. */
  provenance?: Provenance;
  /** A few words below it. */
  note?: string;
}
export interface SheetChart {
  /** Its heading. */
  title: string;
  /** To the right. */
  x: SheetAxis;
  /** Upwards. */
  y: SheetAxis;
  /** In no order. */
  points: SheetPoint[];
  /** What may not be passed. */
  limits: SheetLimit[];
  /** Curves that the points lie below or beside, such as roofs; left out: none. */
  lines?: SheetLine[];
  /** Both axes are logarithmic; left out: where the points say so. */
  log?: boolean;
}
export interface SheetAxis {
  /** What stands on it. */
  label: string;
  /** Its unit; empty for counts. */
  unit: string;
}
export interface SheetPoint {
  /** [of the axis] To the right. */
  x: number;
  /** [of the axis] Upwards. */
  y: number;
  /** What it is, shown where it is pointed at. */
  label: string;
  /** Points of one group look alike: a source of measurements, or a provenance. */
  group: string;
  /** The answer. */
  marked: boolean;
}
export interface SheetLimit {
  /** Which axis it bounds. */
  axis: "x" | "y";
  /** [of the axis] Where. */
  value: number;
  /** What it is. */
  label: string;
}
export interface SheetLine {
  /** Its name. */
  label: string;
  /** [of the axes] From left to right. */
  points: [number, number][];
}
/** What the heat map shows: time, power and energy of a minibatch over any two of the axes. */
export interface SheetGrid {
  /** Whose figures these are. */
  title: string;
  /** Those with more than one value. */
  axes: Axis[];
  /** One for each combination that is known. */
  configurations: Configuration[];
}
/** Where the time of an epoch, or of a stretch of a program, goes. */
export interface SheetBar {
  /** Bars of one label belong together. */
  label: string;
  /** `epoch 0`, `epochs 1+`, the name of a window. */
  which: string;
  /** [s] End to end: stall, compute and overhead. */
  e2e_s: number;
  /** [s] Visible waiting for data. */
  stall_s: number;
  /** [s] Compute time. */
  compute_s: number;
  /** [s] The rest: e2e − stall − compute. */
  overhead_s: number;
}
/** What was served and trained when. */
export interface Serving {
  /** In simulated time, over tables. */
  simulated: boolean;
  /** [s] From the end of warm-up to the last answer. */
  seconds: number;
  /** As in `timeline`. */
  services: ServingService[];
  /** As in `timeline`. */
  trainings: ServingTraining[];
  /** In their order. */
  replans: ServingReplan[];
  /** Why there is no power. Null: there is. */
  power_gap: string | null;
  /** The whole run. */
  timeline: LiveTimeline;
  /** The end of it, one by one. */
  spans: LiveSpans;
}
/** A service of `serve`. */
export interface ServingService {
  /** The workload. */
  name: string;
  /** [ms] Latency that is allowed. */
  budget_ms: number;
  /** Of all its requests. */
  latency: LatencyBars;
}
/** A histogram of latencies; bars are 4 % wide. */
export interface LatencyBars {
  /** [ms] Upper end of a bar; it begins where the one before it ends. */
  upper_ms: number[];
  /** [count] Requests in it. */
  count: number[];
}
/** A training of `serve`. */
export interface ServingTraining {
  /** The workload. */
  name: string;
  /** [1/s] Minibatches that the plan has for a second, mean of the run. Null: no plan. */
  planned_per_s: number | null;
}
/** A new plan. */
export interface ServingReplan {
  /** [s] When. */
  at_s: number;
  /** What had changed. */
  why: string;
  /** [samples] Largest batch from then on. */
  batch: number;
  /** Its power mode. */
  mode: string;
  /** Did the mode change? */
  switched: boolean;
}
/** A run in windows of equal length, at most 2000; every column has one value for each. */
export interface LiveTimeline {
  /** [s] Length of a window; the last one ends with the run. */
  window_s: number;
  /** [count] How many. */
  windows: number;
  /** One for each --infer. */
  services: ServiceColumns[];
  /** One for each --train. */
  training: TrainingColumns[];
  /** [1] Share of the time in changes of mode. */
  switching: number[];
  /** [1] Share of the time in checkpoints. */
  saving: number[];
  /** [W] Mean power. Null: not known all the time. */
  power_w: (number | null)[];
  /** Power modes in their order; empty: it stays and is not named. */
  modes: ModeSince[];
}
/** One service, window by window. */
export interface ServiceColumns {
  /** The workload. */
  name: string;
  /** [count] Requests that came. */
  arrived: number[];
  /** [count] Requests that were answered, the late ones included. */
  answered: number[];
  /** [count] Requests that were answered after the budget. */
  late: number[];
  /** [count] Requests that were refused at once. */
  refused: number[];
  /** [count] Requests that the network could not run. */
  failed: number[];
  /** [ms] Median latency of those answered in the window. Null: none were. */
  p50_ms: (number | null)[];
  /** [ms] 99th percentile. Null: none were. */
  p99_ms: (number | null)[];
  /** [ms] The longest. Null: none were. */
  max_ms: (number | null)[];
  /** [requests] Most that waited when a request came, itself included; 0 where none came. */
  largest_queue: number[];
  /** [count] Inference minibatches that ended. */
  batches: number[];
  /** [samples] Of one. Null: none ended. */
  mean_batch: (number | null)[];
  /** [1] Share of the time in them. */
  busy: number[];
}
/** One training, window by window. */
export interface TrainingColumns {
  /** The workload. */
  name: string;
  /** [count] Training minibatches that ended. */
  minibatches: number[];
  /** [1] Share of the time in them. */
  busy: number[];
}
/** A power mode, and when it began. */
export interface ModeSince {
  /** [s] Since the beginning. */
  at_s: number | null;
  /** Its name or settings. */
  mode: string;
}
/** The last minibatches, checkpoints and changes of mode, each as it ran; every column has one value for each. */
export interface LiveSpans {
  /** Services, trainings, `checkpoint`, `switch of mode`. */
  tracks: string[];
  /** [index] Position in `tracks`. */
  track: number[];
  /** [µs] Since the beginning. */
  begin_us: number[];
  /** [µs] How long. */
  length_us: number[];
  /** [samples] Of an inference minibatch; else 0. */
  samples: number[];
  /** [µs] Longest latency among its requests; else 0. */
  longest_us: number[];
}
export interface SheetTable {
  /** Its heading. */
  title: string;
  /** A sentence below the heading; may be empty. */
  text: string;
  /** From the left. */
  columns: SheetAxis[];
  /** In their order. */
  rows: SheetRow[];
}
export interface SheetRow {
  /** One for each column. */
  cells: Cell[];
  /** How its figures are known; left out where that says nothing. */
  provenance?: Provenance;
  /** The answer. */
  marked?: boolean;
}
export interface FactList {
  /** Whose facts: `Machine`, `Source A`. */
  title: string;
  /** In their order. */
  list: Fact[];
}

export const schema = "flyball-report/1";
