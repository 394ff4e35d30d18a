/** A bundle of version 4 that carries the body in which its value stands. */
import { sha256 } from "@noble/hashes/sha2.js"
import type { Body } from "../../../core/proof/body.ts"
import { bundle4Tag, parseAnyBundle, partsOf } from "../../../core/proof/bundle.ts"
import { toHex, utf8 } from "../../../core/proof/bytes.ts"
import { noteKeyText } from "../../../core/proof/checkpoint.ts"
import { evidenceOf } from "../../../core/proof/kinds.ts"
import { type BundleOptions, verifyBundle } from "../../../core/proof/verifyBundle.ts"
import { batches, bundleOf } from "../../support/publication.ts"
import { loggedBundle } from "./logged.ts"
import { bodyText, drawnAlone, honest, noteFor } from "./others.ts"
import { type Forgery, group, network, now, pins } from "./table.ts"

const hash = (text: string): string => toHex(sha256(utf8(text)))

interface Saved {
  readonly json: string
  readonly options: BundleOptions
}

const at = "2026-09-04T11:00:00Z"
const url = "https://feed.example/v1/nodes"
const exchange = (text: string, more: object = {}) => ({
  method: "GET",
  url,
  at,
  status: 200,
  sha256: hash(text),
  notes: [],
  ...more
})

/** The bundle of a run that read these texts, and the body beside it. */
const withBody = (
  body: object,
  texts: ReadonlyArray<string> = ["[]", bodyText],
  { notes, ...options }: BundleOptions & { readonly notes?: ReadonlyArray<string> } = {}
): Saved => {
  const { hour, lot } = drawnAlone(noteKeyText(honest.verifier))
  const { bundle, evidence } = loggedBundle({
    run: {
      exchanges: texts.map((text) => exchange(text, { notes: (notes ?? []).map(hash) })),
      ...(notes === undefined ? {} : { lot })
    },
    ...(notes === undefined ? {} : { hour, notes })
  })
  const { batch, block, cosignatures, head, keys, leaf, log, members } = partsOf(bundle, evidence)
  const list = [...evidenceOf(members), { kind: "body", v: 1, ...body }]
  return {
    json: JSON.stringify({
      v: bundle4Tag,
      leaf,
      batch,
      log,
      head,
      keys,
      cosignatures,
      block,
      evidence: list
    }),
    options: { network, pins, now, ...options }
  }
}

const own: Body = { exchange: 1, text: bodyText, pointer: "/nodes" }

/** The value stands at the pointer of this body, or does not. */
const standing = (text: string, pointer: string, more: object = {}): Saved =>
  withBody({ exchange: 0, text, pointer, ...more }, [text])

const without = (kind: string) => (): Saved => {
  const { json, options } = withBody(own)
  const bundle = JSON.parse(json)
  return {
    json: JSON.stringify({
      ...bundle,
      evidence: bundle.evidence.filter((one: { readonly kind: string }) => one.kind !== kind)
    }),
    options
  }
}

export const verifyTold4 = ({ json, options }: Saved) => verifyBundle(parseAnyBundle(json), options).checks

const ofBody = (name: string, forge: () => Saved, says: RegExp): Forgery<Saved> => ({
  name,
  foundBy: "body",
  forge,
  says
})
const unread = (name: string, body: object): Forgery<Saved> => ({
  name,
  foundBy: "read",
  forge: () => withBody(body)
})

export const bodies = group("a bundle with the body of its value", () => withBody(own), verifyTold4, [
  ofBody(
    "another body",
    () => withBody({ ...own, text: bodyText.replace("41.5", "41.50") }),
    /is not what the exchange 1/
  ),
  ofBody(
    "the body of another exchange",
    () => withBody({ ...own, exchange: 0 }),
    /is not what the exchange 0/
  ),
  ofBody("an exchange that the run has not", () => withBody({ ...own, exchange: 2 }), /none at place 2/),
  ofBody(
    "a place with another number",
    () => standing('{"nodes":41.5,"gpus":9999}', "/gpus"),
    /says 9999 at \/gpus/
  ),
  ofBody("a place that is nowhere", () => withBody({ ...own, pointer: "/gpus" }), /says nothing at \/gpus/),
  ofBody("the whole body", () => withBody({ ...own, pointer: "" }), /at its top/),
  ofBody("a place that is no pointer", () => withBody({ ...own, pointer: "nodes" }), /no JSON pointer/),
  ofBody(
    "a place with an unknown escape",
    () => withBody({ ...own, pointer: "/nod~2es" }),
    /no JSON pointer/
  ),
  ofBody("a member that every object has", () => withBody({ ...own, pointer: "/__proto__" }), /says nothing/),
  ofBody("the length of a list", () => standing("[1,2]", "/length"), /says nothing/),
  ofBody("a place of a list with a leading zero", () => standing("[41.5]", "/00"), /says nothing/),
  ofBody("a member of a text", () => standing('"41.5"', "/0"), /says nothing/),
  ofBody(
    "a number with an exponent as a text",
    () => standing('{"nodes":"4.15e1"}', "/nodes"),
    /says "4.15e1"/
  ),
  ofBody("a number in hexadecimal", () => standing('{"nodes":"0x29"}', "/nodes"), /says "0x29"/),
  ofBody("a number with a sign before it", () => standing('{"nodes":"+41.5"}', "/nodes"), /says "\+41.5"/),
  ofBody("a number in a list of its own", () => standing('{"nodes":[41.5]}', "/nodes"), /says \[41.5\]/),
  ofBody(
    "the next double",
    () => standing('{"nodes":41.50000000000001}', "/nodes"),
    /says 41.50000000000001/
  ),
  ofBody(
    "a body of lists in one another",
    () => standing(`${"[".repeat(65)}41.5${"]".repeat(65)}`, "/0".repeat(65)),
    /nested deeper than 64/
  ),
  ofBody(
    "a body of more lists than a reader can go down",
    () => standing(`${"[".repeat(8000)}41.5${"]".repeat(8000)}`, ""),
    /nested deeper than 64/
  ),
  ofBody("a body that is no JSON", () => standing("nodes: 41.5", "/nodes"), /is not JSON/),
  ofBody(
    "a body of more than 16 kB",
    () => standing(`{"nodes":41.5,"x":"${"x".repeat(16_384)}"}`, "/nodes"),
    /at most 16384 bytes/
  ),
  {
    name: "a body of a run that the bundle lacks",
    foundBy: "body",
    notProved: true,
    forge: without("run"),
    says: /the run that read the body is not beside it/
  },
  {
    name: "a body of another run's value",
    foundBy: "body",
    says: /value's row/,
    forge: () => {
      const { json, options } = withBody(own)
      return { json: json.replace(/"row":\{"index":1/, '"row":{"index":0'), options }
    }
  },
  unread("a body with a member more", { ...own, note: "trust me" }),
  unread("a body without its place", { exchange: 1, text: bodyText }),
  unread("a body whose exchange is no number", { ...own, exchange: "1" })
])

/** A body beside an absence. */
export const besideAbsence = (): Saved => {
  const place = (batches[3]?.leaves.length ?? 0) - 1
  const { batch, block, cosignatures, head, keys, leaf, log, members } = partsOf(bundleOf(3, place))
  return {
    json: JSON.stringify({
      v: bundle4Tag,
      leaf,
      batch,
      log,
      head,
      keys,
      cosignatures,
      block,
      evidence: [...evidenceOf(members), { kind: "body", v: 1, ...own }]
    }),
    options: { network, pins, now }
  }
}

/** Bodies in which the value stands, in whatever way. */
export const honestBodies: ReadonlyArray<Saved> = [
  withBody(own),
  standing('[{"a":[0,{"b/~c":41.5}]}]', "/0/a/1/b~1~0c"),
  standing("41.5", ""),
  standing(`${"[".repeat(64)}41.5${"]".repeat(64)}`, "/0".repeat(64)),
  standing('{"nodes":"41.50"}', "/nodes"),
  standing(' {"nodes" : 4.15e1 }\n', "/nodes")
]

/** The same with a notary who states the exchange. */
export const notarisedBody = (): Saved => {
  const note = noteFor(bodyText)
  return withBody({ ...own, exchange: 0 }, [bodyText], {
    notes: [note],
    notaries: { notaries: [honest.verifier], least: 1 }
  })
}
