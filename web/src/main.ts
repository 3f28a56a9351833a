import type { RecordLink, Report } from "./contract.ts";
import { h } from "./dom.ts";
import { instant } from "./format.ts";
import { header } from "./header.ts";
import { shown } from "./kinds.ts";
import "./code.css";
import "./style.css";
import { start_theme } from "./theme.ts";
import { problems } from "./validate.ts";

function failure(page: HTMLElement, lines: string[]): void {
  page.replaceChildren(header("report"), h("main", {}, h("section", { class: "failure", role: "alert" },
    h("h1", {}, "This report cannot be shown"),
    h("ul", {}, ...lines.map((line) => h("li", {}, line))),
    h("p", { class: "hint" }, "The page and the program that filled it must be of the same version; run the command again with --report."))));
}

function start(): void {
  start_theme();
  const page = document.getElementById("page")!;
  const text = document.getElementById("flyball-data")?.textContent ?? "";
  if (text.trim() === "" || text.trim() === "{}") return failure(page, ["the page holds no data: it is the empty template"]);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    return failure(page, [`the data is not JSON: ${(error as Error).message}`]);
  }
  const wrong = problems(data);
  if (wrong.length > 0) return failure(page, wrong);
  const { title, version, at, sections } = shown(data as Report);
  document.title = `${title} · Flyball`;
  const main = h("main", {});
  const record = "record" in (data as Report) ? (data as { record?: RecordLink }).record : undefined;
  page.replaceChildren(header(title, record && encodeURIComponent(record.page)), main, h("footer", {}, `Made by Flyball ${version} · ${instant(at)}`));
  // Sections measure their boxes, so they are drawn once they stand in the page.
  for (const make of sections) {
    const element = make();
    if (element) main.append(...[element].flat());
  }
}

start();
