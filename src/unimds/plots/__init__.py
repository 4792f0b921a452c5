"""Pictures of maps: one function draws one picture on one pair of axes, and returns the axes.

matplotlib is an extra, ``pip install 'unimds[plot]'``, and is imported only when something is
drawn. Colours are told apart by people who are colour-blind, and shapes differ too, so that a
picture can be read in grey.
"""

from unimds.plots.globe import plot_globe

__all__ = ["plot_globe"]
