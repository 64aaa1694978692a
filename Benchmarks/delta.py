"""Times delta queries of the sandbox over 10,000 mails and 10,000 files, and a hundred queries that find nothing.

    python3 Benchmarks/delta.py PROGRAM [COUNT]

What is printed is seconds.
"""
import http.client, json, os, pathlib, sys, time, urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests/Conformance"))

import sandbox as sandboxes


class Client:
    """One connection to the sandbox, as the signed-in user."""

    def __init__(self, sandbox):
        self.connection = http.client.HTTPConnection("127.0.0.1", sandbox.port)

    def send(self, method, path, body=None, **headers):
        data = None if body is None else json.dumps(body)
        self.connection.request(
            method, path, data, {"Authorization": "Bearer token", "Content-Type": "application/json", **headers})
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {content[:300]}")
        return json.loads(content) if content else {}

    def round(self, path):
        """How many items a round of delta queries has, and the address of the next round."""
        count = 0
        while True:
            page = self.send("GET", path, Prefer="odata.maxpagesize=1000")
            count += len(page["value"])
            address = page.get("@odata.nextLink") or page["@odata.deltaLink"]
            path = urllib.parse.urlsplit(address)._replace(scheme="", netloc="").geturl()
            if "@odata.deltaLink" in page:
                return count, path

    def measure(self, name, path, count):
        start = time.monotonic()
        found, path = self.round(path)
        seconds, start = time.monotonic() - start, time.monotonic()
        if found < count:
            raise SystemExit(f"{name}: {found} of {count}")
        if any(self.round(path)[0] for _ in range(100)):
            raise SystemExit(f"{name}: a round without changes has some")
        print(f"{found:,} {name}: {seconds:.2f} s; a hundred rounds without changes: {time.monotonic() - start:.2f} s")


def main():
    program, count = os.path.abspath(sys.argv[1]), int((sys.argv[2:] or ["10000"])[0])
    with sandboxes.running(program) as sandbox:
        client = Client(sandbox)
        for number in range(count):
            client.send("POST", "/v1.0/me/mailFolders/inbox/messages", {"subject": str(number)})
        client.measure("mails", "/v1.0/me/mailFolders/inbox/messages/delta", count)
        for number in range(100):
            client.send("PUT", f"/v1.0/me/drive/root:/a/{number}.txt:/content", {})
        folder = client.send("GET", "/v1.0/me/drive/root:/a")["id"]
        for number in range(count // 100):
            client.send("POST", f"/v1.0/me/drive/items/{folder}/copy", {"name": f"b{number}"})
        client.measure("files", "/v1.0/me/drive/root/delta?$top=1000", count)


main()
