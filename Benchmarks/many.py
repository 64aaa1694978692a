"""Times what goes over many runs and items: `effects --to` over 10,000 runs, and the plan of a batch of 10,000 items.

    python3 Benchmarks/many.py GRAPHFLOW [COUNT]

The runs are copies of one, each with its own name and address. What is printed is seconds of five tries, and the
largest memory.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
HERE = pathlib.Path(__file__).resolve().parent
WORKFLOWS = HERE.parent / "workflows"


def journal(lines):
    """The bytes of a journal with these lines, each a JSON object without its number and checksum."""
    previous, data = "", b""
    for number, line in enumerate(lines, start=1):
        content = line[:-1] + b',"line":%d' % number
        previous = hashlib.sha256(previous.encode() + content).hexdigest()[:16]
        data += content + b',"checksum":"' + previous.encode() + b'"}\n'
    return data


def make_runs(graphflow, home, count):
    """Makes copies of a run that has sent a mail; returns the address of one of them."""
    command = [graphflow, "run", WORKFLOWS / "share-profile-photo.yaml", "-p", "to=adelev@contoso.com", "--sandbox"]
    subprocess.run([*command, "--quiet"], env={**os.environ, "GRAPHFLOW_HOME": home}, check=True, capture_output=True)
    runs = pathlib.Path(home, "runs")
    (first,) = [path for path in runs.iterdir() if path.is_dir()]
    lines = (first / "journal.jsonl").read_bytes().splitlines()
    lines = [re.sub(rb',"line":\d+,"checksum":"[0-9a-f]{16}"\}$', b"}", line) for line in lines]
    assert journal(lines) == (first / "journal.jsonl").read_bytes()
    for number in range(1, count):
        digits = "".join(LETTERS[number // 32**place % 32] for place in range(5))
        name = first.name[:21] + digits
        if name == first.name:
            continue
        folder = runs / name
        folder.mkdir(mode=0o700)
        for file in first.iterdir():
            if file.is_file():
                (folder / file.name).write_bytes(file.read_bytes())
        own = [
            line.replace(first.name.encode(), name.encode()).replace(b"adelev@", b"p%d@" % number) for line in lines
        ]
        (folder / "journal.jsonl").write_bytes(journal(own))
        for file in folder.iterdir():
            file.chmod(0o600)
    return f"p{count // 2}@contoso.com"


def time(what, command, home, check=lambda output: True):
    """Prints how long a command takes."""
    seconds, memory = [], 0
    for _ in range(5):
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(command, stdout=output, env={**os.environ, "GRAPHFLOW_HOME": home})
            begun = os.times().elapsed
            _, status, usage = os.wait4(process.pid, 0)
            seconds.append(os.times().elapsed - begun)
            output.seek(0)
            assert status == 0 and check(output.read()), command
            memory = max(memory, usage.ru_maxrss // 1024)
    print(f"{what}: {' '.join(f'{second:.2f}' for second in sorted(seconds))} s, {memory} MB", flush=True)


def main():
    graphflow = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    with tempfile.TemporaryDirectory() as home:
        address = make_runs(graphflow, home, count)
        command = [graphflow, "effects", "--format", "json"]
        time(f"effects --to one of {count}", [*command, "--to", address], home, lambda output: output.count(b"\n") == 1)
        time(f"effects of {count} runs", command, home, lambda output: output.count(b"\n") == 3 * count)
        items = pathlib.Path(home, "items.jsonl")
        people = [{"mail": f"p{n}@contoso.com", "name": f"P {n}", "starts": "2026-12-01"} for n in range(count)]
        items.write_text("".join(json.dumps(person) + "\n" for person in people))
        command = [graphflow, "batch", WORKFLOWS / "welcome.yaml", "--each", items, "--key", ".mail", "--dry-run"]
        for form in ("text", "json", "html"):
            time(f"the plan of a batch of {count} as {form}", [*command, "--sandbox", "--format", form], home)


if __name__ == "__main__":
    main()
