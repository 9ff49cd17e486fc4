"""Strangers at the gates of real daemons: nothing crashes, spins, grows or locks anybody out."""

import os
import random
import resource
import socket
import struct
import time
import unittest

from cluster import ClusterTest, binary

MAGIC = 0x485A5246
MIB = 1 << 20


def packet(body):
    return struct.pack("<I", len(body)) + body


def hello(version):
    """A whole hello of that protocol version, under no key."""
    return packet(struct.pack("<IHBB", MAGIC, version, 1, 3) + os.urandom(120))


class Gate:
    """Of one daemon: where it is and what it costs."""

    def __init__(self, process, address):
        self.pid = process.pid
        host, port = address.rsplit(":", 1)
        self.address = (host, int(port))

    def resident(self):
        with open("/proc/%d/statm" % self.pid) as text:
            return int(text.read().split()[1]) * 4096

    def cpu_seconds(self):
        with open("/proc/%d/stat" % self.pid) as text:
            fields = text.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.pid))

    def threads(self):
        return len(os.listdir("/proc/%d/task" % self.pid))

    def connect(self):
        return socket.create_connection(self.address, timeout=10)

    def say(self, bytes_):
        """What the gate answers until it closes."""
        answer = b""
        with self.connect() as stranger:
            try:
                stranger.sendall(bytes_)
                stranger.shutdown(socket.SHUT_WR)
                while True:
                    more = stranger.recv(4096)
                    if not more:
                        break
                    answer += more
            except OSError:  # the gate was quicker
                pass
        return answer


class HostileInput(ClusterTest):
    def gates(self):
        """A cluster of two daemons."""
        coordinator = self.start_coordinator()
        self.start_node("n1", "128MiB:4")
        node = next(n for n in self.json("nodes") if n["name"] == "n1")["address"]
        return [Gate(self.processes["coordinator"], coordinator), Gate(self.processes["n1"], node)]

    def log(self, name):
        with open(self.path(name + ".log")) as text:
            return text.read()

    def assert_served(self, name):
        self.assertEqual(self.submit(name, 5).returncode, 0)
        self.assertEqual(self.frenzy("wait", name).returncode, 0, name)

    def assert_quiet(self, gate, what):
        """At rest within a while: what waits in a loop would not be."""
        begin = gate.cpu_seconds()
        time.sleep(2)
        self.assertLess(gate.cpu_seconds() - begin, 0.5, what)

    def test_bytes_of_strangers_are_refused_and_logged_once(self):
        chance = random.Random(7)
        openings = [b"\0" * 100, b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 5000, struct.pack("<I", 0xFFFFFFF0) + b"x" * 4096,
                    packet(b"short"), packet(os.urandom(8000))]
        openings += [chance.randbytes(chance.randint(1, 300)) for _ in range(60)]
        openings += [packet(chance.randbytes(chance.randint(1, 300))) for _ in range(60)]
        for gate, name in zip(self.gates(), ("coordinator", "n1")):
            before, lines = gate.resident(), self.log(name).count("\n")
            for opening in openings:
                gate.say(opening)
            self.assertLess(gate.resident() - before, 64 * MIB, name)
            self.assertLess(self.log(name).count("\n") - lines, 8, self.log(name))
            self.assertEqual(self.log(name).count("session.refused"), 1)
            self.assert_quiet(gate, name)
        self.assert_served("after")

    def test_other_versions_are_told_both_numbers(self):
        for gate in self.gates():
            for version in (0, 2, 99):
                answer = gate.say(hello(version))
                self.assertIn(b"protocol 1 here, %d there" % version, answer)
            self.assertIn(b"key", gate.say(hello(1)))
        self.assert_served("after")

    def test_a_key_of_another_cluster_opens_nothing(self):
        self.gates()
        other = dict(self.environment)
        self.environment["FRENZY_STATE"] = self.path("other")
        self.start("other", [binary("frenzy-coordinator"), "--listen", "127.0.0.1:0", "--state", self.path("other/coordinator")])
        key = self.path("other/coordinator/users/admin.key")
        self.until(lambda: os.path.exists(key), "the other cluster has keys")
        with open(self.path("state/coordinator/address")) as address:
            self.environment = dict(other, FRENZY_KEY_FILE=key, FRENZY_COORDINATOR=address.read().strip())
        refused = self.frenzy("ls")
        self.environment = other
        self.assertEqual(refused.returncode, 3)
        self.assertIn("key", refused.stderr)
        self.assert_served("after")

    def test_half_open_connections_end(self):
        for gate in self.gates():
            before = gate.descriptors()
            silent = [gate.connect() for _ in range(20)]
            for i, stranger in enumerate(silent):
                stranger.sendall(hello(1)[:i * 6])
            self.ok("ls")
            self.until(lambda: gate.descriptors() <= before + 1, "half-open connections are closed", 10)
            for stranger in silent:
                stranger.close()
        self.assert_served("after")

    def test_two_thousand_idle_connections_lock_nobody_out(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        try:
            for gate in self.gates():
                before, threads = gate.resident(), gate.threads()
                crowd = [gate.connect() for _ in range(2000)]
                self.ok("ls")
                self.assertLess(gate.resident() - before, 64 * MIB)
                self.assertLessEqual(gate.threads(), threads + 2)
                self.assert_quiet(gate, "2000 idle connections")
                for stranger in crowd:
                    stranger.close()
            self.assert_served("after")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    def test_at_the_limit_of_descriptors_a_daemon_waits_and_comes_back(self):
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))  # as under `ulimit -n 256`
        try:
            gates = self.gates()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for gate, name in zip(gates, ("coordinator", "n1")):
            self.assertEqual(resource.prlimit(gate.pid, resource.RLIMIT_NOFILE)[0], 256)
            crowd = [gate.connect() for _ in range(600)]
            self.assert_quiet(gate, name + " has no descriptors left")
            for stranger in crowd:
                stranger.close()
            self.until(lambda: self.frenzy("ls").returncode == 0, "clients are served again", 20)
            self.until(lambda: self.node("n1")["state"] == "healthy", "the node is back", 20)
            self.assert_served("after-" + name)
            self.assertLess(self.log(name).count("\n"), 80, "the log is flooded")


if __name__ == "__main__":
    unittest.main()
