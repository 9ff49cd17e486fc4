import os
import stat
import time
import unittest

from cluster import ClusterTest


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

    def test_the_clusters_key_admits_no_client(self):
        self.start_coordinator()
        self.environment["FRENZY_KEY_FILE"] = self.path("state/coordinator/cluster.key")
        result = self.frenzy("ls")
        self.assertEqual(result.returncode, 3, result.stderr)


if __name__ == "__main__":
    unittest.main()
