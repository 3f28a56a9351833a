// All fixtures by name, and the documents that pages are opened with.
import type { Report } from "../src/contract.ts";
import type { TuneReport } from "../src/view.ts";
import { record_page } from "./fixtures/record.ts";
import { dynamic_page, plan_page, profile_page, roofline_page, run_page } from "./fixtures/sheets.ts";
import { campaign_page, fleet_page } from "./fixtures/fleet.ts";
import { benchmark_page, boards_page, evaluation_page, experiment_page, findings_page } from "./fixtures/studies.ts";
import { batch_report, infeasible_report, large_report, no_power_report, power_report, wide_report } from "./fixtures/tune.ts";
import { page_of } from "./tune_page.ts";

/** What a page is to be opened with: what it is to show, or its document. */
export type Shown = TuneReport | Report;

export const document_of = (shown: Shown): Report => ("machine" in shown ? page_of(shown) : shown);

export const fixtures: Record<string, () => Shown> = {
  record: record_page,
  power: power_report, no_power: no_power_report, infeasible: infeasible_report, large: large_report, experiment: experiment_page, findings: findings_page, evaluation: evaluation_page, boards: boards_page, fleet: fleet_page, campaign: campaign_page, benchmark: benchmark_page,
  batch: batch_report, unsure: () => batch_report(false), wide: wide_report, plan: plan_page, dynamic: dynamic_page, run: run_page, profile: profile_page, roofline: roofline_page,
};
