/** The documents that log entries commit to: revisions, incidents and rotations, one text each. */
import { assert, describe, it } from "vitest"
import { Malformed, utf8 } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { noteText, signatureLine, verifierOf, vkey } from "../../core/proof/checkpoint.ts"
import { type FeedChanges, feedsSubject, feedsText, parseFeeds } from "../../core/proof/feeds.ts"
import {
  type IncidentEvents,
  incidentsSubject,
  incidentsText,
  parseIncidents
} from "../../core/proof/incidents.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import {
  parseRevisions,
  type Revisions,
  revisionsSubject,
  revisionsText
} from "../../core/proof/revisions.ts"
import {
  parseRotation,
  type Rotation,
  rotationNote,
  rotationSubject,
  rotationText
} from "../../core/proof/rotation.ts"
import { publicKeyOf, signEd25519 } from "../support/ed25519.ts"

const series = { symbol: "FIL", metric: "devices_total", source: "example-feed" }
const refuses = (parse: (text: string) => unknown, changed: unknown) =>
  assert.throws(() => parse(canonical(changed)), Malformed, undefined, canonical(changed))

describe("a document of revisions", () => {
  const one = {
    id: 7,
    ...series,
    as_of: "2026-09-04T18:00:00Z",
    version: 2,
    before_value: 3107,
    after_value: 3108,
    after_text: "3108.0000000000000001",
    recorded_at: "2026-09-06T10:00:00Z",
    run: "run-1",
    why: "the upstream restated it"
  }
  const document: Revisions = { v: "service-revisions-v2", revisions: [one, { ...one, id: 9 }] }

  it("is read back, and its subject is the range of its ids", () => {
    assert.deepStrictEqual(parseRevisions(revisionsText(document)), document)
    assert.strictEqual(revisionsSubject(document), "7-9")
    const demo: Revisions = { ...document, v: "service-revisions-v2-demo", simulated: true }
    assert.deepStrictEqual(parseRevisions(revisionsText(demo)), demo)
  })

  it("is refused in any other shape", () => {
    for (const bad of [
      [one],
      { ...document, v: "service-revisions-v1" },
      { ...document, simulated: true },
      { ...document, revisions: [] },
      { ...document, revisions: [one, one] },
      { ...document, revisions: [{ ...one, before_text: null }] },
      { ...document, revisions: [{ ...one, after_text: "3109" }] },
      { ...document, revisions: [{ ...one, extra: 1 }] }
    ])
      refuses(parseRevisions, bad)
    assert.throws(() => parseRevisions(JSON.stringify(document, null, 1)), /canonical/)
  })
})

describe("a document of incidents", () => {
  const opened = {
    n: 3,
    event: "opened" as const,
    incident: 12,
    kind: "automatic" as const,
    symbol: "FIL",
    metric: "devices_total",
    source: "example-feed",
    from: "2026-09-04T18:00:00Z",
    reason: "an implausible jump",
    at: "2026-09-04T18:00:04Z"
  }
  const closed = {
    ...opened,
    n: 4,
    event: "closed" as const,
    to: "2026-09-05T01:00:00Z",
    at: "2026-09-05T02:00:00Z",
    note: "the upstream confirmed it"
  }
  const document: IncidentEvents = { v: "service-incidents-v1", events: [opened, closed] }

  it("is read back, and its subject is the range of its events", () => {
    assert.deepStrictEqual(parseIncidents(incidentsText(document)), document)
    assert.strictEqual(incidentsSubject(document), "3-4")
  })

  it("is refused in any other shape", () => {
    const { to: _, ...endless } = closed
    for (const bad of [
      { ...document, events: [] },
      { ...document, events: [closed, opened] },
      { ...document, events: [opened, { ...closed, n: 5 }] },
      { ...document, events: [opened, endless] },
      { ...document, events: [{ ...closed, to: "2026-09-01T00:00:00Z" }] },
      { ...document, events: [{ ...opened, event: "reopened" }] },
      { ...document, events: [{ ...opened, source: null }] },
      { ...document, v: "service-incidents-v1-demo" }
    ])
      refuses(parseIncidents, bad)
  })
})

describe("the document of feeds", () => {
  const begun = {
    n: 1,
    plugin: "akash",
    code_hash: "a".repeat(64),
    state: "unconfirmed" as const,
    since: "2026-09-04T18:00:00Z"
  }
  const confirmed = { ...begun, n: 2, state: "confirmed" as const, how: "second source" }
  const document: FeedChanges = { v: "service-feeds-v1", feeds: [begun, confirmed] }

  it("is read back, and its subject is the range of its changes", () => {
    assert.deepStrictEqual(parseFeeds(feedsText(document)), document)
    assert.strictEqual(feedsSubject(document), "1-2")
  })

  it("is refused in any other shape", () => {
    const { how: _, ...without } = confirmed
    for (const bad of [
      { ...document, feeds: [] },
      { ...document, feeds: [confirmed, begun] },
      { ...document, feeds: [begun, { ...confirmed, n: 3 }] },
      { ...document, feeds: [begun, without] },
      { ...document, feeds: [{ ...begun, how: "case" }] },
      { ...document, feeds: [{ ...begun, state: "doubted" }] },
      { ...document, feeds: [{ ...begun, code_hash: "a" }] },
      { ...document, v: "service-feeds-v1-demo" }
    ])
      refuses(parseFeeds, bad)
  })
})

describe("a rotation of the log's key", () => {
  const origin = "log.example/plumbline"
  const secret = (seed: number) => new Uint8Array(32).fill(seed)
  const key = (seed: number) => publicKeyOf(secret(seed))
  const rotation: Rotation = {
    v: "service-rotation-v1",
    origin,
    old: vkey(origin, key(1)),
    new: vkey(origin, key(2)),
    not_before: "2026-09-06T09:00:00Z",
    not_after: "2026-10-06T09:00:00Z"
  }
  const signed = (text: string, ...seeds: ReadonlyArray<number>) =>
    noteText(
      text,
      seeds.map((seed) => signatureLine(verifierOf(origin, key(seed)), signEd25519(utf8(text), secret(seed))))
    )
  const text = rotationText(rotation)

  it("is a note of one line, signed by the old key and by the new, about the new key", () => {
    const note = rotationNote(rotation, {
      old: signEd25519(utf8(text), secret(1)),
      new: signEd25519(utf8(text), secret(2))
    })
    assert.strictEqual(note, signed(text, 1, 2))
    assert.strictEqual(text, `${canonical(rotation)}\n`)
    const read = parseRotation(note)
    assert.deepStrictEqual(read.rotation, rotation)
    assert.deepStrictEqual([read.old.publicKey, read.new.publicKey], [key(1), key(2)])
    assert.strictEqual(rotationSubject(rotation), thumbprint(key(2)))
    assert.deepStrictEqual(parseRotation(signed(text, 2, 1)).rotation, rotation)
  })

  it("is refused without both signatures, or in any other shape", () => {
    for (const note of [
      signed(text, 1),
      signed(text, 2),
      signed(text, 1, 1),
      signed(text, 1, 2, 3),
      signed(text, 1, 3),
      signed(text, 1, 2).replace("09:00:00Z", "09:00:01Z"),
      signed(`${text}more\n`, 1, 2),
      signed(text.replace("{", "{ "), 1, 2),
      signed(`${canonical({ ...rotation, new: rotation.old })}\n`, 1),
      signed(`${canonical({ ...rotation, origin: "another" })}\n`, 1, 2),
      signed(`${canonical({ ...rotation, not_after: "2026-10-07T09:00:00Z" })}\n`, 1, 2),
      signed(`${canonical({ ...rotation, simulated: true })}\n`, 1, 2)
    ]) {
      assert.throws(() => parseRotation(note), Malformed, undefined, note)
    }
  })
})
