"""The studio: a local page that shows maps as they converge, with all settings at hand.

`unimds studio` serves it on this machine; nothing else imports this room. It may import all rooms
below; starlette and uvicorn are an extra, ``pip install 'unimds[studio]'``.
"""
