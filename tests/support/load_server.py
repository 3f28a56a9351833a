#!/usr/bin/env python3
"""A server with known service times for tests and benchmarks of `flyball loadtest` and `tune --server`.

It speaks the Open Inference Protocol (model "timed"), OpenAI's completions and chat with streaming, and
plain HTTP. One request is served at a time, in the order of arrival, and each takes --delay; a stream
says its first token after --delay and the others --token-delay apart, outside of the queue. `--fail`
makes it misbehave:
  garbage    bodies that are neither JSON nor events       status   every second request is a 500
  busy       503 with Retry-After                          stall    the answer stops in its middle
  cut        the connection ends in the middle of it       hangup   it ends before an answer
  empty      three empty chunks before the first token     nousage  no usage although it was asked for
  huge       a line without end
The port (--port 0: any) is printed on a line of its own once it listens.
"""
import argparse
import json
import os
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

options = None


def work(seconds):
    """The accelerator: one request at a time. Sleeps, and spins for the last millisecond."""
    until = time.monotonic() + seconds
    time.sleep(max(0, seconds - 0.001))
    while time.monotonic() < until:
        pass


class Tickets:
    """First come, first served, which a lock alone is not."""

    def __init__(self):
        self.changed = threading.Condition()
        self.next = self.serving = 0

    def __enter__(self):
        with self.changed:
            mine, self.next = self.next, self.next + 1
            self.changed.wait_for(lambda: self.serving == mine)

    def __exit__(self, *_):
        with self.changed:
            self.serving += 1
            self.changed.notify_all()


queue = Tickets()
asked = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, body, status=200, kind="application/json", headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if time.monotonic() < options.ready_at:
            self.answer({"error": "loading"}, 503)
        elif self.path in ("/health", "/v2/health/ready", "/v2/health/live"):
            self.answer({"ready": True})
        elif self.path == "/v2":
            self.answer({"name": "timed", "version": "1", "extensions": ["binary_tensor_data"]})
        elif self.path == "/v2/models/timed":
            self.answer({"name": "timed", "platform": "test", "inputs": [
                {"name": "image", "datatype": "FP32", "shape": [-1, 4]},
                {"name": "mask", "datatype": "INT64", "shape": [1, 2]}], "outputs": []})
        elif self.path == "/v1/models":
            self.answer({"object": "list", "data": [{"id": "timed", "object": "model"}]})
        elif self.path == "/plain":
            self.serve(lambda: self.answer(b"pong", kind="text/plain"))
        else:
            self.answer({"error": "no such path"}, 404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/v2/models/timed/infer":
            self.serve(lambda: self.infer(body))
        elif self.path in ("/v1/chat/completions", "/v1/completions"):
            self.complete(json.loads(body))
        elif self.path == "/plain":
            self.serve(lambda: self.answer(b"%d" % len(body), kind="text/plain"))
        else:
            self.answer({"error": "no such path"}, 404)

    def fails(self):
        """Does what --fail says instead of an answer. True: it did."""
        global asked
        asked += 1
        fail = options.fail if asked > options.good and asked % options.every == 0 else ""
        if fail == "busy":
            self.answer({"error": "busy"}, 503, headers=[("Retry-After", "1")])
        elif fail == "status" and asked % 2:
            self.answer({"error": "out of memory"}, 500)
        elif fail == "garbage":
            self.answer(b"\x00\xff{{{ not what was asked for", kind="application/json")
        elif fail == "hangup":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        elif fail in ("stall", "cut") and not self.path.startswith("/v1/"):
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"{")
            self.wfile.flush()
            self.leave(fail)
        else:
            return False
        return True

    def leave(self, fail):
        if fail == "stall":
            time.sleep(options.stall)
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def serve(self, answer):
        with queue:
            work(options.delay)
        if not self.fails():
            answer()

    def infer(self, body):
        size = int(self.headers.get("Inference-Header-Content-Length", len(body)))
        request = json.loads(body[:size])
        bytes_named = sum(i["parameters"]["binary_data_size"] for i in request["inputs"]
                          if "binary_data_size" in i.get("parameters", {}))
        if bytes_named != len(body) - size or [i["name"] for i in request["inputs"]] != ["image", "mask"]:
            self.answer({"error": "bad request"}, 400)
            return
        head = json.dumps({"model_name": "timed", "outputs": [
            {"name": "out", "datatype": "FP32", "shape": [1, 1],
             "parameters": {"binary_data_size": 4}}]}).encode()
        self.answer(head + bytes(4), kind="application/octet-stream",
                    headers=[("Inference-Header-Content-Length", str(len(head)))])

    def piece(self, text):
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def event(self, **document):
        self.piece("data: " + json.dumps(document) + "\n\n")

    def choice(self, text, reason=None):
        chat = self.path.endswith("/chat/completions")
        part = {"delta": {"content": text}} if chat else {"text": text}
        return [{"index": 0, "finish_reason": reason, **part}]

    def complete(self, request):
        if options.key and self.headers.get("Authorization") != "Bearer " + options.key:
            self.answer({"error": {"message": "wrong key"}}, 401)
            return
        with queue:
            work(options.delay)
        if self.fails():
            return
        tokens = min(options.tokens, request["max_tokens"])
        fail = options.fail if asked > options.good else ""
        usage = {"prompt_tokens": 5, "completion_tokens": tokens}
        if not request.get("stream"):
            text = self.choice(" word" * tokens, "stop")[0]
            if "delta" in text:
                text["message"] = text.pop("delta")
            self.answer({"choices": [text], **({} if fail == "nousage" else {"usage": usage})})
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.stream(tokens, usage, fail, request)

    def stream(self, tokens, usage, fail, request):
        if fail == "empty":
            for _ in range(3):
                self.event(choices=self.choice(""))
                time.sleep(options.empty_delay)
        if fail == "huge":
            self.piece("data: " + "x" * (2 << 20))
        for token in range(tokens):
            if token > 0:
                time.sleep(options.token_delay)
            if fail in ("stall", "cut") and token == tokens // 2:
                self.leave(fail)
                return
            self.event(choices=self.choice(" word"))
        self.event(choices=self.choice("", "stop"))
        if fail != "nousage" and request.get("stream_options", {}).get("include_usage"):
            self.event(choices=[], usage=usage)
        self.piece("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        pass  # clients may go


def main():
    global options
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.005, help="seconds of service")
    parser.add_argument("--token-delay", type=float, default=0.002)
    parser.add_argument("--empty-delay", type=float, default=0.01)
    parser.add_argument("--tokens", type=int, default=8)
    parser.add_argument("--fail", default="")
    parser.add_argument("--good", type=int, default=0, help="requests before it fails")
    parser.add_argument("--every", type=int, default=1, help="then it fails each so many'th")
    parser.add_argument("--stall", type=float, default=30)
    parser.add_argument("--load", type=float, default=0, help="seconds until it is ready")
    parser.add_argument("--key", default="")
    parser.add_argument("--starts", default="", help="file that gets a line at each start")
    parser.add_argument("--refuse", action="store_true", help="say why, and end")
    parser.add_argument("--stubborn", action="store_true", help="start a child and ignore SIGTERM")
    options = parser.parse_args()
    if options.refuse:
        sys.exit("no such model")
    if options.stubborn:
        import signal
        import subprocess
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        subprocess.Popen(["sleep", "600"])
    options.ready_at = time.monotonic() + options.load
    server = Server(("127.0.0.1", options.port), Handler)
    if options.starts:
        with open(options.starts, "a") as file:
            file.write(f"{os.getpid()} {' '.join(sys.argv[1:])}\n")
    os.write(1, b"%d\n" % server.server_address[1])  # at once: who reads it may close the pipe
    server.serve_forever()


main()
