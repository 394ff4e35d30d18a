/** `<case>.tape.json` beside a case: which leaves of its payloads walk and which are times, so that the demo has a past. */
import { readFile, writeFile } from "node:fs/promises"
import { basename } from "node:path"
import { Effect, Schema } from "effect"
import { CaseBroken } from "../contributor/fixtures.ts"
import { type DiskError, onDisk } from "../outside/disk.ts"
import { forms } from "./times.ts"

/** A number that walks. */
export const WalkLeaf = Schema.Struct({
  /** JSON pointer from the top of the payload; `*` is any member or item. A line's or row's number comes first. */
  at: Schema.String,
  form: Schema.optionalKey(Schema.Literals(["be", "le"])),
  monotone: Schema.optionalKey(Schema.Literal(true)),
  left: Schema.optionalKey(Schema.Literal(true)),
  /**
   * The number is a price: where the leaf that names its asset is, `*` standing for the same as in `at`. It goes with the
   * asset's one price (`market.ts`).
   */
  price: Schema.optionalKey(Schema.String),
  min: Schema.optionalKey(Schema.Finite),
  max: Schema.optionalKey(Schema.Finite),
  swing: Schema.optionalKey(Schema.Finite),
  parts: Schema.optionalKey(Schema.Int)
})
export interface WalkLeaf extends Schema.Schema.Type<typeof WalkLeaf> {}

/** A time that moves with the clock of the run. */
export const ShiftLeaf = Schema.Struct({
  at: Schema.String,
  form: Schema.Literals(forms),
  /** Only times of so many days before the recording move: a list that began long ago still began then. */
  days: Schema.optionalKey(Schema.Int)
})
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
  /** Numbers take one value per UTC day: for an upstream that publishes once a day under one date. */
  daily: Schema.optionalKey(Schema.Literal(true)),
  /** What every payload is a list of, where its figures follow from one another (`bars.ts`, `coins.ts`). */
  list: Schema.optionalKey(Schema.Literals(["bars", "coins"])),
  /** What the age of a time in a payload is multiplied by: an upstream that was slow when it was recorded. */
  ages: Schema.optionalKey(Schema.Finite),
  /** The plugin asks for something else each hour, and again for the same after so many. */
  period_hours: Schema.optionalKey(Schema.Int),
  /** The plugin asks for the next so many of its targets every so many minutes: the list turns with it. */
  turns: Schema.optionalKey(Schema.Struct({ minutes: Schema.Int, targets: Schema.Int })),
  /** By the name of the exchange. */
  payloads: Schema.Record(Schema.String, Changes)
})
export interface Plan extends Schema.Schema.Type<typeof Plan> {}

const fileOf = (place: string): string => `${place}.tape.json`

/** The plan beside a case; undefined where there is none. */
export const load = (place: string): Effect.Effect<Plan | undefined, CaseBroken> =>
  onDisk(() => readFile(fileOf(place), "utf8")).pipe(
    Effect.orElseSucceed(() => undefined),
    Effect.flatMap((text) =>
      text === undefined
        ? Effect.succeed(undefined)
        : Schema.decodeUnknownEffect(Schema.fromJsonString(Plan))(text).pipe(
            Effect.mapError(
              (error) => new CaseBroken({ place, message: `${basename(fileOf(place))}: ${error.message}` })
            )
          )
    )
  )

/** Writes the plan, one leaf a line. */
export const save = (place: string, plan: Plan): Effect.Effect<void, DiskError> =>
  onDisk(() => writeFile(fileOf(place), textOf(plan)))

const textOf = ({ payloads, ...more }: Plan): string => {
  const lines = (list: ReadonlyArray<unknown>): string =>
    list.length === 0 ? "[]" : `[\n${list.map((leaf) => `      ${JSON.stringify(leaf)}`).join(",\n")}\n    ]`
  const changes = Object.entries(payloads).map(
    ([name, { shift, thin, walk }]) =>
      `  ${JSON.stringify(name)}: {\n    "walk": ${lines(walk)},\n    "shift": ${lines(shift)},\n    "thin": ${lines(thin)}\n  }`
  )
  const settings = Object.entries(more).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)},\n`
  )
  const body = changes.length === 0 ? "{}" : `{\n${changes.join(",\n")}\n}`
  return `{${settings.join("")}"payloads": ${body}}\n`
}
