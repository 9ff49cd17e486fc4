"""U-52: a cancel ends every worker and frees every device, also beside a frozen node."""

import signal
import subprocess
import unittest

from cluster import ClusterTest


class CancelCancels(ClusterTest):
    # The case allows 10 s; a loaded machine three times that.
    LIMIT = 30

    def start_c4(self):
        self.start_coordinator()
        for name in ("n0", "n1", "n2"):
            self.start_node(name, "256MiB:2")

    def run_to_step_10(self, name):
        self.assertEqual(self.submit_j0(name, steps=100000).returncode, 0)
        self.until(lambda: self.job(name)["step"] >= 10, "step 10")
        self.assertEqual(self.runners(), 3)

    def test_cancel_ends_all_workers_and_frees_all_devices(self):
        self.start_c4()
        self.run_to_step_10("j0")
        self.ok("cancel", "j0")
        self.assertEqual(self.frenzy("wait", "j0").returncode, 6)
        self.assertIn("saved at step", self.job("j0")["reason"])
        self.assert_nothing_held()

    def test_cancel_beside_a_frozen_node_does_the_same_and_the_node_cleans_up_when_it_wakes(self):
        self.start_c4()
        self.run_to_step_10("j0")
        self.signal("n1", signal.SIGSTOP)
        self.ok("cancel", "j0")
        self.assertEqual(self.frenzy("wait", "j0").returncode, 6)
        self.assertIn("n1", self.job("j0")["reason"])
        self.until(lambda: self.runners_of("n0", "n2") == 0, "no runner on reachable nodes", self.LIMIT)
        self.until(lambda: self.free("n0") and self.free("n2"), "reachable nodes are free", self.LIMIT)
        self.signal("n1", signal.SIGCONT)
        self.until(lambda: self.node("n1")["state"] == "healthy", "n1 joins again", self.LIMIT)
        self.until(lambda: self.runners_of("n1") == 0 and self.free("n1"), "n1 has cleaned up", self.LIMIT)
        self.assertEqual(self.submit_j0("next", steps=5).returncode, 0)
        self.assertEqual(len(self.finish("next")["devices"]), 3)

    def free(self, name):
        return all(device["free_bytes"] == device["memory_bytes"] for device in self.node(name)["devices"])

    def runners_of(self, *names):
        pids = ",".join(str(self.processes[name].pid) for name in names)
        return len(subprocess.run(["pgrep", "-P", pids], capture_output=True, text=True).stdout.split())


if __name__ == "__main__":
    unittest.main()
