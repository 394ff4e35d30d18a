/** Events that name the one before them, and the heads that the log has of them. */
import { utf8 } from "../../../core/proof/bytes.ts"
import { eventHash, eventText, servedEvent } from "../../../core/proof/event.ts"
import type { EventsDocument } from "../../../core/proof/eventsDocument.ts"
import { thumbprint } from "../../../core/proof/keys.ts"
import { signatureHeader } from "../../../core/proof/statement.ts"
import { eventsIn, verifyEvents } from "../../../http/client/verifier/src/verifyEvents.ts"
import { publicKeyOf, signEd25519 } from "../../support/ed25519.ts"
import { keys, secret } from "../../support/publication.ts"
import { group, now, pins } from "./table.ts"

const kid = thumbprint(publicKeyOf(secret))

const textOf = (id: number, value: number, previous?: string, at = "2026-09-04T09:00:00Z"): string =>
  eventText({
    v: "service-event-v1",
    id,
    kind: "values",
    at,
    signed_at: at,
    symbol: "FIL",
    data: { rows: [value], ...(previous === undefined ? {} : { previous }) }
  })

const signed = (text: string): string =>
  servedEvent(text, { kid, signature: signatureHeader(signEd25519(utf8(text), secret)) })

const one = textOf(1, 41.5)
const two = textOf(2, 42, eventHash(one))
const three = textOf(3, 43, eventHash(two))
/** The operator signs another second event for somebody else. */
const other = textOf(2, 9999, eventHash(one))

const ofDay: EventsDocument = {
  v: "service-events-v1",
  day: "2026-09-04",
  first: 1,
  last: 2,
  n: 2,
  head: eventHash(two)
}
const logged = [ofDay]
const lines = (...texts: ReadonlyArray<string>) => texts.map(signed).join("\n")
const verify = (text: string) => verifyEvents(eventsIn(utf8(text)), { keys, pins, now, logged })
/** Without the log. */
const verifyAlone = (text: string) => verifyEvents(eventsIn(utf8(text)), { keys, pins, now })

export const chainedEvents = group("a chain of events", () => chain.honest, verify, [
  {
    name: "another event in the midst",
    foundBy: "chain",
    says: /event 3 follows another event 2/,
    forge: () => lines(one, other, three)
  },
  {
    name: "a first event that follows another",
    foundBy: "signatures",
    says: /the first one follows no other/,
    forge: () => lines(one).replace('"rows":[41.5]', `"previous":"${"0".repeat(64)}","rows":[41.5]`)
  },
  { name: "another first event", foundBy: "chain", forge: () => lines(textOf(1, 7), two, three) },
  {
    name: "another first event, newest first",
    foundBy: "chain",
    forge: () => lines(three, two, textOf(1, 7))
  },
  {
    name: "a branch that is linked in itself",
    foundBy: "events in log",
    says: /another event 2/,
    forge: () => chain.branch
  },
  {
    name: "a branch without links",
    foundBy: "events in log",
    says: /another event 2/,
    forge: () => lines(textOf(1, 7), textOf(2, 8), textOf(3, 9))
  },
  { name: "both branches", foundBy: "signatures", says: /two events 2/, forge: () => lines(one, two, other) },
  {
    name: "a link that was taken away",
    foundBy: "signatures",
    forge: (text) => text.replace(/"previous":"[0-9a-f]*",/, "")
  },
  {
    name: "a link that is no hash",
    foundBy: "signatures",
    says: /previous/,
    forge: (text) => text.replace(/"previous":"./, '"previous":"G')
  },
  {
    name: "none that the log has a head of",
    foundBy: "events in log",
    notProved: true,
    forge: () => lines(three)
  },
  {
    name: "an event that names none before it, of a log that has the chain",
    foundBy: "chain: no link",
    notProved: true,
    forge: () => lines(two, textOf(3, 43))
  },
  {
    name: "one event alone that names none",
    foundBy: "chain: no link",
    notProved: true,
    forge: () => lines(textOf(3, 43))
  }
])

/** The chain, a branch of it, and the document that the log has of it. */
export const chain = {
  honest: lines(one, two, three),
  branch: lines(one, other, textOf(3, 43, eventHash(other))),
  logged: ofDay
}

/** What is said of events that are not linked: it is no failure. */
export const unlinked = {
  gap: verify(lines(two, textOf(4, 44, eventHash(three)))),
  earlier: verifyAlone(lines(textOf(2, 42), textOf(3, 43))),
  /** Those of a release that links them, which are of a day to come. */
  later: verifyAlone(lines(textOf(2, 42, undefined, "2026-12-01T09:00:00Z")))
}
