"""Where to go: for options and commands that do not exist, or exist under another name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import typer
from typer.core import TyperGroup

from unimds.cli.messages import end_with, say

USAGE: type[Exception] = typer.BadParameter.__bases__[0]  # typer has it by several names
NONMETRIC = "for nonmetric scaling, use unimds embed FILE --level ordinal"
UNFOLDING = "use unimds unfold FILE"
SEVERAL = "use unimds individual FILE FILE …, a file for each subject"
OBEY = "use unimds embed FILE --linear-in VARIABLES.csv, --on line or circle, or --regions COLUMN"
SIMILARITIES = (
    "unimds embeds distances: make them first, with unimds dissimilarity FILE --from similarities, "
    "or correlations, confusions, cooccurrences, flows or counts"
)
TRANSFORM = (
    "use --standardise wisconsin, sqrt or sqrt,wisconsin; make any other transformation before you "
    "embed the table. --metric hellinger takes the square roots of proportions by itself"
)
HULLS = "unimds draws no hulls; --color COLUMN shows the groups"
ENVFIT = "use unimds fit-properties MAP --metadata FILE"
ADONIS = "unimds tests no groups; give the distances to vegan in R, or to scikit-bio in Python"
PROCRUSTES = "use unimds procrustes MAP OTHER"
TWO_MAPS = f"To compare two maps, {PROCRUSTES}"
OPTIONS = {
    **dict.fromkeys(
        ("nonmetric", "non-metric", "ordinal", "nmds", "isotonic", "monotone"), NONMETRIC
    ),
    "interval": "use --level interval",
    **dict.fromkeys(("mspline", "spline"), "use --level spline"),
    "power": "use --level power, or --loss power for the loss of that name",
    "conditionality": "use --conditional",
    "weakties": "use --ties",
    **dict.fromkeys(("unfold", "unfolding", "prefscal"), UNFOLDING),
    **dict.fromkeys(("n-components", "components", "dimensions", "dims", "ndim"), "use --dim"),
    **dict.fromkeys(("distance", "distance-metric", "dist", "vegdist"), "use --metric"),
    **dict.fromkeys(("iterations", "n-iter", "maxit", "itmax"), "use --max-iter"),
    **dict.fromkeys(("trymax", "try", "n-starts", "starts", "restarts"), "use --n-init"),
    **dict.fromkeys(
        ("autotransform", "transform", "wisconsin", "sqrt", "log", "decostand", "scale"),
        TRANSFORM,
    ),
    **dict.fromkeys(
        ("sep", "delimiter", "delim"),
        "the delimiter is detected: tab, semicolon, comma or blanks. A first line such as sep=| in "
        "the file names another",
    ),
    **dict.fromkeys(
        ("dec", "decimal"), "decimal commas are detected, unless commas separate the cells"
    ),
    "k": "use --dim or -k",
    **dict.fromkeys(("env", "environment", "groups", "about"), "use --metadata"),
    "stressplot": "use --shepard S.png",
    **dict.fromkeys(("hull", "hulls", "ordihull", "ellipse", "spider"), HULLS),
    **dict.fromkeys(("label", "labels", "row-names", "index", "index-col"), "use --names COLUMN"),
    **dict.fromkeys(
        ("binary", "presence", "presence-absence"),
        "--metric jaccard or --metric dice compare presence and absence",
    ),
    "type": "use --level: ratio, interval, ordinal, spline (smacof's mspline) or power",
    **dict.fromkeys(("tol", "tolerance"), "use --eps"),
    **dict.fromkeys(("threads", "n-jobs", "cores", "workers"), "use --jobs"),
    **dict.fromkeys(("random-state", "random-seed"), "use --seed"),
    **dict.fromkeys(("overwrite", "replace"), "use --force"),
    **dict.fromkeys(("precomputed", "dissimilarity"), "use --kind distances"),
    **dict.fromkeys(("similarity", "similarities", "sim", "proximities"), SIMILARITIES),
    **dict.fromkeys(
        ("plot-starts", "show-starts"),
        "--report R.html tells how many starts led to the map, and in Python "
        "unimds.plots.plot_starts(mds) draws them all",
    ),
    **dict.fromkeys(
        ("transpose", "transposed"),
        "unimds reads one point per row; transpose the table first, such as with pandas: "
        "pandas.read_csv('in.csv', index_col=0).T.to_csv('out.csv')",
    ),
    **dict.fromkeys(("colour", "color-by", "colour-by", "group", "hue"), "use --color"),
    **dict.fromkeys(("resume", "restart"), "use --checkpoint"),
    **dict.fromkeys(("html", "save-report"), "use --report"),
    **dict.fromkeys(("figure", "picture", "png"), "use --plot"),
    **dict.fromkeys(
        ("layout", "engine"),
        "the map is the layout: --loss and --space say what it matches and where it lies, and "
        "--init where it starts",
    ),
    "verbose": "messages and progress are shown unless you give --quiet",
}
"""What to write instead of an option, by its name without dashes."""

COMMANDS = {
    **dict.fromkeys(("unfolding", "prefscal", "smacofrect", "preferences"), UNFOLDING),
    **dict.fromkeys(
        ("indscal", "idioscal", "inddiff", "smacofinddiff", "consensus", "subjects"), SEVERAL
    ),
    **dict.fromkeys(("constraint", "constrain", "smacofconstraint", "confirmatory"), OBEY),
    **dict.fromkeys(("nonmetric", "nmds", "ordinal", "monomds", "isomds"), NONMETRIC),
    "metamds": "use unimds embed FILE --level ordinal, with --metric braycurtis for a table of "
    "counts",
    "vegdist": "unimds embed --metric braycurtis measures the distances between rows by itself",
    **dict.fromkeys(
        ("stressplot", "shepard"), "unimds embed --shepard S.png draws the Shepard diagram"
    ),
    **dict.fromkeys(("fit", "map", "mds", "run", "scale"), "use unimds embed"),
    **dict.fromkeys(("transform", "predict", "add"), "use unimds place"),
    **dict.fromkeys(
        ("select", "search", "scree", "crossvalidate", "cross-validate", "dimension", "dimensions"),
        "use unimds choose",
    ),
    **dict.fromkeys(("permtest", "permute", "permutation", "randomstress"), "use unimds test"),
    **dict.fromkeys(("jackknife", "jackmds"), "use unimds stability --method jackknife"),
    **dict.fromkeys(("bootstrap", "bootmds", "confellipse"), "use unimds stability"),
    **dict.fromkeys(("plot", "draw"), "unimds embed --plot P.png draws a map"),
    "report": "unimds embed --report R.html writes a report",
    **dict.fromkeys(
        ("pcoa", "cmds", "classical", "cmdscale"),
        "unimds compare runs classical scaling beside other methods, and unimds embed "
        "--init classical starts from its map",
    ),
    **dict.fromkeys(("align", "protest", "compare-maps"), PROCRUSTES),
    **dict.fromkeys(("envfit", "properties", "property", "biplot", "ordisurf", "bioenv"), ENVFIT),
    **dict.fromkeys(("driftvectors", "asymmetry"), "use unimds drift TABLE MAP"),
    **dict.fromkeys(("wascores", "species", "scores"), "use unimds weighted-scores COUNTS MAP"),
    **dict.fromkeys(("sim2diss", "similarities", "similarity"), SIMILARITIES),
    **dict.fromkeys(("adonis", "adonis2", "permanova", "anosim", "mrpp", "betadisper"), ADONIS),
    **dict.fromkeys(("ordihull", "ordiellipse", "ordispider"), HULLS),
    **dict.fromkeys(("decostand", "wisconsin"), TRANSFORM),
}
"""What to write instead of a command."""


def near(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that a name may mean, the nearest first.

    Examples
    --------
    >>> near("Bray-Curtis", ["euclidean", "braycurtis"]), near("sphere2", ["sphere", "simplex"])
    (['braycurtis'], ['sphere'])
    """
    plain = {_plain(one): one for one in known}
    asked = _plain(name)
    begin = [one for text, one in plain.items() if text.startswith(asked) or asked == text]
    close = [plain[text] for text in get_close_matches(asked, plain, n=3, cutoff=0.6)]
    return list(dict.fromkeys(begin + close))[:3] if asked else []


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")


def suggestion(names: list[str]) -> str:
    """Return a question for the names that may be meant."""
    return f"; did you mean {' or '.join(names)}?" if names else ""


def check_level(name: str, option: str = "--level") -> None:
    """Raise if there is no level of measurement of this name, and say which may be meant."""
    from unimds.levels import LEVELS

    if name not in LEVELS:
        meant = ["ordinal"] if OPTIONS.get(name.lower()) == NONMETRIC else near(name, LEVELS)
        told = suggestion(meant) or f"; use one of {', '.join(LEVELS)}"
        raise typer.BadParameter(f"there is no level {name!r}{told}", param_hint=option)


def check_metric(name: str) -> None:
    """Raise if there is no metric of this name, and say which may be meant."""
    from unimds.distances.metric import METRICS, unknown_metric

    if name in METRICS:
        return
    nonmetric = OPTIONS.get(name.lower()) == NONMETRIC
    told = NONMETRIC if nonmetric else unknown_metric(name)
    raise typer.BadParameter(told, param_hint="--metric")


class Guide(TyperGroup):
    """The command ``unimds``: it says where to find what it does not have.

    With --json, wrong usage is printed as a JSON object too.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Remember the arguments as they were given."""
        ctx.meta["unimds.json"] = "--json" in args
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command, or say what to use instead."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            advice = COMMANDS.get(name.lower())
            found = f": {advice}" if advice else suggestion(near(name, self.list_commands(ctx)))
            ctx.fail(f"There is no command {name!r}{found}{'' if found.endswith('?') else '.'}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; explain wrong usage."""
        try:
            return super().invoke(ctx)
        except USAGE as error:
            told: Any = error
            if type(error).__name__ == "NoSuchOption":
                told.message, told.possibilities = self._advice(ctx, told), None
            elif _gives_two_maps(told):
                told.message = f"unimds compare runs several methods on one table. {TWO_MAPS}."
            if ctx.meta["unimds.json"]:
                problem = told.format_message()
                say(f"error: {problem}")
                end_with(problem, told.exit_code, True)
            raise

    def _advice(self, ctx: Any, error: Any) -> str:
        """Return what to use instead of an option that a command does not have."""
        option = str(error.option_name)
        name = option.lstrip("-").lower().replace("_", "-")
        own = error.ctx.command.params if error.ctx else []
        known = [opt for param in own for opt in param.opts if opt.startswith("--")]
        begin = f"There is no option {option}"
        if name in OPTIONS and _suits(OPTIONS[name], known):
            return f"{begin}: {OPTIONS[name]}."
        others = [
            command
            for command in self.list_commands(ctx)
            for param in getattr(self.get_command(ctx, command), "params", [])
            if option in param.opts
        ]
        if others:
            *most, last = [f"unimds {command}" for command in others]
            return f"{begin} here; {_and(most)}{last} {'have' if most else 'has'} it."
        found = near(option, known)
        return f"{begin}{suggestion(found)}" if found else f"{begin}; --help lists the options."


def _and(names: list[str]) -> str:
    return f"{', '.join(names)} and " if names else ""


def _gives_two_maps(error: Any) -> bool:
    """Whether ``unimds compare`` was given several files."""
    command = error.ctx.command.name if error.ctx else None
    return command == "compare" and "unexpected extra argument" in str(error.message)


def _suits(advice: str, known: list[str]) -> bool:
    """Whether a command has the option that an advice names."""
    return not advice.startswith("use --") or advice.split()[1].rstrip(",:") in known
