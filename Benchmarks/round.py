"""Times a round of many changes: from the first question to events that are safe in the inbox of `graphflow serve`.

    python3 Benchmarks/round.py GRAPHFLOW [COUNT]

A server in this process answers with whole mails of 4 kB, 200 on a page, as Microsoft Graph does without `$select`, and
then with five properties of each. What is printed is seconds, and the largest memory, of three tries.
"""

import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

RESOURCE = "/me/mailFolders/inbox/messages"
PAGE = 200
SELECTED = ["subject", "receivedDateTime", "from", "hasAttachments"]


def mail(number):
    person = {"emailAddress": {"name": f"Größe ‹{number}›", "address": f"p{number}@contoso.com"}}
    key = f"{number:08d}"
    moment = "2026-11-02T08:15:30Z"
    return {
        "@odata.etag": f'W/"CQAAABYAAAC{key}"', "id": "AAMkAGI2TAAA" + key * 15 + "=", "createdDateTime": moment,
        "lastModifiedDateTime": moment, "changeKey": f"CQAAABYAAAC{key}", "categories": [],
        "receivedDateTime": moment, "sentDateTime": moment, "hasAttachments": number % 3 == 0,
        "internetMessageId": f"<{key}.{key}@mail.contoso.com>", "subject": f"Rechnung {number} 'für' \"Größe\" 50 %",
        "bodyPreview": "Guten Tag, anbei die Rechnung. " * 8, "importance": "normal", "parentFolderId": "AQMk" + "x" * 100,
        "conversationId": "AAQk" + key * 10, "conversationIndex": "AQHZ" + key * 2, "isDeliveryReceiptRequested": None,
        "isReadReceiptRequested": False, "isRead": False, "isDraft": False,
        "webLink": "https://outlook.office365.com/owa/?ItemID=" + key * 15, "inferenceClassification": "focused",
        "body": {"contentType": "html", "content": "<p>Guten Tag,</p>\r\n<div class=\"x\">anbei</div>\r\n" * 40},
        "sender": person, "from": person, "toRecipients": [person], "ccRecipients": [], "bccRecipients": [],
        "replyTo": [], "flag": {"flagStatus": "notFlagged"},
    }


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, pages):
        super().__init__(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server_address[1]}/v1.0"
        self.pages = [self.page(items, number, len(pages)) for number, items in enumerate(pages, start=1)]
        self.quiet = self.page([], 1, 1)
        self.asked = self.begun = None
        self.rounds = 0

    def page(self, items, number, count):
        address = f"{self.origin}{RESOURCE}/delta?$deltatoken="
        link = {"@odata.nextLink": f"{address}p{number}"} if number < count else {"@odata.deltaLink": f"{address}end"}
        return json.dumps({"value": items, **link}).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        token = self.path.partition("deltatoken=")[2]
        if re.fullmatch(r"p\d+", token):
            answer = server.pages[int(token[1:])]
        elif token == "end":
            # The first round and its confirmation have seen nothing; then all changes come at once.
            server.rounds += 1
            answer = server.pages[0] if server.rounds == 2 else server.quiet
            if server.rounds == 2:
                server.begun = time.monotonic()
        else:
            answer = server.quiet
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def delivered(file):
    """Whether the inbox has all events of the round of changes, which the file notes, or shows by leaving them out."""
    with open(file, "rb") as content:
        content.seek(max(0, file.stat().st_size - 400))
        end = content.read()
    return b'{"delivered":true' in end or b'"round":2' in end and b'{"event":' not in file.read_bytes()


def measure(graphflow, pages, select):
    server = Server(pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    count = sum(map(len, pages))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source = {"resource": RESOURCE, "every": "PT5S", "maximum": count, **({"select": select} if select else {})}
        (folder / "workflow.yaml").write_text(
            "document: { dsl: 1.0.3, namespace: tests, name: round, version: 1.0.0, "
            f"metadata: {{ changes: [{json.dumps(source)}] }} }}\n"
            "schedule: { on: { one: { with: { type: other } } } }\ndo: [a: { set: { b: 1 } }]\n")
        environment = {
            **os.environ, "GRAPHFLOW_HOME": str(folder / "home"), "GRAPHFLOW_GRAPH_URL": server.origin,
            "GRAPHFLOW_ACCESS_TOKEN": "token"}
        with open(folder / "log", "wb") as log:
            process = subprocess.Popen(
                [graphflow, "serve", folder / "workflow.yaml"], stdout=subprocess.DEVNULL, stderr=log, env=environment)
        try:
            while not any(delivered(file) for file in folder.glob("home/changes/*/changes.jsonl")):
                assert process.poll() is None, (folder / "log").read_text()
                time.sleep(0.05)
            took = time.monotonic() - server.begun
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            return took, cpu, int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024
        finally:
            process.kill()
            process.wait()
            server.shutdown()
            server.server_close()


def main():
    graphflow, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    mails = [mail(number) for number in range(count)]
    known = {"@odata.etag", "id", *SELECTED}
    small = [{name: value for name, value in each.items() if name in known} for each in mails]
    for what, items, select in (("whole mails", mails, []), ("five properties", small, SELECTED)):
        size = sum(len(json.dumps(item)) for item in items) / len(items) / 1000
        pages = [items[start:start + PAGE] for start in range(0, count, PAGE)]
        for _ in range(3):
            took, cpu, memory = measure(graphflow, pages, select)
            print(f"{count} {what} of {size:.1f} kB: {took:.2f} s, {cpu:.2f} s of CPU, {memory} MB", flush=True)


if __name__ == "__main__":
    main()
