"""What estimators show in a notebook: the map, then scikit-learn's box of their parameters."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from unimds._runtime.shown import Shown, ShownMap


class ShownEstimator(Shown):
    """Base of estimators that find a map; it stands before scikit-learn's `BaseEstimator`.

    scikit-learn decides whether there is any HTML: ``sklearn.set_config(display="text")`` switches
    it off.
    """

    def _repr_html_inner(self) -> str:
        box: str = super()._repr_html_inner()  # type: ignore[misc]
        return self._card() + box

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        shown: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in shown:
            shown["text/html"] = self._card() + shown["text/html"]
        return shown


class MapEstimator(ShownEstimator, ShownMap):
    """Base of estimators that are a map once they are fitted."""

    def _check_found(self) -> None:
        check_is_fitted(self)
