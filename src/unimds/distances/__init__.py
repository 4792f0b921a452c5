"""What the user gave, checked: inputs, the metric between features, tables, their description.

Data know nothing of computing: what is computed on the rows of a table is handed to it.
May import: `_runtime`, `compiled` and `files`.
"""
