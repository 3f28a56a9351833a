// Made from docs/schema/report.json by `npm run generate`; change it there.

/** What a report page shows: the `answer` that `--json` prints. `unit` is the unit of a number: `1` a share of 0 to 1, `count`. A number that is not known is null, never NaN, infinite or 0. */
export type Report =
  | TunePage
  | ExperimentPage
  | FindingsPage
  | EvaluationPage
  | BoardsPage
  | FleetPage
  | CampaignPage
  | BenchmarkPage
  | PlanPage
  | RooflinePage
  | FrontPage
  | ProfilePage
  | ComparisonPage
  | RunPage
  | ServePage
  | RecordPage;
/** Name of this contract. A change that an older page cannot show gets a new one. */
export type Schema = "flyball-report/2";
/** Version of the document; `--json=1` prints the one before, without this key. */
export type CommonDocumentSchema = 2;
/** Training or inference. */
export type CommonPhase = "train" | "infer";
/** How a number is known. */
export type CommonProvenance = "measured" | "table" | "predicted" | "simulated";
/** How a measurement came to be: a trial of Flyball's, one that a study's program reported, a table's answer, a row of an imported table, a trial of a simulated board. */
export type CommonOrigin = "live" | "told" | "table" | "imported" | "simulated";
/** Whose times these are: of a minibatch, or of the whole run of a program that marks none. */
export type CommonSpan = "minibatch" | "whole run";
/** A plain number where its spread is not known, else [value, low, high]. */
export type Quantity = number | [number, number, number];
/** How a number is known. `table`: looked up in a measured table; `simulated`: the twin's. */
export type Provenance = "measured" | "table" | "predicted" | "simulated";
/** What is made best. */
export type PlanObjective = "time" | "energy" | "power" | "latency" | "throughput" | "minibatches";
/** The documents of `flyball profile`, of a network and of a program; docs/json.md says the same in words. */
export type Profile = ProfileEpochs | ProfileProgram;
/** How a run stands. */
export type RunsState = "running" | "done" | "interrupted" | "failed";

/** Of `flyball tune`. */
export interface TunePage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "tune";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: Tune;
  /** What was recorded meanwhile; left out where nothing was. */
  record?: RecordLink;
  /** How to set the choice, in order; empty without one. */
  apply: ApplyStep[];
  /** All there are, in the order of the space; one that was profiled carries what its readings come to. Null: a run that is reopened, whose predictions are not kept. */
  configurations: KnownRow[] | null;
}
/** The answer. */
export interface Tune {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** What was asked. */
  request: TuneRequest;
  /** Objective, budgets, limits and when to end, in words. */
  asked: string;
  /** Where it ran. */
  device: CommonAnswerDevice;
  /** What can be set, in the order of the search; `config` has a value for each. */
  axes: CommonAxis[];
  /** The answer; null when no configuration is feasible. */
  choice: TuneConfiguration | null;
  /** [%] With `--gap`: by how much more the objective could still fall; on nine of ten surfaces that could be the true ones no configuration is better by more. */
  gap_pct?: number;
  /** Why there is no answer, else null. */
  infeasible: CommonInfeasible | null;
  /** What one gets without tuning. */
  default: TuneDefault;
  /** What times and energies are compared per: a sample where the batch size varies, a run where a program marks no minibatches, a request or a token of a server (`figure` of `request`). `minibatch_ms` is that of a minibatch, of a run, a request or a token. */
  per: "minibatch" | "sample" | "run" | "request" | "token";
  /** The choice against the default; null without a choice. */
  comparison: TuneComparison | null;
  /** What was profiled, how long it took, and which trials are those of earlier runs, in words. */
  effort: string;
  /** Trials of earlier runs; empty when all were made now. */
  reused: CommonReused[];
  /** [count] Distinct configurations that were profiled for this question, by earlier runs of it, too. */
  profiles: number;
  /** [count] Measurements, repeats, verification and what the store knew included. */
  trials: number;
  /** Every trial in its order. */
  profiled: CommonTrial[];
  /** The Pareto front over time and power (or energy) of measured and predicted configurations. */
  front: TuneConfiguration[];
  /** Each configuration that was profiled without failing, once, with what all its readings come to. */
  measured: TuneKnown[];
  /** What is predicted of profiled configurations without their own readings: at most 30, evenly chosen, one at a time (2 % at a time where 100 or more were profiled). Empty where nothing is predicted. */
  held_out: TuneKnown[];
  /** [count] How many there are. */
  configurations: number;
  /** Which power modes were chosen among (`--modes`); null where a table keeps all of its own. */
  modes: CommonModes | null;
  /** The preset power modes of the board, in its order; empty where there are none or they are not known. */
  presets?: CommonAnswerPreset[];
  /** Trials that were asked for and not made: they need a reboot. */
  set_aside: CommonSetAside[];
  /** [count] Its number in the store; null: nothing is kept. */
  run: number | null;
  /** Why the search ended. */
  stopped: string;
  /** With `--oracle`: the optimum of the table. */
  oracle?: TuneOracle;
  /** Remarks: failed trials, contradicted readings, fallbacks of the predictor. */
  notes: string[];
  /** Start, ISO 8601. */
  started_utc: string;
  /** [s] Wall time. */
  seconds: number;
  /** [s] Wall time without the trials. */
  own_seconds: number;
}
export interface TuneRequest {
  /** Name of the network or program. */
  workload: string;
  /** Training or inference. */
  phase: CommonPhase;
  /** The board. */
  device: string;
  /** What is made least; of a server as `figure` says. */
  objective: "time" | "power" | "energy";
  /** Only of a server (`--server`): its `--objective`. `minibatch_ms` is that latency (with power the median latency; with throughput and energy the time from one request, or token, to the next), and energy is known of the latter alone. */
  figure?: "latency" | "latency_p99" | "ttft" | "tpot" | "throughput" | "energy" | "energy_per_token" | "power";
  /** [W] Null: none. */
  power_budget_w: number | null;
  /** [s] Null: none. */
  time_budget_s: number | null;
  /** [J] Null: none. */
  energy_budget_j: number | null;
  /** [%] Only with `--at-most slowdown=…`: so much more time than the default, as `per` says, a choice may take. */
  slowdown_limit_pct?: number;
  /** [%] Only with `--gap`. */
  gap_pct?: number;
  /** [s] Only with `--duration`. */
  time_limit_s?: number;
  /** On figures that the program reports (`--at-most`, `--at-least`); left out without them. */
  limits?: TuneLimit[];
  /** [count] Most configurations that may be profiled. */
  profiles_limit: number;
  /** Who asks for trials. */
  strategy: string;
  /** Who predicts what was not profiled. */
  predictor: string;
  /** [count] Of all that is random. */
  seed: number;
  /** Titles of the references. */
  references: string[];
  /** What the twin of the board (or of --prior FILE) told the search beforehand: title and a hash of its figures; absent where it told nothing. */
  priors?: string[];
  /** What time and energy budgets cover. */
  budget_span: "epoch" | "minibatch" | "run";
  /** [count] Of an epoch; null: not known. */
  samples: number | null;
  /** What was the same in every trial, such as `batch_size`. */
  settings: CommonConfig;
}
/** One of at_most and at_least. */
export interface TuneLimit {
  /** Its name. */
  figure: string;
  /** [1] In the unit in which it is reported; memory in bytes. */
  at_most?: number;
  /** [1] Likewise. */
  at_least?: number;
}
/** Axis names, which are the columns of measured tables, with numbers in the unit of the name. */
export interface CommonConfig {
  [k: string]: number;
}
export interface CommonAnswerDevice {
  /** As `--device` names it. */
  name: string;
  /** For people. */
  title: string;
  /** Equal ones mean comparable numbers. */
  fingerprint: string;
  /** What decided the speed besides board and trial; null: not known. */
  conditions: CommonConditions | null;
  /** Which total power is; null without power. */
  power_total: string | null;
  /** Why there is no power, else null. */
  power_gap: string | null;
  /** Axes and sensors that are missing, with the remedy; batch sizes that were left out; repeated rows of a table. */
  gaps: string[];
}
/** Dataset, libraries, environment, program and power sensor, by name. */
export interface CommonConditions {
  [k: string]: string;
}
export interface CommonAxis {
  /** The column name of tables, e.g. `cpu_mhz`. */
  name: string;
  /** `MHz`, `W`, …; empty for counts. */
  unit: string;
  /** Set on the board, or given to the run. */
  scope: "board" | "run";
}
/** One configuration and what is known of it. */
export interface TuneConfiguration {
  /** What is set. */
  config: CommonConfig;
  /** [ms] Time of a minibatch. */
  minibatch_ms: number | null;
  /** [ms] Its 90 % interval. */
  minibatch_ms_90: [number, number] | null;
  /** [W] Null: not known. */
  power_w: number | null;
  /** [W] Its 90 % interval. */
  power_w_90: [number, number] | null;
  /** [J] Energy of a minibatch. */
  minibatch_j: number | null;
  /** [ms] Time of a sample; null when the batch size is not known, or a run marks no minibatches. */
  sample_ms: number | null;
  /** [J] Energy of a sample. */
  sample_j: number | null;
  /** Every reading of it, in the order in which they were made; empty where it is predicted, or a row of a table that is no trial. */
  readings: TuneReading[];
  /** [s] Time of an epoch; null when the samples are not known. */
  epoch_s: number | null;
  /** [J] Energy of an epoch. */
  epoch_j: number | null;
  /** How the figures are known. */
  provenance: CommonProvenance;
  /** Of the choice: how much of its power is idle power; left out where that was not measured. */
  idle?: CommonIdleShare;
  /** What its trials reported, medians; left out where they reported nothing, and of the front. */
  figures?: CommonFigures;
}
/** What one trial read. */
export interface TuneReading {
  /** [ms] Time of a minibatch, or of a run. */
  minibatch_ms: number;
  /** [W] Null: not known. */
  power_w: number | null;
}
/** How much of a power the board draws in that mode while nothing runs. */
export interface CommonIdleShare {
  /** [W] Idle power of the mode, as `flyball mode idle` measured it, or simulated. */
  power_w: number;
  /** [1] Of the power of the work. */
  share: number;
  /** When, ISO 8601; null: simulated. */
  measured_utc: string | null;
  /** [count] That measurement, as `flyball runs list` numbers it; null: simulated. */
  run: number | null;
}
/** Figures that a program reports of its trials, by name, in its own units; `memory`: bytes. */
export interface CommonFigures {
  [k: string]: number;
}
/** Why nothing is feasible, and what would do. */
export interface CommonInfeasible {
  /** `infeasible`, or what kept the search from an answer, e.g. `unavailable`. */
  code: string;
  /** How many were measured, how many are predicted to do, which limits bind. */
  reason: string;
  /** What to try, in words. */
  hint: string;
  /** Each alone would do; empty where none does. */
  easing: CommonEasing[];
  /** Where none alone would do, or none that leaves room for a training: all of these at once; empty where they are not known. */
  together?: CommonEasing[];
}
/** One thing to change in the request. */
export interface CommonEasing {
  /** The option, such as `--power-budget`; of a study its key, `power_budget`. */
  flag: string;
  /** [of `unit`] Its value, over the span that the option covers (an epoch where that is asked). */
  value: number;
  /** W, s, ms, J, requests/s, % or profiles. */
  unit: string;
  /** How it is known that this would do. */
  provenance: CommonProvenance;
  /** Of `--at-most`: what it limits, `slowdown`; left out of other options. */
  figure?: string;
  /** Of two services: whose limit it is. */
  workload?: string;
  /** [1] Where time is to be small and this was measured: its time against that of the fastest measured. */
  slowdown?: number;
  /** Only where a training is wanted beside a service and none is known to fit there. */
  trains?: false;
}
export interface TuneDefault {
  /** What is set. */
  config: CommonConfig;
  /** [ms] Time of a minibatch. */
  minibatch_ms: number | null;
  /** [ms] Its 90 % interval. */
  minibatch_ms_90: [number, number] | null;
  /** [W] Null: not known. */
  power_w: number | null;
  /** [W] Its 90 % interval. */
  power_w_90: [number, number] | null;
  /** [J] Energy of a minibatch. */
  minibatch_j: number | null;
  /** [ms] Time of a sample; null when the batch size is not known, or a run marks no minibatches. */
  sample_ms: number | null;
  /** [J] Energy of a sample. */
  sample_j: number | null;
  /** Every reading of it, in the order in which they were made; empty where it is predicted, or a row of a table that is no trial. */
  readings: TuneReading[];
  /** [s] Time of an epoch; null when the samples are not known. */
  epoch_s: number | null;
  /** [J] Energy of an epoch. */
  epoch_j: number | null;
  /** How the figures are known. */
  provenance: CommonProvenance;
  /** What its trials reported, medians; left out where they reported nothing. */
  figures?: CommonFigures;
  /** Why that is the default. */
  reason: string;
}
/** The choice against the default. Show `text`, which terminal and page share: it also says which limits the default breaks, and what the choice is to the best preset within the limits and to the one in force. */
export interface TuneComparison {
  /** E.g. `36.4 % less time per minibatch than the default`, without a full stop. */
  text: string;
  /** What `time` and `energy` are compared per. */
  per: "minibatch" | "sample" | "run" | "request" | "token";
  /** Of what was to be made least: is there a difference? */
  established: boolean;
  /** Why not, else null. */
  doubt: string | null;
  /** Null: not known. */
  time: TuneChange | null;
  /** Null: not known. */
  power: TuneChange | null;
  /** Null: not known. */
  energy: TuneChange | null;
}
/** One figure of the choice against that of the default. */
export interface TuneChange {
  /** [%] Below zero is less than the default. */
  pct: number;
  /** The 90 % intervals do not overlap, and no busy machine explains it. */
  established: boolean;
}
/** Live trials that one earlier run made. */
export interface CommonReused {
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
/** One measurement. */
export interface CommonTrial {
  /** Of which network, or program. */
  workload: string;
  /** Which service, where its workload does not say: `the first det` of two, `the served det` beside its training; only there. */
  service?: string;
  /** What was set. */
  config: CommonConfig;
  /** [ms] Time of a minibatch; null when it failed. */
  minibatch_ms: number | null;
  /** [ms] Its 90 % interval from this trial alone; null when it failed, or too little was counted to know it. */
  minibatch_ms_90: [number, number] | null;
  /** [W] Mean power; null: not known. */
  power_w: number | null;
  /** [W] Likewise. */
  power_w_90: [number, number] | null;
  /** [ms] Mean visible waiting for data; null for a row of a table. */
  stall_ms: number | null;
  /** [ms] Mean compute time; null for a row of a table. */
  compute_ms: number | null;
  /** [%] Relative standard error of the time; null where too little was counted to know it, and of a table. */
  noise_pct: number | null;
  /** [count] Minibatches counted; 0 for a row of a table. */
  minibatches: number;
  /** How the figures are known. */
  provenance: CommonProvenance;
  /** How it came to be; left out of answers that earlier versions kept. */
  origin?: CommonOrigin;
  /** Whose times these are; left out likewise. */
  span?: CommonSpan;
  /** Why it was asked for. */
  reason: string;
  /** The stopping rule that was met. */
  stop_reason: string;
  /** The configuration had been measured before in this run. */
  repeat: boolean;
  /** The answer, the default or what is advised, measured once more. */
  verification: boolean;
  /** An earlier run measured it, or this one before it was interrupted. */
  from_store: boolean;
  /** [count] Number of the run that made it; null: nothing is kept, or it belongs to none. */
  run: number | null;
  /** Its start, ISO 8601; null for a row of a table. */
  measured_utc: string | null;
  /** [count] Cores that other processes kept busy meanwhile; null: not known, or a row of a table. */
  other_cores: number | null;
  /** The board throttled meanwhile; null: nobody looked. */
  throttled: boolean | null;
  /** Axes of the mode as they read while the trial was counted; empty where the board does not tell. */
  clocks: CommonClock[];
  /** Had power settled when counting began? false: it had not within 30 s. null: no power, or a whole run. */
  power_settled: boolean | null;
  /** Who measured on this machine at the same time; null: nobody. */
  disturbed: string | null;
  /** Why its figures deserve doubt: throttled, a busy machine, another session; null: nothing says so. Left out likewise. */
  doubts?: string | null;
  /** Why it failed, else null. */
  failure: string | null;
  /** What the program reported of it; `memory` is measured. */
  figures: CommonFigures;
  /** Why there is no power; null where there is some. */
  power_gap: string | null;
  /** Which total power is; null: none, or not known. */
  power_total: string | null;
  /** [%] Relative standard error of the power; null: not known. */
  power_noise_pct: number | null;
  /** [count] Distinct sensor updates behind the power; null: not sampled. */
  power_updates: number | null;
  /** [count] Readings of the sensor; null: not sampled. */
  power_samples: number | null;
  /** [count] Readings that were due; null: not sampled. */
  power_samples_wanted: number | null;
  /** [s] Wall time that the power covers; null: not sampled. */
  window_s: number | null;
  /** [J] Energy of that window; null: not sampled. */
  window_j: number | null;
  /** [ms] The first minibatch, which does not count; null: none, or not known. */
  first_ms: number | null;
  /** [s] Wait for the power mode to take; 0 for a row of a table. */
  settle_s: number;
  /** [s] Warm-up, which does not count. */
  warm_up_s: number;
  /** [s] Wall time of the whole trial. */
  total_s: number;
  /** [count] Of all that was random in it. */
  seed: number;
}
export interface CommonClock {
  /** Of the mode. */
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
/** A configuration with its figures. */
export interface TuneKnown {
  /** What is set. */
  config: CommonConfig;
  /** [ms] Time of a minibatch. */
  minibatch_ms: number | null;
  /** [ms] Its 90 % interval. */
  minibatch_ms_90: [number, number] | null;
  /** [W] Null: not known. */
  power_w: number | null;
  /** [W] Its 90 % interval. */
  power_w_90: [number, number] | null;
  /** How these figures are known. */
  provenance: CommonProvenance;
}
/** Power modes of a search. */
export interface CommonModes {
  /** all, paper, or how many were to be drawn. */
  asked: string;
  /** [count] Modes that were chosen among; the default's is always one. */
  kept: number;
  /** [count] Modes that there are. */
  of: number;
  /** [count] Of the draw; null without one. */
  seed: number | null;
  /** Values of the papers' grid that the board lists otherwise, or not at all. */
  notes: string[];
}
/** A preset power mode of the board beside the answer, with the run settings that one gets without tuning. */
export interface CommonAnswerPreset {
  /** [id] Of nvpmodel. */
  id: number;
  /** Of nvpmodel. */
  name: string;
  /** Is it the one that the board is in? Of a simulated board: the one that its kind is delivered in. */
  in_force: boolean;
  /** Is it the same configuration as the answer's default? */
  default: boolean;
  /** Of the first workload; null: it is not among the configurations that were searched. */
  config: CommonConfig | null;
  /** [ms] Of the first workload; null: not known. */
  minibatch_ms: number | null;
  /** [W] The largest of the workloads; null: not known. */
  power_w: number | null;
  /** How these figures are known; null where they are not. */
  provenance: CommonProvenance | null;
  /** Limits that it does not keep, by these figures. */
  breaks: ("power" | "time" | "energy" | "slowdown" | "latency" | "arrival rate" | "reported figure")[];
  /** What the answer is to it, in words; null where it was not measured, or there is no answer. */
  text: string | null;
}
export interface CommonSetAside {
  config: CommonConfig1;
  /** Which clock did not rise, and the remedy. */
  reason: string;
}
/** Axis names, which are the columns of measured tables, with numbers in the unit of the name. */
export interface CommonConfig1 {
  [k: string]: number;
}
export interface TuneOracle {
  /** Over all rows; null when no row meets the budgets. */
  raw: TuneRow | null;
  /** Without the excluded rows. */
  robust: TuneRow | null;
  /** [%] By how much the choice is above the raw optimum in what was to be made least; null: not known. */
  gap_pct: number | null;
  /** [%] The same against the robust optimum. */
  robust_gap_pct: number | null;
  /** Both in words; empty without a choice. */
  text: string;
  /** [count] Rows whose power lies more than 6 % below what their neighbours let expect. */
  excluded_rows: number;
  /** Which ones. */
  excluded: CommonConfig[];
}
export interface TuneRow {
  /** Its settings. */
  config: CommonConfig;
  /** [ms] As the table has it. */
  minibatch_ms: number;
  /** [W] As the table has it; null: it has none. */
  power_w: number | null;
  /** How the row is known. */
  provenance: CommonProvenance;
}
/** The record of a run, as a page beside its own. */
export interface RecordLink {
  /** The record. */
  file: string;
  /** Name of the page that shows it, in the same folder. */
  page: string;
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
/** One configuration and what is known of it. */
export interface KnownRow {
  /** [of each axis] One value per axis, in the order of the answer's `axes`. */
  config: number[];
  /** [ms] Per minibatch, or per run where `per` is `run`. Null: not known. */
  time_ms: Quantity | null;
  /** [W] Null: not known. */
  power_w: Quantity | null;
  /** How these figures are known. */
  provenance: Provenance;
}
/** Of `flyball experiment`. */
export interface ExperimentPage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "experiment";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: Experiment;
  /** What was recorded meanwhile; left out where nothing was. */
  record?: RecordLink;
}
/** What an experiment measured; docs/json.md says the same in words. */
export interface Experiment {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** Name of the file. */
  experiment: string;
  /** For people. */
  title: string;
  /** What it asks. */
  question:
    | "workers"
    | "cache"
    | "pipelining_energy"
    | "storage"
    | "batch_size"
    | "variability"
    | "base_load"
    | "dvfs"
    | "power_modes"
    | "containers";
  /** All settings, with those that vary as they are otherwise. */
  fixed: ExperimentSettings;
  /** Names of the settings that differ between groups. */
  varied: string[];
  /** The machine. */
  device: string;
  /** Equal ones mean comparable figures. */
  fingerprint: string;
  /** Where its networks compute: `cpu`, `cuda:0`; runs of another place are not among the figures. Null: on a simulated board. */
  compute: string | null;
  /** Of this start of the command, ISO 8601. */
  started_utc: string;
  /** [s] Wall time of this start of the command. */
  seconds: number;
  /** [count] Runs with figures. */
  runs: number;
  /** [count] Runs that the experiment has. */
  wanted: number;
  /** [count] How many of them were measured before this start. */
  reused: number;
  /** When the first of its runs was measured, ISO 8601. */
  measured_utc: string | null;
  /** Which total power is; null without power. */
  power_total: string | null;
  /** Of its first run. */
  dataset: ExperimentDataset | null;
  /** One for each setting. */
  groups: ExperimentGroup[];
  /** In words what holds. */
  findings: ExperimentFinding[];
  /** Each container runtime beside bare, of an experiment that asks about containers; empty for others. Absent in documents of earlier versions. */
  runtimes?: ExperimentRuntimeDifference[];
  /** What is missing in the figures. */
  gaps: string[];
  /** Why the figures deserve doubt. */
  doubts: string[];
}
/** By their names (docs/json.md). */
export interface ExperimentSettings {
  [k: string]: string | number;
}
export interface ExperimentDataset {
  /** [count] How many; 0: not known. */
  samples: number;
  /** [byte] Of its files; 0: not known. */
  bytes: number;
}
export interface ExperimentGroup {
  /** The varied settings. */
  label: string;
  /** All settings. */
  settings: ExperimentSettings;
  /** [count] Runs of this setting. */
  repeats: number;
  /** Who measured on this machine during any of its runs (`--force`); empty: nobody. */
  disturbed: string[];
  /** Why its figures deserve doubt: another session, a busy machine; null: nothing says so. */
  doubts: string | null;
  /** Epoch 0. */
  first: ExperimentMeans;
  /** Epochs 1 and on; null where there are none. */
  later: ExperimentMeans | null;
  /** Each epoch of each run. */
  epochs: ExperimentEpochPoint[];
  /** Clocks of runs that set or free them, by the name of the sensor; empty for others. */
  residency: {
    [k: string]: {
      /** [MHz] Steps in which the values are told; 0: as they read, to 1 MHz. */
      step_mhz: number;
      /** Ascending. */
      values: ExperimentClockShare[];
    };
  };
}
/** Over the repeats. */
export interface ExperimentMeans {
  /** [count] How many the means are over. */
  epochs: number;
  /** [s] End to end, per epoch. */
  e2e_s: number;
  /** [s] Visible waiting for data, per epoch. */
  stall_s: number;
  /** [s] Compute time, per epoch. */
  compute_s: number;
  /** [s] The rest, per epoch. */
  overhead_s: number;
  /** [s] Work of the loader on one thread, hidden or not: reading. */
  fetch_s: number;
  /** [s] Work of the loader on one thread, hidden or not: decoding and transforms. */
  preprocess_s: number;
  /** [ms] Visible waiting for data, per minibatch. */
  stall_ms: number;
  /** [ms] End to end, per minibatch. */
  minibatch_ms: number;
  /** [ms] Median of the epoch's minibatches, end to end. Absent in documents of earlier versions. */
  minibatch_p50_ms?: number;
  /** [ms] 95th percentile of the epoch's minibatches. Absent in documents of earlier versions. */
  minibatch_p95_ms?: number;
  /** [% of one core] CPU time of the program. */
  cpu_pct: number;
  /** [byte] Largest resident memory of the program; 0: not known. Absent in documents of earlier versions. */
  peak_memory_bytes?: number;
  /** [% of one core] Taken by other programs meanwhile. */
  others_cpu_pct: number | null;
  /** [1] Share of the dataset in the page cache before the epoch. */
  cached: number | null;
  /** [byte] From storage, by this program. */
  read_bytes: number | null;
  /** [count] Requests to all disks. */
  disk_reads: number | null;
  /** [byte] Of samples, read from files, through the page cache or past it. Null: not known. */
  file_bytes: number | null;
  /** [byte] Of samples, from the sample cache. Null: not known. */
  cache_bytes: number | null;
  /** [J] Per epoch. */
  energy_j: number | null;
  /** [W] Mean power. */
  power_w: number | null;
  /** [W] Of it, what the board draws in this mode while nothing trains: measured before by `flyball mode idle`, or simulated. Null: not known. Absent in documents of earlier versions. */
  base_w?: number | null;
  /** [%] Share of time that a kernel ran on the GPU that computes, else the first one. Null: no sensor tells, or did not in an earlier run. */
  gpu_load_pct: number | null;
  /** [MHz] Its clock, mean of the samples. Null: likewise. */
  gpu_mhz: number | null;
  /** [byte] Of its memory in use by everybody: mean over the epochs of the most in each. Null: likewise, and on a Jetson, whose memory is the machine's. */
  gpu_memory_bytes: number | null;
}
/** One epoch of one run. */
export interface ExperimentEpochPoint {
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
export interface ExperimentClockShare {
  /** [MHz] The clock. */
  mhz: number;
  /** [1] Of the samples (ten a second). */
  share: number;
}
export interface ExperimentFinding {
  /** A sentence. */
  text: string;
  /** As the study found it; null where there is no such question. */
  as_expected: boolean | null;
}
/** One runtime beside bare, all other settings being equal. */
export interface ExperimentRuntimeDifference {
  /** The other settings that vary; empty where none does. */
  others: string;
  /** The container runtime. */
  runtime: string;
  /** [ms] Wall time of an empty program in it: median over the runs, of three starts each. */
  start_ms: number | null;
  /** [ms] The same without a container. */
  bare_start_ms: number | null;
  /** Those that both have. */
  figures: ExperimentFigureDifference[];
}
/** A figure of the steady epochs in a runtime over the same figure of bare. */
export interface ExperimentFigureDifference {
  /** Which one; `compute_ms` is per minibatch. */
  figure:
    | "minibatch_ms"
    | "minibatch_p50_ms"
    | "minibatch_p95_ms"
    | "stall_ms"
    | "compute_ms"
    | "cpu_pct"
    | "peak_memory_bytes"
    | "gpu_load_pct"
    | "gpu_memory_bytes"
    | "energy_j";
  /** [1] Geometric mean over the repeats. */
  ratio: number;
  /**
   * [1] Its 90 % interval. Null: one repeat tells none.
   *
   * @minItems 2
   * @maxItems 2
   */
  ratio_90: [number | null, number | null];
  /** [count] That both have. */
  repeats: number;
  /** None: the interval lies within the difference that counts as none (no_difference_pct). */
  difference: "none" | "higher" | "lower" | "unknown";
  /** [count] How many more would probably tell, where it is unknown; null: it is known, or one repeat says nothing about that. */
  more_repeats: number | null;
}
/** Of `flyball experiment findings`. */
export interface FindingsPage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "findings";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: Findings;
}
/** What studies found, asked of boards again; docs/json.md says the same in words. */
export interface Findings {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** Their titles. */
  studies: string[];
  /** Whose runs were looked at. */
  boards: FindingsAskedBoard[];
  /** [count] Findings that hold. */
  holds: number;
  /** [count] Findings that do not. */
  differ: number;
  /** [count] Of them, those that come out the other way round. */
  wrong_sign: number;
  /** [count] Findings that cannot be asked of these boards. */
  unanswered: number;
  /** [count] Of simulated boards: findings that were asked and whose figures never went into the simulation. */
  held: number;
  /** [count] Of them, those that hold. */
  held_holds: number;
  /** In the order of the studies. */
  findings: FindingsStudyFinding[];
  /** Trainings that were looked at, each once. */
  runs: FindingsAskedRun[];
  /** Why runs deserve doubt, and what they lack. */
  notes: string[];
}
export interface FindingsAskedBoard {
  /** As studies name it. */
  board: string;
  /** Of its runs. */
  provenance: "measured" | "table" | "simulated" | "predicted" | "published";
}
/** One finding, and what became of it. */
export interface FindingsStudyFinding {
  /** What `--only` takes: small letters, digits and '-'. */
  id: string;
  /** The same for people. */
  name: string;
  /** The file of studies/ that it stands in, without its ending. */
  study: string;
  /** Of the study. */
  section: string;
  /** In a sentence. */
  claim: string;
  /** Whether figures of it went into the simulation. */
  use: "calibrated" | "held";
  /** Null: it cannot be asked of these boards. */
  holds: boolean | null;
  /** The worst of its figures: sign and size as published, the sign alone, not even that. Null: none could be asked. */
  verdict: "holds" | "size" | "sign" | null;
  /** Asked of a board that the study does not have: of a change the sign alone counts. */
  transferred: boolean;
  /** Figures of these boards, as far as they have them. */
  ours: FindingsOurValue[];
  /** All figures that were asked, by the same names. */
  published: FindingsPublishedValue[];
  /** What differs, what cannot be asked and why, of which boards more is known; may be empty. */
  why: string;
}
/** The same figure here. */
export interface FindingsOurValue {
  /** Network, board, figure and settings. */
  name: string;
  /** [as `unit` says] A change is in percent of where it begins. Null: it is no number. */
  value: number | null;
  /** As published. */
  unit: string;
  /** [as `unit` says] Lower end of its 90 % interval over epochs. Null: not known. */
  low: number | null;
  /** [as `unit` says] Upper end. */
  high: number | null;
  /** What is no number. Null: it is one. */
  text: string | null;
  /** As it is said, and what a change is between: `+7.9 % (285 → 307 s)`. */
  words: string;
  /** As of the finding. */
  verdict: "holds" | "size" | "sign" | null;
}
/** A figure as the study has it. */
export interface FindingsPublishedValue {
  /** [%] Of the study: changes so near the published one hold, whatever their size. Null: none is told. */
  spread: number | null;
  /** Network, board, figure and settings. */
  name: string;
  /** [as `unit` says] A change is in percent of where it begins. Null: it is a range, or no number. */
  value: number | null;
  /** `%`, `×`, `s`, `ms`, `W`, `mWh`, `MHz`; empty where it is no number. */
  unit: string;
  /** [as `unit` says] Lower end of a published range. Null: there is none. */
  low: number | null;
  /** [as `unit` says] Upper end. */
  high: number | null;
  /** What is no number (modes of a front, boards), or a bound in words. Null: it is a number. */
  text: string | null;
  /** As it is said: `-12.6 %`, `× 5.4`, `1.8 to 3.9 ×`. */
  words: string;
}
/** One training: means over its later epochs, over its only one where there is one. */
export interface FindingsAskedRun {
  /** As studies name it. */
  board: string;
  /** The network. */
  workload: string;
  /** By the study's letters; `MAXN`: the highest. Null: as the board is. */
  mode: string | null;
  /** It is the one in which the study trains on this board. */
  usual_mode: boolean;
  /** Where its data lay. Null: not said. */
  storage: string | null;
  /** [count] That load. */
  workers: number;
  /** [count] Samples of a minibatch. */
  batch_size: number;
  /** The page cache was dropped before each epoch. */
  dropped: boolean;
  /** Clocks were free below those of the mode. */
  governors: boolean;
  /** [s] An epoch. Null: not known. */
  e2e_s: number | null;
  /** [s] Of it, visible waiting for data. */
  stall_s: number | null;
  /** [s] Of it, computing. */
  compute_s: number | null;
  /** [s] The rest. */
  overhead_s: number | null;
  /** [J] Of an epoch. Null: not known. */
  energy_j: number | null;
  /** [%] Of the time that the GPU computed. Null: not known. */
  gpu_pct: number | null;
}
/** Of `flyball evaluate all`. */
export interface EvaluationPage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "evaluation";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: EvaluateAll;
}
/** Of `flyball evaluate all`. */
export interface EvaluateAll {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** [count] In the folder. */
  tables: number;
  /** [count] Their rows. */
  configurations: number;
  /** [count] Drawn, of all kinds. */
  problems: number;
  /** [count] Of them, those that some configuration solves. */
  solvable: number;
  /** [count] Of them, those over tables that cannot be searched: `failures` says why. */
  unposed: number;
  /** Each strategy over all, then by kind, then by tables. */
  rows: EvaluateAllRow[];
  /** Searches that broke off, and problems that could not be posed. */
  failures: EvaluateAllFailure[];
}
/** One strategy on problems of one kind, or of all. */
export interface EvaluateAllRow {
  /** Who searched. */
  strategy: string;
  /** null: all of them. */
  kind: "training" | "inference" | "concurrent" | "two-inference" | "dynamic" | null;
  /** The table, or the two of a pair; null: all of them. */
  tables: string | null;
  /** [count] Problems that some configuration solves. */
  solvable: number;
  /** [count] Of them, those whose answer keeps every limit by the table's own figures. */
  satisfied: number;
  /** [%] The same as a share. */
  satisfied_pct: number | null;
  /** [count] Of the solvable ones, those whose search broke off; not satisfied. */
  failed: number;
  /** [%] Time, latency or training lost against the optimum, over the satisfied ones. */
  median_distance_pct: number | null;
  /** [%] Its mean. */
  mean_distance_pct: number | null;
  /** [count] Profiles of a search, over the solvable problems; of all rates of a dynamic one. */
  mean_profiles: number | null;
  /** [count] The most of one. */
  max_profiles: number | null;
}
/** Searches of one strategy over one table or pair that ended in one error, or problems that could not be posed. */
export interface EvaluateAllFailure {
  /** Whose searches; null: the problems could not be posed to any. */
  strategy: string | null;
  /** Of the problems. */
  kind: "training" | "inference" | "concurrent" | "two-inference" | "dynamic";
  /** The table, or the two of a pair. */
  tables: string;
  /** [count] Searches, or problems. */
  count: number;
  /** What went wrong. */
  message: string;
  /** The remedy; may be empty. */
  hint: string;
}
/** Of `flyball compare boards`. */
export interface BoardsPage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "boards";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: Compare;
}
/** Boards beside each other, and which to take; docs/json.md says the same in words. */
export interface Compare {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** Settings and limits. */
  asked: CompareAsked;
  /** What is trained, in the order asked. */
  networks: CompareNetwork[];
  /** Each board. */
  boards: CompareBoard[];
  /** Where prices are from, and what they assume. */
  prices: ComparePrices;
  /** Whose published epochs stand beside. */
  published: ComparePublished;
  /** The file of --measured; null: none was named. */
  measured_file: string | null;
  /** The board to take; null: nothing was asked, or none will do. */
  choice: CompareBoardChoice | null;
  /** Why no board will do; else null. */
  infeasible: CommonInfeasible | null;
  /** Remarks: assumptions, and what is not known. */
  notes: string[];
}
/** Settings of the trainings, and limits of an epoch of each network; null: none. */
export interface CompareAsked {
  /** [count] Samples of a minibatch. */
  batch_size: number;
  /** [count] That load; 0: inline. */
  loader_workers: number;
  /** [count] Minibatches each may be ahead. */
  prefetch: number;
  /** [count] Of the noise of simulated boards. */
  seed: number;
  /** What is to be small of an epoch; null: nothing was asked. */
  objective: "time" | "energy" | "price" | null;
  /** [s] Time. */
  deadline_s: number | null;
  /** [W] Power. */
  power_budget_w: number | null;
  /** [J] Energy. */
  energy_budget_j: number | null;
  /** [currency] Price, in the currency of the prices. */
  price_budget: number | null;
  /** [currency] List price of the board, likewise. */
  board_budget: number | null;
  /** Objective and limits in words. */
  text: string | null;
}
/** One network. */
export interface CompareNetwork {
  /** Its name. */
  workload: string;
  /** [count] Of an epoch; null: not known. */
  samples: number | null;
  /** [count] Likewise. */
  minibatches: number | null;
}
/** One board. */
export interface CompareBoard {
  /** What it is called here: its id, with the source where two are of one board. */
  name: string;
  /** Its id: orin_agx. */
  board: string;
  /** For people. */
  title: string;
  /** Simulated, read from a table, or out of the store. */
  source: "twin" | "table" | "store";
  /** Are the others compared with it? */
  baseline: boolean;
  /** Which total its power is; null: not told. */
  power_total: string | null;
  /** What a simulated total counts, where that is not all of the board; else null. */
  power_parts: string | null;
  /** Its list price; null: none is known. */
  price: ComparePrice | null;
  /** Of each network, in their order. */
  figures: CompareNetworkFigures[];
  /** How many times as fast as the baseline; null: of the baseline, or nothing is known on both. */
  speed: CompareRatio | null;
  /** Energy of a minibatch over that on the baseline. */
  energy: CompareRatio | null;
  /** The speed by published epochs. */
  published_speed: CompareRatio | null;
  /** The speed by the file of --measured. */
  measured_speed: CompareRatio | null;
  /** All of it in one sentence. */
  text: string;
  /** What keeps it from being chosen, limit by limit; null: nothing was asked. */
  misses: string[] | null;
}
/** What a board costs. */
export interface ComparePrice {
  /** [currency] Its price. */
  amount: number;
  /** Three letters: USD. */
  currency: string;
  /** When that was its price. */
  date: string;
  /** Of what: developer kit; null: not told. */
  what: string | null;
  /** Who says it. */
  source: string;
}
/** One network on one board; null where it is not known. */
export interface CompareNetworkFigures {
  /** The network. */
  workload: string;
  /** Why there are no figures; else null. */
  missing: string | null;
  /** Does it fit into memory? null: of a board that is not simulated. */
  fits: boolean | null;
  /** [byte] Of memory, by the training and its loader. */
  needed_bytes: number | null;
  /** [byte] That the board leaves. */
  available_bytes: number | null;
  /** The mode and settings that the figures are of. */
  config: CommonConfig | null;
  /** [ms] Time of a minibatch. */
  minibatch_ms: number | null;
  /** [ms] Its 90 % interval. */
  minibatch_ms_90: [number, number] | null;
  /** [W] Mean power. */
  power_w: number | null;
  /** [W] Its 90 % interval. */
  power_w_90: [number, number] | null;
  /** How they are known. */
  provenance: "measured" | "table" | "simulated" | "predicted" | null;
  /** [s] Time of an epoch. */
  epoch_s: number | null;
  /** [J] Its energy. */
  epoch_j: number | null;
  /** [currency] Its price, in the currency of the prices. */
  epoch_price: number | null;
  /** [s] A published epoch. */
  published_s: number | null;
  /** Did it fit there? null: nothing was published. */
  published_fits: boolean | null;
  /** [%] Our epoch above it; null where the epochs are not of one length. */
  published_difference_pct: number | null;
  /** [ms] The minibatch by the file of --measured. */
  measured_ms: number | null;
  /** [%] Our minibatch above it. */
  measured_difference_pct: number | null;
}
/** Over the networks that are known on both boards. */
export interface CompareRatio {
  /** [1] Geometric mean. */
  mean: number;
  /** [1] The least. */
  least: number;
  /** [1] The most. */
  most: number;
  /** [count] How many. */
  networks: number;
  /** In words: 3.9 × as fast (geometric mean over 5 networks, 2.9 to 4.9). */
  text: string;
}
/** Where prices are from, and what they assume. */
export interface ComparePrices {
  /** The file; `the built-in prices.toml` where none was named. */
  file: string;
  /** Of all prices. */
  currency: string;
  /** [year] For which a board computes day and night. */
  life_years: number;
  /** [currency] Price of a kilowatt-hour. */
  electricity_per_kwh: number;
}
/** Whose published epochs stand beside. */
export interface ComparePublished {
  /** The report. */
  title: string;
  /** Where in it. */
  source: string;
}
/** The board to take. */
export interface CompareBoardChoice {
  /** As among the boards. */
  name: string;
  /** What was to be small. */
  objective: "time" | "energy" | "price";
  /** [s, J or currency] It, as the geometric mean over the networks: seconds, joules or money. */
  value: number;
  /** In words. */
  text: string;
}
/** Of `flyball fleet show`. */
export interface FleetPage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "fleet";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: FleetShow;
}
/** flyball fleet show --json. */
export interface FleetShow {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** The collected store, as named. */
  store: string;
  /** When it was asked, ISO 8601. */
  now_utc: string;
  /** [s] A board that was last seen longer ago is stale. */
  stale_after_s: number;
  /** [W] Power budgets of the best modes; empty: none. */
  budgets_w: number[];
  /** [count] Of all boards. */
  runs: number;
  /** [count] Of all boards. */
  measurements: number;
  /** [count] Measurements of programs that mark no minibatches, which neither spread nor best modes count. */
  whole_runs: number;
  /** [count] Measurements under other conditions, or with other software, than the latest of their board and workload, likewise. */
  other_conditions: number;
  /** [count] Boards that are stale. */
  stale: number;
  /** [count] Boards that are outliers. */
  outliers: number;
  /** One for each store, by name. */
  boards: FleetShownBoard[];
  /** How much equal trials differ between boards of one kind and software. */
  spread: FleetShownSpread[];
  /** The best modes that were tried, of each kind and workload. */
  best: FleetShownMode[];
  /** Versions in use, by kind. */
  software: FleetShownSoftware[];
}
/** A board: a store that was collected. */
export interface FleetShownBoard {
  /** What its store was last named: a file, or HOST:PATH. */
  name: string;
  /** Identity of its store: 32 hexadecimal digits. */
  store: string;
  /** Devices that it measured: orin_agx. */
  kinds: string[];
  /** Version that made the newest tables of its store; null: not known. */
  flyball: string | null;
  /** Its latest run or measurement, ISO 8601; null: none. */
  last_seen_utc: string | null;
  /** When it was last collected, ISO 8601; null: it is this store itself. */
  collected_utc: string | null;
  /** [s] Since it was last seen; null: never. */
  age_s: number | null;
  /** Last seen longer ago than asked, or never. */
  stale: boolean;
  /** [count] That it has. */
  runs: number;
  /** [count] Of these, interrupted and failed ones. */
  unfinished_runs: number;
  /** [count] That it has. */
  measurements: number;
  /** [count] Measurements that failed. */
  failed: number;
  /** [count] Measurements during which the board throttled. */
  throttled: number;
  /** [count] Measurements beside which another process measured. */
  disturbed: number;
  /** [count] Trials that other boards of its kind and software made, too. */
  compared_trials: number;
  /** [1] Mean of its times over those of all boards, in these trials; null: none. */
  time_ratio: number | null;
  /** [1] The same of power; null: none, or no power. */
  power_ratio: number | null;
  /** A spread names it as far from the middle board. */
  outlier: boolean;
}
/** Equal trials of several boards. */
export interface FleetShownSpread {
  /** Device: orin_agx. */
  kind: string;
  /** What ran. */
  workload: string;
  /** Training or inference. */
  phase: string;
  /** How the figures are known: measured, simulated, table. */
  provenance: string;
  /** [count] That made one trial, at most. */
  boards: number;
  /** [count] That several boards made. */
  trials: number;
  /** [1] Coefficient of variation (standard deviation / mean) of the minibatch time: median over the trials. */
  time_cv: number;
  /** [1] The same, of the trial with the largest. */
  max_time_cv: number;
  /** [1] Of the minibatch's energy; null without power. */
  energy_cv: number | null;
  /** [1] The same, of the trial with the largest. */
  max_energy_cv: number | null;
  /** Boards far from the middle one, of five boards or more. */
  outliers: FleetShownOutlier[];
}
/** A board that differs, in the median trial. */
export interface FleetShownOutlier {
  /** Its name; where one store has several simulated boards, its number, too. */
  board: string;
  /** [%] Time above that of the middle board. */
  time_pct: number;
  /** [%] Energy above that of the middle board. */
  energy_pct: number;
}
/** A best mode: mean over the boards that tried it. */
export interface FleetShownMode {
  /** Device: orin_agx. */
  kind: string;
  /** What ran. */
  workload: string;
  /** Training or inference. */
  phase: string;
  /** How the figures are known: measured, simulated, table. */
  provenance: string;
  /** Which total its power is; null: none. */
  power_total: string | null;
  /** The fastest, or the one of least energy, per sample. */
  objective: "time" | "energy";
  /** [W] Within which it is the fastest; null: without a budget. */
  budget_w: number | null;
  /** Batch size, workers and other settings of the run. */
  settings: {
    [k: string]: number;
  };
  /** Cores and clocks. */
  mode: {
    [k: string]: number;
  };
  /** [count] That tried it. */
  boards: number;
  /** [count] Of it, on all of them. */
  measurements: number;
  /** [ms] Mean time of a minibatch. */
  minibatch_ms: number | null;
  /** [W] Mean power; null: not known. */
  power_w: number | null;
  /** [J] Energy of a sample; null: not known. */
  sample_j: number | null;
  /** [count] Samples of the network's usual epoch; null: not known, or no training. */
  epoch_samples: number | null;
  /** [s] Time of such an epoch. */
  epoch_s: number | null;
  /** [J] Energy of such an epoch; null: not known. */
  epoch_j: number | null;
}
/** Boards of one kind with one software. */
export interface FleetShownSoftware {
  /** Device: orin_agx. */
  kind: string;
  /** Board, kernel, driver: equal ones mean comparable figures. */
  fingerprint: string;
  /** [count] That measured with it. */
  boards: number;
  /** [count] Made with it. */
  measurements: number;
}
/** Of `flyball campaign status`. */
export interface CampaignPage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "campaign";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: CampaignStatus;
}
/** flyball campaign status --json and cancel --json. */
export interface CampaignStatus {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** The campaign's file. */
  campaign: string;
  /** Where answers and stores are. */
  folder: string;
  /** What starts the cells. */
  executor: "local" | "slurm" | "ssh";
  /** Does no cell begin any more? */
  cancelled: boolean;
  /** Cells by their state. */
  counts: CampaignCounts;
  /** Each of them. */
  cells: CampaignCellStatus[];
  /** What could not be found out, and what went wrong. */
  notes: string[];
}
/** Cells by their state. */
export interface CampaignCounts {
  /** [count] Never begun, or asked in other words now. */
  missing: number;
  /** [count] Slurm has them. */
  queued: number;
  /** [count] They run. */
  running: number;
  /** [count] Begun, and nobody runs them. */
  interrupted: number;
  /** [count] Ended without an answer. */
  failed: number;
  /** [count] They have an answer. */
  done: number;
}
/** One cell. */
export interface CampaignCellStatus {
  /** BOARD.WORKLOAD.QUESTION.BUDGET. */
  cell: string;
  /** How far it is. */
  state: "missing" | "queued" | "running" | "interrupted" | "failed" | "done";
  /** [exit code] Of the last time; null: none. */
  exit_code: number | null;
  /** [count] How often it was begun and ended; null: never. */
  attempts: number | null;
  /** [count] How often it was stopped until its board had cooled down, the last time; null: none. */
  heat_stops: number | null;
  /** [s] The last time; null: none. */
  seconds: number | null;
  /** Where, the last time. */
  host: string | null;
  /** When, the last time. */
  ended_utc: string | null;
  /** Process that runs it now. */
  running_on: string | null;
  /** Why it failed or was interrupted, the last error of its log; null: the log has none. */
  reason: string | null;
  /** What Slurm says of it. */
  queue: string | null;
}
/** Of `flyball experiment benchmark table`. */
export interface BenchmarkPage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "benchmark";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: BenchmarkRanking;
}
/** Of `flyball experiment benchmark table`. */
export interface BenchmarkRanking {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** To the target. */
  by: "time" | "energy";
  /** Those that any result has. */
  entries: BenchmarkRankedEntry[];
  /** Ids of the entries that `overall` is over: those that all measured results have. */
  shared: string[];
  /** Over these entries; empty where there is none. */
  overall: BenchmarkRankedBoard[];
  /** What stands in no table. */
  left_out: BenchmarkLeftOut[];
}
/** One entry. */
export interface BenchmarkRankedEntry {
  /** Its name. */
  id: string;
  /** What is told of the held-out part: the share of classes told right, perplexity of the next word (lower is better), mean average precision of boxes at an IoU of one half. */
  quality: "accuracy" | "perplexity" | "map50";
  /** [as of the quality] To be reached. */
  target: number;
  /** The best first. */
  rows: BenchmarkRankedRow[];
}
/** One result. */
export interface BenchmarkRankedRow {
  /** [count] From 1 on; null: simulated. */
  rank: number | null;
  /** Its board. */
  board: string;
  /** Its file. */
  file: string;
  /** Who vouches for it; null: nobody. */
  signed_off_by: string | null;
  /** How its figures are known. */
  provenance: CommonProvenance;
  /** [count] Null: not reached. */
  epochs_to_target: number | null;
  /** [s] Null likewise. */
  time_to_target_s: number | null;
  /** [s] Null: not known. */
  epoch_s: number | null;
  /** [J] Null: not known, or its power breaks the rules. */
  energy_to_target_j: number | null;
  /** [W] Null likewise. */
  mean_w: number | null;
  /** [1] To the best measured one; without one, to the best. */
  ratio: number;
}
/** One result over all shared entries. */
export interface BenchmarkRankedBoard {
  /** [count] From 1 on. */
  rank: number;
  /** Its board. */
  board: string;
  /** Its file. */
  file: string;
  /** [1] Geometric mean of its ratios. */
  ratio: number;
}
/** What stands in no table. */
export interface BenchmarkLeftOut {
  /** The result. */
  file: string;
  /** Id; null: the whole file. */
  entry: string | null;
  /** Which rule it breaks, or what it lacks. */
  why: string;
}
/** Of `flyball plan`. */
export interface PlanPage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "plan";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: Plan | PlanDynamicPlan | PlanArrivalPlan;
  /** What was recorded meanwhile; left out where nothing was. */
  record?: RecordLink;
  /** How to set the choice, in order; empty without one, and where each role has a mode of its own. */
  apply: ApplyStep[];
}
/** Of one question. */
export interface Plan {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** What was asked. */
  request: PlanRequest;
  /** Where it runs. */
  device: CommonAnswerDevice;
  /** What was asked. */
  problem: "training" | "inference" | "concurrent" | "two-inference";
  /** What is made best. */
  objective: PlanObjective;
  /** The answer; null when there is none. */
  choice: PlanChoice | null;
  /** The same as `choice`; its name until 0.2. */
  answer: PlanChoice | null;
  /** Whether no training fits beside the service, which limits the default breaks, and what the answer is to the best preset within the limits and to the one in force, in words; null where there is nothing to say. */
  comparison?: string | null;
  /** Is the difference from the default more than noise and the state of the machine explain? Null without a default or an answer; left out of answers that earlier versions kept. */
  established?: PlanEstablished | null;
  /** What one gets without tuning; null where it was not measured. */
  default: PlanChoice | null;
  /** What was profiled, and which trials are those of earlier runs. */
  effort: string;
  /** Trials of earlier runs; empty when all were made now. */
  reused: CommonReused[];
  /** The preset power modes of the board, in its order; empty where there are none or they are not known. */
  presets?: CommonAnswerPreset[];
  /** Trials that were asked for and not made: they need a reboot. */
  set_aside: CommonSetAside[];
  /** Start of the run, ISO 8601. */
  started_utc: string;
  /** [s] Wall time of the run. */
  seconds: number;
  /** [s] The same without the trials. */
  own_seconds: number;
  /** Why there is no answer, and what would do, else null. */
  infeasible: CommonInfeasible | null;
  /** Each limit, and whether it binds. */
  limits: PlanLimit[];
  /** What easing a limit would gain. */
  would_buy: PlanPurchase[];
  /** What is predicted to be better than the answer within the limits but was not measured, where measuring it is expected to gain what a search goes on for; null where nothing is. */
  unmeasured: PlanPromise | null;
  /** Choices that were measured and are best at other powers; beside a service none that trains nothing, unless the answer does. */
  front: PlanChoice[];
  /** Every trial in its order. */
  profiled: CommonTrial[];
  /** [count] Distinct configurations that were profiled for this question, by earlier runs of it, too. */
  profiles: number;
  /** [count] Measurements, repeats, verification and what the store knew included. */
  trials: number;
  /** The problem in words. */
  asked: string;
  /** [count] Its number in the store; null: nothing is kept. */
  run: number | null;
  /** Why the search ended. */
  stopped: string;
  /** Which power modes were chosen among (`--modes`); null where a table keeps all of its own. */
  modes: CommonModes | null;
  /** Of a concurrent plan on `--device twin:BOARD` or over tables: its answer, simulated with both roles at once; else null. */
  together: PlanTogether | null;
  /** Remarks. */
  notes: string[];
  /** With `--export nvpmodel`: the mode as a POWER_MODEL block. */
  nvpmodel?: string;
}
export interface PlanRequest {
  /** What was asked. */
  problem: "training" | "inference" | "concurrent" | "two-inference" | "dynamic";
  /** The board. */
  device: string;
  /** What is made best. */
  objective: PlanObjective;
  /** [W] Null: none. */
  power_budget_w: number | null;
  /** [ms] Of a minibatch, or of a sample where batch sizes vary. Null: none. */
  time_budget_ms: number | null;
  /** [J] Likewise. */
  energy_budget_j: number | null;
  /** [%] Only with `--at-most slowdown=…`: so much more time than the default a choice may take, per minibatch, or per sample where batch sizes differ. */
  slowdown_limit_pct?: number;
  /** One mode for each role. */
  separate_modes: boolean;
  /** [ms] What changing the mode takes. */
  switch_ms: number;
  /** [J] Energy of a change beside the power of that time; left out: none. */
  switch_j?: number;
  /** [W] Idle power of each mode; left out where it is not counted. */
  idle_w?: (number | null)[];
  /** The workloads, in the order of the roles of a choice. */
  roles: PlanAskedRole[];
  /** [count] Most configurations that may be profiled. */
  profiles_limit: number;
  /** Who asks for trials. */
  strategy: string;
  /** Who predicts what was not profiled. */
  predictor: string;
  /** [count] Of all that is random. */
  seed: number;
  /** Titles of the references. */
  references: string[];
  /** What the twin of the board (or of --prior FILE) told the search beforehand: title and a hash of its figures; absent where it told nothing. */
  priors?: string[];
}
export interface PlanAskedRole {
  /** Name of the network. */
  workload: string;
  /** Training or inference. */
  phase: CommonPhase;
  /** [Hz] Requests that arrive; 0 of a training, and where windows say it. */
  rate_hz: number;
  /** [ms] Peak latency at most. Null: no limit. */
  latency_ms: number | null;
  /** Of the board that measured it; of a table, its content. */
  fingerprint: string;
}
export interface PlanChoice {
  /** What is set, in words: the mode, then what each workload runs with. */
  text: string;
  /** [of `value_unit`] Of the objective; null: it cannot be kept up. */
  value: number | null;
  /** Its unit. */
  value_unit: string;
  /** [ms] Of the first role; each has its own in `roles`. */
  minibatch_ms: number | null;
  /** [W] Null: not known. */
  power_w: number | null;
  /** `predicted` when not all of it was measured (or looked up in a table). */
  provenance: CommonProvenance;
  /** What each workload does. */
  roles: PlanRole[];
}
export interface PlanRole {
  /** Name of the network. */
  workload: string;
  /** Training or inference. */
  phase: CommonPhase;
  /** What is set. */
  config: CommonConfig;
  /** [ms] Time of a minibatch. */
  minibatch_ms: number | null;
}
/** Is there a difference from the default, by the rule of `comparison` of a tune? */
export interface PlanEstablished {
  /** In what is made best. */
  objective: boolean;
  /** In power. */
  power: boolean;
}
export interface PlanLimit {
  /** What is limited. */
  constraint: string;
  /** Whose limit it is; empty for power. */
  workload: string;
  /** [of `unit`] How much the answer takes. */
  used: number;
  /** [of `unit`] How much it may take. */
  limit: number;
  /** Of both. */
  unit: string;
  /** At least 99 % of it are used, and without it (or with 10 % fewer requests) a better choice is known or predicted. */
  binds: boolean;
}
export interface PlanPurchase {
  /** One more watt, 10 ms more latency, … */
  what: string;
  /** [%] Against the best known or predicted within the limits. 0: nothing, as far as `provenance` says. Null: not known. */
  gain_pct: number | null;
  /** How the gain is known. A gain of 0 is `predicted` unless all configurations were tried. Null: not known, as nothing was predicted or a gain is as likely as a search goes on for. Left out by earlier programs. */
  provenance?: CommonProvenance | null;
  /** The best one then. */
  choice: PlanChoice;
}
export interface PlanPromise {
  /** [%] Against the answer. */
  gain_pct: number;
  /** Which one it is. */
  choice: PlanChoice;
}
export interface PlanTogether {
  /** Who is on the accelerator: one role at a time, as the plan's equations have it (`interleaved`), or as the scheduler of `flyball serve` decides (`scheduled`: over tables). */
  sharing: "interleaved" | "scheduled";
  /** [s] Simulated. */
  seconds: number;
  /** Why it cannot be, such as memory; null: it can. */
  refused: string | null;
  /** [1/s] Training minibatches. */
  train_per_s: number | null;
  /** [1/s] The same by the plan's equations; null with objective power. */
  planned_per_s: number | null;
  /** [ms] The longest of a request, its wait included, after the two windows that fill the loaders. */
  latency_ms: number | null;
  /** [count] Requests that lacked an answer a window after their batch was full, at the end; null where the scheduler decides, which leaves none. */
  late: number | null;
  /** [%] Requests answered after their latency budget, or refused; null: not known. */
  late_pct: number | null;
  /** [W] Mean while the hungrier role ran; null without rails. */
  hungrier_w: number | null;
  /** Always simulated. */
  provenance: CommonProvenance;
}
/** Of `flyball plan dynamic`: one mode for each window of arrivals. */
export interface PlanDynamicPlan {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** What was asked. */
  request: PlanRequest;
  /** Where it runs. */
  device: CommonAnswerDevice;
  /** What was asked. */
  problem: "dynamic";
  /** What is made best. */
  objective: PlanObjective;
  /** In their order; empty where one of them cannot be served. */
  windows: PlanWindow[];
  /** [count] Changes of the mode. */
  switches: number;
  /** [J] Energy of all of them; null: the power of a mode is not known. */
  switch_j: number | null;
  /** [of the objective] Over all windows; null: a window cannot be served. */
  value: number | null;
  /** Unit of the objective. */
  value_unit: string;
  /** [of the objective] With one mode throughout, the best of those that were profiled; null: none does. */
  static_value: number | null;
  /** The problem of the highest rate in words. */
  asked: string;
  /** Which window cannot be served, and what would do there, else null. */
  infeasible: CommonInfeasible | null;
  /** Every trial in its order. */
  profiled: CommonTrial[];
  /** [count] Measurements, repeats, verification and what the store knew included. */
  trials: number;
  /** Why the last search ended. */
  stopped: string;
  /** What was profiled, and which trials are those of earlier runs. */
  effort: string;
  /** Trials of earlier runs; empty when all were made now. */
  reused: CommonReused[];
  /** The preset power modes of the board, in its order; empty where there are none or they are not known. */
  presets?: CommonAnswerPreset[];
  /** Trials that were asked for and not made: they need a reboot. */
  set_aside: CommonSetAside[];
  /** Start of the run, ISO 8601. */
  started_utc: string;
  /** [s] Wall time of the run. */
  seconds: number;
  /** [s] The same without the trials. */
  own_seconds: number;
  /** [count] Distinct configurations that were profiled for this question, by earlier runs of it, too. */
  profiles: number;
  /** [count] Its number in the store; null: nothing is kept. */
  run: number | null;
  /** Remarks. */
  notes: string[];
}
export interface PlanWindow {
  /** [Hz] Arrivals. */
  rate_hz: number;
  /** [s] How long it lasts. */
  seconds: number;
  /** What is set, in words. */
  text: string;
  /** What each workload does. */
  choice: PlanWindowRole[];
  /** [of the objective] In this window. */
  value: number;
  /** How the readings are known. */
  provenance: CommonProvenance;
  /** The mode changes before it. */
  switches: boolean;
  /** [J] Energy of that change: its time at the larger power of both modes, and `--switch-energy`; null: a power is not known. */
  switch_j: number | null;
}
export interface PlanWindowRole {
  /** Name of the network. */
  workload: string;
  /** What is set. */
  config: CommonConfig;
}
/** Of `flyball plan … --arrivals`. */
export interface PlanArrivalPlan {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** What was asked. */
  request: PlanRequest;
  /** Where it runs. */
  device: CommonAnswerDevice;
  /** What was asked. */
  problem: "inference" | "concurrent" | "two-inference";
  /** What is made best. */
  objective: PlanObjective;
  /** The problem in words. */
  asked: string;
  /** The answer, with its value as simulated; null when no choice keeps the limits. */
  choice: PlanChoice | null;
  /** [%] Of requests that are to be in time. */
  percentile: number;
  /** What becomes of requests that cannot be answered in time. */
  overload: "refuse" | "late";
  /** [count] Requests that may wait at each service. */
  queue: number;
  /** Of each service, as it was asked. */
  arrivals: string[];
  /** The answer; null when no choice keeps the limits. */
  simulated: PlanSimulatedChoice | null;
  /** The plan for clockwork arrivals of the same rates, under these arrivals; null when there is none. */
  clockwork: PlanSimulatedChoice | null;
  /** What counts more: latency, training, or the median latency that 1 % of training is worth. */
  prefer: string;
  /** What serving sooner costs in training, for the choice, of what keeps the percentile; empty without a training. */
  preferences: PlanPreferencePoint[];
  /** [count] Choices that were simulated. */
  simulations: number;
  /** Which power modes were chosen among (`--modes`); null where a table keeps all of its own. */
  modes: CommonModes | null;
  /** Why there is no answer, and what would do, else null. */
  infeasible: CommonInfeasible | null;
  /** What is known. */
  effort: string;
  /** Empty. */
  reused: CommonReused[];
  /** Empty. */
  set_aside: CommonSetAside[];
  /** Empty: all is known. */
  profiled: CommonTrial[];
  /** [count] 0. */
  profiles: number;
  /** [count] 0. */
  trials: number;
  /** Empty. */
  presets: CommonAnswerPreset[];
  /** Why the search ended. */
  stopped: string;
  /** [count] Null: nothing is kept. */
  run: number | null;
  /** Remarks. */
  notes: string[];
  /** Start of the run, ISO 8601. */
  started_utc: string;
  /** [s] Wall time of the run. */
  seconds: number;
  /** [s] The same. */
  own_seconds: number;
}
/** A choice, and what simulating it gave. */
export interface PlanSimulatedChoice {
  /** What each workload does. */
  roles: PlanRole[];
  /** What is set, in words: the mode, then what each workload runs with. */
  text: string;
  /** [of `value_unit`] Of the objective, as simulated: what is trained, else the latency at the percentile (of two services its share of the tighter budget). */
  value: number | null;
  /** Its unit. */
  value_unit: string;
  /** [ms] Of the first role; each has its own in `roles`. */
  minibatch_ms: number | null;
  /** Always simulated. */
  provenance: CommonProvenance;
  /** [W] The largest of the roles, of a service over all batch sizes up to its own: a batch that its deadline cuts short is a smaller one. */
  power_w: number | null;
  /** Of each service in its order. */
  services: PlanSimulatedService[];
  /** [%] Requests late or refused, of the worst service. */
  late_pct: number | null;
  /** [ms] The same, of the last service. */
  latency_ms: number | null;
  /** [requests] Of the last service. */
  mean_batch: number | null;
  /** [1/s] Training minibatches in simulation. */
  trainings_per_s: number | null;
  /** [1/s] Training minibatches by the problem's equations. */
  clockwork_per_s: number | null;
}
/** How one service fares. */
export interface PlanSimulatedService {
  /** Name of the network. */
  workload: string;
  /** [%] Requests late or refused. */
  late_pct: number | null;
  /** [ms] At the percentile of all requests, those refused included; null: beyond the limit, as more are refused than may be; or, where none is late, no request came in the time that was simulated. */
  latency_ms: number | null;
  /** [ms] The tightest latency limit that this choice keeps, of two services both tightened alike; null: of the plan for clockwork, without a limit, and beside a training. */
  kept_ms: number | null;
  /** [requests] Mean of its batches. */
  mean_batch: number | null;
}
export interface PlanPreferencePoint {
  /** [count] Requests that a batch waits for; null: until the latest safe time, or as the preference weighs it. */
  gathers: number | null;
  /** [ms] Latency. */
  median_ms: number | null;
  /** [ms] At the percentile that was asked for. */
  latency_ms: number | null;
  /** [%] Late or refused. */
  late_pct: number | null;
  /** [1/s] Training minibatches. */
  trainings_per_s: number | null;
  /** [count] Requests in a batch. */
  mean_batch: number | null;
  /** What the preference comes to. */
  chosen: boolean;
}
/** Of `flyball roofline`. */
export interface RooflinePage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "roofline";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: RooflineAnswer;
  /** The measured tables of the workloads; empty without. */
  tables: SheetGrid[];
}
/** Of `flyball roofline`. */
export interface RooflineAnswer {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  roofs: RooflineRoofs;
  /** [index] Position in `modes` of the highest mode; null: there is none. */
  highest: number | null;
  /** [count] Where the roofs are kept in the store; null: they are not. */
  run: number | null;
  /** Under the roofs. */
  workloads: RooflineBound[];
  /** Empty without tables. */
  cases: RooflineCase[];
  balance: RooflineBalance;
  /** In words with their numbers. */
  verdicts: string[];
  /** Gaps and remarks. */
  notes: string[];
}
/** Of the board. */
export interface RooflineRoofs {
  /** The board's name. */
  device: string;
  /** For people. */
  title: string;
  /** Equal ones mean comparable figures; empty of a table. */
  fingerprint: string;
  /** `table`: fitted over measured tables; `simulated` or `predicted`: over rows some of which are. */
  provenance: CommonProvenance;
  /** Titles of the tables. */
  sources: string[];
  /** Which total powers are. */
  total: string | null;
  /** Why there is no power. */
  power_gap: string | null;
  /** [count] Cores that other processes kept busy meanwhile; null: not known. */
  other_cores: number | null;
  /** Who else measured meanwhile; null: nobody. */
  disturbed: string | null;
  /** ISO 8601. */
  measured_utc: string;
  /** One entry for each mode. */
  modes: RooflineMode[];
}
/** The roofs of one power mode. */
export interface RooflineMode {
  /** As it was set; empty: the board as it was. */
  mode: CommonConfig;
  /** [count] That computed; 0 of a table. */
  threads: number;
  /** [FLOP/s] The fp32 roof; null: nothing was bound by it. */
  flop_per_s: number | null;
  /** [B/s] The memory roof, likewise. */
  bytes_per_s: number | null;
  /** [FLOP/B] Where the two meet. */
  balance: number | null;
  /** [s] What an empty parallel region takes; of a table what a minibatch takes at least. */
  launch_s: number | null;
  /** Empty of a table. */
  peaks: RooflinePeak[];
  /** Empty of a table. */
  streams: RooflineStream[];
  /** Empty of a table. */
  sweep: RooflineSweep[];
  /** As in mode idle; null: not measured. */
  idle: {} | null;
  /** Null: no power, or too few samples. */
  energy: RooflineEnergy | null;
  /** [count] Of a table: behind the time roofs. */
  samples: number;
  /** [%] Of a table: median error of the time roofs on them. */
  error_pct: number;
}
/** One arithmetic kernel on all threads. */
export interface RooflinePeak {
  /** Instruction set; `plain`: C++ as compiled. */
  isa: string;
  /** fp32, fp64, fp16, bf16 or int8. */
  precision: string;
  /** [bit] Width of a vector; 0 of plain C++. */
  bits: number;
  op_per_s: RooflineRate;
}
/** Operations in a second. */
export interface RooflineRate {
  /** [1/s] The highest: the roof. */
  best: number;
  /** [1/s] Of the repetitions. */
  median: number;
  /** [1/s] Lower quartile. */
  q1: number;
  /** [1/s] Upper quartile. */
  q3: number;
  /** [W] Mean power meanwhile; null: not measured. */
  power_w: number | null;
}
/** One loop that moves memory. */
export interface RooflineStream {
  /** triad, copy or read. */
  name: string;
  /** [B] Of all its arrays. */
  bytes: number;
  bytes_per_s: RooflineRate1;
}
/** Bytes in a second. */
export interface RooflineRate1 {
  /** [1/s] The highest: the roof. */
  best: number;
  /** [1/s] Of the repetitions. */
  median: number;
  /** [1/s] Lower quartile. */
  q1: number;
  /** [1/s] Upper quartile. */
  q3: number;
  /** [W] Mean power meanwhile; null: not measured. */
  power_w: number | null;
}
/** So much arithmetic on each byte that is read. */
export interface RooflineSweep {
  /** [FLOP/B] Arithmetic of a byte. */
  intensity: number;
  flop_per_s: RooflineRate2;
}
/** Reached at this intensity. */
export interface RooflineRate2 {
  /** [1/s] The highest: the roof. */
  best: number;
  /** [1/s] Of the repetitions. */
  median: number;
  /** [1/s] Lower quartile. */
  q1: number;
  /** [1/s] Upper quartile. */
  q3: number;
  /** [W] Mean power meanwhile; null: not measured. */
  power_w: number | null;
}
/** Energy = FLOP × j_per_flop + bytes × j_per_byte + time × static_w; nothing is below zero. */
export interface RooflineEnergy {
  /** [J] Of one FLOP. */
  j_per_flop: RooflineBounded;
  /** [J] Of one byte. */
  j_per_byte: RooflineBounded;
  /** [W] Whatever is done. */
  static_w: RooflineBounded;
  /** [count] Behind the fit. */
  samples: number;
  /** [%] Median error of the fit on its samples. */
  error_pct: number;
}
/** A constant with its 90 % interval. */
export interface RooflineBounded {
  /** [by key] Of the fit. */
  value: number;
  /** [by key] The least it may be, not below zero. */
  low: number;
  /** [by key] The most. */
  high: number;
}
/** A workload in a mode. */
export interface RooflineBound {
  /** Its name. */
  workload: string;
  /** Training or inference. */
  phase: "train" | "infer";
  /** [count] Samples of a minibatch. */
  batch_size: number;
  /** How FLOP and bytes were counted. */
  rules: "exact" | "pagoda";
  /** The power mode. */
  mode: CommonConfig;
  /** [FLOP] Of a minibatch. */
  flop: number;
  /** [B] Likewise. */
  bytes: number;
  /** [count] Launches of it. */
  kernels: number;
  /** [FLOP/B] FLOP of a byte. */
  intensity: number;
  /** [ms] Least time by the roofs; of roofs fitted to whole minibatches what was fitted. */
  roof_ms: number;
  /** [J] Energy by the roofs; null: not known. */
  roof_j: number | null;
  /** [ms] As measured; null: nobody did. */
  minibatch_ms: number | null;
  /** [W] As measured. */
  power_w: number | null;
  /** Its power is a reading to doubt, as in `cases`. */
  doubted: boolean;
  /** [%] The roofs' time as a share of the measured one. */
  of_roof_pct: number | null;
  /** Of the measured time, or of the roofs' where there is none. */
  shares: {
    /** [1] Share of the time, 0 to 1. */
    compute: number;
    /** [1] Share of the time, 0 to 1. */
    memory: number;
    /** [1] Share of the time, 0 to 1. */
    launch: number;
    /** [1] Share of the time, 0 to 1. */
    loader: number;
    /** [1] Share of the time, 0 to 1. */
    unexplained: number;
  };
  /** The longest first. */
  layers: RooflineLayer[];
}
/** One operator under the roofs. */
export interface RooflineLayer {
  /** Where in the network. */
  name: string;
  /** Which operator. */
  op: string;
  /** [FLOP] Of a minibatch. */
  flop: number;
  /** [B] Likewise. */
  bytes: number;
  /** [count] Launches. */
  kernels: number;
  /** [ms] Least time by the roofs; of roofs fitted to whole minibatches its share of what was fitted. */
  roof_ms: number;
  /** [1] Of the whole network's, 0 to 1. */
  share: number;
  /** Under which roof it takes longest. */
  binds: "compute" | "memory" | "launch" | "loader";
}
/** One workload, phase and batch size over the modes of a table. */
export interface RooflineCase {
  /** Its name. */
  workload: string;
  /** Training or inference. */
  phase: "train" | "infer";
  /** [count] Null: the table does not say. */
  batch_size: number | null;
  /** [count] Modes with power. */
  configurations: number;
  /** The highest of each board axis (MAXN). */
  highest: RooflineFigures;
  /** The mode of least energy. */
  least_energy: RooflineFigures;
  /** The same without readings of power 6 % below what their neighbours let expect. */
  robust_least_energy: RooflineFigures;
  /** Least energy of the modes that take at most 5 % longer than the highest, but of none whose power is doubted; the highest one where no such mode has less. */
  about_as_fast: RooflineFigures;
  /** [%] Of least_energy against highest. */
  saving_pct: number;
  /** [%] Of robust_least_energy. */
  robust_saving_pct: number;
  /** [1] Time of least_energy over that of highest. */
  slowdown: number;
  /** [1] Spearman's rank correlation of time and energy over the modes. */
  agreement: number;
  /** Why the case deserves doubt; null: nothing says so. */
  doubt: string | null;
  /** The roofline as a tuner; null where roofs of the other networks are of less than two of its modes. */
  named_by_roofs: RooflineRoofChoice | null;
}
/** A mode in numbers. */
export interface RooflineFigures {
  /** The power mode. */
  mode: CommonConfig;
  /** [ms] Of a minibatch. */
  minibatch_ms: number;
  /** [W] Mean. */
  power_w: number;
  /** [J] Of a minibatch. */
  minibatch_j: number;
  /** Its power reads more than a quarter below what its neighbours let expect. */
  doubted: boolean;
}
/** Modes that roofs name, fitted without any table of the network that they are asked of. */
export interface RooflineRoofChoice {
  /** [count] Of the case that have roofs. */
  modes: number;
  /** Least time by the roofs, with its measured figures. */
  least_time: RooflineFigures;
  /** [%] Of its time over that of the fastest mode of the table. */
  time_excess_pct: number;
  /** Least energy by the roofs; null without energy roofs. */
  least_energy: RooflineFigures | null;
  /** [%] Of its energy over the least of the table. */
  energy_excess_pct: number | null;
}
/** Do time and energy efficiency go together here? */
export interface RooflineBalance {
  /** [count] Whose constants are all known. */
  modes: number;
  /** [count] Modes whose energy balance is no higher than the time balance. */
  holds: number;
  /** [FLOP/B] Least time balance. */
  time_low: number | null;
  /** [FLOP/B] Highest time balance. */
  time_high: number | null;
  /** [FLOP/B] Least energy balance. */
  energy_low: number | null;
  /** [FLOP/B] Highest energy balance. */
  energy_high: number | null;
}
/** What the heat map shows: time, power and energy of a minibatch over any two of the axes. */
export interface SheetGrid {
  /** Whose figures these are. */
  title: string;
  /** Those with more than one value. */
  axes: CommonAxis[];
  /** One for each combination that is known. */
  configurations: Configuration[];
}
/** One configuration and what is known of it. */
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
}
/** Of `flyball pareto`. */
export interface FrontPage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "front";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: TablesPareto;
  /** The table of each workload, in the order of the answer. */
  tables: SheetGrid[];
}
/** Of `flyball pareto`. */
export interface TablesPareto {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** The table. */
  file: string;
  /** Of each. */
  workloads: TablesFronts[];
}
export interface TablesFronts {
  /** Its name. */
  workload: string;
  /** Training or inference. */
  phase: CommonPhase;
  /** The board. */
  device: string;
  /** Which total power is; null: not said. */
  power_total: string | null;
  /** [count] In the table. */
  configurations: number;
  /** [count] Repeated rows merged into the medians of those known best. */
  repeats: number;
  /** The batch size varies, so time and energy are compared per sample. */
  per_sample: boolean;
  /** The table has power. */
  has_power: boolean;
  /** Ascending in power. */
  power_front: TablesRow[];
  /** Ascending in energy. */
  energy_front: TablesRow[];
}
export interface TablesRow {
  /** What is set. */
  config: CommonConfig;
  /** [ms] Time of a minibatch. */
  minibatch_ms: number;
  /** [W] Null: not known. */
  power_w: number | null;
  /** [J] Energy of a minibatch. */
  minibatch_j: number | null;
  /** [ms] Time of a sample; null: the batch size is not known. */
  sample_ms: number | null;
  /** [J] Energy of a sample. */
  sample_j: number | null;
  /** How the figures are known. */
  provenance: CommonProvenance;
}
/** Of `flyball profile`, of a network or a program. */
export interface ProfilePage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "profile";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: Profile;
  /** What was recorded meanwhile; left out where nothing was. */
  record?: RecordLink;
}
/** Of a network. */
export interface ProfileEpochs {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** As resolved. */
  request: ProfileRequest;
  /** Start, ISO 8601. */
  started_utc: string;
  /** How all of it is known; `simulated` on `twin:BOARD`. */
  provenance: "measured" | "simulated";
  /** Versions of the libraries; of a simulated board, its constants. */
  fingerprint: string;
  /** What was read. */
  dataset: ProfileDataset;
  /** [count] Trainable numbers of the network. */
  parameters: number;
  /** [byte] Memory of the loader's minibatches. */
  buffer_bytes: number;
  /** Which total energy is; empty without power. */
  power_total: string;
  /** The sample cache at the end; null: there is none. */
  cache: ProfileCache | null;
  /** Why there is no power; empty where there is. */
  power_gap: string;
  /** In their order. */
  epochs: ProfileEpoch[];
  /** Means over the epochs after the first of the run, without one that an interrupt cut off; null where there are none. */
  later: ProfileLater | null;
  /** [count] Samples left out. */
  skipped: number;
  /** The first 1000 of them. */
  bad_samples: ProfileBadSample[];
  /** Epochs that took far longer for a minibatch than the spread of the others lets expect, in words; null: none did. Means count them, but for the first of the run. */
  outlying: string | null;
  /** [count] The first epoch whose loss is no number; null: none. */
  diverged_in: number | null;
  /** Why it ended early, else empty. */
  stopped: string;
  /** Who measured on this machine at the same time; null: nobody. */
  disturbed: string | null;
  /** How much of the mean power of later epochs is idle power of the mode that the board is in; left out where that was not measured. */
  idle?: CommonIdleShare;
}
export interface ProfileRequest {
  /** Name of the network. */
  workload: string;
  /** Training or inference. */
  phase: CommonPhase;
  /** What computes. */
  device: string;
  /** Folder of the dataset. */
  data: string;
  /** [count] Samples of a minibatch. */
  batch_size: number;
  /** [count] Of a row of text; null: no text. */
  tokens: number | null;
  /** [pixels] Side of the square that JPEG pictures become; null: as usual. */
  image_size: number | null;
  /** Of script:FILE: the tensors that its forward takes; empty: those named as its arguments. */
  inputs: string[];
  /** Of script:FILE: the TorchScript of its loss; "": cross-entropy. */
  loss: string;
  /** [count] 0: the loader works between the steps. */
  loader_workers: number;
  /** [count] Minibatches that each worker keeps ready. */
  prefetch: number;
  /** How the network learns. */
  optimizer: string;
  /** [1] Its step. */
  learning_rate: number;
  /** [1] How strongly weights are drawn to zero. */
  weight_decay: number;
  /** [count] Parts that a minibatch is computed in. */
  accumulate: number;
  /** Of the numbers. */
  precision: string;
  /** Memory layout of pictures. */
  channels_last: boolean;
  /** [count] That compute. */
  threads: number;
  /** [count] Asked for. */
  epochs: number;
  /** [count] At most so many minibatches per epoch; null: all. */
  steps: number | null;
  /** A last, smaller minibatch is left out. */
  drop_last: boolean;
  /** What a broken sample does. */
  on_bad: "fail" | "skip";
  /** Where the training is kept after each epoch; empty: nowhere. */
  save: string;
  /** The kept training that this one goes on from; empty: none. */
  resume: string;
  /** [byte] Size of the sample cache; null: none. */
  cache_bytes: number | null;
  /** [count] Of all that is random. */
  seed: number;
}
export interface ProfileDataset {
  /** Its format. */
  kind: string;
  /** [count] In it. */
  samples: number;
  /** [count] In it. */
  classes: number;
  /** [byte] Of its files. */
  bytes: number;
}
/** Raw samples that stay in memory from the first time that they are read. */
export interface ProfileCache {
  /** [byte] Of raw samples, at most; of a cache that was joined, as its first user asked. */
  size_bytes: number;
  /** [byte] Of raw samples that it holds. */
  held_bytes: number;
  /** [count] That it holds. */
  held_samples: number;
  /** [byte] That it takes up, with its bookkeeping. */
  memory_bytes: number;
  /** Other runs of this user on the same files can use it. */
  shared: boolean;
  /** Another run had begun it. */
  joined: boolean;
  /** [count] Runs that use it, this one included. */
  users: number;
  /** Why it is not shared or holds less than it should, else empty. */
  note: string;
}
export interface ProfileEpoch {
  /** [count] Which one, from 0. */
  epoch: number;
  /** [count] In it. */
  minibatches: number;
  /** [count] In it. */
  samples: number;
  /** [count] Samples left out. */
  skipped: number;
  /** [s] End to end: stall, compute and overhead. */
  e2e_s: number;
  /** [s] Visible waiting for data. */
  stall_s: number;
  /** [s] Compute time. */
  compute_s: number;
  /** [s] The rest. */
  overhead_s: number;
  /** [s] Work of the loader, hidden or not: reading. */
  fetch_s: number;
  /** [s] Work of the loader, hidden or not: decoding and transforms. */
  preprocess_s: number;
  /** [ms] Median end to end, without the first minibatch. */
  minibatch_ms: number | null;
  /** [1] Mean loss; null where it is no number, and for inference. */
  loss: number | null;
  /** What training shows beside its loss, by name, as means over the minibatches; perplexity is that of the mean loss. */
  figures: {
    [k: string]: number | null;
  };
  /** The first minibatch. */
  first: ProfileFirst;
  /** [byte] Of the samples as stored. */
  sample_bytes: number;
  /** [byte] Of them, read from files: from the page cache or from storage. */
  file_bytes: number;
  /** [byte] Of them, from the sample cache: no file was touched. */
  cache_bytes: number;
  /** [s] CPU time. */
  cpu_s: number;
  /** [% of one core] CPU time over wall time. */
  cpu_pct: number;
  /** [byte] Resident memory. */
  memory_bytes: number;
  /** [byte] Largest resident memory. */
  peak_memory_bytes: number;
  /** [byte] From storage, this process. */
  read_bytes: number | null;
  /** [byte] Through system calls, page cache included. */
  read_chars: number | null;
  /** [count] Requests to all disks of the machine. */
  disk_reads: number | null;
  /** [byte] From all disks of the machine. */
  disk_read_bytes: number | null;
  /** [%] Share of the dataset in the page cache before. */
  cached_before_pct: number | null;
  /** [%] The same afterwards. */
  cached_after_pct: number | null;
  /** Null where power is not available. */
  energy: ProfileEnergy | null;
  /** Of the GPU that computes, else of the first one; null where no sensor tells of one. */
  gpu: ProfileGpu | null;
}
export interface ProfileFirst {
  /** [ms] End to end. */
  e2e_ms: number;
  /** [ms] Visible waiting for data. */
  stall_ms: number;
  /** [ms] Compute time. */
  compute_ms: number;
}
export interface ProfileEnergy {
  /** [J] Trapezoid, edges interpolated. */
  energy_j: number | null;
  /** [J] By how much energy_j may be off at its two edges, where a counter moves in steps. */
  edge_j: number;
  /** [%] Relative standard error of the mean; null for fewer than two updates. */
  noise_percent: number | null;
  /** [J] The papers' rule. */
  rectangle_j: number | null;
  /** [W] Mean power. */
  mean_w: number | null;
  /** [s] Time with readings. */
  covered_s: number;
  /** [s] Not measured. */
  gap_s: number;
  /** [count] Readings. */
  samples: number;
  /** [count] Readings that differ from the one before. */
  distinct_updates: number;
}
/** What the GPU did meanwhile; a figure without a sensor is null. */
export interface ProfileGpu {
  /** [index] Which GPU, as nvidia-smi counts; a Jetson's own is 0. */
  index: number;
  /** [%] Share of time that a kernel ran, mean of the samples. */
  load_pct: number | null;
  /** [MHz] Mean of the samples. */
  clock_mhz: number | null;
  /** [B] In use by everybody, at most. */
  memory_bytes: number | null;
}
export interface ProfileLater {
  /** [count] How many the means are over. */
  epochs: number;
  /** [s] End to end. */
  e2e_s: number;
  /** [s] Visible waiting for data. */
  stall_s: number;
  /** [s] Compute time. */
  compute_s: number;
  /** [s] The rest. */
  overhead_s: number;
  /** [ms] Median of a minibatch. */
  minibatch_ms: number | null;
  /** [% of one core] CPU time over wall time. */
  cpu_pct: number;
  /** [byte] Of samples, read from files. */
  file_bytes: number;
  /** [byte] Of samples, from the sample cache. */
  cache_bytes: number;
  /** [J] Null: not known. */
  energy_j: number | null;
  /** [W] Null: not known. */
  mean_w: number | null;
}
export interface ProfileBadSample {
  /** [index] Its position in the dataset. */
  sample: number;
  /** What is wrong with it. */
  reason: string;
}
/** Of a program after `--`. */
export interface ProfileProgram {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** What was run. */
  command: string[];
  /** Start, ISO 8601. */
  started_utc: string;
  /** [code] As a shell shows it. */
  exit_code: number;
  /** [s] Wall time. */
  wall_s: number;
  /** [s] Start to the end of the first marked minibatch. */
  start_up_s: number | null;
  /** All marked minibatches but the first; null without marks. */
  marked: ProfilePart | null;
  /** [count] Marks that were overwritten before they were read. */
  lost_marks: number;
  /** [count] Marks of other processes than the first that marked; they do not count. */
  other_marks?: number;
  /** [s] CPU time. */
  cpu_s: number;
  /** [% of one core] CPU time over wall time. */
  cpu_pct: number;
  /** [byte] Largest resident memory. */
  peak_memory_bytes: number;
  /** [count] Most at once. */
  peak_processes: number;
  /** [byte] From storage. */
  read_bytes: number | null;
  /** [byte] Through system calls. */
  read_chars: number | null;
  /** Of the whole run; null without power. */
  energy: ProfileEnergy | null;
  /** Over the whole run, of the GPU with most load; null where no sensor tells of one. */
  gpu: ProfileGpu | null;
  /** Which total energy is; empty without power. */
  power_total: string;
  /** Why there is no power; empty where there is. */
  power_gap: string;
  /** Of each window that it marked. */
  windows: ProfilePart[];
  /** Why it ended early, how it failed, or that it was interrupted, else empty. */
  stopped: string;
  /** Who measured on this machine at the same time; null: nobody. */
  disturbed: string | null;
}
export interface ProfilePart {
  /** Of the window; empty for the marked minibatches. */
  name: string;
  /** [count] In it. */
  minibatches: number;
  /** [s] End to end. */
  e2e_s: number;
  /** [s] Null where the program does not mark it. */
  stall_s: number | null;
  /** [s] Null where the program does not mark it. */
  compute_s: number | null;
  /** [s] The rest. */
  overhead_s: number | null;
  /** [ms] Median end to end; null without minibatches. */
  minibatch_ms: number | null;
  /** Null without power. */
  energy: ProfileEnergy | null;
  /** Of the GPU that the whole run tells of; null where none of its sensors was read meanwhile. */
  gpu: ProfileGpu | null;
}
/** Of `flyball runs compare`. */
export interface ComparisonPage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "comparison";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: RunsCompare;
}
/** Of `compare`. */
export interface RunsCompare {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** [count] Number of a run. */
  first: number;
  /** [count] Number of the other. */
  second: number;
  /** What was compared, or why nothing could be. */
  verdict: string;
  /** [count] Trials that both have measured. */
  common: number;
  /** Why figures of the two do not compare: board, power total, conditions; empty where they do. */
  differences: string[];
  /** The two. */
  runs: RunsComparedRun[];
  /** Of the trials of both. */
  sources: RunsSource[];
  /** Trials of either run. */
  trials: RunsPair[];
}
export interface RunsComparedRun {
  /** [count] Its number. */
  id: number;
  /** As typed. */
  command: string;
  /** Start, ISO 8601. */
  started_utc: string;
  /** How it stands. */
  state: RunsState;
  /** [count] That it has. */
  measurements: number;
}
/** Measurements of one board, power total and conditions: those of one source compare. */
export interface RunsSource {
  /** `A`, `B`, … */
  name: string;
  /** The board. */
  device: string;
  /** Whose store it was collected from; null: it was made in this store. */
  board: string | null;
  /** Equal ones of one board mean comparable numbers. */
  fingerprint: string;
  /** Which total power is; null: none. */
  power_total: string | null;
  /** What decided the speed besides board and trial; null: not known. */
  conditions: CommonConditions | null;
  /** [count] That it has here. */
  measurements: number;
  /** In what it differs from the first source; empty of the first. */
  differences: string[];
}
export interface RunsPair {
  /** What ran. */
  workload: string;
  /** Training or inference. */
  phase: "train" | "infer";
  /** What was set. */
  config: CommonConfig;
  /** [ms] In the first run, all its readings together; null: not there. */
  first_ms: number | null;
  /** [ms] In the second run; null: not there. */
  second_ms: number | null;
  /** [W] In the first run; null: not known. */
  first_w: number | null;
  /** [W] In the second run; null: not known. */
  second_w: number | null;
  /** What else the first run knows of it; null: not there. */
  first: RunsSide | null;
  /** Likewise the second. */
  second: RunsSide | null;
  /** [%] Of the time, from the first to the second. */
  change_pct: number | null;
  /** Is there a difference of the times, by the rule of `comparison` of `flyball tune`? null: not in both. */
  established: boolean | null;
  /** Why no difference is established, else null. */
  doubt: string | null;
}
/** The readings of one run. */
export interface RunsSide {
  /** Name of its source; of several the latest. */
  source: string;
  /** How its figures are known; null where every reading failed. */
  provenance: CommonProvenance | null;
  /** [count] How many did not fail. */
  readings: number;
  /** [ms] 90 % interval of the time. */
  minibatch_ms_90: [number, number] | null;
  /** [W] 90 % interval of the power. */
  power_w_90: [number, number] | null;
  /** Of the latest reading: throttled, a busy machine, another session; null: none. */
  doubts: string | null;
}
/** Of a stored run without an answer that has a page of its own: what `flyball runs show` answers. */
export interface RunPage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "run";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: RunsShow;
  /** What was recorded meanwhile; left out where nothing was. */
  record?: RecordLink;
}
/** Of `show`. */
export interface RunsShow {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** [count] Its number. */
  id: number;
  /** As typed. */
  command: string;
  /** Where it ran. */
  device: string;
  /** Equal ones mean comparable numbers. */
  fingerprint: string;
  /** What decided the speed besides board and trial; null: not known. */
  conditions: CommonConditions | null;
  /** [count] Of all that is random. */
  seed: number;
  /** Start, ISO 8601. */
  started_utc: string;
  /** End, ISO 8601; null: not finished. */
  finished_utc: string | null;
  /** How it stands. */
  state: RunsState;
  /** [count] That it has; of an experiment its measured runs. */
  measurements: number;
  /** [count] How many of them were measured before the run began. */
  reused: number;
  /** Of each role, joined by ` + `; of an experiment its name; null: not known. */
  workload: string | null;
  /** What the answer gives, in words: `12.3 ms, 20.1 W`; null: there is none. */
  best: string | null;
  /** What the answer sets, in words; null: there is none. */
  choice: string | null;
  /** File in which it was recorded (`flyball record`); null: in none. */
  record: string | null;
  /** What was asked: `request` of the command's own document. */
  request: {
    [k: string]: unknown;
  };
  /** The document as the command printed it; null: none. */
  answer: {
    [k: string]: unknown;
  };
  /** Of its trials, in the order of the trials. */
  sources: RunsSource[];
  /** In their order. */
  trials: RunsTrial[];
  /** Of an experiment its measured runs; left out of other runs. */
  experiment_runs?: RunsExperimentRun[];
  /** Where it was collected from; left out of runs that were made in this store. */
  origin?: RunsRunOrigin;
}
export interface RunsTrial {
  /** [count] Its number in the store. */
  id: number;
  /** What ran. */
  workload: string;
  /** Training or inference. */
  phase: "train" | "infer";
  /** What was set. */
  config: CommonConfig;
  /** Name of its source. */
  source: string;
  /** [ms] 90 % interval of this reading alone; null: not known. */
  minibatch_ms_90: [number, number] | null;
  /** [W] 90 % interval of this reading alone; null: not known. */
  power_w_90: [number, number] | null;
  /** Throttled, a busy machine, another session; null: none. */
  doubts: string | null;
  /** [ms] Null when it failed. */
  minibatch_ms: number | null;
  /** [W] Null: not known. */
  power_w: number | null;
  /** How much of it is idle power of the mode; null: not measured. */
  idle: CommonIdleShare | null;
  /** How the figures are known. */
  provenance: CommonProvenance;
  /** How it came to be. */
  origin: CommonOrigin;
  /** Whose times these are. */
  span: CommonSpan;
  /** What decided the speed besides board and trial; null: not known. */
  conditions: CommonConditions | null;
  /** The stopping rule that was met. */
  stop_reason: string;
  /** Why it failed, else null. */
  failure: string | null;
  /** [count] Number of the run that made it; null: it was imported. */
  run: number | null;
  /** Measured before the run began. */
  reused: boolean;
  /** Why there is no power; null where there is some. */
  power_gap: string | null;
  /** Which total power is; null: none, or not known. */
  power_total: string | null;
  /** [%] Relative standard error of the power; null: not known. */
  power_noise_pct: number | null;
  /** [count] Distinct sensor updates behind the power; null: not sampled. */
  power_updates: number | null;
  /** [count] Readings of the sensor; null: not sampled. */
  power_samples: number | null;
  /** [count] Readings that were due; null: not sampled. */
  power_samples_wanted: number | null;
  /** [s] Wall time that the power covers; null: not sampled. */
  window_s: number | null;
  /** [J] Energy of that window; null: not sampled. */
  window_j: number | null;
  /** [ms] Mean visible waiting for data; null for a row of a table. */
  stall_ms: number | null;
  /** [ms] Mean compute time; null for a row of a table. */
  compute_ms: number | null;
  /** [%] Relative standard error of the time; null where too little was counted to know it, and of a table. */
  noise_pct: number | null;
  /** [count] Minibatches counted; 0 for a row of a table. */
  minibatches: number;
  /** [ms] The first minibatch, which does not count; null: none, or not known. */
  first_ms: number | null;
  /** [s] Wait for the power mode to take; 0 for a row of a table. */
  settle_s: number;
  /** [s] Warm-up, which does not count. */
  warm_up_s: number;
  /** [s] Wall time of the whole trial. */
  total_s: number;
  /** Its start, ISO 8601; null for a row of a table. */
  measured_utc: string | null;
  /** [count] Cores that other processes kept busy meanwhile; null: not known, or a row of a table. */
  other_cores: number | null;
  /** The board throttled meanwhile; null: nobody looked. */
  throttled: boolean | null;
  /** Axes of the mode as they read while the trial was counted; empty where the board does not tell. */
  clocks: CommonClock[];
  /** Had power settled when counting began? false: it had not within 30 s. null: no power, or a whole run. */
  power_settled: boolean | null;
  /** Who measured on this machine at the same time; null: nobody. */
  disturbed: string | null;
  /** The configuration had been measured before in this run. */
  repeat: boolean;
  /** What the program reported of it; `memory` is measured. */
  figures: CommonFigures;
  /** [count] Of all that was random in it. */
  seed: number;
}
/** A measured run of an experiment; a line of `flyball export --run` has the keys behind `reused`. */
export interface RunsExperimentRun {
  /** [count] Its number in the store. */
  id: number;
  /** [count] Number of the run that made it; null: that one was deleted. */
  run: number | null;
  /** Measured before the run began. */
  reused: boolean;
  /** All settings. */
  settings: {
    [k: string]: string | number;
  };
  /** [index] From 0. */
  repeat: number;
  /** Its start, ISO 8601. */
  started_utc: string;
  /** Where it ran. */
  device: string;
  /** Equal ones mean comparable figures, under equal conditions. */
  fingerprint: string;
  /** What else decided the speed; null: not known. */
  conditions: CommonConditions | null;
  /** [byte] Of the files of the dataset. */
  dataset_bytes: number;
  /** [count] Of the dataset. */
  dataset_samples: number;
  /** Which total power is; empty: none. */
  power_total: string;
  /** Why there is no power; empty where there is some. */
  power_gap: string;
  /** Who measured on this machine at the same time; empty: nobody. */
  disturbed: string;
  /** [1] Of the first 500 minibatches; null: no number, the training diverged. */
  losses: (number | null)[];
  /** In their order. */
  epochs: RunsEpoch[];
  /** [W] What the board draws in its mode while nothing trains; left out where that is not known. */
  base_w?: number;
  /** [ms] Wall time of an empty program in its runtime, median of three; left out of runs without one. */
  start_ms?: number;
  /** Clocks of runs that set or free them, by the name of the sensor; left out of others. */
  residency?: {
    [k: string]: RunsResidency;
  };
}
/** Of a base load: a stretch without a training. */
export interface RunsEpoch {
  /** [index] From 0. */
  epoch: number;
  /** [s] Its start, since 1970. */
  begin_unix_s: number;
  /** [s] End to end. */
  e2e_s: number;
  /** [s] Visible waiting for data. */
  stall_s: number;
  /** [s] Compute time. */
  compute_s: number;
  /** [s] The rest. */
  overhead_s: number;
  /** [s] Work of the loader on one thread, hidden or not: reading. */
  fetch_s: number;
  /** [s] Work of the loader on one thread, hidden or not: decoding and transforms. */
  preprocess_s: number;
  /** [count] How many. */
  minibatches: number;
  /** [count] How many. */
  samples: number;
  /** [1] Mean loss; null: the training diverged, or there is none. */
  loss: number | null;
  /** [% of one core] CPU time of the program. */
  cpu_pct: number;
  /** [byte] Peak memory of the program. */
  peak_memory_bytes: number;
  /** [% of one core] Taken by other programs meanwhile; null: not known. */
  others_cpu_pct: number | null;
  /** [1] Share of the dataset in the page cache before; null: not known. */
  cached_before: number | null;
  /** [1] The same after; null: not known. */
  cached_after: number | null;
  /** [byte] From storage, by this program; null: not known. */
  read_bytes: number | null;
  /** [count] Requests to all disks; null: not known. */
  disk_reads: number | null;
  /** [byte] Of samples, from files; null: not known. */
  file_bytes: number | null;
  /** [byte] Of samples, from the sample cache; null: not known. */
  cache_bytes: number | null;
  /** [J] Null: not measured. */
  energy_j: number | null;
  /** [W] Mean; null: not measured. */
  power_w: number | null;
  /** [%] Null: not known. */
  gpu_load_pct: number | null;
  /** [MHz] Null: not known. */
  gpu_mhz: number | null;
  /** [byte] At most, in use by everybody; null: not known. */
  gpu_memory_bytes: number | null;
  /** Of its minibatches, end to end. */
  minibatch_ms: RunsEpochSpread;
  /** Of the waiting of its minibatches. */
  stall_ms: RunsEpochSpread;
}
export interface RunsEpochSpread {
  /** [ms] The least. */
  min: number;
  /** [ms] First quartile. */
  q1: number;
  /** [ms] Median. */
  median: number;
  /** [ms] Third quartile. */
  q3: number;
  /** [ms] The largest. */
  max: number;
  /** [ms] 0, 2, 4, … 100 %; empty where there are none. */
  quantiles: number[];
}
export interface RunsResidency {
  /** [MHz] Steps in which the values are told; 0: as they read, to 1 MHz. */
  step_mhz: number;
  /** Ascending. */
  values: RunsResidencyShare[];
}
export interface RunsResidencyShare {
  /** [MHz] The clock. */
  mhz: number;
  /** [1] Of the samples (ten a second). */
  share: number;
}
/** The store that a run was collected from. */
export interface RunsRunOrigin {
  /** Its identity: 32 hexadecimal digits. */
  store: string;
  /** As it was last named: a file, or HOST:PATH. */
  name: string;
  /** [count] Number of the run there. */
  run: number;
}
/** Of `flyball serve`. */
export interface ServePage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "serve";
  /** The command line as typed. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it. */
  answer: Serve;
  /** Of all requests of each service, in the order of the answer. */
  latency: LatencyBars[];
  /** The end of the run, one by one. */
  spans: LiveSpans;
}
/** What came of serving and training in turns; docs/json.md says the same in words. */
export interface Serve {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** The board, for people. */
  device: string;
  /** In simulated time, on tables. */
  simulated: boolean;
  /** Start of the command, ISO 8601. */
  started_utc: string;
  /** What came of it, in a sentence. */
  verdict: string;
  /** [s] From the end of warm-up to the last answer. */
  seconds: number | null;
  /** One for each --infer. */
  services: ServeService[];
  /** One for each --train. */
  training: ServeTraining[];
  /** Why nothing was trained; null where something was. */
  training_blocked: string | null;
  /** [W] Mean; null where power is not known for 99 % of the time. */
  power_w: number | null;
  /** [J] Of the whole run. */
  energy_j: number | null;
  /** [s] Neither served, nor trained, nor switched. */
  idle_s: number | null;
  /** [count] Changes of power mode. */
  switches: number;
  /** [s] Time that they took. */
  switching_s: number | null;
  /** New plans, in their order: 1000, the last ones and those before that changed the mode. */
  replans: ServeReplan[];
  /** [count] New plans, all of them. */
  replan_count: number;
  /** Modes measured while it served; null without --measure. */
  measured: null | ServeMeasured;
  /** [count] Of the scheduler. */
  decisions: number;
  /** Why there is no power. */
  power_gap: string | null;
  /** Of tables: what was chosen; null live, where the mode stays as it is. */
  plan: null | ServeRole[];
  /** Of the scheduler; null in simulated time. */
  own_cost: null | ServeOwnCost;
  /** In words. */
  notes: string[];
  timeline: LiveTimeline;
}
/** One service. */
export interface ServeService {
  /** The workload. */
  name: string;
  /** From arrival to answer, the queue included; quantiles to within 0.25 %. */
  latency_ms: {
    /** [ms] Asked. */
    budget: number | null;
    /** [ms] Median. */
    p50: number | null;
    /** [ms] 95th percentile. */
    p95: number | null;
    /** [ms] 99th percentile. */
    p99: number | null;
    /** [ms] The longest. */
    max: number | null;
  };
  /** arrived = answered + refused + failed. */
  requests: {
    /** [count] In all. */
    arrived: number;
    /** [count] With an answer, the late ones included. */
    answered: number;
    /** [count] Answered after the budget. */
    late: number;
    /** [count] At once, with a time to retry. */
    refused: number;
    /** [count] The network could not run them; told so. */
    failed: number;
  };
  /** Inference minibatches. */
  batches: {
    /** [count] How many. */
    run: number;
    /** [samples] Of one. */
    mean: number | null;
    /** [samples] That ran. */
    largest: number;
    /** [samples] That may run. */
    planned: number;
  };
  /** [requests] That waited. */
  largest_queue: number;
  /** [s] In its minibatches. */
  busy_s: number | null;
  /** [J] Of its minibatches; null live. */
  energy_j_per_request: number | null;
}
/** One training. */
export interface ServeTraining {
  /** The workload. */
  name: string;
  /** [count] Run in the gaps; those of warm-up left out. */
  minibatches: number;
  /** [count] By the plan in this time; null without one. */
  planned: number | null;
  /** [s] In its minibatches. */
  busy_s: number | null;
  /** [J] Null live. */
  energy_j_per_minibatch: number | null;
}
/** A new plan. */
export interface ServeReplan {
  /** [s] When. */
  at_s: number | null;
  /** What had changed. */
  why: string;
  /** Its power mode. */
  mode: string;
  /** [1/s] Planned for. */
  rate_hz: number | null;
  /** [samples] Largest batch. */
  batch: number;
  /** Did the mode change? */
  switched: boolean;
}
/** Modes that nobody had profiled. */
export interface ServeMeasured {
  /** [count] Asked: so many at most. */
  most: number;
  /** Visited, in their order. */
  modes: ServeMeasuredMode[];
  /** Why no more could be; null: nothing kept it. */
  gap: string | null;
}
/** A mode that was visited. */
export interface ServeMeasuredMode {
  /** [s] When. */
  at_s: number | null;
  /** [s] How long. */
  seconds: number | null;
  /** The power mode. */
  mode: string;
  /** [count] Inference minibatches observed there. */
  batches: number;
  /** [count] Training minibatches observed there. */
  minibatches: number;
  /** Its readings; empty where too little ran. */
  observed: ServeObservedBatch[];
  /** [W] Mean while the hungrier role ran; null: not known. */
  power_w: number | null;
  /** Why it was left before its time; null: it was not. */
  left: string | null;
}
/** A reading. */
export interface ServeObservedBatch {
  /** Whose. */
  workload: string;
  /** [samples] Of the minibatch. */
  batch_size: number | null;
  /** [ms] Median; between sizes that ran on a straight line. */
  minibatch_ms: number | null;
}
/** A role of the plan. */
export interface ServeRole {
  /** Whose. */
  workload: string;
  /** Axis by axis. */
  config: {
    [k: string]: number;
  };
}
/** Of the scheduler's decisions. */
export interface ServeOwnCost {
  /** [µs] Of one. */
  mean_us: number | null;
  /** [µs] The longest, what the system took away included. */
  longest_us: number | null;
  /** [%] Of the run's time. */
  share_pct: number | null;
}
/** What happened when. */
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
  /** [W] Mean power. Null: known for less than 99 % of the time. */
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
/** A histogram of latencies; bars are 4 % wide. */
export interface LatencyBars {
  /** [ms] Upper end of a bar; it begins where the one before it ends. */
  upper_ms: number[];
  /** [count] Requests in it. */
  count: number[];
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
/** Of a file of `flyball record`. */
export interface RecordPage {
  /** Name of this contract. */
  schema: Schema;
  /** Says what the answer is of. */
  kind: "record";
  /** The command line that recorded it. */
  command: string;
  /** Of the program that wrote it. */
  version: string;
  /** When the page was written, ISO 8601. */
  written_utc: string;
  /** As `--json` prints it, of the stretch that is shown. */
  answer: Record;
  /** [s] Time that one value of the curves stands for. */
  width_s: number;
  /** [s] Where the curves begin, since the beginning of the record. */
  begin_s: number;
  /** One for each channel; as fine as a bounded page allows. */
  curves: RecordCurve[];
}
/** What a record holds; docs/json.md says the same in words. */
export interface Record {
  /** Version of the document. */
  schema: CommonDocumentSchema;
  /** Name of the file. */
  file: string;
  /** [byte] Its size. */
  bytes: number;
  /** [byte] Its bound (`--most-bytes`). */
  most_bytes: number;
  /** The command line that recorded it. */
  command: string;
  /** What `--device` named. */
  device: string;
  /** The board, in words. */
  board: string;
  /** How its numbers are known. */
  provenance: "measured" | "simulated";
  /** What of it is simulated, and how; null for nothing. */
  remarks: string | null;
  /** When it began, ISO 8601; of a simulated board 1970-01-01T00:00:00Z. */
  started_utc: string;
  /** [s] The same, since 1970; 0 of a simulated board. */
  started_unix_s: number;
  /** [Hz] Samples of power a second, as asked. */
  rate_hz: number;
  /** [s] How long it is. */
  seconds: number;
  /** Why it ended. Null: it was not closed (killed, or power was lost), or it goes on. */
  stopped: string | null;
  /** [%] Processor time that reading the sensors and writing the record took, of one core. Null: not known, as of a simulated board, or it was not closed. */
  own_cpu_percent: number | null;
  /** [s] What the figures are of begins here, since the beginning of the record. */
  begin_s: number;
  /** [s] And ends here. */
  end_s: number;
  /** Power that adds up. */
  totals: RecordTotal[];
  /** Every sensor that was recorded. */
  channels: RecordChannel[];
  /** Moments that were marked, at most 2000. */
  marks: RecordMark[];
  /** What the bound of the file has cost. */
  thinned: RecordThinned;
  /** Blocks of the file that did not read and were left out, each with its time. */
  damaged: string[];
  /** What could not be recorded. */
  gaps: RecordGap[];
  /** Runs of the store that were recorded: that of the command, and those that it began. */
  runs: RecordedRun[];
}
/** Channels of power that are one total. */
export interface RecordTotal {
  /** `module`, `package`, `gpu`, … */
  name: string;
  /** Its parts. */
  channels: string[];
  /** [J] Over what is covered; null where nothing is. */
  energy_j: number | null;
  /** [J] One standard error of it, of its parts together. */
  error_j: number | null;
  /** [W] Mean power over what is covered. */
  mean_w: number | null;
  /** [s] Time with samples of all parts. */
  covered_s: number;
  /** [s] Time without: nothing is added for it. */
  gap_s: number;
}
/** One sensor. */
export interface RecordChannel {
  /** Its name. */
  name: string;
  /** Of mean, min and max; of a counter of energy W, its slope. */
  unit: string;
  /** `power`, `energy_counter`, `counter` or `gauge`. */
  kind: string;
  /** The total that it is a part of; empty for none. */
  total: string;
  /** [ms] Between samples, as asked. */
  interval_ms: number;
  /** [of the sensor] Values are kept as whole multiples of it. */
  step: number;
  /** [J] Of power and energy: over what is covered. */
  energy_j?: number | null;
  /** [J] Of power and energy: one standard error of it, at most. Of a power sensor by how far its values lie apart in each second, of a counter by the steps that it moves in, at both ends. What the sensor itself is off is not in it. */
  error_j?: number | null;
  /** [unit] Null: it has no samples. */
  mean: number | null;
  /** [unit] The least. */
  min: number | null;
  /** [unit] The largest. */
  max: number | null;
  /** [s] Time with samples. */
  covered_s: number;
  /** [s] Time without. */
  gap_s: number;
}
/** A moment with a name. */
export interface RecordMark {
  /** [s] Since the record began. */
  time_s: number;
  /** What began or ended. */
  name: string;
}
/** Since when there is which detail, in s since the record began; 0: from the beginning. */
export interface RecordThinned {
  /** [s] Samples of power; before there are least, mean and largest values by second. */
  samples_since_s: number;
  /** [s] Samples of what is read once a second; before there are values by minute. */
  slow_since_s: number;
  /** [s] Values of power by second; before there are values by minute. */
  seconds_since_s: number;
}
/** What could not be recorded. */
export interface RecordGap {
  /** Why. */
  message: string;
  /** The remedy; empty where there is none. */
  hint: string;
}
/** A run of a store. */
export interface RecordedRun {
  /** Identity of the store: 32 hexadecimal digits. */
  store: string;
  /** Its file. */
  place: string;
  /** [count] Of the run, as `flyball runs list` shows it. */
  number: number;
  /** That made it. */
  command: string;
}
/** One channel over time; the columns are as long as each other. */
export interface RecordCurve {
  /** Of the channel, in the order of the answer. */
  name: string;
  /** [count] So many widths after the value before; of the first after `begin_s`. More than 1: nothing was measured, or finer values were thinned. */
  after: number[];
  /** [unit of the channel] The least in that width. */
  min: number[];
  /** [unit of the channel] The mean. */
  mean: number[];
  /** [unit of the channel] The largest. */
  max: number[];
}

export const schema = "flyball-report/2";
