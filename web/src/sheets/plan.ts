// A plan: one answer with what it leaves of each limit, or a mode for each window of a changing rate.
import type { CommonTrial, Plan, PlanChoice, PlanDynamicPlan, PlanPage, PlanTogether } from "../contract.ts";
import type { SheetChart, SheetFigure, SheetPoint, SheetTable } from "../view.ts";
import { exact, list_words, plural, upper_number } from "../format.ts";
import { config_words, roles_words } from "../words.ts";
import { arrival_sheet } from "./arrival_plan.ts";
import { cost, counts_up, choice_figures, choice_headline, choice_settings, subject_words } from "./plan_words.ts";
import { digits, facts, notes, presets_table, quantity, simulated_words, table, type Sheet } from "./sheet.ts";

type Answer = Plan | PlanDynamicPlan;

const windows_of = (a: Answer) => ("windows" in a ? a.windows : []);
const choice_of = (a: Answer): PlanChoice | null => ("windows" in a ? null : a.choice);
type Purchase = Pick<Plan["would_buy"][number], "gain_pct" | "provenance" | "choice">;
const settings = (choice: PlanChoice): string => JSON.stringify(choice.roles.map((role) => role.config));

function headline(a: Answer): string {
  const choice = choice_of(a);
  if ("windows" in a && a.windows.length === 0) return `No plan serves every window on ${a.device.name}.`;
  if (windows_of(a).length > 0) return `A mode for each of ${windows_of(a).length} windows on ${a.device.name}.`;
  if ("together" in a && a.together?.refused) return `What was chosen on ${a.device.name} does not run together.`;
  return choice ? choice_headline(choice, a.objective, a.device.name) : `Nothing that was tried on ${a.device.name} meets the limits.`;
}

function figures(a: Answer): SheetFigure[] {
  const choice = choice_of(a);
  const chosen = "windows" in a || !choice ? [] : choice_figures(choice, a.objective, a.default, (a as Plan).established ?? null, a.request.power_budget_w);
  return [...chosen, ...(windows_of(a).length > 0 ? window_figures(a as PlanDynamicPlan) : []), { label: "found with", value: a.profiles, unit: "profiles", note: effort_note(a) }];
}

/** Trials that were known before cost no profile. */
function effort_note({ profiled, trials }: Answer): string {
  const known = profiled.filter((t) => t.from_store).length;
  return `in ${plural(trials - known, "trial")}${known > 0 ? ` now and ${known} known before` : ""}`;
}

function window_figures(a: PlanDynamicPlan): SheetFigure[] {
  const alone: SheetFigure = { label: "with one mode throughout", value: a.static_value, unit: a.value_unit };
  if (a.static_value === null) alone.note = "no profiled one serves all windows";
  else if (a.request.strategy !== "exact") alone.note = "the best of those that were profiled";
  return [{ label: `${a.objective} over all windows`, value: a.value, unit: a.value_unit }, alone, { label: "switches", value: a.switches, unit: "" }];
}

const windows_table = (a: Answer): SheetTable => table("The windows", "", windows_of(a), [
  ["window", "", (_, i) => i + 1], ["requests", "1/s", (w) => w.rate_hz], ["for", "s", (w) => w.seconds], ["objective", (a as PlanDynamicPlan).value_unit, (w) => w.value], ["set", "", (w) => roles_words(w.choice)], ["switch to it", "J", (w) => (w.switches ? w.switch_j : "")],
], (w) => w.provenance);

/** "24.96 W"; of an arrival rate as it is. */
function used_words({ used, limit, unit, constraint }: Plan["limits"][number]): string {
  if (used === null) return "";
  return `${constraint === "arrival rate" ? exact(used) : upper_number(used, limit ?? Infinity)} ${unit}`;
}
/** As it was typed; an arrival rate that could be sustained is cut. */
function limit_words({ limit, unit, constraint }: Plan["limits"][number]): string {
  return limit === null ? "" : `${constraint === "arrival rate" ? digits(limit, 4) : exact(limit)} ${unit}`;
}

const limits_table = ({ limits, choice }: Plan): SheetTable => table("What it leaves of each limit", "A limit that binds is used up, and keeps a better choice out.", limits, [
  ["limit", "", (l) => l.constraint], ["of", "", (l) => l.workload], ["used", "", used_words], ["at most", "", limit_words], ["", "", (l) => (l.binds ? "binds" : "")],
], () => choice?.provenance);

/** "11 %", or that there is none, as far as that is known. */
function gain_words({ gain_pct, provenance }: Purchase, from_none: boolean): string {
  if (gain_pct && from_none) return "some, from none";
  if (gain_pct) return `${digits(gain_pct, 2)} %`;
  if (gain_pct === null) return "not known";
  return provenance === undefined || provenance === "predicted" ? "none is predicted" : "nothing";
}

function prices_table({ would_buy, unmeasured, objective, choice: now }: Plan): SheetTable {
  const then = ({ gain_pct, choice }: Purchase): string => (gain_pct && choice.value !== null ? `${digits(choice.value, 4)} ${choice.value_unit}` : "");
  return table("What a little more would buy", "", [...would_buy, ...(unmeasured ? [{ what: "more profiles", ...unmeasured }] : [])], [
    ["easing", "", (p) => p.what], ["gain", "", (p) => gain_words(p, counts_up(objective) && now?.value === 0)], ["then", "", then], ["at", "", (p) => (p.gain_pct ? roles_words(p.choice.roles) : "")],
  ], (p) => p.provenance ?? (p.gain_pct ? p.choice.provenance : null));
}

/** The alternatives, and the answer where it lies on none of them: another is as good at less power. */
function options_of({ front, choice }: Plan): { option: PlanChoice; marked: boolean }[] {
  const chosen = choice && settings(choice);
  const among = front.some((option) => settings(option) === chosen);
  const by_power = [...front, ...(choice && !among ? [choice] : [])].sort((x, y) => (x.power_w ?? 0) - (y.power_w ?? 0));
  return by_power.map((option) => ({ option, marked: settings(option) === chosen }));
}

const front_table = (a: Plan): SheetTable => table("Alternatives at other powers", "", options_of(a), [
  ["power", "W", ({ option }) => cost(option.power_w, a.request.power_budget_w)], [a.objective, a.front[0]?.value_unit ?? "", ({ option }) => (counts_up(a.objective) ? option.value : cost(option.value))], ["set", "", ({ option }) => roles_words(option.roles)],
], ({ option }) => option.provenance, ({ marked }) => marked);

/** What is drawn: the alternatives, the default, and what is predicted where a limit is eased. */
function drawn_options(a: Plan): SheetPoint[] {
  const named = (option: PlanChoice, name: string): SheetPoint[] => (option.power_w === null || option.value === null ? [] : [{
    x: option.power_w, y: option.value, label: roles_words(option.roles), group: option.provenance, marked: false, ...(name === "" ? {} : { name }),
  }]);
  const own = options_of(a).flatMap(({ option, marked }) => named(option, "").map((point) => ({ ...point, marked })));
  const eased = [...a.would_buy.map((p) => ({ ...p, name: `with ${p.what}` })), ...(a.unmeasured ? [{ ...a.unmeasured, name: "with more profiles" }] : [])];
  const usual = a.default && settings(a.default) !== (a.choice && settings(a.choice)) ? named(a.default, "default") : [];
  return [...own, ...usual, ...eased.filter((p) => p.gain_pct).flatMap((p) => named(p.choice, p.name))];
}

function front_charts(a: Plan): SheetChart[] {
  const points = drawn_options(a);
  const budget = a.request.power_budget_w;
  const unit = (a.choice ?? a.front[0] ?? a.default)?.value_unit ?? "";
  return points.length < 2 ? [] : [{
    title: "Power against the objective", x: { label: "power", unit: "W" }, y: { label: a.objective, unit }, limits: budget === null ? [] : [{ axis: "x", value: budget, label: "budget" }], points,
  }];
}

const origin_words = (t: CommonTrial): string => (!t.from_store ? "" : t.run === null ? " (from the store)" : ` (from run ${t.run})`);

const profiled_table = (a: Answer): SheetTable => table("What was profiled", "In its order.", a.profiled, [
  ["#", "", (_, i) => i + 1], ["workload", "", (t) => t.service ?? t.workload], ["set", "", (t) => config_words(t.config)], ["minibatch", "ms", (t) => (t.failure === null ? quantity(t.minibatch_ms, t.minibatch_ms_90) : `failed: ${t.failure}`)],
  ["power", "W", (t) => quantity(t.power_w, t.power_w_90)], ["why", "", (t) => `${t.reason}${origin_words(t)}`], ["also known", "", (t) => t.doubts ?? ""],
], (t) => (t.failure === null ? t.provenance : null));

/** What the simulated board, or over tables the scheduler, did with both roles at once. */
const together_facts = (t: PlanTogether) => facts(`Both simulated at once, ${t.sharing === "scheduled" ? "as flyball serve runs them" : "in turns"}`, t.refused !== null ? [["refused", t.refused]] : [
  ["for", `${digits(t.seconds, 3)} s`], ["training minibatches", `${digits(t.train_per_s!, 4)}/s${t.planned_per_s === null ? "" : ` (planned ${digits(t.planned_per_s, 4)}/s)`}`], ["longest latency", t.latency_ms === null ? "not told" : `${digits(t.latency_ms, 4)} ms`],
  ["while the hungrier runs", t.hungrier_w === null ? "not told" : `${digits(t.hungrier_w, 4)} W`], ["requests late or refused", t.late_pct === null ? "not told" : `${digits(t.late_pct, 2)} %`], ["requests without an answer at the end", t.late === null ? null : String(t.late)],
]);

/** What each role does alone does not show what both do to each other. */
function together_note({ together: t, request: { power_budget_w: budget } }: Plan): string {
  if (t?.refused) return `both at once do not run: ${t.refused}`;
  const late = t?.late_pct ?? 0, watts = t?.hungrier_w ?? 0;
  const found = [late > 0 ? `${digits(late, 2)} % of the requests come later than asked for` : "", budget !== null && watts > budget ? `the hungrier one draws more than the ${digits(budget, 4)} W that were asked for` : ""].filter(Boolean);
  return found.length === 0 ? "" : `both simulated at once, ${list_words(found)}: the plan rests on what each role does alone`;
}

export function plan_sheet({ answer, apply }: PlanPage): Sheet {
  return "arrivals" in answer ? arrival_sheet(answer, apply) : searched_sheet(answer, apply);
}

function searched_sheet(a: Answer, apply: PlanPage["apply"]): Sheet {
  const { device, request } = a;
  const simulated = simulated_words([...a.profiled, ...windows_of(a)]);
  const one = "windows" in a ? null : a;
  const comparison = one?.comparison ? [`${one.comparison.charAt(0).toUpperCase()}${one.comparison.slice(1)}.`] : [];
  return {
    title: `plan ${a.problem} on ${device.name}${simulated}`, subject: `Plan · ${a.problem} · ${subject_words(request)} · ${device.name}${simulated}`, headline: headline(a), started_at: a.started_utc, apply,
    lines: [...comparison, ...[a.infeasible?.reason, a.infeasible?.hint].filter((line): line is string => Boolean(line))], figures: figures(a), charts: one ? front_charts(one) : [],
    ...(one?.choice ? { settings: choice_settings(one.choice, one.default) } : {}), beside: one ? [presets_table(one.presets ?? [])] : [],
    tables: [windows_table(a), ...(one ? [limits_table(one), prices_table(one), front_table(one)] : []), profiled_table(a)],
    notes: [...notes("warning", [one && together_note(one)]), ...notes("note", [a.stopped && `search ended: ${a.stopped}`, ...a.notes])],
    facts: [
      facts("Machine", [["name", device.name], ["fingerprint", device.fingerprint], ...Object.entries(device.conditions ?? {})]),
      ...(one?.together ? [together_facts(one.together)] : []),
      facts("Run", [["run", a.run ?? "not kept"], ["started", a.started_utc], ["asked", a.asked], ["strategy", request.strategy], ["predictor", request.strategy === "exact" ? null : request.predictor], ["seed", request.seed]]),
    ],
  };
}
