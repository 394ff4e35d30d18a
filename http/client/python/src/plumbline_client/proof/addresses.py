"""Web addresses as programs of the web read them (WHATWG URL), as far as signed documents need it: http and https alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urljoin

_FORM = re.compile(r"(https?)://(?:[^/?#@]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?", re.IGNORECASE | re.DOTALL)
_HOST = re.compile(r"([a-z0-9._~-]+|\[[0-9a-f:.]+\])(?::([0-9]*))?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True)
class Address:
    """`host` has the port unless that is the scheme's default; `path` begins with a slash; `query` with a question mark, or is empty."""

    scheme: str
    host: str
    path: str
    query: str

    @property
    def target(self) -> str:
        return self.path + self.query


def parse_address(text: str, base: str | None = None) -> Address | None:
    """The address, relative to `base` if that is given; None for what is no address of the web."""
    trimmed = re.sub(r"[\t\n\r]", "", text.strip("".join(map(chr, range(33)))))
    found = _FORM.fullmatch(trimmed if base is None else urljoin(base, trimmed))
    if found is None:
        return None
    scheme = found[1].lower()
    named = _HOST.fullmatch(found[2].lower())
    if named is None or int(named[2] or 0) > 65_535:
        return None
    port = str(int(named[2])) if named[2] else ""
    host = named[1] if port in ("", _DEFAULT_PORTS[scheme]) else f"{named[1]}:{port}"
    path = _without_dots(_encoded(found[3].replace("\\", "/"), ' "<>`{}^') or "/")
    query = _encoded(found[4] or "", " \"<>'")
    return Address(scheme, host, path, "" if query == "?" else query)


def _encoded(text: str, reserved: str) -> str:
    return "".join(
        "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "replace"))
        if character in reserved or not " " <= character <= "~"
        else character
        for character in text
    )


def _without_dots(path: str) -> str:
    found: list[str] = []
    parts = path.split("/")[1:]
    for place, part in enumerate(parts):
        plain = part.lower().replace("%2e", ".")
        is_last = place == len(parts) - 1
        if plain == "..":
            found = found[:-1]
        elif plain != ".":
            found.append(part)
        if is_last and plain in (".", ".."):
            found.append("")
    return "/" + "/".join(found)
