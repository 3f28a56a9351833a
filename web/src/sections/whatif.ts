// The budget slider: what the predictions say another budget would give.
import type { Moved } from "../charts/cloud.ts";
import { settings_words } from "../answer.ts";
import { chip, h } from "../dom.ts";
import { high_of, interval, more_or_less, value_of, with_unit } from "../format.ts";
import { number_of } from "../measures.ts";
import { show } from "../select.ts";
import { answer_at, limit_at, question_of, slider_steps, step_at, type Question } from "../whatif.ts";
import type { TuneReport } from "../view.ts";

function found_words(report: TuneReport, question: Question, index: number): (Node | string)[] {
  const c = report.configurations[index]!;
  const q = question.objective.of(c)!;
  const used = question.measure.of(c)!;
  const chosen = report.choice ? report.configurations[report.choice.configuration]! : null;
  const against = chosen && index !== report.choice!.configuration ? more_or_less(value_of(q), number_of(question.objective, chosen)) : "";
  const spread = interval(q, question.objective.unit);
  const high = high_of(used);
  return [
    h("b", {}, with_unit(value_of(q), question.objective.unit)), / per \w+$/.exec(question.objective.label)?.[0] ?? "", spread === "" ? "" : h("small", {}, ` ${spread}`), " at ",
    h("b", {}, with_unit(value_of(used), question.measure.unit)),
    value_of(used) < high ? h("small", {}, ` up to ${with_unit(high, question.measure.unit)}`) : "",
    against === "" ? "" : `: ${against}${against === "the same" ? " as" : " than"} the choice`, ". ",
    chip(c.provenance), ` ${settings_words(report, c)}.`,
    c.provenance === "predicted" ? h("small", {}, " Not tried yet: tune with that budget before you rely on it.") : "",
  ];
}

/** `on_move` hears what the slider found, or null where it stands as asked. Null where there is nothing to move. */
export function whatif(report: TuneReport, on_move: (moved: Moved | null) => void): HTMLElement | null {
  const question = question_of(report);
  if (!question) return null;
  const { measure } = question;
  const name = measure.label.toLowerCase();
  const start = Number.isFinite(question.asked) ? question.asked : question.most;
  const amount = h("output", {});
  const words = h("p", { class: "whatif-answer", role: "status" });
  const slider = h("input", { type: "range", min: 0, max: slider_steps, step: 1, value: step_at(question, start), "aria-label": `Most ${name}`, oninput: () => move(Number(slider.value)) });
  const reset = h("button", { type: "button", class: "plain", onclick: () => { slider.value = String(step_at(question, start)); as_asked(); } }, "As asked");
  const to_row = h("button", { type: "button", class: "plain" }, "Its row");
  to_row.addEventListener("click", () => { if (at !== null) show("row", at); });
  let at: number | null = null;

  function as_asked() {
    amount.textContent = with_unit(start, measure.unit);
    slider.setAttribute("aria-valuetext", amount.textContent);
    at = report.choice?.configuration ?? null;
    const who = report.run.strategy === "exact" ? "the table says" : "the predictions say";
    words.replaceChildren(Number.isFinite(question!.asked) ? `As asked. Move it to see what ${who} of another budget.` : `Without a budget. Move it to see what ${who} of less ${name}.`);
    reset.disabled = true;
    to_row.hidden = at === null;
    on_move(null);
  }
  function move(step: number) {
    const limit = limit_at(question!, step);
    at = answer_at(report, question!, limit);
    amount.textContent = with_unit(limit, measure.unit);
    slider.setAttribute("aria-valuetext", amount.textContent);
    reset.disabled = false;
    to_row.hidden = at === null;
    if (at === null) words.replaceChildren(`Nothing that is known or predicted keeps within ${amount.textContent}.`);
    else words.replaceChildren(...found_words(report, question!, at));
    on_move({ measure, limit, text: `at ${amount.textContent}`, found: at });
  }
  as_asked();
  return h("div", { class: "whatif" },
    h("label", {}, h("span", {}, `Most ${name}`), slider, amount), reset, to_row, words);
}
