/** `Upstream` over the network, for one run of one plugin. */
import { createHash } from "node:crypto"
import { Clock, Duration, Effect, Exit, Option, Random, Result, Schema } from "effect"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import {
  type Exchange,
  nameOf,
  type Request,
  storedHeaders,
  type Target,
  Upstream,
  UpstreamUnreachable
} from "../../core/plugin/Upstream.ts"
import type { Carrier } from "./Carrier.ts"
import { Egress } from "./Egress.ts"
import { type Keys, type KeyValues, keysOf } from "./keys.ts"
import { locationOf, methodAfter, permit } from "./redirect.ts"
import { conditions } from "./responseCache.ts"
import { responsiveTimeout } from "./responsiveTimeout.ts"
import { waitBefore } from "./retry.ts"
import { TransportError } from "./TransportError.ts"
import { send, type TransportResponse } from "./transport.ts"
import { listen } from "./websocket.ts"

/** One run: what its plugin may know, and the keys, which it may not. */
export interface Run {
  readonly manifest: Manifest
  /** Epoch milliseconds. */
  readonly now: number
  readonly targets: ReadonlyArray<Target>
  readonly settings: Readonly<Record<string, string>>
  readonly keys: KeyValues
  /** Absent where the run uses the sockets that all runs share. */
  readonly carrier?: Carrier
}

/** Hosts that a run may reach: those of the manifest, and those of addresses that the operator set. */
const hostsOf = ({ manifest, settings }: Run): ReadonlySet<string> =>
  new Set([
    ...manifest.hosts,
    ...Object.values(settings).flatMap((value) => {
      const url = URL.parse(value)
      return url !== null && /^(https|wss):$/.test(url.protocol) ? [url.host] : []
    })
  ])

/** What was answered, before it becomes an exchange. */
interface Answer extends TransportResponse {
  readonly confirmed?: boolean
}

export const make = Effect.fnUntraced(function* (run: Run) {
  const outside = yield* Egress
  const { limits } = outside
  const keys = keysOf(run.manifest, run.keys)
  const hosts = hostsOf(run)

  /** Gets the access token of a host that needs one. This exchange is never recorded. */
  const signIn = Effect.fnUntraced(function* (host: string) {
    const client = keys.client(host)
    if (client === undefined) return
    const headers = {
      "user-agent": outside.userAgent,
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded"
    }
    const { body, status } = yield* hop(
      { method: "POST", url: client.token, headers, body: client.form.toString() },
      keys,
      outside,
      run.manifest
    )
    const { access_token } = Option.getOrElse(readToken(body), () => ({ access_token: undefined }))
    if (status !== 200 || access_token === undefined) {
      const detail = `${client.token.host} gave no access token (status ${status})`
      return yield* new TransportError({ kind: "limit", detail })
    }
    keys.hold(host, access_token)
  })

  const http = Effect.fnUntraced(function* (request: Request, method: "GET" | "POST") {
    const first = yield* permit(request.url, { hosts, scheme: "https:", longest: limits.urlLength })
    const earlierKey = JSON.stringify([run.manifest.id, request.url, request.headers ?? {}])
    const earlier = method === "GET" ? outside.earlier.get(earlierKey) : undefined
    const requestHeaders = headersOf(request, outside.userAgent)

    yield* signIn(first.host)
    const follow = Effect.fnUntraced(function* () {
      let next: Hop = {
        method,
        url: first,
        headers: { ...requestHeaders, ...conditions(earlier) },
        body: request.body
      }
      for (let redirects = 0; ; redirects++) {
        const answer: TransportResponse = yield* hop(next, keys, outside, run.manifest, run.carrier)
        const location = locationOf(answer)
        if (location === undefined) return { answer, redirects }
        if (redirects === limits.redirects) {
          return yield* new TransportError({
            kind: "limit",
            detail: `more than ${limits.redirects} redirects`
          })
        }
        const url: URL = yield* permit(location, {
          hosts,
          scheme: "https:",
          longest: limits.urlLength,
          base: next.url
        }).pipe(
          Effect.mapError(
            ({ detail, kind }) => new TransportError({ kind, detail: `after a redirect: ${detail}` })
          )
        )
        const now = methodAfter(next.method, answer.status)
        next = { method: now, url, headers: next.headers, body: now === "GET" ? undefined : next.body }
      }
    })

    const tries = Effect.gen(function* () {
      for (let tried = 1; ; tried++) {
        const outcome = yield* Effect.result(follow())
        const wait = waitBefore(
          Result.isSuccess(outcome) ? outcome.success.answer : { trouble: outcome.failure },
          tried,
          yield* Clock.currentTimeMillis,
          limits,
          yield* Random.next
        )
        if (wait === undefined) return yield* Effect.fromResult(outcome)
        yield* Effect.sleep(wait)
      }
    })

    const { answer, redirects } = yield* outside.guarded(
      first.host,
      Effect.map(tries, (done) => ({ ...done, status: done.answer.status }))
    )
    if (answer.status === 304) {
      if (earlier === undefined) {
        return yield* new TransportError({
          kind: "limit",
          detail: "status 304, not modified, for a request without a condition"
        })
      }
      // The earlier answer is confirmed now, however old it was when it came.
      const { age: _, ...headersBefore } = earlier.headers
      const headers = { ...headersBefore, ...retainedHeaders(answer.headers, keys) }
      return { status: 200, headers, body: earlier.body, confirmed: true } satisfies Answer
    }
    const headers = retainedHeaders(answer.headers, keys)
    const body = keys.strikeBody(answer.body)
    // Validators belong to the URL that gave them, so an answer after a redirect is not revalidated.
    if (
      answer.status === 200 &&
      method === "GET" &&
      redirects === 0 &&
      (headers["etag"] ?? headers["last-modified"])
    ) {
      outside.earlier.put(earlierKey, { headers, body })
    }
    return { status: answer.status, headers, body } satisfies Answer
  })

  const window = Effect.fnUntraced(function* (request: Request) {
    const url = yield* permit(request.url, { hosts, scheme: "wss:", longest: limits.urlLength })
    const {
      body: text,
      headers,
      url: keyed
    } = keys.add({
      url,
      headers: { "user-agent": outside.userAgent, ...request.headers },
      body: request.body
    })
    const { route, target } = routeOf(keyed, outside)
    const body = yield* outside.guarded(
      url.host,
      outside
        .paced(
          url.host,
          listen(
            { url: target, headers, send: text, window: request.window ?? { seconds: 10, messages: 1000 } },
            (onSocket) => outside.webSocketAgent(route, onSocket),
            limits
          )
        )
        .pipe(Effect.map((bytes) => ({ status: 101, body: keys.strikeBody(bytes) })))
    )
    return { ...body, headers: {} } satisfies Answer
  })

  return Upstream.of({
    now: run.now,
    targets: run.targets,
    settings: run.settings,
    exchange: (request) =>
      (request.method === "LISTEN" ? window(request) : http(request, request.method)).pipe(
        Effect.mapError(
          ({ detail }) => new UpstreamUnreachable({ request: nameOf(request), detail: keys.strike(detail) })
        ),
        Effect.flatMap((answer: Answer) => toExchange(request, answer))
      )
  })
})

const Token = Schema.fromJsonString(Schema.Struct({ access_token: Schema.NonEmptyString }))
const readToken = (body: Buffer) => Schema.decodeUnknownOption(Token)(body.toString("utf8"))

interface Hop {
  readonly method: "GET" | "POST"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** One request to one host, with that host's key, at that host's pace. A token endpoint has no carrier: its answer is the secret. */
const hop = (
  next: Hop,
  keys: Keys,
  outside: Egress["Service"],
  { endsByClose = {} }: Manifest,
  anyCarrier?: Carrier
): Effect.Effect<TransportResponse, TransportError> => {
  const { limits } = outside
  const { host } = next.url
  const { body, headers, url } = keys.add(next)
  const { route, target } = routeOf(url, outside)
  const carrier = route === "guarded" ? anyCarrier : undefined
  return outside.paced(
    host,
    send(
      {
        method: next.method,
        url: target,
        headers: { ...headers, host },
        body,
        mayEndByClose: Object.hasOwn(endsByClose, host)
      },
      carrier?.agent(keys.isKeyed(host)) ?? outside.agent(route),
      limits.bytes
    )
      .pipe(
        responsiveTimeout(
          limits.timeout,
          () =>
            new TransportError({
              kind: "slow",
              detail: `no answer within ${Duration.format(Duration.fromInputUnsafe(limits.timeout))}`
            })
        )
      )
      .pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            // What came before a failure was not looked at.
            const mayRepeat = Exit.isSuccess(exit) ? keys.isIn(exit.value) : keys.isKeyed(host)
            if (mayRepeat) carrier?.withhold(host)
          })
        )
      ),
    carrier?.via(host)
  )
}

/** Where a request really goes: its own host, or the stand-in that `UPSTREAM_MAP` names for it. */
const routeOf = (
  url: URL,
  outside: Egress["Service"]
): { readonly route: "guarded" | "mapped"; readonly target: URL } => {
  const standIn = outside.map.get(url.host)
  if (standIn === undefined) return { route: "guarded", target: url }
  const target = new URL(url)
  target.protocol = url.protocol === "wss:" ? standIn.protocol.replace("http", "ws") : standIn.protocol
  target.hostname = standIn.hostname
  target.port = standIn.port
  return { route: "mapped", target }
}

/** Headers that only the live form may set: what is sent is what `Request` says, and how it travels is ours. */
const reservedHeaders = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "accept-encoding",
  "upgrade",
  "expect"
])

const headersOf = (request: Request, userAgent: string): Record<string, string> => ({
  "user-agent": userAgent,
  accept: "application/json, */*;q=0.5",
  ...Object.fromEntries(
    Object.entries(request.headers ?? {})
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !reservedHeaders.has(name))
  ),
  "accept-encoding": "gzip"
})

const retainedHeaders = (headers: Readonly<Record<string, string>>, keys: Keys): Record<string, string> =>
  Object.fromEntries(
    storedHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, keys.strike(headers[name])]]))
  )

const toExchange = Effect.fnUntraced(function* (request: Request, answer: Answer) {
  const exchange: Exchange = {
    request,
    at: yield* Clock.currentTimeMillis,
    status: answer.status,
    headers: answer.headers,
    sha256: createHash("sha256").update(answer.body).digest("hex"),
    body: answer.body,
    ...(answer.confirmed === undefined ? {} : { confirmed: answer.confirmed })
  }
  return exchange
})
