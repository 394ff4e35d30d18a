/** The port: one function, `exchange`, and three facts of the run. */
import { Context, Effect, Schema } from "effect"
import { day } from "../time.ts"
import { isoTime } from "../Value.ts"
import type { UpstreamUnreachable } from "./errors.ts"
import type { Request } from "./requests.ts"

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
