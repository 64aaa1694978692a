"""Containers, with the stand-in for podman and, where it can run containers, with podman itself.

Runs the sample and a workflow for each property, ends runs by timeouts, SIGTERM and SIGKILL, and looks with the program's
own commands what is left. The image for podman is made of busybox, because no registry is in reach.
"""

import argparse
import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from checks import at_once, check, end, has, not_run

parser = argparse.ArgumentParser()
parser.add_argument("graphflow")
parser.add_argument("--without-cgroups", action="store_true", help="used by the script itself")
arguments = parser.parse_args()
graphflow = os.path.abspath(arguments.graphflow)
here = pathlib.Path(__file__).resolve().parent
IMAGE = "docker.io/library/busybox"


class Engine:
    """A program that runs containers, and a folder for the workflows and runs that use it."""

    def __init__(self, name, program, folder, environment):
        self.name, self.program, self.folder, self.isolates = name, program, folder, name == "podman"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "GRAPHFLOW_HOME": str(folder / "home"),
            "GRAPHFLOW_ACCESS_TOKEN": "token",
            "GRAPHFLOW_SECRET_KEY": "topsecret",
            "GRAPHFLOW_CONTAINER": str(program),
            **environment,
        }

    def call(self, *words):
        """What the program prints; the stand-in has no other commands."""
        command = [self.program, *words]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60).stdout

    def containers(self):
        """The containers that graphflow has made and that are still there, with whether they are running."""
        ids = self.call("ps", "--all", "--quiet", "--no-trunc", "--filter", "label=io.graphflow.run").split()
        found = json.loads(self.call("container", "inspect", *ids)) if ids else []
        return {each["Config"]["Labels"]["io.graphflow.task"].rsplit("/")[-1]: each["State"]["Running"] for each in found}

    def clear(self):
        ids = self.call("ps", "--all", "--quiet", "--no-trunc", "--filter", "label=io.graphflow.run").split()
        if ids:
            self.call("kill", *ids)
            self.call("rm", "--force", "--volumes", *ids)

    def write(self, tasks, head=""):
        """A workflow file with these tasks."""
        path = self.folder / "workflow.yaml"
        document = "document: { dsl: 1.0.3, namespace: tests, name: test, version: 1.0.0 }\n"
        path.write_text(document + head + "do:\n" + "".join(f"  {line}\n" for line in tasks.strip("\n").splitlines()))
        return path

    def graphflow(self, *words, begin=False):
        command = [graphflow, *map(str, words)]
        options = dict(env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return subprocess.Popen(command, **options) if begin else subprocess.run(command, timeout=120, **options)

    def check_output(self, name, words, expected):
        """Checks the output of a run."""
        # On a busy machine, podman 4.3 was seen to lose what a container writes that ends at once.
        for attempt in range(3 if self.isolates else 1):
            if attempt > 0:
                self.clear()
            result = self.graphflow("run", *words)
            value = json.loads(result.stdout) if result.returncode == 0 else result.stderr
            if value == expected:
                break
        check(f"{self.name}: {name}", value == expected, [value, expected])

    def output(self, name, tasks, expected, head="", given="{}"):
        """Checks the output of a workflow."""
        self.check_output(name, [self.write(tasks, head), "--input", given], expected)


def until(condition):
    """Waits for something that happens soon."""
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.05)
    return False


def task(properties, rest=""):
    return f"- a: {{ run: {{ container: {{ image: {IMAGE}, {properties} }} {rest} }} }}"


ALWAYS = "lifetime: { cleanup: always }"


def properties(engine):
    """The properties, one at a time."""
    expected = {"greeting": "Hello, $(id) Adele!", "loud": "HELLO, $(ID) ADELE!", "count": 19}
    engine.check_output(
        "the sample", [here.parent.parent / "workflows/run-container.yaml", "-p", "name=$(id) Adele"], expected)
    check(f"{engine.name}: of the sample only the last is left", engine.containers() == {"count": False})
    engine.clear()

    command = "command: \"sh -c 'echo out; echo err >&2; exit 3'\""
    results = {"code": 3, "all": {"code": 3, "stdout": "out", "stderr": "err"}}
    for returned, value in results.items():
        engine.output(f"return: {returned}", task(f"{command}, {ALWAYS}", f", return: {returned}"), value)
    failed = engine.graphflow("run", engine.write(task(f"{command}, {ALWAYS}")))
    check(
        f"{engine.name}: an exit code is an error", failed.returncode == 1 and "exit code 3: err" in failed.stderr,
        failed.stderr,
    )

    hostile = "a 'b' \"c\" $(id) `id` \\ \u00e9\nnext"
    engine.output(
        "arguments, variables and standard input are passed as they are",
        f"""
- a:
    run:
      container:
        image: {IMAGE}
        command: sh -c 'printf "%s|%s|%s|%s" "$1" "$TEXT" "$(cat)" "$HOME"' sh
        arguments: ['${{ .text }}']
        environment: {{ TEXT: '${{ .text }}', HOME: /nowhere }}
        stdin: ${{ .text }}
        {ALWAYS}
""",
        "|".join([hostile] * 3 + ["/nowhere"]),
        given=json.dumps({"text": hostile}),
    )
    engine.output(
        "a secret",
        task(f"command: \"sh -c 'printf %s $KEY | wc -c'\", environment: {{ KEY: '${{ $secrets.key }}' }}, {ALWAYS}"),
        "9",
        head="use: { secrets: [key] }\n",
    )
    unknown = engine.graphflow("run", engine.write(f"- a: {{ run: {{ container: {{ image: localhost/nosuch, pullPolicy: never }} }} }}"))
    check(f"{engine.name}: an image that is not there", unknown.returncode == 1 and "exit code 125" in unknown.stderr, unknown.stderr)
    check(f"{engine.name}: nothing is left", engine.containers() == {}, engine.containers())

    if engine.isolates:
        (engine.folder / "data").mkdir()
        (engine.folder / "data/file").write_text("beside")
        engine.output(
            "volumes",
            task(f"command: \"sh -c 'cat /data/file; touch /data/x 2>/dev/null || echo -n :ro'\", volumes: {{ ./data: '/data:ro' }}, {ALWAYS}"),
            "beside:ro",
        )
        engine.output(
            "no variable of graphflow", task(f"command: \"sh -c 'env | grep -c -e SECRET -e TOKEN'\", {ALWAYS}", ", return: all"),
            {"code": 1, "stdout": "0", "stderr": ""},
        )


def lifetimes(engine):
    """What is left when runs end in one way or another."""
    stubborn = "command: \"sh -c 'trap : TERM; while true; do sleep 0.1; done'\""
    for cleanup, left in [("always", {}), ("never", {"a": False}), ("eventually, after: PT1H", {"a": False})]:
        lifetime = f"lifetime: {{ cleanup: {cleanup} }}"
        workflow = engine.write(
            task(f"{stubborn}, {lifetime}").removesuffix(" }") + ", timeout: { after: PT3S } }"
        )
        result = engine.graphflow("run", workflow)
        check(f"{engine.name}: a timeout, {cleanup}", result.returncode == 1 and "timeout" in result.stderr.lower(), result.stderr)
        check(f"{engine.name}: what a timeout leaves, {cleanup}", engine.containers() == left, engine.containers())
        engine.clear()

        run = engine.graphflow("run", engine.write(task(f"{stubborn}, {lifetime}")), begin=True)
        check(f"{engine.name}: begins", until(lambda: engine.containers() == {"a": True}), engine.containers())
        run.send_signal(signal.SIGTERM)
        errors = run.communicate(timeout=60)[1]
        check(f"{engine.name}: SIGTERM, {cleanup}", run.returncode == 143, errors)
        check(f"{engine.name}: what SIGTERM leaves, {cleanup}", engine.containers() == left, engine.containers())
        engine.clear()

    for cleanup, left in [("always", {}), ("never", {"a": True})]:
        run = engine.graphflow("run", engine.write(task(f"{stubborn}, lifetime: {{ cleanup: {cleanup} }}")), begin=True)
        check(f"{engine.name}: begins again", until(lambda: engine.containers() == {"a": True}), engine.containers())
        run.kill()
        run.communicate()
        check(f"{engine.name}: SIGKILL leaves it", engine.containers() == {"a": True}, engine.containers())
        resumed = engine.graphflow("resume", "last")
        check(f"{engine.name}: resume asks", resumed.returncode == 4, [resumed.returncode, resumed.stderr])
        check(f"{engine.name}: what resume leaves, {cleanup}", engine.containers() == left, engine.containers())
        engine.clear()

    engine.output("eventually", task("command: echo a, lifetime: { cleanup: eventually, after: PT0S }"), "a")
    engine.output("the next run", task(f"command: echo b, {ALWAYS}"), "b")
    check(f"{engine.name}: the next run removes what is due", engine.containers() == {}, engine.containers())

    missing = dict(engine.environment, GRAPHFLOW_CONTAINER="nosuch")
    workflow = engine.write(f"- first: {{ run: {{ shell: {{ command: touch {engine.folder}/began }} }} }}\n" + task("name: a"))
    (engine.folder / "items.csv").write_text("a\n1\n")
    commands = [(["validate"], 0), (["run"], 2), (["batch", "--each", engine.folder / "items.csv"], 2), (["run", "--dry-run"], 0)]
    for command, status in commands:
        result = subprocess.run([graphflow, *command, workflow], env=missing, capture_output=True, text=True, timeout=60)
        is_right = result.returncode == status and ("GRAPHFLOW_CONTAINER" in result.stderr) == (status == 2)
        check(f"{engine.name}: no program, {command[0]}", is_right, result.stderr)
    runs = [run for run in json.loads(engine.graphflow("runs", "--json").stdout) if run["kind"] == "batch"]
    check(f"{engine.name}: nothing began", not runs and not (engine.folder / "began").exists(), runs)


@contextlib.contextmanager
def own_folder():
    """A temporary folder, removed when podman's last process has left it."""
    # Podman makes sockets below it: where their paths are too long, each of its runs waits twenty seconds.
    folder = pathlib.Path(tempfile.mkdtemp(dir="/tmp"))
    try:
        yield folder
    finally:
        until(lambda: shutil.rmtree(folder, ignore_errors=True) or not folder.exists())


@contextlib.contextmanager
def stand_in():
    with own_folder() as folder:
        (folder / "state").mkdir()
        (folder / "podman").symlink_to(here / "stand-ins/podman")
        (folder / "state/images").write_text(IMAGE + "\n")
        yield Engine("the stand-in", folder / "podman", folder, {})


def storage(folder):
    """The variables for a podman that has all it needs in a folder."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    (folder / "storage.conf").write_text(
        f'[storage]\ndriver = "vfs"\nrunroot = "{folder}/run"\ngraphroot = "{folder}/graph"\n'
    )
    # Without the right to raise limits, its own would be refused.
    limits = [f"nofile={files}:{files}", "nproc=1000:1000"]
    (folder / "containers.conf").write_text(
        f'[containers]\ndefault_ulimits = {json.dumps(limits)}\nnetns = "none"\ncgroups = "disabled"\n'
        '[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n'
    )
    return {"CONTAINERS_STORAGE_CONF": f"{folder}/storage.conf", "CONTAINERS_CONF": f"{folder}/containers.conf"}


def make_image(engine):
    """An image of busybox."""
    root = engine.folder / "root"
    for name in ["bin", "etc", "tmp"]:
        (root / name).mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), root / "bin/busybox")
    names = subprocess.run([root / "bin/busybox", "--list"], capture_output=True, text=True, check=True).stdout.split()
    for name in names:
        if name != "busybox":
            (root / "bin" / name).symlink_to("busybox")
    subprocess.run(["tar", "-C", root, "-cf", engine.folder / "image.tar", "."], check=True)
    engine.call("import", engine.folder / "image.tar", IMAGE)


def try_podman():
    """Checks podman, and returns why it cannot run containers here; none if it can."""
    if not has("podman") or not has("busybox", "busybox-static"):
        return None
    with own_folder() as folder:
        engine = Engine("podman", shutil.which("podman"), folder, storage(folder))
        make_image(engine)
        command = [engine.program, "run", "--rm", "--quiet", "--pull", "never", IMAGE, "echo", "here"]
        attempt = subprocess.run(command, env=engine.environment, capture_output=True, text=True, timeout=60)
        if attempt.stdout != "here\n":
            return " ".join(attempt.stderr.split())
        try:
            properties(engine)
            lifetimes(engine)
        finally:
            engine.clear()
    return None


def with_the_stand_in():
    with stand_in() as engine:
        properties(engine)
        lifetimes(engine)


def with_podman():
    reason = try_podman()
    if reason and "cgroup" in reason and os.geteuid() == 0 and not arguments.without_cgroups:
        # Machines that have both versions of cgroups: without the second one, in a view of the mounts of its own.
        script = 'umount -l /sys/fs/cgroup/unified; exec "$@"'
        again = ["unshare", "-m", "sh", "-c", script, "sh", sys.executable, __file__, graphflow, "--without-cgroups"]
        check("podman in a view of its own", subprocess.run(again).returncode == 0)
    elif reason:
        not_run("podman", f"it cannot run containers here: {reason}")


if arguments.without_cgroups:
    with_podman()
else:
    at_once(with_the_stand_in, with_podman)
end("containers of podman" if arguments.without_cgroups else "containers")
