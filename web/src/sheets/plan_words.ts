// What the pages of all plans say alike: a choice in words, its settings and figures beside the default.
import type { PlanChoice, PlanEstablished, PlanRequest, PlanRole } from "../contract.ts";
import { axis_label, list_words, upper_number } from "../format.ts";
import type { ShownSetting } from "../sections/beside.ts";
import type { SheetFigure } from "../view.ts";
import { axis_of, roles_words, setting_value, settings_of } from "../words.ts";

/** Is more of the objective better? */
export const counts_up = (objective: string): boolean => objective === "throughput" || objective === "minibatches";

const job_words = (role: Pick<PlanRole, "workload" | "phase">): string => `${role.phase === "train" ? "train" : "serve"} ${role.workload}`;

/** Rounded so that it may be typed as a limit, and never beyond the one that it keeps. */
export const cost = (value: number | null, limit: number | null = null): string | null => (value === null ? null : upper_number(value, limit ?? Infinity));

/** "Train a and serve b on orin_nano with 3 CPU cores, …". */
export function choice_headline(choice: PlanChoice, objective: string, device: string): string {
  const idle = counts_up(objective) && choice.value === 0;
  const [left, run] = [choice.roles.filter((r) => r.phase === "train"), choice.roles.filter((r) => !idle || r.phase !== "train")];
  const jobs = list_words(run.map(job_words));
  const none = idle ? ` No time is left to train ${list_words(left.map((r) => r.workload))} in.` : "";
  return `${jobs.charAt(0).toUpperCase()}${jobs.slice(1)} on ${device} with ${roles_words(run)}.${none}`;
}

export const subject_words = (request: PlanRequest): string => request.roles.map((role) => `${role.workload} (${role.phase === "train" ? "training" : "serving"})`).join(" and ");

export function choice_settings(choice: PlanChoice, usual: PlanChoice | null): ShownSetting[] {
  const known = usual ? settings_of(usual.roles) : [];
  return settings_of(choice.roles).map(({ role, name, value }) => {
    const theirs = known.find((s) => s.role === role && s.name === name)?.value;
    const label = axis_label(axis_of(name));
    return {
      label: role === "" ? label : `${label} of ${role}`, name, value: setting_value(name, value),
      ...(theirs === undefined || theirs === value ? {} : { usual: setting_value(name, theirs) }),
    };
  });
}

/** Objective and power, and what they are by default; answers of earlier versions do not say whether that is a difference. */
export function choice_figures(choice: PlanChoice, objective: string, usual: PlanChoice | null, established: PlanEstablished | null = null, budget_w: number | null = null): SheetFigure[] {
  const whose = usual && usual.provenance !== choice.provenance ? `by default (${usual.provenance})` : "by default";
  const against = (theirs: number | null | undefined, sure: boolean, more: boolean): Pick<SheetFigure, "usual"> => (theirs == null ? {} : { usual: { theirs, whose, sure, more } });
  const { provenance } = choice;
  return [
    { label: objective, value: choice.value, unit: choice.value_unit, ...(counts_up(objective) ? {} : { limit: Infinity }), provenance, ...against(usual?.value, established?.objective ?? true, counts_up(objective)) },
    { label: "power", value: choice.power_w, unit: "W", limit: budget_w ?? Infinity, provenance, ...against(usual?.power_w, established?.power ?? true, false) },
  ];
}
