// What another budget would give, read from the figures that the page holds: measured ones and predictions.
import { bounded_by, costs, keeps_own_limits, limit_in, number_of, objective_of, within, type Measure } from "./measures.ts";
import type { Budget, Configuration, TuneReport } from "./view.ts";

export interface Question {
  /** What the slider bounds. */
  measure: Measure;
  objective: Measure;
  /** The budget in whose place it stands; null where power was not bounded. */
  budget: Budget | null;
  /** What was asked, in the unit of the measure; NaN where nothing was. */
  asked: number;
  /** The ends of the slider. */
  least: number;
  most: number;
}

/** The first budget that this page can move, else power; null where there is nothing to ask. */
export function question_of(report: TuneReport): Question | null {
  const available = costs(report);
  const objective = objective_of(report, available);
  if (!objective) return null;
  const budget = report.request.budgets.find((b) => bounded_by(b, available)) ?? null;
  const measure = budget ? bounded_by(budget, available)! : objective.id === "power" ? undefined : available.find((m) => m.id === "power");
  if (!measure || measure.id === objective.id) return null;
  const kept = within(report.request.budgets.filter((b) => b !== budget), available);
  const own = keeps_own_limits(report);
  const values = report.configurations.filter((c, i) => kept(c) && own(i)).map((c) => number_of(measure, c)).filter(Number.isFinite);
  if (values.length < 3) return null;
  const [low, high] = values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
  const asked = budget ? limit_in(budget, measure.unit) : NaN;
  // Neither end is a place without an answer, but where one was asked for.
  return low < high ? { measure, objective, budget, asked, least: Math.min(low, Number.isFinite(asked) ? asked : low), most: Math.max(high, Number.isFinite(asked) ? asked : high) } : null;
}

/** The least of the objective under this limit, the other budgets kept; null: nothing meets it. */
export function answer_at(report: TuneReport, question: Question, limit: number): number | null {
  const kept = within(report.request.budgets.filter((b) => b !== question.budget), costs(report));
  const own = keeps_own_limits(report);
  const rounded = limit * (1 + 1e-9);
  let best: number | null = null;
  let least = Infinity;
  report.configurations.forEach((c: Configuration, i) => {
    const value = number_of(question.objective, c);
    if (!(value < least) || !(number_of(question.measure, c) <= rounded) || !kept(c) || !own(i)) return;
    [best, least] = [i, value];
  });
  return best;
}

const steps = 400;

/** The slider's position as a limit: even steps, or even ratios where the ends lie far apart. */
export function limit_at(question: Question, step: number): number {
  const { least, most } = question;
  if (step >= steps) return most;
  const share = step / steps;
  return least > 0 && most / least > 10 ? least * (most / least) ** share : least + (most - least) * share;
}

export function step_at(question: Question, limit: number): number {
  const { least, most } = question;
  const share = least > 0 && most / least > 10 ? Math.log(limit / least) / Math.log(most / least) : (limit - least) / (most - least);
  return Math.round(Math.max(0, Math.min(1, share)) * steps);
}

export const slider_steps = steps;
