"""Two machines as two network namespaces with a cable between them: 10.0.0.1 and 10.0.0.2."""

import os
import shutil
import subprocess
import unittest

from cluster import ClusterTest, binary

ADDRESSES = {1: "10.0.0.1", 2: "10.0.0.2"}


def command(text):
    return subprocess.run(text.split(), capture_output=True, text=True)


def unavailable():
    """Why there can be no namespaces here; empty if there can."""
    if shutil.which("ip") is None:
        return "ip is not installed"
    if os.geteuid() != 0:
        return "network namespaces need root"
    probe = "fz%d-probe" % (os.getpid() % 10000)
    made = command("ip netns add " + probe)
    command("ip netns del " + probe)
    return made.stderr.strip()


class TwoMachines(ClusterTest):
    def setUp(self):
        why = unavailable()
        if why:
            self.skipTest("no network namespaces: " + why)
        super().setUp()
        self.environment["PATH"] = os.pathsep.join(
            [os.path.dirname(binary(name)) for name in ("frenzy", "frenzy-node", "frenzy-coordinator")] + [os.environ["PATH"]])
        self.spaces = {n: "fz%d-%d" % (os.getpid() % 10000, n) for n in ADDRESSES}
        self.lay_cable()

    def tearDown(self):
        super().tearDown()
        for space in self.spaces.values():
            command("ip netns del " + space)

    def lay_cable(self):
        first, second = self.spaces[1], self.spaces[2]
        for space in (first, second):
            self.must("ip netns add " + space)
        self.must("ip link add eth0 netns %s type veth peer name eth0 netns %s" % (first, second))
        for number, space in self.spaces.items():
            self.must("ip -n %s addr add %s/24 dev eth0" % (space, ADDRESSES[number]))
            self.must("ip -n %s link set eth0 up" % space)
            self.must("ip -n %s link set lo up" % space)

    def must(self, text):
        done = command(text)
        self.assertEqual(done.returncode, 0, text + ": " + done.stderr)
        return done.stdout

    # Commands on a machine --------------------------------------------------------------------

    def machine(self, number):
        """Environment and directory of a machine's user."""
        home = self.path("machine%d" % number)
        os.makedirs(home, exist_ok=True)
        environment = dict(self.environment, HOME=home)
        environment.pop("FRENZY_STATE", None)
        environment.pop("XDG_STATE_HOME", None)
        return {"env": environment, "cwd": home}

    def inside(self, number, line):
        return ["ip", "netns", "exec", self.spaces[number], "sh", "-c", line]

    def run_on(self, number, line, timeout=60):
        return subprocess.run(self.inside(number, line), capture_output=True, text=True, timeout=timeout, **self.machine(number))

    def serve_on(self, number, name, line):
        with open(self.path(name + ".log"), "ab") as log:
            self.processes[name] = subprocess.Popen(self.inside(number, line.replace("frenzy-", "exec frenzy-", 1)),
                                                    stdout=log, stderr=log, **self.machine(number))

    def log(self, name):
        with open(self.path(name + ".log")) as text:
            return text.read()

    def received(self, number):
        """Bytes that came over the cable."""
        text = self.must("ip netns exec %s cat /sys/class/net/eth0/statistics/rx_bytes" % self.spaces[number])
        return int(text)

    def healthy(self, count):
        listed = self.run_on(1, "frenzy nodes")
        return listed.stdout.count(" healthy ") == count


__all__ = ["TwoMachines", "ADDRESSES", "unittest"]
