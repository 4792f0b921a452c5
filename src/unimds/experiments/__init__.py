"""The paper's experiments: its data, methods and figures, and whether its claims hold.

``unimds reproduce`` runs all of them; `reproduce` does the same from Python. The room may import
every room below it: `rivals`, `distributions`, `plots` and what they import.

>>> from unimds.experiments import FIGURES
>>> list(FIGURES)[:3]
['rmds-convergence', 'rmds-k', 'rmds-noise']
"""

from unimds.experiments.figures import FIGURES, Figure
from unimds.experiments.reproduce import NAMES, Scale, reproduce
from unimds.experiments.runs import Run, Store

__all__ = ["FIGURES", "NAMES", "Figure", "Run", "Scale", "Store", "reproduce"]
