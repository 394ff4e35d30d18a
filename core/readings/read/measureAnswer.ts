/** `/v1/measures`: the measures, and one of them with the members that an access shows. */
import { Effect } from "effect"
import { type Measure, measureNamed, measures, measuresNear } from "../../catalog/Measures.ts"
import { isoTime } from "../../plugin/Value.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import type { MeasureResponse, MeasureRow, MeasuresResponse } from "../../wire/data/measures.ts"
import { NotFound } from "../../wire/problems/request.ts"
import { type Access, accessNote } from "./Access.ts"
import { measured, sampleWords, visibleMembers } from "./measure.ts"
import { rightsBySource } from "./rights.ts"
import { rungsOf } from "./rungs.ts"
import { Versions } from "./Versions.ts"
import { valueRow } from "./valueRow.ts"

const rowOf = ({ adds, best, differs, name, ranks, title, unit }: Measure): MeasureRow => ({
  name,
  title,
  unit,
  best,
  adds,
  ranks,
  differs
})

export const measureList: MeasuresResponse = { measures: measures.map(rowOf) }

/** The measure of a name. Fails with `NotFound`, which names those that come near by the address that `path` gives a name. */
export const measureAt = (name: string, path: (near: string) => string, all: string) => {
  const measure = measureNamed(name)
  if (measure !== undefined) return Effect.succeed(measure)
  const near = measuresNear(name).map((one) => path(one.name))
  return Effect.fail(
    new NotFound({
      message: `No measure has this name. ${near.length === 0 ? "" : `Near: ${near.join(", ")}. `}All of them: ${all}.`
    })
  )
}

/** Fails with `NotFound`. */
export const measureAnswer = Effect.fn("Data.measureAnswer")(function* (name: string, access: Access) {
  const measure = yield* measureAt(name, (near) => `/v1/measures/${near}`, "/v1/measures")
  const one = yield* measured(measure)
  const members = yield* visibleMembers(one, access)
  const rightsOf = yield* rightsBySource
  const rungOf = yield* rungsOf(members.map(({ row }) => row))
  const response: MeasureResponse = {
    ...(members.length < one.members.length ? { sample: sampleWords(members.length, one) } : {}),
    generated_utc: isoTime(yield* (yield* Versions).changedAt([...dependenciesOf.list, "clock"])),
    measure: rowOf(measure),
    members: members.map(({ counts, place, row }) => ({
      ...valueRow(row),
      ...rightsOf(row.row.source),
      ...rungOf(row),
      ...(counts === undefined ? {} : { counts }),
      ...(place === undefined ? {} : { rank: place })
    })),
    n_members: one.members.length,
    missing: one.missing,
    access: accessNote(access)
  }
  return response
})
