// What the sections of a page read. The modules of sheets/ make it from a page's answer.
import type { ApplyStep, CommonAxis as Axis, CommonIdleShare, CommonPhase, CommonTrial, Configuration as Known, ExperimentFinding, ExperimentGroup, Provenance, Quantity, TuneComparison, TuneLimit } from "./contract.ts";
import type { Against } from "./sections/beside.ts";

/** A tune: indices are positions in `configurations`, from 0. */
export interface TuneReport {
  title: string;
  request: Request;
  axes: Axis[];
  /** All that are known; one that was profiled twice stands here once. */
  configurations: Configuration[];
  /** The trials in their order. */
  profiled: Trial[];
  /** Null when nothing is feasible; then `infeasible` says why. */
  choice: { configuration: number; verified: boolean; figures?: Record<string, number>; idle?: CommonIdleShare } | null;
  infeasible?: { reason: string; hint: string; closest: number | null } | null;
  apply?: ApplyStep[];
  /** What times and energies are compared per, everywhere on the page. Left out: minibatch. */
  per?: "minibatch" | "sample" | "run" | "request" | "token";
  comparison?: TuneComparison | null;
  default: { configuration: number; name: string; figures?: Record<string, number> } | null;
  /** The presets of the board; empty where they are not known. */
  tables?: SheetTable[];
  /** Those of them that were profiled or predicted. */
  presets?: { configuration: number; name: string }[];
  /** Null without power. On other pairs of costs the page finds it itself. */
  front: { over: ["time", "power" | "energy"]; configurations: number[] } | null;
  oracle?: Oracle | null;
  pairs?: Pair[];
  notes: Note[];
  machine: Machine;
  run: Run;
}

/** An experiment. */
export interface ExperimentView {
  title: string;
  /** What ran where, and what varied. */
  subject: string;
  command: string;
  groups: ExperimentGroup[];
  findings: ExperimentFinding[];
  notes: Note[];
  machine: Machine;
  run: Run;
}

export interface Request {
  workload: string;
  phase: CommonPhase;
  device: string;
  objective: "time" | "power" | "energy";
  /** Of a server: which figure of its load its times are. */
  figure?: string;
  budgets: Budget[];
  /** All of it in words. */
  asked?: string;
  limits?: TuneLimit[];
  command: string;
  profiles_limit?: number | null;
  /** That the question cost; what was known before costs none. */
  profiles: number;
  /** Configurations there are; a reopened run holds some of them. */
  offered?: number;
  /** Null: not known, so there are no figures per epoch. */
  samples_per_epoch?: number | null;
  /** The fixed minibatch size; null when it is an axis. */
  batch_size?: number | null;
}

export interface Budget {
  quantity: "time" | "power" | "energy";
  limit: number;
  unit: "ms" | "s" | "min" | "W" | "J";
  /** Null for power. */
  per: "minibatch" | "sample" | "epoch" | "run" | "request" | "token" | null;
  /** Of a limit on the slowdown: so much more than the default takes. */
  slowdown_pct?: number;
}

export interface Configuration extends Known {
  front?: boolean;
}

export interface Trial extends CommonTrial {
  configuration: number;
}

/** The optimum of a table whose every row is known. */
export interface Oracle {
  raw: number | null;
  robust: number | null;
  /** As the table has them; `configurations` may hold a prediction. */
  raw_tabled?: Tabled | null;
  robust_tabled?: Tabled | null;
  excluded_rows?: number;
  text?: string;
}

export interface Tabled {
  time_ms: number;
  power_w: number | null;
  energy_j: number | null;
}

/** Predicted against observed, per minibatch. */
export interface Pair {
  configuration: number;
  quantity: "time" | "power" | "energy";
  observed: Quantity;
  predicted: Quantity;
  /** The observation was part of the fit, so it says nothing about accuracy. */
  fitted: boolean;
}

export interface Note {
  /** `gap`: something is missing; `warning`: a number deserves doubt. The first gap that speaks of power is also shown among the figures of the answer. */
  level: "gap" | "warning" | "note";
  text: string;
  /** The remedy. */
  hint?: string;
}

/** Text, a figure in the unit of its column, or null where it is not known. */
export type Cell = string | Quantity | null;

export interface SheetFigure {
  label: string;
  /** Null: not known. */
  value: Quantity | null;
  /** `ms`, `W`, `profiles`, …; empty for a count. */
  unit: string;
  /** Of what stands beside an upper limit, or may be typed as one, that limit: rounded up, never beyond it. */
  limit?: number;
  /** Left out where it says nothing. */
  provenance?: Provenance;
  /** The same by default. */
  usual?: Pick<Against, "theirs" | "whose" | "sure" | "more">;
  /** A few words below it. */
  note?: string;
}

export interface SheetAxis {
  label: string;
  /** Empty for counts. */
  unit: string;
}

export interface SheetPoint {
  x: number;
  y: number;
  /** Shown where it is pointed at. */
  label: string;
  /** Points of one group look alike: a source of measurements, or a provenance. */
  group: string;
  /** The answer. */
  marked: boolean;
  /** Stands beside it, such as that of a preset. */
  name?: string;
}

/** A curve that the points lie below or beside, such as a roof, from left to right. */
export interface SheetLine {
  label: string;
  points: [x: number, y: number][];
}

export interface SheetChart {
  title: string;
  x: SheetAxis;
  y: SheetAxis;
  points: SheetPoint[];
  /** What may not be passed. */
  limits: { axis: "x" | "y"; value: number; label: string }[];
  lines?: SheetLine[];
  /** Both axes are logarithmic; left out: where the points say so. */
  log?: boolean;
}

/** One length among others. */
export interface SheetMeter {
  label: string;
  /** Null: not known, as the words say. */
  value: number | null;
  /** The value with its unit, or what there is to say of it. */
  words: string;
  /** Smaller beside them. */
  remark?: string;
  /** Those of one series look alike. */
  series: string;
  /** Drawn thinner beneath: what was published or measured elsewhere. */
  beside?: { value: number; words: string; series: string }[];
  /** The answer. */
  marked?: boolean;
}

/** Lengths on one scale, in groups. */
export interface SheetMeters {
  title: string;
  /** Below the title; may be empty. */
  text: string;
  /** Values are how many times as much: bars grow both ways from 1. */
  ratio?: boolean;
  /** Lengths are logarithmic where they are far apart. */
  far?: boolean;
  /** Where the scale ends; left out: with the largest value. */
  most?: number;
  groups: { label: string; bars: SheetMeter[] }[];
}

export interface SheetRow {
  /** One for each column. */
  cells: Cell[];
  /** Left out where it says nothing. */
  provenance?: Provenance;
  /** The answer. */
  marked?: boolean;
}

export interface SheetTable {
  title: string;
  /** Below the title; may be empty. */
  text: string;
  columns: SheetAxis[];
  rows: SheetRow[];
}

export interface FactList {
  /** Whose: `Machine`, `Source A`. */
  title: string;
  list: Fact[];
}

export interface Fact {
  name: string;
  /** With its unit. */
  value: string;
}

export interface Machine {
  name: string;
  fingerprint: string;
  facts: Fact[];
}

/** How it ran. */
export interface Run {
  id: string;
  started_at: string;
  duration_s: number;
  seed: number;
  strategy: string;
  /** Null: nothing was predicted. */
  predictor: string | null;
  power_total: string | null;
  /** What low and high of a quantity mean. */
  intervals: Partial<Record<Provenance, string>>;
  effort?: string;
  versions: Record<string, string>;
}
