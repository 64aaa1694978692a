"""Approvals of plans: made with a browser and without graphflow, forged in many ways, and checked afterwards.

    ./environment approvals.py GRAPHFLOW

The approvers' identity platform is authlib's. What a sandbox was sent is the judge: nothing, unless it was approved.
"""

import json
import os
import re
import stat
import subprocess
import tempfile
import unicodedata

import requests

import approval_forgeries as forgeries
import browser as browsers
import sandbox as sandboxes
from approval_desk import ADELE, ALEX, GUEST, LYNNE, MEGAN, NAMELESS, OTHER, Desk, content_of, finished, token_of
from approval_evidence import documented, evidence, evidence_of_questions, evidence_of_resumed
from approval_platform import Key, Platform, digest, nonce, seconds
from checks import check, end


def in_browser(desk, browser):
    plan = desk.plan()
    begun = desk.approving(plan, "--note", "checked the list")
    browser.open(begun[1])
    browser.click("button", MEGAN.name)
    browser.wait_for_text("You approved the plan of")
    status, output, errors = finished(begun)
    path = plan.removesuffix(".json") + ".approval.json"
    check("approve succeeds", status == 0 and MEGAN.address in output and os.path.exists(path), (status, output, errors))
    check("the approver sees what would happen", f"sends the mail 'Welcome' to {LYNNE.address}" in errors, errors)
    check("the browser asks for a fresh sign-in", "prompt=login" in begun[1], begun[1])
    check("only the owner reads the file", stat.S_IMODE(os.stat(path).st_mode) == 0o600, oct(os.stat(path).st_mode))
    approval = content_of(path)
    check("the file's members", set(approval) == {"plan", "expires", "note", "idToken", "key"}, sorted(approval))
    check("the plan's digest, computed independently", approval["plan"] == digest(plan), approval)
    check("the nonce, computed independently", f"nonce={nonce(approval)}" in begun[1], begun[1])
    check("the note", approval["note"] == "checked the list", approval)
    check("the key is the published one", approval["key"].items() <= desk.platform.key.jwk().items(), approval["key"])
    kept = [os.path.join(place, file) for place, _, files in os.walk(desk.variables["GRAPHFLOW_HOME"]) for file in files]
    holders = [file for file in kept if approval["idToken"].split(".")[2] in open(file, encoding="latin-1").read()]
    check("approve keeps no token", not holders, holders)
    desk.accepted("the approval of a browser", plan, path)
    check("a file that exists stays", desk.graphflow("approve", plan, "--yes", "--print-url").returncode == 64)

    begun = desk.approving(desk.plan())
    browser.open(begun[1])
    browser.click("button", "Cancel")
    status, _, errors = finished(begun)
    check("a sign-in that is cancelled approves nothing", status == 2 and "no one signed in" in errors, (status, errors))
    check("what is said then is no advice to stay signed in", "graphflow login" not in errors, errors[-400:])


def in_sandbox(desk, browser):
    """The platform of the sandbox instead, with its own sign-in page."""
    variables = {
        "AZURE_AUTHORITY_HOST": desk.sandbox.address, "AZURE_TENANT_ID": sandboxes.TENANT,
        "GRAPHFLOW_APPROVAL_CLIENT_ID": sandboxes.CLIENT,
    }
    plan = desk.plan(**variables)
    begun = desk.approving(plan, **variables)
    browser.open(begun[1])
    browser.click("label", ALEX.name)
    browser.wait_for(f"document.querySelector('label:has(:checked)').innerText.includes('{ALEX.name}')", "the choice")
    browser.click("button", "Accept")
    browser.wait_for_text("You approved the plan of")
    status, output, errors = finished(begun)
    check("approve with the sandbox's platform", status == 0 and ALEX.address in output, (status, output, errors))
    path = plan.removesuffix(".json") + ".approval.json"
    desk.refused("an approval of the sandbox's platform for another one's", "does not publish", plan, path,
                 approvers=ALEX.address)
    desk.accepted("an approval of the sandbox's platform", plan, path, approvers=ALEX.address, **variables)


def signing_in(desk):
    """What `approve` refuses, with a person who clicks without a browser."""
    platform, attacker = desk.platform, Key("first")

    def refused(name, word, plan=None, **issued):
        plan = plan or desk.plan()
        with platform.issuing(**issued):
            begun = desk.approving(plan)
            requests.post(begun[1], data={"person": MEGAN.id}, timeout=30)
            status, output, errors = finished(begun)
        exists = os.path.exists(plan.removesuffix(".json") + ".approval.json")
        is_refused = status in (1, 2) and re.search(word, errors) and not exists
        check(f"approve refuses {name}", is_refused, (status, errors[-500:]))

    refused("a token with another nonce", "nonce", nonce="another")
    refused("a token without a nonce", "nonce", nonce=None)
    refused("a token of another tenant", "another tenant", tid=OTHER)
    refused("a token for another application", "another application", aud=OTHER)
    refused("a token that somebody else signed", "signature", signer=attacker)
    refused("a token from the past", "clock", iat=1_700_000_000)
    refused("a token without a person", "oid", oid="")
    refused("a token of eleven minutes ago", "clock", iat=seconds(-660), nbf=seconds(-660))
    refused("a token of three minutes from now", "future", iat=seconds(180), nbf=seconds(180))

    def approved(name, person=MEGAN, **issued):
        plan = desk.plan()
        with platform.issuing(**issued):
            begun = desk.approving(plan)
            requests.post(begun[1], data={"person": person.id}, timeout=30)
            status, output, errors = finished(begun)
        check(f"approve takes {name}", status == 0, (status, output, errors[-500:]))
        return plan, plan.removesuffix(".json") + ".approval.json"

    for distance in (-590, -300, 0, 90):
        given = {"iat": seconds(distance), "nbf": seconds(distance)}
        desk.accepted(f"a token of {distance} seconds", *approved(f"a token of {distance} seconds", **given))
    plan, path = approved("a guest", GUEST)
    desk.refused("a guest who signs in, by name", "not among the approvers", plan, path, approvers=GUEST.address)
    desk.accepted("a guest who signs in, by object id", plan, path, approvers=GUEST.id)
    plan, path = approved("a person without a user principal name", NAMELESS)
    desk.refused("a person without a user principal name", "by object id", plan, path, approvers="nora@contoso.com")
    desk.accepted("the same person by object id", plan, path, approvers=NAMELESS.id)
    for clock in (-100, 100):
        with platform.answering(clock=clock):
            desk.accepted(f"a clock that differs by {clock} seconds", *approved(f"a clock of {clock} seconds"))
    asked = len(platform.asked)
    plan = desk.plan()
    content = content_of(plan)
    content["plan"]["effects"] = []
    desk.refused_command("approve of a plan with a hidden effect", "changed", "approve", desk.file(content), "--yes")
    desk.refused_command("approve of what is no plan", "not a plan", "approve", desk.file({"a": 1}), "--yes")
    desk.refused_command("approve without a terminal or --yes", "--yes", "approve", plan, status=(64,))
    check("approve asks no one to sign in then", platform.asked[asked:] == [], platform.asked[asked:])


def people(desk):
    platform, plan = desk.platform, desk.plan()
    stranger = "not among the approvers"

    def named(name, address, approvers, /, **claims):
        """An approval by somebody with another object id, whose name is to be taken for an approver's."""
        made = platform.approval(plan, MEGAN, name, claims={"oid": OTHER, "preferred_username": address, **claims})
        return name, plan, made, approvers

    def refused(*arguments, **claims):
        name, plan, made, approvers = named(*arguments, **claims)
        desk.refused(name, stranger, plan, made, approvers=approvers)

    def accepted(*arguments, **claims):
        name, plan, made, approvers = named(*arguments, **claims)
        desk.accepted(name, plan, made, approvers=approvers)

    desk.refused("somebody else", stranger, plan, platform.approval(plan, LYNNE))
    refused("a Cyrillic letter", "meg\u0430n@contoso.com", "megan@contoso.com")
    refused("a Cyrillic letter among the approvers", "megan@contoso.com", "meg\u0430n@contoso.com")
    refused("the Kelvin sign", "\u212aim@contoso.com", "kim@contoso.com")
    refused("the Kelvin sign among the approvers", "kim@contoso.com", "\u212aim@contoso.com")
    refused("a long s", "me\u017fsy@contoso.com", "messy@contoso.com")
    refused("a dotless i", "d\u0131ego@contoso.com", "diego@contoso.com")
    refused("a capital I with a dot", "d\u0130ego@contoso.com", "diego@contoso.com")
    refused("letters of full width", "ｍｅｇａｎ@contoso.com", "megan@contoso.com")
    refused("a ligature", "\ufb01nn@contoso.com", "finn@contoso.com")
    refused("a letter without a width", "megan\u200b@contoso.com", "megan@contoso.com")
    refused("a soft hyphen", "me\u00adgan@contoso.com", "megan@contoso.com")
    refused("a space after the name", "megan@contoso.com ", "megan@contoso.com")
    refused("a line break after the name", "megan@contoso.com\n", "megan@contoso.com")
    refused("a null after the name", "megan@contoso.com\0", "megan@contoso.com")
    refused("the names of two approvers", "megan@contoso.com,alexw@contoso.com", "megan@contoso.com,alexw@contoso.com")
    composed = "zo\u00eb@contoso.com"
    apart = unicodedata.normalize("NFD", composed)
    refused("a composed letter written in two", apart, composed)
    refused("two letters written as a composed one", composed, apart)
    refused("the same name in another domain", "megan@contoso.com.example", "megan@contoso.com")
    refused("part of a name", "megan", "megan@contoso.com")
    refused("a display name", "other@contoso.com", "megan@contoso.com", name="megan@contoso.com")
    # A user principal name is no object id, whatever it looks like.
    refused("an approver's object id as the name", MEGAN.id, MEGAN.id)
    for name, claims in [("an approver by 'email'", {"email": MEGAN.address}),
                         ("an approver by 'unique_name'", {"unique_name": MEGAN.address})]:
        made = platform.approval(plan, MEGAN, name, claims={"oid": OTHER, **claims}, without=["preferred_username"])
        desk.refused(name, stranger, plan, made)
    desk.refused("an approver's id as 'sub'", stranger, plan,
                 platform.approval(plan, LYNNE, claims={"sub": ALEX.id}))
    guest = {"idp": f"https://sts.windows.net/{OTHER}/"}
    refused("a guest by name", "megan@contoso.com", "megan@contoso.com", **guest)
    refused("a guest of a social service by name", "megan@contoso.com", "megan@contoso.com", idp="mail.contoso.com")
    desk.accepted("a guest by object id", plan, platform.approval(plan, ALEX, "guest", claims=guest))
    accepted("'idp' that is the issuer", "megan@contoso.com", "megan@contoso.com", idp=platform.issuer)
    accepted("a name in capitals", "MEGAN@CONTOSO.COM", "megan@contoso.com")
    accepted("an approver in capitals", "megan@contoso.com", "lynner@contoso.com, Megan@Contoso.com")
    accepted("a name with a composed letter", composed, composed)
    made = platform.approval(plan, MEGAN, "upn", claims={"upn": MEGAN.address}, without=["preferred_username"])
    desk.accepted("an approver by 'upn'", plan, made)
    desk.accepted("an object id in capitals among the approvers", plan, platform.approval(plan, ALEX, "capitals"),
                  approvers=ALEX.id.upper())


def four_eyes(desk):
    platform = desk.platform
    everybody = {"approvers": ",".join(one.id for one in platform.people)}
    plan = desk.plan()
    own = platform.approval(plan, ADELE)
    desk.refused("by the person who planned and runs it", "who (planned|runs)", plan, own, **everybody)
    # Tokens that name no account: the plan of an account is refused for another one.
    runner = {"GRAPHFLOW_ACCESS_TOKEN": token_of(ADELE.id)}
    theirs = desk.plan(GRAPHFLOW_ACCESS_TOKEN=token_of(MEGAN.id))
    desk.refused("by the person who planned it", "who planned", theirs, platform.approval(theirs, MEGAN), **everybody,
                 **runner)
    desk.refused("by the person who runs it", "who runs", theirs, platform.approval(theirs, ADELE), **everybody, **runner)
    desk.refused("a second one by the person who runs it", "who (planned|runs)", plan, platform.approval(plan, MEGAN), own,
                 **everybody)
    desk.refused("by the person who runs it, with the id in capitals", "who (planned|runs)", plan,
                 platform.approval(plan, ADELE, claims={"oid": "AAAAAAAA" + ADELE.id[8:]}),
                 GRAPHFLOW_ACCESS_TOKEN=token_of("aaaaaaaa" + ADELE.id[8:]), approvers="aaaaaaaa" + ADELE.id[8:])
    desk.accepted("by somebody else", theirs, platform.approval(theirs, ALEX), **everybody, **runner)
    desk.accepted("by the same person, with --self-approval", plan, own, options=["--self-approval"], **everybody)

    opaque = {"GRAPHFLOW_ACCESS_TOKEN": "opaque"}
    unknown_planner = desk.plan(**opaque)
    check("a plan by no one who is known", content_of(unknown_planner)["plan"]["plannedBy"] is None, content_of(unknown_planner)["plan"])
    unknown = "unknown who"
    desk.refused("no one knows who planned it", unknown + " planned", unknown_planner, platform.approval(unknown_planner, MEGAN))
    desk.refused("no one knows who runs it", unknown + " runs", plan, platform.approval(plan, MEGAN), **opaque)
    desk.refused("no one knows who planned and runs it", unknown, unknown_planner, platform.approval(unknown_planner, MEGAN), **opaque)
    for name, path, variables in [("planned", unknown_planner, {}), ("runs", plan, opaque), ("planned and runs", unknown_planner, opaque)]:
        desk.accepted(f"no one knows who {name} it, with --self-approval", path, platform.approval(path, MEGAN, name),
                      options=["--self-approval"], **variables)

    two = ["--approvals", "2"]
    first, second = platform.approval(plan, MEGAN, "one"), platform.approval(plan, ALEX, "two")
    desk.refused("one of two", "1 of the 2", plan, first, options=two)
    desk.refused("the same one twice", "by one person", plan, first, first, options=two)
    desk.refused("two by one person", "by one person", plan, first, platform.approval(plan, MEGAN, "two"), options=two)
    capitals = platform.approval(plan, LYNNE, "one", claims={"oid": "aaaaaaaa" + LYNNE.id[8:]})
    desk.refused("two by one person, with the id in capitals", "by one person", plan, capitals,
                 platform.approval(plan, LYNNE, "two", claims={"oid": "AAAAAAAA" + LYNNE.id[8:]}), options=two,
                 approvers="aaaaaaaa" + LYNNE.id[8:])
    desk.refused("a second one by a stranger", "not among", plan, first, platform.approval(plan, LYNNE), options=two)
    desk.refused("a second one of another plan", "something else", plan, first, platform.approval(theirs, ALEX), options=two)
    desk.refused("a second one that was changed", "signed for something else", plan, first, {**second, "note": "three"})
    desk.refused("two of three", "2 of the 3", plan, first, second, options=["--approvals", "3"])
    desk.accepted("two people", plan, first, second, options=two)


def once(desk):
    platform, plan = desk.platform, desk.plan()
    good = platform.approval(plan, MEGAN)
    path = desk.file(good)
    desk.refused("a refusal before the run", "not among", plan, path, approvers=LYNNE.id)
    desk.refused("another account than the plan's", "plan was made for", plan, path, GRAPHFLOW_ACCESS_TOKEN=LYNNE.token())
    desk.accepted("a refusal does not use an approval", plan, path)
    desk.refused("the same approval again", "was used", plan, path)
    desk.refused("a copy of it", "was used", plan, good)
    again = platform.approval(plan, MEGAN, expires=good["expires"])
    desk.refused("the same statement signed again", "was used", plan, again)
    another = platform.approval(plan, ALEX)
    desk.refused("a used one and a new one", "was used", plan, path, another)
    desk.accepted("the new one alone", plan, another)

    # Where it is recorded that they were used.
    home = desk.path("home of another")
    os.makedirs(home)
    elsewhere, approval = {"GRAPHFLOW_HOME": home}, platform.approval(plan, MEGAN, "elsewhere")
    used = os.path.join(home, "approvals")
    with open(used, "w", encoding="ascii"):
        pass
    desk.refused("no folder for what was used", "cannot be recorded", plan, approval, **elsewhere)
    os.remove(used)
    desk.accepted("a home without a record of used approvals", plan, approval, **elsewhere)
    for name in os.listdir(used):
        os.truncate(os.path.join(used, name), 0)
    desk.refused("a record that was emptied", "used", plan, approval, **elsewhere)

    # At the same time, without a journal as well.
    for name, options in [("with journals", []), ("without journals", ["--no-journal"])]:
        path = desk.file(platform.approval(plan, MEGAN, name))
        before = len(desk.sent()[1])
        begun = [
            subprocess.Popen(
                [desk.program, *desk.words(plan, [path], options)], env=desk.environment({}), cwd=desk.folder,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            for _ in range(8)
        ]
        ends = [(process.communicate(timeout=120)[1], process.returncode) for process in begun]
        codes = sorted(code for _, code in ends)
        check(f"eight processes at once, {name}: one begins", codes == [0] + [2] * 7, ends)
        check(f"eight processes at once, {name}: seven say why", sum("was used" in text for text, _ in ends) == 7, ends)
        mails = len(desk.sent()[1]) - before
        check(f"eight processes at once, {name}: one mail", mails == 1, mails)


def commands(desk):
    platform, plan = desk.platform, desk.plan()
    required = {"GRAPHFLOW_REQUIRE_APPROVAL": "1"}
    good = desk.file(platform.approval(plan, MEGAN))
    run, approvers = ("run", "welcome.yaml"), ("--approvers", desk.approvers)
    given = ("--input", json.dumps({"to": LYNNE.address}))
    usage = {"status": (64,)}
    desk.refused_command("--require-approval without --approvers", "--approvers", *run, "--plan", plan, "--approval", good,
                         "--require-approval", **usage)
    desk.refused_command("the variable without --approvers", "--approvers", *run, "--plan", plan, "--approval", good,
                         **usage, **required)
    for text in ("", ",", "megan@contoso.com,", " "):
        desk.refused_command(f"'{text}' as the approvers", "names", *run, "--plan", plan, "--approval", good,
                             "--require-approval", "--approvers", text, **usage)
    for text in ("0", "-1", "many"):
        desk.refused_command(f"'{text}' approvals", "approvals", *desk.words(plan, [good], ["--approvals", text]), **usage)
    for words in (approvers, ("--approvals", "2")):
        desk.refused_command(f"{words[0]} without --require-approval", "--require-approval", *run, *given, *words, **usage)
    for name, options, variables in [
        ("--require-approval", ["--require-approval", *approvers], {}), ("the variable", approvers, required),
        ("the variable as 'no'", approvers, {"GRAPHFLOW_REQUIRE_APPROVAL": "no"}),
    ]:  # fmt: skip
        desk.refused_command(f"{name}, and no plan", "no plan", *run, *given, *options, **variables)
        desk.refused_command(f"{name}, and no approval", "there is none", *run, "--plan", plan, *options, **variables)
        desk.refused_command(f"{name}, and an approval without a plan", "no plan|--plan", *run, *given, *options,
                             "--approval", good, status=(2, 64), **variables)
    stranger = platform.approval(plan, LYNNE)
    desk.refused_command("a forged approval that no one demanded", "signed for something else", *run, "--plan", plan,
                         "--approval", desk.file({**stranger, "note": "x"}))
    desk.refused("an approval of the service's platform for a sandbox inside the process", "does not publish", plan, good,
                 options=["--sandbox"])
    desk.accepted("the variable, and an approval", plan, good, **required)

    # What no one can approve.
    desk.write("items.jsonl", "".join(json.dumps({"to": one.address}) + "\n" for one in (MEGAN, ALEX)))
    batch = ("batch", "welcome.yaml", "--each", "items.jsonl")
    desk.refused_command("a batch", "batch", *batch, **required)
    desk.refused_command("a named batch", "batch", *batch, "--name", "spring", **required)
    listed = desk.new("json")
    made = desk.graphflow(*batch, "--dry-run=read", "--plan-out", listed, **required)
    check("a batch can be planned", made.returncode == 0 and os.path.exists(listed), made.stderr)
    desk.refused_command("approve of a batch's plan", "batch", "approve", listed, "--yes", status=(2, 64))
    desk.refused_command("a batch with its plan", "batch", *batch, "--plan", listed, **required)
    desk.refused_command("a run with a batch's plan", "plan|batch", *desk.words(listed, [platform.approval(listed, MEGAN)]))
    body = ("--body", json.dumps({"subject": "Hello"}))
    for words in (("post", "/me/messages", *body), ("patch", "/me/messages/1", *body), ("delete", "/me/messages/1"),
                  ("put", "/me/drive/root:/a.txt:/content", "--body", "hello")):
        desk.refused_command(f"{words[0]}", "single request cannot be approved", *words, **required)
    got = desk.graphflow("get", "/me", **required)
    check("get is allowed", got.returncode == 0, got.stderr)

    # Runs that continue.
    def interrupted(*options, **variables):
        desk.sandbox.fault("POST /me/messages 400")
        done = desk.graphflow(*run, *options, **variables)
        check("a run that faults", done.returncode == 1, (done.returncode, done.stderr))

    interrupted("--plan", plan)
    desk.refused_command("resume of a run that was not approved", "was not approved", "resume", "last", *approvers,
                         **required)
    desk.refused_command("resume of it with --require-approval", "was not approved", "resume", "last", "--require-approval",
                         *approvers)
    desk.refused_command("resume of it with the variable alone", "approv", "resume", "last", status=(2, 64), **required)
    desk.refused_command("resume of it with an approval and no plan", "--plan|approved", "resume", "last", *approvers,
                         "--approval", desk.file(platform.approval(plan, MEGAN, "late")), status=(2, 64), **required)
    used = desk.file(platform.approval(plan, MEGAN, "resumed"))
    interrupted("--plan", plan, "--approval", used, *approvers, **required)
    desk.refused("the approval of a run that faulted", "was used", plan, used)
    before = len(desk.sent()[1])
    done = desk.graphflow("resume", "last", *approvers, **required)
    check("resume of a run that was approved", done.returncode == 0 and len(desk.sent()[1]) == before + 1, done.stderr)
    desk.refused_command("a task again in it", "plan|approv", "resume", "last", "--from", "mail", "--repeat-effects",
                         *approvers, status=(2, 64), **required)


def notes(desk):
    platform, plan = desk.platform, desk.plan()
    strange = {
        "quotes": "'\"“”`", "marks of plans": "‹token› «a»", "percent": "100 % %s %n %41",
        "emoji": "👍🏽 👩‍👩‍👧 🇳🇱",
        "line breaks": "one\ntwo\r\nthree\u2028four\tfive", "controls": "\u0001\u001b[2J\u007f\u009b", "a null": "a\0b",
        "both directions": "\u202eabc\u2066", "10,000 letters": "0123456789" * 1_000, "letters apart": "e\u0301 \u00e9",
        "expressions": "${ .to } <b>&amp;</b> \\ \\u0041", "beyond the basic plane": "\U0010ffff\ufeff\uffff",
    }  # fmt: skip
    for name, note in strange.items():
        desk.accepted(f"a note with {name}", plan, platform.approval(plan, MEGAN, note))
    apart = platform.approval(plan, MEGAN, "e\u0301")
    desk.refused("a note whose letters are composed", "signed for something else", plan, {**apart, "note": "\u00e9"})
    given = {
        "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\u0080": 6,
        "\u00f6": [1e21, 1e-7, 0.1, 333333333.3333333],
        "zero": -0.0, "small": 5e-324, "large": 1.7976931348623157e308, "whole": 9007199254740991, "one": 1.0, "none": None,
        "text": "\u20ac$\u000f\nA'B\"\\\\\"/\u007f",
    }  # fmt: skip
    plan = desk.plan(given=given)
    desk.accepted("the digest of a plan with unusual names and numbers", plan, platform.approval(plan, MEGAN))
    with open(plan, encoding="utf-8") as file:
        shuffled = json.dumps(json.load(file), sort_keys=True, indent=3)
    desk.accepted("the same plan in another layout", desk.file(shuffled), platform.approval(plan, MEGAN, "layout"))


def main():
    program = sandboxes.program(__doc__)
    platform = Platform([ADELE, MEGAN, ALEX, LYNNE, GUEST, NAMELESS])
    with tempfile.TemporaryDirectory() as folder, sandboxes.running(program) as sandbox:
        desk = Desk(program, sandbox, platform, folder)
        with browsers.running() as browser:
            in_browser(desk, browser)
            in_sandbox(desk, browser)
        for part in (
            signing_in, forgeries.files, forgeries.numbers, forgeries.tokens, forgeries.published_keys, forgeries.answers,
            people, four_eyes, once, commands, notes, evidence, evidence_of_resumed, evidence_of_questions,
        ):  # fmt: skip
            part(desk)
        documented()
    end("approvals")


if __name__ == "__main__":
    main()
