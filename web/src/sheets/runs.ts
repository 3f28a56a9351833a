// A stored run as the list of its trials, and two runs side by side.
import type { ComparisonPage, Provenance, RunPage, RunsPair, RunsSide, RunsSource, RunsTrial } from "../contract.ts";
import { facts, figure_text, notes, quantity, table, type Sheet } from "./sheet.ts";
import { config_words } from "../words.ts";
import type { FactList, Note, SheetChart, SheetFigure, SheetPoint } from "../view.ts";

const source_facts = (sources: RunsSource[]): FactList[] => sources.map((s) =>
  facts(`Source ${s.name}`, [["name", s.device], ...(s.board === null ? [] : [["board", s.board] as [string, string]]), ["fingerprint", s.fingerprint], ...Object.entries(s.conditions ?? {}), ["power total", s.power_total ?? "none"], ["measurements", s.measurements]]));

const source_notes = (sources: RunsSource[]): Note[] => sources.slice(1).map((s) =>
  ({ level: "warning", text: `${sources[0]!.name} and ${s.name} do not compare: ${s.differences.join("; ")}`, hint: "Compare figures of one source only." }));

const figure_words = ([name, value]: [string, number]): string => `${name} ${figure_text(name, value)}`;

/** Why its figures deserve doubt, and what it reported. */
const also_known = (t: RunsTrial): string => [...(t.doubts ? [t.doubts] : []), ...Object.entries(t.figures).map(figure_words)].join("; ");

export function run_sheet({ answer: run }: RunPage): Sheet {
  const drawn = run.trials.filter((t) => t.failure === null && t.power_w !== null && t.minibatch_ms !== null);
  const trials = run.trials.length === 0 ? [] : [table("Its trials", "In their order.", run.trials, [
    ["#", "", (_, i) => i + 1], ["workload", "", (t) => `${t.workload} ${t.phase}`], ["set", "", (t) => config_words(t.config)],
    ["minibatch", "ms", (t) => (t.failure !== null ? "failed" : quantity(t.minibatch_ms, t.minibatch_ms_90))], ["power", "W", (t) => (t.failure !== null ? null : quantity(t.power_w, t.power_w_90))],
    ["noise", "%", (t) => t.noise_pct], ["source", "", (t) => t.source], ["stopped", "", (t) => `${t.failure ?? t.stop_reason}${t.reused ? " (reused)" : ""}`], ["also known", "", also_known],
  ], (t) => t.provenance)];
  const came = { done: [], running: [`It is running; ${run.measurements} trials so far.`] }[run.state as string] ?? [`It was ${run.state} before it had an answer; ${run.measurements} trials are kept.`];
  const own = run.answer as { notes?: unknown } | null;
  return {
    title: `run ${run.id}`, subject: `Run ${run.id} · ${run.device} · ${run.state}`, headline: `Run ${run.id}: ${run.workload ?? `${run.trials.length} trials`} on ${run.device}.`, started_at: run.started_utc,
    lines: came, figures: [{ label: "trials", value: run.measurements, unit: "", note: `${run.reused} of them reused` }],
    charts: drawn.length < 2 ? [] : [{
      title: "Power against time", x: { label: "power", unit: "W" }, y: { label: "minibatch", unit: "ms" }, limits: [],
      points: drawn.map((t) => ({ x: t.power_w!, y: t.minibatch_ms!, label: `${t.workload} ${config_words(t.config)}`, group: t.source, marked: false })),
    }],
    tables: trials, notes: [...notes("note", Array.isArray(own?.notes) ? own.notes.filter((n) => typeof n === "string") : []), ...source_notes(run.sources)],
    facts: [...source_facts(run.sources), facts("Run", [["run", run.id], ["state", run.state], ["started", run.started_utc], ["finished", run.finished_utc ?? "not finished"], ["seed", run.seed]])],
  };
}

/** What came of a row: why no difference is established, or where the trial was made. */
function remark(p: RunsPair): string {
  if (!p.first) return "only in the second";
  if (!p.second) return "only in the first";
  if (p.established === null) return "failed";
  return p.established ? "" : p.change_pct === 0 ? "the same" : `not established: ${p.doubt}`;
}

/** Of what either run has; the weaker word where they differ. */
function weaker(p: RunsPair): Provenance | null {
  const order: (Provenance | null)[] = [null, "measured", "table", "simulated", "predicted"];
  return order[Math.max(...[p.first, p.second].map((side) => order.indexOf(side?.provenance ?? null)))]!;
}

/** Both runs against power, where it is known. */
function compared_charts({ trials, first, second }: ComparisonPage["answer"]): SheetChart[] {
  const point = (p: RunsPair, run: string, x: number | null, y: number | null): SheetPoint[] =>
    (x === null || y === null ? [] : [{ x, y, label: `${p.workload}: ${config_words(p.config)}`, group: `run ${run}`, marked: false }]);
  const points = trials.flatMap((p) => [...point(p, String(first), p.first_w, p.first_ms), ...point(p, String(second), p.second_w, p.second_ms)]);
  return points.length < 2 ? [] : [{ title: "Power against time", x: { label: "power", unit: "W" }, y: { label: "minibatch", unit: "ms" }, limits: [], points }];
}

/** How many of the trials in both are established to differ. */
function changed_figure({ trials, common }: ComparisonPage["answer"]): SheetFigure | null {
  if (common === 0) return null;
  return { label: "of them established to differ in time", value: trials.filter((p) => p.established && p.change_pct !== 0).length, unit: "" };
}

export function comparison_sheet({ answer, written_utc }: ComparisonPage): Sheet {
  const [first, second] = [answer.first, answer.second];
  const time = (side: RunsSide | null, ms: number | null) => (side?.readings === 0 ? "failed" : quantity(ms, side?.minibatch_ms_90 ?? null));
  const remarks = (p: RunsPair) => [remark(p), ...[[p.first, first] as const, [p.second, second] as const].map(([side, run]) => (side?.doubts ? `run ${run}: ${side.doubts}` : ""))].filter(Boolean).join("; ");
  const title = `runs ${first} and ${second}`;
  const changed = changed_figure(answer);
  return {
    title, subject: `Comparison · ${title}`, headline: `${answer.verdict.charAt(0).toUpperCase()}${answer.verdict.slice(1)}.`, started_at: written_utc,
    lines: answer.differences.length === 0 ? [] : [`The two do not compare: ${answer.differences.join("; ")}.`], figures: [{ label: "trials in both", value: answer.common, unit: "" }, ...(changed ? [changed] : [])], charts: compared_charts(answer),
    tables: answer.trials.length === 0 ? [] : [table("Trial by trial", "Of each run all its readings together, with their 90 % interval.", answer.trials, [
      ["workload", "", (p) => `${p.workload} ${p.phase}`], ["set", "", (p) => config_words(p.config)], [`run ${first}`, "ms", (p) => time(p.first, p.first_ms)], [`run ${second}`, "ms", (p) => time(p.second, p.second_ms)],
      ["change", "%", (p) => p.change_pct], [`run ${first} power`, "W", (p) => quantity(p.first_w, p.first?.power_w_90 ?? null)], [`run ${second} power`, "W", (p) => quantity(p.second_w, p.second?.power_w_90 ?? null)], ["difference", "", remarks],
    ], weaker)],
    facts: [...source_facts(answer.sources), ...answer.runs.map((r) => facts(`Run ${r.id}`, [["command", r.command], ["started", r.started_utc], ["state", r.state], ["trials", r.measurements]]))],
    notes: source_notes(answer.sources),
  };
}
