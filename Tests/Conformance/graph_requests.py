"""Checks the sandbox against Microsoft's description of Graph: its answers, what it refuses, and what graphflow sends.

    graph_requests.py GRAPHFLOW [--run WORKFLOW]...

Starts `GRAPHFLOW sandbox` on a free port. With --run, runs the workflow against it with each profile and checks every
request that arrived.
"""

import argparse
import contextlib
import copy
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

from graph_description import Description

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452")
description = Description()
failures = []
passed = 0


def check(name, problems):
    global passed
    if problems:
        failures.append(name)
        print(f"FAILED {name}")
        for problem in problems:
            print(f"       {problem}")
    else:
        passed += 1


@contextlib.contextmanager
def sandbox(program, *options):
    """The address of a sandbox that runs as a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [program, "sandbox", "--port", str(port), *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(address + "/sandbox/requests").close()
                break
            except urllib.error.URLError:
                if process.poll() is not None:
                    sys.exit(f"{program} sandbox ended with {process.returncode}")
                time.sleep(0.05)
        else:
            sys.exit("the sandbox does not answer")
        yield address
    finally:
        process.terminate()
        process.wait()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)


def send(address, method, path, body=None, content_type="application/json", **headers):
    """Sends a request and gives status, headers and body; checks the answer by the way."""
    data = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
    request = urllib.request.Request(address + "/v1.0" + path, data=data, method=method)
    request.add_header("Authorization", "Bearer token")
    if data is not None:
        request.add_header("Content-Type", content_type)
    for name, value in headers.items():
        request.add_header(name.replace("_", "-"), value)
    try:
        answer = opener.open(request)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.status, answer.headers, answer.read()


def expect(address, status, method, path, body=None, content_type="application/json", **headers):
    """Sends a request whose answer must have that status and be as described."""
    got, answer_headers, content = send(address, method, path, body, content_type, **headers)
    problems = [] if got == status else [f"the status is {got}: {content[:200]}"]
    problems += description.answer_problems(
        method, path, got, answer_headers.get("Content-Type", ""), content
    )
    for name in ("request-id", "client-request-id", "Date"):
        if not answer_headers.get(name):
            problems.append(f"the header {name} is missing")
    check(f"{method} {path} {status}", problems)
    return content


def mail(**changes):
    message = {
        "subject": "My photo",
        "body": {"contentType": "html", "content": "<p>Hello</p>"},
        "toRecipients": [{"emailAddress": {"address": "megan@contoso.com", "name": "Megan Bowen"}}],
        "attachments": [
            {
                "@odata.type": "#microsoft.graph.fileAttachment",
                "name": "me.png",
                "contentType": "image/png",
                "contentBytes": "iVBORw0KGgo=",
            }
        ],
    }
    message.update(changes)
    return {"message": message, "saveToSentItems": False}


def answers(address):
    """Every operation that the sandbox plays answers as described, well and badly."""
    for owner in ("/me", "/users/megan@contoso.com", "/users/48d31887-5fad-4d73-a9f5-3c356e68a038"):
        expect(address, 200, "GET", owner)
        expect(address, 200, "GET", owner + "?$select=id,mail")
        expect(address, 400, "GET", owner + "?$select=nothing")
        expect(address, 200, "GET", owner + "/photo")
        expect(address, 200, "GET", owner + "/photo/$value")
        expect(address, 200, "GET", owner + "/photos")
        expect(address, 200, "GET", owner + "/photos/48x48")
        expect(address, 200, "GET", owner + "/photos/48x48/$value")
        drive = json.loads(expect(address, 200, "GET", owner + "/drive"))
        content = owner + "/drive/root:/folder/me.png:/content"
        item = json.loads(expect(address, 201, "PUT", content, PNG, "image/png"))
        expect(address, 200, "PUT", content, PNG, "image/png")
        expect(address, 409, "PUT", content + "?@microsoft.graph.conflictBehavior=fail", PNG, "image/png")
        renamed = expect(address, 201, "PUT", content + "?@microsoft.graph.conflictBehavior=rename", PNG, "image/png")
        expect(address, 412, "PUT", content, PNG, "image/png", If_Match='"other"')
        expect(address, 302, "GET", content)
        expect(address, 200, "GET", owner + "/drive/root:/folder/me.png")
        expect(address, 404, "GET", owner + "/drive/root:/folder/none.png")
        for items in (owner + "/drive/items/", f"/drives/{drive['id']}/items/"):
            expect(address, 200, "GET", items + item["id"])
            expect(address, 302, "GET", items + item["id"] + "/content")
            expect(address, 200, "PUT", items + item["id"] + "/content", PNG, "image/png")
            expect(address, 404, "POST", items + "none/createLink", {"type": "view"})
        for body, status in (({"type": "view"}, 201), ({"type": "view"}, 200), ({"type": "edit", "scope": "anonymous"}, 201)):
            expect(address, status, "POST", owner + "/drive/items/" + item["id"] + "/createLink", body)
        expect(address, 204, "DELETE", owner + "/drive/items/" + json.loads(renamed)["id"])
        expect(address, 204, "DELETE", owner + "/drive/items/" + item["id"])
        expect(address, 202, "POST", owner + "/sendMail", mail())
        expect(address, 202, "POST", owner + "/microsoft.graph.sendMail", mail())
    expect(address, 404, "GET", "/users/nobody@contoso.com")
    expect(address, 404, "GET", "/users/alexw@contoso.com/photo/$value")
    expect(address, 200, "GET", "/drives/" + drive["id"] + "/root")
    for query in ("", "?$top=2", "?$filter=startswith(displayName,'A')", "?$select=mail"):
        expect(address, 200, "GET", "/users" + query)
    expect(address, 200, "GET", "/users?$search=%22displayName:al%22&$count=true", ConsistencyLevel="eventual")
    expect(address, 400, "GET", "/users?$top=1000")


MUTATIONS = [
    ("/message", None), ("/message", "text"), ("/message", []), ("/message/subject", 5), ("/message/subject", None),
    ("/message/body", None), ("/message/body", "text"), ("/message/body/contentType", "rtf"),
    ("/message/body/contentType", 1), ("/message/body/content", ["x"]), ("/message/importance", "urgent"),
    ("/message/importance", "low"), ("/message/importance", None), ("/message/toRecipients", "a@b.example"),
    ("/message/toRecipients/0", "a@b.example"), ("/message/toRecipients/0/emailAddress/name", 7),
    ("/message/toRecipients/0/emailAddress/name", None), ("/message/attachments", {}),
    ("/message/attachments/0/@odata.type", "#microsoft.graph.other"), ("/message/attachments/0/contentType", 5),
    ("/message/attachments/0/isInline", "yes"), ("/message/attachments/0/size", "8"),
    ("/message/attachments/0/contentId", "image1"), ("/message/flag", {"flagStatus": "raised"}),
    ("/message/flag", {"flagStatus": "flagged"}), ("/message/internetMessageHeaders", [{"name": 1}]),
    ("/message/internetMessageHeaders", [{"name": "x-run", "value": "1"}]), ("/message/categories", [1]),
    ("/message/isRead", "true"), ("/message/receivedDateTime", "yesterday"),
    ("/message/receivedDateTime", "2026-01-01T00:00:00Z"), ("/message/replyTo", [{"emailAddress": None}]),
    ("/saveToSentItems", "maybe"), ("/saveToSentItems", None), ("/saveToSentItems", 1),
]
LINKS = [
    {}, {"type": "view"}, {"type": 1}, {"type": None}, {"scope": ["x"]}, {"expirationDateTime": "soon"},
    {"expirationDateTime": "2030-01-01T00:00:00Z"}, {"password": 5}, {"password": "secret"}, {"message": 3},
    {"recipients": {}}, {"recipients": [{"email": "megan@contoso.com"}]}, {"recipients": [{"email": 1}]},
    {"retainInheritedPermissions": "yes"}, {"sendNotification": True},
]


def mutated(body, pointer, value):
    body = copy.deepcopy(body)
    *names, last = pointer.removeprefix("/").split("/")
    target = body
    for name in names:
        target = target[int(name)] if isinstance(target, list) else target[name]
    target[int(last) if isinstance(target, list) else last] = value
    return body


def refusals(address):
    """The sandbox refuses just the bodies that another validator refuses by the whole description."""
    item = json.loads(send(address, "PUT", "/me/drive/root:/x.png:/content", PNG, "image/png")[2])
    link = f"/me/drive/items/{item['id']}/createLink"
    cases = [("/me/sendMail", mutated(mail(), *mutation)) for mutation in MUTATIONS]
    cases += [(link, body) for body in LINKS]
    for path, body in cases:
        problems = description.request_problems("POST", path, "application/json", body)
        status, _, content = send(address, "POST", path, body)
        wrong = (status == 400) != bool(problems)
        check(
            f"POST {path.split('/')[-1]} {json.dumps(body)[:300]}",
            [f"the sandbox answers {status} {content[:200]}, the description says {problems or 'it is right'}"]
            if wrong else [],
        )


def workflow(program, file, profile):
    """Every request that a run sends is as described, and one mail arrives."""
    with sandbox(program, "--profile", profile) as address:
        environment = dict(os.environ, GRAPHFLOW_GRAPH_URL=address + "/v1.0", GRAPHFLOW_ACCESS_TOKEN="token")
        run = subprocess.run([program, "run", file], env=environment, capture_output=True, text=True)
        check(f"run {file} ({profile})", [] if run.returncode == 0 else [f"exit {run.returncode}: {run.stderr}"])
        with urllib.request.urlopen(address + "/sandbox/requests") as answer:
            requests = json.load(answer)
        with urllib.request.urlopen(address + "/sandbox/outbox") as answer:
            mails = json.load(answer)
    check(f"one mail ({profile})", [] if [m["deliveries"] for m in mails] == [1] else [f"{len(mails)} mails"])
    for request in requests:
        body = request["body"]
        is_bytes = isinstance(body, dict) and set(body) == {"base64", "size"}
        headers = {name.lower(): value for name, value in request["headers"].items()}
        problems = description.request_problems(
            request["method"], request["path"], headers.get("content-type", ""), None if is_bytes else body
        )
        if headers.get("authorization") != "Bearer ‹token›":
            problems.append("the token is missing or not redacted")
        check(f"{request['method']} {request['path']} ({profile})", problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--run", action="append", default=[], metavar="WORKFLOW")
    arguments = parser.parse_args()
    with sandbox(arguments.program) as address:
        answers(address)
        refusals(address)
    for file in arguments.run:
        for profile in ("default", "no-photo", "throttled", "flaky"):
            workflow(arguments.program, file, profile)
    print(f"graph: {passed} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
