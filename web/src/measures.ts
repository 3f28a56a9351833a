// What can stand on an axis of the cloud: costs (time, power, energy) and the settings themselves.
import type { Axis, Budget, Configuration, Quantity, TuneReport } from "./contract.ts";
import { axis_label, high_of, low_of, value_of } from "./format.ts";
import { explained } from "./stats.ts";

export interface Measure {
  id: string;
  label: string;
  unit: string;
  /** Less is better; false for settings. */
  cost: boolean;
  /** The quantity of the budget that bounds it, and what that budget covers. */
  budget?: { quantity: "time" | "power" | "energy"; per: "minibatch" | "epoch" | null };
  of(c: Configuration): Quantity | null;
}

function scaled(q: Quantity | null, factor: number): Quantity | null {
  if (q === null) return null;
  return typeof q === "number" ? q * factor : [q[0] * factor, q[1] * factor, q[2] * factor];
}

/** Minibatches in an epoch for a configuration; the last one may be partial. */
function epoch_factor(report: TuneReport): ((c: Configuration) => number) | null {
  const { samples_per_epoch: samples, batch_size: fixed } = report.request;
  if (!samples) return null;
  const axis = report.axes.findIndex((a) => a.name === "batch_size");
  if (axis < 0 && !fixed) return null;
  return (c) => Math.ceil(samples / (axis < 0 ? fixed! : c.config[axis]!));
}

/** The costs that at least one configuration has, the most telling ones first. */
export function costs(report: TuneReport): Measure[] {
  const batch = report.axes.findIndex((a) => a.name === "batch_size");
  const epoch = epoch_factor(report);
  const all: Measure[] = [
    { id: "time", label: "Time per minibatch", unit: "ms", cost: true, budget: { quantity: "time", per: "minibatch" }, of: (c) => c.time_ms },
    { id: "power", label: "Power", unit: "W", cost: true, budget: { quantity: "power", per: null }, of: (c) => c.power_w },
    { id: "energy", label: "Energy per minibatch", unit: "J", cost: true, budget: { quantity: "energy", per: "minibatch" }, of: (c) => c.energy_j },
  ];
  if (epoch) {
    all.push(
      { id: "epoch_time", label: "Time per epoch", unit: "s", cost: true, budget: { quantity: "time", per: "epoch" }, of: (c) => scaled(c.time_ms, epoch(c) / 1000) },
      { id: "epoch_energy", label: "Energy per epoch", unit: "J", cost: true, budget: { quantity: "energy", per: "epoch" }, of: (c) => scaled(c.energy_j, epoch(c)) },
    );
  }
  if (batch >= 0) {
    all.push({ id: "sample_time", label: "Time per sample", unit: "ms", cost: true, of: (c) => scaled(c.time_ms, 1 / c.config[batch]!) });
  }
  return all.filter((m) => report.configurations.some((c) => m.of(c) !== null));
}

const factors: Record<string, number> = { "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, mW: 1e-3, W: 1, mJ: 1e-3, J: 1, kJ: 1e3 };

/** The limit of a budget in another unit of the same quantity; NaN when a unit is unknown. */
export function limit_in(budget: Budget, unit: string): number {
  const [from, to] = [factors[budget.unit] ?? NaN, factors[unit] ?? NaN];
  return from === to ? budget.limit : (budget.limit * from) / to;
}

/** Whether a configuration's known figures keep within every budget that this page can check. */
export function within_budgets(report: TuneReport, available: Measure[]): (c: Configuration) => boolean {
  const checks = report.request.budgets.flatMap((b) => {
    const measure = available.find((m) => m.budget?.quantity === b.quantity && m.budget.per === b.per);
    return measure ? [{ measure, limit: limit_in(b, measure.unit) }] : [];
  });
  return (c) => checks.every(({ measure, limit }) => number_of(measure, c) <= limit);
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

/** The time that compares fairly: minibatches of unlike size do not. */
export function fair_time(report: TuneReport, available: Measure[]): Measure | undefined {
  const has = (id: string) => available.find((m) => m.id === id);
  const batch = report.axes.findIndex((a) => a.name === "batch_size");
  const unlike = batch >= 0 && new Set(report.configurations.map((c) => c.config[batch])).size > 1;
  return unlike ? (has("epoch_time") ?? has("sample_time")) : has("time");
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
  const energy = y === "epoch_time" ? "epoch_energy" : "energy";
  if (about_energy && has(energy) && !report.request.budgets.some((b) => b.quantity === "power")) return { x: energy, y };
  if (has("power")) return { x: "power", y };
  const axis = time && most_telling(report, time);
  return { x: axis ? `axis:${axis.name}` : "rank", y };
}
