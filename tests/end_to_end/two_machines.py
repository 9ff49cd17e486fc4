"""README's section on two machines, typed as it stands there into two network namespaces."""

import os
import re
import shutil

from namespaces import TwoMachines, unittest

README = os.path.join(os.path.dirname(__file__), "../../README.md")


def readme_lines():
    """Lines to type, by machine."""
    with open(README) as text:
        section = text.read().split("## Two machines")[1].split("\n## ")[0]
    blocks = re.findall(r"```\n(.*?)```", section, re.S)
    return {number: block.strip().split("\n") for number, block in enumerate(blocks, 1)}


def flag(name):
    with open(README) as text:
        return re.search(r"`(%s [^`]*)`" % name, text.read()).group(1)


class TypedFromReadme(TwoMachines):
    def type_it(self, more=""):
        for number, lines in readme_lines().items():
            for line in lines:
                self.type_line(number, line, more)
        self.until(lambda: self.healthy(2), "both nodes are healthy")

    def type_line(self, number, line, more):
        copied = re.match(r"scp 10\.0\.0\.1:(\S+) (\S+)", line)
        if copied:  # one disk serves both machines here
            place = shutil.copy(self.path("machine1", copied.group(1)), os.path.join(self.machine(number)["cwd"], copied.group(2)))
            self.assertEqual(os.stat(place).st_mode & 0o77, 0)
        elif "frenzy-node" in line:
            self.serve_on(number, "node%d" % number, line + " " + more)
        else:
            self.serve_on(number, "coordinator", line)
            address = self.path("machine1/.local/state/frenzy/coordinator/address")
            self.until(lambda: os.path.exists(address), "the coordinator has started")

    def submit_and_wait(self):
        shutil.copy(self.path("text.txt"), self.path("machine1/text.txt"))
        settings = ["name=two", "train.steps=30", "train.seq_len=32", "train.global_batch=8", "train.warmup=0"]
        new = self.run_on(1, "frenzy new --preset gpt2-tiny | sed s/data.txt/text.txt/ > job.toml")
        self.assertEqual(new.returncode, 0, new.stderr)
        return self.run_on(1, "frenzy submit job.toml --wait " + " ".join("-o " + s for s in settings), timeout=120)

    def train(self):
        before = self.received(2)
        done = self.submit_and_wait()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr + self.log("node1") + self.log("node2"))
        shown = self.run_on(1, "frenzy show two --json").stdout
        self.assertIn('"state":"finished"', shown)
        self.assertEqual(shown.count('"samples":'), 2, shown)
        self.assertGreater(self.received(2) - before, 1 << 20, "tensors crossed the cable")

    def links_of_runners(self):
        return re.findall(r"link.up role=runner .*?carrier=(\w+) why='([^']*)'", self.log("node1") + self.log("node2"))

    def test_with_tcp(self):
        self.type_it()
        self.train()
        self.assertEqual({carrier for carrier, _ in self.links_of_runners()}, {"tcp"})
        self.assertNotIn("carrier=ucx", re.sub(r"(?m)^.*role=coordinator.*$", "", self.log("node2")))

    def test_carrier_tcp_opens_the_gates_and_no_port_of_ucx(self):
        lines = readme_lines()
        for number, typed in lines.items():
            for line in typed:
                self.type_line(number, line, "--carrier tcp" if "frenzy-node" in line else "")
        self.until(lambda: self.healthy(2), "both nodes are healthy")
        listening = {number: sorted(re.findall(r":(\d+)\s", self.run_on(number, "ss -Hltun | awk '{print $5, \"\"}'").stdout))
                     for number in lines}
        self.assertEqual(listening, {1: ["4700", "4701"], 2: ["4701"]})
        self.train()

    def test_with_ucx(self):
        self.type_it(flag("--trusted-networks"))
        self.train()
        self.assertEqual(set(self.links_of_runners()), {("ucx", "both sides trust the network")})

    def test_one_side_that_trusts_is_not_enough(self):
        lines = readme_lines()
        self.type_line(1, lines[1][0], "")
        self.type_line(1, lines[1][1], flag("--trusted-networks"))
        for line in lines[2]:
            self.type_line(2, line, "")
        self.until(lambda: self.healthy(2), "both nodes are healthy")
        self.train()
        self.assertEqual({carrier for carrier, _ in self.links_of_runners()}, {"tcp"})

    def test_the_coordinator_prints_lines_that_work(self):
        self.type_line(1, readme_lines()[1][0], "")
        self.until(lambda: "frenzy --coordinator" in self.log("coordinator"), "the lines are printed")
        keys = self.path("machine1/.local/state/frenzy/coordinator")
        for secret in (os.path.join(keys, "cluster.key"), os.path.join(keys, "users/admin.key")):
            with open(secret) as text:
                for word in re.findall(r"[0-9a-f]{64}", text.read()):
                    self.assertNotIn(word, self.log("coordinator"))
        printed = [line.strip() for line in self.log("coordinator").split("\n") if line.startswith("  ")]
        self.assertEqual(len(printed), 4, printed)
        for line in printed:
            copied = re.match(r"scp 10\.0\.0\.1:(\S+) \.", line)
            if copied:
                shutil.copy(copied.group(1), self.machine(2)["cwd"])
            elif "frenzy-node" in line:
                self.serve_on(2, "node2", line + " --device 64MiB:1")
                self.until(lambda: self.healthy(1), "the node has joined")
            else:
                self.assertIn(" healthy ", self.run_on(2, line).stdout)


if __name__ == "__main__":
    unittest.main()
