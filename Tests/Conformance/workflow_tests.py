"""The tests of the samples: they pass, their files and results are well-formed, and they find seeded mistakes."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import jsonschema
from ruamel.yaml import YAML

WORKFLOWS = pathlib.Path(__file__).resolve().parent.parent.parent / "workflows"
PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
yaml = YAML(typ="safe", pure=True)

# What is replaced in a sample, and by what; every result is a valid workflow.
MISTAKES = """
ask-first: status: 403 | status: 404
ask-first: to: '${ $context.people }' | to: megan@contoso.com
call-catalog: { net: 10 } | { net: 11 }
catch-and-go-on: window | door
choose-and-repeat: .number == 1 | .number == 2
choose-and-repeat: .number / 2 | .number / 2 | floor + 1
choose-and-repeat: 3 * .number + 1 | 3 * .number - 1
choose-and-repeat: .number % 2 == 0 | .number % 2 == 1
choose-and-repeat: steps: 0 | steps: 1
choose-and-repeat: minimum: 1 | minimum: 0
data-flow: .price * .count | .price + .count
data-flow: .items | length | .items | length + 1
data-flow: kinds of things | kind of things
data-flow: from: .order | from: . 
draft-mail: method: PATCH | method: PUT
draft-mail: importance: high | importance: low
draft-mail: isDraft eq true | isDraft eq false
draft-mail: address: .to | address: "a@contoso.com"
errors: .amount > 10 | .amount > 100
errors: .amount < 0 | .amount < -5
errors: status: 400 | status: 401
errors: accepted: 10 | accepted: 11
errors: $problem.title != "Too much" | $problem.title == "Too much"
events: .celsius > 40 | .celsius > 10
events: too hot | too cold
events: celsius: 43 | celsius: 33
for-each-item: onFailure: continue | onFailure: stop
for-each-item: .error.status | .error.title
mail-on-monday: map(.mail) | map(.name + "@contoso.com")
mail-on-monday: %d %B | %d.%m.
mail-on-monday: status: 503 | status: 500
new-colleagues: - 24 * 3600 | - 2 * 24 * 3600
new-colleagues: select(.mail) | select(true)
share-file: scope: organization | scope: anonymous
share-file: to: '${ $person.mail }' | to: megan@contoso.com
nightly-report: sort_by(-.people) | sort_by(.people)
nightly-report: @html "<tr> | "<tr>
empty: call: me | call: users
file-changed: drive/root:/Team | drive/root:/Private
file-changed: select(.)) }' | select(true)) }'
for-each-user: $place < 10 | $place < 1
for-each-user: has: true | has: false
for-each-user: status: 404 | status: 403
fork-and-join: startsWith: A | startsWith: M
fork-and-join: name: .[0] | name: .[1]
functions-and-extensions: Hello | Hallo
functions-and-extensions: "users" | "user"
mail-with-invoice: "_" | "-"
mail-with-invoice: /reply | /replyAll
mail-with-invoice: receivedDateTime[:19] | receivedDateTime[:10]
mail-failed-runs: check before | look before
mail-failed-runs: \\(.workflow) failed | \\(.workflow) ended
race: compete: true | compete: false
race: seconds: 5 | seconds: 50
run-script: max(scores) | min(scores)
run-shell: exit 3 | exit 4
run-shell: grep nobody | grep Adele
run-workflow: Good morning | Good evening
run-workflow-greet: .displayName | .userPrincipalName
schedule: startedAt.iso8601 | startedAt.epoch
schedule-on: [0] | [1]
secrets: The code is | The code was
share-profile-photo: status: 404 | status: 403
share-profile-photo: usedDefaultPhoto: false | usedDefaultPhoto: true
share-profile-photo: type: view | type: edit
share-profile-photo: "me.png" | "you.png"
share-profile-photo: to: ${ $context.to } | to: megan@contoso.com
share-profile-photo: status: 503 | status: 500
welcome: if .desk then | if .mail then
welcome: DTSTART | DTEND
welcome-new-people: .mail == null | .mail != null
welcome-new-people: PT10M | PT1M
welcome-new-people: [displayName, mail, department] | [displayName, mail]
welcome-list: to: ${ $person.mail } | to: megan@contoso.com
"""


def graphflow(*arguments, folder):
    return subprocess.run([PROGRAM, "test", *arguments], cwd=folder, capture_output=True, text=True, timeout=300)


def mistakes():
    for line in MISTAKES.strip().splitlines():
        name, rest = line.split(": ", 1)
        old, new = rest.split(" | ", 1) if rest.count(" | ") == 1 else split_in_the_middle(rest)
        yield name, old, new.strip()


def split_in_the_middle(text):
    """Where expressions have pipes themselves, the text of the file decides."""
    parts = text.split(" | ")
    return " | ".join(parts[: len(parts) // 2]), " | ".join(parts[len(parts) // 2 :])


def main():
    failures = []
    schema = json.loads((WORKFLOWS / "graphflow-test.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in sorted(WORKFLOWS.glob("*.test.yaml")):
        failures += [f"{path.name}: {error.message}" for error in validator.iter_errors(yaml.load(path))]

    run = graphflow(folder=WORKFLOWS)
    if run.returncode != 0:
        failures.append(f"the tests of the samples fail:\n{run.stdout}{run.stderr}")
    cases = xml.etree.ElementTree.fromstring(graphflow("--format", "junit", folder=WORKFLOWS).stdout).findall(".//testcase")
    results = json.loads(graphflow("--format", "json", folder=WORKFLOWS).stdout)
    lines = graphflow("--format", "tap", folder=WORKFLOWS).stdout.splitlines()
    count = sum(len(file["cases"]) for file in results)
    if len(cases) != count or f"1..{count}" not in lines or len([line for line in lines if line.startswith("ok ")]) != count:
        failures.append(f"{count} cases in JSON, but {len(cases)} in XML, or others in TAP")

    found = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder, "workflows")
        for name, old, new in mistakes():
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(WORKFLOWS, folder)
            file = folder / f"{name}.yaml"
            lines = file.read_text().splitlines(keepends=True)
            changed = [line if line.startswith("#") else line.replace(old, new) for line in lines]
            if changed == lines:
                failures.append(f"{name}.yaml has no {old!r}")
                continue
            file.write_text("".join(changed))
            run = graphflow(file.name, folder=folder)
            if run.returncode != 1:
                failures.append(f"{name}.yaml: {old!r} → {new!r} is not found (status {run.returncode})\n{run.stderr}")
            found += run.returncode == 1
    for failure in failures:
        print(failure)
    print(f"{count} cases of {len(results)} samples, {found} seeded mistakes found, {len(failures)} failures")
    return bool(failures)


sys.exit(main())
