#!/usr/bin/env python3
"""Runs the commands of tests/answers/*.txt and compares their whole answers with those that stand there.

usage: tests/answers_test.py SOURCE_FOLDER BUILD_FOLDER [--update] [--shard K/N] [FILE...]

A line "$ …" is a command for bash ("> …" goes on with it), a line "# …" says what is shown. Below a
command stands what it printed, errors included, and "[exit 2]" where its exit code is not 0. All
commands of a file run in one empty folder; $SOURCE is the source's. "# needs: torch" leaves a file out
where the build has no such module, "# needs: root" where this is not the superuser.

Two lines are the same when they differ in blanks only, in what changes from run to run (times of day, how
long a search took, process numbers, versions), or in numbers with a decimal point by half a per cent or one in
the last digit, where none is zero; by five per cent in an answer that is of a twin, whose fits differ between
processors: its command names one or a file that such a command wrote, or stands below "# twins", which holds
for the rest of the file. Limits must be the same in every digit where there is no twin: they are rounded so
that they hold as typed, which a digit more or less would not. They are what an option is advised to be
("--latency 38.5ms", but not what is predicted), and what is used of one ("17.78 of 20 ms"). --update keeps a
line that is the same, and writes the others as they are now.
"""
import difflib
import os
import pathlib
import re
import shutil
import sys
import tempfile

from shell_testing import Failure, environment_of, run_commands

LIMIT_S = 300
NEAR, NEAR_ON_TWINS = 0.005, 0.05
# What differs from run to run.
VOLATILE = [
    (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?( UTC|Z)?", "TIME"),
    (r"\b(profiled|counted) in (\d[\d.]* (us|ms|s|min|h)\b ?)+", r"\1 in DURATION "),
    (r"\b(process|pid) \d+", r"\1 NUMBER"),
    (r"\b(flyball|LibTorch|SQLite|Eigen) \d+\.\d+[\w.+-]*", r"\1 VERSION"),
]
DECIMAL = re.compile(r"(?<![\w.=])\d+\.\d+(?!\.?\d)")
UNIT = "(?:ms|s|W|J|[A-Z]{3})"
USED = re.compile(rf"(?<![\w.])(\d[\d.]*(?: {UNIT})? of \d[\d.]*) {UNIT}\b")
ADVISED = re.compile(r"(--(?:\w+-budget|latency|rate|arrivals|percentile|deadline) \w[\w.:]*(?: [\w:]*\d[\w.]*)*"
                     r"|--at-most slowdown=[\d.]+%)"
                     r"(?! \(predicted)(?=$|[,; ])")
TWIN = re.compile(r"twin:|flyball (?:evaluate )?twin |--prior twin")
WRITTEN = re.compile(r"(?:>|--out |--store |-o )(?!/dev/)([\w./-]+)")
# Progress after the first line, which comes sooner or later; what only containers are told.
PASSING = re.compile(r"\[[1-9]\d*(/\d+| %)\] |flyball: note: other containers that measure")
SPECIAL = ("$ ", "> ", "# ", "[exit ", "\\")  # begins a line of the file that is no output


class Block:
    """Lines of the file as they stand: remarks, a command, its answer."""

    def __init__(self):
        self.remarks, self.command, self.answer = [], [], []

    def script(self):
        return "\n".join(line[2:] for line in self.command)


def read_blocks(path):
    blocks = [Block()]
    for line in path.read_text().splitlines():
        one = blocks[-1]
        if line.startswith("> ") and one.command and not one.answer:
            one.command.append(line)
        elif line.startswith("$ ") and not one.command:
            one.command.append(line)
        elif line.startswith(("$ ", "# ")) and (one.command or line.startswith("$ ")):
            blocks.append(Block())
            (blocks[-1].command if line.startswith("$ ") else blocks[-1].remarks).append(line)
        elif one.command:
            one.answer.append(line)
        else:
            one.remarks.append(line)
    for one in blocks:
        one.remarks, one.answer = without_blank_ends(one.remarks), without_blank_ends(one.answer)
    if not all(one.command for one in blocks):
        raise Failure(f"{path}: no command follows: {' '.join(blocks[-1].remarks)}")
    return blocks


def of_twins(blocks):
    """Of each block: is its answer a twin's?"""
    files, rest = set(), False
    for one in blocks:
        rest = rest or "# twins" in one.remarks
        script = one.script()
        own = rest or TWIN.search(script) is not None
        yield own or not files.isdisjoint(re.findall(r"[\w./-]+", script))
        files.update(WRITTEN.findall(script) if own else ())


def without_blank_ends(lines):
    return "\n".join(line.rstrip() for line in lines).strip("\n").split("\n") if any(lines) else []


def written(blocks):
    """The lines of a file: a blank one before each remark, and after an answer."""
    lines = []
    for one in blocks:
        if lines and (one.remarks or lines[-1][:2] not in ("$ ", "> ")):
            lines.append("")
        lines += one.remarks + one.command + one.answer
    return lines


def answers(blocks, source, build):
    """What each command prints here, in the form of the file."""
    top = pathlib.Path(tempfile.mkdtemp(prefix="flyball-answers-")).resolve()
    folder, home = top / "folder", top / "home"
    folder.mkdir()
    home.mkdir()
    environment = {**environment_of(build, home, "answers"), "LC_ALL": "C", "TERM": "dumb", "NO_COLOR": "1",
                   "SOURCE": str(source), "FLYBALL_STORE": str(folder / "store.db"),
                   "FLYBALL_REFERENCES": str(folder / "references")}
    try:
        results = run_commands([one.script() for one in blocks], folder, home, environment, LIMIT_S, ("both",))
    finally:
        shutil.rmtree(top, ignore_errors=True)
    for code, text in results:
        for name, path in (("$SOURCE", source), ("$FOLDER", folder), ("$HOME", home)):
            text = text.replace(str(path), name)
        lines = without_blank_ends([line for line in text.split("\n") if not PASSING.match(line)])
        yield ["\\" + line if line.startswith(SPECIAL) else line for line in lines] + (
            [f"[exit {code}]"] if code else [])


def settled(line):
    for pattern, name in VOLATILE:
        line = re.sub(pattern, name, line)
    return line


def key(line):
    return " ".join(DECIMAL.sub("DECIMAL", settled(line)).split())


def limits(line):
    """The limits in a line of an answer, as they stand there."""
    return USED.findall(line) + ADVISED.findall(line)


def near(old, new, share):
    """Are its decimals equal but for this share, or for one in the last digit; and its limits the same?"""
    if share < NEAR_ON_TWINS and limits(old) != limits(new):
        return False
    def close(a, b):
        last = 10.0 ** -min(len(a.split(".")[1]), len(b.split(".")[1]))
        a, b = float(a), float(b)
        if share < NEAR_ON_TWINS and (a == 0) != (b == 0):
            return False
        return abs(a - b) <= max(share * max(a, b), 1.01 * last)
    old, new = DECIMAL.findall(settled(old)), DECIMAL.findall(settled(new))
    return all(close(a, b) for a, b in zip(old, new))


def merged(old, new, share):
    """The new lines, each as it stood in the old ones where it is the same."""
    lines = list(new)
    matcher = difflib.SequenceMatcher(None, [key(line) for line in old], [key(line) for line in new], False)
    for i, j, count in matcher.get_matching_blocks():
        for k in range(count):
            if near(old[i + k], new[j + k], share):
                lines[j + k] = old[i + k]
    return lines


def lacking(text, build):
    """What the file needs and is not here."""
    here = {"root": os.geteuid() == 0, "user": os.geteuid() != 0,
            **{name: (build / f"lib/flyball/flyball_{name}.so").exists() for name in ("torch", "onnx")}}
    needs = re.findall(r"^# needs: (\w+)$", text, re.M)
    return [name for name in needs if not here[name]]


def check(path, source, build, update):
    """The difference between the file and what is printed now."""
    text = path.read_text()
    if lacking(text, build):
        print(f"{path.name}: left out, for here is no {lacking(text, build)[0]}")
        return []
    blocks = read_blocks(path)
    for one, twin, now in zip(blocks, of_twins(blocks), list(answers(blocks, source, build))):
        same = merged(one.answer, now, NEAR_ON_TWINS if twin else NEAR)
        # An answer that is rewritten is so as a whole: its figures belong together.
        one.answer = same if not update or same == one.answer else now
    old, new = text.splitlines(), written(blocks)
    if update and old != new:
        path.write_text("\n".join(new) + "\n")
    print(f"{path.name}: {len(blocks)} commands", flush=True)
    return list(difflib.unified_diff(old, new, os.path.relpath(path, source), "what is printed now", lineterm=""))


def check_comparison():
    """Is a limit that has changed told where there is no twin, and only there; and which answers are a twin's?"""
    said = "raise it: --latency 38.5ms, --power-budget 8.64W; 8.51 W are drawn, 17.78 of 20 ms are used"
    other = [said.replace(*change) for change in (("38.5", "38.6"), ("8.64W", "8.65W"), ("17.78", "17.79"))]
    judged = [("the same", said, said, True), ("a figure", said, said.replace("8.51", "8.52"), True),
              *[("a limit", said, changed, False) for changed in other],
              ("nothing", "0.0 % more", "0.1 % more", False), ("half a per cent", "100.4 ms", "100.8 ms", True),
              ("more than that", "100.4 ms", "101.5 ms", False)]
    for what, old, new, same in judged:
        if near(old, new, NEAR) != same:
            raise Failure(f"{what} is {'not ' if same else ''}taken to be the same: {new}")
        if not near(old, new, NEAR_ON_TWINS):
            raise Failure(f"{what} is other than on twins: {new}")
    blocks = []
    for script in ("tune net --device table:a.csv", "tune net --device twin:nano --store b.db", "runs list",
                   "runs list --store b.db", "runs list --store c.db"):
        blocks.append(Block())
        blocks[-1].command.append("$ flyball " + script)
        blocks[-1].answer.append("HINT: twin:orin_agx simulates one")
    blocks[-1].remarks.append("# twins")
    if list(of_twins(blocks)) != [False, True, False, True, True]:
        raise Failure(f"these answers are of twins: {list(of_twins(blocks))}")


def main():
    check_comparison()
    options = sys.argv[1:]
    update = "--update" in options
    if update:
        options.remove("--update")
    number, count = 1, 1
    if "--shard" in options:
        at = options.index("--shard")
        number, count = map(int, options[at + 1].split("/"))
        del options[at:at + 2]
    if len(options) < 2:
        raise Failure(__doc__.split("\n")[2])
    source, build = pathlib.Path(options[0]).resolve(), pathlib.Path(options[1]).resolve()
    if not (build / "bin/flyball").exists():
        raise Failure(f"there is no program {build}/bin/flyball; `scripts/build` makes it")
    files = [pathlib.Path(name).resolve() for name in options[2:]] or sorted((source / "tests/answers").glob("*.txt"))
    different = [line for path in files[number - 1::count] for line in check(path, source, build, update)]
    print("\n".join(different))
    if different and not update:
        raise Failure("answers are other than tests/answers says; `scripts/test --update-answers` rewrites them, "
                      "and `git diff` then shows what changed for users")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"answers_test: {failure}")
