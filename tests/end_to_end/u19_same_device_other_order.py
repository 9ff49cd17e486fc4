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
        again = self.shares("again")
        slow, fast = sorted(before, key=lambda device: before[device][1])
        # 8 and 16 of 24 where time is measured exactly; the other's share, speed or name must not be there.
        self.assertLess(again[slow][1], again[fast][1])
        self.assertEqual({d: name for d, (name, _) in again.items()}, {d: name for d, (name, _) in before.items()})
        self.assertLess(self.rates()[slow], self.rates()[fast])
        self.assertLess(speeds[slow], speeds[fast])
        self.assertEqual({device["id"] for device in self.node("n1")["devices"]}, set(before))

    def rates(self):
        return {device["id"]: device["matrix_flops_per_second"] for device in self.node("n1")["devices"]}

    def shares(self, name):
        self.assertEqual(self.submit_j0(name, steps=5).returncode, 0)
        return {device["device"]: (device["name"], device["samples"]) for device in self.finish(name)["devices"]}


if __name__ == "__main__":
    unittest.main()
