import type { CommonAxis as Axis, Quantity } from "./contract.ts";

const thin = "\u202f"; // narrow no-break space: between a number and its unit, and between thousands

/** Thousands apart, from five digits on so that clocks read as people write them. */
function group(text: string): string {
  const [whole = "", fraction] = text.split(".");
  const grouped = whole.replace("-", "").length < 5 ? whole : whole.replace(/\B(?=(\d{3})+$)/g, thin);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const least_size = -4; // of 0.0001: what is smaller is said in powers of ten

/** "4e-07", as the terminal has what is too small for decimals. */
function small(value: number, digits: number): string {
  const [mantissa = "", exponent = ""] = value.toExponential(digits - 1).split("e-");
  return `${mantissa.replace(/\.?0+$/, "").replace("-", "−")}e-${exponent.padStart(2, "0")}`;
}

/** Three significant digits, in powers of ten only below 0.0001. As number() of the terminal (base/figure.cc). */
export function number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Number(value.toExponential(digits - 1).split("e")[1]); // once it is rounded
  if (size < least_size) return small(value, digits);
  return group(value.toFixed(Math.max(0, digits - 1 - size))).replace("-", "−");
}

/** Rounded up, of what stands beside an upper limit or may be typed as one: what it is of keeps the limit as printed; never beyond the limit that it keeps itself. As upper_figure() of the terminal (base/figure.cc). */
export function upper_number(value: number, limit = Infinity, digits = 4): string {
  if (!(value > 0) || !Number.isFinite(value)) return number(value, digits);
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(value)));
  const up = 10 ** decimals;
  const rounded = Math.ceil(value * up * (1 - 1e-12)) / up;
  return rounded > limit && value <= limit ? exact(limit) : short_number(rounded, digits);
}

/** As given, for axis values: they name a setting, so no digit is dropped. */
export function exact(value: number): string {
  return group(String(value)).replace("-", "−");
}

/** Three digits or more, without zeros at the end: 8, 9.375 as 9.38, 30. For counts and ticks. */
export function short_number(value: number, digits = 3): string {
  const text = number(value, digits);
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

type Scale = [unit: string, factor: number];
const ladders: Record<string, Scale[]> = {
  ms: [["µs", 1e-3], ["ms", 1], ["s", 1e3], ["min", 6e4], ["h", 3.6e6]],
  s: [["ms", 1e-3], ["s", 1], ["min", 60], ["h", 3600]],
  J: [["mJ", 1e-3], ["J", 1], ["kJ", 1e3]],
};

/** The unit in which the value reads best: 0.0127 J as 12.7 mJ. Minutes only from 120 s, hours from 120 min. */
export function scale(value: number, unit: string): Scale {
  const ladder = ladders[unit];
  if (!ladder) return [unit, 1];
  let best = ladder[0]!;
  for (const step of ladder) {
    const least = step[0] === "min" || step[0] === "h" ? 2 : 1;
    if (Math.abs(value) >= step[1] * least * 0.9995) best = step;
  }
  return value === 0 ? [unit, 1] : best;
}

export function with_unit(value: number, unit: string, words: (value: number) => string = number): string {
  const [name, factor] = scale(value, unit);
  return name === "" ? words(value) : `${words(value / factor)}${thin}${name}`;
}

export const value_of = (q: Quantity): number => (typeof q === "number" ? q : q[0]);
export const low_of = (q: Quantity): number => (typeof q === "number" ? q : q[1]);
export const high_of = (q: Quantity): number => (typeof q === "number" ? q : q[2]);

/** The interval in the unit of the value: "28.9–30.4 W"; empty when the spread is not known. */
export function interval(q: Quantity, unit: string): string {
  if (typeof q === "number") return "";
  const [name, factor] = scale(q[0], unit);
  return `${number(q[1] / factor)}–${number(q[2] / factor)}${name === "" ? "" : thin + name}`;
}

/** Percent by which `value` differs from `base`. */
export function change(value: number, base: number): number {
  return ((value - base) / base) * 100;
}

/** "36", "4.2": a percentage as it is said. */
export function percent_words(percent: number): string {
  const size = Math.abs(percent);
  return size < 9.95 ? number(size, 2) : String(Math.round(size));
}

/** Percent below which a difference is none to speak of, as for the terminal (answers/comparison.cc). */
export const same_pct = 0.05;

/** "36 % less", "4.2 % more", "the same". */
export function more_or_less(value: number, base: number): string {
  const percent = change(value, base);
  if (Math.abs(percent) < same_pct) return "the same";
  return `${percent_words(percent)}${thin}% ${percent < 0 ? "less" : "more"}`;
}

const known_labels: Record<string, string> = {
  cpu_cores: "CPU cores",
  cpu_mhz: "CPU clock",
  gpu_mhz: "GPU clock",
  mem_mhz: "Memory clock",
  power_limit_w: "Power limit",
  batch_size: "Batch size",
  loader_workers: "Loader workers",
  prefetch: "Prefetch",
};

export function axis_label(axis: Axis): string {
  const known = known_labels[axis.name];
  if (known) return known;
  const words = axis.name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function axis_value(axis: Axis, value: number): string {
  return axis.unit === "" ? exact(value) : `${exact(value)}${thin}${axis.unit}`;
}

/** "12 CPU cores", "GPU at 816 MHz", "prefetch 4": how a sentence names a setting. */
export function setting_words(axis: Axis, value: number): string {
  const label = axis_label(axis);
  const lower = /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
  if (/ clock$/.test(lower)) return `${lower.replace(/ clock$/, "")} at ${axis_value(axis, value)}`;
  const is_count = axis.unit === "" && /s$/.test(label);
  if (!is_count) return `${lower} ${axis_value(axis, value)}`;
  return `${value === 0 ? "no" : exact(value)} ${value === 1 ? lower.replace(/s$/, "") : lower}`;
}

/** "340 ms", "31.5 s", "2 min 5 s", "2 h 5 min", as the terminal has it (base/units.cc). */
export function duration(seconds: number): string {
  if (seconds < 0.9995) return with_unit(1e3 * seconds, "ms", short_number);
  if (seconds < 59.95) return `${short_number(seconds)}${thin}s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)}${thin}min ${whole % 60}${thin}s`;
  return `${Math.floor(whole / 3600)}${thin}h ${Math.floor((whole % 3600) / 60)}${thin}min`;
}

/** "20 Nov 2025, 20:41 UTC"; the text itself when it is not a date. */
export function instant(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const two = (n: number) => String(n).padStart(2, "0");
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}, ${two(at.getUTCHours())}:${two(at.getUTCMinutes())} UTC`;
}

export function list_words(words: string[]): string {
  if (words.length <= 1) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${group(String(count))} ${count === 1 ? one : many}`;
}
