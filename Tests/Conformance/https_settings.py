"""What the environment and a server may decide about https: proxies, trusted certificates, versions, and nothing else.

    https_settings.py
"""

import contextlib
import os
import socket
import ssl
import tempfile
import threading
import warnings
from pathlib import Path

from checks import check, end
from hostile_answers import Client
from hostile_messages import Answer, head
from hostile_server import Server
from tls import Certificate


class Proxy:
    """Passes connections on (RFC 9110, section 9.3.6), or refuses them with a status."""

    def __init__(self, refusal=None):
        self.asked = []
        self.refusal = refusal
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            threading.Thread(target=self.serve, args=(self.socket.accept()[0],), daemon=True).start()

    def serve(self, client):
        with client, contextlib.suppress(OSError):
            asked = b""
            while not asked.endswith(b"\r\n\r\n"):
                asked += client.recv(4096)
            self.asked.append(asked.decode())
            if self.refusal:
                client.sendall(head(self.refusal, b"Proxy-Authenticate: Basic realm=x", b"Content-Length: 0"))
                return
            host, port = asked.split()[1].decode().rsplit(":", 1)
            with socket.create_connection((host, int(port))) as server:
                client.sendall(b"HTTP/1.1 200 Connected\r\nX-From: proxy\r\n\r\n")
                threading.Thread(target=copy, args=(server, client), daemon=True).start()
                copy(client, server)


def copy(source, target):
    with contextlib.suppress(OSError):
        while part := source.recv(65536):
            target.sendall(part)
        target.shutdown(socket.SHUT_WR)


def ask(certificate, port, headers=None, **environment):
    """The outcome of a request of a client with these variables."""
    client = Client(certificate.path, **environment)
    outcome = client.send(f"https://localhost:{port}/", method="POST", effect="once", body="x", headers=headers or {})
    client.process.stdin.close()
    client.process.wait()
    return outcome


def proxies(certificate, server, requests):
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        proxy = Proxy()
        outcome = ask(certificate, server.port, {"Authorization": "Bearer secret"}, **{name: proxy.address})
        check(f"{name}: it is answered", outcome.get("status") == 200, outcome)
        check(f"{name}: through the proxy", len(proxy.asked) == 1, proxy.asked)
        check(f"{name}: which sees no token", "secret" not in "".join(proxy.asked), proxy.asked)
        check(f"{name}: which the server does", b"Bearer secret" in requests[-1], requests[-1])
        for other in ("NO_PROXY", "no_proxy"):
            proxy = Proxy()
            outcome = ask(certificate, server.port, **{name: proxy.address, other: "contoso.com,localhost"})
            check(f"{name} with {other}: not through it", outcome.get("status") == 200 and not proxy.asked, outcome)
    for refusal in (b"403 Forbidden", b"407 Proxy Authentication Required"):
        count = len(requests)
        outcome = ask(certificate, server.port, HTTPS_PROXY=Proxy(refusal).address)
        is_right = outcome.get("phase") == "notSent" and outcome.get("reason") == "cannotConnect"
        check(f"a proxy that refuses with {refusal}", is_right and len(requests) == count, outcome)
    outcome = ask(certificate, server.port, HTTPS_PROXY="http://127.0.0.1:1")
    check("no proxy", outcome.get("phase") == "notSent", outcome)


def home(certificate, server, requests, folder):
    """Files in a home folder, which curl would read."""
    Path(folder, ".netrc").write_text("machine localhost login alice password secret\n")
    Path(folder, ".curlrc").write_text('header = "X-From: curlrc"\nuser = "alice:secret"\n')
    outcome = ask(certificate, server.port, HOME=folder)
    check("a home: it is answered", outcome.get("status") == 200, outcome)
    check("a home: nothing of it is sent", not {b"authorization", b"curlrc"} & set(requests[-1].lower().split()), requests)
    check("a home: no credential", b"authorization" not in requests[-1].lower(), requests[-1])


def versions(certificate):
    for version, is_accepted in ((ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True),
                                 (ssl.TLSVersion.TLSv1_3, True)):  # fmt: skip
        context = certificate.context()
        context.minimum_version = context.maximum_version = version
        context.set_ciphers("ALL:@SECLEVEL=0")
        server = Server(lambda _: Answer("", [head(b"200 OK", b"Content-Length: 0")]), context)
        outcome = ask(certificate, server.port)
        is_right = outcome.get("status") == 200 if is_accepted else outcome.get("phase") == "notSent"
        check(f"{version.name}", is_right, outcome)


def trust(certificate, server, folder):
    """The trusted certificates are those of the file, and a file that cannot be read trusts none."""
    Path(folder, "empty.pem").write_text("")
    for path in ("/nowhere/x.pem", f"{folder}/empty.pem"):
        outcome = ask(certificate, server.port, SSL_CERT_FILE=path)
        is_right = outcome.get("phase") == "notSent" and outcome.get("reason") == "untrustedCertificate"
        check(f"trusted certificates at {os.path.basename(path)}", is_right, outcome)


def main():
    requests = []
    # TLS 1.1 is offered on purpose.
    warnings.simplefilter("ignore", DeprecationWarning)

    def respond(request):
        requests.append(request["head"])
        return Answer("", [head(b"200 OK", b"Set-Cookie: a=b", b"Content-Length: 2") + b"ok"])

    with tempfile.TemporaryDirectory() as folder:
        certificate = Certificate(folder)
        server = Server(respond, certificate.context())
        proxies(certificate, server, requests)
        home(certificate, server, requests, folder)
        trust(certificate, server, folder)
        versions(certificate)
        client = Client(certificate.path)
        for _ in range(2):
            client.send(f"https://localhost:{server.port}/")
        check("no cookie is kept", b"cookie" not in requests[-1].lower(), requests[-1])
    end("settings of https")


if __name__ == "__main__":
    main()
