"""Where the bytes of a new file go: a regular file, or one that is not there yet, and nothing else.

A link stays, and what it leads to is replaced. A folder, a device or a pipe is refused: a rename
would put a file in its place. Owner and permissions stay, as far as the process may keep them.
"""

from __future__ import annotations

import errno
import os
import stat


def target(path: str | os.PathLike[str]) -> str:
    """The path, without links, of what may be replaced; an ``OSError`` where nothing may."""
    given = here = os.fspath(path)
    if not _regular(os.stat, given):
        raise _refused(given)
    if os.path.exists(given) and not os.access(given, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), given)
    while os.path.islink(here):
        folder = os.path.dirname(here)
        # The links in there are names of what is open, which may have none or another.
        if os.path.realpath(folder or ".").startswith(("/proc/", "/dev/fd")):
            raise _refused(given)
        here = os.path.join(folder, os.readlink(here))
    if not _regular(os.lstat, here + ".part"):
        raise _refused(here + ".part")
    return here


def like(descriptor: int, path: str) -> None:
    """Give what is open the owner and the permissions of the file at a path, if there is one."""
    try:
        old = os.stat(path)
    except FileNotFoundError:
        return
    for user, group in ((old.st_uid, old.st_gid), (-1, old.st_gid)):
        try:
            os.fchown(descriptor, user, group)
            break
        except OSError:
            pass
    new = os.fstat(descriptor)
    mode = stat.S_IMODE(old.st_mode)
    if new.st_uid != old.st_uid:
        mode &= ~0o6000
    if new.st_gid != old.st_gid:
        mode = mode & ~0o2070 | (mode & 0o007) << 3
    os.fchmod(descriptor, mode)


def _regular(look, path: str) -> bool:  # type: ignore[no-untyped-def]
    try:
        return stat.S_ISREG(look(path).st_mode)
    except FileNotFoundError:
        return True


def _refused(path: str) -> OSError:
    return OSError(errno.EINVAL, "it is no regular file, and is not replaced; a stream can be written to", path)
