// A plan for arriving requests: what its simulation gave, and what serving sooner costs in training.
import type { PlanArrivalPlan, PlanPage, PlanPreferencePoint, PlanSimulatedChoice } from "../contract.ts";
import type { SheetChart, SheetFigure, SheetTable } from "../view.ts";
import { choice_figures, cost, choice_headline, choice_settings, subject_words } from "./plan_words.ts";
import { exact, upper_number } from "../format.ts";
import { digits, facts, notes, table, type Sheet } from "./sheet.ts";
import { roles_words } from "../words.ts";

const percentile_words = (a: PlanArrivalPlan): string => `p${digits(a.percentile, 4)}`;

/** Of each service, ms; null: none. */
const limits_of = (a: PlanArrivalPlan): (number | null)[] => a.request.roles.filter((role) => role.phase !== "train").map((role) => role.latency_ms ?? null);

function figures(a: PlanArrivalPlan): SheetFigure[] {
  if (!a.choice || !a.simulated) return [];
  const { provenance } = a.simulated;
  const trains = a.preferences.length > 0;
  const own = choice_figures(a.choice, a.objective, null, null, a.request.power_budget_w).slice(trains ? 0 : 1);
  const limits = limits_of(a);
  const latencies = a.simulated.services.map((s, i): SheetFigure => ({
    label: `${percentile_words(a)} latency of ${s.workload}`, value: s.latency_ms, unit: "ms", limit: limits[i] ?? Infinity, provenance, note: s.late_pct === null ? "" : `${digits(s.late_pct, 2)} % late or refused`,
  }));
  return [...own, ...latencies, { label: "choices simulated", value: a.simulations, unit: "" }];
}

const wait_words = (p: PlanPreferencePoint): string => (p.chosen ? "as the preference weighs it" : p.gathers === null ? "until the latest safe time" : p.gathers === 1 ? "for no other request" : `for ${p.gathers} requests`);

const front_table = (a: PlanArrivalPlan): SheetTable => table("How soon, beside the training", `What serving sooner costs in training, for the choice (\`--prefer ${a.prefer}\`).`, a.preferences, [
  ["a batch waits", "", wait_words], ["median latency", "ms", (p) => p.median_ms], [`${percentile_words(a)} latency`, "ms", (p) => p.latency_ms], ["late or refused", "%", (p) => p.late_pct],
  ["training minibatches", "1/s", (p) => p.trainings_per_s], ["requests in a batch", "", (p) => p.mean_batch],
], () => "simulated", (p) => p.chosen);

/** Left out where all choices come to one place. */
function front_charts(a: PlanArrivalPlan): SheetChart[] {
  const known = a.preferences.filter((p) => p.median_ms !== null && p.trainings_per_s !== null);
  if (known.length < 3) return [];
  return [{
    title: "Latency against training", x: { label: "median latency", unit: "ms" }, y: { label: "training minibatches", unit: "1/s" }, limits: [],  // the budget is of a percentile, not of the median
    points: known.map((p) => ({ x: p.median_ms!, y: p.trainings_per_s!, label: `a batch waits ${wait_words(p)}`, group: "simulated", marked: p.chosen })),
  }];
}

/** "30.01 of 45 (keeps 30.1, too)"; one that is not told lies beyond its limit. */
function latency_words({ latency_ms, late_pct, kept_ms }: PlanSimulatedChoice["services"][number], limit_ms: number | null): string | null {
  if (latency_ms === null && late_pct === 0) return "no request came";
  if (limit_ms === null) return cost(latency_ms);
  if (latency_ms === null) return `beyond ${exact(limit_ms)}`;
  const kept = kept_ms !== null && kept_ms < limit_ms ? ` (keeps ${exact(kept_ms)}, too)` : "";
  return `${upper_number(latency_ms, limit_ms)} of ${exact(limit_ms)}${kept}`;
}

function services_table(a: PlanArrivalPlan): SheetTable {
  const limits = limits_of(a);
  const rows = ([["the answer", a.simulated], ["the plan for clockwork arrivals", a.clockwork]] as [string, PlanSimulatedChoice | null][])
    .flatMap(([name, choice]) => (choice ? choice.services.map((s, i) => ({ name, choice, s, limit_ms: limits[i] ?? null })) : []));
  return table("Under these arrivals", `Arrivals: ${a.arrivals.join(", ")}. A plan for clockwork arrivals takes no account of how they crowd.`, rows, [
    ["plan", "", (r) => r.name], ["service", "", (r) => r.s.workload], [`${percentile_words(a)} latency`, "ms", (r) => latency_words(r.s, r.limit_ms)], ["late or refused", "%", (r) => r.s.late_pct], ["requests in a batch", "", (r) => r.s.mean_batch],
    ...(a.preferences.length > 0 ? [["training minibatches", "1/s", (r: (typeof rows)[number]) => r.choice.trainings_per_s] as const] : []).map((c): [string, string, (r: (typeof rows)[number]) => number | null] => [...c]),
    ["power", "W", (r) => cost(r.choice.power_w, a.request.power_budget_w)], ["set", "", (r) => roles_words(r.choice.roles)],
  ], () => "simulated", (r) => r.choice === a.simulated);
}

// What is unusual about how requests wait.
function queue_words(a: PlanArrivalPlan): string {
  return `${a.overload === "late" ? ", late rather than refused" : ""}${a.queue === 4096 ? "" : `, at most ${a.queue} waiting`}`;
}

export function arrival_sheet(a: PlanArrivalPlan, apply: PlanPage["apply"]): Sheet {
  const { device, request } = a;
  return {
    title: `plan ${a.problem} on ${device.name} (simulated)`, subject: `Plan · ${a.problem} · ${subject_words(request)} · ${device.name} (simulated)`, started_at: a.started_utc, apply,
    headline: a.choice ? choice_headline(a.choice, a.objective, device.name) : `Nothing on ${device.name} meets the limits under these arrivals.`,
    lines: [`${digits(a.percentile, 4)} % of the requests are to be in time${queue_words(a)}; simulated as \`flyball serve\` runs them.`, a.infeasible?.reason, a.infeasible?.hint].filter((line): line is string => Boolean(line)),
    ...(a.choice ? { settings: choice_settings(a.choice, null) } : {}), figures: figures(a), charts: front_charts(a), tables: [front_table(a), services_table(a)],
    notes: notes("note", [a.stopped && `search ended: ${a.stopped}`, ...a.notes]),
    facts: [
      facts("Machine", [["name", device.name], ["fingerprint", device.fingerprint], ...Object.entries(device.conditions ?? {})]),
      facts("Run", [["started", a.started_utc], ["asked", a.asked], ["arrivals", a.arrivals.join(", ")], ["preference", a.prefer], ["seed", request.seed]]),
    ],
  };
}
