#!/usr/bin/env python3
"""`flyball monitor` on a terminal: what it shows, its keys, and that the terminal is put back at its end, after a signal and
after a crash. usage: tests/monitor_terminal_test.py BUILD_FOLDER"""
import fcntl
import os
import pathlib
import select
import signal
import struct
import sys
import tempfile
import termios
import time

WAIT_S = 30
LEAVE = b"\x1b[?1049l"  # of xterm: back to the screen from before


class Terminal:
    def __init__(self, flyball, folder, **environment):
        self.seen = b""
        self.end, self.side = os.openpty()  # its side stays open here, so that it can be looked at in the end
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.modes = termios.tcgetattr(self.side)
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            fcntl.ioctl(self.side, termios.TIOCSCTTY, 0)
            for stream in (0, 1, 2):
                os.dup2(self.side, stream)
            os.chdir(folder)
            os.environ.pop("NO_COLOR", None)
            os.environ.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", "FLYBALL_STATE": f"{folder}/state", **environment})
            os.execv(flyball, ["flyball", "monitor", "--device", "twin:orin_nano", "--interval", "200ms"])

    def read(self):
        if select.select([self.end], [], [], 0.1)[0]:
            self.seen += os.read(self.end, 65536)

    def wait_for(self, text):
        end = time.monotonic() + WAIT_S
        while text not in self.seen:
            self.read()
            if time.monotonic() > end:
                sys.exit(f"monitor_terminal_test: {text!r} was not shown: {self.seen[-2000:]!r}")

    def say(self, keys):
        os.write(self.end, keys)

    def result(self):
        """How it ended, as a shell says it; the terminal must be as it was."""
        end = time.monotonic() + WAIT_S
        while True:
            self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                sys.exit("monitor_terminal_test: it did not end")
        while select.select([self.end], [], [], 0)[0]:
            self.read()
        expect("the terminal is not as it was", termios.tcgetattr(self.side) == self.modes)
        os.close(self.side)
        os.close(self.end)
        return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def expect(what, fine):
    if not fine:
        sys.exit(f"monitor_terminal_test: {what}")


def check_end(flyball, folder, name, end, code):
    terminal = Terminal(flyball, folder)
    terminal.wait_for(b"Jetson Orin Nano (simulated)")
    terminal.wait_for(b"quit")
    expect(f"{name}: the terminal was never another one", termios.tcgetattr(terminal.side) != terminal.modes)
    end(terminal)
    found = terminal.result()
    expect(f"{name}: exit code {found}, not {code}", found == code)
    expect(f"{name}: the screen from before did not come back", LEAVE in terminal.seen)


def main():
    flyball = str(pathlib.Path(sys.argv[1]).resolve() / "bin/flyball")
    with tempfile.TemporaryDirectory() as folder:
        check_end(flyball, folder, "q", lambda terminal: terminal.say(b"q"), 0)
        check_end(flyball, folder, "Ctrl-C", lambda terminal: terminal.say(b"\x03"), 130)
        check_end(flyball, folder, "SIGTERM", lambda terminal: os.kill(terminal.pid, signal.SIGTERM), 143)
        check_end(flyball, folder, "a crash", lambda terminal: os.kill(terminal.pid, signal.SIGSEGV), 139)

        asked = Terminal(flyball, folder)
        asked.wait_for(b"quit")
        asked.say(b"p")
        asked.wait_for(b"Which preset or mode?")
        asked.say(b"7W\r")
        asked.wait_for(b"Set 7W on this board?")
        asked.say(b"y")
        asked.wait_for(b"set, in the simulation")
        asked.say(b"r")
        asked.wait_for(b"recording into")
        asked.say(b"q")
        expect("with keys it ends badly", asked.result() == 0)
        expect("no file was recorded", list(pathlib.Path(folder).glob("flyball-*.flyrec")))

        plain = Terminal(flyball, folder, NO_COLOR="1")
        plain.wait_for(b"quit")
        plain.say(b"q")
        plain.result()
        expect("NO_COLOR is coloured", b"\x1b[36m" not in plain.seen and b"\x1b[33m" not in plain.seen)

        dumb = Terminal(flyball, folder, TERM="dumb")
        dumb.wait_for(b"clocks free\r\n")
        os.kill(dumb.pid, signal.SIGINT)
        expect("a dumb terminal is moved about on", dumb.result() == 130 and b"\x1b" not in dumb.seen)
    print("the terminal is put back in every way")


main()
