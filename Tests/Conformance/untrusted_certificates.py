"""Calls servers with untrusted certificates, which must not get a byte of a request.

    untrusted_certificates.py GRAPHFLOW

A certificate is self-signed, has expired, is not valid yet, or is another host's. Each call must end in the standard's
communication error, with a message about the certificate. The same server with a valid certificate gets the same
calls, with their tokens and bodies, which shows what the others would have got.
"""

import contextlib
import http.server
import json
import os
import ssl
import subprocess
import tempfile
import threading
from pathlib import Path

import sandbox as sandboxes
from checks import check, end
from tls import Certificate

SECRET = "a-token-for-one-host-only"
ARTICLE = {"article": "coffee"}
BEARER = {"bearer": {"token": SECRET}}
WRONG = [
    ("ended", "SSL certificate problem: certificate has expired", {"days": (-2, -1)}),
    ("not begun", "SSL certificate problem: certificate is not yet valid", {"days": (1, 2)}),
    ("of another host", "SSL: no alternative certificate subject name", {"names": ("contoso.com",), "addresses": ()}),
]


class Server(http.server.ThreadingHTTPServer):
    """Counts the connections and those with a first byte, and records their requests."""

    # Closing it waits for its connections, so that the last bytes are counted.
    daemon_threads = False

    def __init__(self, context):
        super().__init__(("127.0.0.1", 0), Handler)
        self.context = context
        self.connected = self.told = 0
        self.requests = []

    def finish_request(self, request, client_address):
        self.connected += 1
        # A client's alert instead of a TLS handshake.
        with contextlib.suppress(ssl.SSLError, ConnectionError):
            with self.context.wrap_socket(request, server_side=True) as connection:
                self.RequestHandlerClass(connection, client_address, self)


class Handler(http.server.BaseHTTPRequestHandler):
    def handle(self):
        # libcurl compares host names only after the TLS handshake, and may end the connection there.
        if self.rfile.peek(1):
            self.server.told += 1
            super().handle()

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.requests.append((self.command, self.path, self.headers.get("Authorization"), body))
        found = {"/openapi.json": description(self.server.server_port), "/v1.0/me": {"displayName": "Megan Bowen"}}
        content = json.dumps(found.get(self.path, {"ordered": True})).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(certificate):
    server = Server(certificate.context())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def description(port):
    """The server's OpenAPI description."""
    body = {"content": {"application/json": {"schema": {"type": "object"}}}}
    order = {"operationId": "order", "requestBody": body, "responses": {"200": {"description": "It is ordered."}}}
    return {
        "openapi": "3.0.3", "info": {"title": "Orders", "version": "1"},
        "servers": [{"url": f"https://localhost:{port}"}], "paths": {"/orders": {"post": order}},
    }  # fmt: skip


def calls(port):
    """The calls by name, with the number of requests of each."""
    order = {"operationId": "order", "parameters": ARTICLE, "authentication": BEARER}
    address = f"https://localhost:{port}"
    endpoint = {"uri": address + "/orders", "authentication": BEARER}
    return {
        "http": ("http", {"method": "post", "endpoint": endpoint, "body": ARTICLE}, 1),
        "openapi": ("openapi", {"document": {"endpoint": "file://orders.json"}, **order}, 1),
        "openapi-document": ("openapi", {"document": {"endpoint": address + "/openapi.json"}, **order}, 2),
    }


def graphflow(program, folder, trusted, *arguments, **more):
    environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    environment.update({"HOME": folder, "GRAPHFLOW_HOME": f"{folder}/home", **more})
    if trusted:
        environment["SSL_CERT_FILE"] = trusted
    return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=300)


def call(program, folder, server, name, trusted):
    """Runs one call, and returns how it ended and how many requests it makes if allowed."""
    function, arguments, count = calls(server.server_port)[name]
    Path(folder, "orders.json").write_text(json.dumps(description(server.server_port)))
    workflow = Path(folder, f"{name}.json")
    document = {"dsl": "1.0.3", "namespace": "tests", "name": name, "version": "1.0.0"}
    workflow.write_text(json.dumps({"document": document, "do": [{"order": {"call": function, "with": arguments}}]}))
    return graphflow(program, folder, trusted, "run", str(workflow)), count


def accepted(program, folder):
    """A server with a valid certificate gets all requests."""
    certificate = Certificate(folder)
    for name in calls(0):
        with serving(certificate) as server:
            result, count = call(program, folder, server, name, certificate.path)
        check(f"{name}, trusted: it succeeds", result.returncode == 0 and "ordered" in result.stdout, result)
        check(f"{name}, trusted: so many requests", len(server.requests) == count, server.requests)
        check(f"{name}, trusted: they are counted", 0 < server.told <= count, server.told)
        *_, (method, path, token, body) = server.requests or [(None, None, None, b"null")]
        check(f"{name}, trusted: the request", (method, path) == ("POST", "/orders"), (method, path))
        check(f"{name}, trusted: the token", token == f"Bearer {SECRET}", token)
        check(f"{name}, trusted: the body", json.loads(body) == ARTICLE, body.decode())
    with serving(certificate) as server:
        result = get_me(program, folder, server, certificate.path)
    check("Graph, trusted: it succeeds", result.returncode == 0 and "Megan Bowen" in result.stdout, result)


def get_me(program, folder, server, trusted):
    address = f"https://localhost:{server.server_port}/v1.0"
    return graphflow(
        program, folder, trusted, "get", "/me", GRAPHFLOW_GRAPH_URL=address, GRAPHFLOW_ACCESS_TOKEN=SECRET
    )


def refused(program, folder, case, words, certificate, trusted=None):
    """A server with an invalid certificate gets nothing."""
    kind = "serverlessworkflow.io/spec/1.0.0/errors/communication"
    for name in calls(0):
        with serving(certificate) as server:
            result, _ = call(program, folder, server, name, trusted)
        check_refusal(f"{name}, {case}", result, words, server)
        is_right = kind in result.stderr and "503" in result.stderr
        check(f"{name}, {case}: the standard's error", is_right, result.stderr)
    with serving(certificate) as server:
        result = get_me(program, folder, server, trusted)
    check_refusal(f"Graph, {case}", result, words, server)


def check_refusal(name, result, words, server):
    check(f"{name}: exit", result.returncode == 1 and not result.stdout, result)
    is_plain = f"he server's certificate is not trusted: {words}" in result.stderr
    check(f"{name}: plain words", is_plain, result.stderr)
    check(f"{name}: no secret is told", SECRET not in result.stderr, result.stderr)
    check(f"{name}: the server is reached", server.connected > 0)
    check(f"{name}: not a byte is sent", server.told == 0 and not server.requests, server.requests)


def main():
    program = sandboxes.program(__doc__)
    with tempfile.TemporaryDirectory() as folder:

        def made(name, **options):
            Path(folder, name).mkdir()
            return Certificate(Path(folder, name), **options)

        refused(program, folder, "signed by itself", "SSL certificate problem: self-signed", made("itself"))
        accepted(program, folder)
        # These are trusted except for their fault.
        for case, words, options in WRONG:
            certificate = made(case, **options)
            refused(program, folder, case, words, certificate, certificate.path)
    end("certificates")


if __name__ == "__main__":
    main()
