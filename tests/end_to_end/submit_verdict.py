"""submit answers when the planner has spoken: planned, waits for a reason, or does not fit."""

import unittest

from cluster import ClusterTest


class SubmitVerdict(ClusterTest):
    def test_submit_tells_the_verdict_without_wait(self):
        self.start_coordinator()
        waits = self.submit("early", 100000)
        self.assertEqual(waits.returncode, 0, waits.stderr)
        self.assertIn("submitted: no node is connected", waits.stdout)
        self.ok("cancel", "early")
        self.start_node("n1", "64MiB:8")
        for _ in range(5):  # a race would show
            result = self.submit("big", 5, "model.preset=gpt2-small")
            self.assertEqual(result.returncode, 5, result.stdout + result.stderr)
            self.assertRegex(result.stderr, r"needs [\d.]+ .iB.* has [\d.]+ .iB free")
            self.assertRegex(result.stderr, r"the largest part is \w+ with")
        planned = self.submit("good", 100000)
        self.assertEqual(planned.returncode, 0, planned.stderr)
        self.assertIn("n1/cpu0", planned.stdout)
        self.until_running("good")
        self.ok("cancel", "good")


if __name__ == "__main__":
    unittest.main()
