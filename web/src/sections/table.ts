// Every configuration as a table: sorted, filtered, paged, and to take along as CSV.
import { trial_numbers } from "../charts/cloud.ts";
import type { Quantity, TuneReport } from "../contract.ts";
import { to_csv } from "../csv.ts";
import { chip, h, section, select } from "../dom.ts";
import { axis_label, exact, interval, number, plural, value_of } from "../format.ts";
import { costs, within_budgets } from "../measures.ts";

interface Column {
  title: string;
  unit: string;
  key(index: number): number | string;
  cell(index: number): (Node | string)[];
}

const page_size = 25;

export function columns(report: TuneReport, numbers: Map<number, string>): Column[] {
  const rows = report.configurations;
  const list: Column[] = report.axes.map((axis, a) => ({
    title: axis_label(axis), unit: axis.unit, key: (i) => rows[i]!.config[a]!, cell: (i) => [exact(rows[i]!.config[a]!)],
  }));
  const quantity = (title: string, unit: string, of: (i: number) => Quantity | null) => {
    if (!rows.some((_, i) => of(i) !== null)) return;
    list.push({
      title, unit,
      key: (i) => { const q = of(i); return q === null ? Infinity : value_of(q); },
      cell: (i) => { const q = of(i); return q === null ? ["–"] : [number(value_of(q), 4), h("small", {}, typeof q === "number" ? "" : interval(q, "").trim())]; },
    });
  };
  quantity("Time", "ms", (i) => rows[i]!.time_ms);
  quantity("Power", "W", (i) => rows[i]!.power_w);
  quantity("Energy", "J", (i) => rows[i]!.energy_j);
  list.push({ title: "Known", unit: "", key: (i) => rows[i]!.provenance, cell: (i) => [chip(rows[i]!.provenance)] });
  list.push({
    title: "Role", unit: "",
    key: (i) => (report.choice?.configuration === i ? 0 : report.default?.configuration === i ? 1 : numbers.has(i) ? 1 + parseInt(numbers.get(i)!, 10) : rows[i]!.front ? 1e6 : 1e7),
    cell: (i) => [
      ...(report.choice?.configuration === i ? [chip("choice")] : []),
      ...(report.default?.configuration === i ? [chip("default")] : []),
      ...(numbers.has(i) ? [chip(`#${numbers.get(i)}`, "profiled")] : []),
      ...(rows[i]!.front ? [chip("front")] : []),
    ],
  });
  return list;
}

function filtered(report: TuneReport, which: string, numbers: Map<number, string>): number[] {
  const within = within_budgets(report, costs(report));
  const all = report.configurations.map((_, i) => i);
  if (which === "profiled") return all.filter((i) => numbers.has(i));
  if (which === "within") return all.filter((i) => within(report.configurations[i]!));
  if (which === "front") return all.filter((i) => report.configurations[i]!.front);
  return all;
}

function save(report: TuneReport): void {
  const link = h("a", { href: URL.createObjectURL(new Blob([to_csv(report)], { type: "text/csv" })), download: "flyball-configurations.csv" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function table_section(report: TuneReport): HTMLElement {
  const numbers = trial_numbers(report);
  const cols = columns(report, numbers);
  const bounded = report.request.budgets.length > 0;
  let which = bounded && filtered(report, "within", numbers).length > 0 ? "within" : "all";
  let sorted = cols.findIndex((c) => c.title === { time: "Time", power: "Power", energy: "Energy" }[report.request.objective]);
  if (sorted < 0) sorted = report.axes.length;
  let up = true;
  let page = 0;

  const heads = cols.map((col, i) => {
    const button = h("button", { type: "button", onclick: () => { up = sorted === i ? !up : true; sorted = i; page = 0; render(); } },
      h("span", {}, col.title), col.unit !== "" && h("small", {}, col.unit));
    return h("th", { scope: "col", class: i >= cols.length - 2 ? "text" : "" }, button);
  });
  const body = h("tbody");
  const status = h("span", { class: "status", role: "status" });
  const turn = (text: string, label: string, step: number) => h("button", { type: "button", "aria-label": label, onclick: () => { page += step; render(); } }, text);
  const [before, after] = [turn("‹ Previous", "Previous page", -1), turn("Next ›", "Next page", 1)];

  function render() {
    const rows = filtered(report, which, numbers);
    const key = cols[sorted]!.key;
    rows.sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1) || a - b;
    });
    const pages = Math.max(1, Math.ceil(rows.length / page_size));
    page = Math.max(0, Math.min(page, pages - 1));
    const shown = rows.slice(page * page_size, (page + 1) * page_size);
    body.replaceChildren(...shown.map((i) => h("tr", { class: report.choice?.configuration === i ? "is-choice" : "", "data-index": i },
      ...cols.map((col, k) => h("td", { class: k >= cols.length - 2 ? "text" : "" }, ...col.cell(i))))));
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== sorted ? "none" : up ? "ascending" : "descending"));
    const first = rows.length === 0 ? 0 : page * page_size + 1;
    status.textContent = `${first}–${first === 0 ? 0 : first + shown.length - 1} of ${plural(rows.length, "configuration")}`;
    before.disabled = page === 0;
    after.disabled = page >= pages - 1;
  }
  render();
  const choices: [string, string][] = [["all", "All"], ...(bounded ? [["within", "Within the budgets"] as [string, string]] : []), ["profiled", "Profiled"], ...(report.configurations.some((c) => c.front) ? [["front", "Pareto front"] as [string, string]] : [])];
  return section("table-section", "Every configuration", "",
    h("div", { class: "controls" },
      select("Show", choices, which, (value) => { which = value; page = 0; render(); }),
      h("button", { type: "button", class: "plain", onclick: () => save(report) }, "Save as CSV")),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of configurations" },
      h("table", { class: "data" }, h("thead", {}, h("tr", {}, ...heads)), body)),
    h("nav", { class: "pager", "aria-label": "Pages of the table" }, before, status, after));
}
