#!/usr/bin/env python3
"""A campaign by Slurm: 2 simulated boards × 3 networks × 2 budgets on two nodes of this machine, of which one dies in
the middle and one task is requeued, collected into PostgreSQL, which is killed and started again. Each cell has the
answer that the same command gives alone, and each trial is collected once. Then a cell that takes longer than its time
limit: Slurm warns it, and it goes on with what it has measured.

usage: tests/campaign_slurm_test.py BUILD_FOLDER       (77: skipped, and why)
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import postgres_testing
import slurm_testing

CAMPAIGN = """executor = "slurm"
parallel = 2
collect = "{place}"
[[boards]]
name = "a"
device = "twin:orin_nano@1"
constraint = "edge"
[[boards]]
name = "b"
device = "twin:orin_nano@2"
constraint = "edge"
[[workloads]]
name = "resnet18"
[[workloads]]
name = "mobilenet_v3"
[[workloads]]
name = "lenet5"
[[questions]]
name = "tune"
options = "--profiles 25"
[[budgets]]
name = "8W"
options = "--power-budget 8W"
[[budgets]]
name = "10W"
options = "--power-budget 10W"
[slurm]
time = "10"
"""
CELLS = 12

# Slurm looks at time limits every half minute: the warning comes after 25 to 55 s.
LIMITED = """executor = "slurm"
[[boards]]
name = "here"
node = "n1"
[[workloads]]
name = "slow"
program = ["bash", "-c", "sleep 6 # {batch_size}"]
[[questions]]
name = "tune"
options = "--axis batch_size=1,2,3,4,5,6 --strategy brute-force --no-verify"
[slurm]
time = "1"
warn_s = 5
"""

# What a site's slurm.conf would name; how long it took, and whether it went well.
EPILOG = """began=$(date +%s%N)
FLYBALL_STATE={folder}/flyball-state {flyball} mode restore >/dev/null 2>>{folder}/epilog.err
echo "$? $(( ($(date +%s%N) - began) / 1000000 ))" >>{folder}/epilog.txt
exit 0
"""


def answer_without_times(document):
    """What is chosen and what was read; which of it an earlier attempt measured may differ."""
    kept = {key: document[key] for key in ("choice", "default", "asked", "infeasible", "measured")}
    return json.dumps(kept, sort_keys=True)


class Lab:
    """The cluster, the database, and a folder of campaigns whose name a shell and Slurm could misread."""

    def __init__(self, folder, flyball):
        self.folder, self.flyball = folder, flyball
        self.campaigns = folder / "o'brien's 50%a $HOME boards"
        self.campaigns.mkdir()
        self.database = postgres_testing.Server(folder / "database")
        self.cluster = slurm_testing.Cluster(folder, EPILOG.format(folder=folder, flyball=flyball))

    def ask(self, *words):
        return json.loads(self.cluster.run(self.flyball, *words, "--json", cwd=self.campaigns))

    def status(self, file):
        return self.ask("campaign", "status", file)

    def stop(self):
        self.cluster.stop()
        self.database.stop()

    def wait(self, what, limit_s, found):
        deadline = time.time() + limit_s
        while time.time() < deadline:
            if found():
                return
            time.sleep(0.3)
        said = [*self.campaigns.glob("*.campaign/slurm/*.txt"), *self.campaigns.glob("*.campaign/cells/*/log.txt")]
        logs = "".join(f"{log}:\n{log.read_text()}" for log in said)
        raise SystemExit(f"{what} within {limit_s} s\n{self.cluster.run('squeue', '-a')}{logs}")


def disturb_and_finish(lab):
    """One task is requeued, one node dies, and the database is killed while stores are collected."""
    cluster, seen = lab.cluster, {"done": 0, "requeued": False, "died": ""}

    # A cell takes a second: who is to be hit while it runs is asked for last.
    def running():
        lines = cluster.run("squeue", "-h", "-r", "-t", "RUNNING", "-o", "%N %F_%K").splitlines()
        return [line.split() for line in lines if len(line.split()) == 2]

    def disturb():
        if not seen["died"] and seen["done"] >= 1 and (tasks := running()):
            seen["died"] = tasks[0][0]
            cluster.kill_node(seen["died"])
            print(f"node {seen['died']} died with {seen['done']} of {CELLS} cells done, while it ran {tasks[0][1]}")
            restart_database_while_collecting(lab)
        elif not seen["requeued"] and seen["done"] >= 2:
            # What the dead node ran still counts as running for a while, and what has ended meanwhile is refused.
            alive = [task for node, task in running() if node != seen["died"]]
            seen["requeued"] = bool(alive) and cluster.succeeds("scontrol", "requeue", alive[0])
            if seen["requeued"]:
                print(f"task {alive[0]} was put back into the queue")

    def done():
        for _ in range(10):
            disturb()
        seen["done"] = lab.status("c.toml")["counts"]["done"]
        return seen["done"] == CELLS

    lab.wait("12 cells are not done", 300, done)
    assert seen["requeued"] and seen["died"], f"the campaign was done before: {seen}"
    cluster.start_node(seen["died"])


def restart_database_while_collecting(lab):
    collecting = subprocess.Popen([lab.flyball, "campaign", "collect", "c.toml"], cwd=lab.campaigns,
                                  env=lab.cluster.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    time.sleep(0.2)
    lab.database.kill()
    time.sleep(1)
    lab.database.start()
    said = collecting.communicate(timeout=120)[0]
    print(f"the database was killed while stores were collected; exit code {collecting.returncode}")
    assert collecting.returncode == 0 or "the same command again" in said or "cannot reach" in said, said


def compare_with_each_alone(lab):
    """Equal answers; the number of trials of all."""
    trials = 0
    for cell in lab.status("c.toml")["cells"]:
        board, workload, _, budget = cell["cell"].split(".")
        store = lab.folder / f"{cell['cell']}.db"
        alone = lab.ask("tune", workload, "--device", "twin:orin_nano@" + {"a": "1", "b": "2"}[board], "--profiles", "25",
                        "--power-budget", budget, "--store", store)
        kept = json.loads((lab.campaigns / "c.campaign/cells" / cell["cell"] / "answer.json").read_text())
        assert answer_without_times(alone) == answer_without_times(kept), f"another answer than alone: {cell['cell']}"
        trials += lab.ask("runs", "list", "--store", store)["runs"][0]["measurements"]
    return trials


def check_collected(lab, trials):
    """Each trial of each cell once, in the database."""
    count = lab.database.count
    lab.wait("the job that follows has not collected", 120, lambda: not lab.cluster.run("squeue", "-h").split())
    rows = count("SELECT COUNT(*) FROM measurements")
    stores = count("SELECT COUNT(*) FROM stores WHERE NOT own")
    said = (lab.campaigns / "c.campaign/slurm/collect.txt").read_text()
    assert stores == CELLS, f"{stores} stores are collected; the job said:\n{said}"
    assert count("SELECT COUNT(DISTINCT (store_id, store_row)) FROM measurements") == rows
    assert rows == trials, f"{rows} trials are collected, {trials} were made by the cells alone"
    lab.cluster.run(lab.flyball, "campaign", "collect", "c.toml", cwd=lab.campaigns)
    assert count("SELECT COUNT(*) FROM measurements") == rows, "collected twice"
    return rows


def run_past_the_limit(lab):
    (lab.campaigns / "limited.toml").write_text(LIMITED)
    lab.ask("campaign", "run", "limited.toml")
    lab.wait("the limited cell is not done", 240, lambda: lab.status("limited.toml")["counts"]["done"] == 1)
    cell = lab.status("limited.toml")["cells"][0]
    assert cell["attempts"] >= 2, f"it was done before its time limit: {cell}"
    runs = lab.ask("runs", "list", "--store", lab.campaigns / "limited.campaign/cells" / cell["cell"] / "store.db")["runs"]
    made = sum(run["measurements"] - run["reused"] for run in runs)
    # The trial that the warning ends is begun again, and no other one.
    all_of_them = runs[0]["request"]["measured"][0]["configurations"]
    assert made == all_of_them, runs
    print(f"a cell of {all_of_them} trials went past its time limit: {cell['attempts']} attempts, {made} trials made")


def check_epilogs(lab):
    ended = [line.split() for line in (lab.folder / "epilog.txt").read_text().splitlines()]
    assert len(ended) >= CELLS and all(code == "0" for code, _ in ended), (ended, (lab.folder / "epilog.err").read_text())
    slowest = max(int(ms) for _, ms in ended) / 1000
    assert slowest < 10, f"an epilog took {slowest} s"
    print(f"{len(ended)} epilogs put the board back, the slowest in {slowest:.2f} s")


def main():
    missing = slurm_testing.missing() or ("" if postgres_testing.programs() else "PostgreSQL is missing (scripts/setup --all)")
    if missing:
        print(f"skipped: {missing}")
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="flyball-slurm-"))
    folder.chmod(0o755)
    lab = Lab(folder, pathlib.Path(sys.argv[1]).resolve() / "bin/flyball")
    try:
        (lab.campaigns / "c.toml").write_text(CAMPAIGN.format(place=lab.database.place))
        lab.cluster.run(lab.flyball, "collect", "--into", lab.database.place)
        lab.ask("campaign", "run", "c.toml")
        disturb_and_finish(lab)
        trials = compare_with_each_alone(lab)
        print(f"{CELLS} cells, answers as alone; attempts {[c['attempts'] for c in lab.status('c.toml')['cells']]}")
        print(f"{check_collected(lab, trials)} trials in PostgreSQL, each once")
        # Nothing is left to submit.
        assert len(lab.ask("campaign", "run", "c.toml")["arrays"]) == 2
        lab.cluster.wait_until_idle()
        run_past_the_limit(lab)
        check_epilogs(lab)
    finally:
        lab.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
