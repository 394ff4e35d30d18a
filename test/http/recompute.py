"""Works out again what networks earned and paid out, from their pages of method and the answers that these name, with nothing else."""

import json
import re
import sys
from fractions import Fraction
from html.parser import HTMLParser


class Page(HTMLParser):
    """The formulas of a page, each with what was asked."""

    def __init__(self):
        super().__init__()
        self.figures = []
        self.inside = None

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if tag == "code" and named.get("class") == "formula":
            self.figures.append({"metric": named["data-metric"], "source": named["data-source"], "formula": "", "asked": ""})
            self.inside = "formula"
        elif tag == "code":
            self.inside = "posted" if named.get("class") == "posted" else "code"

    def handle_endtag(self, tag):
        if tag == "code":
            self.inside = None

    def handle_data(self, data):
        if not self.figures:
            return
        figure = self.figures[-1]
        if self.inside == "formula":
            figure["formula"] += data
        elif self.inside == "posted":
            figure["posted"] = json.loads(data)
        elif self.inside == "code" and re.match(r"(GET|POST) https://", data):
            figure["asked"] = data.split(" ", 1)[1]


def member(answer, path):
    for name in path.split("."):
        answer = answer[name]
    return number(answer)


def number(value):
    """A number of an answer; hexadecimal digits after 0x are one as well."""
    text = str(value)
    return Fraction(int(text, 16) if text.startswith("0x") else text)


def entries(answer, path):
    """The entries of a list, through the lists on the way to it."""
    reached = [answer]
    for name in path.split("."):
        values = [one[name] for one in reached]
        reached = [entry for value in values for entry in (value if isinstance(value, list) else [value])]
    return reached


def worked_out(formula, answer):
    """
    A formula of members of the answer, numbers, + - × / ^ and brackets. result(2) is the result of the second call of several,
    little(x) the number that is stored as x, little endian, and sum(list, member = word, amount) of the entries that say so.
    """
    tokens = re.findall(r"[A-Za-z_][\w.]*|\d+|[-+×/^(),=]", formula)
    if re.sub(r"\s", "", formula) != "".join(tokens):
        raise ValueError(f"no formula: {formula}")

    def take(expected):
        token = tokens.pop(0)
        assert token == expected, f"{token} for {expected} in {formula}"

    def function(name):
        take("(")
        if name == "result":
            value = number(answer[int(tokens.pop(0)) - 1]["result"])
        elif name == "little":
            path = tokens.pop(0)
            value = Fraction(int.from_bytes(bytes.fromhex(answer[path][2:]), "little"))
        elif name == "sum":
            path = tokens.pop(0)
            take(",")
            by = tokens.pop(0)
            take("=")
            word = tokens.pop(0)
            take(",")
            amount = tokens.pop(0)
            value = sum((member(one, amount) for one in entries(answer, path) if text_at(one, by) == word), Fraction(0))
        else:
            raise ValueError(f"no function: {name}")
        take(")")
        return value

    def atom():
        token = tokens.pop(0)
        if token == "(":
            inner = total()
            take(")")
            return inner
        if token.isdigit():
            return Fraction(token)
        return function(token) if tokens and tokens[0] == "(" else member(answer, token)

    def power():
        base = atom()
        while tokens and tokens[0] == "^":
            tokens.pop(0)
            base = base ** int(atom())
        return base

    def product():
        value = power()
        while tokens and tokens[0] in "×/":
            value = value * power() if tokens.pop(0) == "×" else value / power()
        return value

    def total():
        value = product()
        while tokens and tokens[0] in "+-":
            sign = tokens.pop(0)
            value = value + product() if sign == "+" else value - product()
        return value

    value = total()
    assert not tokens, f"{tokens} is left of {formula}"
    return value


def text_at(entry, path):
    for name in path.split("."):
        entry = entry[name]
    return entry


def main():
    given = json.load(sys.stdin)
    found = {}
    for symbol, html in given["pages"].items():
        page = Page()
        page.feed(html)
        for figure in page.figures:
            for answer in given["answers"]:
                same = answer["url"] == figure["asked"] and answer.get("posted") == figure.get("posted")
                if same:
                    value = worked_out(figure["formula"], answer["body"])
                    found[f"{symbol} {figure['metric']}"] = [str(value.numerator), str(value.denominator)]
    print(json.dumps(found))


main()
