"""The official JSON Schemas of workflow files: of version 1.0.3, and of the standard's main branch of July 2026.

Both are of `dsl: '1.0.3'`; a file is valid if one of them accepts it.
"""

import pathlib

import jsonschema
from ruamel.yaml import YAML

_yaml = YAML(typ="safe", pure=True)  # YAML 1.2, where 'on' is a string
_validators = [
    jsonschema.Draft202012Validator(_yaml.load(pathlib.Path(__file__).parent / f"workflow-{name}.schema.yaml"))
    for name in ("1.0.3", "main-2026-07")
]


def is_valid(workflow):
    return any(validator.is_valid(workflow) for validator in _validators)


def iter_errors(workflow):
    """The errors by the newer schema; none if one of the schemas accepts the file."""
    return iter(()) if is_valid(workflow) else _validators[-1].iter_errors(workflow)
