"""What a server lets the plans of agents do, when they are planned and when they run; and which credential plans."""

import os
import re

from agents_office import JULY, NOVEMBER, check, ended, plan, structured, text_of
from agents_passage import passage
from approval_desk import LYNNE, MEGAN

MAIL = {"to": "lynner@contoso.com"}


def when_planned(here):
    """Within and beyond each bound."""
    async def bounded(options, within, beyond):
        async with here.client("stdio", JULY, options=options) as client:
            for name, given in within:
                made = await client.call_tool(f"plan_{name}", given)
                check(f"{here.name}: {' '.join(options)} allows {name} {given.get('to', '')}", not made.is_error and structured(made)["planId"], text_of(made))
            for name, given, word in beyond:
                made = await client.call_tool(f"plan_{name}", given)
                said = structured(made)
                is_said = re.search(word, said.get("error", {}).get("detail", "")) and options[0] in text_of(made) and said.get("next")
                check(f"{here.name}: {' '.join(options)} refuses {name} {given.get('to', '')}, and says why",
                      made.is_error and "planId" not in said and is_said and said["totals"] and said["effects"], (f"expected /{word}/", text_of(made)))

    async def talk():
        await bounded(("--max-mails", "1"), [("welcome-mail", MAIL), ("delete-message", MAIL)], [("two-mails", MAIL, "at most 2")])
        await bounded(("--max-mails", "0"), [("read-people", {})], [("welcome-mail", MAIL, "at most 1")])
        await bounded(("--no-deletes",), [("two-mails", MAIL)], [("delete-message", MAIL, "delete")])
        await bounded(("--internal-only",), [("welcome-mail", MAIL)], [
            ("welcome-mail", {"to": "someone@fabrikam.com"}, "outside"), ("anonymous-link", MAIL, "links that anyone can open")])
        other, posted = ("other-service", MAIL, "not known"), ("post-conversation", MAIL, "not known")
        await bounded(("--no-deletes",), [("forward-event", MAIL), ("post-conversation", MAIL)], [("batch-delete", MAIL, "delete"), ("wipe-device", MAIL, "delete"), other])
        await bounded(("--max-mails", "0"), [("batch-delete", MAIL), ("wipe-device", MAIL)], [("forward-event", MAIL, "at most 1"), posted, other])
        await bounded(("--internal-only",), [("batch-delete", MAIL), ("forward-event", MAIL)], [
            ("forward-event", {"to": "someone@fabrikam.com"}, "outside"), posted, other])
        await bounded(("--no-grants",), [("welcome-mail", MAIL), ("batch-delete", MAIL)], [other])
        await bounded(("--only", "mail,file"), [("welcome-mail", MAIL)], [
            ("anonymous-link", MAIL, "'link'"), ("delete-message", MAIL, "'delete'")])

    ended(talk)


def when_run(here):
    """A server with stricter bounds than the one that planned."""
    async def talk():
        made = {}
        async with here.client("stdio", NOVEMBER) as client:
            for name, flow, to in [("--max-mails", "two-mails", "lynner@contoso.com"), ("--no-deletes", "delete-message", "lynner@contoso.com"),
                                   ("--internal-only", "welcome-mail", "someone@fabrikam.com"), ("--only", "two-mails", "lynner@contoso.com")]:
                made[name] = await plan(client, flow, f"{here.name} {name}", to)
                await here.approves(made[name])
        for name, value in [("--max-mails", ["1"]), ("--no-deletes", []), ("--internal-only", []), ("--only", ["file,link"])]:
            async with here.client("stdio", JULY, options=(name, *value)) as client:
                result = await client.call_tool("run_plan", {"planId": made[name]})
                check(f"{here.name}: a server with {name} refuses the approved plan, and says why", result.is_error and name in text_of(result) and structured(result)["next"], text_of(result))
                # No other case removes anything.
                removed = [one for one in here.sent()[0] if one["method"] == "DELETE"]
                mails = here.mails(f"{here.name} {name}")
                check(f"{here.name}: {name}: nothing is sent", not mails and not removed, (mails, removed))
                check(f"{here.name}: {name}: it still waits", here.state(made[name]) == "waiting", here.state(made[name]))
        async with here.client("stdio", JULY, options=("--max-mails", "2")) as client:
            result = await client.call_tool("run_plan", {"planId": made["--max-mails"]})
            check(f"{here.name}: a server with wider bounds runs it", not result.is_error and len(here.mails(f"{here.name} --max-mails")) == 2, text_of(result))

    ended(talk)


def credentials(here):
    """Plans use the credential that only reads, and runs the other one."""
    reader, writer = LYNNE.token(), MEGAN.token()
    here.write("planning.env", f"GRAPHFLOW_ACCESS_TOKEN={reader}\n")
    os.chmod(here.path("planning.env"), 0o600)

    async def talk():
        options = ("--planning-env-file", "planning.env")
        with passage(here.sandbox) as (address, seen):
            async with here.client("stdio", JULY, options=options, GRAPHFLOW_ACCESS_TOKEN=writer, GRAPHFLOW_GRAPH_URL=address) as client:
                made = structured(await client.call_tool("plan_share-profile-photo", {"subject": here.name}))
                check(f"{here.name}: plans use the credential for plans, and not the other", {token for _, token in seen} == {reader}, seen)
                check(f"{here.name}: planning only reads", {method for method, _ in seen} == {"GET"}, seen)
                await here.approves(made["planId"])
                seen.clear()
                ran = await client.call_tool("run_plan", {"planId": made["planId"]})
                check(f"{here.name}: the run completes, with one mail", not ran.is_error and len(here.mails(here.name)) == 1, text_of(ran))
                check(f"{here.name}: the run uses the other credential, and not that of plans", {token for _, token in seen} == {writer}, seen)
            kept = [os.path.join(place, file) for place, _, files in os.walk(here.variables["GRAPHFLOW_HOME"]) for file in files]
            holders = [file for file in kept if any(one in open(file, encoding="latin-1").read() for one in (reader, writer))]
            check(f"{here.name}: no token is kept", not holders, holders)

    ended(talk)
    here.write("empty.env", "LANG=C\n")
    os.chmod(here.path("empty.env"), 0o600)
    done = here.graphflow("mcp", "flows", "--planning-env-file", "empty.env")
    check(f"{here.name}: a file without a credential: 64", done.returncode == 64 and "credential" in done.stderr, (done.returncode, done.stderr))
