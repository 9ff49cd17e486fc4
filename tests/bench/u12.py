"""U-12, the speed half: two nodes with devices of speeds 4 and 2 train J0 together; how near is their step
rate to the sum of what each makes alone? Interleaved rounds in one cluster of real processes, medians.
Usage: u12.py [rounds]. Last line: key=value ..."""

import os
import statistics
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../end_to_end"))
from cluster import ClusterTest  # noqa: E402

ROUNDS = 3
SPEEDS = {"n0": "512MiB:4", "n1": "512MiB:2"}


class UnevenSpeedBench(ClusterTest):
    def test_step_rate(self):
        self.start_coordinator()
        rates = {"n0": [], "n1": [], "both": []}
        for number in range(ROUNDS):
            self.start_node("n0", SPEEDS["n0"])
            rates["n0"].append(self.rate("n0-%d" % number))
            self.start_node("n1", SPEEDS["n1"])
            rates["both"].append(self.rate("both-%d" % number))
            self.end("n0")
            rates["n1"].append(self.rate("n1-%d" % number))
            self.end("n1")
        ratios = [both / (n0 + n1) for n0, n1, both in zip(rates["n0"], rates["n1"], rates["both"])]
        fields = {name + "_steps_per_s": statistics.median(values) for name, values in rates.items()}
        fields["efficiency"] = statistics.median(ratios)
        print(" ".join("%s=%.3f" % item for item in fields.items()))

    def rate(self, name):
        self.assertEqual(self.submit_j0(name, steps=40).returncode, 0)
        self.finish(name)
        return 1 / statistics.median(row["seconds"] for row in self.rows(name)[10:])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ROUNDS = int(sys.argv.pop())
    unittest.main(argv=sys.argv[:1])
