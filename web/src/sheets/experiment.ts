// What an experiment measured.
import type { ExperimentPage } from "../contract.ts";
import type { ExperimentView, Fact } from "../view.ts";
import { list_words } from "../format.ts";
import { notes } from "./sheet.ts";

export function experiment_view({ answer: a, command, version }: ExperimentPage): ExperimentView {
  const simulated = a.device.endsWith("(simulated)") ? " (simulated)" : "";
  const { workload, phase, seed } = a.fixed;
  const varied = a.varied.length > 0 ? ` · varied: ${list_words(a.varied.map((name) => name.replaceAll("_", " ")))}` : "";
  const facts: Fact[] = a.dataset ? [{ name: "samples of the dataset", value: String(a.dataset.samples) }, { name: "bytes of its files", value: String(a.dataset.bytes) }] : [];
  if (a.compute !== null) facts.push({ name: "networks compute on", value: a.compute });
  return {
    title: `${a.title}${simulated}`, subject: `${workload} ${phase === "infer" ? "inference" : "training"} on ${a.device}${varied}`, command, groups: a.groups, findings: a.findings,
    notes: [...notes("gap", a.gaps), ...notes("warning", a.doubts)], machine: { name: a.device, fingerprint: a.fingerprint, facts },
    run: {
      id: a.experiment, started_at: a.measured_utc ?? a.started_utc, duration_s: a.seconds, seed: Number(seed), strategy: "every setting, repeat by repeat", predictor: null, power_total: a.power_total, intervals: {}, versions: { flyball: version },
    },
  };
}
