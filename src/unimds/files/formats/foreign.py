"""Binary files of other programs: named, with what to save instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from unimds.files.formats.content import Content


@final
@dataclass(frozen=True)
class Foreign:
    """A binary format that is not read.

    Attributes
    ----------
    starts : tuple of bytes
        How such files start.
    endings : tuple of str
        How their names end, where the first bytes say nothing.
    what, remedy : str
        What to call the file, and what to save instead.
    """

    starts: tuple[bytes, ...]
    endings: tuple[str, ...]
    what: str
    remedy: str

    def matches(self, content: Content) -> bool:
        """Return whether a file is of this format."""
        named = content.ending in self.endings and b"\0" in content.data[:4096]
        return named or content.data.startswith(self.starts)


FOREIGN = (
    Foreign(
        (b"MATLAB 5.0 MAT-file", b"MATLAB 7.3 MAT-file"),
        (".mat",),
        "a MATLAB file, which may hold many variables",
        "save one table as text in MATLAB, writematrix(D, 'D.csv'), or in Python, "
        "numpy.save('D.npy', scipy.io.loadmat('D.mat')['D'])",
    ),
    Foreign(
        (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"),
        (".pkl", ".pickle"),
        "a Python pickle, which can execute any code when read",
        "save the table itself: numpy.save('D.npy', D), or D.to_csv('D.csv') for a data frame",
    ),
    Foreign(
        (b"\x89HDF\r\n\x1a\n",),
        (),
        "an HDF5 file, which may hold many tables",
        "save one table in Python: numpy.save('D.npy', h5py.File('D.h5')['D'][:])",
    ),
    Foreign(
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",),
        (),
        "an old office document, such as .xls",
        "save the sheet as CSV",
    ),
)


def check_not_foreign(content: Content) -> None:
    """Raise if a file is of another program's binary format, and say what to save instead."""
    for kind in FOREIGN:
        if kind.matches(content):
            raise content.error(f"this is {kind.what}; {kind.remedy}, and read that file")
