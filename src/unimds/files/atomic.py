"""The atomic writer: files are written completely or not at all, and never over another file."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unimds.files.errors import FileError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a full or broken disk."""


@contextmanager
def atomic(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """Write a file completely or not at all.

    The ``with`` block gets a temporary file in the same folder, with the same ending, to write. At
    the end of the block this file takes the place of the target in one step; after an exception it
    is removed, and the target stays as it was.

    Parameters
    ----------
    path : str or PathLike
        The file to write.
    force : bool, default=False
        Whether to replace a file that exists. Without it, no other program can ever lose a file to
        this one.

    Yields
    ------
    Path
        The temporary file, empty.

    Raises
    ------
    FileError
        If the file exists and `force` is not given, or if it cannot be written.

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
    target, partial = _begun(name, force)
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


def write_atomic(
    path: str | os.PathLike[str], content: str | bytes | memoryview, *, force: bool = False
) -> None:
    """Write a text or bytes as `atomic` does."""
    with atomic(path, force=force) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)


def check_writable(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Raise the errors of `atomic` now: before long work, not after it.

    Parameters
    ----------
    path : str or PathLike
        The file to be written.
    force : bool, default=False
        Whether a file that exists may be replaced.

    Raises
    ------
    FileError
        If the file exists and `force` is not given, or if it cannot be written.
    """
    _begun(os.fspath(path), force)[1].unlink()


def _begun(name: str, force: bool) -> tuple[Path, Path]:
    """Return the file to write, links followed, and a new temporary file beside it."""
    try:
        target = Path(os.path.realpath(name))  # a link stays a link
        _check_target(name, target, force)
        return target, _new_file(target)
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(name, f"cannot be written: {_reason(error)}") from None


@contextmanager
def _told(name: str, partial: Path) -> Iterator[None]:
    """Name the file in errors of the code that writes it; a full disk names no file."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL or error.filename == str(partial):
            raise FileError(name, f"cannot be written: {_reason(error)}") from error
        raise


def _check_target(name: str, target: Path, force: bool) -> None:
    if target.is_dir():
        raise FileError(name, "this is a folder; name a file in it")
    if target.exists() and not target.is_file():  # a device must not become a file
        raise FileError(name, "this is not an ordinary file; use '-' for standard output")
    if target.exists() and not force:
        raise _exists(name)
    if not target.parent.is_dir():
        raise FileError(name, f"there is no folder {str(target.parent)!r}; create it first")


def _exists(name: str) -> FileError:
    problem = "the file already exists; choose another name or, to replace it"
    return FileError(name, problem, advice=("force", True))


def _new_file(target: Path) -> Path:
    # not tempfile, which would restrict the permissions
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
        except OSError:  # a file system without links: take the name first, then fill it
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
