# SPDX-License-Identifier: BSD-3-Clause
"""A progress bar on standard error."""

import contextlib
import sys
import time


def _unusable_stream():
    """Suppresses what a full disk, a closed stream, none, or one with some methods only raises."""
    return contextlib.suppress(OSError, ValueError, AttributeError)


class ProgressBar:
    """Called with the library's reports: a line that is redrawn on a terminal, else a line a stage."""

    WIDTH = 24
    INTERVAL = 0.1  # seconds between two drawings

    def __init__(self, stream=None):
        self.stream = sys.stderr if stream is None else stream
        self.stage = None
        self.drawn_at = 0.0

    def __call__(self, report):
        now = time.monotonic()
        if report["stage"] != self.stage:
            self.close()
            self.stage, self.started_at, self.first_step = report["stage"], now, report["step"]
        if not self._on_terminal():
            if report["step"] == report["total"]:
                self._write(self._line(report, now) + "\n")
            return
        if now - self.drawn_at >= self.INTERVAL or report["step"] == report["total"]:
            self._write("\r\x1b[K" + self._line(report, now))
            self.drawn_at = now

    def announce(self, text):
        """A line before the first report, unless it is empty."""
        if text:
            self._write(text + "\n")

    def _on_terminal(self):
        with _unusable_stream():
            return self.stream.isatty()
        return False

    def _write(self, text):
        """Text that cannot be written, to a full disk or without a stream, must not end the work."""
        with _unusable_stream():
            self.stream.write(text)
            self.stream.flush()

    def _line(self, report, now):
        step, total = report["step"], report["total"]
        words = [f"{self.stage:<12}"]
        if total > 0:
            done = int(self.WIDTH * step / total)
            words.append("[" + "#" * done + "." * (self.WIDTH - done) + f"] {step}/{total}")
        words.append(f"{report['value']:.5g}")
        taken = step - self.first_step
        if 0 < taken and step < total:
            words.append(f"{(now - self.started_at) * (total - step) / taken:.0f} s left")
        return "  ".join(words + [report["note"]]).rstrip()

    def close(self):
        """Ends the line, where one was begun."""
        if self.stage is not None and self._on_terminal():
            self._write("\n")
        self.stage = None
