"""U-14: eight devices on one node and two on another train as one."""

import unittest

from cluster import ClusterTest


class EightAndTwo(ClusterTest):
    def test_ten_devices_on_unlike_nodes_have_the_curve_of_one(self):
        self.start_coordinator()
        self.start_node("c1", "2048MiB:0")
        self.assertEqual(self.submit_j0("reference", "train.global_batch=20").returncode, 0)
        self.finish("reference")
        self.end("c1")
        self.start_node("n0", *["64MiB:1"] * 8)
        self.start_node("n1", *["64MiB:1"] * 2)
        self.assertEqual(self.submit_j0("ten", "train.global_batch=20").returncode, 0)
        devices = self.finish("ten")["devices"]
        nodes = [device["name"].split("/")[0] for device in devices]
        self.assertEqual((nodes.count("n0"), nodes.count("n1")), (8, 2))
        self.assertEqual(len({device["device"] for device in devices}), 10)
        self.assertEqual(sum(device["samples"] for device in devices), 20)
        self.assertTrue(all(device["samples"] > 0 for device in devices), devices)
        self.assert_same_curve("ten", "reference")
        self.assert_nothing_held()


if __name__ == "__main__":
    unittest.main()
