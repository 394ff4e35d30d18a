/** What a save changed in the rows of a case, in lines. */
import { isDeepStrictEqual } from "node:util"
import type { Expected } from "../../../core/plugin/Recording.ts"
import type { Observation } from "../../../core/plugin/Value.ts"

const nameOf = ({ metric, source, symbol }: Observation): string => `${symbol} ${metric} (${source})`

const valueOf = ({ as_of, unit, value, value_text }: Observation): string =>
  `${value_text ?? value} ${unit} ${as_of}`

const rowsOf = (rows: Expected | undefined): ReadonlyArray<Observation> =>
  rows === undefined || "error" in rows ? [] : rows.observations

const refusalsOf = (rows: Expected | undefined): ReadonlyArray<string> =>
  rows === undefined
    ? []
    : "error" in rows
      ? [`${rows.error}: ${rows.message}`]
      : rows.refused.map(({ metric, reason, symbol }) => `refused ${symbol} ${metric}: ${reason}`)

/** Lines that begin with `+` for what is new, `-` for what is gone, and `~` for a row with another value or time. */
export const changesOf = (before: Expected | undefined, after: Expected): ReadonlyArray<string> => {
  const [was, is] = [before, after].map(
    (rows) => new Map(rowsOf(rows).map((row) => [nameOf(row), row] as const))
  )
  const [saidBefore, says] = [refusalsOf(before), refusalsOf(after)]
  const changed = [...(is ?? [])].flatMap(([name, row]) => {
    const old = was?.get(name)
    if (old === undefined) return [`+ ${name} ${valueOf(row)}`]
    return isDeepStrictEqual(old, row) ? [] : [`~ ${name} ${valueOf(old)} -> ${valueOf(row)}`]
  })
  return [
    ...changed,
    ...[...(was ?? [])].flatMap(([name, row]) =>
      is?.has(name) === true ? [] : [`- ${name} ${valueOf(row)}`]
    ),
    ...says.flatMap((line) => (saidBefore.includes(line) ? [] : [`+ ${line}`])),
    ...saidBefore.flatMap((line) => (says.includes(line) ? [] : [`- ${line}`]))
  ]
}
