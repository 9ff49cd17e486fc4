import unittest

from cluster import ClusterTest


class OneJobOverTwoNodes(ClusterTest):
    def test_a_job_trains_over_devices_of_unlike_speed_in_two_nodes(self):
        self.start_coordinator()
        self.start_node("n1", "512MiB:8", "256MiB:4")
        self.start_node("n2", "512MiB:4")
        result = self.frenzy("submit", self.job_file(), *self.overrides("tale", 40), "--wait")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertNotRegex(result.stdout, r"[\x00-\x09\x0b-\x1f]")
        job = self.job("tale")
        self.assertEqual(job["state"], "finished")
        self.assertEqual(job["saved_step"], 40)
        self.assertEqual(sum(device["samples"] for device in job["devices"]), 8)
        for device in job["devices"]:
            self.assertEqual(device["measured_bytes"], device["predicted_arena_bytes"])
        states = [change["state"] for change in job["history"]]
        self.assertEqual(states, ["submitted", "planned", "reserved", "starting", "running", "finished"])
        losses = [line for line in self.ok("logs", "tale").splitlines() if " step=" in line]
        self.assertEqual(len(losses), 40)
        first, last = (float(line.split("loss=")[1].split()[0]) for line in (losses[0], losses[-1]))
        self.assertLess(last, first - 0.5)
        out = self.path("exported")
        self.ok("checkpoint", "export", "tale", out)
        with open(self.path("exported/config.json")) as config:
            self.assertIn("GPT2LMHeadModel", config.read())
        sample = self.ok("checkpoint", "sample", "tale", "--prompt", "In the", "--tokens", "20")
        self.assertTrue(sample.startswith("In the"))
        self.assertEqual(sample, self.ok("checkpoint", "sample", "tale", "--prompt", "In the", "--tokens", "20"))
        self.assert_nothing_held()

    def test_cancel_saves_and_says_where(self):
        self.start_coordinator()
        self.start_node("n1", "512MiB:8")
        self.start_node("n2", "512MiB:8")
        self.assertEqual(self.submit("tale", 5000).returncode, 0)
        self.until_running("tale")
        self.assertIn("cancelled: saved at step", self.ok("cancel", "tale"))
        self.assertEqual(self.frenzy("wait", "tale").returncode, 6)
        self.assertGreater(self.job("tale")["saved_step"], 0)
        self.assert_nothing_held()


if __name__ == "__main__":
    unittest.main()
