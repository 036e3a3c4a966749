"""Fuzzes a running service from its own OpenAPI document: fuzz.py PATH/TO/cardscape

Starts the service with a private Postgres in a temporary folder and its limits raised, then lets schemathesis send it
thousands of requests: as a stranger, with an admin's token of every scope, and logged in as an admin. Fails on a 5xx, on an
answer outside the contract, when its own token is refused, and on a panic in the log. Everything it starts, it stops, by process id.
"""

import json
import os
import pathlib
import subprocess
import sys

from service import PASSWORD, running

ROOT = pathlib.Path(__file__).parent.parent
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
    with running(sys.argv[1], ROOT / "seed-data") as service:
        session = service.admin("fuzzer")
        scopes = service.document()["components"]["schemas"]["Scope"]["enum"]
        made = service.call("POST", "/v1/tokens", {"name": "fuzz", "scopes": scopes}, session)
        passed = fuzz(service.base, "as a stranger", 8)
        passed &= fuzz(service.base, "with a token of every scope", 25, token=made["secret"])
        login = {"name": "fuzzer", "password": PASSWORD}
        passed &= fuzz(service.base, "logged in as an admin", 12, ENDS_SESSION, login=login)
        if not service.is_alive():
            print("the service has died")
            passed = False
        if panics := service.panics():
            print("a panic in the log:", *panics[:5], sep="\n")
            passed = False
    print("fuzz passed" if passed else "fuzz failed")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
