"""Servers on loopback that use TLS with our own certificates, which clients of the real services require."""

import contextlib
import datetime
import http.client
import http.server
import ipaddress
import logging
import os
import ssl
import tempfile
import threading
import warnings

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa


class Certificate:
    """A key and our own certificate, by default for localhost and valid from yesterday to tomorrow."""

    def __init__(self, folder, names=("localhost",), addresses=("127.0.0.1",), days=(-1, 1)):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, names[0])])
        now = datetime.datetime.now(datetime.timezone.utc)
        hosts = [*map(x509.DNSName, names), *(x509.IPAddress(ipaddress.ip_address(address)) for address in addresses)]
        self.certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + datetime.timedelta(days=days[0]))
            .not_valid_after(now + datetime.timedelta(days=days[1]))
            .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
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

    def context(self):
        """The TLS context of a server with it."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path, self.key_path)
        return context


@contextlib.contextmanager
def passing_on(sandbox, context=None, bodies=None):
    """The port of a server that forwards everything to the sandbox, over TLS if there is a context.

    Posted bodies are added to `bodies`.
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

        do_GET = do_POST = do_PUT = pass_on

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
    """The sandbox's address over TLS, and the certificate: msal accepts no authority without TLS."""
    with tempfile.TemporaryDirectory() as folder:
        certificate = Certificate(folder)
        # msal logs every request, and apparent mistakes, which are made on purpose here.
        logging.disable(logging.CRITICAL)
        warnings.simplefilter("ignore")
        # It takes precedence over the program's own setting.
        os.environ["REQUESTS_CA_BUNDLE"] = certificate.path
        with passing_on(sandbox, certificate.context()) as port:
            yield f"https://localhost:{port}", certificate
