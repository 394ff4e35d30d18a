/**
 * OpenTimestamps calendars over HTTP: `POST <calendar>/digest` with the raw digest, `GET <calendar>/timestamp/<hex>`. Only
 * hosts on the list are ever contacted, whatever an answer or a kept proof names.
 */
import { Effect, Layer, Option } from "effect"
import { Calendars, CalendarTrouble } from "../../core/log/Calendars.ts"
import { Malformed, toHex } from "../../core/proof/bytes.ts"
import { parseTimestamp } from "../../core/proof/ots/codec.ts"
import { attested, namesBlock, type Timestamp } from "../../core/proof/ots/timestamp.ts"
import { sendBounded } from "./boundedRequest.ts"

/** Calendars behind the public pools (opentimestamps.org, eternitywall.com, catallaxy.com), as of 2026. */
const knownHosts = [
  "alice.btc.calendar.opentimestamps.org",
  "bob.btc.calendar.opentimestamps.org",
  "finney.calendar.eternitywall.com",
  "btc.calendar.catallaxy.com"
]

/** Longest answer of a calendar, as the reference client has it. */
const longest = 10_000
const timeout = "20 seconds"
const accept = "application/vnd.opentimestamps.v1"

/** By host, the schemes under which it may be asked: the known hosts, and those of these addresses. */
const schemesOf = (addresses: ReadonlyArray<string>): ReadonlyMap<string, ReadonlySet<string>> => {
  const schemes = new Map(knownHosts.map((host) => [host, new Set(["https:"])]))
  for (const address of addresses) {
    const url = URL.parse(address)
    if (url === null) continue
    schemes.set(url.host, new Set([...(schemes.get(url.host) ?? []), url.protocol]))
  }
  return schemes
}

/** Calendars at the addresses of the moment; their hosts and the known ones may be asked for upgrades. */
export const layer = (addresses: () => ReadonlyArray<string>): Layer.Layer<Calendars> => {
  // The scheme as well: a proof must not turn an https calendar into a clear one.
  const isAllowed = (address: string): boolean => {
    const url = URL.parse(address)
    return (
      url !== null &&
      url.username === "" &&
      (schemesOf(addresses()).get(url.host)?.has(url.protocol) ?? false)
    )
  }

  const exchange = Effect.fnUntraced(function* (
    calendar: string,
    method: "GET" | "POST",
    path: string,
    body?: Uint8Array
  ) {
    if (!isAllowed(calendar)) {
      return yield* new CalendarTrouble({
        calendar,
        kind: "refused",
        message: `${calendar} is not on the list of allowed calendars`
      })
    }
    return yield* sendBounded({
      method,
      url: `${calendar.replace(/\/+$/, "")}${path}`,
      headers: { accept, "user-agent": "plumbline" },
      ...(body === undefined ? {} : { body }),
      most: longest,
      timeout
    }).pipe(
      Effect.mapError(
        ({ message }) =>
          new CalendarTrouble({ calendar, kind: "unreachable", message: `${calendar}: ${message}` })
      )
    )
  })

  const read = (calendar: string, bytes: Uint8Array, message: Uint8Array) =>
    Effect.try({
      try: () => trusted(parseTimestamp(bytes, message), isAllowed),
      catch: (error) =>
        new CalendarTrouble({
          calendar,
          kind: "malformed",
          message: `${calendar}: ${error instanceof Malformed ? error.message : "unreadable answer"}`
        })
    })

  const failedWith = (calendar: string, status: number) =>
    new CalendarTrouble({ calendar, kind: "unreachable", message: `${calendar} answered ${status}` })

  return Layer.succeed(
    Calendars,
    Calendars.of({
      get addresses() {
        return addresses().map((address) => address.replace(/\/+$/, ""))
      },
      submit: Effect.fn("Calendars.submit")(function* (address, digest) {
        const answer = yield* exchange(address, "POST", "/digest", digest)
        if (answer.status !== 200) return yield* failedWith(address, answer.status)
        return yield* read(address, answer.body, digest)
      }),
      upgrade: Effect.fn("Calendars.upgrade")(function* (uri, commitment) {
        const answer = yield* exchange(uri, "GET", `/timestamp/${toHex(commitment)}`)
        if (answer.status === 404) return Option.none()
        if (answer.status !== 200) return yield* failedWith(uri, answer.status)
        const timestamp = yield* read(uri, answer.body, commitment)
        return attested(timestamp).some(({ attestation }) => namesBlock(attestation))
          ? Option.some(timestamp)
          : Option.none()
      })
    })
  )
}

/** The timestamp, when it promises or proves something and names no calendar that is not on the list. */
const trusted = (timestamp: Timestamp, isAllowed: (uri: string) => boolean): Timestamp => {
  const ends = attested(timestamp).map(({ attestation }) => attestation)
  const stranger = ends.find((one) => one.kind === "pending" && !isAllowed(one.uri))
  if (stranger !== undefined) throw new Malformed("it names a calendar that is not on the list")
  if (!ends.some((one) => one.kind === "pending" || namesBlock(one))) {
    throw new Malformed("it contains neither a pending nor a Bitcoin attestation")
  }
  return timestamp
}
