"""The sandbox's own https: clients that take nothing else, and clients that do not keep to the protocol.

    ./environment sandbox_tls.py GRAPHFLOW

msal signs in and requests, curl and graphflow ask, with nothing between them and the sandbox.
"""

import concurrent.futures
import json
import os
import random
import socket
import ssl
import struct
import subprocess
import tempfile
import time

import certifi
import msal
import requests

import sandbox as sandboxes
from checks import check, end


def connected(sandbox):
    return socket.create_connection(("127.0.0.1", sandbox.port), timeout=30)


def hello():
    """The first message of a client, taken from OpenSSL."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def versions(sandbox, path):
    def spoken(version):
        context = ssl.create_default_context(cafile=path)
        context.minimum_version = context.maximum_version = version
        with connected(sandbox) as plain, context.wrap_socket(plain, server_hostname="localhost") as secure:
            return secure.version()

    check("TLS 1.3", spoken(ssl.TLSVersion.TLSv1_3) == "TLSv1.3")
    check("TLS 1.2", spoken(ssl.TLSVersion.TLSv1_2) == "TLSv1.2")
    context = ssl.create_default_context(cafile=path)
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    with connected(sandbox) as plain, context.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
        certificate = secure.getpeercert()
    names = sorted(certificate["subjectAltName"])
    check("the names of this machine only", [name for _, name in names] == ["localhost", "0:0:0:0:0:0:0:1", "127.0.0.1"], names)
    until = ssl.cert_time_to_seconds(certificate["notAfter"]) - time.time()
    check("good for a week", 6 * 86_400 < until < 8 * 86_400, until)


def clients(program, sandbox, path):
    app = msal.PublicClientApplication(
        sandboxes.CLIENT, authority=f"{sandbox.address}/common", verify=path, instance_discovery=False)
    result = app.acquire_token_by_device_flow(app.initiate_device_flow(["User.Read", "Files.ReadWrite"]))
    check("msal", "access_token" in result, result)
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {result['access_token']}"
    check("requests", session.get(f"{sandbox.graph}/me", timeout=30).json()["displayName"] == "Megan Bowen")
    content = os.urandom(30_000_000)
    address = f"{sandbox.graph}/me/drive/root:/large.bin:/content"
    answer = session.put(address, data=content, timeout=60)
    check("30 MB are uploaded", answer.status_code == 201, answer.text)
    check("and downloaded", session.get(address, timeout=60).content == content)
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        codes = list(pool.map(
            lambda _: requests.get(f"{sandbox.graph}/me", headers=session.headers, timeout=60).status_code,
            range(200)))
    check("200 requests of 40 clients", codes == [200] * 200, codes)
    try:
        requests.get(f"{sandbox.graph}/me", verify=certifi.where(), timeout=30)
        check("a client that does not know the certificate", False)
    except requests.exceptions.SSLError:
        check("a client that does not know the certificate", True)
    environment = sandbox.environment(SSL_CERT_FILE=path)
    sample = os.path.join(os.path.dirname(__file__), "../../workflows/share-profile-photo.yaml")
    run = subprocess.run([program, "run", sample], env=environment, capture_output=True, text=True, check=False)
    check("graphflow", run.returncode == 0 and json.loads(run.stdout)["webUrl"].startswith("https://"), run.stderr)
    del environment["SSL_CERT_FILE"]
    run = subprocess.run([program, "whoami"], env=environment, capture_output=True, text=True, check=False)
    check("graphflow without the certificate", run.returncode != 0 and "certificate" in run.stderr, run.stderr)


def faults(sandbox):
    def outcome(fault):
        sandbox_fault = requests.post(f"{sandbox.origin}/sandbox/faults", json=fault, timeout=30)
        assert sandbox_fault.ok, sandbox_fault.text
        try:
            return requests.get(f"{sandbox.graph}/me", headers={"Authorization": "Bearer x"}, timeout=30).json()
        except (requests.exceptions.RequestException, ValueError) as error:
            return type(error).__name__

    for fault, names in [("drop", {"ConnectionError"}), ("reset", {"ConnectionError"}),
                         ("truncate", {"ConnectionError", "ChunkedEncodingError", "JSONDecodeError"})]:
        found = outcome(f"GET /me {fault}")
        check(f"the fault '{fault}'", found in names, found)


def hostile(sandbox, path, seed=1):
    """Bytes that are not TLS, parts of a handshake, connections that end anywhere; the sandbox goes on."""
    source, first = random.Random(seed), hello()
    silent = [connected(sandbox) for _ in range(20)]
    for number in range(300):
        with connected(sandbox) as client:
            client.settimeout(5)
            sent = bytearray(first[: source.randrange(len(first) + 1)]) if number % 3 else bytearray(source.randbytes(source.randrange(3000)))
            if number % 3 == 1 and sent:
                sent[source.randrange(len(sent))] ^= 1 << source.randrange(8)
            try:
                client.sendall(sent)
                if number % 2:
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(4096):
                        pass
                elif number % 4:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            except OSError:
                pass
    context = ssl.create_default_context(cafile=path)
    for _ in range(50):
        # Ends in the middle of a request, without saying so.
        with connected(sandbox) as plain:
            secure = context.wrap_socket(plain, server_hostname="localhost")
            secure.sendall(b"POST /v1.0/me/sendMail HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            os.close(secure.detach())
    answer = requests.get(f"{sandbox.graph}/me", headers={"Authorization": "Bearer x"}, timeout=30)
    check("it goes on after all of them", answer.status_code == 200, answer.text)
    check("no mail was sent", requests.get(f"{sandbox.origin}/sandbox/outbox", timeout=30).text.count('"id"') <= 1)
    for client in silent:
        client.close()


def main():
    program = sandboxes.program(__doc__)
    with tempfile.TemporaryDirectory() as home:
        os.environ["GRAPHFLOW_HOME"] = home
        with sandboxes.running(program, "--tls", "--sign-in", "megan@contoso.com") as sandbox:
            path = os.path.join(home, f"sandbox-{sandbox.port}.pem")
            for _ in range(100):
                if os.path.exists(path):
                    break
                time.sleep(0.05)
            os.environ["REQUESTS_CA_BUNDLE"] = path
            check("no key is on disk", "PRIVATE" not in open(path, encoding="ascii").read())
            versions(sandbox, path)
            clients(program, sandbox, path)
            faults(sandbox)
            hostile(sandbox, path)
        check("the certificate goes with the sandbox", not os.path.exists(path))
    end("https of the sandbox")


main()
