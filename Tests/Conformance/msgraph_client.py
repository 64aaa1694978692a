"""Microsoft's own client, msgraph-sdk, works with the sandbox as with Microsoft Graph.

    msgraph_client.py GRAPHFLOW

Starts `GRAPHFLOW sandbox` on a free port and lets the client do what the functions of workflows do.
"""

import asyncio
import io
import logging
import urllib.request

from kiota_abstractions.api_error import APIError
from kiota_abstractions.authentication import AuthenticationProvider
from kiota_abstractions.base_request_configuration import RequestConfiguration
from msgraph import GraphRequestAdapter, GraphServiceClient
from msgraph.generated.drives.item.items.item.create_link.create_link_post_request_body import (
    CreateLinkPostRequestBody,
)
from msgraph.generated.drives.item.items.item.create_upload_session.create_upload_session_post_request_body import (
    CreateUploadSessionPostRequestBody as FileSessionBody,
)
from msgraph.generated.models.attachment_item import AttachmentItem
from msgraph.generated.models.attachment_type import AttachmentType
from msgraph.generated.models.body_type import BodyType
from msgraph.generated.models.drive_item import DriveItem
from msgraph.generated.models.drive_item_uploadable_properties import DriveItemUploadableProperties
from msgraph.generated.models.email_address import EmailAddress
from msgraph.generated.models.file_attachment import FileAttachment
from msgraph.generated.models.item_body import ItemBody
from msgraph.generated.models.mail_folder import MailFolder
from msgraph.generated.models.message import Message
from msgraph.generated.models.o_data_errors.o_data_error import ODataError
from msgraph.generated.models.recipient import Recipient
from msgraph.generated.users.item.messages.item.attachments.create_upload_session.create_upload_session_post_request_body import (
    CreateUploadSessionPostRequestBody as AttachmentSessionBody,
)
from msgraph.generated.drives.item.items.item.copy.copy_post_request_body import CopyPostRequestBody
from msgraph.generated.models.assigned_license import AssignedLicense
from msgraph.generated.models.date_time_time_zone import DateTimeTimeZone
from msgraph.generated.models.event import Event
from msgraph.generated.models.folder import Folder
from msgraph.generated.models.group import Group
from msgraph.generated.models.reference_create import ReferenceCreate
from msgraph.generated.users.item.assign_license.assign_license_post_request_body import AssignLicensePostRequestBody
from msgraph.generated.users.item.messages.item.move.move_post_request_body import MovePostRequestBody
from msgraph.generated.users.item.messages.item.reply.reply_post_request_body import ReplyPostRequestBody
from msgraph.generated.users.item.messages.messages_request_builder import MessagesRequestBuilder
from msgraph.generated.users.item.send_mail.send_mail_post_request_body import SendMailPostRequestBody
from msgraph.generated.users.users_request_builder import UsersRequestBuilder
from msgraph_core.requests.batch_request_builder import BatchRequestBuilder
from msgraph_core.requests.batch_request_content import BatchRequestContent
from msgraph_core.requests.batch_request_item import BatchRequestItem
from msgraph_core.tasks.large_file_upload import LargeFileUploadTask
from msgraph_core.tasks.page_iterator import PageIterator

import sandbox as sandboxes
from checks import check, end

MEBIBYTE = 1 << 20


class Token(AuthenticationProvider):
    """Sends the token to Graph only: an upload session has its secret in its address."""

    def __init__(self, base):
        self.base = base

    async def authenticate_request(self, request, additional_authentication_context=None):
        if request.url.startswith(self.base + "/"):
            request.headers.try_add("Authorization", "Bearer token")


def recipient(address):
    return Recipient(email_address=EmailAddress(address=address))


async def people(graph, sandbox):
    me = await graph.me.get()
    check("me", me.mail == "megan@contoso.com" and me.display_name == "Megan Bowen", me)
    photo = await graph.me.photo.content.get()
    check("photo", photo.startswith(b"\xff\xd8\xff"))
    metadata = await graph.me.photos.get()
    check("photo sizes", [entry.width for entry in metadata.value] == [48, 240], metadata.value)
    try:
        await graph.users.by_user_id("alexw@contoso.com").photo.content.get()
        check("no photo", False)
    except ODataError as error:
        check("no photo", error.response_status_code == 404 and error.error.code == "ImageNotFound", error)
    parameters = UsersRequestBuilder.UsersRequestBuilderGetQueryParameters(select=["id", "displayName"], top=40)
    page = await graph.users.get(RequestConfiguration(query_parameters=parameters))
    found = []
    # The iterator takes an empty page for the last one, so pages are even here.
    iterator = PageIterator(page, graph.request_adapter)
    await iterator.iterate(lambda user: found.append(user.id) or True)
    check("users with paging", len(found) == len(set(found)) == 300, len(found))
    parameters = UsersRequestBuilder.UsersRequestBuilderGetQueryParameters(search='"displayName:bowen"', count=True)
    configuration = RequestConfiguration(query_parameters=parameters)
    configuration.headers.add("ConsistencyLevel", "eventual")
    page = await graph.users.get(configuration)
    check("users by search", [user.mail for user in page.value] == ["megan@contoso.com"] and page.odata_count == 1)
    parameters = UsersRequestBuilder.UsersRequestBuilderGetQueryParameters(filter="startswith(givenName,'O''Brien')")
    page = await graph.users.get(RequestConfiguration(query_parameters=parameters))
    check("users by filter", page.value == [], page.value)
    try:
        parameters = UsersRequestBuilder.UsersRequestBuilderGetQueryParameters(filter="givenName ne 'Megan'")
        await graph.users.get(RequestConfiguration(query_parameters=parameters))
        check("an advanced query", False)
    except ODataError as error:
        check("an advanced query", error.error.code == "Request_UnsupportedQuery", error)


async def files(graph, sandbox):
    drive = await graph.me.drive.get()
    items = graph.drives.by_drive_id(drive.id).items
    item = await items.by_drive_item_id("root:/folder/me.txt:").content.put(b"hello")
    check("upload", item.name == "me.txt" and item.size == 5, item)
    check("download", await items.by_drive_item_id(item.id).content.get() == b"hello")
    for expected in (1, 1):
        link = await items.by_drive_item_id(item.id).create_link.post(
            CreateLinkPostRequestBody(type="view", scope="organization")
        )
        check("link", link.link.web_url.startswith(sandbox.origin) and link.roles == ["read"], link)
        links = [entry for entry in sandbox.read("/sandbox/drive") if entry["id"] == item.id][0]["links"]
        check("one link", len(links) == expected, links)
    content = bytes(range(256)) * (8 * MEBIBYTE // 256)
    properties = DriveItemUploadableProperties(additional_data={"@microsoft.graph.conflictBehavior": "replace"})
    session = await items.by_drive_item_id("root:/folder/large.bin:").create_upload_session.post(
        FileSessionBody(item=properties)
    )
    task = LargeFileUploadTask(session, graph.request_adapter, io.BytesIO(content), DriveItem, 5 * MEBIBYTE)
    try:
        await task.upload()
    except APIError as error:
        # The task sends the last range again after the file is complete, and Graph says that the session is gone
        # (microsoftgraph/msgraph-sdk-python-core, issue 718).
        check("the end of the large file task", error.response_status_code == 404, error)
    uploaded = await items.by_drive_item_id("root:/folder/large.bin:").get()
    check("large file task", uploaded.size == len(content), uploaded.size)
    check("its content", await items.by_drive_item_id(uploaded.id).content.get() == content)
    ranges = [entry for entry in sandbox.read("/sandbox/requests") if "/uploadSession/" in entry["path"]]
    check("its ranges", [entry["status"] for entry in ranges] == [202, 201, 404], [e["status"] for e in ranges])


async def mail(graph, sandbox):
    message = Message(
        subject="From the SDK",
        body=ItemBody(content_type=BodyType.Html, content="<p>Hello</p>"),
        to_recipients=[recipient("adelev@contoso.com")],
        attachments=[FileAttachment(name="a.txt", content_type="text/plain", content_bytes=b"hello")],
    )
    await graph.me.send_mail.post(SendMailPostRequestBody(message=message, save_to_sent_items=True))
    outbox = sandbox.read("/sandbox/outbox")
    check("sendMail", [entry["subject"] for entry in outbox] == ["From the SDK"], outbox)
    configuration = RequestConfiguration()
    configuration.headers.add("Prefer", 'IdType="ImmutableId"')
    draft = await graph.me.messages.post(
        Message(subject="A draft", to_recipients=[recipient("alexw@contoso.com")]), configuration
    )
    check("draft", draft.is_draft and draft.internet_message_id, draft)
    one = graph.me.messages.by_message_id(draft.id)
    await one.patch(Message(subject="A changed draft"))
    await one.attachments.post(FileAttachment(name="b.txt", content_bytes=b"hello"))
    content = bytes(range(256)) * (4 * MEBIBYTE // 256)
    session = await one.attachments.create_upload_session.post(
        AttachmentSessionBody(
            attachment_item=AttachmentItem(
                attachment_type=AttachmentType.File, name="large.bin", size=len(content), content_type="image/png"
            )
        )
    )
    half = len(content) // 2
    for first, status in ((0, 200), (half, 201)):
        request = urllib.request.Request(session.upload_url, data=content[first : first + half], method="PUT")
        request.add_header("Content-Type", "application/octet-stream")
        request.add_header("Content-Range", f"bytes {first}-{first + half - 1}/{len(content)}")
        with urllib.request.urlopen(request) as answer:
            check("attachment session", answer.status == status, answer.status)
    attachments = await one.attachments.get()
    check("attachments", [entry.size for entry in attachments.value] == [5, len(content)], attachments.value)
    await one.send.post()
    sent = await one.get(configuration)
    check("sent", not sent.is_draft and sent.id == draft.id and sent.subject == "A changed draft", sent)
    folder = graph.me.mail_folders.by_mail_folder_id("sentitems")
    listed = await folder.messages.get()
    check("Sent Items", [entry.subject for entry in listed.value] == ["A changed draft", "From the SDK"], listed)
    outbox = sandbox.read("/sandbox/outbox")
    check("one delivery", [entry["deliveries"] for entry in outbox] == [1, 1], outbox)
    check("both attachments", [entry["size"] for entry in outbox[1]["attachments"]] == [5, len(content)])


def item(information, base):
    """A request of a batch, whose address the client would leave absolute after earlier requests."""
    made = BatchRequestItem(information)
    made.url = made.url.removeprefix(base)
    return made


async def batch(graph, sandbox):
    base = graph.request_adapter.base_url
    message = Message(subject="From a batch", to_recipients=[recipient("alexw@contoso.com")])
    requests = {
        "me": graph.me.to_get_request_information(),
        "none": graph.users.by_user_id("nobody@contoso.com").to_get_request_information(),
        "mail": graph.me.send_mail.to_post_request_information(SendMailPostRequestBody(message=message)),
    }
    content = BatchRequestContent()
    ids = {}
    for name, information in requests.items():
        made = item(information, base)
        ids[name] = made.id
        content.add_request(made.id, made)
    answers = await BatchRequestBuilder(graph.request_adapter).post(content)
    # The client does not keep JSON bodies, so they are checked elsewhere.
    statuses = {name: answers.get_response_by_id(ids[name]).status for name in requests}
    check("batch", statuses == {"me": 200, "none": 404, "mail": 202}, statuses)
    check("a mail by batch", sandbox.read("/sandbox/outbox")[-1]["subject"] == "From a batch")


async def folders(graph, sandbox):
    drive = await graph.me.drive.get()
    items = graph.drives.by_drive_id(drive.id).items
    children = items.by_drive_item_id("root").children
    folder = await children.post(
        DriveItem(name="SDK", folder=Folder(), additional_data={"@microsoft.graph.conflictBehavior": "fail"})
    )
    check("folder", folder.name == "SDK" and folder.folder.child_count == 0, folder)
    await items.by_drive_item_id("root:/SDK/a.txt:").content.put(b"hello")
    listed = await items.by_drive_item_id(folder.id).children.get()
    check("children", [item.name for item in listed.value] == ["a.txt"], listed.value)
    renamed = await items.by_drive_item_id(listed.value[0].id).patch(DriveItem(name="b.txt"))
    check("rename", renamed.name == "b.txt", renamed)
    await items.by_drive_item_id(renamed.id).copy.post(CopyPostRequestBody(name="c.txt"))
    listed = await items.by_drive_item_id(folder.id).children.get()
    check("copy", [item.name for item in listed.value] == ["b.txt", "c.txt"], listed.value)
    found = await items.by_drive_item_id("root").search_with_q("hello").get()
    check("search", {item.name for item in found.value} >= {"b.txt", "c.txt"}, found.value)
    await items.by_drive_item_id(folder.id).delete()


async def groups(graph, sandbox):
    group = await graph.groups.post(
        Group(display_name="SDK", mail_nickname="sdk", mail_enabled=False, security_enabled=True)
    )
    member = ReferenceCreate(odata_id="https://graph.microsoft.com/v1.0/users/megan@contoso.com")
    await graph.groups.by_group_id(group.id).members.ref.post(member)
    members = await graph.groups.by_group_id(group.id).members.get()
    check("members", [entry.mail for entry in members.value] == ["megan@contoso.com"], members.value)
    try:
        await graph.groups.by_group_id(group.id).members.ref.post(member)
        check("a member twice", False)
    except ODataError as error:
        check("a member twice", error.response_status_code == 400, error)
    mine = await graph.me.member_of.get()
    check("member of", "SDK" in [entry.display_name for entry in mine.value], mine.value)
    skus = await graph.subscribed_skus.get()
    licence = AssignedLicense(sku_id=skus.value[0].sku_id, disabled_plans=[])
    await graph.me.assign_license.post(AssignLicensePostRequestBody(add_licenses=[licence], remove_licenses=[]))
    details = await graph.me.license_details.get()
    check("licence", [entry.sku_part_number for entry in details.value] == ["SPE_E5"], details.value)
    await graph.groups.by_group_id(group.id).delete()
    organization = await graph.organization.get()
    check("organization", organization.value[0].display_name == "Contoso", organization.value)


async def calendar(graph, sandbox):
    event = Event(
        subject="Lunch",
        start=DateTimeTimeZone(date_time="2026-12-01T12:00:00", time_zone="UTC"),
        end=DateTimeTimeZone(date_time="2026-12-01T13:00:00", time_zone="UTC"),
        transaction_id="sdk",
    )
    first = await graph.me.events.post(event)
    again = await graph.me.events.post(event)
    check("one event of a transaction", first.id == again.id, again)
    listed = await graph.me.events.get()
    check("events", [entry.subject for entry in listed.value] == ["Lunch"], listed.value)
    changed = await graph.me.events.by_event_id(first.id).patch(Event(subject="Late lunch"))
    check("a changed event", changed.subject == "Late lunch", changed)
    await graph.me.events.by_event_id(first.id).delete()


async def answers(graph, sandbox):
    message = Message(subject="Question", body=ItemBody(content="Why?"), to_recipients=[recipient("adelev@contoso.com")])
    draft = await graph.me.messages.post(message)
    parameters = MessagesRequestBuilder.MessagesRequestBuilderGetQueryParameters(search='"question"')
    found = await graph.me.messages.get(RequestConfiguration(query_parameters=parameters))
    check("messages by search", [entry.id for entry in found.value] == [draft.id], found.value)
    mime = await graph.me.messages.by_message_id(draft.id).content.get()
    check("MIME", b"Subject: Question" in mime, mime)
    await graph.me.messages.by_message_id(draft.id).reply.post(ReplyPostRequestBody(comment="Because."))
    check("reply", sandbox.read("/sandbox/outbox")[-1]["subject"] == "RE: Question")
    folder = await graph.me.mail_folders.post(MailFolder(display_name="Projects"))
    places = graph.me.mail_folders
    inner = await places.by_mail_folder_id(folder.id).child_folders.post(MailFolder(display_name="2026"))
    listed = await places.by_mail_folder_id(folder.id).child_folders.get()
    check("child folders", [entry.display_name for entry in listed.value] == ["2026"], listed.value)
    way = graph.me.messages.by_message_id(draft.id).move
    moved = await way.post(MovePostRequestBody(destination_id=inner.id))
    there = await places.by_mail_folder_id(inner.id).messages.get()
    check("moved", [entry.id for entry in there.value] == [moved.id] and moved.id != draft.id, there.value)
    await places.by_mail_folder_id(folder.id).delete()
    deleted = await places.by_mail_folder_id("deleteditems").child_folders.get()
    check("a deleted folder", [entry.display_name for entry in deleted.value] == ["Projects"], deleted.value)


async def work(sandbox):
    adapter = GraphRequestAdapter(Token(sandbox.graph))
    adapter.base_url = sandbox.graph
    graph = GraphServiceClient(request_adapter=adapter)
    for step in (people, files, folders, groups, calendar, mail, answers, batch):
        try:
            await step(graph, sandbox)
        except Exception as error:  # The other steps are informative, too.
            check(step.__name__, False, repr(error))


def main():
    logging.disable(logging.ERROR)
    program = sandboxes.program(__doc__)
    with sandboxes.running(program, "--users", "300") as sandbox:
        asyncio.run(work(sandbox))
    end("msgraph-sdk")


if __name__ == "__main__":
    main()
