/** What the hosts of the upstreams allow: the limits that they state, and ours where they state none. */
import { Duration, Option, Schema } from "effect"
import hostsJson from "./hosts.json" with { type: "json" }
import { added } from "./outside.ts"

/** So many calls in any stretch of time of this length. */
export const Limit = Schema.Struct({
  calls: Schema.Int.check(Schema.isGreaterThan(0)),
  /** A duration in Effect's words: `1 minute`. */
  per: Schema.String.check(
    Schema.makeFilter((text) => Duration.fromInput(text as Duration.Input)._tag === "Some" || "a duration")
  )
})
export interface Limit extends Schema.Schema.Type<typeof Limit> {}

/** One host of `hosts.json`. */
export const Host = Schema.Struct({
  host: Schema.NonEmptyString,
  /** All of them hold, for one address without a key. */
  limits: Schema.NonEmptyArray(Limit),
  /** `documented`: by the operator. `reported`: by clients that met it. `unpublished`: our own restraint. */
  stated: Schema.Literals(["documented", "reported", "unpublished"]),
  /** Where the limit stands, and what it was converted from. */
  source: Schema.NonEmptyString
})
export interface Host extends Schema.Schema.Type<typeof Host> {}

/** What we allow ourselves where a host states nothing: on average one call per minute. */
export const restraint: Limit = { calls: 1440, per: "1 day" }

/** What a plugin from elsewhere says of a host holds where nothing is written down here. */
const byHost: ReadonlyMap<string, Host> = new Map(
  [
    ...added().hosts.flatMap((line) => Option.toArray(Schema.decodeUnknownOption(Host)(line))),
    ...Schema.decodeUnknownSync(Schema.Array(Host))(hostsJson)
  ].map((host) => [host.host, host])
)

/** Hosts with a stated limit, sorted by name. */
export const hosts: ReadonlyArray<Host> = [...byHost.values()]

/** The limits of a host. */
export const limitsOf = (host: string): Host =>
  byHost.get(host) ?? {
    host,
    limits: [restraint],
    stated: "unpublished",
    source: "the operator states none: our own restraint"
  }

/** Milliseconds of a limit's time. */
export const windowOf = ({ per }: Limit): number => Duration.toMillis(per as Duration.Input)
