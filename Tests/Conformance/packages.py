"""The packages that scripts/release makes of a program, against the tools of those who install them.

A program that was not built for a release is packed as well, to see all but what only its build can have.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

from checks import check, check_none, end, has

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
RELEASE = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts/release"
INSTALL = RELEASE.with_name("install")
# A program of a debug build finds Swift's libraries in the toolchain.
OF_DEBUG = "custom-library-search-path"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def packed(folder):
    result = run(RELEASE, "--program", PROGRAM, folder)
    check("the packages are made", result.returncode == 0, result.stderr)
    return {path.name: path for path in pathlib.Path(folder).iterdir()}


def one(files, ending):
    return next(path for name, path in files.items() if name.endswith(ending))


def archive(files, folder):
    with tarfile.open(one(files, ".tar.gz")) as opened:
        opened.extractall(folder, filter="data")
        owners = {(member.uid, member.gid) for member in opened}
    check("the archive belongs to nobody in particular", owners == {(0, 0)}, str(owners))
    top = next(pathlib.Path(folder).iterdir())
    result = run(top / "bin/graphflow", "--version")
    check("its program runs", result.returncode == 0, result.stderr)
    pages = sorted((top / "share/man/man1").iterdir())
    check("there is a page for each command", len(pages) > 20, str(len(pages)))
    if has("mandoc"):
        for page in pages:
            result = run("mandoc", "-Tlint", "-Wwarning", page)
            check(f"mandoc on {page.name}", result.returncode == 0, result.stdout)


def debian(files):
    package = one(files, ".deb")
    contents = run("dpkg-deb", "--contents", package).stdout
    for path in [
        "usr/bin/graphflow", "usr/share/man/man1/graphflow-run.1.gz", "usr/lib/systemd/system/graphflow.service",
        "usr/share/bash-completion/completions/graphflow", "usr/share/zsh/vendor-completions/_graphflow",
        "usr/share/fish/vendor_completions.d/graphflow.fish", "usr/share/doc/graphflow/copyright",
    ]:
        check(f"the package has {path}", re.search(rf"root/root .* \./{path}\n", contents), contents[-500:])
    if has("lintian"):
        result = run("lintian", package)
        found = [line for line in result.stdout.splitlines() if line.startswith(("E:", "W:")) and OF_DEBUG not in line]
        check_none("lintian", found)


def installed(program, home):
    """What scripts/install puts into a home, and takes away again."""
    home.mkdir()
    other = home / ".local/share/doc/other"
    other.mkdir(parents=True)
    environment = {**os.environ, "HOME": str(home)}

    def script(*arguments):
        return subprocess.run(
            [INSTALL, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=300)

    for _ in range(2):
        result = script("--program", str(program))
        check("it installs, also again", result.returncode == 0 and "begin with: graphflow init" in result.stdout, result.stderr)
    program = home / ".local/bin/graphflow"
    version = run(program, "--version")
    check("what is installed runs", version.returncode == 0 and version.stdout.startswith("graphflow "), version.stderr)
    for path in [
        "share/man/man1/graphflow-run.1.gz", "share/bash-completion/completions/graphflow",
        "share/zsh/site-functions/_graphflow", "share/doc/graphflow/guides/MailOnMonday.md",
    ]:
        check(f"it installs {path}", (home / ".local" / path).is_file())
    result = script("--uninstall")
    left = [path for path in (home / ".local").rglob("*") if path not in (other, *other.parents)]
    check("it takes everything away, and nothing else", result.returncode == 0 and other.is_dir() and not left, [left, result.stderr])
    again = script("--uninstall")
    check("what is not installed is not taken away", again.returncode == 1 and "was not installed" in again.stderr, again.stderr)


def image(files, folder):
    with tarfile.open(one(files, ".tar")) as opened:
        opened.extractall(folder, filter="data")
    folder = pathlib.Path(folder)

    def blob(part):
        data = (folder / "blobs/sha256" / part["digest"].removeprefix("sha256:")).read_bytes()
        check("a blob is what its name says", f"sha256:{hashlib.sha256(data).hexdigest()}" == part["digest"])
        check("a blob has its size", len(data) == part["size"])
        return data

    manifest = json.loads(blob(json.loads((folder / "index.json").read_text())["manifests"][0]))
    config = json.loads(blob(manifest["config"]))
    check("the user is not root", config["config"]["User"] == "65532:65532", config["config"])
    blob(manifest["layers"][0])
    if has("skopeo"):
        result = run("skopeo", "inspect", f"oci:{folder}")
        check("skopeo reads the image", result.returncode == 0 and '"graphflow"' in result.stdout, result.stderr)


def materials(files):
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

    document = parse_file(str(one(files, ".spdx.json")))
    check_none("the bill of materials", [each.validation_message for each in validate_full_spdx_document(document)])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with concurrent.futures.ThreadPoolExecutor() as both:
            files, others = both.map(packed, [folder / "first", folder / "second"])
        differing = [path for path in files if files[path].read_bytes() != others[path].read_bytes()]
        check_none("the same program gives the same bytes", differing)
        for line in files["SHA256SUMS"].read_text().splitlines():
            digest, path = line.split("  ")
            check(f"the digest of {path}", hashlib.sha256(files[path].read_bytes()).hexdigest() == digest)
        archive(files, folder / "archive")
        debian(files)
        image(files, folder / "image")
        materials(files)
        installed(PROGRAM, folder / "home")
    end("packages")


main()
