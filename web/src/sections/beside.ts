// What stands beside an answer: what is set, and how its figures differ from those by default.
import { h } from "../dom.ts";
import { change, percent_words, same_pct, with_unit } from "../format.ts";

export interface ShownSetting {
  label: string;
  /** The key, shown where it is pointed at. */
  name: string;
  value: string;
  /** By default, where that is another one. */
  usual?: string;
}

export function settings_strip(settings: ShownSetting[]): HTMLElement {
  return h("dl", { class: "settings-strip", "aria-label": "Settings" },
    ...settings.map((s) => h("div", { class: s.usual === undefined ? "" : "differs" },
      h("dt", { title: s.name }, s.label),
      h("dd", {}, s.value, s.usual !== undefined && h("small", {}, `default ${s.usual}`)))));
}

export interface Against {
  mine: number;
  theirs: number;
  unit: string;
  /** "by default". */
  whose: string;
  /** Is the difference more than noise? */
  sure: boolean;
  /** Is more of it better? */
  more?: boolean;
}

/** "−32 % against 14.3 W by default". */
export function delta({ mine, theirs, unit, whose, sure, more = false }: Against): HTMLElement {
  const there = `${unit === "" ? with_unit(theirs, "") : with_unit(theirs, unit)} ${whose}`;
  const percent = change(mine, theirs);
  if (!Number.isFinite(percent)) return h("p", { class: "delta" }, `against ${there}`);
  const sign = Math.abs(percent) < same_pct ? "±0" : `${percent < 0 ? "−" : "+"}${percent_words(percent)}`;
  const gain = more ? percent : -percent;
  return h("p", { class: `delta ${!sure ? "unsure" : gain > same_pct ? "better" : gain < -same_pct ? "worse" : ""}` },
    h("b", {}, `${sign}\u202f%`), ` against ${there}`, !sure && Math.abs(percent) >= same_pct && ", not established");
}
