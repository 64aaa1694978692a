"""Approvals that are forged: files and tokens that were changed, and platforms that answer wrongly."""

import contextlib
import functools
import hashlib
import hmac
import json
import os
import socket

import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding

from approval_desk import LYNNE, MEGAN, OTHER, finished
from approval_platform import CLIENT, TENANT, Key, base64url, compact, decoded, digest, moment, nonce, seconds
from checks import check


def files(desk):
    platform, plan = desk.platform, desk.plan()
    good = platform.approval(plan, MEGAN)
    desk.refused("another plan", "something else", desk.plan("diegos@contoso.com"), good)
    desk.refused("the same plan, made anew", "something else", desk.plan(), good)

    def without_effects(plan):
        plan["effects"] = []
        plan["totals"]["mails"] = {"atLeast": 0, "atMost": 0}

    def to_somebody(plan):
        plan["input"]["to"] = "diegos@contoso.com"

    def by_somebody(plan):
        plan["plannedBy"] = LYNNE.id

    for name, change in [
        ("effects that are hidden", without_effects), ("another input", to_somebody), ("another planner", by_somebody),
    ]:  # fmt: skip
        edited = desk.edited(plan, change)
        desk.refused(f"a plan with {name}", "something else", edited, good)
        desk.refused(f"a plan with {name}, and its digest in the approval", "signed for something else",
                     edited, {**good, "plan": digest(edited)})
    for name, change in [("effects that are hidden", without_effects), ("another input", to_somebody)]:
        edited = desk.edited(plan, change)
        desk.refused(f"a plan with {name} that was honestly approved", "differ from the approved plan",
                     edited, platform.approval(edited, MEGAN))

    changed = "signed for something else"
    desk.refused("another note", changed, plan, {**good, "note": "checked twice"})
    desk.refused("a note with a space more", changed, plan, {**good, "note": " "})
    desk.refused("a later expiry", changed, plan, {**good, "expires": moment(days=30)})
    same = good["expires"].replace("Z", "+00:00")
    desk.refused("the same expiry in other words", changed, plan, {**good, "expires": same})
    desk.refused("a digest in capitals", "something else", plan, {**good, "plan": good["plan"].upper()})
    desk.refused("a member more", "members", plan, {**good, "approvers": [MEGAN.id]})
    desk.refused("what a journal adds", "members", plan, {**good, "approved": True, "by": MEGAN.id})
    for name in good:
        word = "'run'|'plan'" if name == "plan" else f"'{name}'"
        desk.refused(f"no '{name}'", word, plan, {one: value for one, value in good.items() if one != name})
    for name in ("plan", "expires", "note", "idToken"):
        desk.refused(f"null as '{name}'", f"'{name}'", plan, {**good, name: None})
    desk.refused("a number as the note", "'note'", plan, {**good, "note": 1})
    desk.refused("expired", "expired", plan, platform.approval(plan, MEGAN, expires=moment(seconds=-5)))
    # Clocks may differ by two minutes, and this expiry lies within them.
    late = {"iat": seconds(100)}
    desk.refused("expired when it was signed", "expired when", plan,
                 platform.approval(plan, MEGAN, expires=moment(seconds=60), claims=late))
    for text in (
        "tomorrow", "", "2999-13-01T00:00:00Z", "99999999999", "2999-01-01", "2999-02-31T00:00:00Z", "2999-02-29T00:00:00Z",
        "2999-12-31T24:00:00Z", "2999-06-30T23:59:60Z", "2999-01-01T00:00:00+24:00", "2999-01-01T00:00:00Zx",
    ):  # fmt: skip
        desk.refused(f"the expiry '{text}'", "not a time", plan, platform.approval(plan, MEGAN, expires=text))
    for name, text in [
        ("no JSON", "approved by Megan"), ("an empty file", ""), ("half of the file", json.dumps(good)[:-40]),
    ]:  # fmt: skip
        desk.refused(name, "cannot be read", plan, desk.file(text))
    for name, text in [("a list", [good]), ("a text", '"approved"'), ("null", "null")]:
        desk.refused(name, "not a file that 'graphflow approve' wrote", plan, desk.file(text))
    desk.refused("a file that is not there", "read", plan, desk.path("nowhere.json"))
    desk.refused("a folder", "read", plan, desk.folder)
    pipe = desk.new("pipe")
    os.mkfifo(pipe)
    desk.refused("a pipe without a writer", "regular file", plan, pipe)
    desk.refused_command("approve of a pipe", "regular file", "approve", pipe, "--yes")
    signed = json.dumps(platform.approval(plan, MEGAN, note="yes"))
    ambiguous = "cannot be read|signed for something else|something else|twice|duplicate|changed"
    desk.refused("two notes, the signed one first", ambiguous, plan, desk.file(signed[:-1] + ', "note": "no"}'))
    desk.refused("two notes, the signed one last", ambiguous, plan, desk.file('{"note": "no", ' + signed[1:]))
    with open(plan, encoding="utf-8") as file:
        text = file.read()
    for name, twice in [("first", text.replace('"totals":', '"effects": [], "totals":')),
                        ("last", text.replace('"effects":', '"effects": [], "effects":'))]:
        desk.refused(f"a plan with two lists of effects, the real one {name}", ambiguous, desk.file(twice),
                     platform.approval(plan, MEGAN, f"real {name}"))
    desk.refused("a plan instead of an approval", "'|members", plan, plan)
    # A question's approval has other members, and the plan's digest is none of them.
    question = {"run": "x", "task": "y", "text": "z", "data": None, **{name: good[name] for name in good if name != "plan"}}
    desk.refused("an approval of a task's question", "something else", plan, question)


NUMBERS = """\
document: { dsl: 1.0.3, namespace: samples, name: amount, version: 1.0.0 }
do:
  - write:
      call: graph
      with: { method: POST, path: /me/messages, body: { subject: Hello, amount: '${ .amount }' } }
"""


def numbers(desk):
    """Numbers that are sent as they were given, and of which an approver of one approves no other."""
    desk.write("amount.yaml", NUMBERS)
    for one, other in [
        ("777", "778"), ("9007199254740992", "9007199254740993"), ("1E+400", "1E+500"), ("7.125", "7.12500000000000000001"),
        ("1234567890123456789012.5", "1234567890123456789999.5"), ("9007199254740993.25", "9007199254740993.4"),
    ]:  # fmt: skip
        plan = desk.plan(given=f'{{"amount": {one}}}', workflow="amount.yaml")
        begun = desk.approving(plan)
        if begun[1] is None:
            status, _, errors = finished(begun)
            check(f"a plan with {one} cannot be approved", status == 2 and "more digits" in errors, errors)
            continue
        requests.post(begun[1], data={"person": MEGAN.id}, timeout=30)
        status, _, errors = finished(begun)
        check(f"a plan with {one} is approved", status == 0, errors)
        approval = plan.removesuffix(".json") + ".approval.json"
        with open(plan, encoding="utf-8") as file:
            text = file.read()
        words = desk.words(desk.file(text.replace(f": {one}", f": {other}")), [approval], workflow="amount.yaml")
        desk.refused_command(f"{other} instead of {one}", "something else|changed|more digits", *words)


def tokens(desk):
    platform, plan = desk.platform, desk.plan()
    key, attacker = platform.key, Key("attacker")
    make = functools.partial(platform.approval, plan, MEGAN)
    good = make()

    def refused(name, word, **changes):
        desk.refused(name, word, plan, make(**changes))

    # What it claims.
    tenant = platform.origin + "/" + OTHER + "/v2.0"
    refused("another tenant's id", "another tenant", claims={"tid": OTHER})
    refused("no tenant", "another tenant", without=["tid"])
    refused("another tenant's issuer", "issued by", claims={"iss": tenant})
    refused("another tenant, consistently", "issued by", claims={"iss": tenant, "tid": OTHER})
    refused("another issuer", "issued by", claims={"iss": "https://login.contoso.com/v2.0"})
    refused("an issuer with a slash more", "issued by", claims={"iss": platform.issuer + "/"})
    refused("an issuer in capitals", "issued by", claims={"iss": platform.issuer.upper()})
    refused("no issuer", "issued by", without=["iss"])
    refused("another application", "another application", claims={"aud": OTHER})
    refused("a list of applications", "another application", claims={"aud": [CLIENT]})
    refused("a list of two applications", "another application", claims={"aud": [CLIENT, OTHER]})
    refused("no application", "another application", without=["aud"])
    refused("Graph's token", "another application", claims={"aud": "00000003-0000-0000-c000-000000000000"})
    refused("no nonce", "signed for something else", without=["nonce"])
    refused("the nonce of another plan", "signed for something else",
            claims={"nonce": nonce(platform.approval(desk.plan(), MEGAN))})
    refused("a nonce with padding", "signed for something else", claims={"nonce": nonce(good) + "="})
    refused("the digest as the nonce", "signed for something else", claims={"nonce": good["plan"]})
    refused("a list as the nonce", "signed for something else", claims={"nonce": [nonce(good)]})
    refused("no moment of issue", "when it was issued", without=["iat"])
    refused("a moment of issue as a text", "when it was issued", claims={"iat": "1795714002"})
    refused("a moment of issue in ten minutes", "future", claims={"iat": seconds(600)})
    refused("no person", "object id", without=["oid"])
    refused("a number as the person", "object id", claims={"oid": 7})
    refused("a person by 'sub' only", "object id", without=["oid"], claims={"sub": MEGAN.id})

    # Which algorithm.
    for name in ("none", "None", "", "rs256", "RS256 "):
        word = "only RS256"
        refused(f"the algorithm '{name}'", word, head={"alg": name})
        refused(f"the algorithm '{name}' without a signature", word,
                token=lambda head, body, name=name: compact({**head, "alg": name}, body, lambda part: b""))
    refused("no algorithm", "only RS256", head={"alg": None})
    refused("a list of algorithms", "only RS256", head={"alg": ["RS256"]})
    number = key.modulus.to_bytes(256, "big")
    der = key.pem
    for name, secret in [("PEM", der), ("PEM without its last line break", der.strip()), ("modulus", number),
                         ("modulus as base64url", base64url(number).encode()), ("nothing", b"")]:
        refused(f"HS256 with the public key as the secret: {name}", "only RS256",
                token=lambda head, body, secret=secret: compact(
                    {**head, "alg": "HS256"}, body, lambda part: hmac.digest(secret, part, "sha256")))
    salt = padding.PSS(padding.MGF1(hashes.SHA256()), 32)
    curve = ec.generate_private_key(ec.SECP256R1())
    for name, sign in [
        ("RS384", lambda part: key.sign(part, hashes.SHA384())), ("RS512", lambda part: key.sign(part, hashes.SHA512())),
        ("PS256", lambda part: key.sign(part, scheme=salt)),
        ("ES256", lambda part: curve.sign(part, ec.ECDSA(hashes.SHA256()))),
    ]:  # fmt: skip
        refused(name, "only RS256", token=lambda head, body: compact({**head, "alg": name}, body, sign))
        refused(f"{name} that says RS256", "signature", token=lambda head, body: compact(head, body, sign))

    # Which kind of token.
    refused("an access token", "not an ID token", head={"typ": "at+jwt"})
    refused("a logout token", "not an ID token", head={"typ": "logout+jwt"})
    refused("extensions that must be understood", "not an ID token", head={"crit": ["b64"], "b64": False})
    refused("no extensions that must be understood", "not an ID token", head={"crit": []})

    # Which key.
    unpublished = "does not publish"
    refused("an unknown key", unpublished, head={"kid": "third"})
    refused("no key's name", unpublished, head={"kid": None})
    refused("an empty key's name", unpublished, head={"kid": ""})
    refused("a number as the key's name", unpublished, head={"kid": 1})
    refused("another published key", "signature", head={"kid": "second"})
    refused("an attacker's key, also in the file", unpublished, key=attacker)
    refused("an attacker's key under the name of the published one", "signature", key=attacker, head={"kid": "first"})
    named = attacker.jwk(kid="first")
    desk.refused("that key in the file under this name", "signature", plan,
                 {**make(key=attacker, head={"kid": "first"}), "key": named})
    refused("an attacker's key in the header", "signature", key=attacker, head={"kid": "first", "jwk": named})
    refused("an attacker's address of keys in the header", "signature", key=attacker,
            head={"kid": "first", "jku": platform.origin + "/attacker"})

    # How it is written.
    def rewritten(name, word, change):
        text = good["idToken"]
        desk.refused(name, word, plan, {**good, "idToken": change(*text.split("."))})

    no_token = "not a JSON Web Token"
    other = make(note="another")["idToken"].split(".")
    shorter = base64url(decoded(good["idToken"].split(".")[2])[:-3])
    rewritten("a truncated signature", "signature", lambda head, body, signature: f"{head}.{body}.{shorter}")
    rewritten("no signature", "signature", lambda head, body, signature: f"{head}.{body}.")
    rewritten("two parts", no_token, lambda head, body, signature: f"{head}.{body}")
    rewritten("four parts", no_token, lambda head, body, signature: f"{head}.{body}.{signature}.")
    rewritten("five parts, as encrypted tokens have", no_token, lambda *parts: ".".join([*parts, "", ""]))
    rewritten("another token's signature", "signature", lambda head, body, signature: f"{head}.{body}.{other[2]}")
    rewritten("another token's claims", "signature", lambda head, body, signature: f"{head}.{other[1]}.{signature}")
    spaced = base64url(json.dumps(platform.claims(MEGAN, nonce(good)), indent=1).encode())
    rewritten("the claims with white space", "signature", lambda head, body, signature: f"{head}.{spaced}.{signature}")
    rewritten("padding", no_token, lambda head, body, signature: f"{head}.{body}.{signature}==")
    rewritten("a line break in it", no_token, lambda head, body, signature: f"{head}.{body}\n.{signature}")
    rewritten("a line break after it", no_token, lambda head, body, signature: f"{head}.{body}.{signature}\n")
    rewritten("a space before it", no_token, lambda head, body, signature: f" {head}.{body}.{signature}")
    rewritten("'Bearer' before it", no_token, lambda head, body, signature: f"Bearer {head}.{body}.{signature}")
    rewritten("bits that base64 ignores", no_token, lambda head, body, signature: f"{head}.{body}.{loose(signature)}")
    longer = base64url(b"\0" + decoded(good["idToken"].split(".")[2]))
    rewritten("a zero before the signature", "signature", lambda head, body, signature: f"{head}.{body}.{longer}")
    bigger = int.from_bytes(decoded(good["idToken"].split(".")[2]), "big") + key.modulus
    bigger = base64url(bigger.to_bytes(257, "big"))
    rewritten("the signature and the modulus", "signature", lambda head, body, signature: f"{head}.{body}.{bigger}")
    # One with a letter that both alphabets write differently.
    while not set("-_") & set((standard := make(note=os.urandom(4).hex()))["idToken"]):
        pass
    text = standard["idToken"].replace("-", "+").replace("_", "/")
    desk.refused("the standard alphabet of base64", no_token, plan, {**standard, "idToken": text})

    def doubled(first, second):
        def token(head, body):
            claims = {name: value for name, value in body.items() if name != "nonce"}
            both = f', "nonce": {json.dumps(first(body))}, "nonce": {json.dumps(second(body))}}}'
            return compact(head, (json.dumps(claims)[:-1] + both).encode(), key.sign)

        return token

    right, wrong = (lambda body: body["nonce"]), (lambda body: "another")
    refused("two nonces, the right one first", "not a JSON Web Token|something else", token=doubled(right, wrong))
    refused("two nonces, the right one last", "not a JSON Web Token|something else", token=doubled(wrong, right))
    refused("claims that are a list", no_token, token=lambda head, body: compact(head, [body], key.sign))
    refused("claims that are no JSON", no_token, token=lambda head, body: compact(head, b"approved", key.sign))
    refused("claims that are not UTF-8", no_token, token=lambda head, body: compact(
        head, json.dumps(body).encode().replace(b"Megan", b"Meg\xffn"), key.sign))
    refused("an empty token", no_token, token=lambda head, body: "")
    refused("a file of dots", no_token, token=lambda head, body: "." * 100_000)
    desk.accepted("the token that all of these were made of", plan, good)


def loose(signature):
    """The signature with other bits at its end, which a careless decoder drops."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    last = letters.index(signature[-1])
    return signature[:-1] + letters[last ^ 1]


def published_keys(desk):
    platform, plan = desk.platform, desk.plan()

    def refused(name, word, key, *published, **changes):
        with platform.publishing(*published):
            desk.refused(name, word, plan, platform.approval(plan, MEGAN, key=key, **changes))

    key = platform.key
    weak = Key("weak", 1024)
    refused("a published key of 1024 bits", "bits|short|small|weak", weak, weak.jwk())
    refused("a published key for encryption", "not one for RS256", key, key.jwk(use="enc"))
    refused("a published key for another algorithm", "not one for RS256", key, key.jwk(alg="PS256"))
    refused("a published key of another kind", "not one for RS256", key, key.jwk(kty="oct"))
    refused("a published key without a modulus", "not one for RS256", key,
            {name: value for name, value in key.jwk().items() if name != "n"})
    refused("a published key that is no object", "does not publish", key, "first", 7, None)
    refused("a key that is not published any more", "does not publish", key, platform.second.jwk())

    # With the exponent 1, anybody can write a signature.
    def unsigned(part):
        prefix = bytes.fromhex("3031300d060960864801650304020105000420")
        end = prefix + hashlib.sha256(part).digest()
        return b"\0\1" + b"\xff" * (253 - len(end)) + b"\0" + end

    refused("a published key with the exponent 1", "signature|not one for RS256", key, key.jwk(e="AQ"),
            token=lambda head, body: compact(head, body, unsigned))
    with platform.publishing(key.jwk(alg="RS256", x5t="abc"), platform.second.jwk()):
        desk.accepted("a published key with more members", plan, platform.approval(plan, MEGAN, "more members"))


def answers(desk):
    platform, plan = desk.platform, desk.plan()
    good = platform.approval(plan, MEGAN)
    description = platform.description()

    def refused(name, word, **wrong):
        with platform.answering(**wrong):
            desk.refused(name, word, plan, good)

    def described(**changes):
        return {"discovery": (200, json.dumps({**description, **changes}), {})}

    page = (200, "<!DOCTYPE html><title>Sign in</title>", {"Content-Type": "text/html"})
    had = "keys of the sign-in service|does not publish|does not say"
    for kind in ("keys", "discovery"):
        refused(f"{kind}: an error of the service", had, **{kind: (500, "", {})})
        refused(f"{kind}: not found", had, **{kind: (404, "{}", {})})
        refused(f"{kind}: a page", had, **{kind: page})
        refused(f"{kind}: nothing", had, **{kind: (200, "", {})})
        refused(f"{kind}: an empty object", had, **{kind: (200, "{}", {})})
        refused(f"{kind}: a list", had, **{kind: (200, json.dumps([platform.published]), {})})
        place = {"Location": f"{platform.origin}/{TENANT}/moved/{kind}"}
        for status in (301, 302, 307):
            refused(f"{kind}: a redirect to the right answer ({status})", had, **{kind: (status, "", place)})
    refused("keys: a text in their place", had, keys=(200, json.dumps({"keys": "all"}), {}))
    with contextlib.closing(socket.socket()) as closed:
        closed.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{closed.getsockname()[1]}"
        refused("keys at a closed port", had, **described(jwks_uri=f"{nowhere}/keys"))
        desk.refused("no platform at all", had, plan, good, AZURE_AUTHORITY_HOST=nowhere)
    refused("another issuer in the description", "issued by", **described(issuer="https://login.contoso.com/v2.0"))
    issuer = f"{platform.origin}/{{tenantid}}/v2.0"
    refused("an issuer for every tenant in the description", "does not say", **described(issuer=issuer))
    refused("keys over plain http", "does not say", **described(jwks_uri="http://keys.contoso.com/keys"))
    refused("keys in a file", "does not say", **described(jwks_uri="file:///etc/hostname"))
    for name, seconds in [("ten minutes behind", 600), ("ten minutes ahead", -600), ("a year behind", 31_536_000)]:
        refused(f"this machine's clock is {name}", "clock", clock=seconds)
    for seconds in (60, -60):
        with platform.answering(clock=seconds):
            desk.accepted(f"clocks that differ by {seconds} seconds", plan, platform.approval(plan, MEGAN, f"{seconds}"))
    unknown = "tenant of the approvers|application that approvers"
    desk.refused("no tenant is configured", unknown, plan, good, AZURE_TENANT_ID=None)
    desk.refused("every tenant is configured", unknown, plan, good, AZURE_TENANT_ID="common")
    desk.refused("no application is configured", unknown, plan, good, GRAPHFLOW_APPROVAL_CLIENT_ID=None)
    desk.refused("another application is configured", "another application", plan, good, GRAPHFLOW_APPROVAL_CLIENT_ID=OTHER)
