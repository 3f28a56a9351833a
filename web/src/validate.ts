import { schema, type ExperimentReport, type Report, type TuneReport } from "./contract.ts";

/** Everything wrong with the document, in words; empty when it can be shown. */
export function problems(data: unknown): string[] {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return ["the data is not a JSON object"];
  const report = data as Partial<Report>;
  if (report.schema !== schema) {
    return [`schema is ${JSON.stringify(report.schema ?? null)}, this page shows ${JSON.stringify(schema)}`];
  }
  if (report.kind === "tune") return tune_problems(report as TuneReport);
  if (report.kind === "experiment") return experiment_problems(report as ExperimentReport);
  return [`kind ${JSON.stringify((data as { kind?: unknown }).kind ?? null)} is not known to this page`];
}

function tune_problems(r: TuneReport): string[] {
  const found: string[] = [];
  for (const key of ["request", "axes", "configurations", "profiled", "notes", "machine", "run"] as const) {
    if (typeof r[key] !== "object" || r[key] === null) found.push(`${key} is missing`);
  }
  if (found.length > 0) return found;

  const count = r.configurations.length;
  const wrong = r.configurations.findIndex((c) => c.config.length !== r.axes.length);
  if (wrong >= 0) found.push(`configurations[${wrong}] has ${r.configurations[wrong]!.config.length} values for ${r.axes.length} axes`);

  const check = (where: string, index: number | null | undefined) => {
    if (index === null || index === undefined) return;
    if (!Number.isInteger(index) || index < 0 || index >= count) found.push(`${where} is ${index}, there are ${count} configurations`);
  };
  check("choice.configuration", r.choice?.configuration);
  check("default.configuration", r.default?.configuration);
  check("infeasible.closest", r.infeasible?.closest);
  check("oracle.raw", r.oracle?.raw);
  check("oracle.robust", r.oracle?.robust);
  r.profiled.forEach((t, i) => check(`profiled[${i}].configuration`, t.configuration));
  r.front?.configurations.forEach((index, i) => check(`front.configurations[${i}]`, index));
  r.pairs?.forEach((p, i) => check(`pairs[${i}].configuration`, p.configuration));
  if (!r.choice && !r.infeasible) found.push("choice is null and infeasible does not say why");
  return found.slice(0, 12);
}

function experiment_problems(r: ExperimentReport): string[] {
  const found: string[] = [];
  for (const key of ["groups", "findings", "fixed", "varied", "notes", "machine", "run"] as const) {
    if (typeof r[key] !== "object" || r[key] === null) found.push(`${key} is missing`);
  }
  if (found.length > 0) return found;
  if (r.groups.length === 0) found.push("there are no groups: nothing was measured");
  r.groups.forEach((g, i) => {
    if (typeof g.first !== "object" || g.first === null) found.push(`groups[${i}].first is missing`);
    if (!Array.isArray(g.epochs) || g.epochs.length === 0) found.push(`groups[${i}] has no epochs`);
  });
  return found.slice(0, 12);
}
