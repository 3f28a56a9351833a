import { h, section } from "../dom.ts";
import type { Note } from "../view.ts";

const words: Record<Note["level"], string> = { gap: "Not available", warning: "Doubtful", note: "Note" };

export function notes_section(report: { notes: Note[] }): HTMLElement | null {
  if (report.notes.length === 0) return null;
  return section("notes", "Gaps and remarks", "",
    h("ul", { class: "note-list" }, ...report.notes.map((n) => h("li", { class: n.level },
      h("b", {}, words[n.level]), h("div", {}, h("p", {}, n.text), n.hint && h("p", { class: "hint" }, n.hint))))));
}
