"""Every sample is valid against the official JSON Schema of the Serverless Workflow DSL, and against graphflow's own.

graphflow's own schema, which narrows the official one, refuses a sample whose calls it would not run.
"""

import copy
import json
import pathlib

import jsonschema
import jsonschema_rs
from ruamel.yaml import YAML

import official
from checks import case, at_once, check, check_none, end

here = pathlib.Path(__file__).parent
workflows = here.parent.parent / "workflows"
yaml = YAML(typ="safe", pure=True)  # YAML 1.2, where 'on' is a string
own_schema = json.loads((workflows / "graphflow.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(own_schema)
own = jsonschema.Draft202012Validator(own_schema)
# For the many copies that only have to be refused: a hundred times as fast.
own_of_copies = jsonschema_rs.Draft202012Validator(own_schema)


def calls(node):
    """All tasks that call a function."""
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
    if isinstance(node, dict) and isinstance(node.get("call"), str):
        yield node
    for child in children:
        yield from calls(child)


def broken(workflow):
    """Copies of a workflow with one invalid call each, and its fault.

    Unknown names of functions are not among them: the file may define such a function, with its own arguments, which no
    schema can tell. `graphflow validate` does.
    """
    changes = {
        "another version": lambda task: task.update(call=task["call"] + ":0.0.1"),
        "a call of gRPC": lambda task: task.update(call="grpc"),
        "an unknown argument": lambda task: task.setdefault("with", {}).update(unknown=1),
        "a wrong argument": lambda task: task.setdefault("with", {}).update(user=True),
        "arguments in a list": lambda task: task.update({"with": []}),
    }
    own_functions = workflow.get("use", {}).get("functions", {})
    for position, call in enumerate(calls(workflow)):
        # A function from elsewhere has schemas of its own as well.
        if call["call"] in own_functions or "@" in call["call"] or "://" in call["call"]:
            continue
        for name, change in changes.items():
            copied = copy.deepcopy(workflow)
            change(list(calls(copied))[position])
            yield f"{name} in call {position} of '{call['call']}'", copied


def without_required_arguments(workflow):
    for position, call in enumerate(calls(workflow)):
        if call["call"] in ("upload", "createLink", "sendMail"):
            for name in ["with", *(name for name in call["with"] if name in ("path", "itemId", "to", "subject"))]:
                copied = copy.deepcopy(workflow)
                task = list(calls(copied))[position]
                del (task if name == "with" else task["with"])[name]
                yield f"no '{name}' in call {position} of '{call['call']}'", copied


# Below the folder are functions, which are tasks and no workflows.
samples = sorted(path for path in workflows.glob("*.yaml") if not path.name.endswith(".test.yaml"))
check("there are samples", samples)


def accepted(sample):
    workflow = yaml.load(sample)
    errors = [error for validator in (official, own) for error in validator.iter_errors(workflow)]
    check_none(
        f"{sample.name} is accepted", [f"/{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in errors]
    )


for sample in samples:
    workflow = yaml.load(sample)
    for what, copied in [*broken(workflow), *without_required_arguments(workflow)]:
        check(f"{sample.name}: graphflow.schema.json refuses {what}", not own_of_copies.is_valid(copied))
at_once(*(case(accepted, sample) for sample in samples), most=2)
end("samples")
