#!/usr/bin/env python3
"""What scripts/release left in dist/: is all of it there, as it should be, and does the program in it answer?

usage: tests/package_test.py SOURCE_FOLDER [DIST_FOLDER]     exit code 77: there is no package, or no dpkg-deb

Nothing of this machine is changed: the package is unpacked into a folder, the wheel is installed in a fresh venv, and the
image, where there is one (scripts/release --image), is run by bwrap.
"""
import ast
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

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


summed = set()
for line in (dist / "SHA256SUMS").read_text().splitlines():
    digest, name = line.split()
    summed.add(name)
    expect(hashlib.sha256((dist / name).read_bytes()).hexdigest() == digest, f"{name}: another checksum")

version = re.search(r"^project\(flyball VERSION ([\d.]+)", (source / "CMakeLists.txt").read_text(), re.M).group(1)
ours = {each.name for each in dist.iterdir() if version in each.name and not each.name.endswith(".part")}
expect(ours | {"RELEASE-NOTES.md"} == summed, f"SHA256SUMS sums {sorted(summed)}, and there are {sorted(ours)}")
fields = dict(re.findall(r"^ ?(\S+): (.*)$", output("dpkg-deb", "-I", str(debs[-1])), re.M))
expect(fields.get("Version") == f"{version}-1", f"version {fields.get('Version')}")
expect(fields.get("Package") == "flyball" and fields.get("Architecture") == kind, f"{fields}")
expect(fields.get("Depends") == "libc6 (>= 2.17)", f"depends on {fields.get('Depends')}")

WANTED = ["bin/flyball", "lib/flyball/flyball-nvml", "share/man/man1/flyball.1.gz", "share/man/man1/flyball-tune.1.gz",
          "share/man/man1/flyball-plan-training.1.gz", "share/bash-completion/completions/flyball",
          "share/zsh/vendor-completions/_flyball", "share/fish/vendor_completions.d/flyball.fish",
          "share/flyball/examples/lenet5_host.csv", "share/flyball/experiments/workers.toml",
          "share/flyball/grafana/flyball.json",
          "share/doc/flyball/NOTICE", "share/doc/flyball/third-party.gz", "share/doc/flyball/docs/data.md",
          "lib/flyball/python/flyball/__init__.py", "lib/flyball/python/flyball/integrations/lightning.py"]
OF_DEBIAN = ["share/doc/flyball/copyright", "share/doc/flyball/changelog.gz", "share/doc/flyball/changelog.Debian.gz",
             "lib/systemd/system/flyball-helper.service", "lib/systemd/system/flyball-helper.socket",
             "lib/systemd/system/flyball-metrics.service", "lib/systemd/system/flyball-metrics.socket",
             "lib/tmpfiles.d/flyball.conf"]
LINKED = ["libc6", r"libstdc\+\+", "libsqlite3", "zlib1g", "libarchive", "libncurses", "libjpeg", "libicu", "libfmt", "libcli11",
          "nlohmann-json3", "libeigen3", "libboost", "libtomlplusplus", "libhowardhinnant-date"]
entries = {}
for line in output("dpkg-deb", "-c", str(debs[-1])).splitlines():
    mode, owner, _, _, _, path = line.split(None, 5)
    entries[path.removeprefix("./usr/")] = mode
    expect(owner == "root/root", f"{path} belongs to {owner}")
    program = path.endswith(("/bin/flyball", "/flyball/flyball-nvml"))
    wanted = "drwxr-xr-x" if mode[0] == "d" else "-rwxr-xr-x" if program else None
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
    made = (dist / "COMMIT").read_text().strip()
    expect(told[1].split(None, 1)[1] == made, f"--version says {told[1]}, and dist/ is of {made}")
    papers = gzip.decompress((root / "usr/share/doc/flyball/third-party.gz").read_bytes()).decode()
    for library in LINKED:
        expect(re.search(rf"^==== {library}", papers, re.M), f"third-party.gz lacks {library}")
    expect("Boost Software License" in papers, "third-party.gz lacks the licence of Boost")
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



def check_wheel(wheel, scratch):
    """Both machines' wheels are looked into; this machine's is installed and used."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".py"):
                ast.parse(archive.read(name), name, feature_version=(3, 8))
        for name in ("flyball/bin/flyball", "flyball/lib/flyball/flyball-nvml"):
            expect(archive.getinfo(name).external_attr >> 16 & 0o777 == 0o755, f"{wheel.name}: {name} cannot be run")
        for name in ("flyball/py.typed", *(f"flyball/integrations/{one.name}" for one in
                                           (pathlib.Path(__file__).resolve().parents[1] / "bindings/python/flyball/integrations").glob("*.py"))):
            expect(name in archive.namelist(), f"{wheel.name} lacks {name}")
    if machine not in wheel.name:
        return
    venv = scratch / "venv"
    output(sys.executable, "-m", "venv", str(venv))
    output(str(venv / "bin/pip"), "install", "--no-index", "--no-deps", "--quiet", str(wheel))
    home = environment_of(root_of_none(scratch), scratch, "wheel")
    home.pop("PYTHONPATH", None)
    home.pop("FLYBALL_PROGRAM", None)
    expect(output(str(venv / "bin/flyball"), "--version", env=home).startswith(f"flyball {version}\n"),
           "the wheel's command says another version")
    script = ("import flyball\nfrom flyball import _places\nprint(_places.program())\n"
              "study = flyball.create_study({'batch_size': [16, 32]}, keep=False)\n"
              "for trial in study:\n    study.tell(trial, minibatch_ms=trial['batch_size'] * 0.5, power_w=10)\n"
              "print(study.best.settings if hasattr(study.best, 'settings') else study.best)")
    said = output(str(venv / "bin/python"), "-c", script, env=home).splitlines()
    expect(said and said[0].startswith(str(venv)) and len(said) > 1, f"the wheel's package says {said}")


def root_of_none(scratch):
    folder = scratch / "nothing"
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    return folder


def check_image(root_archive, image, scratch):
    """The root runs without anything of this machine but /sys and /proc; the image holds that root."""
    root = scratch / "image"
    root.mkdir()
    with tarfile.open(root_archive) as archive:
        for member in archive:
            expect((member.uid, member.gid) == (0, 0), f"{member.name} of the image belongs to {member.uid}")
    output("tar", "--extract", "--gzip", "--no-same-owner", "--file", str(root_archive), "--directory", str(root))
    with tarfile.open(image) as archive:
        blobs = {name: archive.extractfile(name).read() for name in archive.getnames()}
    index = json.loads(blobs["index.json"])
    manifest = json.loads(blobs["blobs/sha256/" + index["manifests"][0]["digest"][7:]])
    config = json.loads(blobs["blobs/sha256/" + manifest["config"]["digest"][7:]])
    for name, content in blobs.items():
        if name.startswith("blobs/"):
            expect(hashlib.sha256(content).hexdigest() == name.rsplit("/", 1)[1], f"{name} of the image has another sum")
    expect(blobs["blobs/sha256/" + manifest["layers"][0]["digest"][7:]] == root_archive.read_bytes(),
           "the image holds another root")
    expect(config["config"]["Entrypoint"] == ["/usr/bin/flyball"], f"the image runs {config['config']}")
    expect(not (root / "etc/apt").exists() and not (root / "etc/hostname").exists(), "the image knows where it was made")
    if config["architecture"] != kind:
        return "looked into"
    if not shutil.which("bwrap"):
        return "not run: there is no bwrap"
    (root / "work").mkdir()
    inside = ["bwrap", "--bind", str(root), "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind", "/sys",
              "/sys", "--unshare-net", "--unshare-pid", "--clearenv", "--setenv", "HOME", "/root", "--chdir", "/work"]
    for variable in config["config"]["Env"]:
        inside += ["--setenv"] + variable.split("=", 1)
    run = inside + config["config"]["Entrypoint"]
    said = output(*run, "doctor")
    expect("a static flyball" not in said.replace("a static flyball cannot load libcuda.so.1", ""),
           f"the image lacks flyball-nvml: {said}")
    said = output(*run, "tune", "resnet18", "--device", "twin:orin_nano", "--power-budget", "10W", "--report", "r.html")
    expect("choice" in said and (root / "work/r.html").exists(), f"tune in the image answers {said}")
    marked = ("import time, flyball\nfor batch in flyball.batches(range(60)):\n    time.sleep(0.002)\n")
    (root / "work/train.py").write_text(marked)
    said = output(*run, "profile", "--", "python3", "train.py")
    expect("minibatch" in said, f"profile of a program in the image answers {said}")
    return "run"


wheels = sorted(dist.glob(f"flyball-{version}-py3-none-*.whl"))
expect(any(machine in wheel.name for wheel in wheels), "there is no wheel for this machine")
images = "no image"
with tempfile.TemporaryDirectory() as scratch:
    for wheel in wheels:
        check_wheel(wheel, pathlib.Path(scratch))
    for archive in sorted(dist.glob(f"flyball-{version}-root-*.tar.gz")):
        with tempfile.TemporaryDirectory() as own:
            image = dist / archive.name.replace("-root-", "-image-").replace(".tar.gz", ".tar")
            images = f"{image.name}: {check_image(archive, image, pathlib.Path(own))}"
notes = (dist / "RELEASE-NOTES.md").read_text()
expect(f"# Flyball {version}" in notes and debs[-1].name in notes, "the notes of the release name no package")

for fault in faults:
    print(f"package_test: {fault}", file=sys.stderr)
if faults:
    sys.exit(1)
print(f"{debs[-1].name}: {len(entries)} entries; {archives[-1].name}: {len(names)}; the program answers; "
      f"{len(wheels)} wheels; {images}")
