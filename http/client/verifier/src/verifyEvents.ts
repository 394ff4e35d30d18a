/** Checks events: from a list, a saved stream or the body of a webhook. */
import { fromUtf8 } from "../../../../core/proof/bytes.ts"
import { isRecord } from "../../../../core/proof/canonical.ts"
import {
  type Check,
  check,
  demand,
  failed,
  notChecked,
  notProved,
  type Pins,
  reading
} from "../../../../core/proof/check.ts"
import {
  eventHash,
  isSignedBy,
  previousOf,
  readEvent,
  type SignedEvent
} from "../../../../core/proof/event.ts"
import type { EventsDocument } from "../../../../core/proof/eventsDocument.ts"
import { isBeforeFirst } from "../../../../core/proof/firstEntry.ts"
import { parseJson } from "../../../../core/proof/json.ts"
import { isDemoLog, parseKeyDocument, type ServiceKey } from "../../../../core/proof/keys.ts"
import { inUse, vouched } from "../../../../core/proof/verifyResponse.ts"
import { eventsOfStream } from "./eventStream.ts"

export interface EventOptions {
  /** The service's key document, as parsed JSON. */
  readonly keys: unknown
  readonly pins?: Pins
  /** Wall clock in epoch milliseconds. */
  readonly now?: number
  /** The documents of events that the log has, where it is at hand. */
  readonly logged?: ReadonlyArray<EventsDocument>
}

/** An event whose signature holds. */
interface Read {
  readonly event: SignedEvent
  readonly text: string
}

/** The members of an answer of `/v1/events` beside its events; they say what was asked for and are not signed. */
export const besideEvents: ReadonlySet<string> = new Set([
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
    `the webhook says ${String(type)}, but its event is ${isRecord(data) ? String(data["kind"]) : "no object"}`,
    "contradiction"
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
  { keys, logged, now, pins = [] }: EventOptions
): ReadonlyArray<Check> => {
  // A quiet page is an honest answer: it proves nothing, and nothing in it is altered.
  if (events.length === 0) return [notProved("signatures", "there are no events in it")]
  const read = reading(
    "signatures",
    () => {
      const document = parseKeyDocument(keys)
      const all = new Map<number, Read>()
      const signers = new Map<string, { readonly key: ServiceKey; readonly times: Array<string> }>()
      for (const one of events) {
        const { event, kid, text } = readEvent(one)
        const key = document.answers.find((each) => each.kid === kid)
        demand(key !== undefined, `event ${event.id} names key ${kid}, which is not a key for answers`, "key")
        demand(isSignedBy(one, key), `event ${event.id} is not what key ${kid} signed`, "signature")
        demand(
          (all.get(event.id)?.text ?? text) === text,
          `there are two events ${event.id} with different contents`,
          "contradiction"
        )
        demand(
          isDemoLog(document.checkpointOrigin) === (event.simulated === true),
          `event ${event.id} and the keys disagree on whether they are simulated`,
          "contradiction"
        )
        all.set(event.id, { event, text })
        const times = signers.get(kid)?.times ?? []
        times.push(event.signed_at)
        signers.set(kid, { key, times })
      }
      const inOrder = [...all.values()].sort((a, b) => a.event.id - b.event.id)
      return { document, inOrder, signers }
    },
    ({ inOrder, signers }) => `${describeEvents(inOrder)}, signed by ${[...signers.keys()].join(", ")}`
  )
  if (read.value === undefined)
    return [read.check, notProved("key in use", "no key matches the signatures", "unavailable")]
  const { document, inOrder, signers } = read.value
  return [
    read.check,
    ...[...signers.values()].flatMap(({ key, times }) => {
      const [first = "", last = ""] = [times.toSorted()[0], times.toSorted().at(-1)]
      const used = inUse(key, first, now)
      return [used.ok === true ? inUse(key, last, now) : used, vouched(key, document, pins)]
    }),
    checkContiguous(inOrder),
    ...checkChain(inOrder, logged ?? []),
    ...(logged === undefined ? [] : [checkLogged(inOrder, logged)])
  ]
}

const describeEvents = (all: ReadonlyArray<Read>): string =>
  all.length === 1
    ? `event ${all[0]?.event.id}`
    : `${all.length} events from ${all[0]?.event.id} to ${all.at(-1)?.event.id}`

/** Filters leave ids out, so a hole is no failure; without one, nothing is missing between the first and the last. */
const checkContiguous = (all: ReadonlyArray<Read>): Check =>
  check("nothing between them missing", () => {
    const [first = 0, last = 0] = [all[0]?.event.id, all.at(-1)?.event.id]
    const holes = last - first + 1 - all.length
    return holes === 0 ? "their ids follow each other" : `${holes} ids are left out, as a filter does`
  })

/** True for an event that must name the one before it: the log had a chain of events by then. */
const mustName = ({ at, id, simulated }: SignedEvent, logged: ReadonlyArray<EventsDocument>): boolean =>
  id > 1 && (logged.some(({ first }) => first < id) || !isBeforeFirst({ at, simulated }, undefined))

/** Whether each event names the one before it. Where ids are left out, or events are of an earlier release, it cannot be told. */
const checkChain = (
  all: ReadonlyArray<Read>,
  logged: ReadonlyArray<EventsDocument>
): ReadonlyArray<Check> => {
  const name = "chain"
  const pairs = all.slice(1).map((later, place) => ({ later, before: all[place] }))
  const links = pairs.flatMap(({ before, later: { event } }) =>
    before !== undefined && before.event.id + 1 === event.id && previousOf(event) !== undefined
      ? [{ before, event }]
      : []
  )
  const broken = links.find(({ before, event }) => previousOf(event) !== eventHash(before.text))
  if (broken !== undefined) {
    const { before, event } = broken
    return [
      failed(
        name,
        `event ${event.id} follows another event ${before.event.id} than the one that is here: somebody was given other events`,
        "hash"
      )
    ]
  }
  const gaps = pairs.filter(({ before, later }) => (before?.event.id ?? 0) + 1 !== later.event.id).length
  const unlinked = all.flatMap(({ event }) =>
    event.id > 1 && previousOf(event) === undefined ? [event] : []
  )
  const owing = unlinked.find((event) => mustName(event, logged))
  return [
    ...(links.length === 0
      ? []
      : [{ name, ok: true as const, detail: `${links.length} events name the one before them` }]),
    ...(gaps === 0
      ? []
      : [
          notChecked(
            `${name}: gap`,
            `${gaps} gaps: what is between them is not here, so they are not linked`,
            "unavailable"
          )
        ]),
    ...(owing !== undefined
      ? [
          notProved(
            `${name}: no link`,
            `event ${owing.id} does not say which one it follows, and the log had a chain of events by then`
          )
        ]
      : unlinked.length === 0
        ? []
        : [
            notChecked(
              `${name}: no link`,
              `${unlinked.length} events do not say which one they follow, as those of an earlier release`,
              "unavailable"
            )
          ])
  ]
}

/** Whether the events are those whose heads the log has. */
const checkLogged = (all: ReadonlyArray<Read>, logged: ReadonlyArray<EventsDocument>): Check => {
  const name = "events in log"
  const heads = logged.flatMap(({ day, head, last }) => {
    const one = all.find(({ event }) => event.id === last)
    return one === undefined ? [] : [{ day, head, last, hash: eventHash(one.text) }]
  })
  const other = heads.find(({ hash, head }) => hash !== head)
  if (other !== undefined)
    return failed(
      name,
      `the log ends ${other.day} with another event ${other.last}: somebody was given other events`,
      "hash"
    )
  const newest = logged.at(-1)
  return heads.length === 0
    ? notProved(
        name,
        newest === undefined
          ? "the log has no events yet"
          : `the log has the heads of its days up to event ${newest.last} of ${newest.day}, and none of them is here`
      )
    : {
        name,
        ok: true,
        detail: `the log has the events up to ${heads.map(({ day, last }) => `${last} (${day})`).join(", ")}, each by the hash of the last of its day`
      }
}
