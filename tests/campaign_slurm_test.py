#!/usr/bin/env python3
"""A campaign by Slurm: 2 simulated boards × 3 networks × 2 budgets on two nodes of this machine, of which one dies in
the middle and one task is requeued. Each cell has the answer that the same command gives alone.

usage: tests/campaign_slurm_test.py BUILD_FOLDER       (77: skipped, and why)
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CAMPAIGN = """executor = "slurm"
parallel = 2
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

CONFIGURATION = """ClusterName=flyball
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=16817
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=6
InactiveLimit=0
KillWait=3
MinJobAge=300
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
NodeName=n[1-2] NodeHostname={host} NodeAddr=127.0.0.1 Port=[16818-16819] CPUs=2 Feature=edge State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def answer_without_times(document):
    """What is chosen and what was read; which of it an earlier attempt measured may differ."""
    kept = {key: document[key] for key in ("choice", "default", "asked", "infeasible", "measured")}
    return json.dumps(kept, sort_keys=True)


class Cluster:
    def __init__(self, folder):
        self.folder, self.processes = folder, {}
        host = os.uname().nodename
        (folder / "state").mkdir()
        self.configuration = folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(host=host, folder=folder))
        self.environment = dict(os.environ, SLURM_CONF=str(self.configuration), HOME=str(folder),
                                FLYBALL_STATE=str(folder / "flyball-state"), XDG_DATA_HOME=str(folder / "data"))
        self.start("ctl", ["slurmctld", "-D", "-f", str(self.configuration), "-c", "-i"])
        for node in ("n1", "n2"):
            (folder / f"spool-{node}").mkdir()
            self.start(node, ["slurmd", "-D", "-f", str(self.configuration), "-N", node])

    def start(self, name, command):
        with open(self.folder / f"{name}.out", "w") as out:
            self.processes[name] = subprocess.Popen(command, env=self.environment, stdout=out, stderr=out)

    def run(self, *command, check=True):
        done = subprocess.run([str(word) for word in command], env=self.environment, cwd=self.folder,
                              capture_output=True, text=True, timeout=120)
        if check and done.returncode != 0:
            raise SystemExit(f"{command} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def wait_until_idle(self):
        for _ in range(100):
            if self.run("sinfo", "-h", "-N", "-o", "%T", check=False).split() == ["idle", "idle"]:
                return
            time.sleep(0.3)
        raise SystemExit("the nodes do not come up: " + self.run("sinfo", "-N", "-l", check=False))

    def processes_of(self, node):
        """Those that Slurm started on the node for this cluster."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                variables = (entry / "environ").read_bytes().split(b"\0")
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            ours = f"SLURM_CONF={self.configuration}".encode() in variables
            if ours and (f"SLURMD_NODENAME={node}".encode() in variables or
                         (b"slurmstepd" in command and entry.name != str(os.getpid()))):
                found.append(int(entry.name))
        return found

    def kill_node(self, node):
        self.processes[node].kill()
        self.processes[node].wait()
        for pid in self.processes_of(node):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def stop(self):
        for name in ("n1", "n2"):
            self.kill_node(name)
        self.processes["ctl"].kill()
        self.processes["ctl"].wait()


def counts(cluster, flyball):
    return json.loads(cluster.run(flyball, "campaign", "status", "c.toml", "--json"))


def main():
    missing = [tool for tool in ("slurmctld", "slurmd", "sbatch") if not shutil.which(tool)]
    if missing or os.geteuid() != 0:
        print(f"skipped: {', '.join(missing) or 'root'} is missing (scripts/setup --all)")
        return 77
    flyball = pathlib.Path(sys.argv[1]).resolve() / "bin/flyball"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="flyball-slurm-"))
    cluster = Cluster(folder)
    try:
        cluster.wait_until_idle()
        (folder / "c.toml").write_text(CAMPAIGN)
        print(cluster.run(flyball, "campaign", "run", "c.toml"), end="")
        died = requeued = False
        deadline = time.time() + 300
        while time.time() < deadline:
            status = counts(cluster, flyball)
            done = status["counts"]["done"]
            if not requeued and done >= 1:
                running = cluster.run("squeue", "-h", "-r", "-t", "RUNNING", "-o", "%F_%K").split()
                if running:
                    cluster.run("scontrol", "requeue", running[0], check=False)
                    requeued = True
            on_second = cluster.run("squeue", "-h", "-t", "RUNNING", "-w", "n2", "-o", "%i").split()
            if not died and done >= 3 and on_second:
                cluster.kill_node("n2")
                died = True
                print(f"node n2 died with {done} of 12 cells done, while it ran {on_second}")
            if done == 12:
                break
            time.sleep(0.2)
        assert done == 12, json.dumps(status, indent=1)
        assert died and requeued, "the campaign was done before a node could die"
        attempts = [cell["attempts"] for cell in status["cells"]]
        differ = []
        for cell in status["cells"]:
            board, workload, _, budget = cell["cell"].split(".")
            alone = json.loads(cluster.run(
                flyball, "tune", workload, "--device", "twin:orin_nano@" + {"a": "1", "b": "2"}[board], "--profiles",
                "25", "--power-budget", budget, "--store", folder / f"{cell['cell']}.db",
                "--json"))
            kept = json.loads((folder / "c.campaign/cells" / cell["cell"] / "answer.json").read_text())
            if answer_without_times(alone) != answer_without_times(kept):
                differ.append(cell["cell"])
        assert not differ, f"other answers than alone: {differ}"
        # Nothing is left to submit; tasks that are still queued find their answer.
        again = json.loads(cluster.run(flyball, "campaign", "run", "c.toml", "--json"))
        assert len(again["arrays"]) == 2, again
        print(f"12 cells, answers as alone; attempts that ended {attempts}")
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
