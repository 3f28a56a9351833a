// The answer first: one sentence, the figures with their spread, and what to set.
import { consequence, headline, idle_words, not_established, oracle_words, upper_words } from "../answer.ts";
import { chip, h } from "../dom.ts";
import { axis_label, axis_value, duration, interval, number, plural, value_of } from "../format.ts";
import { compared_per, costs, type Measure } from "../measures.ts";
import { figure_text } from "../sheets/sheet.ts";
import type { Configuration, TuneReport } from "../view.ts";
import { delta, settings_strip } from "./beside.ts";

/** "25.2" and "W", "2" and "min 5 s". */
function amount_and_unit(words: string): [amount: string, unit: string] {
  const at = words.search(/[ \u202f](?=[^\d])/);
  return at < 0 ? [words, ""] : [words.slice(0, at), words.slice(at + 1)];
}

/** Is this figure's difference from the default more than noise? Yes where the program does not say. */
function established(report: TuneReport, measure: Measure): boolean {
  const of = report.comparison?.[measure.id === "power" ? "power" : measure.id.includes("energy") ? "energy" : "time"];
  return of?.established ?? !not_established(report);
}

function against(report: TuneReport, measure: Measure, c: Configuration, base: Configuration | undefined, base_name: string): HTMLElement | null {
  const [mine, theirs] = [measure.of(c), base ? measure.of(base) : null];
  if (base === c || mine === null || theirs === null) return null;
  return delta({ mine: value_of(mine), theirs: value_of(theirs), unit: measure.unit, whose: base_name, sure: established(report, measure) });
}

function figure(report: TuneReport, measure: Measure, c: Configuration): HTMLElement {
  const q = measure.of(c)!;
  const base = report.default ? report.configurations[report.default.configuration] : undefined;
  const spread = interval(q, measure.unit);
  const [amount, unit] = amount_and_unit(upper_words(report, measure, value_of(q)));
  return h("div", { class: "figure", "data-measure": measure.id },
    h("p", { class: "figure-label" }, measure.label),
    h("p", { class: "figure-value" }, amount!, h("small", {}, unit)),
    h("p", { class: "spread" }, chip(c.provenance), h("span", {}, spread)),
    against(report, measure, c, base, base?.provenance === c.provenance ? "by default" : `by default (${base?.provenance})`));
}

/** What the program reported of the choice: accuracy, memory. */
function reported(report: TuneReport): HTMLElement[] {
  return Object.entries(report.choice?.figures ?? {}).map(([name, value]) => {
    const [amount, unit] = amount_and_unit(figure_text(name, value));
    const by_default = report.default?.figures?.[name];
    return h("div", { class: "figure" },
      h("p", { class: "figure-label" }, name.charAt(0).toUpperCase() + name.slice(1)),
      h("p", { class: "figure-value" }, amount!, h("small", {}, unit)),
      h("p", { class: "spread" }, report.request.figure === undefined ? "reported by the program" : "of its load, median of its trials"),
      by_default !== undefined && h("p", { class: "delta" }, `by default ${figure_text(name, by_default)}`));
  });
}

/** Says in the figures' own place that power is missing, so that nobody takes silence for zero. */
function power_gap(report: TuneReport): HTMLElement | null {
  if (report.configurations.some((c) => c.power_w !== null)) return null;
  const gap = report.notes.find((n) => n.level === "gap" && /power/i.test(n.text));
  return h("div", { class: "figure missing" },
    h("p", { class: "figure-label" }, "Power and energy"),
    h("p", { class: "figure-value" }, "not available"),
    h("p", { class: "spread" }, gap?.text ?? "No configuration has a power figure."));
}

function effort(report: TuneReport): HTMLElement {
  const limit = report.request.profiles_limit;
  const from_store = report.profiled.filter((t) => t.from_store).length;
  const { profiles } = report.request;
  if (report.run.strategy === "exact")
    return h("div", { class: "figure" },
      h("p", { class: "figure-label" }, "Read from the table"),
      h("p", { class: "figure-value" }, number(report.configurations.length), h("small", {}, "configurations")),
      h("p", { class: "spread" }, "all of them are known: nothing is searched or predicted"));
  return h("div", { class: "figure" },
    h("p", { class: "figure-label" }, "Found with"),
    h("p", { class: "figure-value" }, String(profiles), h("small", {}, profiles === 1 ? "profile" : "profiles")),
    h("p", { class: "spread" }, `of ${plural(report.request.offered ?? report.configurations.length, "configuration")}, ${plural(report.profiled.length, "trial")} in ${duration(report.run.duration_s)}`),
    h("p", { class: "delta" }, [limit ? `at most ${plural(limit, "profile")} allowed` : "", from_store > 0 ? `${plural(from_store, "trial")} from the store` : ""].filter(Boolean).join(", ")));
}

function settings(report: TuneReport, c: Configuration): HTMLElement {
  const base = report.default ? report.configurations[report.default.configuration]! : null;
  return settings_strip(report.axes.map((axis, i) => {
    const [mine, theirs] = [c.config[i]!, base?.config[i]];
    const usual = theirs === undefined || theirs === mine ? {} : { usual: axis_value(axis, theirs) };
    return { label: axis_label(axis), name: axis.name, value: axis_value(axis, mine), ...usual };
  }));
}

/** The figures that head the page; a missing one is left out here and named under the gaps. */
function headline_measures(report: TuneReport, c: Configuration): Measure[] {
  return costs(report).filter((m) => m.id !== "epoch_energy" && !(compared_per(report) === "sample" && (m.id === "time" || m.id === "energy")) && m.of(c) !== null).slice(0, 4);
}

export function answer_section(report: TuneReport): HTMLElement {
  const { choice, infeasible, request } = report;
  const index = choice?.configuration ?? infeasible?.closest ?? null;
  const c = index === null ? null : report.configurations[index]!;
  const oracle = oracle_words(report);
  const verified = choice && report.run.strategy !== "exact" && h("p", { class: "verified" }, choice.verified ? "Verified: profiled once more after the search." : "Not verified by a second trial.");
  return h("section", { class: `answer ${choice ? "" : "infeasible"}`, "aria-label": "Answer" },
    h("p", { class: "eyebrow" }, `${request.phase === "train" ? "Training" : "Inference"} · ${request.workload} · ${request.device}`),
    h("h1", {}, headline(report)),
    not_established(report) && h("p", { class: "doubt" }, chip("difference not established", "warn")),
    h("p", { class: "consequence" }, consequence(report)),
    !choice && infeasible?.hint && h("p", { class: "hint" }, infeasible.hint),
    !choice && c && h("p", { class: "eyebrow closest" }, "The closest configuration"),
    c && settings(report, c),
    c && h("div", { class: "figures" }, ...headline_measures(report, c).map((m) => figure(report, m, c)), ...reported(report), power_gap(report), effort(report)),
    verified,
    idle_words(report) !== "" && h("p", { class: "verified" }, idle_words(report)),
    report.run.effort !== undefined && h("p", { class: "verified effort" }, `${report.run.effort}.`),
    request.asked !== undefined && h("p", { class: "verified" }, `Asked: ${request.asked}.`),
    oracle !== "" && h("p", { class: "oracle" }, oracle));
}
