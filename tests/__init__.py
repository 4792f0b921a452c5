"""The tests, in which linear algebra has one thread, in every process that they start.

Where several processes test at a time, its threads wait for each other, and burn the time of the
cores as they do. This is said here because NumPy reads it once, when it is first imported. Tests
of threads ask for `threads_of_blas`.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
