"""Cycles of submit, cancel and kill -9: what processes hold afterwards is what they held after the first."""

import os
import unittest

from cluster import LONG, ClusterTest


class ManyCycles(ClusterTest):
    CYCLES = 100 if LONG else 25
    FIRST = 2  # both kinds of cycle have run once, and nothing is made for the first time any more

    def test_cycles_of_submit_cancel_and_kill_leave_nothing_behind(self):
        self.start_coordinator()
        self.start_node("n1", "256MiB:2")
        self.start_node("n2", "256MiB:2")
        first = None
        for cycle in range(self.CYCLES):
            self.one_cycle("cycle%d" % cycle, killed=cycle % 2 == 1)
            self.assert_nothing_held()
            if cycle + 1 == self.FIRST:
                first = self.held()
        self.until(lambda: self.held() == first, "as after the first cycles: %s, now %s" % (first, self.held()))
        self.assertEqual(self.leftovers(), [])

    def one_cycle(self, name, killed):
        self.assertEqual(self.submit(name, 100000).returncode, 0)
        self.until(lambda: self.job(name)["step"] >= 1, name + " runs")
        if not killed:
            self.ok("cancel", name)
            self.assertEqual(self.frenzy("wait", name).returncode, 6)
        self.kill("n2")
        if killed:
            self.assertEqual(self.frenzy("wait", name).returncode, 1)
            self.assertIn("node n2 is gone", self.job(name)["reason"])
        self.start_node("n2", "256MiB:2")

    def held(self):
        """Descriptors and threads of the processes that lived through all cycles; shared memory of all."""
        out = {}
        for name in ("coordinator", "n1"):
            process = "/proc/%d/" % self.processes[name].pid
            out[name] = (len(os.listdir(process + "fd")), len(os.listdir(process + "task")))
        return out

    def leftovers(self):
        """Files that were being written."""
        return [os.path.join(folder, name) for folder, _, names in os.walk(self.path("state"))
                for name in names if ".tmp" in name or name.endswith(".partial")]


if __name__ == "__main__":
    unittest.main()
