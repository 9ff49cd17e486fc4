"""U-53: whole lines with a time in files, one line that fits on a terminal."""

import fcntl
import os
import pty
import re
import struct
import termios
import unittest

from cluster import ClusterTest, binary

STAMP = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ "


class CleanOutput(ClusterTest):
    def test_a_file_has_whole_stamped_lines_and_a_narrow_terminal_one_line_that_fits(self):
        self.start_coordinator()
        self.start_node("n1", "64MiB:8")
        self.assertEqual(self.submit("tale", 300).returncode, 0)
        for verb in ("watch", "logs"):
            text = self.ok(verb, "tale")
            self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\x7f]")
            self.assertTrue(text.endswith("\n"))
            for line in text.splitlines():
                self.assertRegex(line, STAMP)
        self.assertEqual(self.submit("second", 300).returncode, 0)
        drawn = self.on_terminal(40, "watch", "second").decode()
        self.assertIn("\r", drawn)
        for part in re.split(r"[\r\n]+", drawn):
            visible = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", part)
            if "/300" in visible:
                self.assertLess(len(visible), 40)

    def on_terminal(self, columns, *arguments):
        """What the command writes to a terminal of that width."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = dict(self.environment, TERM="xterm", LC_ALL="C.UTF-8")
        pid = os.fork()
        if pid == 0:
            os.dup2(follower, 1)
            os.execve(binary("frenzy"), ["frenzy", *arguments], environment)
        os.close(follower)
        out = b""
        try:
            while part := os.read(leader, 65536):
                out += part
        except OSError:
            pass  # the other end is closed
        os.close(leader)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        return out


if __name__ == "__main__":
    unittest.main()
