"""What graphflow encrypts and signs, against libraries that we did not write: cryptography, PyJWT, and NIST's vectors.

    ./environment crypto.py GRAPHFLOW

The vectors are those of NIST's validation program. A journal's seals are opened here as Documentation.docc/RunsOnDisk.md
describes them, and sealed anew. Assertions are signed with keys in every format that `cryptography` writes.
"""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import re
import subprocess
import tempfile
import urllib.parse

import cryptography_vectors
import jwt
import requests
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.serialization import pkcs12

import probe
import sandbox as sandboxes
import tls
from checks import check, check_none, end
from sandbox import CLIENT, TENANT

WORKFLOW = """\
document: { dsl: 1.0.3, namespace: conformance, name: sealed, version: 1.0.0 }
use: { secrets: [key, login] }
do:
  - keep: { set: { key: '${ $secrets.key }', text: '${ "‹ä 🙂› \\($secrets.login.name)%" }' } }
  - first: { call: http, with: { method: get, endpoint: 'http://127.0.0.1:1/' } }
"""
KEY, LOGIN = "s3cr3t-k3y", {"name": 'zäph"od', "pin": 471108}
SECRETS = {"GRAPHFLOW_SECRET_KEY": KEY, "GRAPHFLOW_SECRET_LOGIN": json.dumps(LOGIN)}


def vectors(name):
    """The vectors of a file of NIST, those with nonces of 96 bits and tags of 128."""
    sizes, found = {}, []
    with cryptography_vectors.open_vector_file(f"ciphers/AES/GCM/{name}", "r") as file:
        for line in map(str.strip, file):
            if size := re.fullmatch(r"\[(\w+) = (\d+)\]", line):
                sizes[size[1]] = int(size[2])
            elif line.startswith("Count"):
                found.append(({**sizes}, {}))
            elif line == "FAIL":
                found[-1][1]["FAIL"] = True
            elif (member := re.fullmatch(r"(\w+) = ?(.*)", line)) and found:
                found[-1][1][member[1]] = member[2]
    return [each for size, each in found if size["IVlen"] == 96 and size["Taglen"] == 128]


def published():
    """The probe seals and opens as published."""
    sealed = vectors("gcmEncryptExtIV256.rsp")
    questions = [{"key": each["Key"], "nonce": each["IV"], "plain": each["PT"], "label": each["AAD"]} for each in sealed]
    answers = [answer.get("value", answer) for answer in probe.ask("seal", questions)]
    wrong = [(each, answer) for each, answer in zip(sealed, answers) if answer != each["IV"] + each["CT"] + each["Tag"]]
    check_none(f"{len(sealed)} vectors are sealed", wrong[:5])
    opened = vectors("gcmDecrypt256.rsp")
    questions = [{"key": each["Key"], "box": each["IV"] + each["CT"] + each["Tag"], "label": each["AAD"]} for each in opened]
    answers = [answer.get("value", answer) for answer in probe.ask("open", questions)]
    wrong = [(each, answer) for each, answer in zip(opened, answers) if answer != each.get("PT")]
    check_none(f"{len(opened)} vectors are opened", wrong[:5])
    refused = sum("FAIL" in each for each in opened)
    check("some of them must not open", len(sealed) > 100 and 0 < refused < len(opened), [len(sealed), refused])


def derive(key, use):
    return HKDFExpand(hashes.SHA256(), 32, f"graphflow {use}".encode()).derive(key)


def label(place, seal):
    """What a seal is bound to."""
    bound = {name: seal[name] for name in ("at", "in", "of", "found")}
    return json.dumps([place, bound], ensure_ascii=False, separators=(",", ":")).encode()


def open_seal(key, run, place, seal):
    """The names and values of secrets by their digest, and the value that is sealed."""
    box = base64.b64decode(seal["box"])
    assert box[:8] == derive(key, "id")[:8], "the box names another key"
    plain = AESGCM(derive(key, f"run {run}")).decrypt(box[8:20], box[20:], label(place, seal))
    digest, rest = plain[:32], plain[32:]
    assert len(rest) % 32 == 0, len(rest)
    count, text = rest.split(b" ", 1)
    assert not text[int(count):].strip(b"\0"), "the padding has something in it"
    return digest, json.loads(text[: int(count)])


def lines_of(data):
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


def written(lines):
    """The bytes of a journal with right checksums."""
    previous, data = "", b""
    for members in lines:
        members = {name: value for name, value in members.items() if name != "checksum"}
        content = json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode()[:-1]
        previous = hashlib.sha256(previous.encode() + content).hexdigest()[:16]
        data += content + b',"checksum":"' + previous.encode() + b'"}\n'
    return data


class Run:
    """A run that faulted, in a home of its own."""

    def __init__(self, program, folder):
        self.program, self.home = program, pathlib.Path(folder, "home")
        file = pathlib.Path(folder, "sealed.yaml")
        file.write_text(WORKFLOW, encoding="utf-8")
        given = json.dumps({"given": f"an echo of {KEY}"})
        self.first = self.graphflow("run", str(file), "--input", given)
        self.name = next((self.home / "runs").iterdir()).name
        self.journal = self.home / "runs" / self.name / "journal.jsonl"
        self.key_file = self.home / "key"

    def graphflow(self, *arguments, **environment):
        names = {"PATH": os.environ["PATH"], "GRAPHFLOW_HOME": str(self.home), "GRAPHFLOW_ACCESS_TOKEN": "token"}
        return subprocess.run(
            [self.program, *arguments], env={**names, **SECRETS, **environment}, capture_output=True, text=True,
            timeout=120, stdin=subprocess.DEVNULL,
        )

    def resume(self, **environment):
        return self.graphflow("resume", self.name, **environment)

    def refused(self, what, status, *words, **environment):
        """A resumption is refused in words, and the journal stays as it is."""
        before = self.journal.read_bytes()
        answer = self.resume(**environment)
        seen = f"{answer.returncode}: {answer.stderr}"
        check(what, answer.returncode == status and all(word in answer.stderr for word in words), seen)
        check(f"{what}: the journal stays as it is", self.journal.read_bytes() == before)
        check(f"{what}: no secret is shown", KEY not in seen and LOGIN["name"] not in seen)


def journals(program):
    with tempfile.TemporaryDirectory() as folder:
        run = Run(program, folder)
        check("the run faults", run.first.returncode != 0 and run.journal.exists(), run.first.stderr)
        key, data = run.key_file.read_bytes(), run.journal.read_bytes()
        check("the key is 32 bytes for its owner", len(key) == 32 and run.key_file.stat().st_mode & 0o777 == 0o600, len(key))
        check("no secret is in the journal", not any(word.encode() in data for word in (KEY, "zäph", "471108", "s3cr3t")))
        lines, values, boxes = lines_of(data), [], []
        for members in lines:
            for seal in json.loads(members.get("sealed", "[]")):
                place = members.get("id", f"{run.name}-0")
                digest, value = open_seal(key, run.name, place, seal)
                known = [["key", KEY]] if seal["of"] == ["key"] else [["login", LOGIN]]
                text = json.dumps(known, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
                check("a seal has the digest of its secrets", digest == hmac.digest(derive(key, "secrets"), text, "sha256"))
                values.append(value)
                boxes.append(seal["box"])
        check("every secret is opened here", {KEY, LOGIN["name"]} <= set(map(str, values)), values)
        check("no nonce is used twice", len({base64.b64decode(box)[8:20] for box in boxes}) == len(boxes) > 3, len(boxes))
        try:
            open_seal(os.urandom(32), run.name, "x", {"box": boxes[0], "at": "", "in": "", "of": [], "found": False})
            check("another key opens nothing", False)
        except (AssertionError, InvalidTag):
            check("another key opens nothing", True)

        # A seal that is moved to another place of the same line, with right checksums.
        place = next(at for at, members in enumerate(lines) if len(json.loads(members.get("sealed", "[]"))) > 1)
        seals = json.loads(lines[place]["sealed"])
        seals[0]["box"], seals[1]["box"] = seals[1]["box"], seals[0]["box"]
        moved = [*lines]
        moved[place] = {**lines[place], "sealed": json.dumps(seals, ensure_ascii=False)}
        run.journal.write_bytes(written(moved))
        run.refused("a moved seal is refused", 1, "was changed or moved")
        run.journal.write_bytes(data)

        run.refused("a changed secret is named", 3, "the secret 'key' is not the one", GRAPHFLOW_SECRET_KEY="another")
        run.refused("a missing secret is named", 3, "GRAPHFLOW_SECRET_KEY", GRAPHFLOW_SECRET_KEY="")
        run.key_file.chmod(0o640)
        run.refused("a key that others can read is refused", 1, "chmod 600")
        run.key_file.chmod(0o600)
        for content, words in ((key[:31], "it has 31 bytes"), (b"", "it has 0 bytes"), (bytes(32), "zeros")):
            run.key_file.write_bytes(content)
            run.refused(f"a key of {content[:4]}… is refused", 1, words)
        run.key_file.write_bytes(os.urandom(32))
        run.refused("another key is said", 1, "is a different one", "restore that file")
        run.key_file.unlink()
        run.refused("a lost key is said", 1, "is missing", "restore that file")
        check("no other key is made", not run.key_file.exists())
        run.key_file.write_bytes(key)
        run.key_file.chmod(0o600)
        again = run.resume()
        check("with its key, the run goes on to the same fault", "127.0.0.1:1" in again.stderr, again.stderr)

        many = [
            subprocess.Popen(
                [program, "run", str(pathlib.Path(folder, "sealed.yaml"))], stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, text=True,
                env={"PATH": os.environ["PATH"], "GRAPHFLOW_HOME": f"{folder}/new", "GRAPHFLOW_ACCESS_TOKEN": "token", **SECRETS},
            )
            for _ in range(8)
        ]
        errors = [process.communicate(timeout=120)[1] for process in many]
        key, names = pathlib.Path(folder, "new/key").read_bytes(), sorted(os.listdir(f"{folder}/new"))
        check("processes that start at once make one key", names == ["key", "runs"] and len(key) == 32, [names, errors])
        for journal in pathlib.Path(folder, "new/runs").glob("*/journal.jsonl"):
            for members in lines_of(journal.read_bytes()):
                for seal in json.loads(members.get("sealed", "[]")):
                    open_seal(key, journal.parent.name, members["id"], seal)
        check("and all seal with it", True)
        alone = run.graphflow(
            "run", f"{folder}/sealed.yaml", "--no-journal", GRAPHFLOW_HOME=f"{folder}/none")
        check("a run without a journal makes no key", not os.path.exists(f"{folder}/none/key"), alone.stderr)


def formats(certificate, word):
    """The files with the certificate and its key, each with its name and whether it is encrypted."""
    key, password = certificate.key, word.encode()
    own = certificate.pem.encode()
    encodings = [
        ("PKCS #8", serialization.PrivateFormat.PKCS8), ("PKCS #1", serialization.PrivateFormat.TraditionalOpenSSL)]
    for name, form in encodings:
        for encryption, locked in (
            (serialization.NoEncryption(), False), (serialization.BestAvailableEncryption(password), True)):
            yield name, own + key.private_bytes(serialization.Encoding.PEM, form, encryption), locked
    builder = serialization.PrivateFormat.PKCS12.encryption_builder()
    for name, algorithm, digest in (
        ("AES", pkcs12.PBES.PBESv2SHA256AndAES256CBC, hashes.SHA256()),
        ("3DES", pkcs12.PBES.PBESv1SHA1And3KeyTripleDESCBC, hashes.SHA1())):
        encryption = builder.kdf_rounds(5_000).key_cert_algorithm(algorithm).hmac_hash(digest).build(password)
        data = pkcs12.serialize_key_and_certificates("ä".encode(), key, certificate.certificate, None, encryption)
        yield f"PKCS #12 with {name}", data, True
    data = pkcs12.serialize_key_and_certificates(None, key, certificate.certificate, None, serialization.NoEncryption())
    yield "PKCS #12 without a password", data, False


def assertions(program, sandbox):
    word = 'pä "ss 🙂%‹›'
    with tempfile.TemporaryDirectory() as folder:
        certificate, bodies = tls.Certificate(folder), []
        der = certificate.certificate.public_bytes(serialization.Encoding.DER)
        for name, data, is_locked in formats(certificate, word):
            file = pathlib.Path(folder, "both")
            file.write_bytes(data)
            bodies.clear()
            with tls.passing_on(sandbox, bodies=bodies) as port:
                environment = {
                    "PATH": "/nowhere", "GRAPHFLOW_HOME": f"{folder}/home", "GRAPHFLOW_GRAPH_URL": sandbox.graph,
                    "AZURE_AUTHORITY_HOST": f"http://localhost:{port}", "AZURE_TENANT_ID": TENANT,
                    "AZURE_CLIENT_ID": CLIENT, "AZURE_CLIENT_CERTIFICATE_PATH": str(file),
                    "AZURE_CLIENT_SEND_CERTIFICATE_CHAIN": "1",
                }
                locked = {"AZURE_CLIENT_CERTIFICATE_PASSWORD": word} if is_locked else {}
                get = lambda **more: subprocess.run(
                    [program, "get", "/users"], env={**environment, **more}, capture_output=True, text=True, timeout=120)
                answer = get(**locked)
                check(f"{name}, encrypted {is_locked}", "Megan Bowen" in answer.stdout, answer.stderr)
                if is_locked:
                    wrong = get(AZURE_CLIENT_CERTIFICATE_PASSWORD="wrong")
                    words = "AZURE_CLIENT_CERTIFICATE_PASSWORD" in wrong.stderr
                    check(f"{name}: a wrong password is said", wrong.returncode != 0 and words, wrong.stderr)
            forms = [urllib.parse.parse_qs(body) for body in bodies]
            statements = [form["client_assertion"][0] for form in forms if "client_assertion" in form]
            check(f"{name}: one assertion", len(statements) == 1, len(statements))
            for statement in statements:
                head = jwt.get_unverified_header(statement)
                claims = jwt.decode(
                    statement, certificate.key.public_key(), algorithms=["PS256"],
                    audience=f"http://localhost:{port}/{TENANT}/oauth2/v2.0/token")
                check(f"{name}: it is the application's", claims["iss"] == claims["sub"] == CLIENT, claims)
                thumbprint = base64.urlsafe_b64encode(hashlib.sha256(der).digest()).decode().rstrip("=")
                check(f"{name}: its certificate", head["x5t#S256"] == thumbprint, head)
                check(f"{name}: its chain", list(map(base64.b64decode, head["x5c"])) == [der], head)


def tokens(sandbox):
    """PyJWT verifies a token of the sandbox with the key that it publishes."""
    keys = jwt.PyJWKClient(f"{sandbox.address}/common/discovery/v2.0/keys")
    form = {
        "grant_type": "client_credentials", "client_id": CLIENT, "client_secret": "x",
        "scope": "https://graph.microsoft.com/.default"}
    answer = requests.post(f"{sandbox.address}/{TENANT}/oauth2/v2.0/token", data=form, timeout=30).json()
    token = answer.get("access_token", "")
    check("the sandbox signs a token", token.count(".") == 2, answer)
    key = keys.get_signing_key_from_jwt(token)
    claims = jwt.decode(token, key.key, algorithms=["RS256"], audience="https://graph.microsoft.com")
    check("PyJWT verifies it", claims["appid"] == CLIENT, claims)
    changed = token[:-5] + ("A" if token[-5] != "A" else "B") + token[-4:]
    try:
        jwt.decode(changed, key.key, algorithms=["RS256"], audience="https://graph.microsoft.com")
        check("a changed signature is refused", False)
    except jwt.InvalidSignatureError:
        check("a changed signature is refused", True)


def main():
    program = sandboxes.program(__doc__)
    published()
    journals(program)
    with sandboxes.running(program) as sandbox:
        assertions(program, sandbox)
        tokens(sandbox)
    end("encryption and signatures")


main()
