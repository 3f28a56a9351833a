import { schema, type ExperimentPage, type Report, type PlanPage, type RecordPage, type ServePage, type SheetGrid, type TunePage } from "./contract.ts";
import * as validators from "./validators.ts";

/** What a check says of the first thing that is wrong. */
interface Fault {
  /** `/configurations/3/time_ms`. */
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
}

type Validator = ((data: unknown) => boolean) & { errors?: Fault[] | null };

const validator_of: Partial<Record<string, Validator>> = validators;

/** Everything wrong with the document, in words; empty when it can be shown. */
export function problems(data: unknown): string[] {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return ["the data is not a JSON object"];
  const report = data as Partial<Report>;
  if (report.schema !== schema) {
    return [`schema is ${JSON.stringify(report.schema ?? null)}, this page shows ${JSON.stringify(schema)}`];
  }
  const validate = report.kind === undefined ? undefined : validator_of[report.kind];
  if (validate === undefined) {
    return [`kind ${JSON.stringify((data as { kind?: unknown }).kind ?? null)} is not known to this page`];
  }
  // Of several forms that a value may have, the last fault speaks of all of them.
  if (!validate(data)) return validate.errors!.slice(-1).map(in_words);
  return beyond_schema(data as Report).slice(0, 12);
}

/** What no schema says. */
function beyond_schema(report: Report): string[] {
  switch (report.kind) {
    case "tune": return tune_problems(report);
    case "experiment": return experiment_problems(report);
    case "plan": return plan_problems(report);
    case "serve": return serve_problems(report);
    case "record": return record_problems(report);
    case "roofline": case "front": return table_problems(report.tables);
    default: return [];
  }
}

function in_words({ instancePath, keyword, params }: Fault): string {
  const where = instancePath.slice(1).replace(/\/(\d+)(?=\/|$)/g, "[$1]").replaceAll("/", ".");
  const below = (key: unknown) => (where === "" ? `${key}` : `${where}.${key}`);
  if (keyword === "required") return `${below(params["missingProperty"])} is missing`;
  if (keyword === "additionalProperties") return `${below(params["additionalProperty"])} is not known to this page`;
  if (keyword === "type") return `${where} is not of type ${[params["type"]].flat().join(" or ")}`;
  return `${where} is none of what it may be`;
}

/** Configurations that are there, rows as wide as the axes. */
function tune_problems({ answer: a, configurations: rows }: TunePage): string[] {
  const found: string[] = [];
  const wrong = rows?.findIndex((c) => c.config.length !== a.axes.length) ?? -1;
  if (wrong >= 0) found.push(`configurations[${wrong}] has ${rows![wrong]!.config.length} values for ${a.axes.length} axes`);
  const known = new Set(rows?.map((c) => c.config.join()));
  const check = (where: string, { config }: { config: Record<string, number> }) => {
    const missing = a.axes.find(({ name }) => config[name] === undefined);
    if (missing) found.push(`${where} has no ${missing.name}`);
    else if (rows && !known.has(a.axes.map(({ name }) => config[name]).join())) found.push(`${where} is not among the ${rows.length} configurations`);
  };
  if (a.choice) check("answer.choice", a.choice);
  check("answer.default", a.default);
  for (const list of ["profiled", "front", "held_out"] as const) a[list].forEach((c, i) => check(`answer.${list}[${i}]`, c));
  if (!a.choice && !a.infeasible) found.push("answer.choice is null and answer.infeasible does not say why");
  return found;
}

function experiment_problems({ answer: { groups } }: ExperimentPage): string[] {
  if (groups.length === 0) return ["answer.groups is empty: nothing was measured"];
  return groups.flatMap((g, i) => (g.epochs.length === 0 ? [`answer.groups[${i}] has no epochs`] : []));
}

/** Columns of a timeline are as long as it has windows, those of its spans as each other, and each belongs to a service or training. */
function serve_problems({ answer: { timeline, services, training }, latency, spans }: ServePage): string[] {
  const found: string[] = [];
  const check = (where: string, holder: object, length: number) => {
    for (const [name, column] of Object.entries(holder)) {
      if (Array.isArray(column) && column.length !== length) found.push(`${where}.${name} has ${column.length} values for ${length}`);
    }
  };
  timeline.services.forEach((s, i) => check(`answer.timeline.services[${i}]`, s, timeline.windows));
  timeline.training.forEach((t, i) => check(`answer.timeline.training[${i}]`, t, timeline.windows));
  check("answer.timeline", { switching: timeline.switching, saving: timeline.saving, power_w: timeline.power_w }, timeline.windows);
  const { tracks, ...columns } = spans;
  check("spans", columns, spans.track.length);
  if (spans.track.some((t) => t >= tracks.length)) found.push(`spans.track names more than ${tracks.length} tracks`);
  if (services.length !== timeline.services.length || training.length !== timeline.training.length) found.push("answer.timeline is of other services or trainings");
  if (latency.length !== services.length) found.push(`latency is of ${latency.length} services, there are ${services.length}`);
  return found;
}

/** A curve for each channel, each with columns of one length. */
function record_problems({ answer: { channels }, curves, width_s }: RecordPage): string[] {
  const found = curves.flatMap((c, i) => [c.min, c.mean, c.max].some((column) => column.length !== c.after.length) ? [`curves[${i}] has columns of different lengths`] : []);
  if (curves.length !== channels.length) found.push(`there are ${curves.length} curves of ${channels.length} channels`);
  if (!(width_s > 0)) found.push("width_s is not above 0");
  return found;
}

/** Configurations as wide as their axes. */
const table_problems = (tables: SheetGrid[]): string[] => tables.flatMap((g, i) => g.configurations.flatMap((c, k) =>
  c.config.length === g.axes.length ? [] : [`tables[${i}].configurations[${k}] has ${c.config.length} values for ${g.axes.length} axes`]));

/** An answer, or why there is none. */
const plan_problems = ({ answer: a }: PlanPage): string[] => (("windows" in a ? a.windows.length > 0 : a.choice) || a.infeasible ? [] : ["the answer has no choice, and answer.infeasible does not say why"]);
