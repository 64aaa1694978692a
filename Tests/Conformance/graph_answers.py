"""Every operation of Graph that the sandbox plays, with correct and faulty requests."""

import base64
import json
import urllib.parse

from checks import check, check_none
from graph_exchange import PNG, description, expect, mail, send


def answers(address):
    """Every operation that the sandbox plays answers as described, to correct and faulty requests."""
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
        pictures = owner + "/drive/items/" + item["id"] + "/thumbnails"
        known = json.loads(expect(address, 200, "GET", pictures))["value"]
        check("thumbnails", [sorted(one) for one in known] == [["id", "large", "medium", "small"]], known)
        expect(address, 200, "GET", pictures + "?$select=small")
        expect(address, 200, "GET", pictures + "/0/medium")
        expect(address, 302, "GET", pictures + "/0/small/content")
        expect(address, 404, "GET", pictures + "/0/huge")
        for body, status in (({"type": "view"}, 201), ({"type": "view"}, 200), ({"type": "edit", "scope": "anonymous"}, 201)):
            expect(address, status, "POST", owner + "/drive/items/" + item["id"] + "/createLink", body)
        upload(address, owner, drive["id"])
        folders(address, owner)
        events(address, owner)
        replies(address, owner)
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
    groups(address)
    batch(address)


def content_range(first, last, total):
    return {"Content_Range": f"bytes {first}-{last}/{total}"}


def groups(address):
    """Groups with their members, licences, and the organisation."""
    body = {"displayName": "New", "mailNickname": "new", "mailEnabled": False, "securityEnabled": True}
    group = json.loads(expect(address, 201, "POST", "/groups", body))["id"]
    reference = {"@odata.id": "https://graph.microsoft.com/v1.0/users/megan@contoso.com"}
    expect(address, 200, "GET", "/groups?$filter=displayName%20eq%20'New'&$select=id")
    expect(address, 200, "GET", f"/groups/{group}")
    expect(address, 204, "POST", f"/groups/{group}/members/$ref", reference)
    expect(address, 400, "POST", f"/groups/{group}/members/$ref", reference)
    member = json.loads(expect(address, 200, "GET", f"/groups/{group}/members"))["value"][0]["id"]
    for owner in ("/me", "/users/megan@contoso.com"):
        expect(address, 200, "GET", owner + "/memberOf")
        body = {"addLicenses": [{"skuId": "06ebc4ee-1bb5-47dd-8120-11324bc54e06"}], "removeLicenses": []}
        expect(address, 200, "POST", owner + "/assignLicense", body)
        expect(address, 200, "GET", owner + "/licenseDetails")
    expect(address, 204, "DELETE", f"/groups/{group}/members/{member}/$ref")
    expect(address, 204, "DELETE", f"/groups/{group}")
    expect(address, 404, "GET", f"/groups/{group}")
    expect(address, 200, "GET", "/subscribedSkus")
    expect(address, 200, "GET", "/organization")


def replies(address, owner):
    """Searches, MIME, replies and forwards of messages."""
    draft = {"subject": "Invoice", "body": {"contentType": "text", "content": "of May"}, "toRecipients": to()}
    message = json.loads(expect(address, 201, "POST", owner + "/messages", draft))["id"]
    found = json.loads(expect(address, 200, "GET", owner + "/messages?$search=%22invoice%20may%22"))["value"]
    check("a search finds the message", message in [one["id"] for one in found], found)
    expect(address, 400, "GET", owner + "/messages?$search=%22x%22&$filter=isRead%20eq%20true")
    expect(address, 200, "GET", f"{owner}/messages/{message}/$value")
    for name in ("reply", "replyAll"):
        expect(address, 202, "POST", f"{owner}/messages/{message}/{name}", {"comment": "Thanks"})
    expect(address, 400, "POST", f"{owner}/messages/{message}/forward", {"comment": "x"})
    expect(address, 202, "POST", f"{owner}/messages/{message}/forward", {"comment": "x", "toRecipients": to()})


def to():
    return [{"emailAddress": {"address": "adelev@contoso.com"}}]


def events(address, owner):
    """Events, of which Graph creates one for each transaction."""
    body = {
        "subject": "Lunch",
        "start": {"dateTime": "2026-12-01T12:00:00", "timeZone": "UTC"},
        "end": {"dateTime": "2026-12-01T13:00:00", "timeZone": "UTC"},
        "transactionId": "t" + owner,
    }
    first = json.loads(expect(address, 201, "POST", owner + "/events", body))
    again = json.loads(expect(address, 201, "POST", owner + "/events", body))
    check("the same transaction is the same event", first["id"] == again["id"], again)
    expect(address, 409, "POST", owner + "/events", {**body, "subject": "Dinner"})
    expect(address, 400, "POST", owner + "/events", {"subject": "x"})
    expect(address, 200, "GET", owner + "/calendar/events?$select=subject&$top=1")
    known = json.loads(expect(address, 200, "GET", owner + "/calendars"))["value"]
    calendar = f"{owner}/calendars/{known[0]['id']}"
    expect(address, 200, "GET", calendar)
    expect(address, 200, "GET", owner + "/calendar?$select=name")
    expect(address, 200, "GET", f"{calendar}/events/{first['id']}")
    expect(address, 404, "GET", owner + "/calendars/none/events")
    weekly = {"pattern": {"type": "weekly", "interval": 1, "daysOfWeek": ["tuesday"]},
              "range": {"type": "numbered", "startDate": "2026-12-01", "numberOfOccurrences": 4}}
    body["transactionId"] = "w" + owner
    series = json.loads(expect(address, 201, "POST", calendar + "/events", {**body, "recurrence": weekly}))
    check("a series", series["type"] == "seriesMaster" and series["recurrence"] == weekly, series)
    expect(address, 400, "POST", calendar + "/events", {**body, "recurrence": {"pattern": {"type": "daily"}}})
    expect(address, 204, "DELETE", f"{owner}/events/{series['id']}")
    event = f"{owner}/events/{first['id']}"
    expect(address, 200, "PATCH", event, {"subject": "Late lunch"})
    expect(address, 200, "GET", event)
    expect(address, 204, "DELETE", event)
    expect(address, 404, "GET", event)


def folders(address, owner):
    """Folders: children, creating, changing, copying, searching, and parts of a download."""
    drive = owner + "/drive"
    name = f"Folder {len(owner)}"
    path = f"{drive}/root:/Folder%20{len(owner)}"
    body = {"name": name, "folder": {}, "@microsoft.graph.conflictBehavior": "fail"}
    folder = json.loads(expect(address, 201, "POST", drive + "/root/children", body))
    expect(address, 409, "POST", drive + "/root/children", body)
    expect(address, 200, "GET", drive + "/root/children?$top=1&$select=name,size")
    expect(address, 400, "GET", drive + "/root/children?$skip=1")
    expect(address, 201, "PUT", path + "/a.txt:/content", b"hello", "text/plain")
    expect(address, 200, "GET", path + ":/children")
    expect(address, 200, "GET", f"{drive}/items/{folder['id']}/children")
    expect(address, 404, "GET", f"{drive}/items/none/children")
    expect(address, 202, "POST", path + "/a.txt:/copy", {"name": "b.txt"})
    expect(address, 200, "PATCH", path + "/b.txt", {"name": "c.txt"})
    expect(address, 409, "PATCH", path + "/c.txt", {"name": "a.txt"})
    expect(address, 200, "GET", drive + "/root/search(q='hello')")
    location = send(address, "GET", path + "/a.txt:/content")[1]["Location"]
    status, headers, part = send(address, "GET", location, Range="bytes=1-2")
    check("a part of a download", (status, part, headers["Content-Range"]) == (206, b"el", "bytes 1-2/5"), part)
    expect(address, 204, "DELETE", f"{drive}/items/{folder['id']}")


def upload(address, owner, drive):
    """A file in two ranges, with everything that can go wrong."""
    unit = 327680
    file = f"root:/folder/large{len(owner)}.bin:"
    for path in (f"{owner}/drive/{file}", f"/drives/{drive}/items/{file}"):
        body = {"item": {"@microsoft.graph.conflictBehavior": "replace"}}
        # The description has no paths below a drive's items.
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
    """A draft from its creation to Sent Items."""
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
    check(f"sent by {owner}", sent["isDraft"] is False, "it is a draft still")
    query = "?$filter=internetMessageId%20eq%20%27" + urllib.parse.quote(draft["internetMessageId"]) + "%27&$top=1"
    found = json.loads(expect(address, 200, "GET", owner + "/mailFolders/sentitems/messages" + query))
    check(f"found by {owner}", len(found["value"]) == 1, f"{len(found['value'])} messages")
    expect(address, 200, "GET", owner + "/messages?$top=2&$select=subject")
    expect(address, 200, "GET", owner + "/mailFolders/drafts")
    expect(address, 200, "GET", owner + "/mailFolders?$top=2&$select=displayName&$count=true")
    folder = json.loads(expect(address, 201, "POST", owner + "/mailFolders", {"displayName": "Projects"}))
    expect(address, 409, "POST", owner + "/mailFolders", {"displayName": "projects"})
    expect(address, 400, "POST", owner + "/mailFolders", {"displayName": 5})
    place = f"{owner}/mailFolders/{folder['id']}"
    expect(address, 201, "POST", place + "/childFolders", {"displayName": "2026", "isHidden": True})
    expect(address, 200, "GET", place + "/childFolders?includeHiddenFolders=true")
    expect(address, 200, "PATCH", place, {"displayName": "Old projects"})
    expect(address, 400, "GET", owner + "/mailFolders/none")
    sent = found["value"][0]["id"]
    copied = json.loads(expect(address, 201, "POST", f"{owner}/messages/{sent}/copy", {"DestinationId": folder["id"]}))
    way = f"{owner}/messages/{copied['id']}/move"
    moved = json.loads(expect(address, 201, "POST", way, {"destinationId": "archive"}, **immutable))
    expect(address, 400, "POST", f"{owner}/messages/{sent}/move", {})
    for kind in ("createReply", "createReplyAll", "createForward"):
        expect(address, 201, "POST", f"{owner}/messages/{sent}/{kind}", {"comment": "<b>"})
    expect(address, 204, "DELETE", f"{owner}/messages/{moved['id']}")
    expect(address, 204, "DELETE", place)
    expect(address, 204, "DELETE", place)
    expect(address, 404, "GET", place)
    mime = base64.b64encode(b"To: adelev@contoso.com\r\nSubject: MIME\r\n\r\nHello\r\n")
    expect(address, 202, "POST", owner + "/sendMail", mime, "text/plain")
    made = json.loads(expect(address, 201, "POST", owner + "/messages", mime, "text/plain"))
    expect(address, 204, "DELETE", f"{owner}/messages/{made['id']}")
    expect(address, 404, "GET", f"{owner}/messages/{made['id']}")
    expect(address, 400, "POST", owner + "/sendMail", b"no MIME", "text/plain")


def batch(address):
    """The answers inside a batch are as described, too."""
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
    check("the statuses of a batch", statuses == {"1": 200, "2": 200, "3": 404, "4": 424, "5": 202}, statuses)
    for answer in answers:
        request = next(request for request in requests if request["id"] == answer["id"])
        body = json.dumps(answer["body"]).encode() if "body" in answer else b""
        check_none(
            f"{request['method']} {request['url']} in a batch",
            description.answer_problems(
                request["method"], request["url"], answer["status"], answer["headers"].get("Content-Type", ""), body
            ),
        )
    expect(address, 400, "POST", "/$batch", {"requests": []})
    expect(address, 400, "POST", "/$batch", {"requests": [requests[0], requests[0]]})
