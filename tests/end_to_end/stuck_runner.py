"""A runner process that stands still fails its job with its name, and is ended by its node."""

import os
import signal
import subprocess
import unittest

from cluster import ClusterTest


class StuckRunner(ClusterTest):
    def freeze_runner_of(self, name):
        pid = subprocess.run(["pgrep", "-P", str(self.processes[name].pid)], capture_output=True, text=True).stdout
        os.kill(int(pid), signal.SIGSTOP)

    def test_a_frozen_runner_is_named_with_device_instruction_and_age(self):
        self.start_coordinator()
        self.start_node("n1", "64MiB:4")
        self.start_node("n2", "64MiB:2", "64MiB:2")
        for job, frozen, devices in (("alone", "n1", "n1/cpu0"), ("pair", "n2", "n2/cpu0, n2/cpu1")):
            if job == "alone":
                self.end("n2")
            else:
                self.start_node("n2", "64MiB:2", "64MiB:2")
            self.assertEqual(self.submit(job, 100000).returncode, 0)
            self.until_running(job)
            self.freeze_runner_of(frozen)
            self.assertEqual(self.frenzy("wait", job).returncode, 1)
            self.assertRegex(self.job(job)["reason"], r"the runner on %s failed at step \d+: its process on %s has been silent for "
                             r"\d+\.\d+ s; it was at instruction \d+ of step \d+, \S+ .?s old then" % (frozen, devices))
            self.assert_nothing_held()


if __name__ == "__main__":
    unittest.main()
