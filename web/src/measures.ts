// What can stand on an axis of the cloud: costs (time, power, energy) and the settings themselves.
import type { CommonAxis as Axis, Quantity } from "./contract.ts";
import { axis_label, high_of, low_of, value_of } from "./format.ts";
import { explained, median } from "./stats.ts";
import type { Budget, Configuration, TuneReport } from "./view.ts";

export interface Measure {
  id: string;
  label: string;
  unit: string;
  /** Less is better; false for settings. */
  cost: boolean;
  /** The quantity of the budget that bounds it, and what that budget covers. */
  budget?: { quantity: "time" | "power" | "energy"; per: Budget["per"] };
  of(c: Configuration): Quantity | null;
}

function scaled(q: Quantity | null, factor: number): Quantity | null {
  if (q === null) return null;
  return typeof q === "number" ? q * factor : [q[0] * factor, q[1] * factor, q[2] * factor];
}

/** What times and energies are compared per: minibatches of unlike size do not compare. */
export function compared_per(report: TuneReport): NonNullable<TuneReport["per"]> {
  if (report.per) return report.per;
  const batch = batch_axis(report);
  return batch >= 0 && new Set(report.configurations.map((c) => c.config[batch])).size > 1 ? "sample" : "minibatch";
}

const latencies: Record<string, string> = { latency: "Median latency", power: "Median latency", latency_p99: "99th percentile of latency", ttft: "Time to the first token", tpot: "Time per further token" };

/** The latency that stands for the time of a server; times power it is no energy, as requests overlap. Undefined of all others. */
export const latency_of = ({ request }: { request: { figure?: string } }): string | undefined => latencies[request.figure ?? ""];

const batch_axis = (report: TuneReport): number => report.axes.findIndex((a) => a.name === "batch_size");

/** The samples of a configuration's whole minibatch; undefined when that is not known. */
function batch_size(report: TuneReport, c: Configuration): number | undefined {
  const axis = batch_axis(report);
  return axis < 0 ? (report.request.batch_size ?? undefined) : c.config[axis];
}

/** Minibatches in an epoch for a configuration; the last one may be partial. */
function epoch_factor(report: TuneReport): ((c: Configuration) => number) | null {
  const { samples_per_epoch: samples, batch_size: fixed } = report.request;
  if (!samples || compared_per(report) === "run" || (batch_axis(report) < 0 && !fixed)) return null;
  return (c) => Math.ceil(samples / batch_size(report, c)!);
}

/** A time or an energy of the configuration's minibatch as one of a sample (in the mean of an epoch), where that is what compares. */
export function per_sample(report: TuneReport, c: Configuration, q: Quantity | null): Quantity | null {
  const batch = batch_size(report, c);
  if (compared_per(report) !== "sample" || !batch) return q;
  const epoch = epoch_factor(report), samples = report.request.samples_per_epoch;
  return scaled(q, epoch && samples ? epoch(c) / samples : 1 / batch);
}

/** The costs that at least one configuration has, the most telling ones first. */
export function costs(report: TuneReport): Measure[] {
  const per = compared_per(report);
  const epoch = epoch_factor(report);
  const span = per === "sample" ? "minibatch" : per;
  const minibatch: Measure[] = [
    { id: "time", label: latency_of(report) ?? `Time per ${span}`, unit: "ms", cost: true, budget: { quantity: "time", per: span }, of: (c) => c.time_ms },
    { id: "energy", label: `Energy per ${span}`, unit: "J", cost: true, budget: { quantity: "energy", per: span }, of: (c) => c.energy_j },
  ];
  const sample: Measure[] = [
    { id: "sample_time", label: "Time per sample", unit: "ms", cost: true, budget: { quantity: "time", per: "sample" }, of: (c) => per_sample(report, c, c.time_ms) },
    { id: "sample_energy", label: "Energy per sample", unit: "J", cost: true, of: (c) => per_sample(report, c, c.energy_j) },
  ];
  const power: Measure = { id: "power", label: "Power", unit: "W", cost: true, budget: { quantity: "power", per: null }, of: (c) => c.power_w };
  const [first, ...others] = per === "sample" ? [sample, minibatch] : [minibatch];
  const all = [first![0]!, power, first![1]!];
  if (epoch) {
    all.push(
      { id: "epoch_time", label: "Time per epoch", unit: "s", cost: true, budget: { quantity: "time", per: "epoch" }, of: (c) => scaled(c.time_ms, epoch(c) / 1000) },
      { id: "epoch_energy", label: "Energy per epoch", unit: "J", cost: true, budget: { quantity: "energy", per: "epoch" }, of: (c) => scaled(c.energy_j, epoch(c)) },
    );
  }
  all.push(...others.flat());
  return all.filter((m) => report.configurations.some((c) => m.of(c) !== null));
}

const factors: Record<string, number> = { "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, mW: 1e-3, W: 1, mJ: 1e-3, J: 1, kJ: 1e3 };

/** The limit of a budget in another unit of the same quantity; NaN when a unit is unknown. */
export function limit_in(budget: Budget, unit: string): number {
  const [from, to] = [factors[budget.unit] ?? NaN, factors[unit] ?? NaN];
  return from === to ? budget.limit : (budget.limit * from) / to;
}

/** What a budget bounds: the measure of its quantity and span; undefined where this page has none. */
export function bounded_by(budget: Budget, available: Measure[]): Measure | undefined {
  return available.find((m) => m.budget?.quantity === budget.quantity && m.budget.per === budget.per);
}

/** Whether a configuration's known figures keep within every one of these budgets that this page can check. */
export function within(budgets: Budget[], available: Measure[]): (c: Configuration) => boolean {
  const checks = budgets.flatMap((b) => {
    const measure = bounded_by(b, available);
    return measure ? [{ measure, limit: limit_in(b, measure.unit) }] : [];
  });
  return (c) => checks.every(({ measure, limit }) => number_of(measure, c) <= limit);
}

const rounding = 1e-9; // as answers/figure_limit.cc: 1 - 0.01 * 32 is as much as 0.68 to who wrote it

/** Does a value keep a limit, but for what rounding does? */
function keeps(value: number, at_most: number, at_least: number): boolean {
  const slack = (limit: number) => (Number.isFinite(limit) ? rounding * Math.abs(limit) : 0);
  return value - at_most <= slack(at_most) && at_least - value <= slack(at_least);
}

/** Did a configuration keep the limits on what the program reports of itself, in the median of its trials? Yes where nothing was reported: that is not predicted. */
export function keeps_own_limits(report: TuneReport): (index: number) => boolean {
  const limits = report.request.limits ?? [];
  const told = new Map<number, Record<string, number>[]>();
  if (limits.length > 0) for (const t of report.profiled) if (t.failure === null) told.set(t.configuration, [...(told.get(t.configuration) ?? []), t.figures]);
  return (index) => limits.every(({ figure, at_most, at_least }) => {
    const values = (told.get(index) ?? []).flatMap((figures) => figures[figure] ?? []);
    return values.length === 0 || keeps(median(values), at_most ?? Infinity, at_least ?? -Infinity);
  });
}

/** The largest share by which a configuration's figures are beyond a budget; NaN where one is not known, or none can be checked. */
export function excess_of(budgets: Budget[], available: Measure[]): (c: Configuration) => number {
  const bounded = budgets.flatMap((b) => bounded_by(b, available) ?? []);
  const limits = budgets.flatMap((b) => (bounded_by(b, available) ? [limit_in(b, bounded_by(b, available)!.unit)] : []));
  return (c) => (bounded.length === 0 ? NaN : Math.max(...bounded.map((measure, i) => number_of(measure, c) / limits[i]! - 1)));
}

export const within_budgets = (report: TuneReport, available: Measure[]): ((c: Configuration) => boolean) => within(report.request.budgets, available);

/**
 * The value of a measure that a budget leaves, where the two are proportional: a budget of an epoch bounds a minibatch of a
 * fixed size, too. NaN: it does not bound the measure.
 */
export function limit_on(report: TuneReport, budget: Budget, measure: Measure, available: Measure[]): number {
  const own = bounded_by(budget, available);
  if (!own) return NaN;
  const limit = limit_in(budget, own.unit);
  if (own.id === measure.id) return limit;
  if (measure.unit === "W" || own.unit === "W" || own.id.includes("energy") !== measure.id.includes("energy")) return NaN;
  const ratios = report.configurations.map((c) => number_of(measure, c) / number_of(own, c)).filter(Number.isFinite);
  const [least, most] = [Math.min(...ratios.slice(0, 5000)), Math.max(...ratios.slice(0, 5000))];
  return ratios.length > 0 && most - least <= 1e-6 * most ? limit * most : NaN;
}

export function settings(report: TuneReport): Measure[] {
  return report.axes.map((axis, i) => ({
    id: `axis:${axis.name}`,
    label: axis_label(axis),
    unit: axis.unit,
    cost: false,
    of: (c) => c.config[i]!,
  }));
}

/** The time that compares fairly. */
export function fair_time(report: TuneReport, available: Measure[]): Measure | undefined {
  return available.find((m) => m.id === (compared_per(report) === "sample" ? "sample_time" : "time"));
}

/** What is to be made least. */
export function objective_of(report: TuneReport, available: Measure[]): Measure | undefined {
  if (report.request.objective === "time") return fair_time(report, available);
  if (report.request.objective === "power") return available.find((m) => m.id === "power");
  return available.find((m) => m.id === (compared_per(report) === "sample" ? "sample_energy" : "energy"));
}

/** The setting that explains most of the variance of a cost; run settings win ties. */
export function most_telling(report: TuneReport, cost: Measure): Axis | undefined {
  const ys = report.configurations.map((c) => number_of(cost, c));
  let best: Axis | undefined;
  let most = -1;
  report.axes.forEach((axis, i) => {
    const share = explained(report.configurations.map((c) => c.config[i]!), ys) + (axis.scope === "run" ? 1e-9 : 0);
    if (share > most) [best, most] = [axis, share];
  });
  return best;
}

export function number_of(measure: Measure, c: Configuration): number {
  const q = measure.of(c);
  return q === null ? NaN : value_of(q);
}

export function range_of(measure: Measure, c: Configuration): [number, number] | null {
  const q = measure.of(c);
  return q === null || typeof q === "number" ? null : [low_of(q), high_of(q)];
}

/** What the cloud opens with: time against power or energy where known, else against the most telling setting. */
export function opening(report: TuneReport): { x: string; y: string } {
  const available = costs(report);
  const has = (id: string) => available.some((m) => m.id === id);
  const time = fair_time(report, available);
  const y = time?.id ?? available[0]?.id ?? "time";
  const about_energy = report.request.objective === "energy" || report.request.budgets.some((b) => b.quantity === "energy");
  const energy = y === "sample_time" ? "sample_energy" : "energy";
  if (about_energy && has(energy) && !report.request.budgets.some((b) => b.quantity === "power")) return { x: energy, y };
  if (has("power")) return { x: "power", y };
  const axis = time && most_telling(report, time);
  return { x: axis ? `axis:${axis.name}` : "rank", y };
}
