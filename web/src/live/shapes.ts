// What the charts of the live page are drawn of; no page elements here, so that it can be tested.
import type { SheetChart } from "../view.ts";
import type { LiveState } from "./contract.ts";

export type Line = { name: string; data: [number, number | null][]; colour: string; dashed?: boolean };

/** The ends of the vertical axis, with room above the highest line; logarithmic where values lie far apart. */
export function heights(lines: Line[]): { log: boolean; low: number; high: number } {
  const values = lines.flatMap((l) => l.data.flatMap(([, v]) => (v === null ? [] : [v])));
  const high = Math.max(0, ...values);
  const least = Math.min(...values.filter((v) => v > 0));
  const log = lines.some((l) => l.dashed) && high / least > 20;
  return log ? { log, low: least / 1.5, high: high * 1.6 } : { log, low: 0, high: high > 0 ? high * 1.15 : 1 };
}

/** What serving sooner costs in training, by simulation of the plan; null where there is none. */
export function front_of({ front, services }: LiveState): SheetChart | null {
  const known = front.filter((p) => p.median_ms !== null && p.trainings_per_s !== null);
  if (known.length < 2 || services.length !== 1) return null;
  return {
    title: "Latency against training", x: { label: "median latency", unit: "ms" }, y: { label: "training minibatches", unit: "1/s" }, limits: [{ axis: "x", value: services[0]!.budget_ms, label: "budget" }],
    points: known.map((p) => ({ x: p.median_ms!, y: p.trainings_per_s!, label: "", group: "simulated", marked: p.chosen })),
  };
}
