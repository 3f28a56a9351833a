// What a page shows that is made of words, figures, points, bars and tables. The modules beside this one make it from an answer.
import type { ApplyStep, CommonAnswerPreset, Provenance, Quantity, ServePage, ServeReplan, SheetGrid } from "../contract.ts";
import type { Trace } from "../charts/record.ts";
import { duration } from "../format.ts";
import type { ShownSetting } from "../sections/beside.ts";
import type { Cell, FactList, Note, SheetChart, SheetFigure, SheetMeters, SheetRow, SheetTable } from "../view.ts";
import { config_words } from "../words.ts";

/** Where the time of an epoch, or of a stretch of a program, goes. */
export interface SheetBar {
  /** Bars of one label belong together. */
  label: string;
  which: string;
  e2e_s: number;
  stall_s: number;
  compute_s: number;
  overhead_s: number;
  /** [%] Share of the time that the GPU was busy. */
  gpu_load_pct?: number | null;
  energy_j?: number | null;
}

/** What was served and trained when. */
export interface Serving extends Pick<ServePage, "spans"> {
  simulated: boolean;
  seconds: number;
  services: { name: string; budget_ms: number; latency: ServePage["latency"][number] }[];
  trainings: { name: string; planned_per_s: number | null }[];
  replans: (ServeReplan & { at_s: number })[];
  power_gap: string | null;
  timeline: ServePage["answer"]["timeline"];
}

/** What sensors showed over hours. */
export interface Recorded {
  file: string;
  simulated: boolean;
  /** [s] What the page holds, since the record began. */
  from: number;
  to: number;
  /** [s] Time that one value stands for. */
  width_s: number;
  marks: { time_s: number; name: string }[];
  power: Trace[];
  others: Trace[];
}

export interface Sheet {
  /** Shown in the head and as the window's title. */
  title: string;
  /** The line above the headline. */
  subject: string;
  /** The answer in one sentence. */
  headline: string;
  /** Sentences below it. */
  lines: string[];
  /** What is set. */
  settings?: ShownSetting[];
  figures: SheetFigure[];
  charts: SheetChart[];
  /** What stands right below the answer, such as the presets. */
  beside?: SheetTable[];
  /** Bars with their words, before the charts. */
  meters?: SheetMeters[];
  tables: SheetTable[];
  /** Where the numbers come from; sources that do not compare stand apart. */
  facts: FactList[];
  notes: Note[];
  /** ISO 8601; left out: the page says when it was written. */
  started_at?: string;
  apply?: ApplyStep[];
  grids?: SheetGrid[];
  bars?: SheetBar[];
  serving?: Serving;
  record?: Recorded;
}

/** So many significant digits, without zeros at the end. */
export const digits = (value: number, count = 3): string => String(Number(value.toPrecision(count)));

/** " (simulated)" where any figure is: the weakest of those that were read tells how all are known. */
export const simulated_words = (read: readonly { provenance: Provenance | null; failure?: string | null }[]): string =>
  (read.some((r) => !r.failure) ? read.filter((r) => !r.failure) : read).some((r) => r.provenance === "simulated") ? " (simulated)" : "";

/** The value in a smaller or larger unit; null stays null. */
export const times = (value: number | null | undefined, factor: number): number | null => (value == null ? null : value * factor);

/** A figure with its interval; without one where that says nothing. */
export function quantity(value: number | null, interval: number[] | null): Quantity | null {
  if (value === null || interval === null || (interval[0] === value && interval[1] === value)) return value;
  return [value, interval[0]!, interval[1]!];
}

export type Column<R> = [label: string, unit: string, cell: (row: R, index: number) => Cell];

export function table<R>(title: string, text: string, rows: readonly R[], columns: Column<R>[], known: (row: R) => Provenance | null | undefined = () => null, marked: (row: R) => boolean = () => false): SheetTable {
  const row = (r: R, i: number): SheetRow => {
    const provenance = known(r);
    return { cells: columns.map(([, , cell]) => cell(r, i)), ...(provenance ? { provenance } : {}), ...(marked(r) ? { marked: true } : {}) };
  };
  return { title, text, columns: columns.map(([label, unit]) => ({ label, unit })), rows: rows.map(row) };
}

/** With a column for each row, where few rows have many columns; what no row knows is left out. */
export function turned(whole: SheetTable, name: (row: SheetRow, index: number) => string): SheetTable {
  const label = ({ label, unit }: SheetTable["columns"][number]) => (unit === "" ? label : `${label} (${unit})`);
  const shown = whole.columns.flatMap((c, k) => (whole.rows.some((r) => r.cells[k] !== null && r.cells[k] !== "") ? [{ c, k }] : []));
  return {
    ...whole, columns: [{ label: "", unit: "" }, ...whole.rows.map((r, i) => ({ label: name(r, i), unit: "" }))],
    rows: shown.map(({ c, k }) => ({ cells: [label(c).charAt(0).toUpperCase() + label(c).slice(1), ...whole.rows.map((r) => r.cells[k]!)] })),
  };
}

const text_of = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Names and values under one heading, without those that are empty. */
export function facts(title: string, list: readonly (readonly [name: string, value: unknown])[]): FactList {
  return { title, list: list.flatMap(([name, value]) => (value == null || value === "" ? [] : [{ name, value: text_of(value) }])) };
}

export const notes = (level: Note["level"], texts: readonly (string | null | undefined)[]): Note[] => texts.flatMap((text) => (text ? [{ level, text }] : []));

/** The brief form of why there is no power, with the whole of it. */
export function power_gap_notes(power_gap: string | null): Note[] {
  const absent = "power is not available on this machine";
  return power_gap?.startsWith(absent) ? [{ level: "gap", text: `${absent} (\`flyball doctor\` says why)`, hint: power_gap }] : notes("gap", [power_gap]);
}

/** "1.2 GB". */
export function bytes_words(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  for (; Math.abs(bytes) >= 999.95 && unit + 1 < units.length; ++unit) bytes /= 1000;
  return `${digits(bytes, 4)} ${units[unit]}`;
}

/** A figure that a program reports, as a person reads it. */
export function figure_text(name: string, value: number): string {
  if (name === "memory" || name.endsWith("_bytes")) return bytes_words(value);
  if (/^(latency_p50|latency_p99|ttft|tpot)$|^t(tft|pot)_p99$/.test(name)) return duration(value);
  return name === "failed" || name === "late" ? `${digits(100 * value)} %` : digits(value, 4);
}

/** Why nothing is said of the answer to a preset: "" of a measured one where there is no answer. */
const unsaid = (p: CommonAnswerPreset): string => (p.config === null ? "not among what was searched" : p.provenance === "predicted" ? "not measured" : "");

/** The presets of the board: what each takes and draws, and what the answer is to it. */
export const presets_table = (presets: readonly CommonAnswerPreset[], time = "minibatch"): SheetTable => table("Presets of the board", "What one could set without tuning: power modes of nvpmodel.", presets, [
  ["preset", "", (p) => p.name + (p.in_force ? " (in force)" : "")], [time, "ms", (p) => p.minibatch_ms], ["power", "W", (p) => p.power_w], ["breaks", "", (p) => p.breaks.join(", ")],
  ["the answer", "", (p) => p.text ?? unsaid(p)], ["set", "", (p) => (p.config === null ? "" : config_words(p.config))],
], (p) => p.provenance, (p) => p.in_force);
