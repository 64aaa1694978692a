"""O365 from PyPI does with the sandbox what its documentation shows: mail, folders, calendar, files, people, groups.

    ./environment o365_client.py GRAPHFLOW
"""

import datetime
import os
import pathlib
import tempfile
import zoneinfo

import redirected
import sandbox as sandboxes
from checks import check, end

MAILBOX = "megan@contoso.com"


def mail(account):
    mailbox = account.mailbox()
    message = mailbox.new_message()
    message.to.add(["adelev@contoso.com", ("Alex Wilber", "alexw@contoso.com")])
    message.subject, message.body = "Quarterly figures", "<b>Here</b> they are."
    message.attachments.add("figures.csv")
    check("a draft is saved", message.save_draft() and message.object_id)
    found = mailbox.drafts_folder().get_message(query=mailbox.new_query().contains("subject", "figures"))
    check("the draft is found", found and found.subject == "Quarterly figures" and found.has_attachments)
    check("sent", message.send())
    sent = list(mailbox.sent_folder().get_messages(limit=5, download_attachments=True))
    check("in Sent Items", [one.subject for one in sent] == ["Quarterly figures"], [one.subject for one in sent])
    check("its attachment", [one.name for one in sent[0].attachments] == ["figures.csv"])
    check("saved as a file", sent[0].save_as_eml(pathlib.Path("mail.eml")) and "figures.csv" in
          pathlib.Path("mail.eml").read_text())
    reply = sent[0].reply(to_all=True)
    reply.body = "Thanks."
    check("answered", reply.send())
    forward = sent[0].forward()
    forward.to.add("diegos@contoso.com")
    check("forwarded", forward.send())

    folder = mailbox.create_child_folder("Projects")
    inner = folder.create_child_folder("2026")
    names = [one.name for one in mailbox.get_folders()]
    check("folders", "Projects" in names and "Inbox" in names, names)
    check("folder by name", mailbox.get_folder(folder_name="Projects").folder_id == folder.folder_id)
    check("child folders", [one.name for one in folder.get_folders()] == ["2026"])
    check("renamed", inner.update_folder_name("2027") and folder.get_folder(folder_name="2027") is not None)
    draft = mailbox.new_message()
    draft.subject = "To be moved"
    draft.save_draft()
    check("moved", draft.move(inner), draft)
    moved = list(inner.get_messages())
    check("it is there", [one.subject for one in moved] == ["To be moved"])
    check("copied", moved[0].copy(folder))
    inner.refresh_folder()
    check("counted", inner.total_items_count == 1, inner.total_items_count)
    check("read", sent[0].mark_as_unread() and sent[0].mark_as_read())
    check("deleted", moved[0].delete() and not list(inner.get_messages()))
    check("folder deleted", folder.delete() and mailbox.get_folder(folder_name="Projects") is None)
    many = mailbox.inbox_folder()
    for number in range(30):
        one = many.new_message()
        one.subject = f"Page {number}"
        one.save_draft(target_folder=many)
    paged = [one.subject for one in many.get_messages(limit=25, batch=10)]
    check("pages", len(paged) == 25 and len(set(paged)) == 25, paged)
    found = list(mailbox.get_messages(query=mailbox.new_query().search("Page 7"), limit=5))
    check("searched", [one.subject for one in found] == ["Page 7"], [one.subject for one in found])


def calendar(account):
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    default = account.schedule().get_default_calendar()
    event = default.new_event()
    event.subject, event.location = "Welcome", "Room 1"
    event.start = datetime.datetime(2026, 12, 1, 9, 0, tzinfo=berlin)
    event.end = datetime.datetime(2026, 12, 1, 10, 0, tzinfo=berlin)
    event.attendees.add(["adelev@contoso.com"])
    event.recurrence.set_weekly(1, days_of_week=["monday"], first_day_of_week="monday", start=event.start.date(),
                                occurrences=4)
    check("an event", event.save() and event.object_id)
    events = list(default.get_events(include_recurring=False))
    check("listed", [one.subject for one in events] == ["Welcome"], [one.subject for one in events])
    check("at its time", events[0].start == event.start, events[0].start)
    check("every week", events[0].recurrence.occurrences == 4, events[0].recurrence)
    event.subject = "Welcome again"
    check("changed", event.save() and default.get_event(event.object_id).subject == "Welcome again")
    check("deleted", event.delete() and not list(default.get_events(include_recurring=False)))


def files(account):
    drive = account.storage().get_default_drive()
    root = drive.get_root_folder()
    folder = root.create_child_folder("Reports")
    small = folder.upload_file("figures.csv")
    check("uploaded", small and small.name == "figures.csv")
    pathlib.Path("large.bin").write_bytes(os.urandom(9_000_000))
    large = folder.upload_file("large.bin", chunk_size=5 * 1024 * 1024)
    check("uploaded in ranges", large and large.size == 9_000_000)
    pathlib.Path("back").mkdir()
    check("downloaded", large.download(to_path="back"))
    check("unharmed", pathlib.Path("back/large.bin").read_bytes() == pathlib.Path("large.bin").read_bytes())
    check("listed", sorted(one.name for one in folder.get_items()) == ["figures.csv", "large.bin"])
    check("by path", drive.get_item_by_path("/Reports/figures.csv").object_id == small.object_id)
    copy = small.copy(target=root, name="copy.csv")
    for _ in copy.check_status():
        pass
    check("copied", copy.get_item().name == "copy.csv")
    check("renamed", small.update(name="numbers.csv") and small.name == "numbers.csv")
    check("moved", small.move(root) and "numbers.csv" in [one.name for one in root.get_items()])
    check("searched", [one.name for one in drive.search("numbers")] == ["numbers.csv"])
    picture = folder.upload_file(pathlib.Path(__file__).parents[2] / "Sources/Workflows/Graph/Pictures/default-photo.png")
    thumbnails = picture.get_thumbnails()
    check("thumbnails", thumbnails["value"][0]["small"]["width"] == 48, thumbnails)
    check("picture deleted", picture.delete())
    link = small.share_with_link(share_type="view", share_scope="organization")
    check("shared", link and link.share_link.startswith("http"))
    check("deleted", large.delete())
    left = [one.name for one in folder.get_items()]
    check("gone", left == [], left)


def people(account):
    directory = account.directory()
    users = list(directory.get_users(limit=999))
    check("people", len(users) == 8 and MAILBOX in [one.mail for one in users], len(users))
    check("one of them", directory.get_user(MAILBOX).display_name == "Megan Bowen")
    groups = account.groups().list_groups()
    check("groups", "All Employees" in [one.display_name for one in groups])


def main():
    program = sandboxes.program(__doc__)
    with tempfile.TemporaryDirectory() as home:
        os.environ["GRAPHFLOW_HOME"] = home
        # msal takes only addresses with https.
        with (
            sandboxes.running(program, "--tls") as sandbox,
            redirected.running(sandbox, home, f"{home}/sandbox-{sandbox.port}.pem") as variables,
        ):
            os.environ.update(variables)
            os.chdir(home)
            pathlib.Path("figures.csv").write_text("quarter,amount\n1,100\n")
            # It reads the environment when it is imported.
            from O365 import Account
            from O365.utils.token import MemoryTokenBackend

            account = Account(
                (sandboxes.CLIENT, "app-secret"), auth_flow_type="credentials", tenant_id=sandboxes.TENANT,
                main_resource=MAILBOX, token_backend=MemoryTokenBackend(), raise_http_errors=True,
                requests_delay=0)
            check("signed in", account.authenticate())
            for part in (mail, calendar, files, people):
                part(account)
            os.chdir("/")
    end("O365 and the sandbox")


if __name__ == "__main__":
    main()
