"""What becomes of whatever stands at the path that a container is written to."""

from __future__ import annotations

import os
import pathlib
import socket
import stat
import tempfile
import unittest

import tern
from tern.container import writing

SCHEMA = tern.parse("integer 0..255")


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "a"

    def write(self) -> None:
        with writing(self.path, SCHEMA) as out:
            out.put_all([1, 2, 3])

    def refused(self) -> None:
        before = sorted(os.listdir(self.folder))
        with self.assertRaises(OSError):
            self.write()
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def written(self, path: pathlib.Path) -> None:
        self.assertEqual(list(tern.read(path)), [1, 2, 3])

    def test_permissions_stay(self) -> None:
        self.path.write_bytes(b"before")
        self.path.chmod(0o640)
        self.write()
        self.written(self.path)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o640)
        self.assertEqual(os.listdir(self.folder), ["a"])

    def test_a_link_stays(self) -> None:
        (self.folder / "b").write_bytes(b"before")
        self.path.symlink_to("b")
        self.write()
        self.assertTrue(self.path.is_symlink())
        self.written(self.folder / "b")

    def test_a_link_to_nothing_yet(self) -> None:
        self.path.symlink_to("b")
        self.write()
        self.assertTrue(self.path.is_symlink())
        self.written(self.folder / "b")

    def test_links_in_a_circle(self) -> None:
        self.path.symlink_to("b")
        (self.folder / "b").symlink_to("a")
        self.refused()

    def test_a_device(self) -> None:
        # One of its own: a writer that is wrong would take the system's away.
        try:
            os.mknod(self.path, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        except PermissionError:
            self.skipTest("making a device needs root")
        self.refused()
        self.assertTrue(stat.S_ISCHR(os.stat(self.path).st_mode))

    def test_a_pipe(self) -> None:
        os.mkfifo(self.path)
        self.refused()
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path).st_mode))

    def test_a_socket(self) -> None:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(self.path))
            self.refused()
        self.assertTrue(stat.S_ISSOCK(os.stat(self.path).st_mode))

    def test_a_folder(self) -> None:
        self.path.mkdir()
        self.refused()

    def test_the_standard_output(self) -> None:
        self.path.symlink_to("/proc/self/fd/1")
        self.refused()
        self.assertTrue(self.path.is_symlink())

    def test_a_link_in_the_place_of_the_part(self) -> None:
        (self.folder / "other").write_bytes(b"before")
        (self.folder / "a.part").symlink_to("other")
        self.refused()
        self.assertEqual((self.folder / "other").read_bytes(), b"before")

    @unittest.skipUnless(os.geteuid() == 0, "owners are changed by root")
    def test_the_owner_stays(self) -> None:
        self.path.write_bytes(b"before")
        os.chown(self.path, 1234, 4321)
        self.write()
        found = self.path.stat()
        self.assertEqual((found.st_uid, found.st_gid), (1234, 4321))
