#!/usr/bin/env python3
"""Runs the examples of README.md and of the pages of docs/ as they are written, and compares what they show.

usage: tests/examples_test.py SOURCE_FOLDER BUILD_FOLDER host|language|live|network|readme|docs-1|docs-2|guides|evidence
       … --update    writes what simulated boards and tables answer now into the documents

Every block of code is either run (each in a clean folder, with its own HOME and FLYBALL_STATE and
with what a reader is told to have there), or stands in NOT_RUN with the reason. A block in which
lines begin with "$ " shows its output, too: a table's answer must be what is printed, to the last
figure; a simulated board's within five per cent, as in tests/answers; of what was measured on some machine
the words must be, with figures where figures stand.
"""
import difflib
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from answers_test import NEAR_ON_TWINS, near
from examples_not_run import NO_COMMANDS, NOT_RUN
from shell_testing import Failure, environment_of, run_commands

PROGRAM = r"(flyball|printf|sudo|bench/run|scripts/\w+|build/\S+|export|mkdir|git|cd|awk|\{ head|python3) "
LIMIT_S = 500

EXIT_CODES = {"flyball helper status": 1}  # "exit code 1: it does not answer"

TRAIN = """import time
import flyball
size = int(flyball.setting("batch_size", 16))
flyball.setting("loader_workers", 0)
for batch in flyball.mark(range(400)):
    time.sleep(0.0004 * size ** 0.5)
"""


def table(workload, phase, batches, scale, small=False):
    """A board's look-alike: time falls and power rises with every clock."""
    clocks = (612, 1020, 1300.5) if small else (306, 612, 726.75, 1020, 1300.5)
    lines = ["device,workload,phase,batch_size,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,minibatch_ms,power_w"]
    for batch in batches:
        for cores in (4, 12) if small else (2, 4, 8, 12):
            for cpu in (422.4, 1190.4, 2201.6):
                for gpu in clocks:
                    for memory in (2133, 3199) if small else (665.6, 2133, 3199):
                        work = scale * (0.25 + batch / 16)
                        time = work * (9000 / gpu + 12000 / cpu / cores ** 0.5 + 9000 / memory) + 2
                        watts = 7 + gpu / 90 + 0.0007 * cpu * cores + memory / 700
                        lines.append(f"orin_agx,{workload},{phase},{batch},{cores},{cpu},{gpu},{memory},"
                                     f"{time:.5g},{watts:.5g}")
    return lines


def joined(*tables):
    return "\n".join([tables[0][0]] + [row for one in tables for row in one[1:]]) + "\n"


def photos(folder, environment):
    subprocess.run(["flyball", "dataset", "make", "images", "--samples", "32", "--out", "photos"],
                   cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)


# What readers are told to have, by the word that names it in a block.
FILES = {
    "train.py": lambda: TRAIN,
    "resnet18.csv": lambda: joined(table("resnet18", "train", [16], 1)),
    "campaign.toml": lambda: (pathlib.Path(__file__).parent.parent / "examples/campaign.toml").read_text(),
    "mobilenet.csv": lambda: joined(table("mobilenet_v3", "train", [16], 0.6)),
    "mobilenet_infer.csv": lambda: joined(table("mobilenet_v3", "infer", [1, 4, 16, 64], 0.2)),
}
# Tables that docs/search.md and docs/prediction.md name by variables.
VARIABLES = {
    "R": lambda: joined(table("resnet18", "train", [16], 1, True)),
    "M": lambda: joined(table("mobilenet_v3", "train", [16], 0.6, True)),
    "IR": lambda: joined(table("resnet50", "infer", [1, 4, 16, 64], 0.4, True)),
    "IM": lambda: joined(table("mobilenet_v3", "infer", [1, 4, 16, 64], 0.2, True)),
    "T": lambda: joined(table("resnet18", "train", [16], 1)),
}
WHERE = "$5 <= 6 && $6 <= 1190.4 && $7 <= 726.75 && $8 <= 2133"

# What the first host example prints on its own machine alone: (how a line begins, why).
OF_THE_MACHINE = [
    ("difference from the default not established", "whether it is depends on what was measured"),
    ("readings of the choice", "said with the line before"),
    ("search ended", "sooner where nothing is expected to be better"),
    ("power is not available", "where there is a sensor, power is shown"),
    ("note: cpu_mhz cannot be set", "where there is cpufreq it can be"),
]


def blocks_of(text):
    """(kind, lines): indented ("") and fenced (its language) blocks of code."""
    found, lines, fence = [], text.split("\n"), None
    for i, line in enumerate(lines):
        if line.startswith("```"):
            if fence is None:
                fence = (line[3:].strip(), [])
            else:
                found.append(fence)
                fence = None
        elif fence is not None:
            fence[1].append(line)
        elif line.startswith("    "):
            if i > 0 and lines[i - 1].startswith("    ") and found and found[-1][0] == "":
                found[-1][1].append(line[4:])
            elif i == 0 or not lines[i - 1].strip():
                # A blank line within a block does not end it.
                if found and len(found[-1]) == 3 and found[-1][2] == i - 2:
                    found[-1][1].extend(["", line[4:]])
                else:
                    found.append(["", [line[4:]], i])
            if found and len(found[-1]) == 3:
                found[-1][2] = i
    return [(block[0], block[1]) for block in found]


def whole_commands(lines):
    """Lines as commands: what bash does not read as whole goes on in the next line."""
    commands, open_lines = [], []
    for line in lines:
        open_lines.append(line)
        text = "\n".join(open_lines)
        if subprocess.run(["bash", "-n", "-c", text], capture_output=True).returncode == 0:
            commands.append(text)
            open_lines = []
    if open_lines:
        raise Failure("bash cannot read: " + "\n".join(open_lines))
    return [command for command in commands if without_comment(command)]


def without_comment(command):
    return re.sub(r"(^|\s+)#\s.*$", "", command, flags=re.S).strip()


def read_block(file, kind, lines):
    """[(command, shown output lines or None)]; None where the block holds no commands."""
    if any(lines[0].startswith(start) for start in NO_COMMANDS.get(file, [])):
        return None
    if kind in ("python", "text", "toml"):
        return None
    if kind not in ("", "bash", "sh", "console"):
        raise Failure(f"{file}: a block of {kind} is neither run nor listed: {lines[0]}")
    if lines[0].startswith("$ "):
        shown = []
        for line in lines:
            if line.startswith("$ "):
                shown.append((line[2:], []))
            else:
                shown[-1][1].append(line)
        return shown
    if re.match(PROGRAM, lines[0] + " "):
        listed = [(c, None) for c in whole_commands(unlisted_lines(file, lines))]
        return listed
    raise Failure(f"{file}: a block is neither run nor listed: {lines[0]}")


def unlisted_lines(file, lines):
    return [line for line in lines if without_comment(line) not in NOT_RUN.get(file, {})]


def check_lists(file, text):
    """Every entry of the lists still stands in the document."""
    lines = [without_comment(line.strip()) for line in text.split("\n")]
    for command in NOT_RUN.get(file, {}):
        if command not in lines:
            raise Failure(f"{file} no longer holds what NOT_RUN lists: {command}")
    for start in NO_COMMANDS.get(file, []):
        if not any(block[1][0].startswith(start) for block in blocks_of(text)):
            raise Failure(f"{file} no longer holds the block that NO_COMMANDS lists: {start}")


def clean_folder(source, build, text):
    """What a reader has: a clone that was built, and the files that the text names."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="flyball-examples-"))
    for name in ("examples", "experiments", "scripts"):
        (folder / name).symlink_to(source / name)
    (folder / "build").mkdir()
    (folder / "build/release").symlink_to(build)
    (folder / "home").mkdir()
    environment = {**environment_of(build, folder / "home", "examples"), "LANG": "C.UTF-8",
                   "W": "resnet18", "WHERE": WHERE}
    for name, content in FILES.items():
        if name in text:
            (folder / name).write_text(content())
    for name, content in VARIABLES.items():
        if "$" + name in text:
            (folder / f"{name}.csv").write_text(content())
            environment[name] = f"{name}.csv"
    if "--data photos" in text:
        photos(folder, environment)
    return folder, environment


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def run_block(source, build, commands):
    """[(exit code, stdout, stderr)] of each, all by one shell."""
    text = "\n".join(command for command, _ in commands)
    folder, environment = clean_folder(source, build, text)
    port = str(free_port())  # that of the examples may be in use
    try:
        return run_commands([re.sub(r"\b8765\b", port, command) for command, _ in commands], folder,
                            folder / "home", environment, LIMIT_S, ("out", "err"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def shape(line):
    """A line of what was measured: figures, units of size, spreads and the machine's name left out."""
    line = re.sub(r"on host \(.*, \d+ cores?\)", "on host (…)", line)  # Intel(R) has parentheses of its own
    line = re.sub(r"\d[\d,.]*", "#", line)
    line = re.sub(r"\b([KMG]i)?B\b", "B", line)
    line = re.sub(r"\b(ms|µs|s)\b", "s", line)
    line = re.sub(r"# h( # min)?|# min( # s)?", "# s", line)
    line = re.sub(r" \(#-#\)", "", line)
    line = re.sub(r"(#, )+#", "#", line)
    return " ".join(line.split())


def exact(line):
    return " ".join(re.sub(r"profiled in [\d.]+ m?s$", "profiled in #", line).split())


def check_output(command, shown, printed):
    read = exact if "--device table:" in command else shape
    # A terminal shows progress while it lasts: "[3/10] measuring …".
    printed = [line for line in printed.split("\n")
               if line.strip() and not re.match(r"\[\d+/\d+\] ", line)]
    wanted = [line for line in shown if line.strip()]
    got = [read(line) for line in printed]

    def free(line):
        return read is shape and any(line.startswith(start) for start, _ in OF_THE_MACHINE)
    missing = [line for line in wanted if not free(line) and read(line) not in got]
    shapes = [read(line) for line in wanted]
    surplus = [line for line in printed if read is exact and read(line) not in shapes]
    if "--device twin:" in command:
        missing += [line for line in wanted if read(line) in got and not any(
            near(line, one, NEAR_ON_TWINS) for one in printed if read(one) == read(line))]
    in_order = [got.index(read(line)) for line in wanted if read(line) in got]
    if missing or surplus or in_order != sorted(in_order):
        raise Failure(f"{command}\nshows what it does not print, or otherwise:\n  "
                      + "\n  ".join(missing or wanted) + "\nit prints:\n  " + "\n  ".join(printed))


def updated(shown, printed):
    """The shown lines as they are printed now, each the most alike of those that follow."""
    rest = [line.rstrip() for line in printed.split("\n") if line.strip()]
    lines = []
    for line in shown:
        alike = [difflib.SequenceMatcher(None, line, one, autojunk=False).ratio() for one in rest]
        if line.strip() and alike:
            at = alike.index(max(alike))
            lines.append(rest[at])
            del rest[:at + 1]
        else:
            lines.append(line)
    return lines


def update_document(document, command, shown, printed):
    """Rewrites what follows `command` in the document; what was measured on a machine stays."""
    if "--device twin:" not in command and "--device table:" not in command:
        return False

    def block(lines):
        return "\n".join("    " + line if line else "" for line in ["$ " + command, *lines])
    text = document.read_text()
    new = text.replace(block(shown), block(updated(shown, printed)))
    document.write_text(new)
    return new != text


def check_block(source, build, file, commands, update=False):
    began = time.monotonic()
    results = run_block(source, build, commands)
    for (command, shown), (code, printed, complaint) in zip(commands, results):
        if code != EXIT_CODES.get(without_comment(command), 0):
            raise Failure(f"{file}: exit code {code} of: {command}\n{printed}{complaint}")
        if shown is not None:
            try:
                check_output(command, shown, printed + complaint)
            except Failure:
                if not update or not update_document(source / file, command, shown, printed + complaint):
                    raise
        print(f"{file}: {command.splitlines()[0]}", flush=True)
    print(f"  {time.monotonic() - began:.1f} s", flush=True)
    return len(commands)


def shard_of(file, lines):
    """Blocks run in nine tests; what takes minutes, whole populations of boards, in a slow one."""
    if any(re.search(r"population --networks \d\d", line) for line in lines):
        return "evidence"
    guide = file.count("/") > 1
    if file not in ("README.md", "docs/examples.md") and not guide:
        return "docs-1" if file < "docs/m" else "docs-2"
    if any("tune lenet5 --device host" in line for line in lines):
        return "host"
    if any("tune lstm" in line for line in lines):
        return "language"
    if any("flyball serve" in line for line in lines):
        return "live"
    if guide:
        return "guides"
    return "network" if any("dataset make" in line for line in lines) else "readme"


def main():
    source, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    documents = ["README.md"] + sorted(str(p.relative_to(source)) for p in (source / "docs").rglob("*.md"))
    unknown = (set(NOT_RUN) | set(NO_COMMANDS)) - set(documents)
    if unknown:
        raise Failure(f"the lists name what is not there: {', '.join(sorted(unknown))}")
    count = 0
    for file in documents:
        text = (source / file).read_text()
        check_lists(file, text)
        for kind, lines in blocks_of(text):
            commands = read_block(file, kind, lines)
            if commands and shard_of(file, lines) == sys.argv[3]:
                count += check_block(source, build, file, commands, "--update" in sys.argv[4:])
    if count == 0:
        raise Failure(f"there is no example in {sys.argv[3]}")
    print(f"{count} commands ran")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"examples_test: {failure}")
