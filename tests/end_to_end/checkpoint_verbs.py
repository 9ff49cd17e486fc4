import json
import os
import unittest

from cluster import ClusterTest


class CheckpointVerbs(ClusterTest):
    def test_a_finished_job_is_verified_exported_and_sampled_through_the_coordinator(self):
        self.start_coordinator()
        self.start_node("n1", "64MiB:8", "64MiB:4")
        self.start_node("n2", "64MiB:4")
        self.assertEqual(self.frenzy("checkpoint", "ls", "nothing").returncode, 4)
        self.assertEqual(self.frenzy("submit", self.job_file(), *self.overrides("tale", 40), "--wait").returncode, 0)
        self.assertRegex(self.ok("checkpoint", "ls", "tale"), r"^step 40: \d+ pieces, ")
        self.assertEqual(json.loads(self.ok("checkpoint", "ls", "tale", "--json"))[0]["step"], 40)
        self.assertRegex(self.ok("checkpoint", "verify", "tale"), r"^1 checkpoints, \d+ pieces, .* read and right\n$")
        self.ok("checkpoint", "export", "tale", self.path("thin"), "--weights-only")
        self.assertEqual(sorted(os.listdir(self.path("thin"))), ["config.json", "model.safetensors"])
        self.ok("checkpoint", "export", "tale", self.path("out"))
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["checkpoint", "config.json", "model.safetensors"])
        whole = self.json("checkpoint", "ls", "tale")[0]
        kept = self.json("checkpoint", "ls", self.path("out/checkpoint"))[0]
        self.assertEqual((kept["step"], kept["bytes"]), (40, whole["bytes"]))
        self.assertRegex(self.ok("checkpoint", "verify", self.path("out/checkpoint")),
                         r"^1 checkpoints, \d+ pieces, .* read and right\n$")
        prompt = ("checkpoint", "sample", "tale", "--prompt", "In the", "--tokens", "40", "--seed", "3")
        text = self.ok(*prompt)
        self.assertTrue(text.startswith("In the"))
        self.assertEqual(text, self.ok(*prompt))
        self.kill("n2")
        self.assertEqual(self.frenzy("checkpoint", "verify", "tale").returncode, 3)


if __name__ == "__main__":
    unittest.main()
