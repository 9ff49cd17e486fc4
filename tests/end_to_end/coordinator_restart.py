import unittest

from cluster import ClusterTest


class CoordinatorRestart(ClusterTest):
    def test_jobs_and_history_are_there_and_nodes_join_again(self):
        address = self.start_coordinator()
        self.start_node("n1", "512MiB:8")
        self.assertEqual(self.frenzy("submit", self.job_file(), *self.overrides("done", 10), "--wait").returncode, 0)
        self.submit("open", 5000)
        self.until_running("open")
        self.kill("coordinator")
        self.assertEqual(self.frenzy("ls").returncode, 3)
        self.start_coordinator(address)
        self.assertEqual(self.job("done")["state"], "finished")
        self.assertEqual(len([line for line in self.ok("logs", "done").splitlines() if " step=" in line]), 10)
        self.until(lambda: self.job("open")["state"] == "failed", "the open job has failed")
        self.assertIn("the coordinator restarted (incarnation 2)", self.job("open")["reason"])
        self.until(lambda: self.node("n1")["state"] == "healthy", "n1 joins again")
        self.assert_nothing_held()
        self.assertEqual(self.frenzy("submit", self.job_file(), *self.overrides("next", 5), "--wait").returncode, 0)

    def test_two_coordinators_never_share_a_state_directory(self):
        self.start_coordinator()
        import subprocess
        from cluster import binary
        second = subprocess.run([binary("frenzy-coordinator"), "--listen", "127.0.0.1:0"], capture_output=True,
                                text=True, env=self.environment, timeout=20)
        self.assertEqual(second.returncode, 1)
        self.assertIn("is in use by process", second.stderr)


if __name__ == "__main__":
    unittest.main()
