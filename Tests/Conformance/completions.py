"""The completions in real shells, each driven through a pseudo-terminal as a person types.

    completions.py PROGRAM          loads the scripts that the program prints
    completions.py --root FOLDER    in a folder tree in which the package is installed, with what the shells find there
"""

import os
import pathlib
import pty
import re
import select
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(sys.argv[2]).resolve() if sys.argv[1] == "--root" else None
PROGRAM = pathlib.Path("/usr/bin/graphflow" if ROOT else sys.argv[1]).resolve()
WORKFLOWS = pathlib.Path(__file__).resolve().parent.parent.parent / "workflows"
SHELLS = {
    "bash": ["bash", "--noprofile", "--norc", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
LOADING = {
    "bash": "source <(graphflow completions bash)",
    "zsh": "autoload -U compinit; compinit -u -D; source <(graphflow completions zsh)",
    "fish": "graphflow completions fish | source",
}
if ROOT:
    SHELLS["fish"] = ["fish", "-i"]
    LOADING = {
        "bash": "source /usr/share/bash-completion/bash_completion", "zsh": "autoload -U compinit; compinit -u -D",
        "fish": "true",
    }
# What is typed before the tabulator, and what the line or the list below it must have then.
CASES = [
    ("graphflow vali", "validate"),
    ("graphflow run --dry", "--dry-run"),
    ("graphflow run --sandbox --form", "--format"),
    ("graphflow run welcome.yaml --format js", "json"),
    ("graphflow run --format=js", "--format=json"),
    ("graphflow run share-profile-photo.y", "share-profile-photo.yaml"),
    ("graphflow run share-profile-photo.yaml -p su", "subject="),
    ("graphflow functions send", "sendMail"),
    ("graphflow sandbox --profile thr", "throttled"),
    ("graphflow serve --catch-up on", "one"),
    ("graphflow completions fi", "fish"),
    ("graphflow help bat", "batch"),
]


class Shell:
    """An interactive shell with the program on its search path."""

    def __init__(self, name, folder):
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            if ROOT:
                os.chroot(ROOT)
                folder = pathlib.Path("/") / folder.relative_to(ROOT)
            os.chdir(folder)
            search = f"{PROGRAM.parent}:{os.environ['PATH']}"
            variables = {"PATH": search, "HOME": str(folder), "TERM": "xterm", "PS1": "", "GRAPHFLOW_HOME": str(folder / "home")}
            os.execvpe(SHELLS[name][0], SHELLS[name], variables)
        self.answer_queries = name == "fish"
        self.read()
        self.type(LOADING[name] + "\r")
        self.type("echo loa''ded\r", until="loaded")

    def read(self, until=None, patience=10):
        """What is shown until it has a text, or, without one, until nothing more comes."""
        text, end = "", time.monotonic() + patience
        while time.monotonic() < end:
            ready, _, _ = select.select([self.terminal], [], [], 0.3 if until is None else 0.1)
            if not ready:
                if until is None:
                    break
                continue
            try:
                data = os.read(self.terminal, 65536)
            except OSError:
                break
            if self.answer_queries and b"\x1b[c" in data:
                os.write(self.terminal, b"\x1b[?62;c")
            text += data.decode(errors="replace")
            if until is not None and until in plain(text):
                break
        return plain(text)

    def type(self, keys, until=None):
        os.write(self.terminal, keys.encode())
        return self.read(until)

    def close(self):
        os.close(self.terminal)
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)


def plain(text):
    """The text without what moves the cursor or colours it."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()=>][0-9A-B]?|\x1b\][^\x07]*\x07|[\x00-\x09\x0b\x0e-\x1f]", "", text)


def main():
    failures = count = 0
    for name in SHELLS:
        with tempfile.TemporaryDirectory(dir=ROOT and ROOT / "tmp") as folder:
            shutil.copytree(WORKFLOWS, folder, dirs_exist_ok=True)
            shell = Shell(name, pathlib.Path(folder))
            for typed, wanted in CASES:
                count += 1
                shown = shell.type(typed + "\t", until=wanted)
                if wanted not in shown or "\\t" in shown:
                    failures += 1
                    print(f"{name}: {typed!r} + Tab shows {shown!r}, not {wanted!r}")
                shell.type("\x05\x15")
            shell.close()
    print(f"{count} completions in {len(SHELLS)} shells, {failures} failures")
    return bool(failures)


sys.exit(main())
