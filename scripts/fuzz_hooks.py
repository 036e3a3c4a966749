"""What schemathesis does not know by itself. Loaded through SCHEMATHESIS_HOOKS by fuzz.py."""

import json
import os
import time
import urllib.request

import schemathesis


@schemathesis.serializer("application/toml")
def toml(context, value):
    """A manifest: any text will do."""
    return str(value).encode()


class Session:
    """Logged in for the whole run: access tokens end after 15 minutes."""

    def __init__(self):
        self.token, self.ends = None, 0.0

    def access_token(self):
        if time.monotonic() >= self.ends:
            url, data = os.environ["CARDSCAPE_FUZZ_URL"], os.environ["CARDSCAPE_FUZZ_LOGIN"].encode()
            request = urllib.request.Request(url + "/v1/sessions", data, {"content-type": "application/json"})
            with urllib.request.urlopen(request, timeout=10) as answer:
                self.token = json.load(answer)["access_token"]
            self.ends = time.monotonic() + 600
        return self.token


if "CARDSCAPE_FUZZ_LOGIN" in os.environ:
    session = Session()

    # Not an auth provider of schemathesis: it would make up tokens of its own in between.
    @schemathesis.hook
    def before_call(context, case, kwargs):
        case.headers["Authorization"] = f"Bearer {session.access_token()}"


@schemathesis.check
def credential_holds(context, response, case):
    """A run whose token is not valid any more only seems to try what needs one."""
    # Its own answer for the refresh token in its body.
    if response.status_code == 401 and case.operation.path != "/v1/sessions/refresh":
        assert response.json()["code"] != "invalid_token", "the run has lost its token"
