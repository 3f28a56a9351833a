// Which sections a report of each kind has, in reading order. A new kind is one entry here.
import type { Report } from "./contract.ts";
import { agreement_section } from "./sections/agreement.ts";
import { answer_section } from "./sections/answer.ts";
import { cloud_section } from "./sections/cloud.ts";
import { notes_section } from "./sections/notes.ts";
import { provenance_section } from "./sections/provenance.ts";
import { table_section } from "./sections/table.ts";
import { trials_section } from "./sections/trials.ts";

type Section = (report: Report) => HTMLElement | null;

export const kinds: Record<Report["kind"], Section[]> = {
  tune: [answer_section, cloud_section, trials_section, table_section, agreement_section, notes_section, provenance_section],
};
