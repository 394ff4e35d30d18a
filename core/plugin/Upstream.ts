/**
 * `Upstream` is the only way from a collector to the outside. The port itself is one function, `exchange`, and
 * three facts of the run; everything a plugin calls (`json`, `text`, `bytes`, `rpc`, `pages`, `listen`) is built on it
 * here, so that live, recording and replay cannot differ in how an answer is read.
 */
import { Context, Effect, Function, Result, Schema } from "effect"
import { namesTwice } from "./names.ts"
import { parseExactly } from "./numbers.ts"
import { bareErrorIn, errorIn, isRateLimit, type StatedError, statedInText } from "./statedErrors.ts"
import { day } from "./time.ts"
import { type Moment, type Numeric, Unreadable, unexpected } from "./Unreadable.ts"
import { isoTime, parseTime } from "./Value.ts"

/** What a collector asks for. `LISTEN` opens a WebSocket, sends `body` and keeps what arrives within `window`. */
export interface Request {
  readonly method: "GET" | "POST" | "LISTEN"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly window?: { readonly seconds: number; readonly messages: number }
}

/** One request and the answer it got; `body` is the answer after content decoding. */
export interface Exchange {
  readonly request: Request
  /** When the answer was complete, epoch milliseconds. */
  readonly at: number
  readonly status: number
  /** Only those of `storedHeaders`, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** SHA-256 of `body`, lower-case hex. */
  readonly sha256: string
  readonly body: Uint8Array
  /** True for a 304: `body` is the one that the upstream confirmed as still current. */
  readonly confirmed?: boolean
}

/** Answer headers that a collector may read, and that a recording therefore keeps. */
export const storedHeaders = [
  "age",
  "content-type",
  "date",
  "etag",
  "last-modified",
  "link",
  "retry-after"
] as const

/** A catalog row with the id that a manifest asked for. */
export const Target = Schema.Struct({
  symbol: Schema.String,
  name: Schema.String,
  id: Schema.String,
  chain: Schema.optionalKey(Schema.String)
})
export interface Target extends Schema.Schema.Type<typeof Target> {}

const about = { request: Schema.String, detail: Schema.String }

/** No answer: time-out, refused connection, DNS, a host that is not allowed, an open breaker. */
export class UpstreamUnreachable extends Schema.TaggedError<UpstreamUnreachable>()("UpstreamUnreachable", {
  ...about,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return `${this.request}: ${this.detail}`
  }
}

/** A refusal: an HTTP status of 400 or more, or an error object in the body. */
export class UpstreamRefused extends Schema.TaggedError<UpstreamRefused>()("UpstreamRefused", {
  ...about,
  status: Schema.Int,
  /** The code of a JSON-RPC error. */
  code: Schema.optionalKey(Schema.Finite),
  /** The first 300 characters of the answer, because some refusals carry information. */
  said: Schema.optionalKey(Schema.String)
}) {
  /** Whether the upstream limits how often it may be asked: by status, by a code, or in words. */
  get isLimit(): boolean {
    return isRateLimit(this)
  }
  override get message() {
    return `${this.request}: ${this.isLimit ? "rate limit: " : ""}${this.detail}`
  }
}

/** An answer in another form than the collector expects; `path` is the place in the payload. */
export class UpstreamChanged extends Schema.TaggedError<UpstreamChanged>()("UpstreamChanged", {
  ...about,
  path: Schema.String
}) {
  override get message() {
    return `${this.request}: ${this.path === "" ? "" : `at ${this.path}: `}${this.detail}`
  }
}

export type UpstreamError = UpstreamUnreachable | UpstreamRefused | UpstreamChanged

export class Upstream extends Context.Service<
  Upstream,
  {
    /** The run's one time, epoch milliseconds: the only clock a collector has. */
    readonly now: number
    /** Catalog rows that have the id which the manifest covers; empty for other plugins. */
    readonly targets: ReadonlyArray<Target>
    /** Values of the settings that the manifest declares. */
    readonly settings: Readonly<Record<string, string>>
    /** Returns the answer, whatever its status. Fails only if there is none. */
    readonly exchange: (request: Request) => Effect.Effect<Exchange, UpstreamUnreachable>
  }
>()("core/plugin/Upstream") {}

/** A decoded answer with the facts that a reading needs. */
export interface Answer<A> {
  readonly body: A
  readonly url: string
  /** `url`, and of a POST the body in its fragment: what a reader has to ask to see the same. */
  readonly read_url: string
  readonly at: number
  /**
   * When the answer was true, as far as its headers tell, in epoch milliseconds: its `Last-Modified` where that is before its
   * `Date`, else its `Date` less its `Age`, else `at` less its `Age`.
   */
  readonly date: number
  /** The `Last-Modified` header, epoch milliseconds. */
  readonly lastModified: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly sha256: string
}

/** A request, or the URL of a GET. */
export type RequestOrUrl = string | Request

const toRequest = (target: RequestOrUrl): Request =>
  typeof target === "string" ? { method: "GET", url: target } : target

/** How errors name a request: method and URL, which hold no secret because keys are added behind the port. */
export const nameOf = (target: RequestOrUrl): string => {
  const request = toRequest(target)
  return `${request.method} ${request.url}`
}

/** The longest body, in characters, that an address includes. */
const readable = 2000

/**
 * A request as one address. The fragment holds the body of a POST, percent-encoded: browsers do not send it, but a reader
 * sees what to post. Left out where it is longer than 2,000 characters.
 */
export const addressOf = ({ body, method, url }: Request): string =>
  method !== "POST" || body === undefined || body.length > readable
    ? url
    : `${url}#${encodeURI(body).replaceAll("#", "%23")}`

/** A GET as a browser sends it, for an upstream that turns other clients away. */
export const asBrowser = (url: string): Request => ({
  method: "GET",
  url,
  headers: { "user-agent": "Mozilla/5.0 (compatible; Plumbline)" }
})

/** A POST with a JSON body. */
export const post = (url: string, body: unknown): Request => ({
  method: "POST",
  url,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

/** A refusal in an answer with status 200: `status: "error"`, `errors: […]`. */
export const refused = (answer: Answer<unknown>, detail: string): UpstreamRefused =>
  new UpstreamRefused({ request: answer.url, detail: detail.slice(0, 300), status: 200 })

/** The refusal that an answer with status 200 states in its body. */
export const statedBy = (request: string, { code, detail }: StatedError): UpstreamRefused =>
  new UpstreamRefused({
    request,
    detail: detail.slice(0, 300),
    status: 200,
    ...(code === undefined ? {} : { code })
  })

/** A failure for an answer in the right form whose content is impossible, such as an empty list of nodes. */
export const implausible = (answer: Answer<unknown>, path: string, detail: string): UpstreamChanged =>
  new UpstreamChanged({ request: answer.url, path, detail })

/** A value that cannot be read: its row is refused, and the refusal says this reason. */
export const unreadable = (reason: string): Unreadable => new Unreadable(reason)

export { unexpected }

/** A figure that is 0 only where the upstream is broken: a 0 cannot be read, and the other fields of the answer can. */
export const zeroIsBroken = <T extends Numeric | bigint | string | null | undefined>(
  value: T
): T | Unreadable =>
  value !== null && value !== undefined && typeof value !== "object" && Number(value) === 0
    ? unreadable(`got ${value}, which the upstream says when it is broken`)
    : value

/** Statuses whose body is the whole answer; a `LISTEN` has 101. Some servers answer every POST with 201. */
const whole: ReadonlySet<number> = new Set([101, 200, 201, 203])

/** Statuses that say nothing by their number alone. */
const sayings: Readonly<Record<number, string>> = {
  202: "status 202: accepted, and not answered yet",
  204: "status 204: no content",
  206: "status 206: a part of the answer, for which nobody asked"
}

/** The time in a header, epoch milliseconds; undefined where there is none. */
const timeIn = (headers: Exchange["headers"], name: string): number | undefined => {
  const ms = Date.parse(headers[name] ?? "")
  return Number.isFinite(ms) ? ms : undefined
}

/** Milliseconds that the answer lay in caches. */
const ageIn = (headers: Exchange["headers"]): number => {
  const [seconds = ""] = /^\d+/.exec(headers["age"] ?? "") ?? []
  return Number(seconds) * 1000
}

/** See `Answer.date`. */
const dateOf = ({ at, headers }: Pick<Exchange, "at" | "headers">): number => {
  const age = ageIn(headers)
  const date = timeIn(headers, "date") ?? at
  // Some caches pass on the date of the answer that they stored, and its age is in that; others date it anew.
  const produced = at - date > age / 2 ? date : date - age
  const modified = timeIn(headers, "last-modified")
  // 1970 is what a clock or a build says that has no time.
  return modified !== undefined && modified > 0 && modified < produced ? modified : produced
}

/** The raw bytes of the answer. A status other than those of a whole answer is `UpstreamRefused`. */
export const bytes = Effect.fnUntraced(function* (target: RequestOrUrl) {
  const request = toRequest(target)
  const { exchange } = yield* Upstream
  const reply = yield* exchange(request)
  if (!whole.has(reply.status)) {
    return yield* new UpstreamRefused({
      request: nameOf(request),
      status: reply.status,
      detail: sayings[reply.status] ?? `status ${reply.status}`,
      said: new TextDecoder().decode(reply.body.subarray(0, 1200)).slice(0, 300)
    })
  }
  const answer: Answer<Uint8Array> = {
    body: reply.body,
    url: request.url,
    read_url: addressOf(request),
    at: reply.at,
    date: dateOf(reply),
    lastModified: timeIn(reply.headers, "last-modified"),
    headers: reply.headers,
    sha256: reply.sha256
  }
  return answer
})

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The answer as UTF-8 text. One that is an error and nothing else is `UpstreamRefused`. */
export const text = Effect.fnUntraced(function* (target: RequestOrUrl) {
  const answer = yield* anyText(target)
  const error = statedInText(answer.body)
  return error === undefined ? answer : yield* statedBy(answer.url, error)
})

/** The answer as UTF-8 text, whatever it states. */
const anyText = Effect.fnUntraced(function* (target: RequestOrUrl) {
  const answer = yield* bytes(target)
  const body = yield* Effect.try({
    try: () => utf8.decode(answer.body),
    catch: () =>
      new UpstreamChanged({ request: nameOf(target), path: "", detail: "the body is not UTF-8 text" })
  })
  return { ...answer, body } satisfies Answer<string>
})

/**
 * The answer parsed as JSON and decoded by `schema`. On a mismatch, one `UpstreamChanged` names the place; where the body is an
 * error and nothing else, it is `UpstreamRefused`, whatever the schema would have taken.
 */
export const json = Effect.fnUntraced(function* <S extends Schema.Constraint>(
  target: RequestOrUrl,
  schema: S
) {
  const answer = yield* parsedBody(target)
  const error = bareErrorIn(answer.body)
  if (error !== undefined) return yield* statedBy(answer.url, error)
  const body = yield* decode(target, schema, answer.body)
  return { ...answer, body } satisfies Answer<S["Type"]>
})

/** The answer parsed as JSON, whatever it states. */
const parsedBody = Effect.fnUntraced(function* (target: RequestOrUrl) {
  const answer = yield* anyText(target)
  const body = yield* parsed(target, answer.body)
  return { ...answer, body } satisfies Answer<unknown>
})

/** Bare words that Python servers write for values that are not numbers; strings match too, so that they are kept. */
const noNumber = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g

/** Parses a JSON text with exact numbers, reading NaN and Infinity as null; throws what `JSON.parse` throws. */
const valueOf = (source: string): unknown => {
  try {
    return parseExactly(source)
  } catch (error) {
    const valid = source.replace(noNumber, (token) => (token.startsWith(`"`) ? token : "null"))
    if (valid === source) throw error
    return parseExactly(valid)
  }
}

/** Parses and decodes a text that the plugin has inspected first, with the same errors as `json`. */
export const parseJson = <S extends Schema.Constraint>(target: RequestOrUrl, schema: S, source: string) =>
  Effect.flatMap(parsed(target, source), (value) => decode(target, schema, value))

const parsed = Effect.fnUntraced(function* (target: RequestOrUrl, source: string) {
  const changed = (detail: string) => new UpstreamChanged({ request: nameOf(target), path: "", detail })
  const value = yield* Effect.try({
    try: () => valueOf(source),
    catch: () => {
      if (source.trim() === "") return changed("the body is empty")
      const error = statedInText(source)
      return error === undefined
        ? changed(`the body is not JSON: ${JSON.stringify(source.slice(0, 60))}`)
        : statedBy(toRequest(target).url, error)
    }
  })
  if (namesTwice(source, value)) return yield* changed("an object has two members of one name")
  return value
})

/** Decodes a part of an answer that the plugin has taken apart itself, with the same error as `json`. */
export const decode = <S extends Schema.Constraint>(
  target: RequestOrUrl,
  schema: S,
  input: unknown
): Effect.Effect<S["Type"], UpstreamChanged, S["DecodingServices"]> =>
  Schema.decodeUnknownEffect(schema)(input).pipe(
    Effect.mapError((error) => {
      const [detail = "", place = ""] = error.message.split("\n  at ")
      return new UpstreamChanged({
        request: nameOf(target),
        path: place.split("\n")[0] ?? "",
        detail: detail.slice(0, 300)
      })
    })
  )

/** One JSON-RPC call; `result` decodes its result. */
export interface Call<S extends Schema.Constraint> {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly result: S
}

// A thousand plugins ask for the same few: made anew each time, they were a quarter of the collector's memory.
const maybeOf = Function.memoize((schema: Schema.Constraint) => Schema.optional(Schema.NullOr(schema)))

/** A field that the upstream may omit or set to null. Memoized, so that one schema has one parser. */
export const maybe = <S extends Schema.Constraint>(schema: S) =>
  maybeOf(schema) as Schema.optional<Schema.NullOr<S>>

/** The id is null if the server could not read the request and refused it as a whole. */
const RpcAnswer = Schema.Struct({
  id: maybe(Schema.Union([Schema.Int, Schema.String])),
  result: Schema.optionalKey(Schema.Unknown),
  error: maybe(Schema.Unknown)
})

/**
 * JSON-RPC 2.0: several calls travel as one batch, a single call as one object. Gives the results in the order of
 * the calls; an `error` member of any is `UpstreamRefused`.
 */
export const rpc = Effect.fnUntraced(function* <
  const Calls extends ReadonlyArray<Call<Schema.ConstraintDecoder<unknown>>>
>(url: string, calls: Calls) {
  const envelopes = calls.map(({ method, params }, index) => ({
    jsonrpc: "2.0",
    id: index + 1,
    method,
    params
  }))
  const request = post(url, envelopes.length === 1 ? envelopes[0] : envelopes)
  const answer = yield* parsedBody(request)
  const refusal = ({ code, detail }: StatedError, method = "") =>
    statedBy(`${nameOf(request)} ${method}`, {
      detail: `JSON-RPC error${code === undefined ? "" : ` ${code}`}: ${detail}`,
      ...(code === undefined ? {} : { code })
    })
  const whole = bareErrorIn(answer.body)
  if (whole !== undefined) return yield* refusal(whole, calls[0]?.method)
  const body = yield* decode(request, Schema.Union([Schema.Array(RpcAnswer), RpcAnswer]), answer.body)
  const replies = Array.isArray(body) ? body : [body as typeof RpcAnswer.Type]
  const results: Array<unknown> = []
  for (const [index, call] of calls.entries()) {
    const reply =
      // The one answer to the one call, whatever id a proxy gave it.
      (calls.length === 1 && replies.length === 1 ? replies[0] : undefined) ??
      replies.find(({ id }) => String(id) === String(index + 1)) ??
      replies.find(({ error, id }) => (id ?? undefined) === undefined && (error ?? undefined) !== undefined)
    const error = errorIn(reply)
    if (error !== undefined) return yield* refusal(error, call.method)
    if (reply === undefined || !("result" in reply)) {
      return yield* new UpstreamChanged({
        request: `${nameOf(request)} ${call.method}`,
        path: `[${index}]`,
        detail: "no result for this call"
      })
    }
    results.push(yield* decode({ ...request, url: `${url} ${call.method}` }, call.result, reply.result))
  }
  return { ...answer, body: results as { -readonly [K in keyof Calls]: Calls[K]["result"]["Type"] } }
})

/** One JSON-RPC call: its result as the answer's body. */
export const call = <S extends Schema.ConstraintDecoder<unknown>>(
  url: string,
  method: string,
  params: ReadonlyArray<unknown>,
  result: S
) =>
  Effect.map(
    rpc(url, [{ method, params, result }]),
    (answer): Answer<S["Type"]> => ({
      ...answer,
      body: answer.body[0]
    })
  )

/**
 * Reads a paged list: `next` returns the request after an answer, or undefined at the end. More than `limit` pages is
 * `UpstreamChanged`, so that cursors cannot loop forever and a part never passes for the whole.
 */
export const pages = Effect.fnUntraced(function* <S extends Schema.Constraint>(
  first: RequestOrUrl,
  schema: S,
  next: (answer: Answer<S["Type"]>, page: number) => RequestOrUrl | undefined,
  limit = 100
) {
  const answers: Array<Answer<S["Type"]>> = []
  let request: RequestOrUrl | undefined = first
  while (request !== undefined) {
    if (answers.length === limit) {
      return yield* new UpstreamChanged({
        request: nameOf(request),
        path: "",
        detail: `the list continues after ${limit} pages`
      })
    }
    const answer: Answer<S["Type"]> = yield* json(request, schema)
    answers.push(answer)
    request = next(answer, answers.length)
  }
  return answers
})

/**
 * Listens on a WebSocket for a bounded window and decodes each message as JSON. A recording keeps the window as one
 * exchange whose body is the messages, one JSON text a line.
 */
export const listen = Effect.fnUntraced(function* <S extends Schema.Constraint>(
  url: string,
  options: { readonly send?: unknown; readonly seconds: number; readonly messages: number },
  schema: S
) {
  const request: Request = {
    method: "LISTEN",
    url,
    window: { seconds: options.seconds, messages: options.messages },
    ...(options.send === undefined ? {} : { body: JSON.stringify(options.send) })
  }
  const answer = yield* text(request)
  const messages: Array<S["Type"]> = []
  for (const line of answer.body.split("\n")) {
    if (line !== "") messages.push(yield* parseJson(request, schema, line))
  }
  return { ...answer, body: messages } satisfies Answer<Array<S["Type"]>>
})

/**
 * Runs independent parts, four at a time, and returns each part's name with its outcome, in the given order.
 * Fails, with the first part's error, only if every part fails.
 */
export const parts = Effect.fnUntraced(function* <Name, A, R>(
  named: ReadonlyArray<readonly [name: Name, part: Effect.Effect<A, UpstreamError, R>]>
) {
  const outcomes = yield* Effect.forEach(
    named,
    ([name, part]) => Effect.map(Effect.result(part), (outcome) => ({ name, outcome })),
    { concurrency: 4 }
  )
  const first = outcomes[0]?.outcome
  if (
    first !== undefined &&
    Result.isFailure(first) &&
    outcomes.every((it) => Result.isFailure(it.outcome))
  ) {
    return yield* Effect.fail(first.failure)
  }
  return outcomes
})

/** The run's one time, epoch milliseconds. */
export const now = Upstream.use(({ now }) => Effect.succeed(now))

/** Catalog rows with the id that the manifest covers. */
export const targets = Upstream.use(({ targets }) => Effect.succeed(targets))

/** Those of them on one of these chains, each with what is said of its chain: an explorer, a word, a node. */
export const targetsOn = <Chain>(chains: Readonly<Record<string, Chain>>) =>
  Effect.map(targets, (all) =>
    all.flatMap(({ chain = "", id, name, symbol }) => {
      const on = chains[chain]
      return on === undefined ? [] : [{ chain, id, name, on, symbol }]
    })
  )

/** The value of a setting that the manifest declares. */
export const setting = (name: string) =>
  Upstream.use(({ settings }) =>
    settings[name] === undefined
      ? Effect.die(`the manifest declares no setting ${name}`)
      : Effect.succeed(settings[name])
  )

/** An address in which `{name}` is the value of this setting, and `{yesterday}` the last UTC day that is over, `YYYY-MM-DD`. */
export const filled = Effect.fnUntraced(function* (address: string) {
  const [first = "", ...pieces] = address.split(/\{([a-z_]+)\}/)
  let url = first
  for (let at = 0; at < pieces.length; at += 2) {
    const [name = "", text = ""] = pieces.slice(at, at + 2)
    url += `${name === "yesterday" ? isoTime((yield* now) - day).slice(0, 10) : yield* setting(name)}${text}`
  }
  return url
})

/** A text that `time` can parse. Any other text is a changed answer, because a date must not be a guess. */
export const TimeText = Schema.String.check(
  Schema.makeFilter((text) => parseTime(text) !== undefined || "Expected an ISO 8601 time")
)

/** Epoch milliseconds of an upstream's time text; without a zone it is UTC. A text that is not a time cannot be read. */
export function time(value: string): Moment
export function time(value: string | null | undefined): Moment | undefined
export function time(value: string | null | undefined): Moment | undefined {
  return value === null || value === undefined ? undefined : (parseTime(value) ?? unexpected(value, "a time"))
}
