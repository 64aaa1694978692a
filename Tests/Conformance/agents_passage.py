"""A passage to the sandbox that notes which token each request carries, which the sandbox does not tell."""

import contextlib
import http.server
import threading
import urllib.error
import urllib.request


@contextlib.contextmanager
def passage(sandbox):
    """The address of Graph behind it, and the method and the token of each request."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            seen.append((self.command, (self.headers.get("Authorization") or "").removeprefix("Bearer ")))
            kept = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection", "content-length")}
            request = urllib.request.Request(sandbox.origin + self.path, data=body or None, method=self.command, headers=kept)
            try:
                answer = urllib.request.urlopen(request, timeout=30)
            except urllib.error.HTTPError as error:
                answer = error
            with answer:
                content = answer.read()
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    if name.lower() not in ("content-length", "connection", "transfer-encoding", "date", "server"):
                        self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on

        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1.0", seen
    finally:
        server.shutdown()
