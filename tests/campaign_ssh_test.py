#!/usr/bin/env python3
"""A campaign by ssh, over loopback with a server and a key of its own: the program is copied once, answers and stores come
back, a call that is killed is gone on with.

usage: tests/campaign_ssh_test.py BUILD_FOLDER         (77: skipped, and why)
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

PORT = 16922
CAMPAIGN = """parallel = 2
[[boards]]
name = "a"
count = 2
device = "twin:orin_nano@{n}"
host = "root@127.0.0.1"
[[workloads]]
name = "resnet18"
[[questions]]
name = "tune"
options = "--profiles 10"
[[budgets]]
name = "10W"
options = "--power-budget 10W"
[ssh]
options = ["-F", "ssh_config"]
[references]
travel = true
"""


# Of a real board, whose program is a stand-in: begun for the first time it waits until it is asked to end.
KILLED = """executor = "ssh"
[[boards]]
name = "a"
device = "host"
host = "root@127.0.0.1"
program = "stand-in"
[[questions]]
name = "tune"
[[workloads]]
name = "resnet18"
[ssh]
options = ["-F", "ssh_config"]
"""
STAND_IN = """#!/bin/bash
echo "$*" >>~/asked
[ "$1" = mode ] && { echo "flyball: no right" >&2; exit 2; }
[ "$1" = tune ] || exit 0
echo $$ >>~/begun
trap 'echo ended >>~/begun; exit 143' TERM
[ $(wc -l <~/begun) -gt 1 ] || { sleep 60 & wait; }
echo '{}'
"""


def is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def soon(holds, limit_s=30):
    end = time.monotonic() + limit_s
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def check_killed(flyball, folder, home, environment):
    """Killed while a cell is asked, it leaves no command on the board; the next run goes on, and says what was not put back."""
    (folder / "killed.toml").write_text(KILLED)
    (folder / "stand-in").write_text(STAND_IN)
    (folder / "stand-in").chmod(0o755)
    begun, asked = home / "begun", home / "asked"
    run = [flyball, "campaign", "run", "killed.toml", "--json"]
    first = subprocess.Popen(run, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert soon(lambda: begun.exists() and begun.read_text()), "no command has begun on the board"
    process = int(begun.read_text())
    first.kill()
    first.wait()
    assert soon(lambda: not is_there(process)), "the command on the board goes on"
    assert begun.read_text().split() == [str(process), "ended"], "it was not asked to end, so that it can put the board back"
    again = subprocess.run(run, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert again.returncode == 0 and json.loads(again.stdout)["done"] == 1, again.stdout + again.stderr
    assert "mode restore" in asked.read_text().split("\n"), asked.read_text()
    status = subprocess.run([flyball, "campaign", "status", "killed.toml", "--json"], cwd=folder, env=environment,
                            capture_output=True, text=True, check=True)
    notes = json.loads(status.stdout)["notes"]
    assert any("was not put back: " in note for note in notes), notes


def main():
    sshd = shutil.which("sshd") or "/usr/sbin/sshd"
    if not os.path.exists(sshd) or os.geteuid() != 0:
        print("skipped: openssh-server or root is missing (scripts/setup --all)")
        return 77
    flyball = pathlib.Path(sys.argv[1]).resolve() / "bin/flyball"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="flyball-ssh-"))
    home = folder / "home"
    home.mkdir()
    for key in ("host_key", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
    (folder / "authorized").write_text((folder / "key.pub").read_text())
    (folder / "authorized").chmod(0o600)
    # What a login finds as its home is the test's own folder.
    (folder / "sshd_config").write_text(
        f"Port {PORT}\nListenAddress 127.0.0.1\nHostKey {folder}/host_key\nAuthorizedKeysFile {folder}/authorized\n"
        f"PasswordAuthentication no\nUsePAM no\nStrictModes no\nPermitRootLogin yes\nPidFile {folder}/sshd.pid\n"
        f"ForceCommand export HOME={home} XDG_DATA_HOME={home}; cd {home}; eval \"$SSH_ORIGINAL_COMMAND\"\n")
    (folder / "ssh_config").write_text(
        f"Host *\n  Port {PORT}\n  IdentityFile {folder}/key\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n"
        f"  UserKnownHostsFile {folder}/known\n  LogLevel ERROR\n")
    (folder / "c.toml").write_text(CAMPAIGN)
    os.makedirs("/run/sshd", exist_ok=True)
    environment = dict(os.environ, HOME=str(folder), XDG_CACHE_HOME=str(folder / "c"), FLYBALL_STATE=str(folder / "state"))
    server = subprocess.Popen([sshd, "-D", "-e", "-f", folder / "sshd_config"],
                              stderr=open(folder / "sshd.log", "w"))
    try:
        time.sleep(1)
        run = [flyball, "campaign", "run", "c.toml", "--executor", "ssh", "--json"]
        done = subprocess.run(run, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
        logs = "".join(log.read_text() for log in folder.glob("c.campaign/cells/*/log.txt"))
        assert done.returncode == 0, done.stdout + done.stderr + logs + (folder / "sshd.log").read_text()
        assert json.loads(done.stdout)["done"] == 2
        copies = list((home / ".cache/flyball/campaign").glob("flyball-*"))
        assert len(copies) == 1, copies
        for cell in ("a-1.resnet18.tune.10W", "a-2.resnet18.tune.10W"):
            kept = folder / "c.campaign/cells" / cell
            assert json.loads((kept / "answer.json").read_text())["choice"]
            trials = subprocess.run([flyball, "runs", "list", "--store", kept / "store.db", "--json"], env=environment,
                                    capture_output=True, text=True, check=True)
            assert json.loads(trials.stdout), trials.stdout
        alone = subprocess.run([flyball, "tune", "resnet18", "--device", "twin:orin_nano@1", "--profiles", "10",
                                "--power-budget", "10W", "--no-store", "--json"], env=environment,
                               capture_output=True, text=True, check=True)
        first = json.loads((folder / "c.campaign/cells/a-1.resnet18.tune.10W/answer.json").read_text())
        assert json.loads(alone.stdout)["choice"] == first["choice"]
        again = subprocess.run(run, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
        assert json.loads(again.stdout)["known"] == 2, again.stdout + again.stderr
        status = subprocess.run([flyball, "campaign", "status", "c.toml", "--json"], cwd=folder, env=environment,
                                capture_output=True, text=True, check=True)
        cells = json.loads(status.stdout)["cells"]
        assert [(cell["state"], cell["host"]) for cell in cells] == [("done", "root@127.0.0.1")] * 2, cells
        check_killed(flyball, folder, home, environment)
        print("2 cells over ssh, answers as here, the program copied once")
    finally:
        subprocess.run(["ssh", "-F", folder / "ssh_config", "-o", f"ControlPath={folder}/c/flyball/ssh/%C", "-O", "exit",
                        "root@127.0.0.1"], env=environment, capture_output=True)
        server.terminate()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
