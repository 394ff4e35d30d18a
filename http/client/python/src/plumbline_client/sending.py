"""Sends requests with the standard library, and again where that may work the next time."""

from __future__ import annotations

import gzip
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .verifying import Answer, Request

#: Sends a request and gives the answer, whatever its status. Raises OSError if there is none.
Send = Callable[[Request], Answer]

_FIRST_WAIT = 0.5


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The service has no redirects, and a key must not follow one to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def over_http(timeout: float) -> Send:
    def send(request: Request) -> Answer:
        headers = {"Accept-Encoding": "gzip", **request.headers}
        asked = urllib.request.Request(request.url, request.body, headers, method=request.method)
        try:
            with _opener.open(asked, timeout=timeout) as response:
                return _read(response)
        except urllib.error.HTTPError as error:
            with error:
                return _read(error)

    return send


def _read(response: Any) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    body: bytes = response.read()
    if headers.get("content-encoding") == "gzip" and body:
        body = gzip.decompress(body)
    return Answer(response.status, headers, body)


@dataclass(frozen=True)
class Retries:
    retries: int = 3
    longest_wait: float = 30.0
    sleep: Callable[[float], None] = time.sleep


def _may_repeat(request: Request) -> bool:
    """True if sending it twice does what sending it once does."""
    names = {name.lower() for name in request.headers}
    return request.method in ("GET", "HEAD") or bool({"idempotency-key", "payment-signature"} & names)


def _retry_after(answer: Answer) -> float | None:
    try:
        return max(0.0, float(answer.headers["retry-after"]))
    except (KeyError, ValueError):
        return None


def _worth_another(request: Request, answer: Answer) -> bool:
    # A rejected call did nothing, whatever its method.
    if answer.status == 429:
        return True
    # A 503 says when waiting helps; those of proxies say nothing.
    if answer.status == 503:
        return _may_repeat(request) and _retry_after(answer) is not None
    return answer.status in (502, 504) and _may_repeat(request)


def retrying(options: Retries, send: Send) -> Send:
    def again(request: Request) -> Answer:
        tried = 0
        while True:
            grown = random.random() * min(options.longest_wait, _FIRST_WAIT * 2**tried)
            try:
                answer = send(request)
            except OSError:
                if tried >= options.retries or not _may_repeat(request):
                    raise
                options.sleep(grown)
            else:
                asked = _retry_after(answer)
                if tried >= options.retries or not _worth_another(request, answer):
                    return answer
                if asked is not None and asked > options.longest_wait:
                    return answer
                options.sleep(grown if asked is None else asked)
            tried += 1

    return again
