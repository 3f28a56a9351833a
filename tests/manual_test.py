#!/usr/bin/env python3
"""Do the pages of `flyball man` and the scripts of `flyball completion` say what `--help` says?

usage: tests/manual_test.py BUILD_FOLDER

Every command that help lists has a page, and each of its options stands in its page and is what bash completes
(and fish and zsh, where they are installed). Pages are read by mandoc and groff without a warning, scripts by
their shells, each where it is installed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from shell_testing import environment_of

build = pathlib.Path(sys.argv[1]).resolve()
faults = []
scratch = pathlib.Path(tempfile.mkdtemp())
environment = {**environment_of(build, scratch, "manual"), "SOURCE_DATE_EPOCH": "1772000000", "LC_ALL": "C.UTF-8"}


def run(*command, stdin=""):
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=environment, cwd=scratch,
                          timeout=60, check=False)


def flyball(*words):
    done = run(str(build / "bin/flyball"), *words)
    if done.returncode != 0:
        faults.append(f"flyball {' '.join(words)}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def read_help(path, found):
    """{words of a command: (its options, names of those below it)} of it and all below it."""
    text = flyball(*path, "--help")
    options, below, heading = set(), [], ""
    for line in text.splitlines():
        if re.match(r"\S.*:$", line):
            heading = line
        elif line.startswith("  -"):
            options.update(line.split()[0].split(","))
        elif re.match(r"  \w", line) and (not path or heading == "Subcommands:"):  # of all: several headings
            below.append(line.split()[0])
    found[path] = (options, below)
    for name in below:
        read_help((*path, name), found)
    return found


def completed_by_bash(script, lines):
    """What bash completes of each line, as sets."""
    program = f". {script}\n"
    for line in lines:
        words = line.split(" ")
        program += (f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}\n"
                    "compopt() { :; }\n_flyball\necho \"${COMPREPLY[*]}\"\n")
    done = run("bash", "--norc", "-c", program)
    if done.returncode != 0 or done.stderr:
        faults.append(f"bash: {done.stderr}")
    return [set(line.split()) for line in done.stdout.splitlines()]


def check(what, got, wanted):
    if got != wanted:
        faults.append(f"{what}: missing {sorted(wanted - got)}, too many {sorted(got - wanted)}")


commands = read_help((), {})
assert len(commands) > 40 and len(commands["tune",][0]) > 40, "help was not understood"
pages = scratch / "pages"
flyball("man", "--out", str(pages))
check("pages", {page.name for page in pages.glob("*")}, {"-".join(("flyball", *path)) + ".1" for path in commands})
for path, (options, _) in commands.items():
    page = (pages / ("-".join(("flyball", *path)) + ".1")).read_text()
    named = {name.replace("\\-", "-") for line in page.splitlines() if line.startswith("\\fB\\-")
             for name in re.findall(r"\\fB(\\-.*?)\\fR", line)}
    check(f"page of flyball {' '.join(path)}", named, options)
if flyball("man", "tune") != (pages / "flyball-tune.1").read_text():
    faults.append("man tune prints another page than man --out writes")
for page in sorted(pages.glob("*.1")):
    if shutil.which("mandoc"):
        done = run("mandoc", "-T", "lint", "-W", "warning", str(page))
        faults.extend([f"mandoc: {done.stdout}{done.stderr}"] if done.stdout or done.stderr else [])
    if shutil.which("groff"):
        done = run("groff", "-Tutf8", "-man", "-ww", str(page))
        faults.extend([f"groff: {page.name}: {done.stderr}"] if done.stderr or done.returncode else [])

scripts = {}
for shell, check_only in (("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])):
    scripts[shell] = scratch / f"flyball.{shell}"
    scripts[shell].write_text(flyball("completion", shell))
    if shutil.which(shell):
        done = run(shell, *check_only, str(scripts[shell]))
        if done.returncode != 0 or done.stderr:
            faults.append(f"{shell} refuses its script: {done.stderr}")
lines = [" ".join(("flyball", *path, "-")) for path in commands]
for (path, (options, _)), got in zip(commands.items(), completed_by_bash(scripts["bash"], lines)):
    check(f"bash, options of flyball {' '.join(path)}", got, options)
questions = {
    "flyball pl": {"plan"}, "flyball plan ": set(commands["plan",][1]),
    "flyball completion ": {"bash", "zsh", "fish"},
    "flyball tune --device plan --pha": {"--phase"},  # the value of an option is no command
    "flyball tune --device = twin:nano --pha": {"--phase"},
    "flyball tune -- python3 --pha": set(),  # of another program
}
for (line, wanted), got in zip(questions.items(), completed_by_bash(scripts["bash"], questions)):
    check(f"bash, '{line}'", got, wanted)
if shutil.which("fish"):
    for line in ("flyball plan ", "flyball tune --pha", "flyball completion "):
        done = run("fish", "--no-config", "-c", f"source {scripts['fish']}; complete -C '{line}'")
        got = {answer.split("\t")[0] for answer in done.stdout.splitlines()}
        check(f"fish, '{line}'", got & questions.get(line, {"--phase"}), questions.get(line, {"--phase"}))

shutil.rmtree(scratch)
for fault in faults:
    print(f"manual_test: {fault}", file=sys.stderr)
if faults:
    sys.exit(1)
print(f"{len(commands)} commands: their pages and completions name what their help names")
