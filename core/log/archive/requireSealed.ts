/** Whether the leaves of a file that was made are those that the log commits to. A file that is published stays permanently. */
import { Effect, Schema } from "effect"
import { program } from "../../process/program.ts"
import { sealedBatch } from "../sealed.ts"
import { FileMaker, type Tally } from "./FileMaker.ts"
import { dayPlan, type Plan } from "./plans.ts"

/** Stored leaves are not those of their batch in the log, so that the file is not published. The message says what to do. */
export class LeavesDiffer extends Schema.TaggedError<LeavesDiffer>()("LeavesDiffer", {
  /** The file's name. */
  name: Schema.String,
  message: Schema.String
}) {}

const differ = (name: string, what: string) =>
  new LeavesDiffer({
    name,
    message: `${name} is not made, because ${what}. Keep a copy of the database as it is, see with ${program} log check --full what was changed, and bring the leaves back from a backup of before`
  })

/** In what the stored leaves of a day differ from the log; undefined if they do not. */
export const faultOfBatch = Effect.fn("archive.faultOfBatch")(function* (day: string, tally: Tally) {
  if (tally.altered !== undefined)
    return `a stored leaf of ${day} does not have its hash: ${tally.altered.slice(0, 200)}`
  const entry = yield* sealedBatch(day)
  if (entry === undefined) return `the stored entry of ${day} is not the one in the tree of the log`
  return tally.root === entry.root
    ? undefined
    : `the stored leaves of ${day} have the root ${tally.root} instead of ${entry.root}`
})

const requireBatch = Effect.fnUntraced(function* (name: string, day: string, tally: Tally) {
  const fault = yield* faultOfBatch(day, tally)
  if (fault !== undefined) return yield* differ(name, fault)
})

/** The leaves of a month or year are compared as a set with those of its batches: they are in another order. */
const requireBatches = Effect.fnUntraced(function* (name: string, { batches }: Plan, tally: Tally) {
  const maker = yield* FileMaker
  let [rows, sum] = [0, 0n]
  for (const batch of batches) {
    const ofDay = yield* maker.tally(yield* dayPlan(batch))
    yield* requireBatch(name, batch.day, ofDay)
    rows += ofDay.rows
    sum = (sum + BigInt(`0x${ofDay.sum}`)) % 2n ** 256n
  }
  if (tally.rows === rows && BigInt(`0x${tally.sum}`) === sum) return
  return yield* differ(
    name,
    tally.altered === undefined
      ? `its ${tally.rows} leaves are not the ${rows} of its days`
      : `a stored leaf does not have its hash: ${tally.altered.slice(0, 200)}`
  )
})

/** Fails with `LeavesDiffer` unless the leaves that `tally` counts are those of the plan's batches. */
export const requireSealed = Effect.fn("archive.requireSealed")(
  (name: string, plan: Plan, tally: Tally) =>
    plan.statement.period === "day"
      ? requireBatch(name, plan.batches[0].day, tally)
      : requireBatches(name, plan, tally),
  Effect.scoped
)
