"""Leads programs that know only Microsoft's addresses to a sandbox: a proxy that ends TLS for those hosts.

`with running(sandbox, folder) as variables` gives the environment for a program that obeys HTTPS_PROXY and SSL_CERT_FILE.
"""

import asyncio
import contextlib
import os
import pathlib
import ssl
import subprocess
import threading

HOSTS = ["graph.microsoft.com", "login.microsoftonline.com"]


def certificate(folder):
    """A certificate for the hosts, of an authority made for it; the paths of the authority and of the server's files."""
    folder = pathlib.Path(folder)

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, cwd=folder, capture_output=True)

    key = ["-newkey", "rsa:2048", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Tests")
    openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=graph.microsoft.com")
    (folder / "names").write_text("subjectAltName=" + ",".join(f"DNS:{host}" for host in HOSTS))
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-out", "server.pem", "-days", "2", "-extfile", "names")
    return folder / "ca.pem", folder / "server.pem", folder / "server.key"


async def relay(reader, writer, names=None):
    """Passes bytes on; of a request with the name that the sandbox has, which it checks."""
    with contextlib.suppress(OSError, ssl.SSLError):
        while data := await reader.read(1 << 16):
            # A request comes after the response to the one before, so that its head begins what is read.
            writer.write(data.replace(*names, 1) if names else data)
            await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        writer.close()


class Proxy:
    def __init__(self, port, context, trusted):
        self.sandbox = port
        self.context = context
        self.trusted = trusted
        self.loop = asyncio.new_event_loop()
        self.server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0))
        self.port = self.server.sockets[0].getsockname()[1]
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    async def serve(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        host = head.split()[1].decode().rsplit(":", 1)[0]
        is_own = head.split()[1].decode() == f"127.0.0.1:{self.sandbox}"
        if not head.startswith(b"CONNECT ") or host not in HOSTS and not is_own:
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            writer.close()
            return
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            if not is_own:
                await writer.start_tls(self.context)
            there, back = await asyncio.open_connection(
                "127.0.0.1", self.sandbox, ssl=None if is_own else self.trusted)
        except (OSError, ssl.SSLError):
            writer.close()
            return
        names = f"\r\nHost: {host}\r\n".encode(), f"\r\nHost: 127.0.0.1:{self.sandbox}\r\n".encode()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(relay(reader, back, names), relay(there, writer))

    async def cancel(self):
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def stop(self):
        asyncio.run_coroutine_threadsafe(self.cancel(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()


@contextlib.contextmanager
def running(sandbox, folder, own=None):
    """The environment of a program; `own` is the certificate of a sandbox with https of its own."""
    authority, chain, key = certificate(folder)
    trusted = None
    if own:
        trusted = ssl.create_default_context(cafile=own)
        with open(authority, "a") as file:
            file.write(pathlib.Path(own).read_text())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    proxy = Proxy(sandbox.port, context, trusted)
    try:
        variables = {"HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}", "NO_PROXY": "127.0.0.1,localhost"}
        # Programs prefer one or the other spelling, and not all of them obey the second.
        variables.update({name.lower(): value for name, value in variables.items()})
        yield {**os.environ, **variables, "SSL_CERT_FILE": str(authority), "REQUESTS_CA_BUNDLE": str(authority)}
    finally:
        proxy.stop()
