import json
import os
import stat
import subprocess
import time
import unittest

from cluster import ClusterTest, binary


class KeysAndRoles(ClusterTest):
    def test_keys_are_secret_files_and_revoking_one_takes_effect(self):
        self.start_coordinator()
        for name in ("coordinator.key", "cluster.key", "users/admin.key"):
            mode = os.stat(self.path("state/coordinator", name)).st_mode
            self.assertEqual(stat.S_IMODE(mode), 0o600)
        key = self.ok("keys", "add", "ada").strip()
        copy = self.path("ada.key")
        with open(key) as source, open(copy, "w") as out:
            out.write(source.read())
        self.environment["FRENZY_KEY_FILE"] = copy
        time.sleep(1.2)
        self.ok("ls")
        self.ok("keys", "revoke", "ada")
        time.sleep(1.2)
        self.assertEqual(self.frenzy("ls").returncode, 3)

    def start_watch(self, job, **environment):
        """One that has begun."""
        watch = subprocess.Popen([binary("frenzy"), "watch", job], env=dict(self.environment, **environment), text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn("submitted", watch.stdout.readline())
        return watch

    def test_a_watch_ends_with_the_key_it_began_with(self):
        self.start_coordinator()
        key = self.as_user("ada", "user")
        self.assertEqual(self.run_as(key, "submit", self.job_file(), *self.overrides("hers", 100)).returncode, 0)
        watch = self.start_watch("hers", FRENZY_KEY_FILE=key)
        self.ok("keys", "revoke", "ada")
        _, complaint = watch.communicate(timeout=5)
        self.assertEqual(watch.returncode, 3)
        self.assertIn("revoked", complaint)

    def test_a_watch_that_loses_its_coordinator_says_so(self):
        self.start_coordinator()
        self.assertEqual(self.submit("mine", 100).returncode, 0)
        watch = self.start_watch("mine")
        self.end("coordinator")
        _, complaint = watch.communicate(timeout=5)
        self.assertEqual(watch.returncode, 3, complaint)
        self.assertIn("127.0.0.1", complaint)

    def test_the_clusters_key_admits_no_client(self):
        self.start_coordinator()
        self.environment["FRENZY_KEY_FILE"] = self.path("state/coordinator/cluster.key")
        result = self.frenzy("ls")
        self.assertEqual(result.returncode, 3, result.stderr)

    def as_user(self, name, role):
        key = self.ok("keys", "add", name, "--role", role).strip()
        time.sleep(1.2)
        return key

    def run_as(self, key, *arguments):
        before = self.environment.get("FRENZY_KEY_FILE")
        self.environment["FRENZY_KEY_FILE"] = key
        try:
            return self.frenzy(*arguments)
        finally:
            if before is None:
                del self.environment["FRENZY_KEY_FILE"]
            else:
                self.environment["FRENZY_KEY_FILE"] = before

    def log(self, name):
        with open(self.path(name + ".log")) as text:
            return text.read()

    def start_unwelcome(self, name):
        self.start(name, [binary("frenzy-node"), "--name", name, "--state", self.path("state/nodes", name), "--device", "64MiB:1"])

    def test_a_job_is_its_owners_and_a_reader_only_looks_on(self):
        self.start_coordinator()
        ada, bob, eve = self.as_user("ada", "user"), self.as_user("bob", "user"), self.as_user("eve", "read")
        submit = ("submit", self.job_file(), *self.overrides("hers", 100))
        submitted = self.run_as(ada, *submit)
        self.assertEqual(submitted.returncode, 0, submitted.stderr)
        self.assertEqual(json.loads(self.run_as(eve, "ls", "--json").stdout)[0]["owner"], "ada")
        refused = self.run_as(eve, *submit)
        self.assertEqual(refused.returncode, 3)
        self.assertIn("user eve has role read", refused.stderr)
        for key in (bob, eve):
            for verb in (("cancel", "hers"), ("checkpoint", "export", "hers", self.path("out"))):
                result = self.run_as(key, *verb)
                self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
            self.assertIn("takes role admin", self.run_as(key, "nodes", "remove", "alpha").stderr)
        self.assertEqual(self.run_as(ada, "cancel", "hers").returncode, 0)

    def test_a_removed_node_stays_out_until_it_registers_anew(self):
        self.start_coordinator()
        self.start_node("alpha", "64MiB:1")
        self.ok("nodes", "remove", "alpha")
        self.assertEqual(self.json("nodes"), [])
        self.until(lambda: "its identity is not taken any more" in self.log("alpha"), "the node is told")
        self.end("alpha")
        os.remove(self.path("state/nodes/alpha/node.key"))
        self.start_node("alpha", "64MiB:1")

    def test_another_identity_under_a_registered_nodes_id_is_refused_also_after_a_restart(self):
        self.start_coordinator()
        self.start_node("alpha", "64MiB:1")
        self.end("alpha")
        self.end("coordinator")
        self.start_coordinator()
        os.remove(self.path("state/nodes/alpha/node.key"))
        self.start_unwelcome("alpha")
        self.until(lambda: "is registered with another identity" in self.log("alpha"), "the node is refused")

    def test_a_coordinator_with_another_identity_is_refused_by_nodes_and_clients(self):
        self.start_coordinator()
        self.end("coordinator")
        # It has got hold of the cluster's and the users' keys, but not of the coordinator's identity.
        path = self.path("state/coordinator/coordinator.key")
        with open(path) as text:
            lines = text.read().split("\n")
        with open(path, "w") as out:
            out.write("\n".join("identity " + "5" * 64 if line.startswith("identity") else line for line in lines))
        self.start_coordinator()
        result = self.frenzy("ls")
        self.assertEqual(result.returncode, 3)
        self.assertIn("another identity", result.stderr)
        self.start_unwelcome("alpha")
        self.until(lambda: "another identity" in self.log("alpha"), "the node refuses the coordinator")


if __name__ == "__main__":
    unittest.main()
