// Pages that the built program wrote: the contract holds on both sides, and a reader sees what the program answered.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import type { TunePage } from "../src/contract.ts";
import { tune_report } from "../src/sheets/tune.ts";
import { problems } from "../src/validate.ts";
import { close_browser, desktop, inked, phone, with_page } from "./browser.ts";
import { example, in_scratch, no_program, powered_table, ran, read_page, served, written, type Written } from "./program.ts";

after(close_browser);

const plain = (text: string | null) => (text ?? "").replaceAll("\u202f", " ");
const skip = no_program;

/** "886 µs" as seconds. */
function seconds(shown: string): number {
  const [, amount, unit] = /^([\d.]+)\s*(µs|ms|s|min|h)$/.exec(shown.trim())!;
  return parseFloat(amount!) * { µs: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 }[unit as "s"];
}

/** The page shows three significant digits. */
function agrees(shown: number, answered: number, what: string): void {
  assert.ok(Math.abs(shown / answered - 1) < 0.006, `the page shows ${shown} for a ${what} of ${answered}`);
}

const tune_power = (folder: string, watts: number, exit_code = 0) =>
  written(folder, ["tune", "net", "--device", `table:${powered_table(folder)}`, "--power-budget", `${watts}W`, "--profiles", "12", "--seed", "3", "--oracle"], exit_code);

const experiment = (folder: string): Written => {
  const file = join(folder, "small.toml");
  writeFileSync(file, 'question = "workers"\n[dataset]\nmake = "digits"\nsamples = 320\n[fixed]\nworkload = "lenet5"\nthreads = 1\nepochs = 2\nsteps = 10\n[vary]\nworkers = [0, 1]\n');
  return written(folder, ["experiment", "run", file, "--out", join(folder, "out")]);
};

async function sees_answer(page: Page, answer: Record<string, any>, shown: number = answer["configurations"]): Promise<void> {
  const head = plain(await page.locator("h1").textContent());
  for (const [axis, value] of Object.entries(answer["choice"].config)) {
    // Axes with one value are no choice, and the page does not list them.
    if (axis !== "batch_size") assert.ok(head.includes(String(value)), `${axis} ${value} in "${head}"`);
  }
  const time = plain(await page.locator('.figure[data-measure="time"] .figure-value').textContent());
  agrees(seconds(time), answer["choice"].minibatch_ms / 1000, "time in s");
  assert.equal(await page.getAttribute(".cloud", "data-points"), String(shown));
  assert.ok((await inked(page, ".cloud")) > 1000, "the cloud is drawn");
  assert.equal(await page.locator(".trial-table tbody tr").count(), answer["profiled"].length);
  const reasons = await page.locator(".trial-table .why").allInnerTexts();
  assert.deepEqual(reasons, answer["profiled"].map((t: { reason: string }) => t.reason));
  assert.match(plain(await page.locator(".data tbody tr.is-choice").first().innerText()), /choice/);
  assert.match(await page.locator(".provenance").innerText(), new RegExp(`Seed\\s+${answer["request"].seed}`));
  assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|Infinity/);
}

for (const view of [desktop, phone]) {
  test(`a tune over the example's table, ${view.width} px: headline, chart, trials and table are the program's answer`, { skip }, () => in_scratch(async (folder) => {
    const { page: html, data, answer } = written(folder, ["tune", "lenet5", "--device", `table:${example}`]);
    assert.deepEqual(problems(data), []);
    await with_page(html, view, async (page) => {
      await sees_answer(page, answer);
      assert.match(await page.locator(".figure.missing").innerText(), /not available/);
    });
  }));
}

test("a tune with a power budget: power, front, oracle and the optimum's words", { skip }, () => in_scratch(async (folder) => {
  const { page: html, data, answer } = tune_power(folder, 15);
  assert.deepEqual(problems(data), []);
  assert.deepEqual(data["answer"], answer);
  await with_page(html, desktop, async (page) => {
    await sees_answer(page, answer);
    const power = parseFloat(plain(await page.locator('.figure[data-measure="power"] .figure-value').textContent()));
    agrees(power, answer["choice"].power_w, "power in W");
    assert.ok(answer["choice"].power_w <= 15);
    assert.match(plain(await page.locator(".consequence").innerText()), /within the 15 W power budget/);
    const optimum = plain(await page.locator(".oracle").innerText());
    assert.equal(/(equal to|the same \w+ as) the raw/.test(optimum), answer["choice"].minibatch_ms === answer["oracle"].raw.minibatch_ms, optimum);
    assert.equal(optimum.includes(`leaves out ${answer["oracle"].excluded_rows} row`), answer["oracle"].excluded_rows > 0, optimum);
    const show = page.locator(".table-section .field:not(.order) select");
    await show.selectOption("front");
    assert.match(plain(await page.locator(".pager .status").textContent()), new RegExp(` of ${answer["front"].length} configuration`));
  });
}));

test("a budget that nothing meets: the page says why, as the program does", { skip }, () => in_scratch(async (folder) => {
  const { page: html, data, answer } = tune_power(folder, 6, 1);
  assert.deepEqual(problems(data), []);
  await with_page(html, desktop, async (page) => {
    assert.match(plain(await page.locator("h1").textContent()), /^No configuration of net on .* meets the 6 W power budget\.$/);
    const words = await page.locator(".answer").innerText();
    assert.ok(words.includes(answer["infeasible"].reason) && words.includes(answer["infeasible"].hint), words);
  });
}));

test("an experiment: findings, bars and the table hold what was measured", { skip }, () => in_scratch(async (folder) => {
  const { page: html, data, answer } = experiment(folder);
  assert.deepEqual(problems(data), []);
  await with_page(html, desktop, async (page) => {
    assert.deepEqual(
      (await page.locator(".finding-list li > p").evaluateAll((all) => all.map((p) => p.firstChild!.textContent))),
      answer["findings"].map((f: { text: string }) => f.text));
    // Epoch 0 and the later one of two settings.
    assert.equal(await page.getAttribute(".chart.epochs", "data-bars"), "4");
    assert.ok((await inked(page, ".chart.epochs")) > 1000, "bars are drawn");
    const rows = (await page.locator(".experiment-data tbody tr").allInnerTexts()).map(plain);
    assert.deepEqual(rows.map((r) => r.split("\t")[0]!.split("\n")[0]), ["workers 0", "workers 0", "workers 1", "workers 1"]);
    agrees(seconds(rows[0]!.split("\t")[2]!), answer["groups"][0].first.e2e_s, "first epoch in s");
    assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|Infinity/);
  });
}));

/** As much training as fits beside serving, over made-up tables. */
function plan(folder: string): Written {
  const train = powered_table(folder);
  const infer = join(folder, "infer.csv");
  writeFileSync(infer, readFileSync(train, "utf8").replaceAll("net,train,16", "det,infer,16"));
  return written(folder, ["plan", "concurrent", "--train", train, "--infer", infer, "--rate", "100", "--latency", "900ms"]);
}

test("a plan: its answer, what was profiled, and how to set it", { skip }, () => in_scratch(async (folder) => {
  const { page: html, data, answer } = plan(folder);
  assert.deepEqual(problems(data), []);
  for (const view of [desktop, phone]) {
    await with_page(html, view, async (page) => {
      agrees(parseFloat(plain(await page.locator(".figure-value").first().textContent())), answer["answer"].value, "throughput");
      const head = await page.locator("h1").innerText();
      for (const value of Object.values(answer["answer"].roles[0].config)) assert.ok(head.includes(String(value)), head);
      const rows = page.locator(".sheet-table", { hasText: "What was profiled" }).locator("tbody tr");
      assert.equal(await rows.count(), answer["profiled"].length);
      assert.equal(await page.locator(".sheet-data .is-choice").count(), 1);
      assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|Infinity/);
    });
  }
}));

/** Problems of three kinds over a training and a service of one made-up board. */
function evaluation(folder: string): Written {
  const tables = join(folder, "tables");
  mkdirSync(tables);
  const train = readFileSync(powered_table(folder), "utf8");
  writeFileSync(join(tables, "train.csv"), train);
  writeFileSync(join(tables, "infer.csv"), train.replaceAll("net,train,16", "det,infer,16"));
  return written(folder, ["evaluate", "all", tables, "--strategy", "gmd,maxn", "--limit", "6"]);
}

test("an evaluation: shares, distances and profiles by kind, as the program counts them", { skip }, () => in_scratch(async (folder) => {
  const { page: html, data, answer } = evaluation(folder);
  assert.deepEqual(problems(data), []);
  assert.deepEqual(data["answer"], answer);
  for (const view of [desktop, phone]) {
    await with_page(html, view, async (page) => {
      const kinds = answer["rows"].filter((r: { tables: string | null }) => r.tables === null);
      const first = page.locator(".meters-section").first();
      assert.deepEqual((await first.locator(".meter-words b").allInnerTexts()).map((t) => parseFloat(plain(t))), kinds.map((r: { satisfied_pct: number }) => Number(r.satisfied_pct.toFixed(1))));
      assert.equal(await page.locator(".sheet-table", { hasText: "Tables and pairs" }).locator("tbody tr").count(), answer["rows"].length - kinds.length);
      // A bar is as long as its share.
      const [bar, track] = await Promise.all([first.locator(".meter-track div i").first().boundingBox(), first.locator(".meter-track").first().boundingBox()]);
      assert.ok(Math.abs(bar!.width / track!.width - kinds[0].satisfied_pct / 100) < 0.01);
      assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|Infinity/);
    });
  }
}));

test("boards: ratios in the program's words, and the choice", { skip }, () => in_scratch(async (folder) => {
  const words = ["compare", "boards", "resnet18", "lstm", "--device", "twin:orin_agx,twin:orin_nano,twin:rtx3090"];
  const { page: html, data, answer } = written(folder, [...words, "--power-budget", "60W"]);
  assert.deepEqual(problems(data), []);
  assert.deepEqual(data["answer"], answer);
  for (const view of [desktop, phone]) {
    await with_page(html, view, async (page) => {
      const chosen = answer["boards"].find((b: { name: string }) => b.name === answer["choice"].name);
      assert.equal(await page.locator("h1").innerText(), `Take ${chosen.title}.`);
      const said = (await page.locator(".meters-section").first().locator(".meter-words b").allInnerTexts()).map(plain);
      answer["boards"].forEach((b: Record<string, any>, i: number) => assert.ok(b["baseline"] ? said[i] === "the baseline" : b["speed"].text.startsWith(said[i]), said[i]));
      assert.match(plain(await page.locator(".meters-section", { hasText: "Time of an epoch" }).innerText()), /published: 3 min 6 s/);
      assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|Infinity/);
    });
  }
  const none = written(folder, [...words, "--deadline", "1s"], 1);
  await with_page(none.page, desktop, async (page) => {
    assert.match(await page.locator("h1").innerText(), /^No board meets every limit/);
  });
}));

test("a campaign: how far its cells are, and why one failed", { skip }, () => in_scratch(async (folder) => {
  const file = join(folder, "c.toml");
  writeFileSync(file, '[[boards]]\nname = "nano"\ndevice = "twin:orin_nano"\n[[workloads]]\nname = "lenet5"\n[[workloads]]\nname = "nonesuch"\n[[questions]]\nname = "tune"\n');
  ran(folder, ["campaign", "run", file], 2);
  const { page: html, data, answer } = written(folder, ["campaign", "status", file]);
  assert.deepEqual(problems(data), []);
  assert.deepEqual(data["answer"], answer);
  await with_page(html, phone, async (page) => {
    assert.equal(await page.locator("h1").innerText(), "1 of 2 cells has an answer, 1 failed.");
    assert.match(plain(await page.locator(".sheet-table tbody tr").first().innerText()), /nonesuch[\s\S]*is not known to the twin/);
  });
}));

test("a benchmark: results of simulated boards beside each other, without a rank", { skip }, () => in_scratch(async (folder) => {
  const files = ["orin_agx", "orin_nano"].map((board) => join(folder, `${board}.json`));
  for (const file of files) ran(folder, ["experiment", "benchmark", "run", "--device", `twin:${/(\w+)\.json$/.exec(file)![1]}`, "--result", file, "--quiet"]);
  const { page: html, data, answer } = written(folder, ["experiment", "benchmark", "table", ...files]);
  assert.deepEqual(problems(data), []);
  assert.deepEqual(data["answer"], answer);
  for (const view of [desktop, phone]) {
    await with_page(html, view, async (page) => {
      const rows = answer["entries"].flatMap((e: { rows: object[] }) => e.rows);
      assert.equal(rows.length, 4);  // two of the four entries, which a simulated board knows
      assert.equal(await page.locator(".meters-section").first().locator(".meter").count(), rows.length);
      assert.match(await page.locator("h1").innerText(), /simulated boards have no rank/);
      assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|Infinity/);
    });
  }
}));

test("batch sizes vary: page and terminal say the same sentence, per sample", { skip }, () => in_scratch(async (folder) => {
  const rows = ["device,workload,phase,batch_size,cpu_cores,minibatch_ms,power_w"];
  for (const batch of [8, 16, 32]) for (const cores of [2, 4, 8]) rows.push(`board,net,train,${batch},${cores},${20 + (90 * batch) / cores / 8},${8 + cores}`);
  writeFileSync(join(folder, "batch.csv"), `${rows.join("\n")}\n`);
  const words = ["tune", "net", "--device", `table:${join(folder, "batch.csv")}`, "--strategy", "brute-force", "--power-budget", "13W"];
  const terminal = ran(folder, [...words, "--quiet", "--report", "batch.html"]);
  ran(folder, ["report", "1", "--out", "again.html"]);
  for (const file of ["batch.html", "again.html"]) {
    const { page: html, data } = read_page(join(folder, file));
    assert.deepEqual(problems(data), []);
    const sentence = (data["answer"] as TunePage["answer"]).comparison!.text;
    assert.match(sentence, /per sample/);
    assert.ok(terminal.includes(sentence), terminal);
    await with_page(html, desktop, async (page) => {
      assert.ok(plain(await page.locator(".consequence").innerText()).endsWith(`: ${sentence}.`));
      assert.match(await page.locator(".consequence").innerText(), /^A sample takes /);
      assert.equal(await page.locator(".figure-label").first().innerText(), "Time per sample");
    });
  }
}));

test("a stored tune opens again, with the same choice and figures", { skip }, () => in_scratch(async (folder) => {
  const { answer } = tune_power(folder, 15);
  ran(folder, ["report", "1", "--out", "again.html"]);
  const { page: html, data } = read_page(join(folder, "again.html"));
  assert.deepEqual(problems(data), []);
  await with_page(html, desktop, async (page) => {
    // What was not kept is not shown: predictions off the front.
    const shown = tune_report(data as unknown as TunePage).configurations.length;
    assert.ok(shown > answer["profiles"] && shown < answer["configurations"]);
    await sees_answer(page, answer, shown);
    const power = parseFloat(plain(await page.locator('.figure[data-measure="power"] .figure-value').textContent()));
    agrees(power, answer["choice"].power_w, "power in W");
    assert.equal(await page.locator(".trial-table tbody tr").count(), answer["profiled"].length);
    assert.match(await page.locator(".notes").innerText(), /reopened from the store/);
  });
}));

test("runs compared: what both made, and what differs", { skip }, () => in_scratch(async (folder) => {
  tune_power(folder, 15);
  tune_power(folder, 12);
  const compared = JSON.parse(ran(folder, ["runs", "compare", "1", "2", "--json", "--report", "both.html"]));
  const { page: html, data } = read_page(join(folder, "both.html"));
  assert.deepEqual(problems(data), []);
  await with_page(html, desktop, async (page) => {
    assert.match(await page.locator("h1").innerText(), new RegExp(`^${compared.common} trials? made in both`));
    assert.deepEqual(data["answer"], compared);
    assert.equal(await page.locator(".sheet-data tbody tr").count(), compared.trials.length);
  });
}));

test("a workload whose name is markup stays text", { skip }, () => in_scratch(async (folder) => {
  const name = "</script><img src=x onerror=document.title='owned'>";
  const file = join(folder, "hostile.csv");
  writeFileSync(file, readFileSync(powered_table(folder), "utf8").replaceAll("board,net,", `board,${name},`));
  const { page: html, data } = written(folder, ["tune", name, "--device", `table:${file}`, "--power-budget", "15W"]);
  assert.deepEqual(problems(data), []);
  assert.ok(!html.includes("<img src=x"));
  ran(folder, ["import", file]);
  ran(folder, ["report", "2", "--out", "run.html"]);
  for (const page_html of [html, read_page(join(folder, "run.html")).page]) {
    await with_page(page_html, desktop, async (page) => {
      assert.equal(await page.locator("main img").count(), 0);
      assert.ok((await page.locator("main").innerText()).includes("<img src=x"));
    });
  }
}));

const own_names = new Set(["fixed", "versions", "config", "conditions", "excluded", "figures", "settings"]);

/** Every place that holds a key, but for those that the user's own names fill. */
function* keys(node: unknown, where: string): Generator<[holder: Record<string, unknown>, key: string, where: string]> {
  if (Array.isArray(node)) {
    for (const item of node.slice(0, 2)) yield* keys(item, `${where}[]`);
  } else if (typeof node === "object" && node !== null) {
    for (const [key, value] of Object.entries(node)) {
      yield [node as Record<string, unknown>, key, `${where}.${key}`];
      if (!own_names.has(key)) yield* keys(value, `${where}.${key}`);
    }
  }
}

test("a key that the program writes under another name is refused, wherever it stands", { skip }, () => in_scratch((folder) => {
  for (const [kind, { data }] of [["tune", tune_power(folder, 15)], ["experiment", experiment(folder)], ["plan", plan(folder)], ["serve", served(folder)]] as const) {
    let count = 0;
    for (const [holder, key, where] of [...keys(data, kind)]) {
      if (own_names.has(where.split(".").slice(-2)[0]!)) continue;
      const value = holder[key];
      delete holder[key];
      holder[`${key}_`] = value;
      assert.notDeepEqual(problems(data), [], where);
      delete holder[`${key}_`];
      holder[key] = value;
      count++;
    }
    assert.deepEqual(problems(data), []);
    assert.ok(count > 60, `${count} keys were tried`);
  }
}));

test("the page itself says which key it does not know", { skip }, () => in_scratch(async (folder) => {
  const { page: html } = tune_power(folder, 15);
  await with_page(html.replace('"minibatches":', '"batches":'), desktop, async (page) => {
    assert.match(await page.locator(".failure").innerText(), /profiled\[0\]\.(minibatches is missing|batches is not known)/);
  });
}));
