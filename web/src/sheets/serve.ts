// Serving and training in turns.
import type { ServePage, ServeService, ServeTraining } from "../contract.ts";
import type { SheetFigure, SheetTable } from "../view.ts";
import { duration, exact } from "../format.ts";
import { digits, facts, notes, table, times, type Serving, type Sheet } from "./sheet.ts";
import { config_words } from "../words.ts";

type Answer = ServePage["answer"];

/** Counts of five digits and more with thousands apart. */
const grouped = (text: string): string => text.replace(/(?<![\w.])\d{5,}(?![\w.])/g, (all) => exact(Number(all)));

function figures(a: Answer): SheetFigure[] {
  const provenance = a.simulated ? "simulated" : "measured";
  const of_service = ({ name, latency_ms, requests: r }: ServeService): SheetFigure[] => [
    { label: `p99 latency of ${name}`, value: latency_ms.p99, unit: "ms", provenance, note: `of a budget of ${latency_ms.budget} ms` },
    { label: `late, refused or failed of ${name}`, value: r.arrived === 0 ? null : (100 * (r.late + r.refused + r.failed)) / r.arrived, unit: "%", provenance, note: `${r.late} late, ${r.refused} refused, ${r.failed} failed, of ${r.arrived}` },
  ];
  const of_training = (t: ServeTraining): SheetFigure => ({
    label: `minibatches of ${t.name}`, value: t.minibatches, unit: "", provenance,
    note: t.planned ? `${((100 * t.minibatches) / t.planned).toFixed(1)} % of the plan` : `${digits(t.minibatches / (a.seconds ?? NaN))} per second, no plan`,
  });
  const power: SheetFigure = a.energy_j === null ? { label: "power", value: a.power_w, unit: "W", note: "not known: see the notes" } : { label: "power", value: a.power_w, unit: "W", provenance, note: "mean of the run" };
  return [...a.services.flatMap(of_service), ...a.training.map(of_training), power];
}

function tables(a: Answer): SheetTable[] {
  const known = () => (a.simulated ? "simulated" : "measured") as "simulated" | "measured";
  const share = (busy_s: number | null) => times(busy_s, 100 / (a.seconds ?? NaN));
  const last = a.replan_count > a.replans.length ? ` The last ${a.replans.length} of ${a.replan_count}.` : "";
  const { measured } = a;
  return [
    table("New plans", `What had changed, and what was done about it.${last}`, a.replans, [
      ["at", "s", (r) => r.at_s], ["why", "", (r) => r.why], ["planned for", "1/s", (r) => r.rate_hz], ["batch", "", (r) => r.batch], ["mode", "", (r) => r.mode], ["switched", "", (r) => (r.switched ? "yes" : "no")],
    ]),
    ...(measured ? [table("Modes measured while it served", `Power modes that nobody had profiled, ${measured.most} at most.${measured.gap ? ` No more: ${measured.gap}.` : ""}`, measured.modes, [
      ["at", "s", (m) => m.at_s], ["for", "s", (m) => m.seconds], ["mode", "", (m) => m.mode], ["batches", "", (m) => m.batches], ["training minibatches", "", (m) => m.minibatches],
      ["power", "W", (m) => m.power_w], ["left before its time", "", (m) => m.left ?? "no"],
    ])] : []),
    table("Requests and their latency", "From arrival to answer, the queue included.", a.services, [
      ["service", "", (s) => s.name], ["arrived", "", (s) => s.requests.arrived], ["answered", "", (s) => s.requests.answered], ["late", "", (s) => s.requests.late], ["refused", "", (s) => s.requests.refused], ["failed", "", (s) => s.requests.failed],
      ["budget", "ms", (s) => s.latency_ms.budget], ["p50", "ms", (s) => s.latency_ms.p50], ["p95", "ms", (s) => s.latency_ms.p95], ["p99", "ms", (s) => s.latency_ms.p99], ["max", "ms", (s) => s.latency_ms.max],
    ], known),
    table("Batches", "", a.services, [
      ["service", "", (s) => s.name], ["batches", "", (s) => s.batches.run], ["mean", "", (s) => s.batches.mean], ["largest", "", (s) => s.batches.largest], ["planned", "", (s) => s.batches.planned],
      ["largest queue", "", (s) => s.largest_queue], ["of the time", "%", (s) => share(s.busy_s)], ["energy per request", "J", (s) => s.energy_j_per_request],
    ], known),
    table("Training in the gaps", a.training_blocked ?? "", a.training, [
      ["training", "", (t) => t.name], ["minibatches", "", (t) => t.minibatches], ["planned", "", (t) => t.planned], ["of the time", "%", (t) => share(t.busy_s)],
      ["minibatches per second", "1/s", (t) => times(t.minibatches, 1 / (a.seconds ?? NaN))], ["energy per minibatch", "J", (t) => t.energy_j_per_minibatch],
    ], known),
  ];
}

const serving = ({ answer: a, latency, spans }: ServePage): Serving => ({
  simulated: a.simulated, seconds: a.seconds ?? 0, replans: a.replans.map((r) => ({ ...r, at_s: r.at_s ?? 0 })), power_gap: a.power_gap, timeline: a.timeline, spans,
  services: a.services.map((s, i) => ({ name: s.name, budget_ms: s.latency_ms.budget ?? 0, latency: latency[i]! })),
  trainings: a.training.map((t) => ({ name: t.name, planned_per_s: times(t.planned, 1 / (a.seconds ?? NaN)) })),
});

export function serve_sheet(page: ServePage): Sheet {
  const { answer: a } = page;
  const trained = a.training.length > 0 ? `, ${a.training.map((t) => t.name).join(" and ")} trained in the gaps` : "";
  const names = `${a.services.map((s) => s.name).join(" and ")} served${trained}`;
  return {
    title: `${a.simulated ? "simulated: " : ""}${names} on ${a.device}`, subject: `Serve · ${a.device}${a.simulated ? " · simulated time, no request was ever sent" : ""}`,
    headline: grouped(`${a.simulated ? "Simulated: " : ""}${a.verdict}`), started_at: a.started_utc, lines: a.training_blocked ? [`${a.training_blocked}.`] : [],
    figures: figures(a), charts: [], tables: tables(a), serving: serving(page),
    notes: [
      ...notes("note", [a.simulated ? "simulated: the scheduler is the one that serves live; how long minibatches take and what they draw is looked up in tables" : ""]),
      ...notes("gap", [a.power_gap && `no power: ${a.power_gap}`]), ...notes("note", a.notes),
    ],
    facts: [facts("Machine", [["name", a.device]]), facts("Run", [
      ["started", a.started_utc], ["length", `${duration(a.seconds ?? 0)}${a.simulated ? " of simulated time" : ""}`], ["decisions", a.decisions], ["switches of mode", a.switches],
      ...(a.plan ?? []).map((role): [string, string] => [`plan of ${role.workload}`, config_words(role.config)]),
    ])],
  };
}
