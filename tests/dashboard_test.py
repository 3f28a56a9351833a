#!/usr/bin/env python3
"""Asks every query of packaging/grafana/flyball.json of a running Prometheus that scrapes `flyball metrics-server` with a
simulated board behind it, and the alert rules whether they hold together there.

usage: tests/dashboard_test.py SOURCE_FOLDER BUILD_FOLDER     exit code 3: there is no Prometheus here (scripts/setup --all)
"""
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

WAIT_S = 60
# What a simulated board has not: no disks, no sensor that tells of throttling.
EMPTY_ON_A_TWIN = ("flyball_disk_",)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def queries(dashboard):
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


def asked(expression):
    expression = expression.replace("$instance", ".*").replace("$__rate_interval", "5s").replace("$__range", "5s")
    return re.sub(r"\[5m\]", "[5s]", expression)


def ask(url, path, **parameters):
    with urllib.request.urlopen(f"{url}{path}?{urllib.parse.urlencode(parameters)}", timeout=10) as answer:
        return json.load(answer)


def wait_for(what, check):
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        try:
            found = check()
            if found:
                return found
        except OSError:
            pass
        time.sleep(0.5)
    sys.exit(f"dashboard_test: {what} did not come within {WAIT_S} s")


def main():
    source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    tools = source / "build/tools"
    prometheus = shutil.which("prometheus") or shutil.which("prometheus", path=tools)
    if not prometheus:
        print("dashboard_test: there is no Prometheus here: scripts/setup --all unpacks it", file=sys.stderr)
        return 3
    grafana = source / "packaging/grafana"
    dashboard = json.loads((grafana / "flyball.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        board, port = free_port(), free_port()
        (folder / "prometheus.yml").write_text(
            "global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
            f"rule_files: [{grafana}/flyball.rules.yml]\n"
            f"scrape_configs: [{{job_name: flyball, static_configs: [{{targets: ['127.0.0.1:{board}']}}]}}]\n")
        processes = [
            subprocess.Popen([build / "bin/flyball", "metrics-server", "--device", "twin:orin_nano", "--interval", "200ms",
                              "--listen", f"127.0.0.1:{board}"], env={"FLYBALL_STATE": str(folder / "state")}),
            subprocess.Popen([prometheus, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                              f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"])]
        try:
            return check(f"http://127.0.0.1:{port}", dashboard)
        finally:
            for process in processes:
                process.terminate()
                process.wait()


def check(url, dashboard):
    def result(expression):
        return ask(url, "/api/v1/query", query=expression)["data"]["result"]

    wait_for("a scrape", lambda: result("flyball_board_info"))
    wait_for("rates", lambda: result("rate(flyball_board_energy_joules_total[5s])"))
    faults, count = [], 0
    for title, expression in queries(dashboard):
        count += 1
        found = result(asked(expression))
        if not found and not any(name in expression for name in EMPTY_ON_A_TWIN):
            faults.append(f"panel '{title}': nothing comes of {expression}")
        for series in found:
            if series["value"][1] in ("NaN", "+Inf"):
                faults.append(f"panel '{title}': {series}")
    rules = ask(url, "/api/v1/rules")["data"]["groups"][0]["rules"]
    faults += [f"rule {rule['name']}: {rule['lastError']}" for rule in rules if rule.get("lastError")]
    power = float(result("flyball_board_power_watts")[0]["value"][1])
    energy = float(result("rate(flyball_board_energy_joules_total[5s])")[0]["value"][1])
    if not 0.2 * power < energy < 5 * power:
        faults.append(f"{power} W, and joules that grow by {energy} W")
    for fault in faults:
        print(f"dashboard_test: {fault}", file=sys.stderr)
    print(f"{count} queries and {len(rules)} rules asked of a running Prometheus")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
