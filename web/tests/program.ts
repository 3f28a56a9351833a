// Runs the built `flyball` and reads the pages that it writes.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const program = process.env["FLYBALL_PROGRAM"] ?? join(root, "build/release/bin/flyball");

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

/** `flyball WORDS`; the exit code must be the one given. What it printed on stdout. */
export function ran(folder: string, words: string[], exit_code = 0): string {
  const env = { ...process.env, FLYBALL_STORE: join(folder, "store.db"), FLYBALL_STATE: join(folder, "state"), FLYBALL_REFERENCES: join(folder, "references") };
  const done = spawnSync(program, words, { cwd: folder, env, encoding: "utf8", maxBuffer: 1 << 26 });
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
  const answer = JSON.parse(ran(folder, [...words, "--json", "--quiet", "--report", report], exit_code));
  return { ...read_page(report), answer };
}
