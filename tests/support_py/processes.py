"""Starting and stopping the real programs. Everything that is started is stopped by its process id."""
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ACCEPTD_BUILD", ROOT / "build" / "release"))
BETWEEN_LOOKS_SECONDS = 0.02
_pause = threading.Event()  # never set: waiting on it is how one waits between two looks


def binary(name):
    found = [p for p in (BUILD / "src" / name, BUILD / name, BUILD / "bin" / name) if p.is_file()]
    assert found, f"{name} is not built below {BUILD} (set ACCEPTD_BUILD)"
    return str(found[0])


def until(look, what, seconds=30.0):
    """The first true result of look(). Fails loudly when it does not come."""
    deadline = time.monotonic() + seconds
    while True:
        result = look()
        if result:
            return result
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        _pause.wait(BETWEEN_LOOKS_SECONDS)


def free_port():
    """A port that was free a moment ago. Kept bound by nobody: a program that loses the race says so and the test fails."""
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Program:
    """One process with its log file."""

    def __init__(self, arguments, log):
        self.arguments = [str(a) for a in arguments]
        self.log = pathlib.Path(log)
        self.process = None

    def start(self):
        assert self.process is None, "already started"
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(self.arguments, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
        return self

    @property
    def pid(self):
        return self.process.pid

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """SIGKILL, and wait until the process is gone."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process = None

    def stop(self, seconds=20.0):
        """SIGTERM; the exit code. A program that does not end is killed and the caller fails."""
        if self.process is None:
            return None
        self.process.terminate()
        try:
            code = self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.arguments[0]} did not stop within {seconds} s; its log: {self.log}") from None
        self.process = None
        return code

    def tail(self, lines=40):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:]) if self.log.exists() else ""


def run(name, *arguments, env=None, input=None, seconds=60):
    """Runs a program to its end: CompletedProcess with text output."""
    return subprocess.run([binary(name), *map(str, arguments)], capture_output=True, text=True, timeout=seconds, input=input,
                          env={**os.environ, **(env or {})}, check=False)
