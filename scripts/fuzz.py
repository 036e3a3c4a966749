"""Fuzzes a running service from its own OpenAPI document: fuzz.py PATH/TO/cardscape

Starts the service with a private Postgres in a temporary folder and its limits raised, then lets schemathesis send it
thousands of requests: as a stranger, with an admin's token of every scope, and logged in as an admin. Fails on a 5xx, on an
answer outside the contract, when its own token is refused, and on a panic in the log. Everything it starts, it stops, by process id.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

CHECKS = ",".join(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
        "unsupported_method",
        "allow_header_conformance",
    ]
)
# Never end.
STREAMS = ["stream_changes", "stream_account_events"]
# Would end the session that the run uses.
ENDS_SESSION = ["log_out", "end_session", "change_password"]


def call(base, method, path, body, token=None):
    headers = {"content-type": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    data = json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def fuzz(base, name, examples, excluded=(), token=None, login=None):
    schemathesis = pathlib.Path(sys.executable).parent / "schemathesis"
    # A stranger sends tokens that schemathesis has made up.
    checks = CHECKS + ",credential_holds" if token or login else CHECKS
    command = [str(schemathesis), "run", f"{base}/openapi.json", "--url", base, "--checks", checks]
    command += ["--phases", "examples,coverage,fuzzing", "--max-examples", str(examples), "--seed", "1"]
    command += ["--request-timeout", "10", "--suppress-health-check", "all", "--warnings", "off", "--no-color"]
    command += ["--generation-database", "none"]
    if token:
        command += ["--header", f"Authorization: Bearer {token}"]
    for operation in [*STREAMS, *excluded]:
        command += ["--exclude-operation-id", operation]
    print(f"fuzzing {name}", flush=True)
    hooks = {"SCHEMATHESIS_HOOKS": "fuzz_hooks", "PYTHONPATH": str(pathlib.Path(__file__).parent)}
    if login:
        hooks |= {"CARDSCAPE_FUZZ_URL": base, "CARDSCAPE_FUZZ_LOGIN": json.dumps(login)}
    return subprocess.run(command, check=False, env=os.environ | hooks).returncode == 0


def main():
    binary = os.path.abspath(sys.argv[1])
    folder = tempfile.mkdtemp(prefix="cardscape-fuzz-")
    # Postgres runs as another user when this runs as root.
    os.chmod(folder, 0o755)
    log_path = pathlib.Path(folder, "service.log")
    options = ["--data-dir", os.path.join(folder, "data")]
    with log_path.open("wb") as log:
        service = subprocess.Popen(
            [binary, "--log-format", "json", "serve", *options, "--listen", "127.0.0.1:0"]
            + ["--requests-per-second", "1000000", "--request-burst", "1000000", "--attempt-factor", "100000"],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    passed = False
    try:
        base = None
        for line in service.stdout:
            if ready := re.search(r"ready: (http://\S+)/docs", line):
                base = ready[1]
                break
        if base is None:
            sys.exit(f"the service did not start:\n{log_path.read_text()}")
        made = subprocess.run(
            [binary, "admin", "create", "fuzzer", *options], capture_output=True, text=True, check=True
        ).stdout
        first = re.search(r"password: (\S+)", made)[1]
        session = call(base, "POST", "/v1/sessions", {"name": "fuzzer", "password": first})["access_token"]
        login = {"name": "fuzzer", "password": "violet harbour lamp"}
        change = {"current_password": first, "new_password": login["password"]}
        call(base, "PUT", "/v1/me/password", change, session)
        with urllib.request.urlopen(base + "/openapi.json", timeout=10) as answer:
            scopes = json.load(answer)["components"]["schemas"]["Scope"]["enum"]
        made = call(base, "POST", "/v1/tokens", {"name": "fuzz", "scopes": scopes}, session)
        passed = fuzz(base, "as a stranger", 8)
        passed &= fuzz(base, "with a token of every scope", 25, token=made["secret"])
        passed &= fuzz(base, "logged in as an admin", 12, ENDS_SESSION, login=login)
        if service.poll() is not None:
            print("the service has died")
            passed = False
    finally:
        service.send_signal(signal.SIGTERM)
        try:
            service.wait(30)
        except subprocess.TimeoutExpired:
            service.kill()
        log = log_path.read_text(errors="replace")
        if "panicked" in log:
            print("a panic in the log:", *[line for line in log.splitlines() if "panicked" in line][:5], sep="\n")
            passed = False
        shutil.rmtree(folder, ignore_errors=True)
    print("fuzz passed" if passed else "fuzz failed")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
