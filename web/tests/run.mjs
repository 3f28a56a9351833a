// Runs test files, two at a time, each in a process of its own: node tests/run.mjs FILE…
// A file in which no test ends for three minutes hangs (a browser that draws no more, say): it is killed with
// what it started, said so, and run once more. A test that fails is not run again.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { basename } from "node:path";

const silence_s = 180;
/** What reporter.mjs ends with. */
const last_line = /^this file: (\d+) tests, (\d+) passed, (\d+) failed, (\d+) skipped\n$/m;
const total = { tests: 0, passed: 0, failed: 0, skipped: 0 };

const running = new Set();

/** What a process has started, and all that has: browsers have groups of their own. */
function descendants(of) {
  const parents = new Map();
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(")") + 4).split(" ")[0]));
    } catch { /* it has ended */ }
  }
  const found = [of];
  for (const one of found) for (const [pid, parent] of parents) if (parent === one) found.push(pid);
  return found;
}

/** With its process group, which holds what its parent has left. */
function kill_all(of) {
  for (const pid of [...descendants(of), -of]) {
    try { process.kill(pid, "SIGKILL"); } catch { /* it has ended */ }
  }
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(signal, () => {
    for (const child of running) kill_all(child.pid);
    process.exit(1);
  });

/** What a file printed, and how it ended: with an exit code, or `null` where it hung. */
function ran(file) {
  return new Promise((done) => {
    const child = spawn(process.execPath, ["--test-reporter=./tests/reporter.mjs", file], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
    running.add(child);
    let told = "", hung = false, waiting;
    const wait = () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => { hung = true; kill_all(child.pid); }, silence_s * 1000);
    };
    wait();
    child.stdout.setEncoding("utf8").on("data", (text) => { told += text; wait(); });
    // What it left may hold its output open.
    child.once("exit", () => { try { process.kill(-child.pid, "SIGKILL"); } catch { /* nothing is left */ } });
    child.once("close", (code) => {
      clearTimeout(waiting);
      running.delete(child);
      done({ told, code: hung ? null : code ?? 1 });
    });
  });
}

/** True when the file's tests passed. */
async function tested(file, attempts) {
  const { told, code } = await ran(file);
  process.stdout.write(told.replace(last_line, ""));
  if (code === null) {
    console.log(`hung    ${basename(file)}: no test ended within ${silence_s} s; the last line above names the one before it`);
    return attempts > 1 && tested(file, attempts - 1);
  }
  const counts = last_line.exec(told);
  if (!counts) {
    console.log(`FAILED  ${basename(file)}: it ended with ${code} and counted no tests`);
    return false;
  }
  Object.keys(total).forEach((key, i) => { total[key] += Number(counts[i + 1]); });
  return code === 0;
}

const files = process.argv.slice(2);
const outcomes = [];
const worker = async () => {
  for (let file; (file = files.shift()); ) outcomes.push(await tested(file, 2));
};
await Promise.all([worker(), worker()]);
console.log(`web: ${total.tests} tests, ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = outcomes.length > 0 && outcomes.every(Boolean) ? 0 : 1;
