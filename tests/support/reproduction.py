"""What `unimds reproduce` has to make, and the files of a folder before and after."""

KAPPAS = [f"SMACOF-Q, κ={kappa}" for kappa in (1, 10, 100, 1000, 10000)]
ROUND = ["PC, unimds", "PC, paper", *KAPPAS, "SGD", "Pless & Simon"]
FLAT_FIGURES = ("rmds-convergence", "rmds-k", "rmds-noise", "fmds-k", "fmds-noise", "r2mds-k")
NAMES = [*FLAT_FIGURES, "g1smds", "c2smds", "spherical-jl"]


def files(folder, pattern="**/*"):
    """Time of change and content of the files of a folder."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.glob(pattern)
        if path.is_file()
    }


def changed(before, after):
    return {name for name in before | after if before.get(name) != after.get(name)}


def contents(files):
    return {name: content for name, (_, content) in files.items()}
