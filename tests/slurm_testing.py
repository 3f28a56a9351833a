"""A cluster of Slurm with two nodes on this machine, in a folder and on ports of its own; each node may be killed."""
import os
import pathlib
import shutil
import signal
import subprocess
import time

# cred_expire is also how long a task waits that is queued again.
CONFIGURATION = """ClusterName=flyball
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=16817
AuthType=auth/none
AuthInfo=cred_expire=6
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
Epilog={folder}/epilog
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
NODES = ("n1", "n2")


def missing():
    """Why there can be none here; "" where there can."""
    tools = [tool for tool in ("slurmctld", "slurmd", "sbatch") if not shutil.which(tool)]
    if tools:
        return f"{', '.join(tools)} is missing (scripts/setup --all)"
    return "" if os.geteuid() == 0 else "only root starts nodes"


class Cluster:
    def __init__(self, folder, epilog):
        """epilog: lines of a shell, run on a node when a task has ended."""
        self.folder, self.processes = folder, {}
        (folder / "state").mkdir()
        self.configuration = folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(host=os.uname().nodename, folder=folder))
        (folder / "epilog").write_text("#!/bin/bash\n" + epilog)
        (folder / "epilog").chmod(0o755)
        # What others measure on this machine keeps its cells out of nothing.
        self.environment = dict(os.environ, SLURM_CONF=str(self.configuration), HOME=str(folder), FLYBALL_MACHINE=f"slurm-{os.getpid()}",
                                FLYBALL_STATE=str(folder / "flyball-state"), XDG_DATA_HOME=str(folder / "data"))
        self.start("ctl", ["slurmctld", "-D", "-f", str(self.configuration), "-c", "-i"])
        for node in NODES:
            (folder / f"spool-{node}").mkdir()
            self.start_node(node)
        self.wait_until_idle()

    def start(self, name, command):
        with open(self.folder / f"{name}.out", "a") as out:
            self.processes[name] = subprocess.Popen(command, env=self.environment, stdout=out, stderr=out)

    def start_node(self, node):
        self.start(node, ["slurmd", "-D", "-f", str(self.configuration), "-N", node])

    def run(self, *command, check=True, cwd=None):
        done = subprocess.run([str(word) for word in command], env=self.environment, cwd=cwd or self.folder,
                              capture_output=True, text=True, timeout=120)
        if check and done.returncode != 0:
            raise SystemExit(f"{command} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def succeeds(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, timeout=120).returncode == 0

    def wait_until_idle(self):
        for _ in range(200):
            if self.run("sinfo", "-h", "-N", "-o", "%T", check=False).split() == ["idle"] * len(NODES):
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
        for node in NODES:
            self.kill_node(node)
        self.processes["ctl"].kill()
        self.processes["ctl"].wait()
