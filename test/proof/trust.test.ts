/** When a key was in use, who vouches for it, and how the trust in a key passes to its successor. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import type { Bundle } from "../../core/proof/bundle.ts"
import { utf8 } from "../../core/proof/bytes.ts"
import { allProved } from "../../core/proof/check.ts"
import {
  checkpointText,
  noteText,
  parseNote,
  signatureLine,
  verifierOf,
  vkey
} from "../../core/proof/checkpoint.ts"
import { cosignatureLine, cosignatureMessage, cosignerOf } from "../../core/proof/cosignature.ts"
import { entryBytes, type LogEntry } from "../../core/proof/entry.ts"
import {
  keyDocument,
  type PublishedKey,
  parseKeyDocument,
  type RotationProof,
  thumbprint
} from "../../core/proof/keys.ts"
import { consistencyProof, inclusionProof, root, type Tree } from "../../core/proof/merkle.ts"
import { quorumOf } from "../../core/proof/policy.ts"
import { rotationText } from "../../core/proof/rotation.ts"
import { type BundleOptions, verifyBundle } from "../../core/proof/verifyBundle.ts"
import { verifyLog } from "../../core/proof/verifyLog.ts"
import {
  memoryChecks,
  memoryText,
  parseMemory,
  remember,
  vouchedKids,
  withRememberedEnds
} from "../../http/client/verifier/src/pins.ts"
import { publicKeyOf, signEd25519 } from "../support/ed25519.ts"
import { batches, bundleOf, hexes, logOf, origin, secret, stamped } from "../support/publication.ts"

const network = "bitcoin-regtest-fixture" as const
const next = new Uint8Array(32).fill(13)
const stranger = new Uint8Array(32).fill(14)
const kidOf = (key: Uint8Array) => thumbprint(publicKeyOf(key))
const start = "2026-09-06T09:00:00Z"
const end = "2026-10-06T09:00:00Z"
const now = Date.parse("2026-11-22T00:00:00Z")

const signLines = (text: string, ...by: ReadonlyArray<Uint8Array>) =>
  noteText(
    text,
    by.map((key) => signatureLine(verifierOf(origin, publicKeyOf(key)), signEd25519(utf8(text), key)))
  )
const checkpoint = (tree: Tree, ...by: ReadonlyArray<Uint8Array>) =>
  signLines(checkpointText({ origin, size: tree.size, root: root(tree) }), ...by)

const witnessSecret = new Uint8Array(32).fill(21)
const witness = cosignerOf("witness.example", publicKeyOf(witnessSecret))
const cosignature = (note: string, time: string) => {
  const seconds = Date.parse(time) / 1000
  const message = cosignatureMessage(parseNote(note).text, seconds)
  return cosignatureLine(witness, seconds, signEd25519(message, witnessSecret)).slice(0, -1)
}

const noteFor = (old: Uint8Array, successor: Uint8Array, ...by: ReadonlyArray<Uint8Array>) =>
  signLines(
    rotationText({
      v: "service-rotation-v1",
      origin,
      old: vkey(origin, publicKeyOf(old)),
      new: vkey(origin, publicKeyOf(successor)),
      not_before: start,
      not_after: end
    }),
    ...by
  )
const note = noteFor(secret, next, secret, next)
const entryFor = (about: string): LogEntry => ({
  v: "service-entry-v2",
  kind: "rotation",
  sha256: createHash("sha256").update(about).digest("hex"),
  subject: kidOf(next),
  recorded_at: "2026-09-06T08:30:00Z"
})
const entries: ReadonlyArray<LogEntry> = [...batches.map(({ entry }) => entry), entryFor(note)]
const tree = logOf(entries)
const textOf = (entry: LogEntry) => new TextDecoder().decode(entryBytes(entry))

const proofBy = (
  by: ReadonlyArray<Uint8Array>,
  stampedAt: string | undefined,
  more: Partial<RotationProof> = {}
): RotationProof => {
  const signed = checkpoint(tree, ...by)
  return {
    document: note,
    entry: textOf(entryFor(note)),
    index: 5,
    size: 6,
    path: hexes(inclusionProof(tree, 5)),
    checkpoint: signed,
    anchor:
      stampedAt === undefined
        ? { network, status: "none", reason: "no calendar answered" }
        : { network, status: "confirmed", ...stamped(utf8(signed), stampedAt) },
    ...more
  }
}
const good = proofBy([secret, next], "2026-09-06T10:00:00Z")

const documentOf = (rotations: ReadonlyArray<RotationProof>, notAfter: string | null = end) => {
  const key = (
    purpose: "log" | "answers",
    of: Uint8Array,
    from: string,
    to: string | null
  ): PublishedKey => ({
    purpose,
    publicKey: publicKeyOf(of),
    announcedAt: "2026-08-20T00:00:00Z",
    notBefore: from,
    notAfter: to
  })
  return keyDocument({
    origin,
    keys: [
      key("log", secret, "2026-08-20T00:00:00Z", notAfter),
      key("log", next, start, null),
      key("answers", stranger, "2026-08-20T00:00:00Z", null)
    ],
    rotations,
    now
  })
}

/** A value's bundle under the newest checkpoint, signed by these keys. */
const bundle = (
  by: ReadonlyArray<Uint8Array>,
  stampedAt: string | undefined,
  keys: unknown = documentOf([good])
): Bundle => {
  const signed = checkpoint(tree, ...by)
  return {
    ...bundleOf(3, 2),
    log: { index: 3, size: 6, path: hexes(inclusionProof(tree, 3)), checkpoint: signed },
    anchor:
      stampedAt === undefined
        ? { network, status: "none", reason: "no calendar answered" }
        : { network, status: "confirmed", ...stamped(utf8(signed), stampedAt) },
    keys
  }
}
const result = (name: string, about: Bundle, options: BundleOptions = {}) => {
  const { checks } = verifyBundle(about, { network, now, ...options })
  const matches = checks.filter((one) => one.name === name)
  assert.strictEqual(matches.length, 1, JSON.stringify(checks, null, 1))
  return `${matches[0]?.ok}: ${matches[0]?.detail}`
}
const owner = (about: Bundle, ...pins: ReadonlyArray<string>) => result("operator's key", about, { pins })

describe("the time of a checkpoint's key", () => {
  it("is that of the block over the checkpoint", () => {
    assert.match(result("key in use", bundle([secret], "2026-09-07T00:00:00Z")), /^true: .*by block 200 of/)
    assert.match(result("key in use", bundle([next], "2026-11-07T00:00:00Z")), /^true/)
    assert.match(
      result("key in use", bundle([secret], "2026-10-06T09:00:01Z")),
      /^not proved: .*after its end/
    )
    assert.match(result("key in use", bundle([next], "2026-09-06T06:59:59Z")), /^false: .*came into use/)
  })

  it("is else that of the earliest cosignature of a given witness", () => {
    const bare = bundle([secret], undefined)
    const cosigned = (time: string): Bundle => ({
      ...bare,
      log: {
        ...bare.log,
        cosignatures: [
          cosignature(bare.log.checkpoint, "2026-11-01T00:00:00Z"),
          cosignature(bare.log.checkpoint, time)
        ]
      }
    })
    const inTime = cosigned("2026-09-07T00:00:00Z")
    const witnesses = [witness]
    assert.match(result("key in use", inTime, { witnesses }), /^true: .*witness.example at 2026-09-07/)
    assert.match(result("key in use", inTime), /^not proved: .*neither a block nor a given witness/)
    assert.match(result("key in use", cosigned("2026-10-07T00:00:00Z"), { witnesses }), /^not proved/)
    assert.match(
      result("witnesses", inTime, { witnesses, quorum: quorumOf(witnesses, 1) }),
      /^true: cosigned by witness.example/
    )
    assert.match(
      result("witnesses", bare, { witnesses, quorum: quorumOf(witnesses, 1) }),
      /^not proved: cosigned by none/
    )
    const forged = {
      ...bare,
      log: { ...bare.log, cosignatures: [cosignature(bundleOf(1, 0).log.checkpoint, start)] }
    }
    assert.match(result("witnesses", forged, { witnesses }), /^false: the cosignature of witness.example/)
  })

  it("is by the operator's word while the key is current, and nothing says it once it is retired", () => {
    assert.match(result("key in use", bundle([next], undefined)), /^true: .*by the operator's word/)
    assert.match(result("key in use", bundle([secret], undefined)), /^not proved: .*was retired/)
    const early = { now: Date.parse("2026-09-10T00:00:00Z") }
    const document = { ...documentOf([good]), keys: documentOf([good], "2026-12-01T00:00:00Z").keys }
    assert.match(result("key in use", bundle([secret], undefined, document), early), /^true/)
    // A document made while the key was in use says nothing once its end has passed.
    assert.match(
      result("key in use", bundle([secret], undefined, document), {
        now: Date.parse("2026-12-02T00:00:00Z")
      }),
      /^not proved/
    )
  })
})

describe("the operator's key", () => {
  it("is one that the caller gave, and otherwise nobody vouches for it", () => {
    const both = bundle([secret, next], undefined)
    assert.match(owner(both, kidOf(secret)), /^true: signed with the given key/)
    assert.match(owner(both, vkey(origin, publicKeyOf(next))), /^true: signed with the given key/)
    assert.match(owner(both), /^not proved: nobody vouches/)
    assert.match(owner(both, "another"), /^false: .*not one of the given keys/)
    assert.match(owner(both, kidOf(stranger)), /^not proved: the given key signs answers/)
  })

  it("is the successor of one that he gave, by a rotation that both signed, in the log before its end", () => {
    assert.match(owner(bundle([next], undefined), kidOf(secret)), /^true: .*the successor of the given key/)
    const doubled = documentOf([good, good])
    assert.match(owner(bundle([next], undefined, doubled), kidOf(secret)), /^true/)
  })

  it("is not proved to be the successor if nothing dates the rotation but the keys themselves", () => {
    const undated = proofBy([secret, next], undefined)
    const about = (one: RotationProof) => bundle([next], undefined, documentOf([one]))
    assert.match(owner(about(undated), kidOf(secret)), /^not proved: .*neither a block nor a given witness/)
    const cosigned = (time: string) => ({ ...undated, cosignatures: [cosignature(undated.checkpoint, time)] })
    const pins = [kidOf(secret)]
    const resultAt = (time: string) =>
      result("operator's key", about(cosigned(time)), { pins, witnesses: [witness] })
    assert.match(resultAt("2026-09-07T00:00:00Z"), /^true/)
    assert.match(resultAt("2026-10-07T00:00:00Z"), /^false: .*after the old key's end/)
  })

  it("is no successor by a rotation with anything wrong", () => {
    const refuses = (one: RotationProof, why: RegExp, keys: unknown = documentOf([one])) =>
      assert.match(owner(bundle([next], undefined, keys), kidOf(secret)), why)
    refuses(proofBy([secret, next], "2026-10-06T09:00:01Z"), /^false: .*after the old key's end/)
    refuses(proofBy([next], "2026-09-06T10:00:00Z"), /^false: .*not signed by the old key/)
    refuses({ ...good, document: noteFor(secret, next, next) }, /^false: .*signed by the old key and/)
    refuses({ ...good, document: noteFor(secret, next, secret) }, /^false: .*signed by the old key and/)
    refuses({ ...good, entry: textOf(entryFor("another note")) }, /^false: .*not about the rotation's note/)
    refuses(
      { ...good, entry: textOf(entries[0] ?? entryFor(note)) },
      /^false: .*not about the rotation's note/
    )
    refuses({ ...good, index: 4 }, /^false: the inclusion proof/)
    refuses({ ...good, size: 5, index: 4 }, /^false: .*another size/)
    refuses({ ...good, path: good.path.slice(1) }, /^false: the inclusion proof/)
    refuses({ ...good, anchor: { network, status: "confirmed" } }, /^false: the anchor/)
    refuses(good, /^false: .*disagree on when/, documentOf([good], "2026-10-05T09:00:00Z"))
    refuses(good, /^false: .*no rotation leads/, documentOf([]))
  })

  it("has one successor: two are refused, also where the newest key itself is given", () => {
    const second = { ...good, document: noteFor(secret, stranger, secret, stranger) }
    const about = bundle([next], undefined, documentOf([good, second]))
    for (const pin of [secret, next]) assert.match(owner(about, kidOf(pin)), /^false: .*two successors/)
    assert.match(owner(about), /^false: .*two successors/)
  })
})

describe("a log after a rotation", () => {
  const earlier = checkpoint(logOf(entries.slice(0, 3)), secret)
  const growth = (keys: unknown) =>
    verifyLog({
      kept: earlier,
      current: checkpoint(tree, next),
      keys,
      path: consistencyProof(tree, 3),
      trust: { network, now }
    })

  it("is that of the checkpoint that the caller kept, whose signer counts as given", () => {
    const checks = growth(documentOf([good]))
    assert.deepStrictEqual(
      checks.filter(({ ok }) => ok !== true),
      []
    )
    const without = growth(documentOf([]))
    assert.include(
      without.filter(({ ok }) => ok === false).map(({ name }) => name),
      "operator's key"
    )
  })

  it("counts the signer of the checkpoint that was kept with a bundle, too", () => {
    const about = bundle([next], "2026-11-07T00:00:00Z")
    assert.match(result("operator's key", about, { kept: earlier }), /^true: .*successor/)
    assert.match(result("operator's key", about, { kept: checkpoint(tree, stranger) }), /^not proved: nobody/)
  })
})

describe("what a reader remembers", () => {
  const at = "2026-09-07T00:00:00Z"
  const thief = new Uint8Array(32).fill(66)
  const first = remember([], {
    document: parseKeyDocument(documentOf([good])),
    signers: [kidOf(secret)],
    given: [kidOf(secret)],
    isLive: true,
    at
  })
  const [log] = first
  const checksOf = (about: Bundle, memory = first) => {
    const [remembered] = memory
    const keys = withRememberedEnds(about.keys, remembered)
    const pins = vouchedKids(remembered)
    const { checks } = verifyBundle({ ...about, keys }, { network, now, pins })
    return [...checks, ...memoryChecks(memory, parseKeyDocument(keys))]
  }

  it("is the key that he gave, and the rotation of it that the log holds", () => {
    assert.deepStrictEqual(
      log?.keys.map(({ by, kid }) => [kid, by]),
      [
        [kidOf(secret), "given"],
        [kidOf(next), "rotation"]
      ]
    )
    assert.deepStrictEqual(log?.rotations, [{ old: kidOf(secret), new: kidOf(next), not_after: end }])
    assert.isTrue(allProved(checksOf(bundle([next], "2026-11-07T00:00:00Z"))))
    assert.deepStrictEqual(parseMemory(memoryText(first)), first)
  })

  it("keeps a stolen key retired, whatever the document beside it says", () => {
    const stolen = bundle([secret], undefined, documentOf([], null))
    // Whoever remembers nothing is told that it holds.
    assert.isTrue(allProved(verifyBundle(stolen, { network, now, pins: [kidOf(secret)] }).checks))
    const used = checksOf(stolen).find(({ name }) => name === "key in use")
    assert.strictEqual(used?.ok, "not proved")
    assert.match(used?.detail ?? "", /was retired at 2026-10-06/)
  })

  it("refuses another successor: the first rotation is final", () => {
    const other = { ...good, document: noteFor(secret, thief, secret, thief) }
    const keys = documentOf([other])
    const checks = memoryChecks(first, parseKeyDocument(keys))
    assert.strictEqual(checks[0]?.ok, false)
    assert.match(checks[0]?.detail ?? "", /the first rotation is final/)
  })

  it("keeps a rotation whichever of its keys signed, so the old key stays retired", () => {
    const sighting = { document: parseKeyDocument(documentOf([good])), isLive: false, at }
    const byNew = remember([], { ...sighting, signers: [kidOf(next)], given: [kidOf(secret)] })
    assert.deepStrictEqual(byNew[0]?.rotations, [{ old: kidOf(secret), new: kidOf(next), not_after: end }])
    const stolen = bundle([secret], undefined, documentOf([], null))
    const used = checksOf(stolen, byNew).find(({ name }) => name === "key in use")
    assert.strictEqual(used?.ok, "not proved")
    const other = { ...good, document: noteFor(secret, thief, secret, thief) }
    const [second] = memoryChecks(byNew, parseKeyDocument(documentOf([other])))
    assert.strictEqual(second?.ok, false)
  })

  it("learns no rotation that the old key did not log, and vouches for no key by one that nobody vouches for", () => {
    const unlogged = { ...good, path: good.path.slice(1) }
    const sighting = { signers: [kidOf(secret)], isLive: true, at }
    const learned = remember([], {
      ...sighting,
      document: parseKeyDocument(documentOf([unlogged])),
      given: [kidOf(secret)]
    })
    assert.deepStrictEqual(learned[0]?.rotations, [])
    const unvouched = remember([], { ...sighting, document: parseKeyDocument(documentOf([good])), given: [] })
    assert.lengthOf(unvouched[0]?.rotations ?? [], 1)
    assert.deepStrictEqual(
      unvouched[0]?.keys.map(({ by }) => by),
      ["first use"]
    )
    assert.deepStrictEqual(vouchedKids(unvouched[0]), [])
  })

  it("lets a key prove one log", () => {
    const elsewhere = first.map((one) => ({ ...one, origin: "another.example/log" }))
    const checks = memoryChecks(elsewhere, parseKeyDocument(documentOf([good])))
    assert.match(checks[0]?.detail ?? "", /a key proves one log/)
    assert.strictEqual(checks[0]?.ok, false)
  })

  it("is taken from nothing but what signed: a document may list whatever its bearer likes", () => {
    const again = remember([], {
      document: parseKeyDocument(documentOf([])),
      signers: [kidOf(next)],
      given: [kidOf(secret), kidOf(next)],
      isLive: false,
      at
    })
    assert.deepStrictEqual(
      again[0]?.keys.map(({ kid }) => kid),
      [kidOf(next)]
    )
  })
})
