/** `tape.json` of a case: which leaves of its payloads walk and which are times, so that the demo has a past. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { CaseBroken } from "../contributor/fixtures.ts"
import { forms } from "./times.ts"

/** A number that walks. */
export const WalkLeaf = Schema.Struct({
  /** JSON pointer from the top of the payload; `*` is any member or item. A line's or row's number comes first. */
  at: Schema.String,
  form: Schema.optionalKey(Schema.Literals(["be", "le"])),
  monotone: Schema.optionalKey(Schema.Literal(true)),
  min: Schema.optionalKey(Schema.Finite),
  max: Schema.optionalKey(Schema.Finite)
})
export interface WalkLeaf extends Schema.Schema.Type<typeof WalkLeaf> {}

/** A time that moves with the clock of the run. */
export const ShiftLeaf = Schema.Struct({ at: Schema.String, form: Schema.Literals(forms) })
export interface ShiftLeaf extends Schema.Schema.Type<typeof ShiftLeaf> {}

/** A list, or a dictionary, of which a few items are missing at other times, so that its length walks. */
export const ThinList = Schema.Struct({ at: Schema.String })
export interface ThinList extends Schema.Schema.Type<typeof ThinList> {}

/** What changes in one payload. */
export const Changes = Schema.Struct({
  walk: Schema.Array(WalkLeaf),
  shift: Schema.Array(ShiftLeaf),
  thin: Schema.Array(ThinList)
})
export interface Changes extends Schema.Schema.Type<typeof Changes> {}

export const Plan = Schema.Struct({
  /** Numbers take one value a UTC day: for an upstream that publishes once a day under one date. */
  daily: Schema.optionalKey(Schema.Literal(true)),
  /** Every payload is a list of bars so many hours long, with their own past (`bars.ts`): a later time adds bars. */
  bar_hours: Schema.optionalKey(Schema.Int),
  /** The plugin asks for something else each hour, and again for the same after so many. */
  period_hours: Schema.optionalKey(Schema.Int),
  /** By the file of the exchange. */
  payloads: Schema.Record(Schema.String, Changes)
})
export interface Plan extends Schema.Schema.Type<typeof Plan> {}

/** The plan beside a case; undefined where there is none. */
export const load = (folder: string): Effect.Effect<Plan | undefined, CaseBroken> =>
  Effect.promise(() => readFile(join(folder, "tape.json"), "utf8").catch(() => undefined)).pipe(
    Effect.flatMap((text) =>
      text === undefined
        ? Effect.succeed(undefined)
        : Schema.decodeUnknownEffect(Schema.fromJsonString(Plan))(text).pipe(
            Effect.mapError((error) => new CaseBroken({ folder, message: `tape.json: ${error.message}` }))
          )
    )
  )

/** Writes the plan, one leaf a line. */
export const save = (folder: string, plan: Plan): Effect.Effect<void> =>
  Effect.promise(() => writeFile(join(folder, "tape.json"), textOf(plan)))

const textOf = ({ payloads, ...more }: Plan): string => {
  const lines = (list: ReadonlyArray<unknown>): string =>
    list.length === 0 ? "[]" : `[\n${list.map((leaf) => `      ${JSON.stringify(leaf)}`).join(",\n")}\n    ]`
  const changes = Object.entries(payloads).map(
    ([file, { shift, thin, walk }]) =>
      `  ${JSON.stringify(file)}: {\n    "walk": ${lines(walk)},\n    "shift": ${lines(shift)},\n    "thin": ${lines(thin)}\n  }`
  )
  const settings = Object.entries(more).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},\n`
  )
  const body = changes.length === 0 ? "{}" : `{\n${changes.join(",\n")}\n}`
  return `{${settings.join("")}"payloads": ${body}}\n`
}
