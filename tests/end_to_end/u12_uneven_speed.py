"""U-12: devices of speeds 2 and 1 get 16 and 8 of 24 sequences, and the curve of one device.
The speed half of the case is `tools/bench u12`."""

import unittest

from cluster import ClusterTest


class UnevenSpeed(ClusterTest):
    def test_shares_follow_speed_and_the_curve_does_not(self):
        self.start_coordinator()
        self.start_node("c1", "2048MiB:0")
        self.assertEqual(self.submit_j0("reference").returncode, 0)
        self.finish("reference")
        self.end("c1")
        # Twice the speeds of the case, in the same ratio: three quarters of a core in all.
        self.start_node("n0", "512MiB:4")
        self.start_node("n1", "512MiB:2")
        self.assertEqual(self.submit_j0("uneven").returncode, 0)
        samples = {device["name"]: device["samples"] for device in self.finish("uneven")["devices"]}
        self.assertEqual(sum(samples.values()), 24)
        self.assertAlmostEqual(samples["n0/cpu0"], 16, delta=1)
        self.assertAlmostEqual(samples["n1/cpu0"], 8, delta=1)
        self.assert_same_curve("uneven", "reference")
        self.assert_nothing_held()


if __name__ == "__main__":
    unittest.main()
