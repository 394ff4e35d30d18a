/** The keys of a demo begin and end by its own clock: that of the reader is months away from it. */
import { assert, describe, it } from "vitest"
import { utf8 } from "../../core/proof/bytes.ts"
import type { Check } from "../../core/proof/check.ts"
import {
  checkpointText,
  noteText,
  parseNote,
  signatureLine,
  verifierOf
} from "../../core/proof/checkpoint.ts"
import { cosignatureLine, cosignatureMessage, cosignerOf } from "../../core/proof/cosignature.ts"
import { keyDocument, parseKeyDocument, thumbprint } from "../../core/proof/keys.ts"
import { signerChecks, type Trust } from "../../core/proof/trust.ts"
import { signersOf } from "../../core/proof/verifyCheckpoint.ts"
import { readHead } from "../../http/client/verifier/src/monitor/head.ts"
import { firstState } from "../../http/client/verifier/src/monitor/state.ts"
import { publicKeyOf, signEd25519 } from "../support/ed25519.ts"

const old = new Uint8Array(32).fill(31)
const next = new Uint8Array(32).fill(32)
const oldKid = thumbprint(publicKeyOf(old))
const wall = Date.parse("2026-11-22T00:00:00Z")
const demoClock = Date.parse("2026-09-06T12:00:00Z")

/** As a demo serves it whose clock is at `logNow`: both keys, of which the old one ends on 19 September. */
const documentOf = (origin: string, logNow: number) =>
  keyDocument({
    origin,
    keys: [
      { publicKey: publicKeyOf(old), notBefore: "2026-08-20T00:00:00Z", notAfter: "2026-09-19T00:00:00Z" },
      { publicKey: publicKeyOf(next), notBefore: "2026-09-12T00:00:00Z", notAfter: null }
    ].map((key) => ({ purpose: "log" as const, announcedAt: "2026-08-20T00:00:00Z", ...key })),
    now: wall,
    logNow
  })

const headOf = (origin: string, size: number) => {
  const text = checkpointText({ origin, size, root: new Uint8Array(32).fill(size) })
  return noteText(text, [signatureLine(verifierOf(origin, publicKeyOf(old)), signEd25519(utf8(text), old))])
}

const inUse = (origin: string, logNow: number, more: Trust = {}) => {
  const document = parseKeyDocument(documentOf(origin, logNow))
  const note = headOf(origin, 3)
  const trust = { now: wall, pins: [oldKid], ...more }
  const checks = signerChecks({ note, cosignatures: [] }, signersOf(note, document), document, trust)
  return checks.find(({ name }) => name === "key in use")
}

const look = (origin: string, logNow: number) =>
  readHead(
    {
      name: "a demo",
      read: async (path) =>
        utf8(path.endsWith("checkpoint") ? headOf(origin, 3) : JSON.stringify(documentOf(origin, logNow)))
    },
    firstState(origin, headOf(origin, 2), "2026-11-21T00:00:00Z"),
    { pins: [oldKid] },
    wall
  )

const doubts = (checks: ReadonlyArray<Check>) =>
  checks.flatMap(({ detail, ok }) => (ok === "not proved" ? [detail] : []))

describe("the key that a demo lists as current", () => {
  const demo = "127.0.0.1/plumbline/demo"

  it("is in use, for who verifies and for who monitors, months after its end by the wall clock", async () => {
    assert.strictEqual(inUse(demo, demoClock)?.ok, true)
    assert.include(inUse(demo, demoClock)?.detail ?? "", "by the clock of the demo, whose data are simulated")
    const { checks, findings } = await look(demo, demoClock)
    assert.deepStrictEqual([findings, doubts(checks)], [[], []])
  })

  it("is retired once the demo's clock is past its end", async () => {
    const later = Date.parse("2026-09-20T00:00:00Z")
    assert.match(`${inUse(demo, later)?.ok}: ${inUse(demo, later)?.detail}`, /^not proved: .*was retired at/)
    assert.match(doubts((await look(demo, later)).checks).join(), /was retired at 2026-09-19/)
  })

  it("is not dated by a witness, who has the wall clock", () => {
    const secret = new Uint8Array(32).fill(33)
    const witness = cosignerOf("witness.example", publicKeyOf(secret))
    const note = headOf(demo, 3)
    const message = cosignatureMessage(parseNote(note).text, wall / 1000)
    const line = cosignatureLine(witness, wall / 1000, signEd25519(message, secret)).slice(0, -1)
    const document = parseKeyDocument(documentOf(demo, demoClock))
    const checks = signerChecks({ note, cosignatures: [line] }, signersOf(note, document), document, {
      now: wall,
      pins: [oldKid],
      witnesses: [witness]
    })
    assert.deepStrictEqual(
      checks.map(({ name, ok }) => [name, ok]),
      [
        ["key in use", true],
        ["operator's key", true],
        ["witnesses", true]
      ]
    )
  })

  it("is another matter in any other log, whose end the reader's own clock knows", async () => {
    const real = "log.example/plumbline"
    assert.strictEqual(inUse(real, demoClock)?.ok, "not proved")
    const { checks, findings } = await look(real, demoClock)
    assert.match(doubts(checks).join(), /was retired at 2026-09-19/)
    assert.deepInclude(findings[0], { what: "key in use" })
  })
})
