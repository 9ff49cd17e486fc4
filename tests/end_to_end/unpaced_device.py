"""A node that names no device offers its machine, unpaced, and trains."""

import unittest

from cluster import ClusterTest


class UnpacedDevice(ClusterTest):
    def test_a_node_without_devices_trains_as_fast_as_the_machine_allows(self):
        self.start_coordinator()
        self.start_node("n1")
        device = self.node("n1")["devices"][0]
        self.assertEqual(device["slowdown"], 0)
        self.assertEqual(self.submit("tale", 5).returncode, 0)
        self.assertEqual(self.frenzy("wait", "tale").returncode, 0)
        self.assert_nothing_held()


if __name__ == "__main__":
    unittest.main()
