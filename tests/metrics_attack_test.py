#!/usr/bin/env python3
"""What strangers do to `flyball metrics-server` by raw sockets: it answers what is right, holds little memory, and goes on.

usage: tests/metrics_attack_test.py BUILD_FOLDER
"""
import pathlib
import re
import resource
import socket
import subprocess
import sys
import time

WAIT_S = 30
MOST_GROWTH = 16 << 20  # bytes
GET = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
LAST = GET + b"Connection: close\r\n\r\n"
# What is sent, and the codes of all that must be answered.
REQUESTS = {
    "one": (LAST, [200]),
    "of HTTP/1.0": (b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n", [200]),
    "of HTTP/2.0": (b"GET /metrics HTTP/2.0\r\nHost: localhost\r\n\r\n", [505]),
    "of a version that is none": (b"GET /metrics HTTP/9\r\nHost: localhost\r\n\r\n", [400]),
    "without a version": (b"GET /metrics\r\n\r\n", [400]),
    "the preface of HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]),
    "the hello of TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", [400]),
    "without a host": (b"GET /metrics HTTP/1.1\r\n\r\n", [400]),
    "for another host": (b"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", [403]),
    "lines that end with LF": (b"GET /metrics HTTP/1.1\nHost: localhost\n\n", [400]),
    "a zero byte": (b"GET /metrics\0 HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
    "a header of 1 MiB": (GET + b"X: " + b"a" * (1 << 20) + b"\r\n\r\n", [431]),
    "a path of 1 MiB": (b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", [431]),
    "10,000 headers": (GET + b"".join(b"X%d: 1\r\n" % i for i in range(10_000)) + b"\r\n", [431]),
    "a body of 100 GB": (b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\nab", [405]),
    "two lengths": (GET + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", [400]),
    "ten at once": ((GET + b"\r\n") * 9 + LAST, [200] * 10),
    "a hundred that are not there": ((GET.replace(b"metrics", b"x") + b"\r\n") * 99 + LAST, [404] * 99 + [200]),
}
faults = []


def expect(holds, fault):
    if not holds:
        faults.append(fault)


class Server:
    def __init__(self, flyball):
        self.process = subprocess.Popen([flyball, "metrics-server", "--device", "twin:orin_nano", "--listen", "127.0.0.1:0"],
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        self.address = ("127.0.0.1", int(re.search(r":(\d+)/metrics", line)[1]))
        self.begun_with = self.memory()

    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])

    def ask(self, request):
        """All that is answered until the server hangs up."""
        with socket.create_connection(self.address, timeout=WAIT_S) as one:
            answer = b""
            try:
                one.sendall(request)
                one.shutdown(socket.SHUT_WR)
            except OSError:  # it has answered and hung up
                pass
            try:
                while part := one.recv(65536):
                    answer += part
            except ConnectionError:
                pass
            return answer

    def codes(self, request):
        return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d+) ", self.ask(request))]

    def check(self, after):
        end = time.monotonic() + WAIT_S
        while self.codes(LAST) != [200]:
            if time.monotonic() > end:
                return expect(False, f"no scrape after {after}")
            time.sleep(0.2)
        grown = self.memory() - self.begun_with
        expect(grown < MOST_GROWTH, f"after {after} it holds {grown >> 20} MiB more")


def connections(server, count, request):
    """As many as may be opened; each sends as much of the request as is taken, and reads nothing."""
    held = []
    for _ in range(count):
        one = socket.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        try:
            one.connect(server.address)
            one.setblocking(False)
            sent = 0
            while sent < len(request):
                sent += one.send(request[sent:])
        except (BlockingIOError, ConnectionError):
            pass
        held.append(one)
    return held


def main():
    most_files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    idle = min(10_000, most_files - 100 if most_files > 0 else 10_000)
    resource.setrlimit(resource.RLIMIT_NOFILE, (idle + 100, most_files))
    server = Server(pathlib.Path(sys.argv[1]) / "bin/flyball")
    for name, (request, wanted) in REQUESTS.items():
        codes = server.codes(request)
        expect(codes == wanted, f"{name}: answered by {codes[:20]}, not {wanted[:20]}")
    server.check("odd requests")
    for name, count, request in (("idle connections", idle, b""), ("half requests", 500, b"GET /metr"),
                                 ("readers that read nothing", 60, (GET + b"\r\n") * 20_000)):
        held = connections(server, count, request)
        server.check(name)
        for one in held:
            one.close()
        server.check(f"the end of {name}")
    server.process.terminate()
    expect(server.process.wait(WAIT_S) == 0, f"it ends with {server.process.returncode}")


main()
for fault in faults:
    print(f"metrics_attack_test: {fault}", file=sys.stderr)
sys.exit(1 if faults else 0)
