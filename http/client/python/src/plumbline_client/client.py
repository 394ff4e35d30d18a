"""The client."""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from .errors import ForgedAnswer, ServiceError
from .payment import Pay, offer_in
from .rows import rows_of
from .sending import Retries, Send, over_http, retrying
from .verifying import KEYS_PATH, Answer, Key, Request, hash_in_etag, parse_keys, verify

_KID = re.compile(r';keyid="([^"]+)"')
_NEXT = re.compile(r'<([^>]+)>;\s*rel="next"')


class Plumbline:
    """Asks a service at `base_url`.

    `keys`: keys of the operator for answers, from elsewhere (kid or hex). Without them the keys are those that the service
    itself publishes, so that an answer is as good as the connection to it. `verify=False` takes answers as they come.
    `public_url`: the service's own address, where you reach it under another, because signatures cover the host.
    `pay`: pays for products per request (x402). `send`: sends a request, by urllib unless you give another.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        keys: Sequence[str] = (),
        public_url: str | None = None,
        verify: bool = True,
        retries: Retries = Retries(),
        pay: Pay | None = None,
        kept: int = 200,
        timeout: float = 30.0,
        send: Send | None = None,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._public = (public_url or base_url).rstrip("/")
        self._api_key = api_key
        self._pins = tuple(keys)
        self._verify = verify
        self._pay = pay
        self._most = kept
        self._kept: OrderedDict[str, Answer] = OrderedDict()
        self._published: tuple[Key, ...] = ()
        self._raw = send or over_http(timeout)
        self._send = retrying(retries, self._confirmed)

    def get(self, path: str, **query: Any) -> Any:
        """The JSON of a GET. Raises `ServiceError` for a refusal and `ForgedAnswer` for what does not verify."""
        return self.ask("GET", path, query=query).json()

    def text(self, path: str, **query: Any) -> str:
        """The same for text, such as `format="csv"`."""
        return self.ask("GET", path, query=query).body.decode()

    def post(self, path: str, body: Any = None, *, idempotency_key: str | None = None) -> Any:
        """The JSON of a POST. One with an idempotency key is retried, and takes effect once."""
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        return self.ask("POST", path, body=body, headers=headers).json()

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """Every page of a list, one after the other."""
        while True:
            answer = self.ask("GET", path, query=query)
            yield answer.json()
            link = _NEXT.search(answer.headers.get("link", ""))
            if link is None:
                return
            query = {**query, "cursor": parse_qs(urlsplit(link[1]).query)["cursor"][0]}

    def rows(self, path: str, **query: Any) -> list[dict[str, Any]]:
        """The rows of all pages as flat dictionaries, as `pandas.DataFrame` takes them."""
        return [row for page in self.pages(path, **query) for row in rows_of(page)]

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """The answer of a request, with its headers."""
        asked = urlencode({name: value for name, value in (query or {}).items() if value is not None})
        sent = {
            **({} if self._api_key is None else {"X-API-Key": self._api_key}),
            **({} if body is None else {"Content-Type": "application/json"}),
            **(headers or {}),
        }
        data = None if body is None else json.dumps(body).encode()
        url = f"{self._base}{path}{'?' if asked else ''}{asked}"
        answer = self._paid(Request(method, url, sent, data))
        if answer.status >= 400:
            is_json = "json" in answer.headers.get("content-type", "")
            raise ServiceError(answer.status, answer.json() if is_json and answer.body else None)
        return answer

    def _paid(self, request: Request) -> Answer:
        answer = self._send(request)
        header = answer.headers.get("payment-required")
        if answer.status != 402 or self._pay is None or header is None:
            return answer
        payment = self._pay(offer_in(header))
        if payment is None:
            return answer
        return self._send(replace(request, headers={**request.headers, "PAYMENT-SIGNATURE": payment}))

    def _confirmed(self, request: Request) -> Answer:
        """Sends a GET with the ETag of its last answer, and gives that answer again on a 304."""
        if request.method != "GET":
            return self._verified(request)
        name = f"{request.url} {request.headers.get('X-API-Key', '')}"
        before = self._kept.get(name)
        if before is None:
            return self._keep(name, self._verified(request))
        asking = replace(request, headers={**request.headers, "If-None-Match": before.headers["etag"]})
        answer = self._verified(asking)
        if answer.status != 304:
            return self._keep(name, answer)
        if hash_in_etag(answer.headers.get("etag", "")) != hashlib.sha256(before.body).hexdigest():
            raise ForgedAnswer(f"{request.url}: a 304 confirms another body than the one that is kept")
        return self._keep(name, before)

    def _keep(self, name: str, answer: Answer) -> Answer:
        if answer.status == 200 and hash_in_etag(answer.headers.get("etag", "")) is not None:
            self._kept[name] = answer
            self._kept.move_to_end(name)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return answer

    def _verified(self, request: Request) -> Answer:
        answer = self._raw(request)
        if self._verify:
            verify(request, answer, self._keys_for(answer), self._pins, self._public)
        return answer

    def _keys_for(self, answer: Answer) -> tuple[Key, ...]:
        """The published keys, read again when a new key signs."""
        kid = _KID.search(answer.headers.get("signature-input", ""))
        known = {key.kid for key in self._published}
        if not self._published or (kid is not None and kid[1] not in known):
            found = self._raw(Request("GET", f"{self._base}{KEYS_PATH}", {}))
            if found.status != 200:
                raise ServiceError(found.status, None)
            self._published = parse_keys(found.body)
        return self._published
