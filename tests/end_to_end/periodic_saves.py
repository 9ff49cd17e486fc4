"""checkpoint.every and keep: saves on the way do not stop the steps; what is forgotten leaves the disks."""

import glob
import json
import os
import unittest

from cluster import ClusterTest


class PeriodicSaves(ClusterTest):
    def pieces(self):
        return glob.glob(self.path("state/nodes/*/saves/pieces/*"))

    def test_saves_on_the_way_are_kept_by_number_and_old_pieces_go(self):
        self.start_coordinator()
        self.start_node("n1", "64MiB:4")
        self.start_node("n2", "64MiB:2")
        self.assertEqual(self.submit("tale", 100000, "checkpoint.every=10", "checkpoint.keep=2").returncode, 0)
        self.until(lambda: self.job("tale")["saved_step"] >= 50, "step 50 is saved", 60)
        saves = self.json("checkpoint", "ls", "tale")
        self.assertEqual(saves[0]["step"] % 10, 0)
        # Two saves, and one that is being written or is about to go.
        self.until(lambda: len(self.pieces()) <= 4 * saves[0]["pieces"], "old pieces are gone")
        self.assertEqual(self.job("tale")["state"], "running")
        self.ok("cancel", "tale")
        self.assert_nothing_held()
        job = self.job("tale")
        self.assertIn("saved at step %d" % job["saved_step"], job["reason"])
        self.assertRegex(self.ok("checkpoint", "verify", "tale"), r"^1 checkpoints, .* read and right")
        # Pieces are named by digest: what did not change between two saves (moments of unused positions) is one file.
        each = saves[0]["pieces"]
        self.until(lambda: each < len(self.pieces()) <= 2 * each, "two saves of %d pieces are left" % each)

    def test_a_killed_runner_leaves_pieces_that_no_save_names_and_they_go(self):
        self.start_coordinator()
        self.start_node("n1", "64MiB:4")
        folder = self.path("state/nodes/n1/saves/pieces")
        self.end("n1")
        os.makedirs(folder, exist_ok=True)
        for name in ("ab" * 32 + ".safetensors", "cd" * 32 + ".safetensors.tmp.12.1"):
            with open(os.path.join(folder, name), "w") as piece:
                piece.write("left by a runner that was killed")
        self.start_node("n1", "64MiB:4")
        self.until(lambda: os.listdir(folder) == [], "what nobody names is gone")
        self.assertEqual(self.submit("tale", 5).returncode, 0)
        self.assertEqual(self.frenzy("wait", "tale").returncode, 0)
        self.end("n1")
        self.start_node("n1", "64MiB:4")
        self.assertEqual(json.loads(self.ok("checkpoint", "ls", "tale", "--json"))[0]["step"], 5)
        self.ok("checkpoint", "verify", "tale")


if __name__ == "__main__":
    unittest.main()
