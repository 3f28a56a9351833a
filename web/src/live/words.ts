// What the live page says beside its charts; no page elements here, so that it can be tested.
import type { InputState, LiveState, ServiceState } from "./contract.ts";
import { number, plural, short_number, with_unit } from "../format.ts";

export interface Told {
  /** For tests and styles. */
  name: string;
  label: string;
  amount: string;
  unit: string;
  note: string;
}

const share = (part: number, whole: number): string => (whole > 0 ? `${number((100 * part) / whole, 2)}\u202f%` : "–");

/** "8.3 ms" as its two parts. */
function split(value: number | null, unit: string): Pick<Told, "amount" | "unit"> {
  if (value === null) return { amount: "–", unit };
  const [amount, shown = unit] = with_unit(value, unit).split(/\u202f(?=[^\d])/);
  return { amount: amount!, unit: shown };
}

export function budget_words(s: ServiceState): string {
  const margin = s.margin_ms > 0 ? `, ${with_unit(s.margin_ms, "ms")} of it kept for the client's side` : "";
  return `budget ${with_unit(s.budget_ms, "ms")}${margin}`;
}

function of_service(s: ServiceState): Told[] {
  const p99 = s.recent_p99_ms === null ? "none answered in the last minute" : `99 % within ${with_unit(s.recent_p99_ms, "ms")}`;
  const failed = s.failed > 0 ? `, failed ${s.failed}` : "";
  return [
    { name: "latency", label: `${s.name}: median latency, last minute`, ...split(s.recent_p50_ms, "ms"), note: `${p99}; ${budget_words(s)}` },
    { name: "answered", label: `${s.name}: answered since the start`, amount: short_number(s.answered, 6), unit: s.answered === 1 ? "request" : "requests", note: `late ${s.late} (${share(s.late, s.answered)}), refused ${s.refused}${failed}; ${s.waiting} waiting now` },
  ];
}

const preferences: Record<string, [amount: string, note: string]> = {
  latency: ["latency", "the soonest answers that keep 99 % of the training"],
  training: ["training", "batches start at the latest safe time"],
};

/** `--prefer`, where something trains. */
function preference({ prefer, trainings }: LiveState): Told[] {
  if (trainings.length === 0) return [];
  const [amount, note] = preferences[prefer] ?? [prefer, `1 % of training is worth ${prefer} of median latency`];
  return [{ name: "prefer", label: "Preferred (--prefer)", amount, unit: "", note }];
}

/** The figures that head the page. */
export function figures_of(state: LiveState): Told[] {
  return [
    ...state.services.flatMap(of_service),
    ...state.trainings.map((t): Told => ({
      name: "trained", label: `${t.name}: trained since the start`, amount: short_number(t.minibatches, 6), unit: t.minibatches === 1 ? "minibatch" : "minibatches",
      note: t.loss === null ? "its loss is not known" : `loss ${number(t.loss)}, mean of the last 50`,
    })),
    ...preference(state),
    state.power_w === null
      ? { name: "power", label: "Power", amount: "not available", unit: "", note: "no sensor: `flyball doctor` says why" }
      : { name: "power", label: "Power of the board", ...split(state.power_w, "W"), note: "mean of the last second" },
    { name: "plans", label: "Planned anew", amount: String(state.replans), unit: state.replans === 1 ? "time" : "times", note: plural(state.switches, "change of mode", "changes of mode") },
  ];
}

const usual_size = 8; // where any will do

const few = 16; // values that are written out

function zeros(count: number): { text: string; made: string } {
  return count <= few ? { text: Array(count).fill("0").join(","), made: "" } : { text: "%s", made: ` "$(yes 0 | head -n ${count} | paste -sd, -)"` };
}

/** A line that asks the service once, with zeros, in a shell. */
export function curl_line(origin: string, name: string, inputs: InputState[], with_token: boolean): string {
  const tensors = inputs.map(({ name, datatype, shape }) => {
    const sizes = [1, ...shape.map((size) => (size < 0 ? usual_size : size))];
    const { text, made } = zeros(sizes.reduce((all, size) => all * size, 1));
    return { made, json: `{"name":"${name}","shape":[${sizes.join()}],"datatype":"${datatype}","data":[${text}]}` };
  });
  const body = `{"inputs":[${tensors.map((t) => t.json).join()}]}`;
  const token = with_token ? ` -H "Authorization: Bearer $FLYBALL_TOKEN"` : "";
  const url = `${origin}/v2/models/${encodeURIComponent(name)}/infer`;
  const made = tensors.map((t) => t.made).join("");
  return made === "" ? `curl ${url}${token} -d '${body}'` : `printf '${body}'${made} | curl ${url}${token} -d @-`;
}

/** How to end it, and what becomes of the trainings. */
export function stop_words({ trainings }: LiveState): string {
  const kept = trainings.filter((t) => t.kept).map((t) => t.name);
  const lost = trainings.filter((t) => !t.kept).map((t) => t.name);
  const goes_on = kept.length > 0 ? ` ${kept.join(" and ")}: the training is kept on disk, and the next \`flyball serve\` goes on with it.` : "";
  const ends = lost.length > 0 ? ` ${lost.join(" and ")}: the training is not kept, as --no-checkpoint says.` : "";
  return `Ctrl-C where it runs, or SIGTERM to its process (kill PID, systemctl stop). It takes no more requests, answers those that it took, and prints the result.${goes_on}${ends}`;
}
