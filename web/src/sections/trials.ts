// How the answer was found: the profiled trials in their order.
import { chip, h, section } from "../dom.ts";
import { fit_table } from "../fit.ts";
import { axis_label, axis_value, duration, exact, instant, interval, number, plural, value_of, with_unit } from "../format.ts";
import { compared_per, latency_of, per_sample } from "../measures.ts";
import { show } from "../select.ts";
import { figure_text, quantity } from "../sheets/sheet.ts";
import type { Quantity } from "../contract.ts";
import type { Trial, TuneReport } from "../view.ts";

/** Fetch stall and compute as parts of the end-to-end time. */
function split(trial: Trial, longest: number): HTMLElement | string {
  const { stall_ms, compute_ms, minibatch_ms } = trial;
  if (stall_ms === null || compute_ms === null || minibatch_ms === null) return "–";
  const parts = [`stall ${with_unit(stall_ms, "ms")}`, `compute ${with_unit(compute_ms, "ms")}`];
  const width = (ms: number) => `width:${((ms / longest) * 100).toFixed(2)}%`;
  return h("div", { class: "split" },
    h("div", { class: "bar", role: "img", "aria-label": parts.join(", ") }, h("i", { class: "stall", style: width(stall_ms) }), h("i", { class: "compute", style: width(compute_ms) })),
    h("small", { class: "parts" }, ...parts.map((p) => h("span", {}, p))));
}

function flags(report: TuneReport, trial: Trial): HTMLElement[] {
  const found: HTMLElement[] = [];
  if (report.choice?.configuration === trial.configuration) found.push(chip("choice"));
  if (report.default?.configuration === trial.configuration) found.push(chip("default"));
  if (trial.throttled) found.push(chip("throttled", "warn"));
  if (trial.disturbed !== null) found.push(chip("disturbed", "warn"));
  if (trial.repeat) found.push(chip("repeated", "warn"));
  if (trial.verification) found.push(chip("once more", "quiet"));
  if (trial.from_store) found.push(chip(trial.run === null ? "from the store" : `from run ${trial.run}`, "quiet"));
  return found;
}

/** What deserves doubt, but for what its flags say; answers of earlier versions have it in parts. */
function doubts_of({ doubts, other_cores, disturbed }: Trial): string {
  if (doubts !== undefined) return (doubts ?? "").replace(/^throttled(; )?/, "");
  return [other_cores !== null && other_cores >= 0.1 ? `others kept ${number(other_cores, 2)} cores busy` : "", disturbed === null ? "" : `beside ${disturbed}`].filter(Boolean).join("; ");
}

/** A simulated board and a table cannot be watched. */
const is_live = (trial: Trial): boolean => trial.provenance === "measured" && trial.origin === "live";

function row(report: TuneReport, trial: Trial, order: number, with_power: boolean, watched: boolean, longest: number): HTMLElement {
  const c = report.configurations[trial.configuration]!;
  const cell = (label: string, ...content: (Node | string | null | false)[]) => h("td", { "data-label": label }, h("div", {}, ...content));
  const evidence = [
    report.request.figure === undefined ? plural(trial.minibatches, "minibatch", "minibatches") : "",
    trial.window_s ? duration(trial.window_s) : "",
    trial.noise_pct === null ? "" : `noise ${number(trial.noise_pct, 2)}\u202f%`,
    trial.power_updates ? plural(trial.power_updates, "power update") : "",
    trial.throttled === null && watched && is_live(trial) ? "nobody looked whether the board throttled" : "",
    doubts_of(trial),
    trial.power_settled === false ? "power had not settled" : "",
    ...Object.entries(trial.figures).map(([name, value]) => `${name} ${figure_text(name, value)}`),
    trial.power_noise_pct === null ? "" : `power noise ${number(trial.power_noise_pct, 2)}\u202f%`,
    trial.total_s > 0 ? `${duration(trial.total_s)} in all` : "",
    ...trial.clocks.filter((c) => c.seen_min !== c.asked).map((c) => `${c.axis} ${with_unit(c.asked, c.unit)} read ${number(c.seen_mean, 4)} (least ${number(c.seen_min, 4)})`),
    ...(trial.clocks.length > 0 && trial.clocks.every((c) => c.seen_min === c.asked) ? ["clocks as asked"] : []),
    trial.from_store && trial.measured_utc ? instant(trial.measured_utc) : "",
  ].filter(Boolean);
  const shown = (q: Quantity | null, unit: string) => (q === null ? ["–"] : [h("b", {}, with_unit(value_of(q), unit)), h("small", {}, interval(q, unit))]);
  const settings = report.axes.map((a, i) => h("span", { title: axis_label(a) }, h("i", {}, `${axis_label(a)} `), axis_value(a, c.config[i]!)));
  return h("tr", { class: report.choice?.configuration === trial.configuration ? "is-choice" : "" },
    h("th", { scope: "row" }, h("button", { type: "button", class: "to-chart", title: "Show it on the chart", "aria-label": `Show trial ${order} on the chart`, onclick: () => show("chart", trial.configuration) }, String(order))),
    cell("Settings", h("div", { class: "setting-list" }, ...settings), h("p", { class: "why" }, trial.reason), h("p", { class: "flags" }, ...flags(report, trial))),
    // Its own reading: repeats are not their mean several times.
    cell(time_label(report), ...shown(per_sample(report, c, quantity(trial.minibatch_ms, trial.minibatch_ms_90)), "ms")),
    with_power && cell("Power", ...shown(quantity(trial.power_w, trial.power_w_90), "W")),
    report.request.figure === undefined && cell("Minibatch", split(trial, longest)),
    cell("Evidence", h("span", { class: "parts" }, ...evidence.map((e) => h("span", { class: e.length > 24 ? "long" : "" }, e))), h("small", {}, `stopped: ${trial.failure === null ? trial.stop_reason : `failed: ${trial.failure}`}`)));
}

function time_label(report: TuneReport): string {
  const per = compared_per(report);
  return latency_of(report) ?? (per === "minibatch" ? "Time" : `Time per ${per}`);
}

export function trials_section(report: TuneReport): HTMLElement | null {
  if (report.profiled.length === 0) return null;
  const with_power = report.profiled.some((t) => report.configurations[t.configuration]!.power_w !== null);
  const watched = report.profiled.some((t) => t.throttled !== null);
  const longest = Math.max(...report.profiled.map((t) => (t.stall_ms ?? 0) + (t.compute_ms ?? 0)), 1e-9);
  const key = h("span", { class: "bar-key" }, h("i", { class: "stall" }), "Fetch stall ", h("i", { class: "compute" }), "Compute");
  const heads = ["#", "Settings and why", time_label(report), ...(with_power ? ["Power"] : []), ...(report.request.figure === undefined ? [key] : []), "Evidence"];
  const known = report.profiled.filter((t) => t.from_store).length;
  const before = known > 0 ? `${plural(known, "trial")} known before, and ` : "";
  const lead = report.run.strategy === "exact" ? "Every row of the table is known: these are the default and the answer." : `${before}${plural(report.profiled.length - known, "trial")} by the strategy ${report.run.strategy}${report.run.predictor ? `, guided by the ${report.run.predictor} predictor` : ""}. Seed ${exact(report.run.seed)}.${watched || !report.profiled.some(is_live) ? "" : " Nobody looked whether the board throttled."}`;
  const table = h("table", { class: "trial-table" },
    h("thead", {}, h("tr", {}, ...heads.map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", {}, ...report.profiled.map((t, i) => row(report, t, i + 1, with_power, watched, longest))));
  const box = h("div", { class: "fitting" }, table);
  fit_table(box, table);
  return section("trials", "How it was found", lead, box);
}
