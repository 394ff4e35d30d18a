/**
 * An event as a webhook gets it: without the rows whose source does not let its values be handed on. They are counted, and the
 * event says where it stands whole, signed, for everybody.
 */
import { Schema } from "effect"
import { sourcesIn } from "../credits/sourcesIn.ts"
import { isRecord } from "../proof/canonical.ts"
import { AlertCrossing } from "../wire/alerts/alert.ts"
import { toldOf } from "./told.ts"

type May = (source: string) => boolean

const isBarred = (value: unknown, may: May): boolean =>
  sourcesIn(value)
    .values()
    .some((source) => !may(source))

/** The members without what is barred, and how many rows that were. */
const without = (data: Readonly<Record<string, unknown>>, may: May) => {
  let rows = 0
  const members = Object.entries(data).flatMap(
    ([name, member]): ReadonlyArray<readonly [string, unknown]> => {
      if (Array.isArray(member)) {
        const left = member.filter((row) => !isBarred(row, may))
        rows += member.length - left.length
        return [[name, left]]
      }
      if (!isBarred(member, may)) return [[name, member]]
      rows += 1
      return []
    }
  )
  return { data: Object.fromEntries(members), rows }
}

const crossingsIn = Schema.decodeUnknownSync(Schema.Array(AlertCrossing))

/**
 * `text` is the JSON of a signed event. What is left of one is not what was signed, so its signature is not sent: `withheld` has the
 * address of the whole. Of the message of an alert each crossing stays, without its figures.
 */
export const handedOn = (text: string, may: May): string => {
  const event: unknown = JSON.parse(text)
  if (isRecord(event) && isBarred(event["crossings"], may))
    return JSON.stringify({
      ...event,
      crossings: crossingsIn(event["crossings"]).map((one) => toldOf(one, may))
    })
  if (!isRecord(event) || !isRecord(event["data"]) || !isBarred(event["data"], may)) return text
  const { kid: _, signature: __, ...own } = event
  const { data, rows } = without(event["data"], may)
  const after = Number(event["id"]) - 1
  return JSON.stringify({
    ...own,
    data,
    withheld: { reason: "rights", rows, event: `/v1/events?after=${after}&limit=1` }
  })
}
