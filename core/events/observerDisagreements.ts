/** The values of a compared day that other operators contradict, as events: the feed has those of each day once. */
import { Effect } from "effect"
import { isSuppressed } from "../catalog/suppressed.ts"
import { agreementsToTell, contradictedOn, tellAgreements } from "../log/record/agreementDays.ts"
import type { Unit } from "../plugin/Value.ts"
import { type Observer, parseAgreement } from "../proof/agreement.ts"
import { parseAgreementLeaf, type Sighting, seenBy } from "../proof/agreementLeaf.ts"
import { parseLeaf } from "../proof/leaf.ts"
import type { ObserverDisagreement, OtherValue } from "../wire/data/agreement.ts"

/** Compared days of one pass. */
const mostDays = 3

/** Values between which others get a turn. */
const valuesAtOnce = 100

/** What an observer has; nothing of one that does not differ. */
const otherOf = (
  { as_of, observer, relation, unit, value, value_text }: Sighting,
  own: string,
  observers: ReadonlyArray<Observer>
): ReadonlyArray<OtherValue> => {
  const named = observers[observer]
  if (relation !== "differs" || named === undefined || value === undefined || as_of === undefined) return []
  const { key, origin } = named
  return [
    {
      origin,
      key,
      value,
      ...(value_text === undefined ? {} : { value_text }),
      unit: unit ?? own,
      as_of
    }
  ]
}

const disagreementOf = (
  { differing, own, unit }: { readonly unit: Unit; readonly differing: string; readonly own: string },
  observers: ReadonlyArray<Observer>,
  log_index: number
): ReadonlyArray<{ readonly symbol: string; readonly disagreement: ObserverDisagreement }> => {
  const [leaf, row] = [parseAgreementLeaf(differing), parseLeaf(own)]
  if (row.kind === "absent" || isSuppressed(leaf)) return []
  const { as_of, value, value_text } = row
  const { day, metric, source, symbol } = leaf
  return [
    {
      symbol,
      disagreement: {
        day,
        metric,
        source,
        value,
        ...(value_text === undefined ? {} : { value_text }),
        unit,
        as_of,
        ...seenBy(leaf),
        others: leaf.seen.flatMap((one) => otherOf(one, unit, observers)),
        log_index
      }
    }
  ]
}

const ofDay = Effect.fnUntraced(function* (day: string, document: string, log_index: number) {
  const { observers } = parseAgreement(document)
  const rows = yield* contradictedOn(day)
  const values: Array<ReturnType<typeof disagreementOf>[number]> = []
  for (const [n, row] of rows.entries()) {
    if (n % valuesAtOnce === 0) yield* Effect.yieldNow
    values.push(...disagreementOf(row, observers, log_index))
  }
  return [...Map.groupBy(values, ({ symbol }) => symbol)].map(([symbol, some]) => ({
    symbol,
    disagreements: some.map(({ disagreement }) => disagreement)
  }))
})

/** What was compared since the last pass and differs, by day and network; from then on it counts as in the feed. */
export const newObserverDisagreements = Effect.gen(function* () {
  const days = yield* agreementsToTell(mostDays)
  if (days.length === 0) return []
  const networks = yield* Effect.forEach(days, ({ day, document, log_index }) =>
    ofDay(day, document, log_index)
  )
  yield* tellAgreements(days.map(({ day }) => day))
  return networks.flat()
})
