"""Requests to the sandbox's Graph, whose answers are compared with Microsoft's description."""

import json
import urllib.error
import urllib.request

from checks import check_none
from graph_description import Description

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452")
description = Description()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)


def send(address, method, path, body=None, content_type="application/json", **headers):
    """Sends a request and returns status, headers and body; also checks the answer."""
    data = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
    is_whole = path.startswith("http")
    request = urllib.request.Request(path if is_whole else address + "/v1.0" + path, data=data, method=method)
    # An address from Graph contains its own secret.
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
    """Sends a request whose answer must have this status and be as described."""
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
    check_none(f"{method} {path} {status}", problems)
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
