"""Every command that the documentation shows is run, in a copy of the samples and against a sandbox.

Each page is a folder of its own, whose commands run one after another as a reader would type them. What cannot be run is
named in NOT_RUN, with the reason. Commands inside a sentence are not run: their options are looked up.
"""

import contextlib
import json
import os
import pathlib
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile

import sandbox
from checks import at_once, case, check, check_none, end

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PICTURES = ROOT / "Sources/Workflows/Engine/Documentation.docc/Resources"
COMMAND = re.compile(r"^(?:[A-Z_]+=\S+ )*(?:swift run )?graphflow |^curl http://127\.0\.0\.1|^export |^python3 \w+\.py")
LISTENS = re.compile(
    r"^(?:[A-Z_]+=\S+ )*graphflow (?:serve (?!.*--check)|sandbox|board|mcp .*--http (?!.*--print-config))"
)
RUN_ID = re.compile(r"\b01[0-9A-Z]{24}\b")

NOT_RUN = {"graphflow init": "asks a person at a terminal"}

# What ends otherwise than with 0, because the page shows an error.
STATUS = {"graphflow run workflow.yaml": 1}

# A workflow that fails until there is a file, for what continues.
LATER = """document: { dsl: 1.0.3, namespace: tests, name: later, version: 1.0.0 }
do:
  - look: { run: { shell: { command: test -e %s } } }
"""

# The workflow whose error a page shows.
FAILING = """document: { dsl: 1.0.3, namespace: tests, name: ask, version: 1.0.0 }
do:
  - load: { set: { users: '${ [range(40) | { mail: (if . == 37 then null else "a" end) }] }' } }
  - each:
      for: { each: user, in: .users }
      do: [{ ask: { set: { mail: '${ $user.mail | ascii_downcase }', users: '${ .users }' } } }]
"""

# A run of a service that waits for approval; the service has ended.
WAITING = f"""AZURE_TENANT_ID={sandbox.TENANT} graphflow serve every.yaml --require-approval --approvers adelev@contoso.com,megan@contoso.com 2> serve.log &
until grep -q 'waits for approval' serve.log; do sleep 0.2; done; kill $!; wait"""

TOKENS = "openssl rand -hex 32 > tokens && chmod 600 tokens"

# A run against the sandbox of the page whose effects can all be taken back.
SHELF = "printf '%s' 'document: { dsl: 1.0.3, namespace: tests, name: shelf, version: 1.0.0 }\ndo: [{ put: { call: upload, with: { path: shelf.txt, content: x, conflictBehavior: rename } } }]\n' > shelf.yaml && graphflow run shelf.yaml"

# What a command needs beside the samples.
NEEDS = {
    "graphflow undo last": SHELF,
    "graphflow undo last --dry-run": SHELF,
    "graphflow approve last": WAITING,
    "graphflow reject last --note 'the list is from last year'": WAITING,
    "graphflow resume last": "graphflow run later.yaml --quiet; touch ready",
    "graphflow resume last --dry-run": "rm -f ready; graphflow run later.yaml --quiet; touch ready",
    "graphflow show last --html run.html": "graphflow run workflow.yaml --quiet",
    "graphflow show plan.json --format html":
        "graphflow run workflows/share-profile-photo.yaml -p to=megan@contoso.com --dry-run --plan-out plan.json",
    "graphflow resume 01K0CM": "rm -f ready; graphflow run later.yaml --quiet; touch ready",
    "graphflow run workflow.yaml": "cp failing.yaml workflow.yaml",
    "graphflow resume spring --only faulted":
        "rm -f ready; graphflow batch later.yaml --each people.csv --key .mail --name spring --quiet; touch ready",
    "graphflow completions bash > ~/.local/share/bash-completion/completions/graphflow":
        "mkdir -p ~/.local/share/bash-completion/completions",
    "graphflow run order.yaml --secrets secrets.yaml --sandbox --mock shop.yaml": "chmod 600 secrets.yaml",
    "graphflow serve report.yaml --listen 0.0.0.0:8080 --token-file tokens": TOKENS,
    "graphflow mcp workflows --http 0.0.0.0:8080 --token-file tokens": TOKENS,
    "graphflow mcp workflows --planning-env-file planning.env":
        "echo GRAPHFLOW_ACCESS_TOKEN=token > planning.env && chmod 600 planning.env",
    "graphflow post /users/adelev@contoso.com/sendMail --body @mail.json":
        "until grep -qs cursor .home/changes/*/changes.jsonl; do sleep 0.2; done",
    "graphflow get '/users/adelev@contoso.com/mailFolders/inbox/messages' --query '.value[].subject'":
        "until graphflow runs --state completed | grep -q answer; do sleep 0.2; done",
}  # fmt: skip

# What opens a page follows its redirections, and the sandbox decides as a person would. One that 'approve' has started
# for a run in a sandbox asks for the account, unless it is set.
OPENER = """#!/bin/sh
case $1 in
http://127.0.0.1:*/oauth2/*)
    curl --silent --output /dev/null --request PATCH --header 'Content-Type: application/json' \\
        --data '{"person": "adelev@contoso.com"}' "$(echo "$1" | cut -d/ -f1-3)/sandbox/sign-in" ;;
esac
exec curl --silent --location --output /dev/null "$1"
"""

REPORT = """document: { dsl: 1.0.3, namespace: tests, name: report, version: 1.0.0, metadata: { timeZone: Europe/Berlin } }
schedule: { cron: 30 2 * * * }
do:
  - me: { call: me }
"""


EVERY = """document: { dsl: 1.0.3, namespace: tests, name: every, version: 1.0.0 }
schedule: { every: { hours: 1 } }
do:
  - me: { call: me }
"""

# What Megan consents to on a page where another person approves.
SCOPES = "User.Read User.Read.All Files.ReadWrite Mail.ReadWrite Mail.Send"


def pages():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [line for line in listed.splitlines() if not line.startswith((".github/", "CHANGELOG"))]
    return {name: (ROOT / name).read_text() for name in names}


def steps(text):
    """What a page does, in order: files that it shows after their names, and command lines in its blocks.

    Of a transcript, the command lines are those after a prompt; in a `console`, the lines after one are its exact output.
    """
    block = re.compile(r"(?:`([\w.-]+)`:\n\n)?^```([a-z]*)\n(.*?)^```$", re.S | re.M)
    for file, language, content in block.findall(text):
        if file:
            yield "file", file, content
        elif language == "console":
            for part in re.split(r"^\$ ", content, flags=re.M)[1:]:
                command, _, output = part.partition("\n")
                # Programs in Swift are run by SnippetTests.
                if COMMAND.match(command):
                    yield "run", command, output
        elif language in ("", "sh", "bash"):
            lines = content.replace("\\\n", " ").splitlines()
            prompted = [line[2:] for line in lines if line.startswith("$ ")]
            for line in prompted or lines:
                # A usage line is no command.
                if COMMAND.match(line) and "[OPTIONS]" not in line:
                    yield "run", line, None


class Page:
    """A reader of one page, in a folder of its own."""

    def __init__(self, name, folder, graphflow, graph):
        self.name = name
        self.folder = folder
        shutil.copytree(ROOT / "workflows", folder / "workflows")
        tools = folder / ".tools"
        tools.mkdir()
        (tools / "graphflow").symlink_to(graphflow)
        scripts = {"xdg-open": OPENER, "open": OPENER, "python3": f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'}
        for script, content in scripts.items():
            (tools / script).write_text(content)
            (tools / script).chmod(0o755)
        graph.rules(person="megan@contoso.com")
        self.environment = graph.environment(
            HOME=str(folder), GRAPHFLOW_HOME=str(folder / ".home"), PATH=f"{tools}:{os.environ['PATH']}", NO_COLOR="1", DISPLAY=":0",
        )  # fmt: skip
        self.environment["AZURE_AUTHORITY_HOST"] = graph.address
        self.environment["AZURE_CLIENT_ID"] = sandbox.CLIENT
        self.ports = {port: str(sandbox.free_port()) for port in ("8080", "8931")}
        self.background = []
        self.provide(graph)

    def share(self, graph):
        """Megan signs in, and Adele signs in from then on: no one approves their own plan."""
        self.environment["AZURE_TENANT_ID"] = sandbox.TENANT
        del self.environment["GRAPHFLOW_ACCESS_TOKEN"]
        signed_in = self.shell(f"graphflow login --scopes '{SCOPES}'")
        check(f"{self.name}: Megan signs in", signed_in.returncode == 0, signed_in.stderr)
        graph.rules(person="adelev@contoso.com")

    def provide(self, graph):
        """The files and things that pages name without showing them."""
        samples = self.folder / "workflows"
        people = (samples / "welcome.csv").read_text()
        (self.folder / "people.csv").write_text(people.replace("adelev@", "adele@"))
        (self.folder / "later.yaml").write_text(LATER % (self.folder / "ready"))
        (self.folder / "failing.yaml").write_text(FAILING)
        (self.folder / "every.yaml").write_text(EVERY)
        (self.folder / "people.yaml").write_text("people: [{ mail: adelev@contoso.com }]\n")
        (self.folder / "event.json").write_text(
            json.dumps({
                "subject": "Lunch", "start": {"dateTime": "2026-12-01T12:00:00", "timeZone": "UTC"},
                "end": {"dateTime": "2026-12-01T13:00:00", "timeZone": "UTC"}}))
        for place in (self.folder / "report.yaml", samples / "report.yaml"):
            place.write_text(REPORT)
        shutil.copy(ROOT / "Sources/Workflows/Sandbox/Examples/photo-48.jpg", self.folder / "me.jpg")
        shutil.copy(samples / "share-profile-photo.yaml", self.folder / "workflow.yaml")
        for name in ("welcome.yaml", "email-body.html"):
            shutil.copy(samples / name, self.folder / name)
        shutil.copy(samples / "welcome.csv", self.folder / "users.csv")

    def made(self, path, body):
        """The id of something that is made in the sandbox for a command that names one."""
        made = self.shell(f"graphflow post {path} --body '{body}'")
        return json.loads(made.stdout)["id"]

    def shell(self, command):
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=self.folder, env=self.environment, capture_output=True,
            text=True, timeout=100, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip

    def at_free_ports(self, text):
        for port, free in self.ports.items():
            text = re.sub(rf"\b{port}\b", free, text)
        return text

    def filled(self, command):
        """The command with what the page leaves to its reader."""
        command = command.replace("swift run graphflow", "graphflow").replace("0.0.0.0:", "127.0.0.1:")
        command = self.at_free_ports(command)
        command = re.sub(r"(?<=--client-id )\S+", sandbox.CLIENT, command)
        command = re.sub(r"\bFILE\b", "workflows/share-profile-photo.yaml", command)
        if command.startswith("graphflow approve "):
            command = f"AZURE_TENANT_ID={sandbox.TENANT} {command} --yes"
        if "messages/ID" in command:
            command = command.replace("messages/ID", f"messages/{self.made('/me/messages', '{}')}")
        if "events/ID" in command:
            event = (self.folder / "event.json").read_text()
            command = command.replace("events/ID", f"events/{self.made('/me/events', event)}")
        if re.search(r"\b01[0-9A-Z]{4,}\b", command):
            newest = max(run["run"] for run in json.loads(self.shell("graphflow runs --json").stdout))
            command = re.sub(r"\b01[0-9A-Z]{4,}\b", newest, command)
        return command

    def write(self, name, content):
        """A file of the page; one that has a picture in the documentation is drawn as that."""
        file = self.folder / name
        file.write_text(self.at_free_ports(content) if file.suffix == ".py" else content)
        picture = PICTURES / f"{file.stem}.svg"
        if file.suffix == ".yaml" and picture.exists():
            drawn = self.shell(f"graphflow graph {name} --format svg").stdout
            if os.environ.get("UPDATE_SNAPSHOTS") == "1":
                picture.write_text(drawn)
            check(f"{self.name}: {picture.name} is a drawing of {name}", picture.read_text() == drawn)

    def run(self, command, output=None):
        if command in NEEDS:
            self.shell(NEEDS[command])
        filled = self.filled(command)
        name = f"{self.name}: {command}"
        if filled.startswith("export "):
            self.environment |= dict(part.split("=", 1) for part in filled.removeprefix("export ").split())
        elif LISTENS.match(filled):
            self.serve(name, filled)
        else:
            ended = self.shell(filled)
            check(name, ended.returncode == STATUS.get(command, 0), f"{ended.returncode}: {ended.stdout[-500:]}{ended.stderr[-1500:]}")
            if output is not None:
                # Each run has a new id.
                printed, shown = (RUN_ID.sub("RUN", text) for text in (ended.stdout, output))
                check(f"{name} prints what is shown", printed == shown, ended.stdout)

    def serve(self, name, command):
        """A command that listens until it is told to end: it says where it listens."""
        process = subprocess.Popen(
            ["bash", "-c", "exec " + command.removesuffix("&")], cwd=self.folder, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            said = process.stdout.readline() if ready.select(timeout=20) else ""
        check(name, any(word in said.lower() for word in ("127.0.0.1", "serving", "runs at", "runs when")), f"{process.poll()}: {said}")
        if command.endswith("&"):
            self.background.append(process)
        else:
            self.end(name, process)

    def end(self, name, process):
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=40)
        except subprocess.TimeoutExpired:
            process.kill()
        check(f"{name} ends", process.returncode in (0, 143, -signal.SIGTERM), process.returncode)

    def leave(self):
        for process in self.background:
            self.end(self.name, process)


def inline(texts, graphflow):
    """The commands inside sentences have a command and options that there are."""
    helps, wrong, count = {}, [], 0
    for name, text in texts.items():
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
        for code in re.findall(r"`graphflow ([a-z]+ [^`]*)`", prose):
            command = code.split()[0]
            if command == "help":
                continue
            if command not in helps:
                shown = subprocess.run([graphflow, "help", command], capture_output=True, text=True, check=False)
                helps[command] = shown.stdout if shown.returncode == 0 else ""
            count += 1
            unknown = set(re.findall(r"(?<!\S)--[a-z-]+", code)) - set(re.findall(r"--[a-z-]+", helps[command]))
            if not helps[command] or unknown:
                wrong.append(f"{name}: graphflow {code}")
    check_none("commands in sentences are known", wrong)
    check("there are commands in sentences", count > 30, count)


def try_page(name, listed, graphflow):
    """Does what a page shows, in a folder and with a sandbox of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, sandbox.running(graphflow) as graph:
        page = Page(name, pathlib.Path(folder), graphflow, graph)
        if any("--require-approval" in first for kind, first, _ in listed if kind == "run"):
            page.share(graph)
        with contextlib.ExitStack() as stack:
            stack.callback(page.leave)
            for kind, first, second in listed:
                if kind == "file":
                    page.write(first, second)
                elif first not in NOT_RUN:
                    page.run(first, second)


def main():
    graphflow = sandbox.program(__doc__)
    texts = pages()
    met, cases = set(), []
    for name, text in texts.items():
        listed = list(steps(text))
        here = {command for kind, command, _ in listed if kind == "run"}
        met |= here
        if here - set(NOT_RUN):
            cases.append((len(listed), case(try_page, name, listed, graphflow)))
    # The longest page first: the others end beside it.
    at_once(*[one for _, one in sorted(cases, key=lambda each: -each[0])])
    check_none("what is not run is on a page", sorted(set(NOT_RUN) - met))
    check_none("what is prepared is on a page", sorted(set(NEEDS) - met))
    check("the pages have commands", len(met) > 50, len(met))
    inline(texts, graphflow)
    for command, reason in NOT_RUN.items():
        print(f"not run: {command}: {reason}")
    end("commands")


main()
