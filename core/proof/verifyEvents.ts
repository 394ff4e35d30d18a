/** Checks events: from a list, a saved stream or the body of a webhook. */
import { fromUtf8 } from "./bytes.ts"
import { isRecord } from "./canonical.ts"
import { type Check, check, demand, notProved, type Pins, reading } from "./check.ts"
import { isSignedBy, readEvent } from "./event.ts"
import { eventsOfStream } from "./eventStream.ts"
import { parseJson } from "./json.ts"
import { parseKeyDocument, type ServiceKey } from "./keys.ts"
import { inUse, vouched } from "./verifyResponse.ts"

export interface EventOptions {
  /** The service's key document, as parsed JSON. */
  readonly keys: unknown
  readonly pins?: Pins
  /** Wall clock in epoch milliseconds. */
  readonly now?: number
}

/** The members of an answer of `/v1/events` beside its events; they say what was asked for and are not signed. */
const besideEvents: ReadonlySet<string> = new Set([
  "generated_utc",
  "events",
  "next_after",
  "more",
  "oldest_id",
  "newest_id",
  "gap",
  "access"
])

/**
 * The events in a file: one event, an answer of `/v1/events`, the body of a webhook, lines of JSON, or a saved stream.
 * Throws `Malformed`, also for anything beside the events that a reader could take for one.
 */
export const eventsIn = (bytes: Uint8Array): ReadonlyArray<unknown> => {
  const text = fromUtf8(bytes)
  if (!/^\uFEFF?\s*[[{]/.test(text)) return eventsOfStream(text)
  const lines = text.split(/\r?\n/).filter((line) => line !== "")
  if (lines.length > 1 && lines.every((line) => /^\{.*\}$/.test(line))) return lines.map(parseJson)
  const value = parseJson(text)
  if (!isRecord(value)) return [value]
  const { data, events, kind, type } = value
  if (Array.isArray(events)) {
    demandOnly(value, besideEvents, "an answer of /v1/events")
    return events
  }
  // The body of a webhook has the event as its `data`; an event has a kind.
  if (kind !== undefined || data === undefined) return [value]
  demandOnly(value, new Set(["type", "timestamp", "data"]), "the body of a webhook")
  demand(
    isRecord(data) && data["kind"] === type,
    `the webhook says ${String(type)}, but its event is ${isRecord(data) ? String(data["kind"]) : "no object"}`
  )
  return [data]
}

const demandOnly = (
  value: Readonly<Record<string, unknown>>,
  members: ReadonlySet<string>,
  what: string
): void => {
  const other = Object.keys(value).find((member) => !members.has(member))
  demand(other === undefined, `${what} has no member ${other}: nothing signs it`)
}

/** Checks events of one service, oldest or newest first: each signature, that no id has two contents, and each key. */
export const verifyEvents = (
  events: ReadonlyArray<unknown>,
  { keys, now, pins = [] }: EventOptions
): ReadonlyArray<Check> => {
  const read = reading(
    "signatures",
    () => {
      const document = parseKeyDocument(keys)
      demand(events.length > 0, "there are no events in it")
      const texts = new Map<number, string>()
      const signers = new Map<string, { readonly key: ServiceKey; readonly times: Array<string> }>()
      for (const one of events) {
        const { event, kid, text } = readEvent(one)
        const key = document.answers.find((each) => each.kid === kid)
        demand(key !== undefined, `event ${event.id} names key ${kid}, which is not a key for answers`)
        demand(isSignedBy(one, key), `event ${event.id} is not what key ${kid} signed`)
        demand(
          (texts.get(event.id) ?? text) === text,
          `there are two events ${event.id} with different contents`
        )
        texts.set(event.id, text)
        const times = signers.get(kid)?.times ?? []
        times.push(event.signed_at)
        signers.set(kid, { key, times })
      }
      return { document, ids: [...texts.keys()].sort((a, b) => a - b), signers }
    },
    ({ ids, signers }) => `${describeEvents(ids)}, signed by ${[...signers.keys()].join(", ")}`
  )
  if (read.value === undefined) return [read.check, notProved("key in use", "no key matches the signatures")]
  const { document, ids, signers } = read.value
  return [
    read.check,
    ...[...signers.values()].flatMap(({ key, times }) => {
      const [first = "", last = ""] = [times.toSorted()[0], times.toSorted().at(-1)]
      const used = inUse(key, first, now)
      return [used.ok === true ? inUse(key, last, now) : used, vouched(key, document, pins)]
    }),
    checkContiguous(ids)
  ]
}

const describeEvents = (ids: ReadonlyArray<number>): string =>
  ids.length === 1 ? `event ${ids[0]}` : `${ids.length} events from ${ids[0]} to ${ids.at(-1)}`

/** Filters leave ids out, so a hole is no failure; without one, nothing is missing between the first and the last. */
const checkContiguous = (ids: ReadonlyArray<number>): Check =>
  check("nothing between them missing", () => {
    const [first = 0, last = 0] = [ids[0], ids.at(-1)]
    const holes = last - first + 1 - ids.length
    return holes === 0 ? "their ids follow each other" : `${holes} ids are left out, as a filter does`
  })
