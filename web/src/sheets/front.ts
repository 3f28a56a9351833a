// Pareto fronts of measured tables, with a heat map of each.
import type { FrontPage, TablesFronts, TablesRow } from "../contract.ts";
import type { SheetChart } from "../view.ts";
import { facts, notes, type Sheet } from "./sheet.ts";
import { config_words } from "../words.ts";

const title_of = (f: TablesFronts): string => `${f.workload} ${f.phase} on ${f.device}`;

function charts(f: TablesFronts): SheetChart[] {
  const per = f.per_sample ? "sample" : "minibatch";
  const time = (r: TablesRow) => (f.per_sample ? r.sample_ms : r.minibatch_ms)!;
  const chart = (rows: TablesRow[], name: string, unit: string, cost: (r: TablesRow) => number): SheetChart => ({
    title: `${title_of(f)}: front of time and ${name}`, x: { label: name, unit }, y: { label: `time per ${per}`, unit: "ms" }, limits: [],
    points: rows.map((r) => ({ x: cost(r), y: time(r), label: config_words(r.config), group: r.provenance, marked: false })),
    lines: [{ label: "Pareto front", points: rows.map((r) => [cost(r), time(r)]) }],
  });
  return [chart(f.power_front, "power", "W", (r) => r.power_w!), chart(f.energy_front, `energy per ${per}`, "J", (r) => (f.per_sample ? r.sample_j : r.minibatch_j)!)];
}

export function front_sheet({ answer: { workloads }, tables }: FrontPage): Sheet {
  const powered = workloads.filter((f) => f.has_power);
  const sum = (of: TablesFronts[], count: (f: TablesFronts) => number) => of.reduce((all, f) => all + count(f), 0);
  const title = workloads.length === 1 ? title_of(workloads[0]!) : `${workloads.length} workloads`;
  return {
    title: `front of ${title}`, subject: `Pareto front · ${title}`, lines: [], figures: [], tables: [], grids: tables, charts: powered.flatMap(charts),
    headline: `Nothing beats ${sum(powered, (f) => f.power_front.length)} of ${sum(powered, (f) => f.configurations)} configurations in time and power.`,
    facts: workloads.map((f) => facts(title_of(f), [["power total", f.power_total], ["configurations", f.configurations]])),
    notes: notes("gap", workloads.map((f) => !f.has_power ? `${title_of(f)} holds no power readings, so there is no front` : "")),
  };
}
