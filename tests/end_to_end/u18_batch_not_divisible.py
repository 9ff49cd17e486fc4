"""U-18: a global batch of 256 over seven devices: every sequence once in every step."""

import unittest

from cluster import LONG, ClusterTest


class BatchNotDivisible(ClusterTest):
    STEPS = 100 if LONG else 30

    def test_seven_devices_train_a_batch_that_seven_does_not_divide(self):
        self.start_coordinator()
        self.start_node("c1", "2048MiB:0")
        self.assertEqual(self.submit_j0("reference", "train.global_batch=256", steps=self.STEPS).returncode, 0)
        self.finish("reference")
        self.end("c1")
        self.start_node("n0", *["64MiB:1"] * 7)
        self.assertEqual(self.submit_j0("seven", "train.global_batch=256", steps=self.STEPS).returncode, 0)
        devices = self.finish("seven")["devices"]
        self.assertEqual(len(devices), 7)
        self.assertEqual(sum(device["samples"] for device in devices), 256)
        self.assertTrue(all(row["tokens"] == 256 * 64 for row in self.rows("seven")))
        self.assert_same_curve("seven", "reference", self.STEPS)
        self.assert_nothing_held()


if __name__ == "__main__":
    unittest.main()
