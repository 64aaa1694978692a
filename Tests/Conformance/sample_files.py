"""The samples, and the inputs that some need for a dry run."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent.parent / "workflows"
PATHS = sorted(path for path in FOLDER.glob("*.yaml") if not path.name.endswith(".test.yaml"))

INPUTS = {
    "ask-first.yaml": {"approvers": ["megan@contoso.com"]},
    "call-openapi.yaml": {"customer": "C-17"},
    "choose-and-repeat.yaml": {"number": 27},
    "data-flow.yaml": {"order": {"items": [{"price": 20, "count": 2}]}},
    "draft-mail.yaml": {"to": "adelev@contoso.com"},
    "errors.yaml": {"amount": 7},
    "file-changed.yaml": [{"subject": "01PLAN"}],
    "for-each-user.yaml": {"prefix": "M"},
    "functions-and-extensions.yaml": {"name": "Megan"},
    "mail-failed-runs.yaml": [
        {
            "source": "urn:graphflow:run:01JD0000000000000000000000",
            "type": "io.graphflow.run.unknown.v1",
            "time": "2026-01-31T12:00:00.000Z",
            "data": {"name": "errors-01jd0000000000000000000000.samples", "error": {"type": "about:blank", "status": 500}},
        }
    ],
    "mail-with-invoice.yaml": [
        {
            "subject": "AAkALg=",
            "data": {"receivedDateTime": "2026-01-05T08:59:00Z", "from": {"emailAddress": {"address": "shop@fabrikam.com"}}},
        }
    ],
    "offboard.yaml": {"user": "adelev@contoso.com"},
    "onboard.yaml": {"user": "lynner@contoso.com", "starts": "2026-12-01"},
    "run-script.yaml": {"scores": [1, 2, 6]},
    "run-workflow-greet.yaml": {"user": "adelev@contoso.com"},
    "schedule-on.yaml": [{"data": {"celsius": 41}}],
    "share-profile-photo.yaml": {"to": "adelev@contoso.com"},
    "welcome.yaml": {"mail": "adelev@contoso.com", "name": "Adele Vance", "starts": "2026-12-01", "desk": 17},
    "welcome-new-people.yaml": [{"subject": "adelev@contoso.com"}],
}
