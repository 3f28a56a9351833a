// Settings in words where only their keys are known: "cpu_cores 4, cpu_mhz 816" as "4 CPU cores, CPU at 816 MHz".
import type { CommonAxis as Axis, CommonConfig, PlanWindowRole } from "./contract.ts";
import { axis_value, list_words, setting_words } from "./format.ts";

/** As known_axes of space/axis.cc has them. */
const of_run = ["batch_size", "loader_workers", "prefetch", "tokens", "threads", "precision"];

/** The axis of a key: its unit is how the key ends. */
export function axis_of(name: string): Axis {
  const unit = name.endsWith("_mhz") ? "MHz" : name.endsWith("_w") ? "W" : name.endsWith("_ms") ? "ms" : "";
  return { name, unit, scope: of_run.includes(name) ? "run" : "board" };
}

export const config_words = (config: CommonConfig): string => Object.entries(config).map(([name, value]) => setting_words(axis_of(name), value)).join(", ");

export const setting_value = (name: string, value: number): string => axis_value(axis_of(name), value);

const of_scope = (config: CommonConfig, scope: Axis["scope"]): CommonConfig => Object.fromEntries(Object.entries(config).filter(([name]) => axis_of(name).scope === scope));

/** The mode of all roles; null where each has its own. */
export function mode_of(roles: PlanWindowRole[]): CommonConfig | null {
  const modes = roles.map((role) => of_scope(role.config, "board"));
  return modes.every((mode) => JSON.stringify(mode) === JSON.stringify(modes[0])) ? modes[0]! : null;
}

export interface Setting {
  /** Whose; empty: of the board. */
  role: string;
  name: string;
  value: number;
}

/** What each is called: its network; of two with one network by what it does, or which of them it is. */
function role_names(roles: (PlanWindowRole & { phase?: string })[]): string[] {
  if (roles.length < 2 || roles[0]!.workload !== roles[1]!.workload) return roles.map((r) => r.workload);
  if (roles[0]!.phase !== roles[1]!.phase) return roles.map((r) => `${r.workload} (${r.phase === "train" ? "training" : "serving"})`);
  return roles.map((r, i) => `the ${i === 0 ? "first" : "second"} ${r.workload}`);
}

/** What is set: the mode once, then what each role runs with. */
export function settings_of(roles: PlanWindowRole[]): Setting[] {
  const names = role_names(roles);
  const entries = (role: string, config: CommonConfig): Setting[] => Object.entries(config).map(([name, value]) => ({ role, name, value }));
  const mode = mode_of(roles);
  return [...(mode ? entries("", mode) : []), ...roles.flatMap((r, i) => entries(roles.length > 1 ? names[i]! : "", mode ? of_scope(r.config, "run") : r.config))];
}

/** "4 CPU cores and CPU at 816 MHz; lenet5 with batch size 2". */
export function roles_words(roles: PlanWindowRole[]): string {
  const all = settings_of(roles);
  const words = (settings: Setting[]) => list_words(settings.map((s) => setting_words(axis_of(s.name), s.value)));
  const named = [...new Set(all.map((s) => s.role))];
  return named.map((role) => (role === "" ? words(all.filter((s) => s.role === "")) : `${role} with ${words(all.filter((s) => s.role === role))}`)).join("; ");
}
