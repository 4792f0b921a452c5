"""Files that are written whole or not at all, and never over another one by accident."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unimds.files.errors import FileError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a disk that takes no more."""


@contextmanager
def atomic(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """Write a file whole or not at all.

    Inside the ``with`` block a temporary file in the same folder, with the same ending, is there
    to be written. At the end of the block it takes the place of the file in one step; after an
    exception it is removed, and what was there before stays.

    Parameters
    ----------
    path : str or PathLike
        The file to write.
    force : bool, default=False
        Whether a file that is there already is replaced. Without it there is no moment at which
        another program could lose a file to this one.

    Yields
    ------
    Path
        The temporary file, empty.

    Raises
    ------
    FileError
        Where the file is there and `force` is not given, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder, "notes.txt")
    ...     with atomic(target) as partial:
    ...         _ = partial.write_text("all of it")
    ...     target.read_text(), len(list(Path(folder).iterdir()))
    ('all of it', 1)
    """
    name = os.fspath(path)
    try:
        target = Path(os.path.realpath(name))  # a link stays a link
        _check_target(name, target, force)
        partial = _new_file(target)
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(name, f"cannot be written: {_reason(error)}") from None
    try:
        with _told(name, partial):
            yield partial
        try:
            _flush(partial)
            _publish(name, partial, target, force)
        except OSError as error:
            raise FileError(name, f"cannot be written: {_reason(error)}") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


@contextmanager
def _told(name: str, partial: Path) -> Iterator[None]:
    """Name the file in errors of whatever writes it; a full disk knows no names."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL or error.filename == str(partial):
            raise FileError(name, f"cannot be written: {_reason(error)}") from error
        raise


def check_writable(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Raise now what `atomic` would raise later: before long work, not after it.

    Parameters
    ----------
    path : str or PathLike
        The file to be written.
    force : bool, default=False
        Whether a file that is there already may be replaced.

    Raises
    ------
    FileError
        Where the file is there and `force` is not given, or cannot be written.
    """
    name = os.fspath(path)
    try:
        target = Path(os.path.realpath(name))
        _check_target(name, target, force)
        _new_file(target).unlink()
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(name, f"cannot be written: {_reason(error)}") from None


def _check_target(name: str, target: Path, force: bool) -> None:
    if target.is_dir():
        raise FileError(name, "this is a folder; name a file in it")
    if target.exists() and not target.is_file():  # a device must not become a file
        raise FileError(name, "this is no ordinary file; use '-' for standard output")
    if target.exists() and not force:
        raise _exists(name)
    if not target.parent.is_dir():
        raise FileError(name, f"there is no folder {str(target.parent)!r}; make it first")


def _exists(name: str) -> FileError:
    return FileError(name, "the file is there already; choose another name, or give force=True")


def _new_file(target: Path) -> Path:
    # not tempfile: the permissions must be those of any new file
    partial = target.with_name(f".{secrets.token_hex(8)}.partial{target.suffix}")
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    return partial


def _publish(name: str, partial: Path, target: Path, force: bool) -> None:
    """Give the file its name, in one step."""
    if force:
        with suppress(OSError):
            partial.chmod(target.stat().st_mode & 0o7777)
        partial.replace(target)
    else:
        try:
            os.link(partial, target)
        except FileExistsError:
            raise _exists(name) from None
        except OSError:  # a file system without links: take the name first, and fill it then
            _reserve(name, target)
            try:
                partial.replace(target)
            except OSError:
                target.unlink()
                raise
    _flush_folder(target.parent)


def _reserve(name: str, target: Path) -> None:
    try:
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except FileExistsError:
        raise _exists(name) from None


def _flush(path: Path) -> None:
    with open(path, "r+b") as file:
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    with suppress(OSError, AttributeError):  # not on Windows, nor on every file system
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _reason(error: Exception) -> str:
    if isinstance(error, PermissionError):
        return "no permission"
    return getattr(error, "strerror", None) or str(error)
