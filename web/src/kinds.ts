// Which sections a report of each kind has, in reading order. A new kind is one list here.
import type { ExperimentReport, Report, TuneReport } from "./contract.ts";
import { agreement_section } from "./sections/agreement.ts";
import { answer_section } from "./sections/answer.ts";
import { cloud_section } from "./sections/cloud.ts";
import { epochs_section, epochs_table_section } from "./sections/epochs.ts";
import { findings_section } from "./sections/findings.ts";
import { notes_section } from "./sections/notes.ts";
import { provenance_section } from "./sections/provenance.ts";
import { spread_section } from "./sections/spread.ts";
import { table_section } from "./sections/table.ts";
import { trials_section } from "./sections/trials.ts";

type Section<R> = (report: R) => HTMLElement | null;

const tune: Section<TuneReport>[] = [answer_section, cloud_section, trials_section, table_section, agreement_section, notes_section, provenance_section];
const experiment: Section<ExperimentReport>[] = [findings_section, epochs_section, spread_section, epochs_table_section, notes_section, provenance_section];

/** What draws the sections of this report. */
export function sections(report: Report): (() => HTMLElement | null)[] {
  return report.kind === "tune" ? tune.map((make) => () => make(report)) : experiment.map((make) => () => make(report));
}
