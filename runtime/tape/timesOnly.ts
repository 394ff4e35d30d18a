/** The times of a payload: what the tape moves in each case. */
import type { Tape } from "../upstream/replay.ts"
import { type Group, groupsOf, singles, timeFormOf } from "./groups.ts"
import type { Plan, ShiftLeaf, ThinList, WalkLeaf } from "./Plan.ts"

/** One change of the plan. */
export interface Change {
  readonly file: string
  readonly walk?: WalkLeaf
  readonly shift?: ShiftLeaf
  readonly thin?: ThinList
}

/** The plan of these changes. */
export const planOf = (changes: ReadonlyArray<Change>, more: Omit<Plan, "payloads"> = {}): Plan => ({
  ...more,
  payloads: Object.fromEntries(
    [...Map.groupBy(changes, ({ file }) => file)].map(([file, list]) => [
      file,
      {
        walk: list.flatMap(({ walk }) => walk ?? []),
        shift: list.flatMap(({ shift }) => shift ?? []),
        thin: list.flatMap(({ thin }) => thin ?? [])
      }
    ])
  )
})

/** A quoted hexadecimal number. */
export const hex = /^"0x[0-9a-fA-F]+"$/

const named = /address|hash|(^|_)id$|mmsi/i

/** Whether the last word of the place names something, so that its digits are no figure. */
export const isNamed = ({ at }: Group): boolean => named.test(at.split("/").at(-1) ?? "")

/** Hexadecimal values of one place may differ in kind: each is looked at for itself. */
export const apart = (group: Group, text: string): ReadonlyArray<Group> =>
  group.texts.length > 1 && !isNamed(group) && group.texts.some((text) => hex.test(text))
    ? singles(group, text)
    : [group]

/** The leaves of these groups that are times, as the plan says so. */
export const timesIn = (groups: ReadonlyArray<Group>, now: number): ReadonlyArray<Change> =>
  groups.flatMap((group): ReadonlyArray<Change> => {
    const form = timeFormOf(group, now)
    return form === undefined ? [] : [{ file: group.file, shift: { at: group.at, form } }]
  })

const decoder = new TextDecoder()

/** Only the times, untried: what a case without a plan gets, so that a new plugin has a past at once. */
export const timesOnly = (base: Tape, files: ReadonlyArray<string>): Plan =>
  planOf(
    base.exchanges.flatMap(({ body }, index) => {
      const text = decoder.decode(body)
      const groups = groupsOf(files[index] ?? "", text).flatMap((group) => apart(group, text))
      return timesIn(groups, base.now)
    })
  )
