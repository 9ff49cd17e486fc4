"""U-19: a device is its UUID, whatever order a node names its devices in."""

import unittest

from cluster import ClusterTest


class SameDeviceOtherOrder(ClusterTest):
    def test_plan_metrics_and_logs_follow_the_uuid_over_a_restart(self):
        self.start_coordinator()
        self.start_node("n1", "512MiB:2", "512MiB:4")
        before = self.shares("before")
        speeds = self.rates()
        self.end("n1")
        self.start_node("n1", "512MiB:4", "512MiB:2")
        self.assertEqual(self.shares("after").keys(), before.keys())
        for device, (name, samples) in self.shares("again").items():
            self.assertEqual(name, before[device][0])
            self.assertAlmostEqual(samples, before[device][1], delta=1)
        slow, fast = sorted(before, key=lambda device: before[device][1])
        self.assertLess(before[slow][1] + 2, before[fast][1])
        self.assertLess(self.rates()[slow] * 1.5, self.rates()[fast])
        self.assertLess(speeds[slow] * 1.5, speeds[fast])
        self.assertEqual({device["id"] for device in self.node("n1")["devices"]}, set(before))

    def rates(self):
        return {device["id"]: device["matrix_flops_per_second"] for device in self.node("n1")["devices"]}

    def shares(self, name):
        self.assertEqual(self.submit_j0(name, steps=5).returncode, 0)
        return {device["device"]: (device["name"], device["samples"]) for device in self.finish(name)["devices"]}


if __name__ == "__main__":
    unittest.main()
