#!/usr/bin/env python3
"""How good are answers of boards that start from what the first one of their kind measured? On simulated boards that differ
by clock and by rail, against the best mode of each, which `twin table` tells.

usage: bench/references_travel.py FLYBALL [--boards N] [--kind KIND] [--workload NETWORK] [--budget 10W] [--profiles K]
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import tempfile

AXES = ("cpu_cores", "cpu_mhz", "gpu_mhz", "mem_mhz")


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def run(self, *words):
        return subprocess.run([self.options.flyball, *map(str, words)], cwd=self.folder, capture_output=True, text=True)

    def tune(self, board, *words):
        answer = self.run("tune", self.options.workload, "--device", f"twin:{self.options.kind}@{board}",
                          "--power-budget", self.options.budget, "--json", *words)
        return json.loads(answer.stdout)

    def modes(self, board):
        """Time and power of each mode of the board."""
        table = self.folder / f"{board}.csv"
        self.run("twin", "table", self.options.workload, "--device", f"twin:{self.options.kind}@{board}", "--modes", "all",
                 "--out", table)
        with open(table) as file:
            return {tuple(float(row[axis]) for axis in AXES): (float(row["minibatch_ms"]), float(row["power_w"]))
                    for row in csv.DictReader(file)}

    def gap(self, answer, modes):
        """Time above that of the best mode within the budget, in percent; None without an answer."""
        if not answer["choice"]:
            return None
        budget = float(self.options.budget.rstrip("W"))
        best = min(ms for ms, watts in modes.values() if watts <= budget)
        return 100 * (modes[tuple(float(answer["choice"]["config"][axis]) for axis in AXES)][0] / best - 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flyball", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--boards", type=int, default=9)
    parser.add_argument("--kind", default="orin_nano")
    parser.add_argument("--workload", default="resnet18")
    parser.add_argument("--budget", default="10W")
    parser.add_argument("--profiles", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(options, pathlib.Path(name))
        store, reference = bench.folder / "first.db", bench.folder / "first.csv"
        first = bench.tune(1, "--profiles", "10", "--store", store)
        bench.run("export", "--store", store, "--out", reference)
        print(f"first board, 10 profiles: {bench.gap(first, bench.modes(1)):.1f} % above its best mode")
        few_profiles = f"{options.profiles} profiles"
        gaps = {f"{few_profiles}, start from it": [], f"{few_profiles} alone": [], "10 profiles alone": []}
        for board in range(2, options.boards + 1):
            modes, few = bench.modes(board), ["--profiles", options.profiles, "--no-store"]
            for kind, words in zip(gaps, (few + ["--reference", reference, "--accept", "simulated"], few,
                                          ["--profiles", "10", "--no-store"])):
                gaps[kind].append(bench.gap(bench.tune(board, *words), modes))
        for kind, all_gaps in gaps.items():
            known = [gap for gap in all_gaps if gap is not None]
            print(f"{len(all_gaps)} other boards, {kind}: median {statistics.median(known):.1f} %, "
                  f"at most {max(known):.1f} %, no answer {len(all_gaps) - len(known)}")


if __name__ == "__main__":
    main()
