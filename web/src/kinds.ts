// Which sections a report of each kind has, in reading order. A new kind is one list here.
import type { ExperimentReport, Report, SheetReport, TuneReport } from "./contract.ts";
import { agreement_section } from "./sections/agreement.ts";
import { answer_section } from "./sections/answer.ts";
import { apply_section } from "./sections/apply.ts";
import { cloud_section } from "./sections/cloud.ts";
import { epochs_section, epochs_table_section } from "./sections/epochs.ts";
import { findings_section } from "./sections/findings.ts";
import { tune_heat } from "./sections/heat.ts";
import { latency_section } from "./sections/latency.ts";
import { notes_section } from "./sections/notes.ts";
import { provenance_section } from "./sections/provenance.ts";
import { serving_section } from "./sections/serving.ts";
import { sheet_answer, sheet_bars, sheet_charts, sheet_facts, sheet_grids, sheet_tables } from "./sections/sheet.ts";
import { spread_section } from "./sections/spread.ts";
import { table_section } from "./sections/table.ts";
import { trials_section } from "./sections/trials.ts";

type Section<R> = (report: R) => HTMLElement | HTMLElement[] | null;

const tune: Section<TuneReport>[] = [answer_section, apply_section, cloud_section, tune_heat, trials_section, table_section, agreement_section, notes_section, provenance_section];
const experiment: Section<ExperimentReport>[] = [findings_section, epochs_section, spread_section, epochs_table_section, notes_section, provenance_section];
const sheet: Section<SheetReport>[] = [sheet_answer, apply_section, serving_section, latency_section, sheet_charts, sheet_grids, sheet_bars, sheet_tables, notes_section, sheet_facts];

/** What draws the sections of this report. */
export function sections(report: Report): (() => HTMLElement | HTMLElement[] | null)[] {
  if (report.kind === "tune") return tune.map((make) => () => make(report));
  if (report.kind === "experiment") return experiment.map((make) => () => make(report));
  return sheet.map((make) => () => make(report));
}

/** The program that made it, and when. */
export function made_by(report: Report): { version: string; at: string } {
  if (report.kind === "tune" || report.kind === "experiment") return { version: report.run.versions["flyball"] ?? "", at: report.run.started_at };
  return { version: report.version, at: report.started_at };
}
