#!/usr/bin/env python3
"""What scripts/release left in dist/: is all of it there, as it should be, and does the program in it answer?

usage: tests/package_test.py SOURCE_FOLDER [DIST_FOLDER]     exit code 77: there is no package, or no dpkg-deb

Nothing is installed: the package is unpacked into a folder.
"""
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from shell_testing import environment_of

source = pathlib.Path(sys.argv[1]).resolve()
dist = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else source / "dist").resolve()
machine = os.uname().machine
kind = {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)
debs = sorted(dist.glob(f"flyball_*_{kind}.deb"))
archives = sorted(dist.glob(f"flyball-*-linux-{machine}.tar.gz"))
if not debs or not archives or not shutil.which("dpkg-deb"):
    print("package_test: no package of this machine's kind in dist/ (scripts/release makes it)")
    sys.exit(77)
faults = []


def expect(holds, fault):
    if not holds:
        faults.append(fault)


def output(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300, **more).stdout


for line in (dist / "SHA256SUMS").read_text().splitlines():
    digest, name = line.split()
    expect(hashlib.sha256((dist / name).read_bytes()).hexdigest() == digest, f"{name}: another checksum")

version = re.search(r"^project\(flyball VERSION ([\d.]+)", (source / "CMakeLists.txt").read_text(), re.M).group(1)
fields = dict(re.findall(r"^ ?(\S+): (.*)$", output("dpkg-deb", "-I", str(debs[-1])), re.M))
expect(fields.get("Version") == f"{version}-1", f"version {fields.get('Version')}")
expect(fields.get("Package") == "flyball" and fields.get("Architecture") == kind, f"{fields}")
expect("Depends" not in fields, f"depends on {fields.get('Depends')}")

WANTED = ["bin/flyball", "share/man/man1/flyball.1.gz", "share/man/man1/flyball-tune.1.gz",
          "share/man/man1/flyball-plan-training.1.gz", "share/bash-completion/completions/flyball",
          "share/zsh/vendor-completions/_flyball", "share/fish/vendor_completions.d/flyball.fish",
          "share/flyball/examples/lenet5_host.csv", "share/flyball/experiments/workers.toml",
          "share/doc/flyball/NOTICE", "share/doc/flyball/third-party.gz", "share/doc/flyball/docs/data.md",
          "lib/flyball/python/flyball/__init__.py", "lib/flyball/python/flyball/integrations/lightning.py"]
OF_DEBIAN = ["share/doc/flyball/copyright", "share/doc/flyball/changelog.gz", "share/doc/flyball/changelog.Debian.gz",
             "lib/systemd/system/flyball-helper.service", "lib/systemd/system/flyball-helper.socket",
             "lib/tmpfiles.d/flyball.conf"]
entries = {}
for line in output("dpkg-deb", "-c", str(debs[-1])).splitlines():
    mode, owner, _, _, _, path = line.split(None, 5)
    entries[path.removeprefix("./usr/")] = mode
    expect(owner == "root/root", f"{path} belongs to {owner}")
    wanted = "drwxr-xr-x" if mode[0] == "d" else "-rwxr-xr-x" if path.endswith("/bin/flyball") else None
    # Scripts among the examples may be run.
    allowed = {wanted} if wanted else {"-rw-r--r--", "-rwxr-xr-x"} if "/examples/" in path else {"-rw-r--r--"}
    expect(mode in allowed, f"{path} has mode {mode}")
for path in WANTED + OF_DEBIAN:
    expect(path in entries, f"the package lacks {path}")
expect(not [path for path in entries if "sockets.target.wants" in path], "the package enables the helper")
with tarfile.open(archives[-1]) as archive:
    names = {member.name: member for member in archive}
    top = f"flyball-{version}-linux-{machine}"
    for path in WANTED + ["share/doc/flyball/LICENSE"]:
        expect(f"{top}/{path}" in names, f"the archive lacks {path}")
    for member in names.values():
        expect(member.name == top or member.name.startswith(top + "/"), f"{member.name} lies beside {top}")
        expect((member.uid, member.gid) == (0, 0), f"{member.name} belongs to {member.uid}")
        expect(not member.mode & 0o7022, f"{member.name} has mode {member.mode:o}")

with tempfile.TemporaryDirectory() as scratch:
    root = pathlib.Path(scratch) / "root"
    subprocess.run(["dpkg-deb", "-x", str(debs[-1]), str(root)], check=True)
    program = str(root / "usr/bin/flyball")
    environment = environment_of(root / "usr", pathlib.Path(scratch), "package")
    shown = output("readelf", "-lW", program)
    expect("INTERP" not in shown and "DYNAMIC" not in shown, "the program loads libraries")
    told = output(program, "--version", env=environment).splitlines()
    expect(told[0] == f"flyball {version}" and re.fullmatch(r"commit    [0-9a-f]{12}(, changed)?", told[1]),
           f"--version says {told}")
    expect("ExecStart=/usr/bin/flyball helper run" in (root / "usr/lib/systemd/system/flyball-helper.service").read_text(),
           "the helper's unit names another program")
    page = gzip.decompress((root / "usr/share/man/man1/flyball-tune.1.gz").read_bytes()).decode()
    expect("\\-\\-power\\-budget" in page, "the page of tune lacks --power-budget")
    expect((root / "usr/share/bash-completion/completions/flyball").read_text()
           == output(program, "completion", "bash", env=environment), "the completion is that of another program")
    table = root / "usr/share/flyball/examples/lenet5_host.csv"
    answer = output(program, "tune", "lenet5", "--device", f"table:{table}", "--oracle", cwd=scratch, env=environment)
    expect("choice" in answer, f"tune over a table answers {answer}")
    answer = output(program, "tune", "resnet18", "--device", "twin:orin_nano", "--power-budget", "10W", "--report",
                    "report.html", cwd=scratch, env=environment)
    expect("choice" in answer and (pathlib.Path(scratch) / "report.html").stat().st_size > 100_000,
           f"tune of a simulated board answers {answer}")
    with tarfile.open(archives[-1]) as archive:
        ours = archive.extractfile(f"{top}/bin/flyball").read()
    expect(ours == pathlib.Path(program).read_bytes(), "the archive holds another program than the package")

for fault in faults:
    print(f"package_test: {fault}", file=sys.stderr)
if faults:
    sys.exit(1)
print(f"{debs[-1].name}: {len(entries)} entries; {archives[-1].name}: {len(names)}; the program answers")
