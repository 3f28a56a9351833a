#!/usr/bin/env python3
"""Runs tests/python with Pythons of this machine, from 3.8 on: that of the system, and the others.

usage: tests/python_test.py SOURCE_FOLDER BUILD_FOLDER [system|others]     exit code 77: there are no others

Each suite says what it needs and cannot find here (pandas, Optuna). All sources of the package are read as
Python 3.8 has them, whatever Pythons there are.
"""
import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from shell_testing import environment_of

SYSTEM = "/usr/bin/python3"
PLACES = ["/usr/bin", "/usr/local/bin", "/opt/*/bin", "~/.pyenv/versions/*/bin", "~/.local/bin"]

source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
wanted = sys.argv[3] if len(sys.argv) > 3 else "system"


def version_of(python):
    """(3, 11), or None where it does not run."""
    done = subprocess.run([python, "--version"], capture_output=True, text=True, check=False)
    found = re.match(r"Python (\d+)\.(\d+)", done.stdout)
    return tuple(map(int, found.groups())) if found and done.returncode == 0 else None


def pythons():
    """One of each minor version but the system's."""
    found = {version_of(SYSTEM): SYSTEM}
    for place in PLACES:
        folder = pathlib.Path(place).expanduser()
        for python in sorted(pathlib.Path("/").glob(str(folder / "python3*").lstrip("/"))):
            if re.fullmatch(r"python3(\.\d+)?", python.name) and os.access(python, os.X_OK):
                version = version_of(str(python))
                if version and version >= (3, 8):
                    found.setdefault(version, str(python))
    return {version: python for version, python in found.items() if python != SYSTEM}


def run(python, scratch):
    environment = {**environment_of(build, scratch, "python"), "PYTHONPATH": str(build / "python"),
                   "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "error", "LC_ALL": "C.UTF-8"}
    words = [python, "-m", "unittest", "discover", "-s", str(source / "tests/python"), "-p", "*_test.py"]
    return subprocess.run(words, env=environment, cwd=scratch, check=False).returncode == 0


for file in sorted((source / "bindings/python").rglob("*.py")):
    ast.parse(file.read_text(), str(file), feature_version=(3, 8))

chosen = {version_of(SYSTEM): SYSTEM} if wanted == "system" else pythons()
if not chosen:
    print("python_test: there is one Python on this machine")
    sys.exit(77)
failed = []
for version, python in sorted(chosen.items()):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="flyball-python-"))
    print(f"== Python {version[0]}.{version[1]}: {python}", file=sys.stderr, flush=True)
    if not run(python, folder):
        failed.append(python)
    shutil.rmtree(folder, ignore_errors=True)
if failed:
    sys.exit(f"python_test: failed with {', '.join(failed)}")
