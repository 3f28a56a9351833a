// A profile, of a network epoch by epoch or of a program with its marks.
import type { ProfileEpoch, ProfileEpochs, ProfileGpu, ProfilePage, ProfilePart, ProfileProgram } from "../contract.ts";
import { axis_label, instant, with_unit } from "../format.ts";
import { axis_of } from "../words.ts";
import { bytes_words, digits, facts, notes, power_gap_notes, table, times, turned, type Column, type Sheet, type SheetBar } from "./sheet.ts";
import type { ShownSetting } from "../sections/beside.ts";
import type { Note, SheetFigure, SheetTable } from "../view.ts";

const most_bars = 12; // epochs; of more, the first one and the mean of the rest

type Parts = Pick<ProfilePart, "e2e_s" | "stall_s" | "compute_s" | "overhead_s">;

const bar = (label: string, which: string, p: Parts): SheetBar => ({ label, which, e2e_s: p.e2e_s, stall_s: p.stall_s ?? 0, compute_s: p.compute_s ?? 0, overhead_s: p.overhead_s ?? 0 });

/** "82 % of it compute, …"; empty where the parts are not known. */
function shares(p: Parts | null | undefined): string {
  if (!p || p.compute_s === null || !(p.e2e_s > 0)) return "";
  const percent = (seconds: number | null) => `${((100 * (seconds ?? 0)) / p.e2e_s).toFixed(0)} %`;
  return `${percent(p.compute_s)} of it compute, ${percent(p.stall_s)} visible waiting for data, ${percent(p.overhead_s)} overhead`;
}

const gpu_columns = (rows: { gpu: ProfileGpu | null }[], shown = rows.some((r) => r.gpu)): Column<{ gpu: ProfileGpu | null }>[] => (!shown ? [] : [
  ["GPU load", "%", (r) => r.gpu?.load_pct ?? null], ["GPU clock", "MHz", (r) => r.gpu?.clock_mhz ?? null], ["GPU memory in use", "MB", (r) => times(r.gpu?.memory_bytes, 1e-6)],
]);

/** What is missing, who measured beside it, why it ended. */
function gap_and_end({ power_gap, disturbed, stopped }: ProfileEpochs | ProfileProgram): Note[] {
  return [...power_gap_notes(power_gap), ...notes("warning", [disturbed && `measured beside ${disturbed}: its times deserve doubt`, stopped && `ended early: ${stopped}`])];
}

const most_turned = 5; // epochs that stand side by side

function epochs_table(epochs: ProfileEpoch[]): SheetTable {
  const shown = [...new Set(epochs.flatMap((e) => Object.keys(e.figures)))];
  const all = table("Epoch by epoch", "Fetching and pre-processing are the loader's work, hidden or not.", epochs, [
    ["epoch", "", (e) => e.epoch], ["minibatches", "", (e) => e.minibatches], ["end to end", "s", (e) => e.e2e_s], ["stall", "s", (e) => e.stall_s], ["compute", "s", (e) => e.compute_s],
    ["overhead", "s", (e) => e.overhead_s], ["fetching", "s", (e) => e.fetch_s], ["pre-processing", "s", (e) => e.preprocess_s], ["minibatch", "ms", (e) => e.minibatch_ms], ["CPU", "%", (e) => e.cpu_pct],
    ["in page cache", "%", (e) => e.cached_before_pct], ["from files", "MB", (e) => times(e.file_bytes, 1e-6)], ["from own cache", "MB", (e) => times(e.cache_bytes, 1e-6)],
    ["energy", "J", (e) => e.energy?.energy_j ?? null], ["power", "W", (e) => e.energy?.mean_w ?? null], ["loss", "", (e) => e.loss],
    ...shown.map((name): Column<ProfileEpoch> => [name, "", (e) => e.figures[name] ?? null]), ...gpu_columns(epochs),
  ]);
  if (epochs.length > most_turned) return all;
  const beside = turned(all, (_, i) => `epoch ${epochs[i]!.epoch}`);
  return { ...beside, rows: beside.rows.slice(1) };
}

/** "Batch size" of `batch_size`; what is empty is left out. */
function request_facts(request: ProfileEpochs["request"]): [string, unknown][] {
  const words = (value: unknown) => (value === true ? "yes" : value === false ? "no" : Array.isArray(value) ? value.join(", ") : value);
  return Object.entries(request).map(([name, value]) => [axis_label(axis_of(name)), words(value)]);
}

/** What decides how long an epoch takes. */
function request_settings(request: ProfileEpochs["request"]): ShownSetting[] {
  const known = request as unknown as Record<string, unknown>;
  return ["batch_size", "loader_workers", "threads", "precision"].flatMap((name) => (known[name] == null ? [] : [{ label: axis_label(axis_of(name)), name, value: String(known[name]) }]));
}

const idle_words = (idle: NonNullable<ProfileEpochs["idle"]>): string =>
  `${with_unit(idle.power_w, "W")} of it (${(100 * idle.share).toFixed(0)} %) is idle power of this mode, ${idle.run === null ? "simulated" : `measured ${instant(idle.measured_utc ?? "")} (run ${idle.run})`}`;

function network_sheet(p: ProfileEpochs): Sheet {
  const { request, epochs, later, idle, cache } = p;
  const provenance = p.provenance;
  const usual = later ?? epochs[0];
  const title = `${request.workload} ${request.phase === "infer" ? "inference" : "training"}${provenance === "simulated" ? " (simulated)" : ""}`;
  const [energy, power] = later ? [later.energy_j, later.mean_w] : [epochs[0]?.energy?.energy_j ?? null, epochs[0]?.energy?.mean_w ?? null];
  const figures: SheetFigure[] = [
    { label: "epoch", value: usual?.e2e_s ?? null, unit: "s", provenance, note: later ? "mean of the epochs after the first" : "first epoch" },
    { label: "minibatch", value: usual?.minibatch_ms ?? null, unit: "ms", provenance }, { label: "CPU", value: usual?.cpu_pct ?? null, unit: "% of one core", provenance },
  ];
  if (energy !== null) figures.push({ label: "energy of an epoch", value: energy, unit: "J", provenance }, { label: "power", value: power, unit: "W", provenance, ...(idle ? { note: idle_words(idle) } : {}) });
  const few = epochs.length <= most_bars;
  return {
    title: `profile of ${title}`, subject: `Profile · ${title} · ${request.device}`, headline: `An epoch of ${title} takes ${with_unit(usual?.e2e_s ?? 0, "s")}.`, started_at: p.started_utc,
    lines: [shares(usual)].flatMap((words) => (words ? [`${words}.`] : [])), settings: request_settings(request), figures, charts: [],
    bars: [...(few ? epochs : epochs.slice(0, 1)).map((e) => bar(request.workload, `epoch ${e.epoch}`, e)), ...(!few && later ? [bar(request.workload, "mean of the others", later)] : [])],
    tables: [epochs_table(epochs)], notes: [...gap_and_end(p), ...notes("warning", [p.outlying ?? "", p.diverged_in == null ? "" : `the training diverges: from epoch ${p.diverged_in} on its loss is no number; a smaller --learning-rate may help`, p.skipped > 0 ? `${p.skipped} bad samples were left out` : ""])],
    facts: [
      facts("Settings", request_facts(request)),
      facts("Machine and data", [["fingerprint", p.fingerprint], ["power total", p.power_total], ["started", p.started_utc],
        ...Object.entries(p.dataset).map(([name, value]): [string, unknown] => [`dataset ${name}`, name === "bytes" ? bytes_words(value as number) : value])]),
      ...(cache ? [facts("Sample cache", Object.entries(cache))] : []),
    ],
  };
}

/** Every mark is shown, a window below all marked minibatches. */
function marks_table(parts: ProfilePart[], gpu: boolean) {
  return table("What it marked", "A window is a stretch that the program named.", parts, [
    ["stretch", "", (w) => w.name], ["minibatches", "", (w) => w.minibatches], ["end to end", "s", (w) => w.e2e_s], ["stall", "s", (w) => w.stall_s], ["compute", "s", (w) => w.compute_s],
    ["overhead", "s", (w) => w.overhead_s], ["minibatch", "ms", (w) => w.minibatch_ms], ["energy", "J", (w) => w.energy?.energy_j ?? null], ["power", "W", (w) => w.energy?.mean_w ?? null],
    ...gpu_columns(parts, gpu),
  ]);
}

function program_sheet(p: ProfileProgram): Sheet {
  const { marked, gpu, energy } = p;
  const program = p.command.join(" ");
  const provenance = "measured";
  const parts = [...(marked ? [{ ...marked, name: "all marked minibatches" }] : []), ...p.windows];
  const known = (label: string, value: number | null | undefined, unit: string): SheetFigure[] => (value == null ? [] : [{ label, value, unit, provenance }]);
  const words = shares(marked);
  return {
    title: `profile of ${program}`, subject: "Profile · a program on this machine", started_at: p.started_utc,
    headline: `${program} took ${digits(p.wall_s, 4)} s${marked ? `: ${marked.minibatches} marked minibatches of ${digits(marked.minibatch_ms ?? 0, 4)} ms` : ""}.`,
    lines: [...(words ? [`Of the marked minibatches: ${words}.`] : []), ...(marked ? [] : ["It marked no minibatches, so only the whole of it is known."])],
    figures: [
      { label: "whole run", value: p.wall_s, unit: "s", provenance }, { label: "to the first minibatch", value: p.start_up_s, unit: "s", provenance }, { label: "CPU", value: p.cpu_pct, unit: "% of one core" },
      ...(energy?.energy_j == null ? [] : [{ label: "energy", value: energy.energy_j, unit: "J", provenance } as const, { label: "power", value: energy.mean_w, unit: "W", provenance } as const]),
      ...known("GPU load", gpu?.load_pct, "%"), ...known("GPU clock", gpu?.clock_mhz, "MHz"),
    ],
    charts: [], bars: parts.filter((w) => w.compute_s !== null).slice(0, most_bars).map((w) => bar(w.name, "", w)), tables: [marks_table(parts, gpu !== null)],
    notes: [...gap_and_end(p), ...notes("warning", [p.lost_marks > 0 ? `${p.lost_marks} marks were lost` : "",
      (p.other_marks ?? 0) > 0 ? `${p.other_marks} marks of other processes do not count` : ""])],
    facts: [facts("Run", [["started", p.started_utc], ["exit code", p.exit_code], ["power total", p.power_total], ["processes at most", p.peak_processes]])],
  };
}

export const profile_sheet = ({ answer }: ProfilePage): Sheet => ("epochs" in answer ? network_sheet(answer) : program_sheet(answer));
