"""A slow line to the service: pages come in parts, and each part is shown before the next one is there."""

import contextlib
import http.client
import http.server
import itertools
import threading
import time
import urllib.parse

# Of a page, after its head. What is read first is the name and the navigation.
PARTS = 6
# Seconds between two parts: a browser shows what it has sooner than that.
PAUSE = 0.08
# Bytes of a page that hold its head, which shows nothing.
HEAD = 1500


class Line(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def pass_on(self):
        length = int(self.headers.get("content-length", 0))
        body = self.rfile.read(length) if length else None
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("accept-encoding", "connection")}
        service = http.client.HTTPConnection(self.server.service, timeout=30)
        with contextlib.closing(service), contextlib.suppress(BrokenPipeError, ConnectionResetError):
            service.request(self.command, self.path, body, headers)
            answer = service.getresponse()
            kind = answer.getheader("content-type", "")
            # A stream has no end.
            content = b"" if kind.startswith("text/event-stream") else answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                    self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            for place, part in enumerate(parts_of(content) if kind.startswith("text/html") else [content]):
                if place:
                    time.sleep(PAUSE)
                self.wfile.write(part)
                self.wfile.flush()

    do_GET = do_POST = pass_on


def parts_of(page):
    """The head of a page, and parts of equal sizes of the rest."""
    size = max(1, -(-(len(page) - HEAD) // PARTS))
    ends = [0, *range(HEAD, len(page), size), len(page)]
    return [page[start:end] for start, end in itertools.pairwise(ends)]


@contextlib.contextmanager
def slow_line(base):
    """The address of a service behind a slow line."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Line) as server:
        server.daemon_threads, server.service = True, urllib.parse.urlsplit(base).netloc
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
