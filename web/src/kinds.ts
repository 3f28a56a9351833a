// What a report of each kind shows: a title, and sections in reading order. A new kind is one entry here.
import type { ExperimentPage, Report, TunePage } from "./contract.ts";
import { agreement_section } from "./sections/agreement.ts";
import { answer_section } from "./sections/answer.ts";
import { apply_section } from "./sections/apply.ts";
import { cloud_section } from "./sections/cloud.ts";
import { epochs_section, epochs_table_section } from "./sections/epochs.ts";
import { findings_section } from "./sections/findings.ts";
import { tune_heat } from "./sections/heat.ts";
import { latency_section } from "./sections/latency.ts";
import { sheet_meters } from "./sections/meters.ts";
import { notes_section } from "./sections/notes.ts";
import { provenance_section } from "./sections/provenance.ts";
import { record_section } from "./sections/record.ts";
import { serving_section } from "./sections/serving.ts";
import { sheet_answer, sheet_bars, sheet_beside, sheet_charts, sheet_facts, sheet_grids, sheet_tables } from "./sections/sheet.ts";
import { spread_section } from "./sections/spread.ts";
import { table_section } from "./sections/table.ts";
import { trials_section } from "./sections/trials.ts";
import { benchmark_sheet } from "./sheets/benchmark.ts";
import { boards_sheet } from "./sheets/boards.ts";
import { campaign_sheet } from "./sheets/campaign.ts";
import { evaluation_sheet } from "./sheets/evaluation.ts";
import { experiment_view } from "./sheets/experiment.ts";
import { findings_sheet } from "./sheets/findings.ts";
import { fleet_sheet } from "./sheets/fleet.ts";
import { front_sheet } from "./sheets/front.ts";
import { plan_sheet } from "./sheets/plan.ts";
import { profile_sheet } from "./sheets/profile.ts";
import { roofline_sheet } from "./sheets/roofline.ts";
import { record_sheet } from "./sheets/record.ts";
import { comparison_sheet, run_sheet } from "./sheets/runs.ts";
import { serve_sheet } from "./sheets/serve.ts";
import type { Sheet } from "./sheets/sheet.ts";
import { tune_report } from "./sheets/tune.ts";
import type { ExperimentView, TuneReport } from "./view.ts";

type Section<R> = (report: R) => HTMLElement | HTMLElement[] | null;

const tune: Section<TuneReport>[] = [answer_section, sheet_tables, apply_section, cloud_section, tune_heat, trials_section, table_section, agreement_section, notes_section, provenance_section];
const experiment: Section<ExperimentView>[] = [findings_section, epochs_section, spread_section, epochs_table_section, notes_section, provenance_section];
const sheet: Section<Sheet>[] = [sheet_answer, sheet_beside, apply_section, record_section, serving_section, latency_section, sheet_meters, sheet_charts, sheet_grids, sheet_bars, sheet_tables, notes_section];

/** The sheet of a report that is neither a tune nor an experiment. */
export function sheet_of(report: Exclude<Report, TunePage | ExperimentPage>): Sheet {
  switch (report.kind) {
    case "boards": return boards_sheet(report);
    case "campaign": return campaign_sheet(report);
    case "benchmark": return benchmark_sheet(report);
    case "evaluation": return evaluation_sheet(report);
    case "findings": return findings_sheet(report);
    case "plan": return plan_sheet(report);
    case "roofline": return roofline_sheet(report);
    case "fleet": return fleet_sheet(report);
    case "front": return front_sheet(report);
    case "profile": return profile_sheet(report);
    case "comparison": return comparison_sheet(report);
    case "run": return run_sheet(report);
    case "serve": return serve_sheet(report);
    case "record": return record_sheet(report);
  }
}

export interface Shown {
  title: string;
  /** Of the program that made it, and when. */
  version: string;
  at: string;
  /** What draws the sections. */
  sections: (() => HTMLElement | HTMLElement[] | null)[];
}

export function shown(report: Report): Shown {
  if (report.kind === "tune") {
    const view = tune_report(report);
    return { title: view.title, version: report.version, at: view.run.started_at, sections: tune.map((make) => () => make(view)) };
  }
  if (report.kind === "experiment") {
    const view = experiment_view(report);
    return { title: view.title, version: report.version, at: view.run.started_at, sections: experiment.map((make) => () => make(view)) };
  }
  const made = sheet_of(report);
  return { title: made.title, version: report.version, at: made.started_at ?? report.written_utc, sections: [...sheet.map((make) => () => make(made)), () => sheet_facts(made, report.command)] };
}
