/** Who vouches for a value must be somebody else, and say what can be: observers, notaries and witnesses that are the service, or contradict themselves. */
import { sha256 } from "@noble/hashes/sha2.js"
import { toHex, utf8 } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import {
  noteKeyText,
  noteText,
  parseNote,
  signatureLine,
  verifierOf
} from "../../../core/proof/checkpoint.ts"
import { cosignatureLine, cosignatureMessage, cosignerOf } from "../../../core/proof/cosignature.ts"
import { thumbprint } from "../../../core/proof/keys.ts"
import { notaryListHash } from "../../../core/proof/lot.ts"
import { treeOf } from "../../../core/proof/merkle.ts"
import type { NotarisedExchange } from "../../../core/proof/notarisation.ts"
import { publicKeyOf, signEd25519 } from "../../support/ed25519.ts"
import { batches, bundleOf, checkpointOf, origin, retiredSecret, secret } from "../../support/publication.ts"
import { type Input, inputOf, type Logged, loggedBundle, verifyBoth } from "./logged.ts"
import { type Forgery, group, trueInput, verifyTold } from "./table.ts"

const hash = (text: string): string => toHex(sha256(utf8(text)))
const nothing = hash("")
type Loose = Readonly<Record<string, unknown>>

export const bodyText = '{"nodes":41.5}'
const body = bodyText
const at = "2026-09-04T11:00:00Z"
const exchange = {
  method: "GET",
  url: "https://feed.example/v1/nodes",
  at,
  status: 200,
  sha256: hash(body)
}

const response = {
  status: 200,
  whole: "length",
  sha256: hash(body),
  size: body.length,
  encoded_size: body.length
}
const stated: Readonly<Record<keyof NotarisedExchange, unknown>> = {
  asked_at: at,
  answered_at: at,
  request: { method: "GET", target: "/v1/nodes" },
  response
}

const notarySecret = new Uint8Array(32).fill(31)
const notaryOf = (name = "notary.example/n1", key = notarySecret) => ({
  key,
  verifier: verifierOf(name, publicKeyOf(key))
})
export const honest = notaryOf()

/** A statement that need not be possible, signed all the same. */
const noteOf = (more: Loose = {}, { key, verifier } = honest): string => {
  const statement = {
    v: "service-notarisation-v1",
    notary: verifier.name,
    collector: origin,
    day: "2026-09-04",
    n: 1,
    host: "feed.example",
    address: "93.184.216.1",
    session: "1".repeat(64),
    cipher: "TLS_AES_256_GCM_SHA384",
    signature: "ecdsa_secp256r1_sha256",
    certificate: {
      sha256: "2".repeat(64),
      root_sha256: "3".repeat(64),
      not_after: "2027-01-01T00:00:00Z"
    },
    roots_sha256: "4".repeat(64),
    opened_at: at,
    closed_at: at,
    stated_at: at,
    cut: false,
    exchanges: [stated],
    log: { size: 1, root: "5".repeat(64) },
    ...more
  }
  const text = `${canonical(statement)}\n`
  return noteText(text, [signatureLine(verifier, signEd25519(utf8(text), key))])
}

/** A true statement about an exchange that read this text. */
export const noteFor = (text: string): string =>
  noteOf({
    exchanges: [
      {
        ...stated,
        response: { ...response, sha256: hash(text), size: text.length, encoded_size: text.length }
      }
    ]
  })
/** A head of the log before the run, by which its only notary is drawn. */
const drawingHead = checkpointOf(treeOf(batches.slice(0, 1).map((one) => utf8(canonical(one.entry)))))

/** What run and hour say of a draw from one notary alone. */
export const drawnAlone = (key: string) => ({
  lot: { head: hash(drawingHead), notary: key, from: notaryListHash([key]) },
  hour: { drawn_from: [[key]], n_draws: 1, drawn_by: [drawingHead] }
})

/** The bundle of a run with one exchange, which these notes state, for a reader who names this notary. */
const notarised = (
  note: string,
  { by = honest, of = exchange }: { readonly by?: typeof honest; readonly of?: Loose } = {}
): Input => {
  const { hour, lot } = drawnAlone(noteKeyText(by.verifier))
  const { bundle, evidence } = loggedBundle({
    run: { exchanges: [{ ...of, notes: [hash(note)] }], lot },
    hour,
    notes: [note]
  })
  return trueInput(bundle, { evidence, notaries: { notaries: [by.verifier], least: 1 } })
}

const answered = (more: Loose, exchanged: Loose = {}) => ({
  exchanges: [{ ...stated, ...exchanged, response: { ...response, ...more } }]
})
const ofNote = (name: string, more: Loose, says: RegExp): Forgery<Input> => ({
  name,
  foundBy: "notaries",
  forge: () => notarised(noteOf(more)),
  says
})
/** The statement holds, and is not about the exchange. */
const unstated = (name: string, forge: () => Input): Forgery<Input> => ({
  name,
  foundBy: "notaries",
  forge,
  says: /0 notaries of the 1/,
  notProved: true
})
const own = notaryOf("notary.example/n1", secret)
const ownRetired = notaryOf("notary.example/n1", retiredSecret)
const named = notaryOf(origin)

export const notaryStatements = group(
  "a bundle that a notary vouches for",
  () => notarised(noteOf()),
  verifyBoth,
  [
    {
      name: "a notary with the service's key",
      foundBy: "notaries",
      forge: () => notarised(noteOf({}, own), { by: own }),
      says: /has the key .* of the service itself/
    },
    {
      name: "a notary with a key that the service had",
      foundBy: "notaries",
      forge: () => notarised(noteOf({}, ownRetired), { by: ownRetired }),
      says: /has the key .* of the service itself/
    },
    {
      name: "a notary with the name of the service's log",
      foundBy: "notaries",
      forge: () => notarised(noteOf({}, named), { by: named }),
      says: /has the name of the service's own log/
    },
    ofNote(
      "a statement about another operator's session",
      { collector: "other.example/log" },
      /carried a session for other/
    ),
    ofNote(
      "a statement of a demo",
      { v: "service-notarisation-v1-demo", simulated: true },
      /disagree on whether they are simulated/
    ),
    ofNote("a session of another day", { day: "2026-09-05" }, /is not of the day 2026-09-05/),
    ofNote("a host with a port", { host: "feed.example:8443" }, /is not the name of a host/),
    ofNote("a host with a scheme", { host: "https://feed.example" }, /is not the name of a host/),
    ofNote("a host that is an address", { host: "93.184.216.1" }, /is not the name of a host/),
    ofNote("a host in capitals", { host: "FEED.example" }, /is not the name of a host/),
    ofNote(
      "a session that was closed before the answer",
      { closed_at: "2026-09-04T10:59:59Z", opened_at: "2026-09-04T10:59:58Z" },
      /answered at .*/
    ),
    ofNote(
      "a session that was opened after the answer",
      {
        opened_at: "2026-09-04T11:00:01Z",
        closed_at: "2026-09-04T11:00:02Z",
        stated_at: "2026-09-04T11:00:03Z"
      },
      /opened at/
    ),
    ofNote(
      "a statement from before the session was over",
      { closed_at: "2026-09-04T11:00:02Z", stated_at: "2026-09-04T11:00:01Z" },
      /stated at/
    ),
    ofNote(
      "an answer before its request",
      {
        closed_at: "2026-09-04T11:00:02Z",
        stated_at: "2026-09-04T11:00:02Z",
        exchanges: [{ ...stated, asked_at: "2026-09-04T11:00:01Z" }]
      },
      /answered at/
    ),
    ofNote(
      "exchanges out of order",
      {
        closed_at: "2026-09-04T11:00:02Z",
        stated_at: "2026-09-04T11:00:02Z",
        exchanges: [
          { ...stated, asked_at: "2026-09-04T11:00:01Z", answered_at: "2026-09-04T11:00:01Z" },
          stated
        ]
      },
      /asked at/
    ),
    ofNote(
      "a certificate that had ended",
      {
        certificate: {
          sha256: "2".repeat(64),
          root_sha256: "3".repeat(64),
          not_after: "2026-09-04T10:59:59Z"
        }
      },
      /had ended/
    ),
    ofNote("an answer without a body that has one", answered({ whole: "none" }), /cannot have ended by none/),
    ofNote(
      "an empty answer with the hash of another",
      answered({ size: 0, encoded_size: 0 }),
      /an answer of 0 bytes/
    ),
    ofNote(
      "an answer with a size and the hash of nothing",
      answered({ sha256: nothing }),
      /cannot have the hash/
    ),
    ofNote(
      "an answer that is nothing before it is decoded",
      answered({ encoded_size: 0 }),
      /0 bytes, 14 when decoded/
    ),
    ofNote("a 304 with a body", answered({ status: 304 }), /304/),
    ofNote(
      "a GET without a body and a status that has one",
      answered({ whole: "none", sha256: nothing, size: 0, encoded_size: 0 }),
      /status 200 to a GET/
    ),
    ofNote("an answer that is only a promise of one", answered({ status: 103 }), /status 103/),
    unstated("an address without TLS", () =>
      notarised(noteOf(), { of: { ...exchange, url: "http://feed.example/v1/nodes" } })
    ),
    unstated("an address of another scheme", () =>
      notarised(noteOf(), { of: { ...exchange, url: "ftp://feed.example/v1/nodes" } })
    ),
    unstated("an address at another port", () =>
      notarised(noteOf(), { of: { ...exchange, url: "https://feed.example:8443/v1/nodes" } })
    ),
    unstated("a redirect that leaves TLS", () =>
      notarised(
        noteOf(
          answered({
            status: 302,
            whole: "length",
            location: "http://feed.example/v1/nodes"
          })
        )
      )
    )
  ]
)

const observed = (agreement: Logged["agreement"] = {}): Input => inputOf(loggedBundle({ agreement }))
const observer = {
  origin: "other.example/log",
  key: "kid-1",
  state: "read",
  size: 9,
  root: "e".repeat(64),
  batch_root: "f".repeat(64)
}
const ofObserver = (name: string, agreement: Logged["agreement"], says: RegExp): Forgery<Input> => ({
  name,
  foundBy: "other operators",
  forge: () => observed(agreement),
  says
})
const observers = (more: Loose, ...others: ReadonlyArray<Loose>) => ({
  document: { observers: [{ ...observer, ...more }, ...others] }
})

export const observedValues = group("a bundle that others observed", observed, verifyBoth, [
  ofObserver(
    "an observer with the key of the log",
    observers({ key: thumbprint(publicKeyOf(secret)) }),
    /the service itself/
  ),
  ofObserver(
    "an observer with a key that the service had",
    observers({ key: thumbprint(publicKeyOf(retiredSecret)) }),
    /the service itself/
  ),
  ofObserver("an observer with the name of the log", observers({ origin }), /the service's own log/),
  ofObserver(
    "an observer with the name of the log in capitals",
    observers({ origin: origin.toUpperCase() }),
    /the service's own log/
  ),
  ofObserver(
    "an unread observer that is the service",
    observers({}, { origin, key: "kid-2", state: "silent", why: "no answer" }),
    /the service's own log/
  ),
  ofObserver(
    "a tolerance that everything meets",
    { leaf: { tolerance: { relative: 1 } } },
    /above the greatest/
  ),
  ofObserver(
    "a tolerance of a thousand times the value",
    { leaf: { tolerance: { relative: 1000 } } },
    /above the greatest/
  ),
  ofObserver(
    "a distance that everything meets",
    { leaf: { tolerance: { absolute: 1e308 } } },
    /above the greatest/
  ),
  ofObserver("a distance of two", { leaf: { tolerance: { absolute: 2 } } }, /above the greatest/)
])

const seconds = Date.parse("2026-09-05T08:30:00Z") / 1000
const signedText = parseNote(bundleOf(3, 2).log.checkpoint).text
/** The bundle cosigned by this key under this name, for a reader who trusts it. */
const witnessed = (name: string, key: Uint8Array): Input => {
  const witness = cosignerOf(name, publicKeyOf(key))
  const line = cosignatureLine(
    witness,
    seconds,
    signEd25519(cosignatureMessage(signedText, seconds), key)
  ).slice(0, -1)
  const { bundle, options } = trueInput(bundleOf(3, 2), { witnesses: [witness] })
  return { bundle: { ...bundle, log: { ...bundle.log, cosignatures: [line] } }, options }
}
const witnessSecret = new Uint8Array(32).fill(32)
const ofWitness = (name: string, forge: () => Input, says: RegExp): Forgery<Input> => ({
  name,
  foundBy: "witnesses",
  forge,
  says
})

export const witnesses = group(
  "a bundle that a witness cosigned",
  () => witnessed("w.example", witnessSecret),
  verifyTold,
  [
    ofWitness(
      "a witness with the key of the log",
      () => witnessed("w.example", secret),
      /the service itself/
    ),
    ofWitness(
      "a witness with a key that the service had",
      () => witnessed("w.example", retiredSecret),
      /the service itself/
    ),
    ofWitness(
      "a witness with the name of the log",
      () => witnessed(origin, witnessSecret),
      /the service's own log/
    )
  ]
)
