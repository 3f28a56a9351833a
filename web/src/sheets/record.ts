// A record of hours: its energy, and what its sensors showed over time.
import type { RecordChannel, RecordPage } from "../contract.ts";
import { trace_of } from "../charts/record.ts";
import { duration, number } from "../format.ts";
import { bytes_words, facts, notes, table, type Recorded, type Sheet } from "./sheet.ts";

const gap_words = (gap: number): string => (gap > 0 ? `${duration(gap)} not measured` : "");
const is_power = (c: RecordChannel): boolean => c.kind === "power" || c.kind === "energy_counter";

/** What of it was thinned, in words. */
function thinned_notes({ answer: a }: RecordPage): string[] {
  const found: string[] = [];
  const add = (since: number, words: string) => { if (since > a.begin_s) found.push(`Thinned before ${duration(since)}: ${words}. The file had reached its bound of ${bytes_words(a.most_bytes)}.`); };
  add(a.thinned.samples_since_s, "of power there are least, mean and largest value by second");
  add(a.thinned.slow_since_s, "of what is read once a second there are values by minute");
  add(a.thinned.seconds_since_s, "of power there are values by minute");
  return found;
}

function recorded({ answer: a, begin_s, curves, width_s }: RecordPage): Recorded {
  const traces = a.channels.map((channel, i) => trace_of(channel, curves[i]!, begin_s, width_s, a.thinned));
  return {
    file: a.file, simulated: a.provenance === "simulated", from: a.begin_s, to: a.end_s, width_s, marks: a.marks,
    power: traces.filter((_, i) => is_power(a.channels[i]!)), others: traces.filter((_, i) => !is_power(a.channels[i]!)),
  };
}

export function record_sheet(page: RecordPage): Sheet {
  const a = page.answer;
  const length = duration(a.end_s - a.begin_s);
  const provenance = a.provenance;
  const part = a.end_s - a.begin_s < a.seconds ? ` of ${duration(a.seconds)}` : "";
  return {
    title: a.file, subject: `Record · ${a.board}`, headline: `${length}${part} on ${a.board}.`, ...(provenance === "simulated" ? {} : { started_at: a.started_utc }), // its day begins in 1970
    lines: a.stopped === null ? ["It was not closed: what was recorded in its last second may be missing."] : [],
    figures: a.totals.map((t) => ({ label: `energy, ${t.name}`, value: t.energy_j, unit: "J", provenance, note: [t.error_j === null ? "" : `± ${number(t.error_j, 2)} J`, t.mean_w === null ? "" : `${number(t.mean_w, 4)} W in the mean`, gap_words(t.gap_s)].filter(Boolean).join("; ") })),
    charts: [],
    tables: [
      table("Energy by rail", "Over the time that was measured; nothing is added for the rest.", a.channels.filter(is_power), [
        ["sensor", "", (c) => c.name], ["part of", "", (c) => c.total], ["energy", "J", (c) => c.energy_j ?? null], ["±", "J", (c) => c.error_j ?? null], ["mean", "W", (c) => c.mean], ["least", "W", (c) => c.min], ["largest", "W", (c) => c.max], ["not measured", "s", (c) => c.gap_s],
      ], () => provenance),
      table("What else was read", "", a.channels.filter((c) => !is_power(c)), [
        ["sensor", "", (c) => c.name], ["unit", "", (c) => c.unit], ["mean", "", (c) => c.mean], ["least", "", (c) => c.min], ["largest", "", (c) => c.max],
      ], () => provenance),
    ].filter((t) => t.rows.length > 0),
    notes: [...notes("gap", a.gaps.map((g) => g.message)), ...notes("warning", [...thinned_notes(page), ...a.damaged.map((d) => `Left out: ${d}`)]), ...notes("note", [a.remarks])],
    facts: [facts("Record", [["file", a.file], ["size", bytes_words(a.bytes)], ["bound", bytes_words(a.most_bytes)], ["device", a.device], ["samples of power", `${a.rate_hz} a second`], ["one value on this page", duration(page.width_s)], ["ended", a.stopped ?? "not closed"], ["runs", a.runs.map((run) => `${run.number} (${run.command}) of ${run.place}`).join(", ")], ["reading and writing took", a.own_cpu_percent === null ? "" : `${number(a.own_cpu_percent, 2)} % of one core`], ["command", a.command]])],
    record: recorded(page),
  };
}
