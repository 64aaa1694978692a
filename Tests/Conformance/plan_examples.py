"""Plans that the documentation shows and that a browser reads: three files, and what a reader must find in their pages."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

LEAVING = """\
document: { dsl: 1.0.3, namespace: samples, name: leaving, version: 1.0.0, title: Somebody leaves }

do:
  - report:
      call: upload
      with: { path: Handover/Übersicht.txt, content: Everything that is open., user: adelev@contoso.com }

  - share: #                               anybody who has the link may change the file
      call: createLink
      with: { itemId: '${ .id }', type: edit, scope: anonymous, user: adelev@contoso.com }

  - tell:
      call: sendMail
      with:
        to: [megan@contoso.com, lena@example.com]
        subject: Adele is leaving
        body: { contentType: html, content: '<p>Everything that is open: <a href="${ .webUrl }">the list</a>.</p>' }

  - farewell:
      call: createEvent
      with:
        subject: Farewell
        start: 2026-12-01T16:00
        end: 2026-12-01T17:00
        attendees: [alexw@contoso.com, guest@example.org]

  - promote:
      call: graph
      with: { method: PATCH, path: /users/alexw@contoso.com, body: { jobTitle: Head of Marketing } }

  - remove:
      call: graph
      with: { method: DELETE, path: /users/adelev@contoso.com }

  - clean:
      run: { shell: { command: rm -rf /srv/exports/adelev } }
"""


class Example:
    """A plan that is made in the sandbox.

    title and text say what it is, options are those of `graphflow run`, and questions have, for each question that the
    page answers to somebody who does not know Microsoft Graph, the words of the answer.
    """

    def __init__(self, name, title, text, options, questions, source=None):
        self.name, self.title, self.text, self.options = name, title, text, options
        self.questions, self.source = questions, source

    @property
    def file(self):
        return f"{self.name}.yaml" if self.source else f"workflows/{self.name}.yaml"

    def run(self, program, folder, *options):
        """What the command prints, in a folder that has the workflow; nothing is kept outside of it."""
        folder = pathlib.Path(folder)
        if self.source:
            (folder / self.file).write_text(self.source, encoding="utf-8")
        elif not (folder / "workflows").exists():
            (folder / "workflows").symlink_to(ROOT / "workflows")
        environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(folder), "GRAPHFLOW_HOME": str(folder / "home"), "LANG": "C.UTF-8",
            "GRAPHFLOW_DOMAINS": "contoso.com"}
        command = [program, "run", self.file, *self.options, "--sandbox", *options]
        result = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=120)
        if result.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: exit {result.returncode}\n{result.stderr}")
        return result.stdout

    @property
    def command(self):
        return " ".join(["graphflow", "run", self.file, *self.options, "--sandbox"])


EXAMPLES = [
    Example(
        "share-profile-photo", "A photo, a file, a link and a mail",
        "The sample of the README. Planning sends nothing, so a value that only the service knows is shown as `‹name›`.",
        ["-p", "to=adelev@contoso.com", "--dry-run"],
        {
            "who gets which mail": ["adelev@contoso.com gets the mail"],
            "which file is written": ["writes ‹getPhoto.fileName›, which may replace a file"],
            "who may open it": ["anyone the organization's default allows can", "which may be anyone"],
            "how many people get something": ["1 recipient"],
            "what an application would need": ["For an application"],
        }),
    Example(
        "onboard", "Somebody begins",
        "`--dry-run=read` sends requests that only read, so the plan names the person, the licence and the group.",
        ["-p", "user=lynner@contoso.com", "-p", "starts=2026-12-01", "--dry-run=read"],
        {
            "who gets the licence": ["assigns the license SPE_E5 to Lynne Robbins (lynner@contoso.com)"],
            "which group she joins": ["adds Lynne Robbins (lynner@contoso.com) to the group All Employees"],
            "which folders are made": ["creates the folder People", "People/Lynne Robbins"],
            "who is invited to what": ["lynner@contoso.com", "is invited to 'Welcome, Lynne Robbins!'"],
            "who gets which mail": ["gets the mail 'Your first day'"],
        }),
    Example(
        "leaving", "Somebody leaves",
        "Lines that need a second look begin with `!`: a link that anyone can open, people outside, a deletion, a program.",
        ["--dry-run=read"],
        {
            "who outside gets the mail": ["lena@example.com outside gets the mail 'Adele is leaving'"],
            "who may open the file": ["by which anyone can change Handover/Übersicht.txt"],
            "who outside is invited": ["guest@example.org outside is invited to 'Farewell'"],
            "what is lost": ["deletes the user Adele Vance (adelev@contoso.com) (this is lost unless it is restored)"],
            "what runs on this machine": ["rm -rf /srv/exports/adelev", "it may do anything that you may do"],
            "what changes": ["jobTitle", "Head of Marketing"],
        }, LEAVING),
]


def excerpt(plan):
    """The effects and their totals in a plan as JSON, an effect a line."""
    lines = [json.dumps(effect, ensure_ascii=False) for effect in plan["effects"]]
    totals = {name: count for name, count in plan["totals"].items() if count["atMost"] != 0}
    return "\n".join(lines + [json.dumps(totals, ensure_ascii=False)])
