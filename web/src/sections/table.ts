// Every configuration as a table: sorted, filtered, paged, and to take along as CSV.
import { trial_numbers } from "../charts/cloud.ts";
import type { Quantity } from "../contract.ts";
import { to_csv } from "../csv.ts";
import { chip, h, section, select } from "../dom.ts";
import { fit_table } from "../fit.ts";
import { axis_label, exact, interval, number, plural, value_of } from "../format.ts";
import { compared_per, costs, objective_of, within_budgets } from "../measures.ts";
import { on_show, show } from "../select.ts";
import type { TuneReport } from "../view.ts";

interface Column {
  /** Of the measure or axis it shows. */
  id: string;
  title: string;
  unit: string;
  key(index: number): number | string;
  cell(index: number): (Node | string)[];
}

const page_size = 25;

export function columns(report: TuneReport, numbers: Map<number, string>): Column[] {
  const rows = report.configurations;
  const list: Column[] = report.axes.map((axis, a) => ({
    id: `axis:${axis.name}`, title: axis_label(axis), unit: axis.unit, key: (i) => rows[i]!.config[a]!, cell: (i) => [exact(rows[i]!.config[a]!)],
  }));
  const quantity = (id: string, title: string, unit: string, of: (i: number) => Quantity | null) => {
    if (!rows.some((_, i) => of(i) !== null)) return;
    list.push({
      id, title, unit,
      key: (i) => { const q = of(i); return q === null ? Infinity : value_of(q); },
      cell: (i) => { const q = of(i); return q === null ? ["–"] : [number(value_of(q), 4), h("small", {}, typeof q === "number" ? "" : interval(q, "").trim())]; },
    });
  };
  // Per sample where minibatches differ in size: the same measures as on the chart.
  const short = (label: string) => (compared_per(report) === "minibatch" ? label.replace(/ per minibatch$/, "") : label);
  for (const m of costs(report).slice(0, 3)) quantity(m.id, short(m.label), m.unit, (i) => m.of(rows[i]!));
  list.push({ id: "known", title: "Known", unit: "", key: (i) => rows[i]!.provenance, cell: (i) => [chip(rows[i]!.provenance)] });
  list.push({
    id: "role", title: "Role", unit: "",
    key: (i) => (report.choice?.configuration === i ? 0 : report.default?.configuration === i ? 1 : numbers.has(i) ? 1 + parseInt(numbers.get(i)!, 10) : rows[i]!.front ? 1e6 : 1e7),
    cell: (i) => [
      ...(report.choice?.configuration === i ? [chip("choice")] : []),
      ...(report.default?.configuration === i ? [chip("default")] : []),
      ...(numbers.has(i) ? [chip(`#${numbers.get(i)}`, "profiled")] : []),
      ...(rows[i]!.front ? [chip("front")] : []),
      h("button", { type: "button", class: "to-chart", "aria-label": "Show it on the chart", title: "Show it on the chart", onclick: () => show("chart", i) }, "◎"),
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
  let sorted = cols.findIndex((c) => c.id === objective_of(report, costs(report))?.id);
  if (sorted < 0) sorted = report.axes.length;
  let up = true;
  let page = 0;

  const sort_by = (i: number, rising: boolean) => { up = rising; sorted = i; page = 0; render(); };
  const heads = cols.map((col, i) => {
    const button = h("button", { type: "button", onclick: () => sort_by(i, sorted === i ? !up : true) },
      h("span", {}, col.title), col.unit !== "" && h("small", {}, col.unit));
    return h("th", { scope: "col", class: i >= cols.length - 2 ? "text" : "" }, button);
  });
  const body = h("tbody");
  const status = h("span", { class: "status", role: "status" });
  const turn = (text: string, label: string, step: number) => h("button", { type: "button", "aria-label": label, onclick: () => { page += step; render(); } }, text);
  const order = select("Sort by", cols.map((c, i) => [String(i), c.title]), String(sorted), (value) => sort_by(Number(value), true));
  order.classList.add("order");
  const table = h("table", { class: "data" }, h("thead", {}, h("tr", {}, ...heads)), body);
  const box = h("div", { class: "fitting", "aria-label": "Table of configurations", role: "region" }, table);
  const fit = fit_table(box, table, (stacked) => { order.hidden = !stacked; });
  const [before, after] = [turn("‹ Previous", "Previous page", -1), turn("Next ›", "Next page", 1)];

  let marked = -1;

  function ordered(): number[] {
    const key = cols[sorted]!.key;
    return filtered(report, which, numbers).sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1) || a - b;
    });
  }
  function render() {
    const rows = ordered();
    const pages = Math.max(1, Math.ceil(rows.length / page_size));
    page = Math.max(0, Math.min(page, pages - 1));
    const shown = rows.slice(page * page_size, (page + 1) * page_size);
    body.replaceChildren(...shown.map((i) => h("tr", { class: [report.choice?.configuration === i ? "is-choice" : "", marked === i ? "is-shown" : ""].filter(Boolean).join(" "), "data-index": i, tabindex: -1 },
      ...cols.map((col, k) => h("td", { class: k >= cols.length - 2 ? "text" : "", "data-label": col.unit === "" ? col.title : `${col.title}, ${col.unit}` }, ...col.cell(i))))));
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== sorted ? "none" : up ? "ascending" : "descending"));
    const first = rows.length === 0 ? 0 : page * page_size + 1;
    status.textContent = `${first}–${first === 0 ? 0 : first + shown.length - 1} of ${plural(rows.length, "configuration")}`;
    before.disabled = page === 0;
    after.disabled = page >= pages - 1;
    (order.querySelector("select") as HTMLSelectElement).value = String(sorted);
    fit();
  }
  render();
  on_show("row", (index) => {
    marked = index;
    if (!ordered().includes(index)) [which, show_box.value] = ["all", "all"];
    page = Math.floor(ordered().indexOf(index) / page_size);
    render();
    const row = body.querySelector<HTMLElement>(`[data-index="${index}"]`);
    row?.scrollIntoView({ block: "center" });
    row?.focus({ preventScroll: true });
  });
  const choices: [string, string][] = [["all", "All"], ...(bounded ? [["within", "Within the budgets"] as [string, string]] : []), ["profiled", "Profiled"], ...(report.configurations.some((c) => c.front) ? [["front", "Pareto front"] as [string, string]] : [])];
  const filter = select("Show", choices, which, (value) => { which = value; page = 0; render(); });
  const show_box = filter.querySelector("select")!;
  return section("table-section", "Every configuration", "",
    h("div", { class: "controls" }, filter, order,
      h("button", { type: "button", class: "plain", onclick: () => save(report) }, "Save as CSV")),
    box,
    h("nav", { class: "pager", "aria-label": "Pages of the table" }, before, status, after));
}
