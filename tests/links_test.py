#!/usr/bin/env python3
"""Do the documents lead anywhere, and do they stand where program and site look for them?

usage: tests/links_test.py SOURCE_FOLDER

- Every relative link of a Markdown file, and every #anchor, leads to something.
- Every document that sources, answers or experiments name (docs/x.md) exists.
- Every page of docs/ stands in the navigation of mkdocs.yml, and the other way round.
- Every message that docs/troubleshooting.md shows is one of the sources'.
- Every schema of docs/schema is named at the head of docs/json.md.
- Every variable FLYBALL_* that the program, the C library or the Python package reads stands in
  docs/reference/environment.md, and the other way round.
It first looks for faults in a small tree that has one of each.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

LINK = re.compile(r"\]\(([^)\s]+)(?: \"[^\"]*\")?\)")
NAMED = re.compile(r"(?<![\w/.])docs/[\w/.-]+\.(?:md|json|png)(?:#[\w-]+)?")
TEXTS = (".cc", ".h", ".c", ".hpp", ".py", ".ts", ".toml", ".txt", ".cmake", ".socket", ".conf", ".sh", "")
FOLDERS = ("src", "include", "bindings", "tests", "scripts", "cmake", "boards", "studies", "experiments", "examples",
           "benchmarks", "compare", "packaging")
READS = (r'getenv\(\s*"(FLYBALL_[A-Z_]+)"', r'environ(?:\.get)?[(\[]\s*"(FLYBALL_[A-Z_]+)"',
         r'variable\("(FLYBALL_[A-Z_]+)"', r'_variable = "(FLYBALL_[A-Z_]+)"')


def files_of(root, folder="", suffix=""):
    """What git knows or would add; of a tree without git, everything."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "--", folder or "."],
                            capture_output=True, text=True, check=False)
    files = [root / name for name in listed.stdout.split("\n") if name] or list((root / folder).rglob("*"))
    return sorted(file for file in files if file.is_file() and file.name.endswith(suffix))


def lines_of_text(text):
    """Lines that are no code."""
    fence = None
    for line in text.split("\n"):
        mark = re.match(r"(```+|~~~+)", line)
        if mark:
            fence = mark[1] if fence is None else None if line.startswith(fence) else fence
        elif fence is None and not line.startswith("    "):
            yield line


def slug(heading):
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors_of(file):
    found = set()
    for line in lines_of_text(file.read_text()):
        heading = re.match(r"#{1,6} (.*)", line)
        if heading:
            name, count = slug(heading[1]), 0
            while name in found:
                count += 1
                name = f"{slug(heading[1])}-{count}"
            found.add(name)
        found.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
    return found


def fault_of_goal(there, anchor):
    if not there.exists():
        return "leads nowhere"
    if anchor and there.suffix == ".md" and anchor not in anchors_of(there):
        return "names no heading"
    return ""


def link_faults(root):
    for file in files_of(root, suffix=".md"):
        for line in lines_of_text(file.read_text()):
            for goal in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if re.match(r"\w+:", goal):
                    continue
                name, _, anchor = goal.partition("#")
                fault = fault_of_goal((file.parent / name).resolve() if name else file, anchor)
                if fault:
                    yield f"{file.relative_to(root)}: {goal} {fault}"


def named_faults(root):
    for folder in FOLDERS:
        for file in files_of(root, folder):
            if file.suffix not in TEXTS or file.name == "links_test.py":
                continue
            for goal in sorted(set(NAMED.findall(file.read_text(errors="replace")))):
                name, _, anchor = goal.partition("#")
                fault = fault_of_goal(root / name, anchor)
                if fault:
                    yield f"{file.relative_to(root)}: {goal} {fault}"


def nav_faults(root):
    text = (root / "mkdocs.yml").read_text()
    listed = set(re.findall(r"^\s*-.*?([\w/.-]+\.md)\s*$", text[text.index("\nnav:"):], re.M))
    pages = {str(file.relative_to(root / "docs")) for file in files_of(root, "docs", ".md")}
    repository = {name for name in listed if name.startswith("repository/")}
    for name in sorted(pages - listed):
        yield f"docs/{name} is missing in the nav of mkdocs.yml"
    for name in sorted(listed - repository - pages):
        yield f"mkdocs.yml: there is no page docs/{name}"
    for name in sorted(repository):
        if not (root / name.removeprefix("repository/")).exists():
            yield f"mkdocs.yml: {name} leads nowhere"


def constant_parts(root):
    """What strings of the sources say for certain: what stands between their placeholders."""
    found = set()
    for folder in ("src", "bindings"):
        for file in files_of(root, folder):
            if file.suffix not in (".cc", ".h", ".py") or re.search(r"_test(ing)?\.", file.name):
                continue
            for literal in re.findall(r'"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*', file.read_text(errors="replace")):
                text = re.sub(r'(?<!\\)"\s*"', "", literal)[1:-1].replace('\\"', '"')
                found.update(re.split(r"\{[^{}]*\}|%\w+|\\n", text))
    return {part for part in found if len(part) >= 12}


def message_faults(root):
    """Of each message 12 characters in a row, or more, are words of the program."""
    page = root / "docs/troubleshooting.md"
    blocks = re.findall(r"^```text\n(.*?)^```", page.read_text(), re.M | re.S) if page.exists() else []
    parts = constant_parts(root) if blocks else set()
    for line in "".join(blocks).splitlines():
        if not line.startswith("ModuleNotFoundError") and not any(part in line for part in parts):
            yield f"docs/troubleshooting.md: no source says: {line}"


def schema_faults(root):
    page = root / "docs/json.md"
    head = page.read_text().split("\n## Answers")[0] if page.exists() else ""
    for file in files_of(root, "docs/schema", ".json"):
        if f"`{file.stem}`" not in head and f"schema/{file.name}" not in head:
            yield f"docs/json.md: its head does not name docs/schema/{file.name}"


def variables_read(root):
    found = set()
    for folder in ("src", "bindings", "include"):
        for file in files_of(root, folder):
            if file.suffix not in TEXTS or re.search(r"_test(ing)?\.|_slow_test\.", file.name):
                continue
            text = file.read_text(errors="replace")
            for pattern in READS:
                found.update(re.findall(pattern, text))
            reserved = re.search(r"own_variables = \{([^}]*)\}", text)
            if reserved:
                found.update(re.findall(r"FLYBALL_[A-Z_]+", reserved[1]))
    return found


def variable_faults(root):
    page = root / "docs/reference/environment.md"
    told = set(re.findall(r"^\| `(FLYBALL_[A-Z_]+)`", page.read_text(), re.M)) if page.exists() else set()
    read = variables_read(root)
    for name in sorted(read - told):
        yield f"{name} is read, and missing in docs/reference/environment.md"
    for name in sorted(told - read):
        yield f"docs/reference/environment.md: nothing reads {name}"


CHECKS = (link_faults, named_faults, nav_faults, message_faults, schema_faults, variable_faults)


def faults_of(root):
    return [fault for check in CHECKS for fault in check(root)]


# A tree with one fault of each kind, and what is to be said of it.
TREE = {
    "README.md": "[a](docs/a.md#part) [b](docs/none.md) [c](docs/a.md#none)\n",
    "docs/a.md": "# A\n\n## Part\n\n    [code](nowhere.md)\n",
    "docs/b.md": "# B\n",
    "docs/json.md": "`told`\n\n## Answers\n\n`untold`\n",
    "docs/schema/told.json": "{}", "docs/schema/untold.json": "{}",
    "docs/troubleshooting.md": "# T\n\n```text\nflyball: cannot open the box: nothing\nHINT: shake the tree\n```\n",
    "src/y.cc": 'Error{fmt::format("cannot open "\n  "the box: {}", why)}',
    "docs/reference/environment.md": "| `FLYBALL_TOLD` | no |\n| `FLYBALL_READ` | yes |\n",
    "mkdocs.yml": "site_name: x\nnav:\n  - A: a.md\n  - reference/environment.md\n  - json.md\n  - troubleshooting.md\n  - C: c.md\n",
    "src/x.cc": 'getenv("FLYBALL_READ"); getenv("FLYBALL_UNTOLD"); fail("docs/a.md says how; docs/gone.md, docs/a.md#gone");\n',
}
FAULTS = [
    "README.md: docs/none.md leads nowhere", "README.md: docs/a.md#none names no heading",
    "src/x.cc: docs/a.md#gone names no heading", "src/x.cc: docs/gone.md leads nowhere",
    "docs/troubleshooting.md: no source says: HINT: shake the tree",
    "docs/json.md: its head does not name docs/schema/untold.json",
    "docs/b.md is missing in the nav of mkdocs.yml", "mkdocs.yml: there is no page docs/c.md",
    "FLYBALL_UNTOLD is read, and missing in docs/reference/environment.md",
    "docs/reference/environment.md: nothing reads FLYBALL_TOLD",
]


def look_at_tree():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, text in TREE.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        found = faults_of(root)
    if sorted(found) != sorted(FAULTS):
        sys.exit("links_test: of the small tree it says\n  " + "\n  ".join(found))


def main():
    look_at_tree()
    root = pathlib.Path(sys.argv[1]).resolve()
    faults = faults_of(root)
    if faults:
        sys.exit("links_test:\n  " + "\n  ".join(faults))
    print(f"{len(files_of(root, '*.md'))} documents, {len(variables_read(root))} variables")


if __name__ == "__main__":
    main()
