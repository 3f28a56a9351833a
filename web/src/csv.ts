import type { Quantity } from "./contract.ts";
import { high_of, low_of, value_of } from "./format.ts";
import type { TuneReport } from "./view.ts";

/** All configurations, axes under their CSV names; an unknown value is an empty field. */
export function to_csv(report: TuneReport): string {
  const quantities: [string, (i: number) => Quantity | null][] = [
    ["minibatch_ms", (i) => report.configurations[i]!.time_ms],
    ["power_w", (i) => report.configurations[i]!.power_w],
    ["energy_j", (i) => report.configurations[i]!.energy_j],
  ];
  const head = [...report.axes.map((a) => a.name), ...quantities.flatMap(([n]) => [n, `${n}_low`, `${n}_high`]), "provenance", "front"];
  const lines = report.configurations.map((c, i) => [
    ...c.config,
    ...quantities.flatMap(([, of]) => {
      const q = of(i);
      return q === null ? ["", "", ""] : typeof q === "number" ? [q, "", ""] : [value_of(q), low_of(q), high_of(q)];
    }),
    c.provenance, c.front ? 1 : 0,
  ].join(","));
  return [head.join(","), ...lines, ""].join("\n");
}
