"""Sends broken answers to a client that must neither crash nor hang, and counts what it sends twice.

    hostile_answers.py [--count N] [--seed N] [--show N]

Every answer over http, https and HTTP/2 must be taken as a whole or be a failure that says how far the request had got.
A server that ends its connections at every point must never get a request a second time that must not happen twice.
"""

import base64
import json
import os
import random
import select
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time

import probe
from checks import check, end
from hostile_messages import Answer, answer, head
from hostile_server import Server, deliver
from tls import Certificate

REASONS = {"cannotConnect", "connectionLost", "timedOut", "untrustedCertificate", "tooLarge", "badResponse"}
# A client that takes longer hangs, in seconds.
PATIENCE = 60


class Client:
    """The probe that sends requests, one after the other on the connections that it keeps."""

    def __init__(self, trusted, **variables):
        environment = {name: text for name, text in os.environ.items() if not name.lower().endswith("_proxy")}
        environment.update({"SSL_CERT_FILE": trusted, **variables})
        self.process = subprocess.Popen(
            [probe.path(), "send"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def send(self, url, **question):
        """The outcome; raises an error if the client has crashed or hangs."""
        self.process.stdin.write(json.dumps({"url": url, **question}).encode() + b"\n")
        line = b""
        while not line.endswith(b"\n"):
            if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
                raise SystemExit(f"FAILED the client hangs at {url} {question}")
            part = self.process.stdout.read(1 << 20)
            if not part:
                raise SystemExit(f"FAILED the client has ended with {self.process.wait()} at {url} {question}")
            line += part
        return json.loads(line).get("value", {})

    def memory(self):
        """The most memory that it has had, in bytes."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def problem(sent, outcome, is_clean):
    """What is wrong about an outcome; None if nothing is.

    On a connection that an earlier answer has broken, a whole one may be lost, and the failure be that one's.
    """
    if "status" in outcome:
        got = (outcome["status"], base64.b64decode(outcome["body"]))
        if isinstance(sent.expected, str) and got != sent.whole:
            return "a broken answer is taken for a whole one"
        if isinstance(sent.expected, tuple) and got != sent.expected:
            return "a whole answer is not what was sent"
        return None
    if outcome.get("phase") != "sent" or outcome.get("reason") not in REASONS - {"timedOut"}:
        return "the failure is not one of an answer"
    if isinstance(sent.expected, tuple) and is_clean:
        return "a whole answer is a failure"
    if isinstance(sent.expected, str) and sent.expected not in ("failure", outcome["reason"]) and is_clean:
        return f"the failure is not {sent.expected}"
    return None


def hostile(options, client, certificate):
    """Broken answers over plain HTTP, over TLS, and over TLS with HTTP/2 if the client speaks it."""
    sent = {}

    def respond(request):
        sent["answer"] = answer(options.seed, sent["number"], request["protocol"])
        sent["pieces"] = list(sent["answer"].pieces)
        return sent["answer"]

    contexts = {"http": None}
    for name, protocols in (("https", ["http/1.1"]), ("h2", ["h2", "http/1.1"])):
        contexts[name] = certificate.context()
        contexts[name].set_alpn_protocols(protocols)
    servers = {name: Server(respond, context) for name, context in contexts.items()}
    shown = 0
    clean = {}
    for number in range(options.count):
        way = ("http", "https", "h2")[number % 3]
        scheme = "http" if way == "http" else "https"
        sent["number"] = number
        outcome = client.send(
            f"{scheme}://localhost:{servers[way].port}/{number}", effect="idempotent" if number % 2 else "read"
        )
        got = sent["answer"]
        # Plain HTTP asks for no compression, and leaves it to the reader.
        if way == "http" and b"Content-Encoding" in b"".join(sent["pieces"]):
            got.expected = None
        wrong = problem(got, outcome, clean.get(way, True))
        clean[way] = isinstance(got.expected, tuple) and got.ending == "keep"
        shown += 1 if wrong else 0
        parts = [repr(part[:120]) for part in sent["pieces"][:5]]
        detail = [repr(got.expected)[:200], str(outcome)[:400], got.ending, *parts] if shown <= options.show else ""
        check(f"{way} {number}, {got.name}: {wrong}", not wrong, detail)
    check("memory stays bounded", client.memory() < 250_000_000, str(client.memory()))


class Counter:
    """A server that ends each connection at the point that is asked for, and counts what it gets of each request."""

    def __init__(self, context=None):
        self.context = context
        self.point = None
        self.begun = {}
        self.connections = 0
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.socket.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections += 1
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            with connection:
                if self.point == "accepted":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return
                if self.context and self.point == "in the handshake":
                    connection.recv(100)
                    return
                if self.context:
                    connection = self.context.wrap_socket(connection, server_side=True)
                with connection:
                    while self.answer(connection):
                        pass
        except (OSError, ValueError):
            pass

    def answer(self, connection):
        """Answers a request, or ends the connection; whether it stays open."""
        got = b""
        point = self.point
        while True:
            if isinstance(point, int) and len(got) >= point and b"/once" in got:
                self.note(got)
                return deliver(connection, Answer("", [], random.choice(["close", "drop", "reset"])))
            size = point - len(got) if isinstance(point, int) and point > len(got) else 65536
            part = connection.recv(min(65536, size))
            if not part:
                self.note(got)
                return False
            got += part
            start, separator, body = got.partition(b"\r\n\r\n")
            length = next((int(line[15:]) for line in start.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
            if separator and len(body) >= length:
                break
        self.note(got)
        whole = head(b"200 OK", b"Content-Length: 2") + b"ok"
        if b"/once" not in got:
            # A kept connection that is closed as soon as it is used again.
            return deliver(connection, Answer("", [whole], "close" if point == "after the first" else "keep"))
        if isinstance(point, tuple):
            return deliver(connection, Answer("", [whole[: point[0]]], point[1]))
        return deliver(connection, Answer("", [whole], "keep"))

    def note(self, got):
        if got:
            name = got.split(b" ")[1].decode() if got.count(b" ") > 1 else got.decode(errors="replace")
            self.begun[name] = self.begun.get(name, 0) + 1


def counted(client, certificate, rounds):
    """A request that must not happen twice, while connections end everywhere."""
    for scheme, context in (("http", None), ("https", certificate.context())):
        counter = Counter(context)
        address = f"{scheme}://localhost:{counter.port}"
        points = [None, "accepted", "in the handshake", "after the first", 1, 2, 10, 60, 100, 150, 200, 300, 3000, 90_000]
        points += [(count, ending) for count in (0, 1, 10, 17, 30, 38, 39) for ending in ("close", "drop", "reset")]
        for turn in range(rounds):
            point = points[turn % len(points)]
            body = "x" * random.choice([0, 10, 5000, 100_000])
            # Connections are kept that a request could use again.
            counter.point = "after the first" if point == "after the first" else None
            for index in range(3):
                client.send(f"{address}/kept-{turn}-{index}", effect="read")
            counter.point = point
            path = f"/once-{turn}"
            outcome = client.send(address + path, method="POST", effect="once", body=body)
            times = counter.begun.get(path, 0)
            partly = [name for name in counter.begun if name and path.startswith(name) and name != path]
            name = f"{scheme}, once, {turn}, ended at {point}"
            check(f"{name}: at most one time", times + len(partly) <= 1, f"{times} and {partly}: {outcome}")
            if times:
                check(f"{name}: the phase", "status" in outcome or outcome.get("phase") == "sent", outcome)
            if point in ("accepted", "in the handshake") and scheme == "https":
                check(f"{name}: the phase", outcome.get("phase") == "notSent", outcome)
            if point is None:
                check(f"{name}: it is answered", outcome.get("status") == 200 and times == 1, f"{times}: {outcome}")
            counter.begun = {}


def main():
    options = probe.options(3000)
    random.seed(options.seed)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        certificate = Certificate(folder)
        client = Client(certificate.path)
        hostile(options, client, certificate)
        counted(client, certificate, max(70, options.count // 50))
        client.process.stdin.close()
        check("the client ends", client.process.wait(PATIENCE) == 0)
    print(f"{options.count} answers in {time.monotonic() - started:.0f} s")
    end("hostile answers")


if __name__ == "__main__":
    main()
