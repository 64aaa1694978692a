"""Checks what `graphflow show RUN --evidence FOLDER` wrote; needs the packages cryptography and rfc8785."""

import base64
import datetime
import hashlib
import json
import pathlib
import re
import sys

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256


def need(is_right, reason):
    if not is_right:
        sys.exit(f"refused: {reason}")


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


# What is no part of what an effect does, and what a run may not know although its plan has read it.
WORDS = {"summary", "count", "condition", "once", "undo", "rounds", "object", "identity", "names", "tries"}
UNREAD = {"before", "external", "name", "replaces", "size"}


def fits(planned, done, name=""):
    """Whether a value is as planned, or in one of the plan's slots: null, or drawn as ‹…›."""
    if planned is None or done is None and name in UNREAD:
        return True
    if isinstance(planned, dict) and isinstance(done, dict):
        both = (planned.keys() | done.keys()) - UNREAD - WORDS
        return both <= planned.keys() and all(
            fits(value, done.get(key), key) for key, value in planned.items() if key not in WORDS)
    if isinstance(planned, list) and isinstance(done, list):
        return len(planned) == len(done) and all(map(fits, planned, done))
    if isinstance(planned, str) and isinstance(done, str):
        parts = re.split("(‹‹›|‹››)|‹[^‹›]+›", planned)
        return re.fullmatch("".join(".*" if part is None else re.escape(part) for part in parts), done, re.S) is not None
    return planned == done or name == "replaces" and not done


def main(folder):
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    sums = [f"{hashlib.sha256(files[name]).hexdigest()}  {name}" for name in sorted(files) if name != "SHA256SUMS"]
    need(sorted(sums) == sorted(files.get("SHA256SUMS", b"").decode().splitlines()), "SHA256SUMS has other files")
    header, *events = [json.loads(line) for line in files["journal.jsonl"].splitlines()]
    data = [event["data"] for event in events if isinstance(event.get("data"), dict)]
    plans = [json.loads(files[name]) for name in files if name.startswith("plan")]
    digests = {hashlib.sha256(rfc8785.dumps(plan)).hexdigest() for plan in plans}
    # Those of the plan with which the run began or continued, and the answers to what its tasks asked.
    kept = [one for part in [header, *data] for one in part.get("approvals") or []]
    kept += [one["value"] for one in data if isinstance(one.get("value"), dict) and "idToken" in one["value"]]
    kept = {one["idToken"]: one for one in kept}
    approvals = [json.loads(files[name]) for name in sorted(files) if name.startswith("approval-")]
    need(set(kept) == {one["idToken"] for one in approvals} != set(), "the journal has other approvals, or none")
    for one in approvals:
        need(one.items() <= kept[one["idToken"]].items(), "the journal has this approval with other members")
        head, claims, signature = one["idToken"].split(".")
        key = rsa.RSAPublicNumbers(*(int.from_bytes(decoded(one["key"][name]), "big") for name in "en")).public_key()
        need(json.loads(decoded(head))["alg"] == "RS256" and key.key_size >= 2048, "a token is signed otherwise")
        try:
            key.verify(decoded(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(), SHA256())
        except InvalidSignature:
            sys.exit("refused: a signature does not hold")
        claims = json.loads(decoded(claims))
        statement = {name: value for name, value in one.items() if name not in ("idToken", "key")}
        nonce = hashlib.sha256(rfc8785.dumps(statement)).digest()
        need(decoded(claims["nonce"]) == nonce, "an approver signed something else")
        need(one["plan"] in digests if "plan" in one else one["run"] == header["run"], "it is for something else")
        when = datetime.datetime.fromtimestamp(claims["iat"], datetime.timezone.utc).isoformat()
        print(f"by {claims.get('preferred_username')} ({claims['oid']}) of {claims['tid']}, {when}: {one['note']!r}")
    planned = [one for plan in plans for one in plan["plan"]["effects"]]
    # The last record of each effect: what began may have happened, unless it was refused.
    effects = [one for one in data if isinstance(one.get("effect"), dict)]
    ends = {one["effect"].get("identity", number): one for number, one in enumerate(effects)}
    for one in [one["effect"] for one in ends.values() if plans and one.get("state") != "refused"]:
        need(any(fits(other, one) for other in planned), f"it did what the plan does not have: {one['summary']}")


main(pathlib.Path(sys.argv[1]))
