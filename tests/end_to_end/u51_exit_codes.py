"""U-51: a script sees how a job and a command ended."""

import os
import signal
import subprocess
import unittest

from cluster import ClusterTest, binary


class ExitCodes(ClusterTest):
    def test_seven_ends_have_seven_codes_and_a_job_outlives_ctrl_c(self):
        self.assertEqual(self.frenzy("ls").returncode, 3)
        self.start_coordinator()
        self.start_node("n1", "64MiB:8")
        codes = {"usage": self.frenzy("wait", "--nope").returncode, "not found": self.frenzy("wait", "nothing").returncode}
        self.submit("good", 5)
        codes["ok"] = self.frenzy("wait", "good").returncode
        self.submit("big", 5, "model.preset=gpt2-small")
        codes["does not fit"] = self.frenzy("wait", "big").returncode
        self.submit("long", 100000)
        self.until_running("long")
        codes["interrupted"] = self.interrupted("wait", "long")
        self.assertEqual(self.interrupted("watch", "long"), 130)
        self.assertEqual(self.job("long")["state"], "running")
        self.ok("cancel", "long")
        codes["cancelled"] = self.frenzy("wait", "long").returncode
        self.submit("doomed", 100000)
        self.until_running("doomed")
        self.kill("n1")
        codes["failed"] = self.frenzy("wait", "doomed").returncode
        self.assertEqual(codes, {"ok": 0, "failed": 1, "usage": 2, "not found": 4, "does not fit": 5,
                                 "cancelled": 6, "interrupted": 130})

    def interrupted(self, *arguments):
        process = subprocess.Popen([binary("frenzy"), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=self.environment)
        # Ctrl-C is answered once the signals are blocked, which the connection does first.
        self.until(lambda: self.blocks_interrupts(process.pid), "it is connected")
        process.send_signal(signal.SIGINT)
        self.assertIn(b"the job goes on", process.communicate(timeout=10)[1])
        return process.returncode

    @staticmethod
    def blocks_interrupts(pid):
        with open("/proc/%d/status" % pid) as status:
            mask = next(line for line in status if line.startswith("SigBlk:")).split()[1]
        return bool(int(mask, 16) & 1 << (signal.SIGINT - 1)) and len(os.listdir("/proc/%d/task" % pid)) > 1


if __name__ == "__main__":
    unittest.main()
