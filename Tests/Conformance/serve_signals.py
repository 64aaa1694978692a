"""What `graphflow serve` does on SIGHUP and SIGTERM, and what its supervisor is notified of.

A server of our own holds the requests of the runs back, and a socket of our own takes the place of systemd's.
"""

import argparse
import contextlib
import http.client
import http.server
import json
import os
import pathlib
import queue
import re
import signal
import socket
import subprocess
import tempfile
import threading

import checks

parser = argparse.ArgumentParser()
parser.add_argument("graphflow")
graphflow = os.path.abspath(parser.parse_args().graphflow)
patience = 60

head = """
document: { dsl: 1.0.3, namespace: tests, name: signals, version: 1.0.0 }
schedule: { on: { one: { with: { type: t } } } }
do:
"""


def setting(text):
    return head + f"  - only: {{ set: {{ version: {text} }} }}\n"


def posting(port):
    """A workflow whose request must be made once."""
    return head + f"""
  - send: {{ call: http, with: {{ method: post, endpoint: 'http://127.0.0.1:{port}/', body: {{ a: 1 }} }} }}
  - later: {{ wait: PT1H }}
"""


class HeldServer(http.server.ThreadingHTTPServer):
    """Answers requests only when it is told to."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), HeldRequest)
        self.arrived = queue.Queue()
        self.released = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]


class HeldRequest(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.arrived.put(self.path)
        self.server.released.wait(patience)
        with contextlib.suppress(OSError):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


class Supervisor:
    """What a service is supervised by: the socket of sd_notify(3)."""

    def __init__(self, folder, watchdog):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(folder / "notify"))
        self.socket.settimeout(patience)
        self.environment = {
            "NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": str(int(watchdog * 1_000_000))}

    def wait_for(self, state):
        """The status that comes with a state."""
        while True:
            lines = dict(line.split("=", 1) for line in self.socket.recv(4096).decode().splitlines())
            if state in lines:
                return lines.get("STATUS")


class Service:
    def __init__(self, text, *options, environment=None):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        self.file = self.folder / "workflow.yaml"
        self.file.write_text(text)
        self.environment = {**os.environ, "GRAPHFLOW_HOME": str(self.folder / "home"), **(environment or {})}
        self.number = 0
        self.log = []
        self.start(*options)

    def start(self, *options):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            # The inbox belongs to the port.
            self.port = getattr(self, "port", probe.getsockname()[1])
        self.process = subprocess.Popen(
            [graphflow, "serve", self.file, "--listen", f"127.0.0.1:{self.port}", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.lines, self.outputs = queue.Queue(), queue.Queue()
        for stream, into in (self.process.stderr, self.lines), (self.process.stdout, self.outputs):
            threading.Thread(target=lambda s=stream, q=into: [q.put(line) for line in s], daemon=True).start()
        self.wait_for("listening for events")

    def wait_for(self, text):
        """Reads the log up to a line with a text."""
        while True:
            try:
                line = self.lines.get(timeout=patience)
            except queue.Empty:
                raise SystemExit(f"the log never said '{text}':\n{''.join(self.log)}")
            self.log.append(line)
            if text in line:
                return line

    def post(self, type="t"):
        """The status of a new event."""
        self.number += 1
        event = {"specversion": "1.0", "id": f"e{self.number}", "source": "/t", "type": type}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        with contextlib.closing(connection):
            connection.request("POST", "/", json.dumps(event), {"Content-Type": "application/cloudevents+json"})
            answer = connection.getresponse()
            answer.read()
            return answer.status

    def wait_for_refusal(self):
        """Waits until it takes no more events; those of this type start nothing."""
        while self.post("none") != 503:
            pass

    def output(self):
        """The output of a new event's run."""
        self.post()
        return json.loads(self.outputs.get(timeout=patience))

    def end(self, *signals):
        for number in signals:
            self.process.send_signal(number)
        status = self.process.wait(timeout=patience)
        with contextlib.suppress(queue.Empty):
            while True:
                self.log.append(self.lines.get(timeout=1))
        return status

    def runs(self):
        """The states of its runs."""
        shown = subprocess.run([graphflow, "runs", "--json"], env=self.environment, capture_output=True, check=True)
        return [run["state"] for run in json.loads(shown.stdout)]


def read_anew():
    service = Service(setting(1))
    checks.check("the first version runs", service.output() == {"version": 1})
    service.file.write_text(setting(2))
    service.process.send_signal(signal.SIGHUP)
    service.wait_for("read anew")
    checks.check("SIGHUP brings the second version", service.output() == {"version": 2})
    service.file.write_text(setting(3).replace("set:", "sett:"))
    service.process.send_signal(signal.SIGHUP)
    service.wait_for("the last valid version is kept")
    checks.check("the log says what is wrong", any("sett" in line for line in service.log), service.log)
    checks.check("a broken file keeps the second version", service.output() == {"version": 2})
    service.file.write_text(setting(4))
    service.process.send_signal(signal.SIGHUP)
    service.wait_for("read anew")
    checks.check("a file that is valid again is served", service.output() == {"version": 4})
    checks.check("it ends with 143", service.end(signal.SIGTERM) == 143)


def answered_within_the_grace():
    server = HeldServer()
    service = Service(posting(server.port))
    service.post()
    server.arrived.get(timeout=patience)
    service.process.send_signal(signal.SIGTERM)
    service.wait_for_refusal()
    server.released.set()
    checks.check("a request that is answered within the grace: 143", service.end() == 143)
    checks.check("its run can be resumed", service.runs() == ["suspended"], service.runs())
    service.start()
    service.wait_for("interrupted runs that continue: 1")
    service.end(signal.SIGTERM)
    checks.check("the request is not made again", server.arrived.empty())
    server.shutdown()


def outlasting_the_grace():
    server = HeldServer()
    service = Service(posting(server.port), "--grace", "0s")
    service.post()
    server.arrived.get(timeout=patience)
    checks.check("a request that outlasts the grace: 143", service.end(signal.SIGTERM) == 143)
    checks.check("its outcome is recorded as unknown", service.runs() == ["unknown"], service.runs())
    said = [line for line in service.log if "/do/0/send" in line or "check whether it happened" in line]
    checks.check("the log says so", len(said) > 0, service.log)
    server.released.set()
    service.start()
    service.end(signal.SIGTERM)
    checks.check("the run does not go on by itself", service.runs() == ["unknown"], service.runs())
    checks.check("the request is not made again", server.arrived.empty())
    run = re.search(r"[0-9A-HJKMNP-TV-Z]{26}", " ".join(os.listdir(service.folder / "home" / "runs")))[0]
    resumed = subprocess.run([graphflow, "resume", run], env=service.environment, capture_output=True, text=True)
    checks.check("a person is asked what happened", "--assume" in resumed.stderr, resumed.stderr)
    server.shutdown()


def leaving_runs():
    service = Service(head + "  - later: { wait: PT1H }\n")
    service.post()
    service.wait_for("started")
    service.end(signal.SIGTERM)
    service.start("--no-resume")
    service.end(signal.SIGTERM)
    checks.check("with --no-resume nothing goes on", not any("go on" in line for line in service.log), service.log)
    checks.check("the run is left as it is", service.runs() == ["suspended"], service.runs())


def ending_at_once():
    server = HeldServer()
    service = Service(posting(server.port), "--grace", "1h")
    service.post()
    server.arrived.get(timeout=patience)
    service.process.send_signal(signal.SIGTERM)
    service.wait_for_refusal()
    checks.check("the second SIGTERM ends at once", service.end(signal.SIGTERM) == 143)
    checks.check("its POST is open, so only a person can tell", service.runs() == ["unknown"], service.runs())
    server.released.set()
    server.shutdown()


def supervised():
    with tempfile.TemporaryDirectory() as folder:
        supervisor = Supervisor(pathlib.Path(folder), watchdog=0.3)
        service = Service(head + "  - later: { wait: PT1H }\n", environment=supervisor.environment)
        checks.check("READY has a status", "runs in progress" in supervisor.wait_for("READY"))
        service.post()
        while "1 runs in progress" not in supervisor.wait_for("WATCHDOG"):
            pass
        checks.check("WATCHDOG comes again and again", True)
        service.process.send_signal(signal.SIGTERM)
        status = supervisor.wait_for("STOPPING")
        checks.check("STOPPING has a status", status.startswith("stopping"), status)
        checks.check("a supervised service ends with 143", service.end() == 143)


read_anew()
answered_within_the_grace()
outlasting_the_grace()
leaving_runs()
ending_at_once()
supervised()
checks.end("serve, signals")
