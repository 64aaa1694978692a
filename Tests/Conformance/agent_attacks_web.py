"""Attacks over HTTP: pages of other origins, tokens, methods, header fields that differ from the message; the approval's page."""

import base64
import html
import json
import os
import re
import socket
import time
import urllib.parse

import requests

from agent_client import message, meta
from agent_office import OTHER_ID, URL, agents, quiet
from agent_attacks_runs import raw
from approval_desk import LYNNE, MEGAN
from approval_office import wait_for
from checks import check

TOKEN = "a-token-of-an-agent-1234567890"


def is_answered(answer):
    """Whether a request over HTTP got what only a message gets."""
    return answer is not None and b'"result"' in answer[2]


def web(program):
    with agents(program, "web") as here:
        server = here.server(http=True)
        plan = here.plan(server)
        here.approve(plan)
        call = message(1, "tools/call", {"name": "run_plan", "arguments": {"planId": plan}})
        port = server.port

        def tried(name, allowed=(400, 403, 404, 405, 406, 415), content=call, to=None, **more):
            answer = quiet((to or server).post, content, **more)
            status = answer[0] if answer else "the connection is closed"
            here.holds(name, not is_answered(answer) and (answer is None or status in allowed), status, repr(answer)[:500])

        for origin in (
            "https://evil.example", "null", f"http://127.0.0.1:{port + 1}", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port}.evil.example",
            f"http://localhost.evil.example:{port}", f"http://evil.example@127.0.0.1:{port}", "http://[::1]", "", "file://", f"http://127.0.0.1:{port}/",
        ):  # fmt: skip
            tried(f"Origin: {origin}", fields={"Origin": origin})
        tried("two Origins", fields={"Origin": [f"http://127.0.0.1:{port}", "https://evil.example"]})
        tried("two Origins, the other first", fields={"Origin": ["https://evil.example", f"http://127.0.0.1:{port}"]})
        for host in (
            "evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", f"localhost.evil.example:{port}", "169.254.169.254",
            f"127.0.0.1:{port}@evil.example", f"0x7f000001.evil:{port}", f"127.0.0.1:{port}, evil.example", "", f"evil.example#127.0.0.1:{port}",
        ):  # fmt: skip
            tried(f"Host: {host}", fields={"Host": host})
        tried("a rebound name", fields={"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"})
        tried("two Hosts", fields={"Host": [f"127.0.0.1:{port}", "evil.example"]})
        tried("two Hosts, the other first", fields={"Host": ["evil.example", f"127.0.0.1:{port}"]})
        tried("no Host", fields={"Host": None})
        for method in ("GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "post", "POST\t", "CONNECT"):
            tried(f"the method {method!r}", (400, 404, 405, 501), method=method)
        tried("another method in a field", method="GET", fields={"X-HTTP-Method-Override": "POST"})
        for type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", None, "text/plain; application/json", "application/jsonp"):
            tried(f"Content-Type: {type}", fields={"Content-Type": type})
        tried("two content types", fields={"Content-Type": ["text/plain", "application/json"]})
        for path in ("/", "/mcp/", "//mcp", "/MCP", "/mcp/../mcp", "/%6dcp", "/mcp%00", "/approve/" + plan, f"http://evil.example:{port}/mcp", "/mcp;x", "*"):
            tried(f"the path {path}", path=path)
        mismatched(tried, plan, call)
        smuggled(here, server, call, plan.encode())
        here.runs_as("the call itself", plan, server.run(plan))
        tokens(here, program)


def mismatched(tried, plan, call):
    """Header fields that say something else than the message."""
    for name, fields in {
        "another method": {"Mcp-Method": "tools/list"}, "no method": {"Mcp-Method": None}, "another name": {"Mcp-Name": "list_workflows"},
        "no name": {"Mcp-Name": None}, "a name in other letters": {"Mcp-Name": "RUN_PLAN"}, "another version": {"MCP-Protocol-Version": "2025-11-25"},
        "no version": {"MCP-Protocol-Version": None}, "a future version": {"MCP-Protocol-Version": "2099-01-01"},
        "another name in base64": {"Mcp-Name": f"=?base64?{base64.b64encode(b'list_workflows').decode()}?="},
        "broken base64": {"Mcp-Name": "=?base64?%%%?="}, "two names": {"Mcp-Name": ["list_workflows", "run_plan"]},
        "two names, the right one first": {"Mcp-Name": ["run_plan", "list_workflows"]}, "two methods": {"Mcp-Method": ["tools/list", "tools/call"]}, "an empty name": {"Mcp-Name": ""},
    }.items():  # fmt: skip
        tried(f"{name} in the header", fields=fields)
    for name, params in {
        "a future version": {"_meta": meta(version="2099-01-01")}, "no version": {"_meta": {}}, "no capabilities": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}},
        "a number as the version": {"_meta": meta(version=1)}, "no _meta": {"_meta": None}, "a list as _meta": {"_meta": []},
    }.items():
        tried(f"{name} in the message", content={**call, "params": {**call["params"], **params}})
    tried("a batch", content=json.dumps([call, call]).encode(), fields={"Mcp-Method": "tools/call", "Mcp-Name": "run_plan"})
    tried("a notification that runs", (202, 400), content={name: value for name, value in call.items() if name != "id"})
    tried("an empty body", content=b"")
    tried("a message of 20 MB", (400, 413), content={**call, "params": {**call["params"], "x": "x" * (20 << 20)}})


def smuggled(here, server, call, plan):
    """Requests whose length has two readings."""
    body = json.dumps(call).encode()
    inner = raw(server, call)
    head = raw(server, call).split(b"\r\n\r\n")[0]
    plain = b"\r\n".join(line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length"))
    list_body = json.dumps(message(2, "tools/list")).encode()
    for name, content in {
        "two lengths": plain + b"\r\nContent-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(body) + body,
        "a length and chunks": plain + b"\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
        "a negative length": plain + b"\r\nContent-Length: -1\r\n\r\n" + body,
        "a length that is no number": plain + b"\r\nContent-Length: 0x10\r\n\r\n" + body,
        "a length beyond all": plain + b"\r\nContent-Length: 99999999999999999999\r\n\r\n" + body,
        "an unknown coding": plain + b"\r\nTransfer-Encoding: xchunked\r\n\r\n" + body,
        "a folded field": plain + b"\r\nX: y\r\n Content-Length: 5\r\n\r\n" + body,
        "a field without a name": plain + b"\r\n: x\r\n\r\n" + body,
        "a null in a field": plain + b"\r\nX: a\0b\r\nContent-Length: %d\r\n\r\n" % len(body) + body,
        "a request in a body": raw(server, message(2, "tools/list")).replace(list_body, list_body + inner)[:-1],
    }.items():
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
            got = b""
            try:
                connection.sendall(content)
                connection.shutdown(socket.SHUT_WR)
                while part := connection.recv(65536):
                    got += part
            except OSError:
                pass
        here.holds(f"a request with {name}", plan not in got, got[:30].decode(errors="replace") or "the connection is closed", got[:500].decode(errors="replace"))


def tokens(here, program):
    """Bearer tokens that are missing, wrong, or given in another way."""
    path = here.path("tokens")
    with open(path, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(TOKEN + "\n\n")
    server = here.server("--token-file", path, http=True)
    call = message(1, "tools/list")
    right = f"Bearer {TOKEN}"
    check("the right token is accepted", is_answered(server.post(call, fields={"Authorization": right})), "")
    for name, value in {
        "no token": None, "an empty field": "", "no token after Bearer": "Bearer", "an empty token": "Bearer ", "a wrong token": "Bearer wrong",
        "half of the token": right[:-1], "a longer token": right + "x", "the token without Bearer": TOKEN, "Basic": "Basic " + base64.b64encode(TOKEN.encode()).decode(),
        "a token in quotes": f'Bearer "{TOKEN}"', "two tokens in one field": f"Bearer wrong, {right}", "a wrong field first": ["Bearer wrong", right],
        "a wrong field last": [right, "Bearer wrong"], "another case": "Bearer " + TOKEN.upper(), "a line break": f"Bearer {TOKEN}\r\n X: y", "the access token": "Bearer token",
    }.items():  # fmt: skip
        for method in ("POST", "GET"):
            answer = quiet(server.post, call, method=method, fields={"Authorization": value})
            refused = not is_answered(answer) and (answer is None or answer[0] in (400, 401))
            here.holds(f"{name}, {method}", refused, answer and answer[0], repr(answer)[:300])
    for path in ("/mcp?access_token=" + TOKEN, "/mcp?token=" + TOKEN, "//mcp", "/%6dcp", "/mcp/"):
        for method in ("POST", "GET"):
            answer = quiet(server.post, call, method=method, path=path)
            here.holds(f"a token in {path.replace(TOKEN, '…')}, {method}", not is_answered(answer), answer and answer[0], repr(answer)[:300])


def pages(program):
    """The address at which a plan is approved."""
    with agents(program, "pages") as here:
        server = here.server("--approvers", MEGAN.address)
        plan, other = here.plan(server), here.plan(server)
        asked = server.run(plan, URL)
        address = asked.asked["approve"]["params"]["url"]
        check("the address holds no secret", address.endswith(f"/approve/{plan}") and "?" not in address, address)
        site = address.split("/approve/")[0]
        page = requests.get(address, timeout=30)
        check("the page shows the plan", page.status_code == 200 and "lynner@contoso.com" in page.text, page.text[:500])
        for field, word in (("X-Frame-Options", "DENY"), ("Content-Security-Policy", "frame-ancestors 'none'"), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")):
            check(f"{field} of the page", word in page.headers.get(field, ""), dict(page.headers))
        check("the page's own policy", "default-src &#39;none&#39;" in page.text or "default-src 'none'" in page.text, page.text[:600])
        proof = re.search('name="proof" value="([^"]+)"', page.text)[1]
        signs_in = re.compile(r"/authorize\?")

        def tried(name, answer):
            here.holds(name, not signs_in.search(answer.text), answer.status_code, answer.text[:300])

        for number in range(5):
            tried(f"GET {number}", requests.get(address + ("?proof=" + proof if number else ""), timeout=30))
        for method in ("HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"):
            tried(f"{method} with the proof", requests.request(method, address, data={"proof": proof}, timeout=30))
        for data in (None, {}, {"proof": ""}, {"proof": "x"}, {"proof": proof[:-1]}, {"proof": proof + "0"}, {"proof": [proof, proof]}, {"proof": proof.upper()},
                     {"Proof": proof}, {"x": "y", "proof": proof}, {"proof": "*"}):  # fmt: skip
            tried(f"POST with {str(data)[:30]}", requests.post(address, data=data, timeout=30))
        for headers in ({"Host": "evil.example"}, {"Host": f"evil.example:{urllib.parse.urlsplit(site).port}"}):
            tried(f"POST with {headers}", requests.post(address, data={"proof": proof}, headers=headers, timeout=30))
        for path in (f"/approve/{OTHER_ID}", f"/approve/{plan[:20]}", "/approve/last", f"/approve/../{plan}", f"/approve/{plan}/x", f"/approve/%2e%2e%2f{plan}", "/approve/", "/",
                     f"/approve/{plan.lower()}", f"/api/runs/{plan}/approve", "/mcp", f"/APPROVE/{plan}"):  # fmt: skip
            answer = requests.post(site + path, data={"proof": proof}, timeout=30)
            tried(f"POST {path.replace(plan, 'ID')}", answer)
        person = here.graphflow("run", "mail.yaml", "--input", '{"to": "lynner@contoso.com"}')
        own = next(one["run"] for one in here.runs() if one["state"] == "completed")
        here.approved.add(own)
        here.plans[own] = here.plans[plan]
        here.count_sent = len(here.sends())
        check("a person's run", person.returncode == 0, person.stderr)
        tried("POST for a person's run", requests.post(f"{site}/approve/{own}", data={"proof": proof}, timeout=30))
        here.refused("and the plan then", "not approved", server.run(plan))

        opened = requests.post(address, data={"proof": proof}, timeout=30).text
        sign_in = html.unescape(re.search(r'url=([^"]+)"', opened)[1])
        requests.post(sign_in, data={"person": LYNNE.id}, timeout=30)
        time.sleep(0.5)
        here.refused("a sign-in of somebody who is no approver", "not approved", server.run(plan))
        opened = requests.post(address, data={"proof": proof}, timeout=30).text
        sign_in = html.unescape(re.search(r'url=([^"]+)"', opened)[1])
        requests.post(sign_in, data={"person": ""}, timeout=30)
        here.refused("a sign-in that is cancelled", "not approved", server.run(plan))
        opened = requests.post(address, data={"proof": proof}, timeout=30).text
        sign_in = html.unescape(re.search(r'url=([^"]+)"', opened)[1])
        requests.post(sign_in, data={"person": MEGAN.id}, timeout=30)
        wait_for(lambda: "answer" in str(os.listdir(os.path.join(here.folder_of(plan), "approvals"))), 10)
        here.refused("the other plan", "not approved", server.run(other))
        here.approved.add(plan)
        here.runs_as("the plan that was approved at its address", plan, server.run(plan))
        tried("POST for a plan that has run", requests.post(address, data={"proof": proof}, timeout=30))


ATTACKS = [web, pages]
