"""Microsoft's own client, msgraph-sdk, reads changes of the sandbox and is notified of them.

    delta.py GRAPHFLOW

Starts `GRAPHFLOW sandbox` on a free port and a receiver of notifications. Names are hostile.
"""

import asyncio
import datetime
import http.server
import json
import logging
import queue
import threading
import time
import urllib.parse

from kiota_abstractions.api_error import APIError
from kiota_abstractions.base_request_configuration import RequestConfiguration
from msgraph import GraphRequestAdapter, GraphServiceClient
from msgraph.generated.models.date_time_time_zone import DateTimeTimeZone
from msgraph.generated.models.drive_item import DriveItem
from msgraph.generated.models.event import Event
from msgraph.generated.models.group import Group
from msgraph.generated.models.message import Message
from msgraph.generated.models.password_profile import PasswordProfile
from msgraph.generated.models.reference_create import ReferenceCreate
from msgraph.generated.models.subscription import Subscription
from msgraph.generated.models.user import User
from msgraph.generated.users.item.messages.item.move.move_post_request_body import MovePostRequestBody
from msgraph.generated.users.item.send_mail.send_mail_post_request_body import SendMailPostRequestBody

import sandbox as sandboxes
from checks import check, end
from graph_exchange import expect, send
from msgraph_client import Token, recipient

NAMES = ["Grüße 🎉", "100 % \"sicher\" ‹x›", "", "ß" * 10_000]
IMMUTABLE = {"Prefer": 'IdType="ImmutableId"'}


class Receiver(http.server.BaseHTTPRequestHandler):
    """Agrees to subscriptions and keeps what it is sent."""

    notices = queue.Queue()
    refusals = 0

    def do_POST(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        token = query.get("validationToken", [""])[0]
        if not token:
            if Receiver.refusals:
                Receiver.refusals -= 1
                self.send_response(503)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            for notice in json.loads(content)["value"]:
                Receiver.notices.put((self.path, notice))
        self.send_response(200 if token else 202)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(token.encode())))
        self.end_headers()
        self.wfile.write(token.encode())

    def log_message(self, *_):
        pass


def configuration(headers=None):
    made = RequestConfiguration()
    for name, value in (headers or {}).items():
        made.headers.add(name, value)
    return made


class Reader:
    """Follows the links of a delta query."""

    def __init__(self, builder, headers=None):
        self.builder = builder
        self.headers = headers

    async def round(self):
        items = []
        while True:
            page = await self.builder.get(request_configuration=configuration(self.headers))
            items += page.value
            self.builder = self.builder.with_url(page.odata_next_link or page.odata_delta_link)
            if page.odata_delta_link:
                return items


def is_removed(item):
    return "@removed" in item.additional_data or getattr(item, "deleted", None) is not None


async def messages(graph, user):
    folders = graph.users.by_user_id(user).mail_folders
    inbox = folders.by_mail_folder_id("inbox").messages
    for name in NAMES:
        await inbox.post(Message(subject=name))
    plain = Reader(inbox.delta, {"Prefer": "odata.maxpagesize=1"})
    immutable = Reader(inbox.delta, IMMUTABLE)
    archive = Reader(folders.by_mail_folder_id("archive").messages.delta, IMMUTABLE)
    found = await plain.round()
    check("all messages", [item.subject for item in found] == NAMES, [item.subject[:40] for item in found])
    kept = await immutable.round()
    await archive.round()
    check("immutable ids", not {item.id for item in kept} & {item.id for item in found})
    message = graph.users.by_user_id(user).messages.by_message_id(found[0].id)
    await message.patch(Message(categories=["ä%20", ""], is_read=True))
    changed = await plain.round()
    check("a change", [(i.id, i.categories) for i in changed] == [(found[0].id, ["ä%20", ""])], changed)
    check("a new change key", changed[0].change_key != found[0].change_key)
    moved = await message.move.post(MovePostRequestBody(destination_id="archive"))
    gone = await plain.round()
    check("a move", [item.id for item in gone] == [found[0].id] and is_removed(gone[0]) and moved.id != found[0].id, gone)
    left, arrived = await immutable.round(), await archive.round()
    check("a move with an immutable id", [i.id for i in left] == [i.id for i in arrived] == [kept[0].id], (left, arrived))
    check("only the first is removed", is_removed(left[0]) and not is_removed(arrived[0]))
    mail = Message(subject=NAMES[0], to_recipients=[recipient("adelev@contoso.com"), recipient(user)])
    hers = Reader(graph.users.by_user_id("adelev@contoso.com").mail_folders.by_mail_folder_id("inbox").messages.delta)
    await hers.round()
    await graph.users.by_user_id(user).send_mail.post(SendMailPostRequestBody(message=mail))
    for name, reader in (("hers", hers), ("mine", plain)):
        received = await reader.round()
        check(f"mail arrives: {name}", [(i.subject, i.is_read) for i in received] == [(NAMES[0], False)], received)


async def files(graph, user):
    drive = graph.drives.by_drive_id((await graph.users.by_user_id(user).drive.get()).id)
    root = drive.items.by_drive_item_id("root")
    first = {item.name for item in await Reader(root.delta).round()}
    check("the root", "root" in first, first)
    reader = Reader(root.delta_with_token("latest"), {"Prefer": "deltaExcludeParent"})
    check("nothing since now", await reader.round() == [])
    made = await drive.items.by_drive_item_id("root:/Büro 🎉/it's 'a'.txt:").content.put(b"")
    names = [item.name for item in await reader.round()]
    check("a file and its new folder", sorted(names) == ["Büro 🎉", "it's 'a'.txt"], names)
    await drive.items.by_drive_item_id(made.id).patch(DriveItem(name="ü.txt"))
    renamed = await reader.round()
    check("a new name", [item.name for item in renamed] == ["ü.txt"] and renamed[0].e_tag != made.e_tag, renamed)
    check("the same content", renamed[0].c_tag == made.c_tag, (renamed[0].c_tag, made.c_tag))
    await drive.items.by_drive_item_id(made.id).delete()
    gone = await reader.round()
    check("a deleted file", [item.id for item in gone] == [made.id] and is_removed(gone[0]), gone)


async def directory(graph):
    people, groups = Reader(graph.users.delta), Reader(graph.groups.delta)
    count = len(await people.round())
    members = [len(group.additional_data.get("members@delta", [])) for group in await groups.round()]
    check("people and members", count == 8 and members == [3, 1], (count, members))
    made = await graph.users.post(User(
        account_enabled=True, display_name=NAMES[1], mail_nickname="zoe", user_principal_name="zoe@contoso.com",
        password_profile=PasswordProfile(password="x")))
    check("a new user", [user.display_name for user in await people.round()] == [NAMES[1]])
    group = await graph.groups.post(
        Group(display_name=NAMES[0], mail_nickname="x", mail_enabled=False, security_enabled=True))
    one = graph.groups.by_group_id(group.id)
    reference = ReferenceCreate(odata_id=f"https://graph.microsoft.com/v1.0/users/{made.id}")
    await one.members.ref.post(reference)
    joined = await groups.round()
    check("a new member", [str(m["id"]) for m in joined[0].additional_data["members@delta"]] == [made.id], joined)
    await one.patch(Group(description="Über %"))
    check("a description", [group.description for group in await groups.round()] == ["Über %"])
    await one.members.by_directory_object_id(made.id).ref.delete()
    left = (await groups.round())[0].additional_data["members@delta"]
    check("a member leaves", "@removed" in left[0], left)
    await graph.users.by_user_id(made.id).delete()
    check("a deleted user", [is_removed(user) for user in await people.round()] == [True])
    await one.delete()
    check("a deleted group", [is_removed(group) for group in await groups.round()] == [True])


async def events(graph, user):
    mailbox = graph.users.by_user_id(user)
    window = mailbox.calendar_view.delta.with_url(
        f"{graph.request_adapter.base_url}/users/{user}/calendarView/delta"
        "?startDateTime=2026-01-01T00:00:00Z&endDateTime=2026-02-01T00:00:00Z")
    reader = Reader(window)
    check("no event", await reader.round() == [])
    times = [DateTimeTimeZone(date_time=f"2026-01-15T1{hour}:00:00", time_zone="UTC") for hour in (0, 1)]
    made = await mailbox.events.post(Event(subject=NAMES[1], start=times[0], end=times[1]))
    found = await reader.round()
    check("an event", [(event.id, event.subject) for event in found] == [(made.id, NAMES[1])], found)
    await mailbox.events.by_event_id(made.id).patch(Event(subject=""))
    check("a changed event", [event.subject for event in await reader.round()] == [""])
    await mailbox.events.by_event_id(made.id).delete()
    check("a deleted event", [is_removed(event) for event in await reader.round()] == [True])


async def next_notice():
    return await asyncio.to_thread(Receiver.notices.get, True, 10)


async def subscriptions(graph, sandbox, user, hook):
    soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=2)

    def wanted(**changes):
        values = {
            "resource": f"users/{user}/mailFolders('inbox')/messages", "change_type": "created",
            "notification_url": f"{hook}/n", "lifecycle_notification_url": f"{hook}/l",
            "client_state": NAMES[0], "expiration_date_time": soon, **changes}
        return Subscription(**values)

    async def status(subscription):
        try:
            await graph.subscriptions.post(subscription)
        except APIError as error:
            return error.response_status_code
        return 201

    made = await graph.subscriptions.post(wanted())
    check("the same again", await status(wanted()) == 409)
    check("no listener", await status(wanted(notification_url="http://127.0.0.1:1/")) in (400, 409))
    check("a long client state", await status(wanted(client_state="x" * 129)) == 400)
    check("too long", await status(wanted(expiration_date_time=soon + datetime.timedelta(days=30))) == 400)
    check("http elsewhere", await status(wanted(notification_url="http://example.com/")) == 400)
    inbox = graph.users.by_user_id(user).mail_folders.by_mail_folder_id("inbox").messages
    Receiver.refusals = 1
    message = await inbox.post(Message(subject=NAMES[1]))
    path, notice = await next_notice()
    check("notified, at the second attempt", path == "/n" and notice["subscriptionId"] == made.id, notice)
    check("its client state", notice["clientState"] == NAMES[0], notice)
    check("its message", notice["resourceData"]["id"] == message.id and notice["changeType"] == "created", notice)
    sandbox.fault("NOTIFY * missed")
    await inbox.post(Message(subject="missed"))
    path, notice = await next_notice()
    check("missed", path == "/l" and notice["lifecycleEvent"] == "missed", notice)
    one = graph.subscriptions.by_subscription_id(made.id)
    renewed = await one.patch(Subscription(expiration_date_time=soon + datetime.timedelta(days=1)))
    check("renewed", renewed.expiration_date_time > made.expiration_date_time, renewed)
    await one.reauthorize.post()
    check("listed", [each.id for each in (await graph.subscriptions.get()).value] == [made.id])
    await one.delete()
    try:
        await one.patch(Subscription(expiration_date_time=soon))
        check("gone", False)
    except APIError as error:
        check("gone", error.response_status_code == 404, error)


def walk(address, link):
    """The subjects of a round and its last link."""
    subjects = []
    for _ in range(20):
        status, _, content = send(address, "GET", link)
        page = json.loads(content)
        if status != 200:
            return status, page["error"]["code"]
        subjects += [item.get("subject", "removed") for item in page["value"]]
        link = (page.get("@odata.nextLink") or page["@odata.deltaLink"]).removeprefix(address + "/v1.0")
        if "@odata.deltaLink" in page:
            return subjects, link
    return subjects, None


def faults_of_delta(sandbox):
    """What a client must bear of delta queries."""
    address, path = sandbox.origin, "/users/alexw@contoso.com/mailFolders/inbox/messages/delta"
    for subject in ("one", "two"):
        send(address, "POST", path.removesuffix("/delta"), {"subject": subject})
    rounds = {
        "replay": (["one", "two", "one", "two"], []),
        "twice": (["Earlier one", "Earlier two", "one", "two"], []),
        "empty": (["one", "two"], []),
        "early": (["one"], ["two"]),
    }
    for fault, (first, second) in rounds.items():
        sandbox.fault(f"GET */messages/delta {fault}")
        subjects, link = walk(address, path)
        check(f"{fault}", subjects == first, subjects)
        subjects, _ = walk(address, link)
        check(f"after {fault}", subjects == second, subjects)
    codes = ["resyncChangesApplyDifferences", "resyncChangesUploadDifferences", "syncStateNotFound", "syncStateInvalid"]
    for code in codes:
        sandbox.fault(f"GET */delta* {code}")
        status, headers, content = send(address, "GET", link)
        check(code, status == 410 and json.loads(content)["error"]["code"] == code, content)
        subjects, _ = walk(address, headers["Location"].removeprefix(address + "/v1.0"))
        check(f"everything after {code}", subjects == ["one", "two"], subjects)
    for fault, name, value in (("429 retry-after=7", "Retry-After", "7"), ("403", "Retry-After", None)):
        sandbox.fault(f"GET */delta* {fault}")
        status, headers, _ = send(address, "GET", link)
        check(fault, status == int(fault[:3]) and headers[name] == value, (status, headers[name]))


def faults_of_notifications(sandbox, hook):
    """What a receiver of notifications must bear."""
    address, messages = sandbox.origin, "/users/leeg@contoso.com/mailFolders/inbox/messages"
    end_time = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=2)).isoformat()
    body = {"resource": messages, "changeType": "created", "notificationUrl": f"{hook}/n", "clientState": "%",
            "lifecycleNotificationUrl": f"{hook}/l", "expirationDateTime": end_time}
    expected = {
        "drop": [], "duplicate": ["created", "created"], "forged": ["created", "created"], "200 delay=1": ["created"],
        "missed": ["missed"], "reauthorizationRequired": ["created", "reauthorizationRequired"],
        "subscriptionRemoved": ["subscriptionRemoved"], "lost": [],
    }
    made = json.loads(expect(address, 201, "POST", "/subscriptions", body))["id"]
    for fault, kinds in expected.items():
        sandbox.fault(f"NOTIFY {messages} {fault}")
        start = time.monotonic()
        send(address, "POST", messages, {"subject": fault})
        notices = [Receiver.notices.get(True, 10)[1] for _ in kinds]
        check(fault, sorted(n.get("changeType") or n["lifecycleEvent"] for n in notices) == kinds, notices)
        check(f"forged: {fault}", [n["clientState"] for n in notices].count("forged") == (fault == "forged"), notices)
        check(f"late: {fault}", (time.monotonic() - start >= 1) == ("delay" in fault))
        if fault in ("subscriptionRemoved", "lost"):
            expect(address, 404, "PATCH", f"/subscriptions/{made}", {"expirationDateTime": end_time})
            made = json.loads(expect(address, 201, "POST", "/subscriptions", body))["id"]
    sandbox.fault("PATCH /subscriptions/* lost")
    expect(address, 404, "PATCH", f"/subscriptions/{made}", {"expirationDateTime": end_time})
    check("nothing else was sent", Receiver.notices.empty())


def described(address, hook):
    """Every answer is as described."""
    for owner in ("/me", "/users/megan@contoso.com"):
        for path in ("/mailFolders/inbox/messages/delta", "/mailFolders/delta", "/drive/root/delta"):
            expect(address, 200, "GET", owner + path)
        window = "?startDateTime=2026-01-01T00:00:00Z&endDateTime=2026-02-01T00:00:00Z"
        expect(address, 200, "GET", f"{owner}/calendarView/delta{window}")
        expect(address, 400, "GET", f"{owner}/calendarView/delta")
    expect(address, 200, "GET", "/users/delta?$select=displayName")
    expect(address, 200, "GET", "/groups/delta?$select=displayName&$expand=members")
    expect(address, 400, "GET", "/users/delta?$deltatoken=x")
    expect(address, 410, "GET", "/me/mailFolders/inbox/messages/delta?$deltatoken=x")
    end_time = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=2)).isoformat()
    body = {"resource": "users", "changeType": "updated", "notificationUrl": f"{hook}/n", "expirationDateTime": end_time}
    made = json.loads(expect(address, 201, "POST", "/subscriptions", body))["id"]
    expect(address, 200, "GET", "/subscriptions")
    expect(address, 200, "GET", f"/subscriptions/{made}")
    expect(address, 200, "PATCH", f"/subscriptions/{made}", {"expirationDateTime": end_time})
    expect(address, 204, "POST", f"/subscriptions/{made}/reauthorize")
    expect(address, 204, "DELETE", f"/subscriptions/{made}")
    expect(address, 404, "GET", f"/subscriptions/{made}")


async def main(program):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hook = f"http://127.0.0.1:{server.server_port}"
    with sandboxes.running(program) as sandbox:
        adapter = GraphRequestAdapter(Token(sandbox.graph))
        adapter.base_url = sandbox.graph
        graph = GraphServiceClient(request_adapter=adapter)
        user = "megan@contoso.com"
        await messages(graph, user)
        await files(graph, user)
        await directory(graph)
        await events(graph, user)
        await subscriptions(graph, sandbox, user, hook)
        faults_of_delta(sandbox)
        faults_of_notifications(sandbox, hook)
        described(sandbox.origin, hook)
    server.shutdown()


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asyncio.run(main(sandboxes.program(__doc__)))
    end("msgraph-sdk's delta")
