"""U-50: only the documented ports of each daemon accept connections."""

import re
import shutil
import time

from namespaces import ADDRESSES
from two_machines import TypedFromReadme as Typed, flag, readme_lines, unittest


class Firewall(Typed):
    # Only this file's cases.
    test_with_tcp = test_with_ucx = test_one_side_that_trusts_is_not_enough = None
    test_the_coordinator_prints_lines_that_work = test_carrier_tcp_opens_the_gates_and_no_port_of_ucx = None

    def setUp(self):
        if shutil.which("nft") is None:
            self.skipTest("nft is not installed")
        super().setUp()

    def accept_only(self, number, ports):
        rules = ("add table inet f; flush table inet f; "
                 "add chain inet f in { type filter hook input priority 0; policy drop; }; "
                 "add rule inet f in iif lo accept; "
                 "add rule inet f in ct state established,related accept; ")
        if ports:
            rules += "add rule inet f in tcp dport { %s } accept" % ports
        done = self.run_on(number, "nft '%s'" % rules)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_training_works_with_the_gates_alone(self):
        self.accept_only(1, "4700, 4701")
        self.accept_only(2, "4701")
        self.type_it()
        self.train()

    def test_training_over_ucx_works_with_the_gates_and_the_data_ports(self):
        self.accept_only(1, "4700, 4701, 4702-4709")
        self.accept_only(2, "4701, 4702-4709")
        self.type_it(flag("--trusted-networks"))
        self.train()
        self.assertEqual({carrier for carrier, _ in self.links_of_runners()}, {"ucx"})

    def test_a_node_whose_gate_is_closed_is_named_with_its_port(self):
        self.accept_only(1, "4700")  # whichever calls the other
        self.accept_only(2, "")
        self.type_it()
        begin = time.monotonic()
        done = self.submit_and_wait()
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"10\.0\.0\.[12]:\d+ -> 10\.0\.0\.[12]:4701: no connection within 2000 ms: "
                                      r"nobody is there, or a firewall keeps that port closed")

    def test_joining_through_a_closed_port_fails_soon_and_says_where(self):
        self.accept_only(1, "")
        lines = readme_lines()
        self.type_line(1, lines[1][0], "")
        begin = time.monotonic()
        for line in lines[2]:
            self.type_line(2, line, "")
        self.until(lambda: "node.unconnected" in self.log("node2"), "the node has given up once", limit=10)
        self.assertLess(time.monotonic() - begin, 10)
        told = next(line for line in self.log("node2").split("\n") if "node.unconnected" in line)
        self.assertRegex(told, re.escape(ADDRESSES[2]) + r":\d+ -> 10\.0\.0\.1:4700: no connection within 2000 ms")


del Typed

if __name__ == "__main__":
    unittest.main()
