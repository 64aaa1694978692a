"""Checks the sandbox against Microsoft's description of Graph: its answers, what it refuses, and what graphflow sends.

    graph_requests.py GRAPHFLOW [--run WORKFLOW]...

Starts `GRAPHFLOW sandbox` on a free port. Runs a workflow of every function, checks every request that arrived, and does
so with each profile for every workflow of --run.
"""

import argparse
import base64
import contextlib
import copy
import json
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from graph_description import Description

HERE = Path(__file__).parent

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
    command = [program, "sandbox", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        line = process.stdout.readline()
        if not line.startswith("http"):
            sys.exit(f"{' '.join(command)} did not start")
        yield line.strip().removesuffix("/v1.0")
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
    is_whole = path.startswith("http")
    request = urllib.request.Request(path if is_whole else address + "/v1.0" + path, data=data, method=method)
    # An address that Graph gave carries its own secret.
    if not is_whole:
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
        method, path.removeprefix(address), got, answer_headers.get("Content-Type", ""), content
    )
    if status < 400:
        is_json = isinstance(body, (dict, list))
        problems += [
            f"the request: {problem}"
            for problem in description.request_problems(
                method, path.removeprefix(address), content_type, body if is_json else None
            )
            if is_json or body is None
        ]
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
        upload(address, owner, drive["id"])
        mailbox(address, owner)
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
    expect(address, 200, "GET", "/users/$count", ConsistencyLevel="eventual")
    expect(address, 400, "GET", "/users?$top=1000")
    expect(address, 400, "GET", "/users?$filter=givenName%20ne%20'x'")
    batch(address)


def content_range(first, last, total):
    return {"Content_Range": f"bytes {first}-{last}/{total}"}


def upload(address, owner, drive):
    """A file in two ranges, with all that can go wrong on the way."""
    unit = 327680
    file = f"root:/folder/large{len(owner)}.bin:"
    for path in (f"{owner}/drive/{file}", f"/drives/{drive}/items/{file}"):
        body = {"item": {"@microsoft.graph.conflictBehavior": "replace"}}
        # The description has no paths below the items of a drive.
        if path.startswith("/drives"):
            session = json.loads(send(address, "POST", path + "/createUploadSession", body)[2])
        else:
            session = json.loads(expect(address, 200, "POST", path + "/createUploadSession", body))
            expect(address, 400, "POST", path + "/createUploadSession", {"item": {"fileSize": "x"}})
        url = session["uploadUrl"]
        kind = "application/octet-stream"
        expect(address, 200, "GET", url)
        expect(address, 416, "PUT", url, b"x" * unit, kind, **content_range(unit, 2 * unit - 1, 3 * unit))
        expect(address, 202, "PUT", url, b"x" * unit, kind, **content_range(0, unit - 1, unit + 5))
        expect(address, 416, "PUT", url, b"x" * unit, kind, **content_range(0, unit - 1, unit + 5))
        expect(address, 400, "PUT", url, b"x", kind, **content_range(unit, unit + 4, unit + 5))
        expect(address, 401, "GET", url, Authorization="Bearer token")
        final = 200 if path.startswith("/drives") else 201
        expect(address, final, "PUT", url, b"x" * 5, kind, **content_range(unit, unit + 4, unit + 5))
        expect(address, 404, "GET", url)
    session = json.loads(expect(address, 200, "POST", owner + "/drive/root:/other.bin:/createUploadSession"))
    expect(address, 204, "DELETE", session["uploadUrl"])


def mailbox(address, owner):
    """A draft from its making to Sent Items."""
    immutable = {"Prefer": 'IdType="ImmutableId"'}
    written = mail()["message"]
    draft = json.loads(expect(address, 201, "POST", owner + "/messages", written, **immutable))
    path = f"{owner}/messages/{draft['id']}"
    expect(address, 200, "GET", path, **immutable)
    expect(address, 200, "GET", path + "?$select=isDraft,parentFolderId,sentDateTime,internetMessageId")
    expect(address, 200, "PATCH", path, {"subject": "Another", "importance": "high"})
    expect(address, 400, "PATCH", path, {"subject": 5})
    file = {"@odata.type": "#microsoft.graph.fileAttachment", "name": "a.txt", "contentBytes": "aGVsbG8="}
    attachment = json.loads(expect(address, 201, "POST", path + "/attachments", file))
    expect(address, 200, "GET", path + "/attachments")
    expect(address, 200, "GET", f"{path}/attachments/{attachment['id']}")
    expect(address, 200, "GET", f"{path}/attachments/{attachment['id']}/$value")
    expect(address, 204, "DELETE", f"{path}/attachments/{attachment['id']}")
    size = 4 << 20
    item = {"attachmentType": "file", "name": "large.bin", "size": size, "contentType": "image/png"}
    opened = path + "/attachments/createUploadSession"
    expect(address, 400, "POST", opened, {"AttachmentItem": dict(item, size=5)})
    expect(address, 400, "POST", opened, {"AttachmentItem": dict(item, attachmentType="folder")})
    url = json.loads(expect(address, 201, "POST", opened, {"AttachmentItem": item}))["uploadUrl"]
    half, kind = size // 2, "application/octet-stream"
    expect(address, 200, "PUT", url, b"x" * half, kind, **content_range(0, half - 1, size))
    expect(address, 416, "PUT", url, b"x" * half, kind, **content_range(0, half - 1, size))
    expect(address, 201, "PUT", url, b"x" * half, kind, **content_range(half, size - 1, size))
    expect(address, 202, "POST", path + "/send")
    sent = json.loads(expect(address, 200, "GET", path, **immutable))
    check(f"sent by {owner}", [] if sent["isDraft"] is False else ["it is a draft still"])
    query = "?$filter=internetMessageId%20eq%20%27" + urllib.parse.quote(draft["internetMessageId"]) + "%27&$top=1"
    found = json.loads(expect(address, 200, "GET", owner + "/mailFolders/sentitems/messages" + query))
    check(f"found by {owner}", [] if len(found["value"]) == 1 else [f"{len(found['value'])} messages"])
    expect(address, 200, "GET", owner + "/messages?$top=2&$select=subject")
    expect(address, 200, "GET", owner + "/mailFolders/drafts")
    mime = base64.b64encode(b"To: adelev@contoso.com\r\nSubject: MIME\r\n\r\nHello\r\n")
    expect(address, 202, "POST", owner + "/sendMail", mime, "text/plain")
    made = json.loads(expect(address, 201, "POST", owner + "/messages", mime, "text/plain"))
    expect(address, 204, "DELETE", f"{owner}/messages/{made['id']}")
    expect(address, 404, "GET", f"{owner}/messages/{made['id']}")
    expect(address, 400, "POST", owner + "/sendMail", b"no MIME", "text/plain")


def batch(address):
    """The answers inside of a batch are as described, too."""
    requests = [
        {"id": "1", "method": "GET", "url": "/me"},
        {"id": "2", "method": "GET", "url": "/users?$top=2"},
        {"id": "3", "method": "GET", "url": "/users/nobody@contoso.com"},
        {"id": "4", "method": "GET", "url": "/me/drive", "dependsOn": ["3"]},
        {
            "id": "5", "method": "POST", "url": "/me/sendMail", "headers": {"Content-Type": "application/json"},
            "body": mail(),
        },
    ]
    answers = json.loads(expect(address, 200, "POST", "/$batch", {"requests": requests}))["responses"]
    statuses = {answer["id"]: answer["status"] for answer in answers}
    check("the statuses of a batch", [] if statuses == {"1": 200, "2": 200, "3": 404, "4": 424, "5": 202} else [statuses])
    for answer in answers:
        request = next(request for request in requests if request["id"] == answer["id"])
        body = json.dumps(answer["body"]).encode() if "body" in answer else b""
        check(
            f"{request['method']} {request['url']} in a batch",
            description.answer_problems(
                request["method"], request["url"], answer["status"], answer["headers"].get("Content-Type", ""), body
            ),
        )
    expect(address, 400, "POST", "/$batch", {"requests": []})
    expect(address, 400, "POST", "/$batch", {"requests": [requests[0], requests[0]]})


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


SESSIONS = [
    {}, {"item": {}}, {"item": None}, {"item": 5}, {"item": {"name": 5}}, {"item": {"fileSize": 1.5}},
    {"item": {"fileSize": 10}}, {"item": {"@microsoft.graph.conflictBehavior": "merge"}},
    {"item": {"@microsoft.graph.conflictBehavior": "rename"}}, {"item": {"description": ["x"]}},
    {"item": {"fileSystemInfo": {"createdDateTime": "soon"}}}, {"deferCommit": True},
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
    cases += [
        ("/me/messages", mutated(mail(), *mutation)["message"])
        for mutation in MUTATIONS
        if mutation[0].startswith("/message/")
    ]
    session = "/me/drive/root:/y.bin:/createUploadSession"
    cases += [(session, body) for body in SESSIONS]
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


def every_function(program):
    """Every function, with all that it takes, sends what is described and gets what it needs."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as data:
        json.dump({"large": "x" * (11 << 20)}, data)
        data.flush()
        workflow(program, str(HERE / "every-function.yaml"), "default", "--input", "@" + data.name, mails=3)


def workflow(program, file, profile, *options, mails=1):
    """Every request that a run sends is as described, and every mail arrives once."""
    expected = [1] * mails
    with sandbox(program, "--profile", profile) as address:
        environment = dict(os.environ, GRAPHFLOW_GRAPH_URL=address + "/v1.0", GRAPHFLOW_ACCESS_TOKEN="token")
        run = subprocess.run([program, "run", file, *options], env=environment, capture_output=True, text=True)
        check(f"run {Path(file).name} ({profile})", [] if run.returncode == 0 else [f"exit {run.returncode}: {run.stderr}"])
        with urllib.request.urlopen(address + "/sandbox/requests") as answer:
            requests = json.load(answer)
        with urllib.request.urlopen(address + "/sandbox/outbox") as answer:
            outbox = json.load(answer)
    deliveries = [mail["deliveries"] for mail in outbox]
    check(f"one of each mail ({profile})", [] if deliveries == expected else [f"deliveries: {deliveries}"])
    for request in requests:
        body = request["body"]
        if request["path"].startswith("/v1.0/$batch"):
            for item in body["requests"]:
                problems = description.request_problems(
                    item["method"], item["url"], item.get("headers", {}).get("Content-Type", ""), item.get("body")
                )
                check(f"{item['method']} {item['url']} in a batch ({profile})", problems)
        is_bytes = isinstance(body, dict) and set(body) == {"base64", "size"}
        headers = {name.lower(): value for name, value in request["headers"].items()}
        problems = description.request_problems(
            request["method"], request["path"], headers.get("content-type", ""), None if is_bytes else body
        )
        if "/uploadSession/" in request["path"]:
            if "authorization" in headers:
                problems.append("the token was sent to the address of an upload session")
        elif headers.get("authorization") != "Bearer ‹token›":
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
    every_function(arguments.program)
    for file in arguments.run:
        for profile in ("default", "no-photo", "throttled", "flaky"):
            workflow(arguments.program, file, profile)
    print(f"graph: {passed} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
