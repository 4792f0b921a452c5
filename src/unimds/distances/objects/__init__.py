"""Objects of other packages: graphs, frames, labelled arrays, sparse matrices, cells.

Each kind is recognised by its class's package and its attributes, never by an import, and becomes
an array or a frame. What holds distances and nothing else needs no metric; whatever could mean
several things is an error that says what to write instead.
"""
