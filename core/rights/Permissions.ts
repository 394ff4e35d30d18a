/** What upstreams allowed this operator beyond their public terms, as a file of his says it. */
import { Context, Effect, Schema } from "effect"
import * as DataClock from "../clock/DataClock.ts"
import { type Use, uses } from "../plugin/Manifest.ts"

const Day = Schema.String.check(
  Schema.makeFilter((text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && dayOf(Date.parse(text)) === text, {
    expected: "a day, YYYY-MM-DD"
  })
)

const dayOf = (time: number): string | undefined =>
  Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10)

/** One permission: the uses that the feed's upstream allows from a day until another, both included. */
export const Grant = Schema.Struct({
  feed: Schema.NonEmptyString,
  uses: Schema.NonEmptyArray(Schema.Literals(uses)),
  from: Day,
  until: Day,
  /** The document that says so, in words by which the operator finds it again. */
  reference: Schema.NonEmptyString
})
export interface Grant extends Schema.Schema.Type<typeof Grant> {}

export interface Permissions {
  readonly grants: ReadonlyArray<Grant>
  /** True for permissions that nobody gave, with which the demo shows everything. */
  readonly simulated: boolean
  /** Whether values are sold whose terms nobody has read (`SELL_UNKNOWN_RIGHTS`). */
  readonly sellUnknown: boolean
  /** Why the file gives no permission; undefined where it was readable, or none is set. */
  readonly unreadable?: string
}

/** Without a file nothing is permitted beyond the terms. */
export const none: Permissions = { grants: [], simulated: false, sellUnknown: true }

export const Permissions = Context.Reference<Permissions>("core/rights/Permissions", {
  defaultValue: () => none
})

/** What a permission covers: whoever may hand values on or sell them may show them, too. */
const covered = ({ uses: of }: Grant): ReadonlyArray<Use> =>
  of.includes("bulk") || of.includes("sell") ? ["show", ...of] : of

/** The permissions of one day. Two that are the same object are of the same day and the same file. */
export interface InForce {
  readonly granted: (feed: string, use: Use) => boolean
  readonly sellUnknown: boolean
}

/** Whether a permission is in force on a day, `expired` or `not_yet`. */
export const stateOn = ({ from, until }: Grant, day: string): "in_force" | "expired" | "not_yet" =>
  day > until ? "expired" : day < from ? "not_yet" : "in_force"

const ofDay = ({ grants, sellUnknown }: Permissions, day: string): InForce => {
  const allowed = new Set(
    grants
      .filter((grant) => stateOn(grant, day) === "in_force")
      .flatMap((grant) => covered(grant).map((use) => `${use} ${grant.feed}`))
  )
  return { granted: (feed, use) => allowed.has(`${use} ${feed}`), sellUnknown }
}

const madeOf = new WeakMap<Permissions, { readonly day: string; readonly inForce: InForce }>()

/** What is permitted today, by the clock of the data. An answer of an earlier time is given today, too. */
export const inForce: Effect.Effect<InForce> = Effect.gen(function* () {
  const permissions = yield* Permissions
  const now = yield* Effect.provideService(DataClock.now, DataClock.knownAt, undefined)
  const day = dayOf(now) ?? ""
  const before = madeOf.get(permissions)
  if (before?.day === day) return before.inForce
  const current = ofDay(permissions, day)
  madeOf.set(permissions, { day, inForce: current })
  return current
})

const File = Schema.fromJsonString(Schema.Array(Grant))

/**
 * The permissions that a file states. One that is not readable gives none and says why: a single entry that is not understood
 * withdraws all of them, because what it says of the others is then not known either.
 */
export const parsePermissions = (text: string): Pick<Permissions, "grants" | "unreadable"> => {
  const parsed = Schema.decodeUnknownResult(File)(text)
  return parsed._tag === "Success"
    ? { grants: parsed.success }
    : { grants: [], unreadable: `not a list of permissions: ${String(parsed.failure).slice(0, 300)}` }
}
