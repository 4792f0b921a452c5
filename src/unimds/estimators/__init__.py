"""What users call: the function `place_center`, the estimator `MDS`, and their parameters.

May import: `cluster`, `starts`, `quality` and what is below them.
"""
