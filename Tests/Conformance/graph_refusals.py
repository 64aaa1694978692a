"""Bodies with one fault each, which the sandbox must refuse."""

import copy
import json

from checks import check_none
from graph_exchange import PNG, description, mail, send

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
    """The sandbox refuses exactly the bodies that another validator refuses by the whole description."""
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
        check_none(
            f"POST {path.split('/')[-1]} {json.dumps(body)[:300]}",
            [f"the sandbox answers {status} {content[:200]}, the description says {problems or 'it is right'}"]
            if wrong else [],
        )
