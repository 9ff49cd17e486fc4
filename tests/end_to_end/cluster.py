"""A cluster of real processes in a directory of its own, gone after the test."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

BUILD = os.environ.get("FRENZY_BUILD", os.path.join(os.path.dirname(__file__), "../../build/dev"))
LONG = os.environ.get("FRENZY_LONG") == "1"  # full counts: `tools/check --long`


def binary(name):
    return os.path.join(BUILD, "tools", name, name)


class ClusterTest(unittest.TestCase):
    """Starts and ends processes; checks after each test that none is left."""

    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="frenzy-e2e-")
        self.environment = dict(os.environ, FRENZY_STATE=self.path("state"), TERM="dumb")
        self.environment.pop("FRENZY_KEY_FILE", None)
        self.processes = {}
        with open(self.path("text.txt"), "w") as text:
            text.write("".join("In the beginning was line %d. " % (i * i % 97) for i in range(4000)))

    def tearDown(self):
        for name in list(self.processes):
            if name != "coordinator":
                self.end(name)
        if "coordinator" in self.processes:
            self.end("coordinator")
        left = subprocess.run(["pgrep", "-f", self.home], capture_output=True, text=True).stdout
        shutil.rmtree(self.home)
        self.assertEqual(left, "", "processes are left")

    def path(self, *parts):
        return os.path.join(self.home, *parts)

    # Processes ---------------------------------------------------------------------------------

    def start(self, name, arguments):
        with open(self.path(name + ".log"), "ab") as log:
            self.processes[name] = subprocess.Popen(arguments, stdout=log, stderr=log, env=self.environment)

    def start_coordinator(self, listen="127.0.0.1:0"):
        address = self.path("state/coordinator/address")
        if os.path.exists(address):
            os.remove(address)
        self.start("coordinator", [binary("frenzy-coordinator"), "--listen", listen,
                                   "--state", self.path("state/coordinator")])
        self.until(lambda: os.path.exists(address), "the coordinator has started")
        with open(address) as text:
            return text.read().strip()

    def start_node(self, name, *devices, options=()):
        arguments = [binary("frenzy-node"), "--name", name, "--state", self.path("state/nodes", name), *options]
        for device in devices:
            arguments += ["--device", device]
        self.start(name, arguments)
        self.until(lambda: self.node(name)["state"] == "healthy", name + " is healthy")

    def signal(self, name, number):
        self.processes[name].send_signal(number)

    def kill(self, name):
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def end(self, name):
        process = self.processes.pop(name)
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(timeout=20)

    def runners(self):
        """Runner processes of this cluster's nodes."""
        count = 0
        for process in self.processes.values():
            found = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout
            count += len(found.split())
        return count

    # Calls -------------------------------------------------------------------------------------

    def frenzy(self, *arguments, timeout=60):
        return subprocess.run([binary("frenzy"), *arguments], capture_output=True, text=True,
                              env=self.environment, timeout=timeout)

    def ok(self, *arguments, timeout=60):
        result = self.frenzy(*arguments, timeout=timeout)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def json(self, *arguments):
        return json.loads(self.ok(*arguments, "--json"))

    def node(self, name):
        result = self.frenzy("nodes", "--json")
        found = json.loads(result.stdout) if result.returncode == 0 else []
        return next((n for n in found if n["name"] == name), {"state": "unknown", "devices": []})

    def job(self, name):
        return self.json("show", name)

    def job_file(self):
        path = self.path("job.toml")
        if not os.path.exists(path):
            text = self.ok("new", "--preset", "gpt2-tiny").replace('path = "data.txt"', 'path = "text.txt"')
            with open(path, "w") as out:
                out.write(text)
        return path

    def overrides(self, name, steps, *more):
        settings = ["name=" + name, "train.steps=%d" % steps, "train.seq_len=32",
                    "train.global_batch=8", "train.warmup=0", *more]
        return [part for setting in settings for part in ("-o", setting)]

    def submit(self, name, steps, *more):
        return self.frenzy("submit", self.job_file(), *self.overrides(name, steps, *more))

    # Job J0 of the case log: S0, sequences of 64, global batch 24, AdamW, seed 7.
    J0 = ["model.preset=gpt2-tiny", "model.layers=2", "model.hidden=64", "model.heads=2", "model.positions=64",
          "model.vocabulary=256", "train.seq_len=64", "train.global_batch=24", "train.lr=1e-3", "train.min_lr=1e-4",
          "train.seed=7"]

    def submit_j0(self, name, *more, steps=120, flags=()):
        settings = ["name=" + name, "train.steps=%d" % steps, "train.warmup=%d" % min(10, steps), *self.J0, *more]
        return self.frenzy("submit", self.job_file(), *flags, *(part for s in settings for part in ("-o", s)), timeout=150)

    def finish(self, name, limit=150):
        """Waits for a job that must finish; what `show` says of it."""
        done = self.frenzy("wait", name, timeout=limit)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return self.job(name)

    def rows(self, name):
        """Every step of a job: step, loss, tokens, ..."""
        lines = self.ok("logs", name, "--json").splitlines()
        return [row for row in map(json.loads, lines) if "loss" in row]

    def assert_same_curve(self, name, reference, steps=100):
        """Losses of the first steps agree within 1e-4, relative."""
        ours, theirs = self.rows(name)[:steps], self.rows(reference)[:steps]
        self.assertEqual([row["step"] for row in ours], list(range(1, steps + 1)))
        self.assertEqual([row["step"] for row in theirs], list(range(1, steps + 1)))
        for a, b in zip(ours, theirs):
            self.assertLessEqual(abs(a["loss"] - b["loss"]), 1e-4 * abs(b["loss"]), "step %d" % a["step"])

    def until(self, ready, what, limit=30):
        end = time.monotonic() + limit
        while not ready():
            self.assertLess(time.monotonic(), end, "not within %d s: %s" % (limit, what))
            time.sleep(0.1)

    def until_running(self, name):
        self.until(lambda: self.job(name)["step"] >= 3, name + " runs")

    def assert_nothing_held(self):
        def free():
            nodes = [n for n in self.json("nodes") if n["state"] == "healthy"]
            return all(d["free_bytes"] == d["memory_bytes"] for n in nodes for d in n["devices"])
        self.until(free, "all bytes are free again", 10)
        self.until(lambda: self.runners() == 0, "no runner is left", 10)
