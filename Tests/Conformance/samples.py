"""Every sample is valid against the official JSON Schema of the Serverless Workflow DSL."""

import pathlib
import sys

import jsonschema
import yaml

here = pathlib.Path(__file__).parent
schema = yaml.safe_load((here / "workflow-1.0.3.schema.yaml").read_text())
validator = jsonschema.Draft202012Validator(schema)

samples = sorted((here.parent.parent / "workflows").glob("**/*.yaml"))
failed = 0
for sample in samples:
    errors = list(validator.iter_errors(yaml.safe_load(sample.read_text())))
    for error in errors:
        print(f"{sample}: /{'/'.join(map(str, error.absolute_path))}: {error.message}")
    failed += bool(errors)

print(f"samples: {len(samples) - failed} passed, {failed} failed")
sys.exit(1 if failed or not samples else 0)
