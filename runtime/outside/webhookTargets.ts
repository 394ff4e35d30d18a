/**
 * Sends to the targets of webhooks. A target is an address that a stranger chose, so it must be public: a name is resolved
 * at each attempt, all its addresses are checked, and the socket connects to a checked one. Nothing of an answer but its
 * status is used, and of that to a challenge its body.
 */
import { isIP } from "node:net"
import { Duration, Effect, Layer, Scope } from "effect"
import { type Attempt, Targets } from "../../core/webhooks/Targets.ts"
import { guard, type Resolve, refusal, systemResolve } from "../upstream/address.ts"
import { toTransportError } from "../upstream/toTransportError.ts"

/** Well below the time for which an attempt is claimed. */
const timeout = Duration.seconds(15)

/** Bytes of an answer that are read before the connection is closed. */
const mostRead = 16 * 1024

const longestUrl = 2048

export interface Options {
  /** True: `http://127.0.0.1` is a target, too. For tests of one's own receiver. */
  readonly loopback: boolean
  readonly resolve?: Resolve
}

/** The host of a URL as an address, without the brackets of IPv6; undefined if it is a name. */
const literalOf = ({ hostname }: URL): string | undefined => {
  const host = hostname.replace(/^\[|\]$/g, "")
  return isIP(host) === 0 ? undefined : host
}

const isLoopback = (url: URL): boolean => url.protocol === "http:" && url.hostname === "127.0.0.1"

export const makeRefusal =
  ({ loopback }: Pick<Options, "loopback">) =>
  (text: string): string | undefined => {
    const url = text.length > longestUrl ? null : URL.parse(text)
    if (url === null) return `is not a URL of at most ${longestUrl} characters`
    if (loopback && isLoopback(url)) return undefined
    if (url.protocol !== "https:") return "must begin with https://"
    if (url.username !== "" || url.password !== "") return "must not contain a user name or a password"
    if (url.hash !== "") return "must not contain a fragment"
    const address = literalOf(url)
    const why = address === undefined ? undefined : refusal(address)
    if (why !== undefined) return `must not be ${why}`
    return url.hostname === "localhost" || url.hostname.endsWith(".localhost")
      ? "must not be this machine"
      : undefined
  }

/** The first bytes of a body, as text. */
const beginningOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const parts: Array<Uint8Array> = []
  let read = 0
  for await (const part of body) {
    parts.push(part)
    read += part.length
    // Leaving the loop closes the connection.
    if (read >= mostRead) break
  }
  return Buffer.concat(parts).subarray(0, mostRead).toString("utf8")
}

/** Sends to nobody, as in test mode: whoever has paid nothing makes this service call no stranger. */
export const none: Layer.Layer<Targets> = Layer.succeed(
  Targets,
  Targets.of({
    refusal: () => "cannot be called: test mode sends nothing to others",
    post: () => Effect.succeed({ error: "test mode sends nothing to others" })
  })
)

export const layer = (options: Options): Layer.Layer<Targets> =>
  Layer.effect(
    Targets,
    Effect.gen(function* () {
      const refused = makeRefusal(options)
      const shared = {
        allowH2: false,
        maxHeaderSize: 16 * 1024,
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: 1000
      } as const
      const scope = yield* Effect.scope
      // Loaded by the first attempt, because many services have no webhooks.
      const client = yield* Effect.cached(
        Effect.acquireRelease(
          Effect.map(
            Effect.promise(() => import("undici")),
            ({ Agent, request }) => ({
              request,
              guarded: new Agent({
                ...shared,
                connect: { lookup: guard(options.resolve ?? systemResolve) }
              }),
              loopback: new Agent(shared)
            })
          ),
          ({ guarded, loopback }) =>
            // biome-ignore lint/plugin/promise: closes connections, which does not reject
            Effect.promise(() => Promise.all([guarded.destroy(), loopback.destroy()]))
        ).pipe(Effect.provideService(Scope.Scope, scope))
      )
      return Targets.of({
        refusal: refused,
        post: Effect.fn("Targets.post")(function* (text, { body, headers, reads = false }) {
          // Again at each attempt: the settings may have changed, and a literal address is never looked up.
          const why = refused(text)
          if (why !== undefined) return { error: `the URL ${why}` }
          const url = new URL(text)
          const { guarded, loopback, request } = yield* client
          return yield* Effect.tryPromise({
            try: async (signal): Promise<Attempt> => {
              const answer = await request(url, {
                dispatcher: isLoopback(url) ? loopback : guarded,
                signal,
                method: "POST",
                headers: {
                  ...headers,
                  "content-type": "application/json",
                  "user-agent": "plumbline-webhooks"
                },
                body
              })
              if (reads) return { status: answer.statusCode, body: await beginningOf(answer.body) }
              await answer.body.dump({ limit: mostRead, signal })
              return { status: answer.statusCode }
            },
            catch: (error) => toTransportError(error, url.host).detail
          }).pipe(
            Effect.catch((error) => Effect.succeed<Attempt>({ error })),
            Effect.timeoutOrElse({
              duration: timeout,
              orElse: () =>
                Effect.succeed<Attempt>({ error: `no answer within ${Duration.toSeconds(timeout)} s` })
            })
          )
        })
      })
    })
  )
