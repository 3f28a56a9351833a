#!/usr/bin/env python3
"""Progress on a terminal stays in one line of it, however long a configuration is.
usage: tests/progress_test.py BUILD_FOLDER"""
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading

COLUMNS = 80


def progress(flyball, folder, terminal):
    """What a tune writes on a terminal of 24 lines."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    seen = bytearray()

    def read():
        try:
            while part := os.read(ours, 65536):
                seen.extend(part)
        except OSError:  # the other end is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    code = subprocess.call([flyball, "tune", "resnet18", "--device", "twin:orin_nano", "--no-store"],
                           stdout=subprocess.DEVNULL, stderr=theirs, stdin=subprocess.DEVNULL,
                           env={**os.environ, "TERM": terminal, "FLYBALL_STATE": f"{folder}/state",
                                "XDG_CONFIG_HOME": folder})
    os.close(theirs)
    reader.join()
    os.close(ours)
    if code != 0:
        sys.exit(f"progress_test: exit code {code}: {bytes(seen)!r}")
    return seen.decode()


def check(text, what, good):
    if not good:
        sys.exit(f"progress_test: {what}: {text!r}")


def main():
    flyball = str(pathlib.Path(sys.argv[1]).resolve() / "bin" / "flyball")
    with tempfile.TemporaryDirectory() as folder:
        text = progress(flyball, folder, "xterm")
        check(text, "no progress was shown", "measuring resnet18" in text)
        check(text, "a line was begun", "\n" not in text)
        lines = re.split(r"\r(?:\x1b\[K)?", text)
        check(text, "wider than the terminal", max(map(len, lines)) < COLUMNS)
        check(text, "nothing was cut", any(line.endswith("…") for line in lines))
        check(text, "something is left", lines[-1] == "")
        plain = progress(flyball, folder, "dumb")
        check(plain, "a terminal that knows no sequences got one", "\x1b" not in plain)
        check(plain, "wider than the terminal",
              max(len(line.rstrip("\b").rstrip(" ")) for line in plain.split("\r")) < COLUMNS)
    print("progress stays in its line")


main()
