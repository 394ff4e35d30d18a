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
    return Fraction(str(answer))


def worked_out(formula, answer):
    """A formula of members of the answer, numbers, + - / ^ and brackets."""
    tokens = re.findall(r"[A-Za-z_][\w.]*|\d+|[-+/^()]", formula)
    if re.sub(r"\s", "", formula) != "".join(tokens):
        raise ValueError(f"no formula: {formula}")

    def atom():
        token = tokens.pop(0)
        if token == "(":
            inner = total()
            assert tokens.pop(0) == ")"
            return inner
        return Fraction(token) if token.isdigit() else member(answer, token)

    def power():
        base = atom()
        while tokens and tokens[0] == "^":
            tokens.pop(0)
            base = base ** int(atom())
        return base

    def share():
        value = power()
        while tokens and tokens[0] == "/":
            tokens.pop(0)
            value /= power()
        return value

    def total():
        value = share()
        while tokens and tokens[0] in "+-":
            sign = tokens.pop(0)
            value = value + share() if sign == "+" else value - share()
        return value

    return total()


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
