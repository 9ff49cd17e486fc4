import signal
import unittest

from cluster import ClusterTest


class NodesThatGo(ClusterTest):
    def running_job(self, name):
        self.assertEqual(self.submit(name, 5000).returncode, 0)
        self.until_running(name)

    def failed_job(self, name, *parts):
        self.assertEqual(self.frenzy("wait", name).returncode, 1)
        for part in parts:
            self.assertIn(part, self.job(name)["reason"])
        self.assert_nothing_held()

    def test_killed_frozen_and_leaving_nodes_fail_the_job_with_the_reason(self):
        self.start_coordinator()
        self.start_node("n1", "512MiB:8")
        self.start_node("n2", "512MiB:8")
        self.running_job("killed")
        self.kill("n2")
        self.failed_job("killed", "node n2 is gone at step")

        self.start_node("n2", "512MiB:8")
        self.running_job("frozen")
        self.signal("n2", signal.SIGSTOP)
        self.assertEqual(self.frenzy("wait", "frozen").returncode, 1)
        self.assertIn("node n2 is gone", self.job("frozen")["reason"])
        self.signal("n2", signal.SIGCONT)
        self.until(lambda: self.node("n2")["state"] == "healthy", "n2 joins again")
        self.assert_nothing_held()

        self.running_job("left")
        self.end("n2")
        self.failed_job("left", "it left")

    def test_cycles_of_submit_and_kill_leave_nothing_behind(self):
        self.start_coordinator()
        self.start_node("n1", "512MiB:8")
        counts = []
        for cycle in range(3):
            name = "cycle%d" % cycle
            self.running_job(name)
            self.ok("cancel", name)
            self.assert_nothing_held()
            counts.append(self.descriptors("n1") + self.descriptors("coordinator"))
        self.assertEqual(counts[0], counts[-1])

    def descriptors(self, name):
        import os
        return len(os.listdir("/proc/%d/fd" % self.processes[name].pid))


if __name__ == "__main__":
    unittest.main()
