#!/usr/bin/env python3
"""flyball-nvml runs wherever NVIDIA's library does: which versions of the C library's functions does it need?

usage: tests/nvml_program_test.py SOURCE_FOLDER BUILD_FOLDER

Read from the program of this build, and from one for aarch64 where there is a compiler for it; that one is run by
qemu where there is one.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NEWEST = (2, 17)  # of 2012: CentOS 7, JetPack 3, and whatever came later
LIBRARIES = {"libc.so.6", "libdl.so.2"}
source, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
faults = []


def expect(holds, fault):
    if not holds:
        faults.append(fault)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def check(program, loader):
    shown = output("readelf", "-dlVW", str(program))
    needed = set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", shown))
    expect(needed == LIBRARIES, f"{program} needs {sorted(needed)}")
    expect(f"interpreter: {loader}]" in shown, f"{program} asks for another loader than {loader}")
    wanted = shown[shown.index("Version needs section"):]
    versions = re.findall(r"Name: (\S+)", wanted)
    expect(versions, f"{program} names no versions of functions")
    for version in versions:
        number = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", version)
        expect(number and (int(number[1]), int(number[2])) <= NEWEST, f"{program} needs {version}")
    return sorted(set(versions))


def answers(*command):
    run = subprocess.run([*command, "/nowhere/libnvidia-ml.so.1"], input="", capture_output=True, text=True, timeout=60)
    expect((run.returncode, run.stdout) == (1, "no_library\n"), f"{command} answers {run}")


program = build / "bin/flyball-nvml"
machine = output("uname", "-m").strip()
loaders = {"x86_64": "/lib64/ld-linux-x86-64.so.2", "aarch64": "/lib/ld-linux-aarch64.so.1"}
told = [f"{machine}: {', '.join(check(program, loaders[machine]))}"]
answers(str(program))

compiler = next((name for name in ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-gcc-11") if shutil.which(name)), None)
if machine != "aarch64" and compiler:
    with tempfile.TemporaryDirectory() as folder:
        other = pathlib.Path(folder) / "flyball-nvml"
        code = source / "src/telemetry/sensors/flyball_nvml.c"
        output(compiler, "-std=c11", "-O2", "-fPIE", "-pie", "-nostartfiles", f"-I{source / 'src'}", str(code), "-o",
               str(other), "-Wl,--no-as-needed", "-l:libdl.so.2")
        told.append(f"aarch64: {', '.join(check(other, loaders['aarch64']))}")
        qemu, root = shutil.which("qemu-aarch64-static"), pathlib.Path("/usr/aarch64-linux-gnu")
        if qemu and (root / "lib/ld-linux-aarch64.so.1").exists():
            answers(qemu, "-L", str(root), str(other))
            told.append("run by qemu")
else:
    told.append("aarch64: no compiler for it here, not looked at")

for fault in faults:
    print(f"nvml_program_test: {fault}", file=sys.stderr)
if faults:
    sys.exit(1)
print("flyball-nvml: " + "; ".join(told))
