"""A service of our own, for scripts: with a private Postgres in a temporary folder and its limits raised."""

import contextlib
import csv
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

# Without the settings of a service that somebody runs with the same environment: its database and its keys must stay as they are. `tests/environment` has the same rule.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name == "CARDSCAPE_PG_BIN" or (name != "DATABASE_URL" and not name.startswith("CARDSCAPE_"))
}

# What the admin's password becomes.
PASSWORD = "violet harbour lamp"


class Service:
    """A service that answers at `base`. `binary` is the program, which knows the same database by `options`."""

    def __init__(self, binary, folder, process, base):
        self.binary, self.folder, self.process, self.base = binary, folder, process, base
        # Every body that was sent to it.
        self.sent = []

    @property
    def options(self):
        return ["--data-dir", str(self.folder / "data")]

    def run(self, *arguments):
        """What a command of the program prints."""
        command = [self.binary, "--log", "warn", *arguments, *self.options]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout

    def call(self, method, path, body=None, token=None, headers=None):
        headers = {"content-type": "application/json"} | (headers or {})
        if token:
            headers["authorization"] = f"Bearer {token}"
        content = None if body is None else json.dumps(body).encode()
        self.sent.append(body)
        request = urllib.request.Request(self.base + path, content, headers, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def document(self):
        """Its OpenAPI document."""
        with urllib.request.urlopen(self.base + "/openapi.json", timeout=10) as answer:
            return json.load(answer)

    def admin(self, name):
        """The access token of a new admin, whose password is `PASSWORD`."""
        made = self.run("admin", "create", name)
        first = re.search(r"password: (\S+)", made)[1]
        session = self.call("POST", "/v1/sessions", {"name": name, "password": first})["access_token"]
        change = {"current_password": first, "new_password": PASSWORD}
        self.call("PUT", "/v1/me/password", change, session)
        return session

    def print_codes(self, game, set_code, copies):
        """Prints a run of a set with so many copies of each card; the codes by the numbers of their cards."""
        printed = self.folder / f"{game}-{set_code}.print.csv"
        self.run("mint", "--game", game, "--set", set_code, "--copies-per-card", str(copies), "--out", str(printed))
        codes = {}
        with printed.open(encoding="utf-8", newline="") as lines:
            for line in csv.DictReader(lines):
                codes.setdefault(line["number"], []).append(line["code"])
        return codes

    def is_alive(self):
        return self.process.poll() is None

    def panics(self):
        """Lines of its log that tell of a panic."""
        log = (self.folder / "service.log").read_text(errors="replace")
        return [line for line in log.splitlines() if "panicked" in line]


@contextlib.contextmanager
def running(binary, seed_data):
    """A running service, gone with everything it wrote at the end, also of a script that is told to end. It is stopped by its process id."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    binary = os.path.abspath(binary)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cardscape-script-"))
    # Postgres runs as another user when this runs as root.
    folder.chmod(0o755)
    log_path = folder / "service.log"
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [binary, "--log-format", "json", "serve", "--data-dir", str(folder / "data"), "--listen", "127.0.0.1:0"]
            + ["--seed-data", str(seed_data), "--requests-per-second", "1000000", "--request-burst", "1000000"]
            + ["--attempt-factor", "100000"],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=ENVIRONMENT,
        )
    try:
        ready = (re.search(r"ready: (http://\S+)", line) for line in process.stdout)
        base = next((found[1] for found in ready if found), None)
        if base is None:
            sys.exit(f"the service did not start:\n{log_path.read_text()}")
        yield Service(binary, folder, process, base)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)
