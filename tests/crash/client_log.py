"""What the clients know: each attempt before it is sent, each answer as soon as it is there, on disk before anything else happens."""
import json
import os
import threading


class ClientLog:
    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8")
        self.lock = threading.Lock()
        self.entries = []

    def write(self, kind, **fields):
        entry = {"kind": kind, **fields}
        with self.lock:
            entry["order"] = len(self.entries)
            self.entries.append(entry)
            self.file.write(json.dumps(entry) + "\n")
            self.file.flush()
            os.fsync(self.file.fileno())

    def of(self, kind):
        with self.lock:
            return [entry for entry in self.entries if entry["kind"] == kind]

    def close(self):
        self.file.close()
