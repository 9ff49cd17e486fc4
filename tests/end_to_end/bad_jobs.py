import os
import unittest

from cluster import ClusterTest


class BadJobs(ClusterTest):
    def refused(self, code, part, *arguments):
        result = self.frenzy(*arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertIn(part, result.stderr)

    def test_every_mistake_is_named_before_anything_is_made(self):
        self.job_file()
        job = self.path("job.toml")
        self.refused(3, "no coordinator has been started here", "submit", job, *self.overrides("x", 5))
        self.start_coordinator()
        self.start_node("n1", "64MiB:8")
        self.refused(2, "train.stepz", "submit", job, "-o", "train.stepz=5")
        self.refused(4, "missing.toml", "submit", self.path("missing.toml"))
        self.refused(4, "nothing.txt", "submit", job, "-o", "data.path=nothing.txt")
        open(self.path("empty.txt"), "w").close()
        self.refused(2, "empty.txt is empty", "submit", job, "-o", "data.path=empty.txt")
        with open(self.path("short.txt"), "w") as short:
            short.write("short")
        self.refused(2, "has 5 tokens", "submit", job, "-o", "data.path=short.txt")
        self.refused(4, "no job 'nothing'", "show", "nothing")
        self.refused(2, "", "frobnicate")
        self.assertEqual(self.json("ls"), [])

    def test_a_model_too_big_for_the_devices_exits_with_5_and_the_numbers(self):
        self.start_coordinator()
        self.start_node("n1", "8MiB:8")
        result = self.frenzy("submit", self.job_file(), *self.overrides("big", 5, "model.preset=gpt2-small"), "--wait")
        self.assertEqual(result.returncode, 5, result.stdout + result.stderr)
        self.assertRegex(self.job("big")["reason"], r"needs .*B, has .*B free")
        self.assertFalse(os.listdir(self.path("state/nodes/n1")) == [])
        self.assert_nothing_held()


if __name__ == "__main__":
    unittest.main()
