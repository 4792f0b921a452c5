"""A session: what the user has done, kept in the process of the server.

The worker may end at any time. The table, the settings, every finished map with the steps that led
to it, and the last frame of a running fit are here, so nothing is lost with it.

`tasks` hands one task at a time to the worker; `work` is what there is of a file, and knows nothing
of tasks; `fitting` and `questions` make tasks of what the user wants; `whole` puts them together.
"""

from unimds.studio.session.tasks import Refused
from unimds.studio.session.whole import Session

__all__ = ["Refused", "Session"]
