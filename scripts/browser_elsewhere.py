"""A second browser: its camera sees a QR code, and it finds the service by a name, without encryption, as in the network of a shop."""

import copy
import pathlib
import tempfile
from urllib.parse import urlsplit

import browser_pictures as pictures
from journeys_elsewhere import camera_stopped, code_seen_by_the_browser, code_seen_by_the_camera, visited_by_name

# Journeys at the address at which the service listens, and such by name.
HERE = [code_seen_by_the_camera, code_seen_by_the_browser, camera_stopped]
BY_NAME = [visited_by_name]
JOURNEYS = HERE + BY_NAME
NAME = "cards.test"


def travel(visitor, size, journeys=JOURNEYS):
    """Plays these journeys."""
    if not journeys:
        return
    with tempfile.TemporaryDirectory(prefix="cardscape-camera-") as folder:
        video = pathlib.Path(folder) / "code.y4m"
        video.write_bytes(pictures.video_of_code())
        browser = visitor.launch(
            "--use-fake-device-for-media-stream",
            "--use-fake-ui-for-media-stream",
            f"--use-file-for-fake-video-capture={video}",
            f"--host-resolver-rules=MAP {NAME} 127.0.0.1",
        )
        try:
            for at, base in [(HERE, visitor.base), (BY_NAME, f"http://{NAME}:{urlsplit(visitor.base).port}")]:
                # The same visitor, who notes faults in the same place, with another browser, whose cookies are others.
                other = copy.copy(visitor)
                other.browser, other.base, other.cookies = browser, base, {}
                other.travel([journey for journey in at if journey in journeys], size)
        finally:
            browser.close()
