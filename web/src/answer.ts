// The answer in words; no page elements here, so that it can be tested.
import { exact, list_words, more_or_less, percent_words, same_pct, setting_words, upper_number, value_of, with_unit } from "./format.ts";
import type { TuneLimit } from "./contract.ts";
import { figure_text } from "./sheets/sheet.ts";
import { compared_per, costs, fair_time, latency_of, limit_on, type Measure } from "./measures.ts";
import type { Budget, Configuration, Tabled, TuneReport } from "./view.ts";

export function budget_words(b: Budget): string {
  if (b.slowdown_pct !== undefined) return `limit of ${exact(b.slowdown_pct)}\u202f% on the slowdown against the default`;
  const amount = `${exact(b.limit)}\u202f${b.unit}`;
  return b.per === null ? `${amount} ${b.quantity} budget` : `${b.quantity} budget of ${amount} per ${b.per}`;
}

/** "memory ≤ 2 GB". */
const limit_words = ({ figure, at_most, at_least }: TuneLimit): string => (at_most === undefined ? `${figure} ≥ ${figure_text(figure, at_least!)}` : `${figure} ≤ ${figure_text(figure, at_most)}`);

export function settings_words(report: TuneReport, c: Configuration): string {
  return list_words(report.axes.map((axis, i) => setting_words(axis, c.config[i]!)));
}

/** One plain sentence: what to set and what it gives. */
export function headline(report: TuneReport): string {
  const { request, choice } = report;
  const verb = request.phase === "train" ? "Train" : "Serve";
  if (!choice) return `No configuration of ${request.workload} on ${request.device} meets the ${budgets_words(report)}.`;
  const c = report.configurations[choice.configuration]!;
  return `${verb} ${request.workload} on ${request.device} with ${settings_words(report, c)}.`;
}

function budgets_words(report: TuneReport): string {
  const budgets = [...report.request.budgets.map(budget_words), ...(report.request.limits ?? []).map((l) => `limit ${limit_words(l)}`)];
  return budgets.length === 0 ? "request" : list_words(budgets);
}

/** A cost with its unit, rounded up but not beyond a budget that it keeps: it may be typed as one. */
export function upper_words(report: TuneReport, measure: Measure, value: number): string {
  const available = costs(report);
  const limits = report.request.budgets.map((b) => limit_on(report, b, measure, available)).filter(Number.isFinite);
  const limit = Math.min(...limits, Infinity);
  return with_unit(value, measure.unit, (scaled) => upper_number(scaled, (limit * scaled) / value));
}

/** "A minibatch takes 150 ms"; a server has many requests under way at a time. */
function time_words(report: TuneReport, measure: Measure, ms: number): string {
  const latency = latency_of(report);
  if (latency !== undefined) return `${latency}: ${upper_words(report, measure, ms)}`;
  const per = compared_per(report);
  return report.request.figure === undefined ? `A ${per} takes ${upper_words(report, measure, ms)}` : `It answers ${with_unit(1000 / ms, `${per}s/s`)}`;
}

/** What the choice gives, and what it costs or saves against the default: that in the words of the terminal. */
export function consequence(report: TuneReport): string {
  if (!report.choice) return report.infeasible?.reason ?? "";
  const c = report.configurations[report.choice.configuration]!;
  const parts: string[] = [];
  const available = costs(report);
  const fair = fair_time(report, available);
  const time = fair?.of(c) ?? null;
  if (fair && time !== null) parts.push(time_words(report, fair, value_of(time)));
  const subject = latency_of(report) !== undefined ? "it draws" : parts.length > 0 ? "draws" : "It draws";
  if (c.power_w !== null) parts.push(`${subject} ${upper_words(report, available.find((m) => m.id === "power")!, value_of(c.power_w))}`);
  let text = list_words(parts);
  if (report.request.budgets.length + (report.request.limits ?? []).length > 0) text += `, within the ${budgets_words(report)}`;
  const against = report.comparison?.text ?? "";
  if (text === "") return against === "" ? "" : `${against.charAt(0).toUpperCase()}${against.slice(1)}.`;
  return against === "" ? `${text}.` : `${text}: ${against}.`;
}

/** How much of the choice's power is drawn without any work; "" where that is not known. */
export function idle_words(report: TuneReport): string {
  const idle = report.choice?.idle;
  return idle ? `Of its power ${with_unit(idle.power_w, "W")} (${percent_words(100 * idle.share)}\u202f%) is idle power of this mode${idle.measured_utc === null ? ", simulated" : ""}.` : "";
}

/** Noise, or a busy machine, explains what the choice seems to gain or lose against the default. */
export function not_established(report: TuneReport): boolean {
  const { comparison, choice, request } = report;
  if (!comparison || comparison.established || choice?.configuration === report.default?.configuration) return false;
  const change = comparison[request.objective];
  return change === null || Math.abs(change.pct) >= same_pct;
}

/** How far the choice is from the optimum of a fully known table; empty without an oracle. */
export function oracle_words(report: TuneReport): string {
  const { oracle, choice, request } = report;
  if (!oracle || !choice) return "";
  const excluded = oracle.excluded_rows ? ` The robust one leaves out ${oracle.excluded_rows} rows of doubtful power.` : "";
  if (oracle.text) return `Over the whole table: ${oracle.text}.${excluded}`;
  const of = (c: Configuration | Tabled) => (request.objective === "time" ? c.time_ms : request.objective === "power" ? c.power_w : c.energy_j);
  const mine = of(report.configurations[choice.configuration]!);
  const parts: string[] = [];
  const equal: string[] = [];
  const compare = (name: string, index: number | null, tabled: Tabled | null | undefined) => {
    const best = index === null ? null : of(tabled ?? report.configurations[index]!);
    if (best === null || mine === null) return;
    const words = more_or_less(value_of(mine), value_of(best));
    if (words === "the same") equal.push(`the ${name}`);
    else parts.push(`${words} than the ${name} optimum (${with_unit(value_of(best), unit(request.objective))})`);
  };
  compare("raw", oracle.raw, oracle.raw_tabled);
  compare("robust", oracle.robust, oracle.robust_tabled);
  if (equal.length > 0) parts.unshift(`equal to ${list_words(equal)} optimum`);
  if (parts.length === 0) return "";
  return `Over the whole table, its ${request.objective} is ${list_words(parts)}.${excluded}`;
}

const unit = (objective: "time" | "power" | "energy") => ({ time: "ms", power: "W", energy: "J" })[objective];
