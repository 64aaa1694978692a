"""Starts `graphflow sandbox`, and reaches its identity platform over HTTPS, as clients of the real one do."""

import contextlib
import datetime
import http.client
import http.server
import ipaddress
import json
import os
import ssl
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

TENANT = "b5a1e9f2-6c0d-4f0e-9a53-2f1f3c8e7d40"
CLIENT = "7d1c0b52-3f5e-4a4b-9a39-6c2f0e8d5b11"


class Sandbox:
    """A sandbox that runs as a process of its own, and what can be asked of it."""

    def __init__(self, process):
        self.process = process
        # The address is all that it writes to standard output.
        self.graph = process.stdout.readline().strip()
        if not self.graph:
            raise SystemExit(f"the sandbox does not start: {process.stderr.read()}")
        self.address = self.graph.removesuffix("/v1.0").replace("127.0.0.1", "localhost")
        self.port = int(self.address.rsplit(":", 1)[1])

    def ask(self, method, path, body=None):
        """What the sandbox answers to a request for one of its own addresses."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, method=method)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def rules(self, **changes):
        self.ask("PATCH", "/sandbox/sign-in", changes)

    def fault(self, text):
        self.ask("POST", "/sandbox/faults", text)

    def decide(self, user_code, decision="approve", account="megan@contoso.com"):
        body = {"decision": decision, "account": account}
        self.ask("POST", f"/sandbox/sign-in/devices/{user_code}", body)

    def graph_get(self, path, token):
        """Status, headers and JSON of a request for Graph."""
        request = urllib.request.Request(self.graph + path)
        request.add_header("Authorization", f"Bearer {token}")
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return answer.status, answer.headers, json.loads(answer.read())


@contextlib.contextmanager
def running(program, *options):
    process = subprocess.Popen(
        [program, "sandbox", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield Sandbox(process)
    finally:
        process.terminate()
        process.wait()


class Certificate:
    """A key and a certificate of our own, good for localhost."""

    def __init__(self, folder):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
        now = datetime.datetime.now(datetime.timezone.utc)
        addresses = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        self.certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName(addresses), critical=False)
            .sign(self.key, hashes.SHA256())
        )
        self.pem = self.certificate.public_bytes(serialization.Encoding.PEM).decode()
        self.key_pem = self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode()
        self.path = os.path.join(folder, "certificate.pem")
        self.key_path = os.path.join(folder, "key.pem")
        for path, text in ((self.path, self.pem), (self.key_path, self.key_pem)):
            with open(path, "w", encoding="ascii") as file:
                file.write(text)


@contextlib.contextmanager
def passing_on(sandbox, context=None, bodies=None):
    """The port of a server that passes everything on to the sandbox, over TLS where there is a context for it.

    What is posted is added to the bodies.
    """

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if bodies is not None:
                bodies.append(body.decode())
            connection = http.client.HTTPConnection("127.0.0.1", sandbox.port)
            headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
            if context:
                headers["X-Forwarded-Proto"] = "https"
            connection.request(self.command, self.path, body or None, headers)
            answer = connection.getresponse()
            content = answer.read()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                self.send_header(name, value)
            if answer.getheader("Content-Length") is None:
                self.send_header("Content-Length", "0")
            self.end_headers()
            self.wfile.write(content)
            connection.close()

        do_GET = do_POST = pass_on

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def https(sandbox):
    """The sandbox's address over TLS, and the certificate: msal takes no authority without it."""
    with tempfile.TemporaryDirectory() as folder:
        certificate = Certificate(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.path, certificate.key_path)
        # It counts for more than what a program tells this library to trust.
        os.environ["REQUESTS_CA_BUNDLE"] = certificate.path
        with passing_on(sandbox, context) as port:
            yield f"https://localhost:{port}", certificate
