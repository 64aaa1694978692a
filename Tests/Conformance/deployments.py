"""Checks the files in deploy/ against the models and schemas of their engines, and runs their commands.

    deployments.py GRAPHFLOW

The Kubernetes manifest is compared with the models of the package 'kubernetes', and the files for GitLab and GitHub with
the schemas in 'check-jsonschema'. The commands of each run as the engine would run them, one job after the other, over
the sample with a longer list, and with a sandbox in place of Microsoft Graph: everybody on the list gets one mail, also when all jobs run again.
"""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pydantic
import yaml
from kubernetes import client

import sandbox as sandboxes
from checks import check, check_none, end

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
PEOPLE = [f"person{number}@contoso.com" for number in range(60)]


def differences(job):
    """What a manifest has that the models do not know, and what they demand."""
    try:
        client.V1Job.model_validate(job)
    except pydantic.ValidationError as error:
        return [f"{'/'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]
    return []


def kubernetes(job):
    check_none("the manifest fits the models of Kubernetes", differences(job))
    broken = json.loads(json.dumps(job))
    broken["spec"]["template"]["spec"]["containers"][0]["resource"] = {}
    del broken["spec"]["template"]["spec"]["containers"][0]["name"]
    check("a manifest that does not fit is found", len(differences(broken)) == 2, differences(broken))
    spec = job["spec"]
    pod = spec["template"]["spec"]
    container = pod["containers"][0]
    variables = {entry["name"]: entry["value"] for entry in container["env"]}
    check("a pod knows of how many shards its own is", variables["JOB_COMPLETIONS"] == str(spec["completions"]))
    check("no pod runs as root", pod["securityContext"]["runAsNonRoot"] and not container["securityContext"]["allowPrivilegeEscalation"])
    check("no secret is in the manifest", all("value" in entry for entry in container["env"]) and container["envFrom"][0]["secretRef"])
    return spec["completions"], container["command"] + container["args"], variables


def schema(name, file):
    """Compares a file with a schema that the checker brings along."""
    tool = pathlib.Path(sys.executable).with_name("check-jsonschema")
    result = subprocess.run(
        [tool, "--builtin-schema", f"vendor.{name}", file], capture_output=True, text=True, check=False
    )
    check(f"{file.name} fits its schema", result.returncode == 0, result.stdout + result.stderr)


class Place:
    """A folder with the samples, in which the commands of an engine run."""

    def __init__(self, graphflow, sandbox, folder):
        self.sandbox = sandbox
        self.folder = pathlib.Path(folder)
        shutil.copytree(ROOT / "workflows", self.folder / "workflows")
        (self.folder / "bin").mkdir()
        # So many that each shard has some.
        rows = "".join(f"{mail},{mail.split('@')[0]},2026-12-01,\n" for mail in PEOPLE)
        (self.folder / "workflows/welcome.csv").write_text("mail,name,starts,desk\n" + rows)
        # Nothing is on its way when a job begins here, so that no mail needs to wait for it.
        program = self.folder / "bin/graphflow"
        program.write_text(
            f'#!/bin/sh\ncase "$*" in *--report*) exec {graphflow} "$@" ;; *) exec {graphflow} "$@" --lookup-delay 0 ;; esac\n'
        )
        program.chmod(0o755)
        self.search = f"{self.folder / 'bin'}:{os.environ['PATH']}"

    def run(self, name, command, variables, status=0):
        environment = self.sandbox.environment(PATH=self.search, **variables)
        result = subprocess.run(
            command if isinstance(command, list) else ["bash", "-euo", "pipefail", "-c", command],
            cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300, check=False
        )  # fmt: skip
        check(name, result.returncode == status, f"{result.returncode}: {result.stdout[-500:]}{result.stderr[-1500:]}")
        return result

    def mails(self):
        """How often each address got a mail."""
        outbox = self.sandbox.read("/sandbox/outbox")
        return collections.Counter(address for mail in outbox for address in mail["to"])


def everybody_once(engine, place):
    mails = place.mails()
    check(f"{engine}: everybody got one mail", mails == dict.fromkeys(PEOPLE, 1), mails)


def engines(graphflow):
    job = yaml.safe_load((DEPLOY / "kubernetes/batch-job.yaml").read_text())
    completions, command, variables = kubernetes(job)
    schema("github-workflows", DEPLOY / "github-actions.yml")
    schema("gitlab-ci", DEPLOY / "gitlab-ci.yml")

    with sandboxes.running(graphflow) as sandbox, tempfile.TemporaryDirectory() as folder:
        place = Place(graphflow, sandbox, folder)
        for start in ["first", "second"]:
            for index in range(completions):
                own = {**variables, "GRAPHFLOW_HOME": f"{folder}/{start}-{index}", "JOB_COMPLETION_INDEX": str(index)}
                arguments = [argument.replace("/batch/", f"{folder}/workflows/") for argument in command]
                result = place.run(f"Kubernetes: pod {index} ends well at its {start} start", arguments, own)
                if start == "first":
                    (place.folder / f"june-welcome-{index}.jsonl").write_text(result.stdout)
            everybody_once(f"Kubernetes, {start} start without a ledger", place)
        place.run("Kubernetes: the results are summed up", "graphflow batch --report june-welcome-*.jsonl", {})

    gitlab = yaml.safe_load((DEPLOY / "gitlab-ci.yml").read_text())
    with sandboxes.running(graphflow) as sandbox, tempfile.TemporaryDirectory() as folder:
        place = Place(graphflow, sandbox, folder)
        own = {"BATCH_NAME": gitlab["variables"]["BATCH_NAME"], "GRAPHFLOW_HOME": f"{folder}/state", "GITLAB_CI": "true", "CI": "true"}
        total = gitlab["batch"]["parallel"]
        for index in range(1, total + 1):
            place_of_job = {"CI_NODE_INDEX": str(index), "CI_NODE_TOTAL": str(total)}
            for script in gitlab["batch"]["script"]:
                place.run(f"GitLab: job {index} of {total} ends well", script, own | place_of_job)
        everybody_once("GitLab", place)
        for script in gitlab["summary"]["script"]:
            place.run("GitLab: the shards are summed up", script, own)
        shutil.rmtree(next((place.folder / "state/batches").iterdir()))
        for script in gitlab["summary"]["script"]:
            place.run("GitLab: a missing shard is said", script, own, status=1)

    github = yaml.safe_load((DEPLOY / "github-actions.yml").read_text())
    shards = github["jobs"]["batch"]["strategy"]["matrix"]["shard"]
    with sandboxes.running(graphflow) as sandbox, tempfile.TemporaryDirectory() as folder:
        place = Place(graphflow, sandbox, folder)
        artifacts = place.folder / "artifacts"
        for shard in shards:
            step = next(step for step in github["jobs"]["batch"]["steps"] if "run" in step)
            values = {"matrix.shard": str(shard), "strategy.job-total": str(len(shards))}
            shard_variable = re.sub(r"\$\{\{ (.*?) \}\}", lambda match: values[match[1]], step["env"]["SHARD"])
            home = artifacts / f"shard-{shard}" / "state"
            own = {"SHARD": shard_variable, "GRAPHFLOW_HOME": str(home), "GITHUB_ACTIONS": "true", "CI": "true"}
            place.run(f"GitHub: the job of shard {shard} ends well", step["run"], own)
        everybody_once("GitHub", place)
        place.folder = artifacts
        step = next(step for step in github["jobs"]["summary"]["steps"] if "run" in step)
        place.run("GitHub: the shards are summed up", step["run"], {})


engines(sandboxes.program(__doc__))
end("The deployments")
