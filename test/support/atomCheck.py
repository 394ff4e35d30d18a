"""Prints what is wrong with an Atom feed (RFC 4287) that comes by standard input: one fault on a line. Python's own library alone."""

import re
import sys
import urllib.parse
import xml.etree.ElementTree as tree

ATOM = "{http://www.w3.org/2005/Atom}"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


def is_absolute(text):
    return text is not None and text == text.strip() and urllib.parse.urlsplit(text).scheme != ""


def check(of, name, faults):
    def all_of(tag):
        return of.findall(ATOM + tag)

    # 4.1.1 and 4.1.2: exactly one of each.
    for tag in ("id", "title", "updated"):
        if len(all_of(tag)) != 1:
            faults.append(f"{name}: {len(all_of(tag))} of {tag}")
    for tag in ("subtitle", "summary", "content"):
        if len(all_of(tag)) > 1:
            faults.append(f"{name}: {len(all_of(tag))} of {tag}")
    for one in all_of("id"):
        if not is_absolute(one.text):
            faults.append(f"{name}: id {one.text} is no IRI")
    for one in all_of("updated"):
        if TIME.fullmatch(one.text or "") is None:
            faults.append(f"{name}: updated {one.text} is no date")
    for one in all_of("title"):
        if not (one.text or "").strip():
            faults.append(f"{name}: the title is empty")
    # 4.2.7: an address that is whole, and one alternate of a type.
    alternates = []
    for one in all_of("link"):
        if not is_absolute(one.get("href")):
            faults.append(f"{name}: link to {one.get('href')}")
        if one.get("rel", "alternate") == "alternate":
            alternates.append((one.get("type"), one.get("hreflang")))
    if len(alternates) != len(set(alternates)):
        faults.append(f"{name}: two alternates of one type")
    return alternates


faults = []
root = tree.fromstring(sys.stdin.buffer.read())
if root.tag != ATOM + "feed":
    faults.append(f"the root is {root.tag}")
check(root, "feed", faults)
if not any(one.get("rel") == "self" for one in root.findall(ATOM + "link")):
    faults.append("feed: no link to itself")
entries = root.findall(ATOM + "entry")
ids = [entry.findtext(ATOM + "id") for entry in entries]
if len(ids) != len(set(ids)):
    faults.append("two entries have one id")
for n, entry in enumerate(entries):
    # 4.1.2: without content, an entry has an alternate.
    if not check(entry, f"entry {n}", faults) and not entry.findall(ATOM + "content"):
        faults.append(f"entry {n}: neither content nor alternate")
    if not root.findall(ATOM + "author") and not entry.findall(ATOM + "author"):
        faults.append(f"entry {n}: no author")
times = [entry.findtext(ATOM + "updated") for entry in entries]
if times and root.findtext(ATOM + "updated") != max(times):
    faults.append("feed: updated is not that of its newest entry")
print("\n".join(faults))
