/** The demo's notary: it states sessions that nobody held, in the form in which a notary states those that it carried. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { LogKey } from "../../../core/log/Log.ts"
import { day as dayMs } from "../../../core/plugin/time.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { verifierOf } from "../../../core/proof/checkpoint.ts"
import {
  type Notarisation,
  type NotarisedExchange,
  notarisationNote,
  noteHash
} from "../../../core/proof/notarisation.ts"
import { isHostName } from "../../../core/proof/sessionSense.ts"
import type { RunExchange, RunResult } from "../../../core/readings/ingest/Run.ts"
import { lastSessions } from "../../../core/readings/ingest/runs/notes.ts"
import { attribute, EarlierNotes } from "../../notaries/attribute.ts"
import type { SimulatedSeats } from "../../outside/simulatedSeats.ts"
import { notarisedFrom } from "../script.ts"
import { party } from "./parties.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** He carries the sessions of one feed in four. */
const isCarried = (plugin: string): boolean => Number.parseInt(sha256(plugin).slice(0, 2), 16) % 4 === 0

/** The host of an exchange that a notary could have carried: by https, to port 443. */
const hostOf = ({ method, url }: RunExchange): string | undefined => {
  const { hostname, port, protocol } = new URL(url)
  return method !== "LISTEN" && protocol === "https:" && port === "" && isHostName(hostname)
    ? hostname
    : undefined
}

const statedOf = ({
  at,
  confirmed,
  method,
  request_body,
  size,
  url,
  ...answer
}: RunExchange): NotarisedExchange => {
  const { pathname, search } = new URL(url)
  const status = confirmed ? 304 : answer.status
  const isBare = status === 204 || status === 304
  return {
    asked_at: at,
    answered_at: at,
    request: {
      method: method === "POST" ? "POST" : "GET",
      target: `${pathname}${search}`,
      ...(request_body === undefined ? {} : { body_sha256: sha256(request_body) })
    },
    response: isBare
      ? { status, whole: "none", sha256: sha256(""), size: 0, encoded_size: 0 }
      : { status, whole: "length", sha256: answer.sha256, size, encoded_size: size }
  }
}

/** Parts of a session that nobody held: each says of itself that it is simulated. */
const pretended = {
  // An address for documentation (RFC 5737).
  address: "192.0.2.1",
  cipher: "TLS_AES_128_GCM_SHA256",
  signature: "ecdsa_secp256r1_sha256",
  roots_sha256: sha256("simulated roots"),
  // It keeps no log of its own.
  log: { size: 0, root: sha256("") }
}

/** Days for which a simulated certificate is in force after its session. */
const certificateDays = 60

export const notary = Effect.gen(function* () {
  const { origin } = yield* LogKey
  const { name, publicKey, sign } = yield* party("notary")
  const verifier = verifierOf(name, publicKey)
  const earlier = new EarlierNotes()
  /** Sessions by the day on which they were opened; after a restart it goes on with the numbers that are stored. */
  const opened = yield* lastSessions(verifier)

  const noteOf = (run: RunResult, host: string, exchanges: ReadonlyArray<RunExchange>) => {
    const [first, last] = [exchanges[0]?.at ?? run.now, exchanges.at(-1)?.at ?? run.now]
    const day = first.slice(0, 10)
    const n = (opened.get(day) ?? 0) + 1
    opened.set(day, n)
    const statement: Notarisation = {
      ...pretended,
      v: "service-notarisation-v1-demo",
      notary: name,
      collector: origin,
      day,
      n,
      host,
      session: sha256(`simulated session ${run.id} ${host}`),
      certificate: {
        sha256: sha256(`simulated certificate ${host}`),
        root_sha256: sha256("simulated root"),
        not_after: isoTime(Date.parse(first) + certificateDays * dayMs)
      },
      opened_at: first,
      closed_at: last,
      stated_at: last,
      cut: false,
      exchanges: exchanges.map(statedOf),
      simulated: true
    }
    const text = notarisationNote(statement, verifier, sign)
    return { sha256: noteHash(text), text, statement }
  }

  const seat: SimulatedSeats["notary"] = {
    verifier,
    notes: (run) => {
      if (!isCarried(run.plugin) || Date.parse(run.now) < notarisedFrom) return undefined
      const byHost = Map.groupBy(run.exchanges, hostOf)
      const notes = [...byHost].flatMap(([host, exchanges]) =>
        host === undefined ? [] : [noteOf(run, host, exchanges)]
      )
      const attributed = attribute(run.plugin, run.exchanges, notes, earlier)
      return attributed.exchanges.length === 0 ? undefined : { run: run.id, ...attributed }
    }
  }
  return seat
})
