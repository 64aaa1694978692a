"""Checks that large bodies go from disk and to disk, with little memory, and what happens if that is not possible.

    streamed_bodies.py GRAPHFLOW [--megabytes N]
"""

import argparse
import hashlib
import json
import os
import resource
import socket
import subprocess
import tempfile
import threading
import time

from checks import check, end
from tls import Certificate

# The program itself, what an answer may have in memory, and the buffers of the system's libraries.
MEMORY = 150_000_000
# What a large upload takes beyond a small request. The program itself is in both; how much of its file is in memory
# depends on the build and on what the machine reads ahead.
UPLOAD_MEMORY = 16_000_000
PIECE = os.urandom(1 << 20)


class Server:
    """Takes uploads, gives a large answer, and stops reading a request where it is asked to."""

    def __init__(self, size, context):
        self.size, self.context = size, context
        self.taken = hashlib.sha256()
        self.given = hashlib.sha256()
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.socket.getsockname()[1]
        self.closed = threading.Event()
        self.address = f"{'https' if context else 'http'}://localhost:{self.port}"
        self.methods = []
        # What is done before a range is read: a file that is uploaded may be changed meanwhile.
        self.before_range = lambda: None
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.socket.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            with connection:
                if self.context:
                    connection = self.context.wrap_socket(connection, server_side=True)
                with connection:
                    while self.answer(connection):
                        pass
        except OSError:
            pass

    def answer(self, connection):
        got = b""
        while b"\r\n\r\n" not in got:
            part = connection.recv(65536)
            if not part:
                return False
            got += part
        start, _, body = got.partition(b"\r\n\r\n")
        path = start.split(b" ")[1]
        if path == b"/stalled":
            self.closed.wait(60)
            return False
        method = start.split(b" ")[0].decode()
        self.methods.append(method)
        ranges = [line for line in start.split(b"\r\n") if line.lower().startswith(b"content-range: bytes ")]
        if ranges:
            self.before_range()
        length = next((int(line[15:]) for line in start.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
        if not ranges or b" bytes 0-" in ranges[0]:
            self.taken = hashlib.sha256()
        self.taken.update(body)
        rest = length - len(body)
        while rest > 0:
            part = connection.recv(min(rest, 1 << 20))
            if not part:
                return False
            self.taken.update(part)
            rest -= len(part)
        if path == b"/large":
            self.given = hashlib.sha256()
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: %d\r\n\r\n" % self.size)
            for at in range(0, self.size, len(PIECE)):
                part = PIECE[: self.size - at]
                self.given.update(part)
                connection.sendall(part)
            return True
        status, answer = b"200 OK", b"ok"
        if b"createUploadSession" in path:
            answer = json.dumps({"uploadUrl": f"{self.address}/session"}).encode()
        elif ranges:
            last, total = (int(number) for number in ranges[0].split(b"-")[-1].split(b"/"))
            status, answer = b"202 Accepted", json.dumps({"nextExpectedRanges": [f"{last + 1}-"]}).encode()
            if last + 1 == total:
                status, answer = b"201 Created", json.dumps({"id": "1", "name": "large.bin", "size": total}).encode()
        connection.sendall(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(answer), answer))
        return True


class Runs:
    def __init__(self, program, folder, certificate):
        self.program, self.folder = program, folder
        self.environment = {
            **os.environ, "SSL_CERT_FILE": certificate.path, "GRAPHFLOW_HOME": f"{folder}/home",
            "GRAPHFLOW_ACCESS_TOKEN": "token",
        }  # fmt: skip

    def run(self, *tasks, limit=None, arguments=()):
        """The exit status, the output, the complaint, the most memory in bytes, and the seconds."""
        path = os.path.join(self.folder, "workflow.json")
        document = {"dsl": "1.0.3", "namespace": "checks", "name": "streamed", "version": "1.0.0"}
        with open(path, "w", encoding="ascii") as file:
            json.dump({"document": document, "do": list(tasks)}, file)

        def prepare():
            if limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        began = time.monotonic()
        # Python ignores the signal of a file that is too large, and so does what it starts.
        process = subprocess.Popen(
            [self.program, "run", path, *arguments], env=self.environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, preexec_fn=prepare, restore_signals=False)  # fmt: skip
        complaints = []
        reader = threading.Thread(target=lambda: complaints.append(process.stderr.read()))
        reader.start()
        output = process.stdout.read()
        reader.join()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        return os.waitstatus_to_exitcode(status), output, complaints[0].decode(), usage.ru_maxrss * 1024, seconds


def get(address):
    return {"get": {"call": "http", "with": {"method": "get", "endpoint": address}}}


def put(address):
    return {"put": {"call": "http", "with": {"method": "put", "endpoint": address, "body": "${ . }"}}}


def uploaded(scheme, runs, server, size):
    """A local file in the ranges of an upload session, and one that changes meanwhile."""
    status, _, complaint, little, _ = runs.run(put(f"{server.address}/put"))
    check(f"{scheme}: a little is sent", status == 0, complaint[-500:])
    path = os.path.join(runs.folder, "large.bin")
    digest = hashlib.sha256()
    with open(path, "wb") as file:
        for at in range(0, size, len(PIECE)):
            part = PIECE[: size - at]
            digest.update(part)
            file.write(part)
    runs.environment["GRAPHFLOW_GRAPH_URL"] = f"{server.address}/v1.0"
    upload = {"upload": {"call": "upload", "with": {"path": "large.bin", "content": {"file": "large.bin"}}}}
    status, _, complaint, memory, seconds = runs.run(upload)
    check(f"{scheme}: a file is uploaded", status == 0, complaint[-500:])
    check(f"{scheme}: as it is", server.taken.hexdigest() == digest.hexdigest())
    check(f"{scheme}: an upload takes little memory", memory - little < UPLOAD_MEMORY, (little, memory))
    print(f"{scheme}: upload of {size / 1e6:.0f} MB, {memory / 1e6:.0f} MB of memory ({little / 1e6:.0f} without), {seconds:.1f} s")

    def change():
        with open(path, "ab") as file:
            file.write(b"x")

    server.methods = []
    server.before_range = change
    status, output, complaint, _, _ = runs.run(upload)
    server.before_range = lambda: None
    check(f"{scheme}: a file that changes is not uploaded", status == 1 and "has changed" in complaint, complaint[-500:])
    check(f"{scheme}: and nothing is printed", output == b"", output)
    check(f"{scheme}: and its session is cancelled", server.methods[-1:] == ["DELETE"], server.methods)


def checked(scheme, runs, server, size):
    address = server.address
    for arguments in ([], ["--no-journal"]):
        name = f"{scheme} {' '.join(arguments) or 'with a journal'}"
        status, output, complaint, memory, seconds = runs.run(get(f"{address}/large"), arguments=arguments)
        check(f"{name}: a large answer is a blob", status == 0, complaint[-500:])
        blob = json.loads(output or b"{}")
        expected = {"blob": f"sha256:{server.given.hexdigest()}", "contentType": "video/mp4", "size": size}
        check(f"{name}: of what was sent", blob == expected, blob)
        check(f"{name}: with little memory", memory < MEMORY, memory)
        print(f"{name}: answer of {size / 1e6:.0f} MB, {memory / 1e6:.0f} MB of memory, {seconds:.1f} s")
        status, _, complaint, memory, seconds = runs.run(get(f"{address}/large"), put(f"{address}/put"), arguments=arguments)
        check(f"{name}: a blob is sent", status == 0, complaint[-500:])
        check(f"{name}: as it is", server.taken.hexdigest() == server.given.hexdigest())
        check(f"{name}: with little memory both ways", memory < MEMORY, memory)
        print(f"{name}: both ways, {memory / 1e6:.0f} MB of memory, {seconds:.1f} s")
    stalled = put(f"{address}/stalled")
    stalled["put"]["timeout"] = {"after": {"seconds": 2}}
    status, _, complaint, memory, _ = runs.run(get(f"{address}/large"), stalled)
    check(f"{scheme}: a server that reads no further ends in a timeout", status == 1 and "timeout" in complaint, complaint[-500:])
    check(f"{scheme}: and takes little memory", memory < MEMORY, memory)
    status, output, complaint, memory, _ = runs.run(get(f"{address}/large"), limit=size // 2)
    check(f"{scheme}: a file that cannot grow is a failure", status == 1 and "cannot be written" in complaint, complaint[-500:])
    check(f"{scheme}: and nothing is printed", output == b"", output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphflow", type=os.path.abspath)
    parser.add_argument("--megabytes", type=int, default=80)
    options = parser.parse_args()
    size = options.megabytes * 1_000_000 + 7
    with tempfile.TemporaryDirectory() as folder:
        certificate = Certificate(folder)
        for scheme, context in (("http", None), ("https", certificate.context())):
            server = Server(size, context)
            runs = Runs(options.graphflow, folder, certificate)
            uploaded(scheme, runs, server, size)
            checked(scheme, runs, server, size)
            server.closed.set()
    end("streamed bodies")


if __name__ == "__main__":
    main()
