/** When the hosts of the upstreams were last seen alive in public, and what was seen of them then. */
import { Schema } from "effect"
import { day } from "../plugin/time.ts"
import signsJson from "./signs-of-life.json" with { type: "json" }

/** One host of `signs-of-life.json`. */
export const SignOfLife = Schema.Struct({
  host: Schema.NonEmptyString,
  /** The day of the issue, the page or the commit: `YYYY-MM-DD`. */
  date: Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/)),
  /** Where a stranger can read it: an https address, or `<owner>/<repository>@<commit> <path>:<line>`. */
  source: Schema.String.check(Schema.isPattern(/^(https:\/\/\S+|[\w.-]+\/[\w.-]+@[0-9a-f]{7,40} \S+)$/)),
  /** What was seen: an answer, a place in the operator's source, a refusal, a farewell. */
  says: Schema.NonEmptyString.check(Schema.isMaxLength(120))
})
export interface SignOfLife extends Schema.Schema.Type<typeof SignOfLife> {}

/** The newest sign of each host that has one, sorted by host. */
export const signsOfLife: ReadonlyArray<SignOfLife> = Schema.decodeUnknownSync(Schema.Array(SignOfLife))(
  signsJson
)

const byHost: ReadonlyMap<string, SignOfLife> = new Map(signsOfLife.map((sign) => [sign.host, sign]))

/** The newest sign of a host; undefined where nobody wrote one down. */
export const signOf = (host: string): SignOfLife | undefined => byHost.get(host)

/** Days after which a sign says little of today. */
export const oldAfterDays = 365

/** Whether a sign is older than that at a time in epoch milliseconds. */
export const isOld = ({ date }: SignOfLife, now: number): boolean =>
  now - Date.parse(date) > oldAfterDays * day
