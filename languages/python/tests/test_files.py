"""What becomes of whatever stands at the path that a container is written to."""

from __future__ import annotations

import contextlib
import errno
import os
import pathlib
import socket
import stat
import tempfile
import unittest
import unittest.mock
from collections.abc import Callable

import tern
from tern import ContainerError, container
from tern.container import appending, writing

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

    def test_a_second_writer_is_refused(self) -> None:
        with writing(self.path, SCHEMA) as out:
            out.put(1)
            with self.assertRaisesRegex(ContainerError, "being written by another one"):
                self.write()
            out.put_all([2, 3])
        self.written(self.path)
        with appending(self.path, SCHEMA) as out:
            with self.assertRaisesRegex(ContainerError, "being written by another one"):
                with appending(self.path, SCHEMA):
                    pass
            # Nor does a new file take the place of one that is appended to.
            with self.assertRaisesRegex(ContainerError, "being written by another one"):
                self.write()
            out.put(4)
        self.assertEqual(list(tern.read(self.path)), [1, 2, 3, 4])

    def forked(self, then: Callable[[], object]) -> Callable[[], None]:
        """A process that has open what is open now, does something, and ends when it is told to."""
        (told, tell), (heard, say) = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            try:
                then()
                os.write(say, b"x")
                os.read(told, 1)
            finally:
                os._exit(0)
        self.assertEqual(os.read(heard, 1), b"x")

        def end() -> None:
            os.write(tell, b"x")
            os.waitpid(child, 0)
            for one in (told, tell, heard, say):
                os.close(one)

        return end

    def test_a_program_that_was_started_keeps_nothing_locked(self) -> None:
        with writing(self.path, SCHEMA) as out:
            end = self.forked(lambda: None)
            out.put_all([1, 2])
        self.addCleanup(end)
        with appending(self.path, SCHEMA) as out:
            out.put(3)
        self.written(self.path)

    def test_a_program_that_was_started_lets_no_lock_go(self) -> None:
        self.write()
        with open(self.path, "rb") as file, contextlib.ExitStack() as stack:
            stack.enter_context(container._locked(file, os.fspath(self.path)))
            self.addCleanup(self.forked(stack.close))
            with self.assertRaisesRegex(ContainerError, "being written by another one"):
                with appending(self.path, SCHEMA):
                    pass

    def test_where_no_locks_are_known_one_writes_without(self) -> None:
        for error in (errno.ENOTSUP, errno.ENOSYS):
            with unittest.mock.patch.object(container.fcntl, "flock", side_effect=OSError(error, "no locks")):
                self.write()
        with unittest.mock.patch.object(container.fcntl, "flock", side_effect=OSError(errno.EIO, "broken")):
            with self.assertRaisesRegex(OSError, "broken"):
                self.write()
        self.written(self.path)

    def test_what_was_finished_meanwhile_is_not_cut(self) -> None:
        """Between opening the file of another writer and locking it, that one gave it its name."""
        locked = container._lock

        def late(file: object, path: str) -> None:
            if os.path.exists(path) and not self.path.exists():
                os.replace(path, self.path)
            locked(file, path)

        with writing(self.path, SCHEMA) as out:
            out.put_all([7, 8])
        os.replace(self.path, f"{self.path}.part")
        with unittest.mock.patch.object(container, "_lock", late):
            with self.assertRaises(ZeroDivisionError):
                with writing(self.path, SCHEMA):
                    self.assertEqual(list(tern.read(self.path)), [7, 8])
                    raise ZeroDivisionError
        self.assertEqual(list(tern.read(self.path)), [7, 8])

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
