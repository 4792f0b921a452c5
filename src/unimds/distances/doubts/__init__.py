"""Tables that are not what they seem: what looks wrong, and what to do about it.

A doubt is a `FileWarning`: whoever shows it, a command or a page, says in its own words how the
choices are made.
"""
