// Roofs: what a board can do at most, the workloads under it, what its modes say of energy.
import type { CommonConfig, RooflineBound, RooflineMode, RooflinePage } from "../contract.ts";
import type { SheetChart, SheetFigure, SheetLine, SheetPoint } from "../view.ts";
import { list_words } from "../format.ts";
import { digits, facts, notes, table, times, type Sheet } from "./sheet.ts";
import { config_words } from "../words.ts";

type Span = [low: number, high: number];

const [most_layers, most_roofs, steps] = [15, 4, 48];
const mode_words = (mode: CommonConfig): string => config_words(mode) || "as it is";
const name_of = (b: RooflineBound): string => `${b.workload} ${b.phase}, batch ${b.batch_size}`;
const where = (b: RooflineBound): string => `${name_of(b)}: ${mode_words(b.mode)}`;
const group_of = (b: RooflineBound): string => (b.doubted ? "doubtful readings" : b.workload);

/** The highest mode, the lowest one, and those in which something was bound, a few at most. */
function drawn_modes({ roofs, highest, workloads }: RooflinePage["answer"]): RooflineMode[] {
  const known = roofs.modes.filter((m) => m.flop_per_s && m.bytes_per_s);
  const lowest = known.slice(1).reduce((a, b) => (b.flop_per_s! < a!.flop_per_s! ? b : a), known[0]);
  const bound = workloads.flatMap((b) => roofs.modes.filter((m) => config_words(m.mode) === config_words(b.mode)));
  return [...new Set([...(highest === null ? [] : [roofs.modes[highest]!]), ...(lowest ? [lowest] : []), ...bound])].slice(0, most_roofs);
}

function span_of(modes: RooflineMode[], workloads: RooflineBound[]): Span {
  const all = [...workloads.map((b) => b.intensity), ...modes.flatMap((m) => [m.balance ?? 0, ...m.sweep.map((s) => s.intensity)])].filter((i) => i > 0);
  return [Math.min(1, ...all.map((i) => i / 3)), Math.max(10, ...all.map((i) => i * 3))];
}

/** GFLOP/s that a mode attains at an intensity. */
const attained = (m: RooflineMode, intensity: number): number => Math.min(m.flop_per_s || Infinity, m.bytes_per_s ? m.bytes_per_s * intensity : Infinity) * 1e-9;

/** GFLOP/J likewise. */
const efficiency = (m: RooflineMode, intensity: number): number =>
  1e-9 / (m.energy!.j_per_flop.value + m.energy!.j_per_byte.value / intensity + m.energy!.static_w.value / (1e9 * attained(m, intensity)));

function roof_line(m: RooflineMode, [low, high]: Span, height: (m: RooflineMode, intensity: number) => number): SheetLine {
  const at = Array.from({ length: steps + 1 }, (_, i) => low * (high / low) ** (i / steps));
  if (m.balance && m.balance > low && m.balance < high) at.push(m.balance);
  const points = at.sort((a, b) => a - b).map((i): [number, number] => [i, height(m, i)]);
  return { label: mode_words(m.mode), points: points.filter(([, y]) => Number.isFinite(y) && y > 0) };
}

function time_points(b: RooflineBound): SheetPoint[] {
  if (!(b.intensity > 0)) return [];
  const at = (flop: number, ms: number) => (flop / ms) * 1e-6;
  const whole = b.minibatch_ms !== null ? [{ x: b.intensity, y: at(b.flop, b.minibatch_ms), label: where(b), group: group_of(b), marked: false }] :
    b.roof_ms > 0 ? [{ x: b.intensity, y: at(b.flop, b.roof_ms), label: `${where(b)} (by its roofs)`, group: `${b.workload}, by its roofs`, marked: false }] : [];
  const layers = b.layers.length < 2 ? [] : b.layers.filter((l) => l.flop > 0 && l.bytes > 0 && l.roof_ms > 0);
  return [...whole, ...layers.map((l) => ({
    x: l.flop / l.bytes, y: at(l.flop, l.roof_ms), label: `${l.name} (${l.op}), ${mode_words(b.mode)}: ${digits(l.roof_ms)} ms, bound by ${l.binds}`, group: `${b.workload}, layers by the roofs`, marked: false,
  }))];
}

function charts({ answer }: RooflinePage): SheetChart[] {
  const modes = drawn_modes(answer);
  const span = span_of(modes, answer.workloads);
  const roofed = modes.filter((m) => m.flop_per_s || m.bytes_per_s);
  const chart = (title: string, label: string, unit: string, points: SheetPoint[], lines: SheetLine[]): SheetChart =>
    ({ title, x: { label: "intensity", unit: "FLOP/B" }, y: { label, unit }, points, limits: [], lines, log: true });
  const sweeps = modes.flatMap((m) => m.sweep.map((s) => ({ x: s.intensity, y: s.flop_per_s.median * 1e-9, label: `sweep, ${mode_words(m.mode)}`, group: "sweep, measured", marked: false })));
  const powered = answer.workloads.filter((b) => (b.power_w ?? 0) * (b.minibatch_ms ?? 0) > 0 && b.intensity > 0);
  return [
    chart("Time: what each byte's work lets the board attain", "attained", "GFLOP/s", [...sweeps, ...answer.workloads.flatMap(time_points)], roofed.map((m) => roof_line(m, span, attained))),
    chart("Energy: what a joule does", "efficiency", "GFLOP/J",
      powered.map((b) => ({ x: b.intensity, y: (b.flop / (b.power_w! * b.minibatch_ms!)) * 1e-6, label: where(b), group: group_of(b), marked: false })),
      roofed.filter((m) => m.energy).map((m) => roof_line(m, span, efficiency))),
  ];
}

function figures({ roofs, highest }: RooflinePage["answer"]): SheetFigure[] {
  if (highest === null) return [];
  const { mode, flop_per_s, bytes_per_s, balance, energy } = roofs.modes[highest]!;
  const about = { provenance: roofs.provenance, note: `${roofs.provenance === "measured" ? "" : "fitted, "}${Object.keys(mode).length === 0 ? "as it is" : "highest mode"}` };
  const roof = (label: string, value: number | null, unit: string): SheetFigure[] => (value ? [{ label, value, unit, ...about }] : []);
  const fitted = (label: string, { value, low, high }: { value: number; low: number; high: number }, scale: number, unit: string): SheetFigure =>
    ({ label, value: [value * scale, low * scale, high * scale], unit, ...about });
  return [
    ...roof("arithmetic", times(flop_per_s, 1e-9), "GFLOP/s"), ...roof("memory", times(bytes_per_s, 1e-9), "GB/s"), ...roof("balance", balance, "FLOP/B"),
    ...(energy ? [fitted("energy of a FLOP", energy.j_per_flop, 1e12, "pJ"), fitted("energy of a byte", energy.j_per_byte, 1e12, "pJ"), fitted("static power", energy.static_w, 1, "W")] : []),
  ];
}

function layers_of(b: RooflineBound) {
  return table(`Layers of ${name_of(b)}`, `The longest of ${b.layers.length}, by the roofs, ${mode_words(b.mode)}.`, b.layers.slice(0, most_layers), [
    ["layer", "", (l) => l.name], ["operator", "", (l) => l.op], ["intensity", "FLOP/B", (l) => (l.bytes > 0 ? l.flop / l.bytes : null)],
    ["time", "ms", (l) => l.roof_ms], ["share", "%", (l) => 100 * l.share], ["bound by", "", (l) => l.binds],
  ]);
}

function tables({ cases, workloads }: RooflinePage["answer"]) {
  const share = (binding: keyof RooflineBound["shares"]) => (b: RooflineBound) => 100 * b.shares[binding];
  return [
    table("Energy of a minibatch over the modes", "Saved and time are against the highest mode (MAXN); robust: without readings of power that their neighbours contradict.", cases, [
      ["workload", "", (c) => `${c.workload} ${c.phase}`], ["batch", "", (c) => c.batch_size], ["highest mode", "J", (c) => c.highest.minibatch_j],
      ["least", "J", (c) => c.least_energy.minibatch_j], ["saved", "%", (c) => c.saving_pct], ["robust", "%", (c) => c.robust_saving_pct],
      ["time", "times", (c) => c.slowdown], ["mode of least energy", "", (c) => config_words(c.least_energy.mode)], ["doubt", "", (c) => c.doubt ?? ""],
    ]),
    table("What binds", "Shares of the measured time, or of the roofs' where nothing was measured; the rest no roof explains.", workloads, [
      ["workload", "", name_of], ["mode", "", (b) => mode_words(b.mode)], ["intensity", "FLOP/B", (b) => b.intensity], ["by the roofs", "ms", (b) => b.roof_ms], ["measured", "ms", (b) => b.minibatch_ms],
      ["compute", "%", share("compute")], ["memory", "%", share("memory")], ["launch", "%", share("launch")], ["loader", "%", share("loader")],
    ]),
    ...workloads.filter((b) => b.layers.length > 1 && config_words(b.mode) === config_words(workloads[0]!.mode)).map(layers_of),
  ];
}

/** How well fitted roofs meet the readings that they go through. */
function fit_words({ roofs, highest }: RooflinePage["answer"]): string[] {
  const { samples, error_pct } = highest === null ? { samples: 0, error_pct: null } : roofs.modes[highest]!;
  if (roofs.provenance === "measured" || !samples || error_pct == null) return [];
  return [`The roofs are fitted through ${samples} readings, not above them: half of them lie within ${digits(error_pct)} %.`];
}

function headline({ roofs, highest, verdicts }: RooflinePage["answer"]): string {
  if (verdicts.length > 0) return verdicts[0]!;
  if (highest === null) return `No mode of ${roofs.device} has roofs of its own.`;
  const { flop_per_s, bytes_per_s } = roofs.modes[highest]!;
  const does = [flop_per_s ? `does ${digits(flop_per_s * 1e-9)} GFLOP/s` : "", bytes_per_s ? `moves ${digits(bytes_per_s * 1e-9)} GB/s` : ""].filter(Boolean);
  if (does.length === 0) return `No roof of ${roofs.device} is known.`;
  return `${roofs.device} ${list_words(does)}${roofs.provenance === "measured" ? " at most" : ", as fitted"}.`;
}

export function roofline_sheet(page: RooflinePage): Sheet {
  const { answer } = page;
  const { roofs } = answer;
  const doubt = roofs.provenance === "simulated" || roofs.provenance === "predicted" ? ` (${roofs.provenance})` : "";
  return {
    title: `roofs of ${roofs.device}${doubt}`, subject: `Roofline · ${roofs.title}${doubt}`, headline: headline(answer), started_at: roofs.measured_utc,
    lines: [...answer.verdicts.slice(1), ...fit_words(answer)], figures: figures(answer), charts: charts(page), grids: page.tables, tables: tables(answer),
    notes: [...notes("note", answer.notes), ...notes("warning", [roofs.disturbed && `measured beside ${roofs.disturbed}`])],
    facts: [facts("Board", [["name", roofs.device], ["fingerprint", roofs.fingerprint], ["tables", roofs.sources.join(", ")], ["power total", roofs.total], ["started", roofs.measured_utc]])],
  };
}
