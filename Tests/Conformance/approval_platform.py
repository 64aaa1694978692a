"""An identity platform that is not graphflow's: authlib's OAuth 2 server, whose answers and tokens can be wrong.

Its ID tokens have what Microsoft Entra's have: version 2.0, dated five minutes back, with `idp` for guests.
"""

import base64
import contextlib
import datetime
import email.utils
import hashlib
import html
import http.server
import json
import os
import threading
import time
import urllib.parse

import rfc8785
from authlib.jose import JsonWebKey
from authlib.oauth2.rfc6749 import AuthorizationServer, OAuth2Request, grants
from authlib.oauth2.rfc6749.errors import OAuth2Error
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

# Loopback addresses have no TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

TENANT = "0f3c6b1e-52a4-4c8b-9d57-6a1b2c3d4e5f"
CLIENT = "c1a7e9d4-3b2f-4e6a-8c5d-9f0a1b2c3d4e"


class Person:
    """Somebody in the tenant."""

    def __init__(self, name, address, number, provider=None):
        """A guest has another identity provider; not everybody has a user principal name in a token."""
        self.name, self.address, self.provider = name, address, provider
        self.id = f"00000000-0000-4000-8000-{number:012d}"

    def token(self):
        """An access token that names this person; the sandbox takes any."""
        claims = {"ver": "1.0", **times(), "oid": self.id, "upn": self.address}
        return compact({"alg": "RS256", "typ": "JWT"}, claims, lambda part: b"any")


def base64url(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def compact(head, claims, sign):
    """A JSON Web Token; what is bytes is taken as it is."""
    parts = [base64url(part if isinstance(part, bytes) else json.dumps(part).encode()) for part in (head, claims)]
    signed = ".".join(parts)
    return f"{signed}.{base64url(sign(signed.encode()))}"


def digest(plan):
    """The digest of a plan's file, computed without graphflow."""
    with open(plan, encoding="utf-8") as file:
        return hashlib.sha256(rfc8785.dumps(json.load(file))).hexdigest()


def nonce(members):
    """The nonce of an approval's members, computed without graphflow."""
    statement = {name: members[name] for name in ("plan", "expires", "note") if name in members}
    return base64url(hashlib.sha256(rfc8785.dumps(statement)).digest())


def moment(**distance):
    """A time so far from now, as approvals write it."""
    then = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(**distance)
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds(distance):
    """A time so far from now, as tokens write it."""
    return int(time.time()) + distance


def times():
    """When a token was issued and ends: Microsoft Entra dates it five minutes back."""
    return {"iat": seconds(-300), "nbf": seconds(-300), "exp": seconds(3600)}


class Key:
    """A key of RSA, by its name."""

    def __init__(self, name, size=2048, **members):
        self.name, self.members = name, members
        self.private = rsa.generate_private_key(public_exponent=65537, key_size=size)

    @property
    def pem(self):
        return self.private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    @property
    def modulus(self):
        return self.private.public_key().public_numbers().n

    def jwk(self, **changes):
        """The public key as a platform publishes it."""
        members = JsonWebKey.import_key(self.pem, {"kty": "RSA", "use": "sig", "kid": self.name}).as_dict()
        return {**members, **self.members, **changes}

    def sign(self, content, algorithm=None, scheme=None):
        return self.private.sign(content, scheme or padding.PKCS1v15(), algorithm or hashes.SHA256())


class Client:
    """A public client that may be redirected to this machine."""

    def get_client_id(self):
        return CLIENT

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return scope

    def check_redirect_uri(self, address):
        return urllib.parse.urlsplit(address).hostname == "localhost"

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "none"

    def check_response_type(self, kind):
        return kind == "code"

    def check_grant_type(self, kind):
        return kind == "authorization_code"


class Code:
    """An authorization code, with what it was asked for."""

    def __init__(self, text, request):
        asked = request.payload.data
        self.text, self.user, self.time = text, request.user, int(time.time())
        self.code_challenge = asked.get("code_challenge")
        self.code_challenge_method = asked.get("code_challenge_method")
        self.redirect, self.scope, self.nonce = asked.get("redirect_uri"), asked.get("scope"), asked.get("nonce")

    def get_redirect_uri(self):
        return self.redirect

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return self.time

    def get_acr(self):
        return None

    def get_amr(self):
        return None


class Challenge(CodeChallenge):
    SUPPORTED_CODE_CHALLENGE_METHOD = ["S256"]


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def save_authorization_code(self, code, request):
        self.server.codes[code] = Code(code, request)

    def query_authorization_code(self, code, client):
        return self.server.codes.get(code)

    def delete_authorization_code(self, code):
        del self.server.codes[code.text]

    def authenticate_user(self, code):
        return code.user


class IDTokens(OpenIDCode):
    def __init__(self, platform):
        super().__init__(require_nonce=True)
        self.platform = platform

    def exists_nonce(self, nonce, request):
        return False

    def get_jwt_config(self, grant):
        key = self.platform.signer
        pem = key.private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        return {"key": pem, "kid": key.name, "alg": "RS256", "iss": self.platform.issuer, "exp": 3600}

    def generate_user_info(self, user, scope):
        return UserInfo(**{**self.platform.person_claims(user), **times(), "aud": CLIENT, **self.platform.changes})


class Request(OAuth2Request):
    def __init__(self, method, address, form, headers):
        super().__init__(method, address, headers=headers)
        query = urllib.parse.urlsplit(address).query
        self._args, self._form = (dict(urllib.parse.parse_qsl(text, keep_blank_values=True)) for text in (query, form))
        self.payload = BasicOAuth2Payload({**self._args, **self._form})

    @property
    def args(self):
        return self._args

    @property
    def form(self):
        return self._form


class Server(AuthorizationServer):
    """authlib's server, without a web framework."""

    def __init__(self, platform):
        super().__init__()
        self.codes = {}
        self.register_token_generator("default", lambda **asked: {
            "token_type": "Bearer", "access_token": "unused", "expires_in": 3600, "scope": asked["scope"]})
        self.register_grant(CodeGrant, [Challenge(required=True), IDTokens(platform)])

    def query_client(self, id):
        return Client() if id == CLIENT else None

    def save_token(self, token, request):
        pass

    def send_signal(self, name, *arguments, **more):
        pass

    def create_oauth2_request(self, request):
        return request

    def handle_response(self, status, body, headers):
        return status, body if isinstance(body, str) else json.dumps(body), dict(headers)


class Platform:
    """A tenant of an OpenID provider on this machine, which can also answer wrongly."""

    def __init__(self, people):
        self.people = people
        self.key, self.second = Key("first"), Key("second")
        self.published = [self.key.jwk(), self.second.jwk()]
        self.signer, self.changes, self.wrong, self.asked = self.key, {}, {}, []
        platform, server = self, Server(self)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                platform.answer(self, server, "")

            def do_POST(self):
                platform.answer(self, server, self.rfile.read(int(self.headers["Content-Length"])).decode())

            def date_time_string(self, timestamp=None):
                return email.utils.formatdate(time.time() + platform.wrong.get("clock", 0), usegmt=True)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.issuer = f"{self.origin}/{TENANT}/v2.0"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, handler, server, form):
        name = handler.path.split("?")[0].removeprefix(f"/{TENANT}/")
        self.asked.append(name)
        request = Request(handler.command, self.origin + handler.path, form, handler.headers)
        pages = {
            "v2.0/.well-known/openid-configuration": ("discovery", self.description),
            "discovery/v2.0/keys": ("keys", lambda: {"keys": self.published}),
            # Where a redirect leads; what follows it gets the right answer.
            "moved/discovery": ("", self.description), "moved/keys": ("", lambda: {"keys": self.published}),
        }
        if name in pages:
            kind, content = pages[name]
            status, body, headers = self.wrong.get(kind) or (200, json.dumps(content()), {})
            headers = {"Content-Type": "application/json", **headers}
        elif name == "oauth2/v2.0/authorize":
            status, body, headers = self.authorize(server, request)
        elif name == "oauth2/v2.0/token":
            status, body, headers = server.create_token_response(request)
        else:
            status, body, headers = 404, "", {}
        content = body.encode()
        handler.send_response(status)
        for field, value in {"Content-Length": len(content), **headers}.items():
            handler.send_header(field, str(value))
        handler.end_headers()
        handler.wfile.write(content)

    def description(self):
        place = f"{self.origin}/{TENANT}"
        return {
            "issuer": self.issuer, "jwks_uri": f"{place}/discovery/v2.0/keys",
            "authorization_endpoint": f"{place}/oauth2/v2.0/authorize", "token_endpoint": f"{place}/oauth2/v2.0/token",
            "response_types_supported": ["code"], "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def authorize(self, server, request):
        """The sign-in page; a click on a person signs that person in."""
        try:
            grant = server.get_consent_grant(request)
        except OAuth2Error as error:
            return server.handle_error_response(request, error)
        if request.method == "POST":
            person = next((one for one in self.people if one.id == request.form.get("person")), None)
            return server.create_authorization_response(request, grant_user=person, grant=grant)
        buttons = "".join(
            f'<p><button name="person" value="{one.id}">{html.escape(one.name)}</button></p>' for one in self.people)
        action = html.escape(urllib.parse.urlsplit(request.uri)._replace(scheme="", netloc="").geturl())
        page = f'<!DOCTYPE html><title>Sign in</title><form method="post" action="{action}">{buttons}' \
            '<p><button name="person" value="">Cancel</button></p></form>'
        return 200, page, {"Content-Type": "text/html; charset=utf-8"}

    @contextlib.contextmanager
    def answering(self, **wrong):
        """It answers like this instead: `keys` and `discovery` as status, body and headers, `clock` in seconds."""
        self.wrong = wrong
        try:
            yield
        finally:
            self.wrong = {}

    @contextlib.contextmanager
    def publishing(self, *keys):
        former, self.published = self.published, list(keys)
        try:
            yield
        finally:
            self.published = former

    @contextlib.contextmanager
    def issuing(self, signer=None, **changes):
        """What it issues is signed with this key, and has these claims."""
        self.signer, self.changes = signer or self.key, changes
        try:
            yield
        finally:
            self.signer, self.changes = self.key, {}

    def person_claims(self, person):
        claims = {
            "tid": TENANT, "oid": person.id, "sub": base64url(person.id.encode()), "name": person.name,
            "preferred_username": person.address, "idp": person.provider, "ver": "2.0", "rh": "0.AAAA",
            "uti": base64url(os.urandom(16)),
        }
        return {name: value for name, value in claims.items() if value is not None}

    def claims(self, person, nonce):
        return {"iss": self.issuer, "aud": CLIENT, **times(), "nonce": nonce, **self.person_claims(person)}

    def approval(self, plan, person, note="", expires=None, claims=None, without=(), head=None, key=None, token=None):
        """The content of an approval's file, made without graphflow.

        - claims, without: What differs in the token's claims.
        - head: What differs in the token's header; None removes a member.
        - key: The key that signs.
        - token: Makes another token of the header and the claims.
        """
        end = moment(hours=8) if expires is None else expires
        members = {"plan": digest(plan), "expires": end, "note": note}
        body = {**self.claims(person, nonce(members)), **(claims or {})}
        body = {name: value for name, value in body.items() if name not in without}
        key = key or self.key
        heads = {"typ": "JWT", "alg": "RS256", "kid": key.name, **(head or {})}
        heads = {name: value for name, value in heads.items() if value is not None}
        text = token(heads, body) if token else compact(heads, body, key.sign)
        return {**members, "idToken": text, "key": key.jwk()}
