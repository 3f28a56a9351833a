// Runs the built `flyball` and reads the pages that it writes.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
export const program = process.env["FLYBALL_PROGRAM"] ?? join(root, "build/release/bin/flyball");

/** Why there is no program to run, or false: as `skip` of a test takes it. scripts/check-pages asks for it by name, so that nothing is skipped there. */
export const no_program: string | false = existsSync(program) || process.env["FLYBALL_PROGRAM"] ? false : `${program} is not built`;

export const example = join(root, "examples/lenet5_host.csv");

/** A page that the program wrote, and what it printed with --json. */
export interface Written {
  page: string;
  data: Record<string, unknown>;
  answer: Record<string, any>;
}

/** A folder with a store of its own, which is gone after `use`. */
export async function in_scratch(use: (folder: string) => Promise<void> | void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "flyball-written-"));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** With a store and a state of its own. */
export const environment = (folder: string): NodeJS.ProcessEnv => ({ ...process.env, FLYBALL_STORE: join(folder, "store.db"), FLYBALL_STATE: join(folder, "state"), FLYBALL_REFERENCES: join(folder, "references") });

/** `flyball WORDS`; the exit code must be the one given. What it printed on stdout. */
export function ran(folder: string, words: string[], exit_code = 0): string {
  const done = spawnSync(program, words, { cwd: folder, env: environment(folder), encoding: "utf8", maxBuffer: 1 << 26, timeout: 150_000, killSignal: "SIGKILL" });
  if (done.error) throw done.error;
  if (done.status !== exit_code) throw new Error(`flyball ${words.join(" ")} ended with ${done.status}: ${done.stderr}`);
  return done.stdout;
}

/** The page in a file, and the document that it holds. */
export function read_page(file: string): Pick<Written, "page" | "data"> {
  const page = readFileSync(file, "utf8");
  const slot = /<script id="flyball-data" type="application\/json">(.*?)<\/script>/s.exec(page);
  if (!slot) throw new Error("the page has no data slot");
  return { page, data: JSON.parse(slot[1]!) };
}

/** `flyball WORDS --json --report …`; the exit code must be the one given. */
export function written(folder: string, words: string[], exit_code = 0): Written {
  const report = join(folder, "report.html");
  const quiet = words[0] === "compare" || words[1] === "benchmark" ? [] : ["--quiet"]; // it has nothing to be quiet of
  const answer = JSON.parse(ran(folder, [...words, "--json", ...quiet, "--report", report], exit_code));
  return { ...read_page(report), answer };
}

/** 60 made-up configurations with power: time falls and power rises with both clocks. */
export function powered_table(folder: string): string {
  const rows = ["device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,minibatch_ms,power_w"];
  for (const cores of [2, 4, 8]) for (const cpu of [400, 800, 1200, 1600, 2000]) for (const gpu of [300, 600, 900, 1200]) {
    rows.push(`board,net,train,16,${cores},${cpu},${gpu},${20000 / gpu + 30000 / cpu / cores + 5},${5 + 0.01 * gpu + 0.0008 * cpu * cores}`);
  }
  const file = join(folder, "table.csv");
  writeFileSync(file, `${rows.join("\n")}\n`);
  return file;
}

/** The words of a minute of `serve` over made-up tables, in which far too many requests come for a while. */
export function serve_words(folder: string): string[] {
  const rows = ["device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,minibatch_ms,power_w"];
  for (const batch of [1, 4, 16, 64]) for (const cores of [2, 4, 8]) for (const cpu of [400, 800, 1200, 1600, 2000]) for (const gpu of [300, 600, 900, 1200]) {
    rows.push(`board,det,infer,${batch},${cores},${cpu},${gpu},${(1500 + 200 * batch) / gpu + 3000 / cpu / cores + 1},${4 + 0.009 * gpu + 0.0008 * cpu * cores}`);
  }
  const infer = join(folder, "served.csv");
  writeFileSync(infer, `${rows.join("\n")}\n`);
  return ["serve", "--train", powered_table(folder), "--infer", infer, "--latency", "100ms", "--power-budget", "16W",
    "--arrivals", "windows:30:20s,3000:4s,30:36s", "--jitter", "0.3", "--seed", "4"];
}

export const served = (folder: string): Written => written(folder, serve_words(folder));
