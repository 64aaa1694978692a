"""graphflow and msal read and write each other's token caches, and graphflow's signed assertions are valid.

    token_cache.py GRAPHFLOW
"""

import base64
import hashlib
import json
import multiprocessing
import os
import random
import signal
import stat
import subprocess
import tempfile
import threading
import time
import urllib.parse

import jwt
import msal
import msal_extensions.cache_lock
import msal_extensions.filelock
import msal_extensions.token_cache
from cryptography.hazmat.primitives import serialization

import sandbox as sandboxes
import tls
from checks import check, end
from sandbox import CLIENT, TENANT


class Graphflow:
    """graphflow with its own home folder."""

    def __init__(self, program, sandbox, home):
        self.program = program
        self.sandbox = sandbox
        self.cache = os.path.join(home, "identity", "token-cache.json")
        names = ("PATH", "HOME", "LD_LIBRARY_PATH")
        self.environment = {name: os.environ[name] for name in names if name in os.environ}
        self.environment.update(
            GRAPHFLOW_HOME=home, GRAPHFLOW_GRAPH_URL=sandbox.graph, AZURE_AUTHORITY_HOST=sandbox.address
        )

    def run(self, *arguments, **environment):
        return subprocess.run(
            [self.program, *arguments], env={**self.environment, **environment}, capture_output=True, text=True,
            timeout=120, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def log_in(self, account):
        """Signs in by device code, which a person approves."""
        command = [self.program, "login", "--device-code", "--client-id", CLIENT, "--scopes", "User.Read Mail.Send"]
        process = subprocess.Popen(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(400):
            waiting = [
                device["userCode"]
                for device in self.sandbox.ask("GET", "/sandbox/sign-in")["devices"]
                if device["status"] == "pending"
            ]
            if waiting or process.poll() is not None:
                break
            time.sleep(0.05)
        if waiting:
            self.sandbox.decide(waiting[0], account=account)
        output, errors = process.communicate(timeout=60)
        return process.returncode, waiting, output, errors


def client(address, certificate, cache, tenant="common"):
    return msal.PublicClientApplication(
        CLIENT, authority=f"{address}/{tenant}", verify=certificate.path, instance_discovery=False, token_cache=cache
    )


def grants(sandbox):
    """How often each grant was requested."""
    return [
        request["body"].split("grant_type=")[1].split("&")[0]
        for request in sandbox.ask("GET", "/sandbox/sign-in")["requests"]
        if request["method"] == "POST" and "grant_type=" in (request["body"] or "")
    ]


def with_a_cache_of_graphflow(program, sandbox, address, certificate):
    with tempfile.TemporaryDirectory() as home:
        graphflow = Graphflow(program, sandbox, home)
        status, codes, output, errors = graphflow.log_in("adelev@contoso.com")
        check("graphflow login", status == 0, (status, output, errors))
        check("the code is shown", codes and codes[0] in errors, errors)
        check("the cache is private", stat.S_IMODE(os.stat(graphflow.cache).st_mode) == 0o600)
        with open(graphflow.cache, encoding="utf-8") as file:
            written = json.load(file)
        cache = msal.SerializableTokenCache()
        cache.deserialize(json.dumps(written))
        # msal looks up access tokens by the name of its authority and by scopes as they were written.
        app = client(address, certificate, cache, TENANT)
        accounts = app.get_accounts("adelev@contoso.com")
        check("msal knows the account", len(accounts) == 1, accounts)
        check("of that tenant", accounts[0]["home_account_id"].endswith("." + TENANT), accounts)
        before = len(grants(sandbox))
        result = app.acquire_token_silent(["https://graph.microsoft.com/User.Read"], accounts[0])
        check("msal takes the access token", result and result["token_source"] == "cache", result)
        check("without a request", len(grants(sandbox)) == before)
        _, _, me = sandbox.graph_get("/me", result["access_token"])
        check("the token is Adele's", me["displayName"] == "Adele Vance", me)
        result = app.acquire_token_silent(["https://graph.microsoft.com/Mail.Send"], accounts[0], force_refresh=True)
        check("msal takes the refresh token", result and result["token_source"] == "identity_provider", result)
        with open(graphflow.cache, "w", encoding="utf-8") as file:
            file.write(cache.serialize())
        before = len(grants(sandbox))
        who = graphflow.run("whoami", "--json")
        check("graphflow reads what msal changed", who.returncode == 0 and "Adele Vance" in who.stdout, who)
        check("without a request for a token", len(grants(sandbox)) == before, grants(sandbox)[before:])
        out = graphflow.run("logout")
        check("graphflow logout", out.returncode == 0, out)
        with open(graphflow.cache, encoding="utf-8") as file:
            left = json.load(file)
        kinds = ("AccessToken", "RefreshToken", "IdToken", "Account")
        check("nothing is left", not any(left.get(kind) for kind in kinds), left)


def with_a_cache_of_msal(program, sandbox, address, certificate):
    cache = msal.SerializableTokenCache()
    app = client(address, certificate, cache)
    for account in ("leeg@contoso.com", "alexw@contoso.com"):
        flow = app.initiate_device_flow(["User.Read"])
        sandbox.decide(flow["user_code"], account=account)
        check(f"msal signs {account} in", "access_token" in app.acquire_token_by_device_flow(flow))
    with tempfile.TemporaryDirectory() as home:
        graphflow = Graphflow(program, sandbox, home)
        os.makedirs(os.path.dirname(graphflow.cache), mode=0o700)
        with open(os.open(graphflow.cache, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(cache.serialize())
        before = len(grants(sandbox))
        for account, name in (("leeg@contoso.com", "Lee Gu"), ("alexw@contoso.com", "Alex Wilber")):
            who = graphflow.run("whoami", "--json", "--account", account, "--client-id", CLIENT)
            check(f"graphflow knows {name}", who.returncode == 0 and name in who.stdout, who)
        check("without a request for a token", len(grants(sandbox)) == before, grants(sandbox)[before:])
        sandbox.ask("POST", "/sandbox/faults", "GET /me 401")
        who = graphflow.run("whoami", "--json", "--account", "leeg@contoso.com", "--client-id", CLIENT)
        check("graphflow refreshes", who.returncode == 0 and "Lee Gu" in who.stdout, who)
        check("with one request", grants(sandbox)[before:] == ["refresh_token"], grants(sandbox)[before:])
        with open(graphflow.cache, encoding="utf-8") as file:
            changed = msal.SerializableTokenCache()
            changed.deserialize(file.read())
        app = client(address, certificate, changed)
        for account in ("leeg@contoso.com", "alexw@contoso.com"):
            known = app.get_accounts(account)
            result = app.acquire_token_silent(["User.Read"], known[0]) if known else None
            check(f"msal still knows {account}", result and result["token_source"] == "cache", result)


def with_a_certificate(program, sandbox, certificate):
    """Another implementation verifies the assertion that graphflow signs."""
    bodies = []
    with tempfile.TemporaryDirectory() as home, tls.passing_on(sandbox, bodies=bodies) as port:
        graphflow = Graphflow(program, sandbox, home)
        both = os.path.join(home, "both.pem")
        with open(os.open(both, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(certificate.key_pem + certificate.pem)
        answer = graphflow.run(
            "get", "/users", AZURE_AUTHORITY_HOST=f"http://localhost:{port}", AZURE_TENANT_ID=TENANT,
            AZURE_CLIENT_ID=CLIENT, AZURE_CLIENT_CERTIFICATE_PATH=both,
        )  # fmt: skip
        check("graphflow with a certificate", answer.returncode == 0 and "Megan Bowen" in answer.stdout, answer)
        forms = [urllib.parse.parse_qs(body) for body in bodies]
        statements = [form["client_assertion"][0] for form in forms if "client_assertion" in form]
        check("one statement", len(statements) == 1, len(statements))
        if not statements:
            return
        token_address = f"http://localhost:{port}/{TENANT}/oauth2/v2.0/token"
        claims = jwt.decode(statements[0], certificate.key.public_key(), algorithms=["PS256"], audience=token_address)
        check("it is the application's", claims["iss"] == claims["sub"] == CLIENT and claims.get("jti"), claims)
        check("it ends within ten minutes", 0 < claims["exp"] - time.time() <= 610, claims)
        der = certificate.certificate.public_bytes(serialization.Encoding.DER)
        hash = base64.urlsafe_b64encode(hashlib.sha256(der).digest()).rstrip(b"=").decode()
        header = jwt.get_unverified_header(statements[0])
        check("it names its certificate", header["x5t#S256"].rstrip("=") == hash, header)


class OlderLock(msal_extensions.cache_lock.CrossPlatLock):
    """The lock of older versions, which also locks the file.

    After five seconds that lock is entered without having created the file. It then excludes nobody who creates files,
    so that under load msal's own writers lose entries. Here this is a failure, after which the caller tries again.
    """

    def _try_to_create_lock_file(self):
        if not super()._try_to_create_lock_file():
            raise msal_extensions.cache_lock.LockError("The file could not be created.")
        return True


def write_as_msal(path, lock, name, count, failures):
    """Adds entries to the cache as programs do that start, write once and end."""
    msal_extensions.token_cache.CrossPlatLock = lock
    lock_errors = (msal_extensions.filelock.LockError, msal_extensions.cache_lock.LockError)
    for number in range(count):
        try:
            cache = msal_extensions.PersistedTokenCache(msal_extensions.FilePersistence(path))
            entry = {"client_id": f"{name}-{number}", "environment": "login.windows.net"}
            # msal looks four times a second, first come or not, and gives up after five: under load that is not enough.
            for attempt in range(12):
                try:
                    cache.modify(msal.TokenCache.CredentialType.APP_METADATA, entry, {"family_id": ""})
                    break
                except lock_errors:
                    if attempt == 11:
                        raise
            # Without a pause, a writer would take the lock again before anybody else looks.
            time.sleep(random.uniform(0, 0.1))
        except Exception as error:  # whatever it is, it must not happen
            failures.put(f"{name}-{number}: {error!r}")


def access_tokens(path, account):
    """The secrets of an account's access tokens; msal writes in place, so that a reader may be early."""
    for _ in range(200):
        try:
            with open(path, encoding="utf-8") as file:
                entries = json.load(file)["AccessToken"].values()
            return {entry["secret"] for entry in entries if entry["home_account_id"] == account["home_account_id"]}
        except (json.JSONDecodeError, KeyError):
            time.sleep(0.01)
    return None


def write_as_graphflow(graphflow, account, count, failures):
    """Gets new tokens for an account that nobody else writes: what it wrote last must still be there."""
    last = access_tokens(graphflow.cache, account)
    for number in range(count):
        who = graphflow.run("whoami", "--json", "--account", account["username"], "--client-id", CLIENT)
        if who.returncode != 0:
            failures.put(f"graphflow {number}: {who.stderr}")
        now = access_tokens(graphflow.cache, account)
        if not now or now == last:
            failures.put(f"graphflow {number}: its token is lost")
        last = now
    time.sleep(0.5)
    if access_tokens(graphflow.cache, account) != last:
        failures.put("graphflow: its last token is lost")


def with_many_writers(program, sandbox, address, certificate, lock, count):
    """Eight programs write one cache: nothing is lost and nobody fails."""
    # Tokens live so briefly that graphflow always gets a new token.
    sandbox.rules(tokenLifetime=60)
    names = ("leeg@contoso.com", "alexw@contoso.com", "adelev@contoso.com", "megan@contoso.com")
    cache = msal.SerializableTokenCache()
    app = client(address, certificate, cache)
    for account in names:
        flow = app.initiate_device_flow(["User.Read"])
        sandbox.decide(flow["user_code"], account=account)
        check(f"msal signs {account} in", "access_token" in app.acquire_token_by_device_flow(flow))
    with tempfile.TemporaryDirectory() as home:
        graphflow = Graphflow(program, sandbox, home)
        os.makedirs(os.path.dirname(graphflow.cache), mode=0o700)
        with open(os.open(graphflow.cache, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(cache.serialize())
        processes = multiprocessing.get_context("fork")
        failures = processes.Queue()
        writers = [
            processes.Process(target=write_as_msal, args=(graphflow.cache, lock, f"msal-{i}", count, failures))
            for i in range(4)
        ] + [
            threading.Thread(target=write_as_graphflow, args=(graphflow, account, count, failures))
            for account in app.get_accounts()
        ]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        found = [failures.get() for _ in range(failures.qsize())]
        check("nobody fails, and graphflow's tokens stay", not found, "\n       ".join(found[:9]))
        with open(graphflow.cache, encoding="utf-8") as file:
            written = json.load(file)
        ids = {entry["client_id"] for entry in written["AppMetadata"].values()}
        lost = {f"msal-{writer}-{number}" for writer in range(4) for number in range(count)} - ids
        check("what msal wrote stays", not lost, sorted(lost)[:9])
        check("no lock stays", not os.path.exists(graphflow.cache + ".lockfile"))
    sandbox.rules(tokenLifetime=3600)


def with_a_lock_that_a_dead_process_left(program, sandbox):
    with tempfile.TemporaryDirectory() as home:
        graphflow = Graphflow(program, sandbox, home)
        status, _, output, errors = graphflow.log_in("adelev@contoso.com")
        check("graphflow login", status == 0, (status, output, errors))
        lock = graphflow.cache + ".lockfile"
        holder = multiprocessing.get_context("fork").Process(target=die_with, args=(lock,))
        holder.start()
        holder.join()
        check("the lock was left", holder.exitcode == -signal.SIGKILL and os.path.exists(lock), holder.exitcode)
        os.utime(lock, (time.time() - 60, time.time() - 60))
        out = graphflow.run("logout")
        check("graphflow takes it over", out.returncode == 0, out)
        check("and removes it", not os.path.exists(lock))


def die_with(lock):
    msal_extensions.filelock.CrossPlatLock(lock).__enter__()
    os.kill(os.getpid(), signal.SIGKILL)


def main():
    program = sandboxes.program(__doc__)
    with sandboxes.running(program) as sandbox, tls.https(sandbox) as (address, certificate):
        sandbox.rules(deviceInterval=1)
        with_a_cache_of_graphflow(program, sandbox, address, certificate)
        with_a_cache_of_msal(program, sandbox, address, certificate)
        with_a_certificate(program, sandbox, certificate)
        with_a_lock_that_a_dead_process_left(program, sandbox)
        with_many_writers(program, sandbox, address, certificate, msal_extensions.filelock.CrossPlatLock, 40)
        with_many_writers(program, sandbox, address, certificate, OlderLock, 20)
    end("token cache")


if __name__ == "__main__":
    main()
