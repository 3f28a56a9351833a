// How far a campaign is: cells by their state, those first that somebody should look at.
import type { CampaignPage } from "../contract.ts";
import { duration, instant, plural } from "../format.ts";
import { facts, notes, table, type Sheet } from "./sheet.ts";

/** More rows than this are not looked through on a page. */
const most_cells = 1000;
const urgent = ["failed", "interrupted", "running", "queued", "missing", "done"] as const;

export function campaign_sheet({ answer: a }: CampaignPage): Sheet {
  const all = urgent.flatMap((state) => a.cells.filter((c) => c.state === state)), cells = all.slice(0, most_cells);
  const others = urgent.filter((state) => state !== "done" && a.counts[state] > 0).map((state) => `${a.counts[state]} ${state}`);
  const done = `${a.counts.done} of ${plural(a.cells.length, "cell")} ${a.counts.done === 1 ? "has" : "have"} an answer`;
  return {
    title: `campaign of ${plural(a.cells.length, "cell")}`, subject: `Campaign · ${a.campaign}`,
    headline: `${[done, ...others].join(", ")}${a.cancelled ? "; cancelled" : ""}.`,
    lines: [], figures: [], charts: [],
    tables: [table("Cells", cells.length < all.length ? `${cells.length} of ${all.length}: those without an answer come first.` : "", cells, [
      ["cell", "", (c) => c.cell], ["state", "", (c) => c.state], ["exit code", "", (c) => c.exit_code], ["attempts", "", (c) => c.attempts], ["heat stops", "", (c) => c.heat_stops],
      ["took", "", (c) => (c.seconds === null ? "" : duration(c.seconds))], ["ended", "", (c) => c.ended_utc === null ? "" : instant(c.ended_utc)], ["where", "", (c) => c.running_on ?? c.queue ?? c.host ?? ""], ["why", "", (c) => c.reason ?? ""],
    ], () => null, (c) => c.state === "failed")].filter((t) => t.rows.length > 0),
    facts: [facts("Campaign", [["file", a.campaign], ["folder", a.folder], ["executor", a.executor]])],
    notes: notes("note", a.notes),
  };
}
