"""Who approves the plans of agents, and how: in a terminal, at an address, by a form, and who cannot."""

import re
import time

import anyio
import anyio.to_thread
import mcp_types as types

from agents_office import JULY, JUNE, NOVEMBER, check, ended, plan, structured, text_of
from approval_desk import ADELE, ALEX, LYNNE, MEGAN

BOTH = ("--approvers", f"{MEGAN.address},{ALEX.id}")


async def waits(here, client, name, id, subject, word=None):
    """The plan is refused, and nothing is sent."""
    result = await client.call_tool("run_plan", {"planId": id})
    said, mails = structured(result), here.mails(subject)
    is_said = word is None or re.search(word, text_of(result), re.IGNORECASE)
    check(f"{here.name}: {name}: refused, with the reason and what is next",
          result.is_error and not mails and said.get("next") and is_said, (f"expected /{word}/", text_of(result), mails))
    return said


async def runs(here, client, name, id, subject):
    result = await client.call_tool("run_plan", {"planId": id})
    mails = here.mails(subject)
    check(f"{here.name}: {name}: runs, with one mail", not result.is_error and structured(result)["state"] == "completed" and len(mails) == 1, (text_of(result), len(mails)))


def with_address(here, transport, version):
    """The address of a plan, offered where the client can open it."""
    seen = []

    def asking(person):
        async def asked(context, params):
            seen.append(params)
            if person is None:
                return types.ElicitResult(action="decline")
            pages = await anyio.to_thread.run_sync(here.opens, params.url, person)
            seen.append(pages)
            return types.ElicitResult(action="accept")
        return asked

    async def talk():
        place = "stdio" if transport == "stdio" else here.serve()[1]
        subject = f"{here.name} accepted"
        async with here.client(place, version, asked=asking(MEGAN)) as client:
            id = await plan(client, "welcome-mail", subject)
            if version == JUNE:
                said = await waits(here, client, "no addresses in this version", id, subject)
                check(f"{here.name}: not asked", seen == [] and said["state"] == "waiting", (seen, said))
                return
            await runs(here, client, "approved at the address", id, subject)
            asked, (page, answer, signed) = seen
            check(f"{here.name}: asked by address, once", asked.mode == "url" and re.fullmatch(rf"http://127\.0\.0\.1:\d+/approve/{id}", asked.url), seen)
            check(f"{here.name}: no personal data in what is asked", not re.search("@|Welcome", asked.message + asked.url), asked)
            check(f"{here.name}: the page has the plan", page.status_code == 200 and subject in page.text and "lynner@contoso.com" in page.text, page.text[:500])
            check(f"{here.name}: the page loads nothing", "default-src 'none'" in page.text and "<script" not in page.text and "src=" not in page.text.replace("img-src", ""), page.text[:500])
            check(f"{here.name}: the page leads to a sign-in", answer.status_code == 200 and signed is not None and signed.status_code == 200, (answer.text, signed and signed.text))
            approvals = here.shown(id).get("approvals", [])
            check(f"{here.name}: the journal says who", [(one["by"], one["approved"]) for one in approvals] == [(MEGAN.id, True)], approvals)
            after, _, _ = here.opens(asked.url)
            check(f"{here.name}: the page says that it no longer waits", "no longer waits" in after.text, after.text)
        seen.clear()
        place = "stdio" if transport == "stdio" else place
        subject = f"{here.name} declined"
        async with here.client(place, version, asked=asking(None)) as client:
            id = await plan(client, "welcome-mail", subject)
            await waits(here, client, "declined", id, subject, "not approve")
            url = seen[0].url
            for name, address, data, status in [
                ("another plan", re.sub(r"[^/]+$", "01ARZ3NDEKTSV4RRFFQ69G5FAV", url), None, 404),
                ("the beginning of a plan", url[:-3], None, 404), ("no proof", url, {}, 403), ("a wrong proof", url, {"proof": "0" * 32}, 403),
            ]:
                got = await anyio.to_thread.run_sync(lambda: here.asks(address, data))
                check(f"{here.name}: {name}: {status}", got.status_code == status, (got.status_code, got.text))
        here.modes = {"form": {}}
        seen.clear()
        subject = f"{here.name} forms only"
        async with here.client(place, version, asked=asking(MEGAN)) as client:
            id = await plan(client, "welcome-mail", subject)
            await waits(here, client, "a client with forms only is not asked", id, subject, f"graphflow approve {id}")
            check(f"{here.name}: it was not asked", seen == [], seen)

    ended(talk)


def with_form(here, transport, version):
    """A form of the client's program, where the server was started with it."""
    answers, seen = [], []

    async def asked(context, params):
        seen.append(params)
        answer = answers.pop(0) if answers else types.ElicitResult(action="cancel")
        if answer is None:
            await anyio.sleep(600)
        return answer

    accepted = types.ElicitResult(action="accept", content={"approve": True})

    async def talk():
        options = ("--approve", "form")
        place = "stdio" if transport == "stdio" else here.serve(*options)[1]
        async with here.client(place, version, asked=asked, options=options) as client:
            for name, answer in [
                ("declined", types.ElicitResult(action="decline")), ("cancelled", types.ElicitResult(action="cancel")),
                ("accepted without a tick", types.ElicitResult(action="accept", content={"approve": False})),
                ("accepted without content", types.ElicitResult(action="accept")),
                ("an approval in another member", types.ElicitResult(action="accept", content={"approved": True})),
                ("the text 'true'", types.ElicitResult(action="accept", content={"approve": "true"})),
            ]:
                subject = f"{here.name} {name}"
                id = await plan(client, "welcome-mail", subject)
                answers[:] = [answer]
                said = await waits(here, client, name, id, subject, "not approve")
                check(f"{here.name}: {name}: it still waits", said["state"] == "waiting" and here.state(id) == "waiting", said)
            subject = f"{here.name} accepted"
            id = await plan(client, "welcome-mail", subject)
            seen.clear()
            # On a busy machine, a call can end before its form has come; then no one was asked.
            for patience in (1.5, 4, 12):
                answers[:] = [None]
                with anyio.move_on_after(patience):
                    await client.call_tool("run_plan", {"planId": id})
                if seen:
                    break
            check(f"{here.name}: not answered: nothing is sent", here.mails(subject) == [] and here.state(id) == "waiting" and len(seen) == 1, (here.mails(subject), seen))
            answers[:] = [accepted]
            await runs(here, client, "accepted", id, subject)
            form = seen[-1]
            schema = form.requested_schema
            check(f"{here.name}: the form has one boolean", list(schema["properties"]) == ["approve"] and schema["properties"]["approve"]["type"] == "boolean" and not schema["properties"]["approve"].get("default"), schema)
            check(f"{here.name}: the form shows the plan", subject in form.message and "lynner@contoso.com" in form.message and "://" not in form.message, form.message)
            shown = here.shown(id)
            approvals = shown.get("approvals", [])
            check(f"{here.name}: the journal says that it was a form", [(one["by"], one["approved"]) for one in approvals] == [("form", True)], shown)
            answers[:] = []
            seen.clear()
            again = await client.call_tool("run_plan", {"planId": id})
            check(f"{here.name}: run again, no one is asked", not again.is_error and seen == [] and len(here.mails(subject)) == 1, (text_of(again), seen))
            subject = f"{here.name} approved outside"
            id = await plan(client, "welcome-mail", subject)
            await here.approves(id)
            await runs(here, client, "approved outside", id, subject)
            check(f"{here.name}: approved outside, no one is asked", seen == [], seen)
        here.modes = {"url": {}}
        async with here.client(place, version, asked=asked, options=options) as client:
            subject = f"{here.name} addresses only"
            id = await plan(client, "welcome-mail", subject)
            await waits(here, client, "a client without forms is not asked", id, subject)
            check(f"{here.name}: it was not asked", seen == [], seen)

    ended(talk)


def with_approvers(here):
    """The right and the wrong people, as many as are needed, and in time."""
    async def talk():
        async with here.client("stdio", NOVEMBER, options=BOTH) as client:
            subject = f"{here.name} one"
            id = await plan(client, "welcome-mail", subject)
            status, output, errors = await anyio.to_thread.run_sync(here.signs, id, LYNNE)
            check(f"{here.name}: approve refuses a stranger", status == 2 and "not among" in errors, (status, errors))
            await waits(here, client, "a stranger", id, subject)
            await here.approves(id, MEGAN)
            await runs(here, client, "an approver by name", id, subject)
            subject = f"{here.name} rejected"
            id = await plan(client, "welcome-mail", subject)
            await here.approves(id, ALEX)
            done = await here.does("reject", id, "--note", "not now")
            said = await waits(here, client, "rejected", id, subject)
            check(f"{here.name}: rejected: the state", done.returncode == 0 and said["state"] == "cancelled", (done, said))
            status = structured(await client.call_tool("run_status", {"runId": id}))
            check(f"{here.name}: rejected: run_status says so", status["state"] == "cancelled" and status["next"], status)
        two = (*BOTH, "--approvals", "2")
        async with here.client("stdio", JULY, options=two) as client:
            subject = f"{here.name} two"
            id = await plan(client, "welcome-mail", subject)
            await here.approves(id, MEGAN)
            await waits(here, client, "one of two", id, subject)
            await here.approves(id, ALEX)
            await runs(here, client, "two people", id, subject)
            check(f"{here.name}: the journal has both", {one["by"] for one in here.shown(id).get("approvals", [])} == {MEGAN.id, ALEX.id}, here.shown(id).get("approvals"))
        own = ("--approvers", ADELE.id)
        async with here.client("stdio", JULY, options=own) as client:
            subject = f"{here.name} own"
            id = await plan(client, "welcome-mail", subject)
            await anyio.to_thread.run_sync(here.signs, id, ADELE)
            await waits(here, client, "by the person who planned and runs it", id, subject, "who (planned|runs)")
        async with here.client("stdio", JULY, options=(*own, "--self-approval")) as client:
            await runs(here, client, "the same with --self-approval", id, subject)
        other = ("--approvers", MEGAN.id)
        async with here.client("stdio", JULY, options=BOTH) as client:
            subject = f"{here.name} stricter"
            id = await plan(client, "welcome-mail", subject)
            await here.approves(id, ALEX)
        async with here.client("stdio", JULY, options=other) as client:
            await waits(here, client, "approved by one who is no approver of this server", id, subject, "not among")

    ended(talk)


def in_time(here):
    async def talk():
        async with here.client("stdio", JULY, options=("--approval-expires", "1s")) as client:
            subject = f"{here.name} late"
            id = await plan(client, "welcome-mail", subject)
            await anyio.sleep(1.1)
            done = await here.does("approve", id, "--yes", "--print-url")
            check(f"{here.name}: approve refuses an expired plan", done.returncode == 2, (done.returncode, done.stderr))
            await waits(here, client, "expired", id, subject, "could be approved until|expired")
        async with here.client("stdio", JUNE, options=("--approval-expires", "6s")) as client:
            subject = f"{here.name} approved"
            begun = time.monotonic()
            id = await plan(client, "welcome-mail", subject)
            await here.approves(id)
            await anyio.sleep(max(0, 6.2 - (time.monotonic() - begun)))
            await waits(here, client, "approved, but run too late", id, subject, "could be approved until|expired")
            await plan(client, "welcome-mail", subject)
            check(f"{here.name}: the next plan cancels the expired one", here.reaches(id, "cancelled", 5), here.state(id))

    ended(talk)


def commands(here):
    def ends(name, status, word, *words, **variables):
        done = here.graphflow("mcp", *words, **variables)
        check(f"{here.name}: {name}: {status}", done.returncode == status and re.search(word, done.stderr) and not done.stdout, (f"expected {status}, /{word}/", done.returncode, done.stderr, done.stdout))

    ends("--approve form with --approvers", 64, "--approvers", "flows", "--approve", "form", *BOTH)
    ends("--approvals without --approvers", 64, "--approvers", "flows", "--approvals", "2")
    ends("an unknown way", 64, "--approve|way", "flows", "--approve", "mail")
    ends("no file", 64, "needs workflow files")
    ends("beyond loopback without a token", 64, "--token-file", "flows", "--http", "0.0.0.0:0")
    ends("a token without --http", 64, "--http", "flows", "--token-file", "tokens")
    ends("an unknown kind", 64, "kind", "flows", "--only", "mails")
    here.write("copy.yaml", open(here.path("flows/welcome-mail.yaml"), encoding="utf-8").read())
    ends("two workflows of one name", 2, "welcome-mail", "flows", "copy.yaml")
    here.write("broken.yaml", "document: { dsl: 1.0.3, namespace: samples, name: broken, version: 1.0.0 }\ndo:\n  - a: { call: nothing }\n")
    ends("an invalid file", 2, r"broken\.yaml:3:\d+: error:", "broken.yaml")
    ends("a file that does not exist", 2, "none.yaml", "none.yaml")
    ends("forms where signed approvals are required", 2, "GRAPHFLOW_REQUIRE_APPROVAL|sign", "flows", "--approve", "form", GRAPHFLOW_REQUIRE_APPROVAL="1")
    here.write("flows/broken.yaml", open(here.path("broken.yaml"), encoding="utf-8").read())

    async def talk():
        async with here.client("stdio", JUNE) as client:
            listed = structured(await client.call_tool("list_workflows", {}))["workflows"]
            wrong = [one for one in listed if "problem" in one]
            check(f"{here.name}: an invalid file of a folder is listed with its problem", len(wrong) == 1 and wrong[0]["file"].endswith("broken.yaml") and "nothing" in wrong[0]["problem"], listed)

    ended(talk)
