"""The samples, and the inputs that some need for a dry run."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent.parent / "workflows"
PATHS = sorted(FOLDER.glob("*.yaml"))

INPUTS = {
    "call-openapi.yaml": {"customer": "C-17"},
    "choose-and-repeat.yaml": {"number": 27},
    "data-flow.yaml": {"order": {"items": [{"price": 20, "count": 2}]}},
    "errors.yaml": {"amount": 7},
    "for-each-user.yaml": {"prefix": "M"},
    "functions-and-extensions.yaml": {"name": "Megan"},
    "run-script.yaml": {"scores": [1, 2, 6]},
    "run-workflow-greet.yaml": {"user": "adelev@contoso.com"},
    "schedule-on.yaml": [{"data": {"celsius": 41}}],
    "share-profile-photo.yaml": {"to": "adelev@contoso.com"},
}
