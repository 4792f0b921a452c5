"""The options of commands.

`single` has options one by one, `sets` has those that go together, and `meaning` says what they
name.
"""
