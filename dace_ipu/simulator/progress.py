"""A line on stderr for work that takes more than a moment."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import rich.progress

__all__ = ["Progress"]

_PATIENCE = 2.0  # seconds without a word


class Progress:
    """Counts steps, and shows them once the work has taken two seconds.

    A terminal gets a bar, anything else one line of text. ``advance`` may be called from any thread.
    """

    def __init__(self, enabled: bool = True) -> None:
        self._enabled = enabled
        self._lock = threading.Lock()
        self._done = 0
        self._bar: rich.progress.Progress | None = None
        self._task: rich.progress.TaskID | None = None

    @contextlib.contextmanager
    def started(self, title: str, total: int) -> Iterator[None]:
        """Show the progress of ``total`` steps while the block runs."""
        timer = threading.Timer(_PATIENCE, self._show, (title, total))
        timer.daemon = True
        if self._enabled:
            timer.start()
        try:
            yield
        finally:
            timer.cancel()
            with self._lock:
                self._enabled = False  # a timer that is just firing must not begin now
                if self._bar is not None:
                    self._bar.stop()

    def advance(self) -> None:
        """Note that a step is done."""
        with self._lock:
            self._done += 1
            if self._bar is not None and self._task is not None:
                self._bar.advance(self._task)

    def _show(self, title: str, total: int) -> None:
        with self._lock:
            if not self._enabled:
                return
            if not sys.stderr.isatty():
                print(f"dace_ipu: {title} ({total} files)", file=sys.stderr)
                return
            import rich.console
            import rich.progress

            self._bar = rich.progress.Progress(console=rich.console.Console(stderr=True), transient=True)
            self._task = self._bar.add_task(f"dace_ipu: {title}", total=total, completed=self._done)
            self._bar.start()
