"""U-11: memory that runs out in a run is a failure with its place and numbers, and holds nothing."""

import re
import unittest

from cluster import ClusterTest, binary


class OutOfMemory(ClusterTest):
    def test_a_failed_allocation_fails_the_job_names_everything_and_frees_all_devices(self):
        self.start_coordinator()
        self.start_node("n1", "256MiB:4")
        self.start_node("n2", "256MiB:2", "256MiB:2", options=["--inject", "cpu1:7:backward"])
        self.start_node("n3", "256MiB:2")
        result = self.submit_j0("oom", flags=["--wait"])
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        job = self.job("oom")
        self.assertEqual(job["state"], "failed")
        # Device, phase (step and instruction), part, both numbers.
        self.assertRegex(job["reason"], r"runner on n2 failed.* device n2/cpu1: step 7: backward of .*: "
                         r"injected allocation failure: \w+, requested [\d.]+ [KM]?i?B, available 0 B")
        self.assertIn(re.sub(r"\s+", " ", job["reason"]), re.sub(r"\s+", " ", result.stdout))
        self.assertEqual(self.rows("oom")[-1]["step"], 6)
        self.assert_nothing_held()
        self.assertEqual(sum(device["free_bytes"] for name in ("n1", "n2", "n3") for device in self.node(name)["devices"]),
                         4 * 256 << 20)

    def test_a_fault_that_is_none_is_refused_by_name(self):
        self.start_coordinator()
        self.start("bad", [binary("frenzy-node"), "--state", self.path("state/bad"), "--device", "64MiB:1", "--inject", "cpu0:dance"])
        self.assertEqual(self.processes.pop("bad").wait(timeout=20), 2)
        with open(self.path("bad.log")) as log:
            self.assertIn("fault 'cpu0:dance' is not DEVICE:STEP", log.read())


if __name__ == "__main__":
    unittest.main()
