"""What schemathesis does not know by itself. Loaded through SCHEMATHESIS_HOOKS by fuzz.py."""

import schemathesis


@schemathesis.serializer("application/toml")
def toml(context, value):
    """A manifest: any text will do."""
    return str(value).encode()
