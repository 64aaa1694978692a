"""rclone against the sandbox: a folder of 200 files to OneDrive and back, with rclone's own checks.

    ./environment rclone.py GRAPHFLOW
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import redirected
import sandbox as sandboxes
from checks import check, end

RCLONE = pathlib.Path(sys.executable).parent / "rclone"
FILES = 200


def make(folder, seed=1):
    """Files of many sizes and names, in nested folders."""
    numbers = random.Random(seed)
    for index in range(FILES):
        place = folder / ["", "Pictures", "Pictures/Été 2026", "Reports & more/q3"][index % 4]
        place.mkdir(parents=True, exist_ok=True)
        name = numbers.choice(["file", "with space", "ümlaut", "plus+and&", "100 %", "it's", "日本語", "a.b.c"])
        size = numbers.choice([0, 1, 17, 1_000, 20_000, 300_000])
        (place / f"{name} {index}.{numbers.choice(['txt', 'bin', 'pdf'])}").write_bytes(numbers.randbytes(size))
    # The next is uploaded in a session of several ranges.
    (folder / "large.bin").write_bytes(numbers.randbytes(11_000_000))
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def main():
    program = sandboxes.program(__doc__)
    with tempfile.TemporaryDirectory() as home, sandboxes.running(program) as sandbox:
        home = pathlib.Path(home)
        with redirected.running(sandbox, home) as variables:
            compare(sandbox, home, variables)
    end("rclone and the sandbox")


def compare(sandbox, home, variables):
    drive = sandbox.read("/v1.0/me/drive")
    token = {"access_token": "token", "token_type": "Bearer", "refresh_token": "r", "expiry": "2099-01-01T00:00:00Z"}
    (home / "rclone.conf").write_text(
        f"[one]\ntype = onedrive\nregion = global\ndrive_type = business\ndrive_id = {drive['id']}\n"
        f"chunk_size = 5M\ntoken = {json.dumps(token)}\n")

    def rclone(*arguments, fails=False):
        done = subprocess.run(
            [RCLONE, "--config", home / "rclone.conf", "--retries", "1", "--low-level-retries", "3", *arguments],
            capture_output=True, env=variables, timeout=300)
        words = " ".join(str(word) for word in arguments[:2])
        said = done.stderr.decode(errors="replace")
        check(f"rclone {words}", (done.returncode != 0) == fails, said[-1500:])
        return (done.stderr if "-v" in arguments else done.stdout).decode(errors="replace")

    here, back = home / "here", home / "back"
    here.mkdir()
    names = make(here)
    rclone("copy", here, "one:copy")
    rclone("check", here, "one:copy")
    listed = sorted(rclone("lsf", "-R", "--files-only", "one:copy").splitlines())
    check("every file is listed", listed == names, [name for name in names if name not in listed][:5])
    rclone("copy", "one:copy", back)
    differing = [name for name in names if not (back / name).exists()
                 or (here / name).read_bytes() != (back / name).read_bytes()]
    check("what comes back is what was sent", not differing, differing)
    again = rclone("copy", "-v", here, "one:copy")
    check("a second copy moves nothing", "Copied (" not in again and "Updated" not in again, again)
    there, local = (sorted(rclone("hashsum", "quickxor", place).splitlines()) for place in ["one:copy", here])
    check("every file has its hash", there == local and len(there) == len(names), there[:5])
    # The same by a delta query of the drive's root, of which rclone takes what is below the folder.
    for flags in ([], ["--fast-list"], ["--fast-list", "--onedrive-delta"]):
        found = sorted(rclone("lsf", "-R", "--files-only", *flags, "one:").splitlines())
        check(f"every file is found {' '.join(flags)}", found == [f"copy/{name}" for name in names], found[:5])
    rclone("mkdir", "one:empty/inner")
    rclone("moveto", "one:copy/large.bin", "one:empty/inner/moved.bin")
    check("moved", rclone("lsf", "one:empty/inner").splitlines() == ["moved.bin"])
    rclone("copyto", "one:empty/inner/moved.bin", "one:copy/large.bin")
    rclone("check", here, "one:copy")
    link = rclone("link", "one:copy/large.bin")
    check("a link", link.startswith("https://") or link.startswith("http://"), link)
    about = json.loads(rclone("about", "--json", "one:") or "{}")
    check("the room that is left", about.get("total", 0) > 0, about)
    (here / "large.bin").write_bytes(b"changed")
    (here / names[0]).unlink()
    rclone("sync", here, "one:copy")
    rclone("check", here, "one:copy")
    check("changed", rclone("cat", "one:copy/large.bin") == "changed")
    rclone("deletefile", "one:copy/large.bin")
    rclone("rmdir", "one:copy", fails=True)
    rclone("purge", "one:copy")
    check("purged", "copy/" not in rclone("lsf", "one:").splitlines())


if __name__ == "__main__":
    main()
