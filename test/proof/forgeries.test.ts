/** The verifier finds every known forgery, and says which check found it. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { type Bundle, parseBundle } from "../../core/proof/bundle.ts"
import { fromBase64, fromHex, Malformed, toBase64, utf8 } from "../../core/proof/bytes.ts"
import { canonical, isRecord } from "../../core/proof/canonical.ts"
import { allHold, type Check } from "../../core/proof/check.ts"
import { parseNote } from "../../core/proof/checkpoint.ts"
import { entryBytes } from "../../core/proof/entry.ts"
import { keyDocument, thumbprint } from "../../core/proof/keys.ts"
import { consistencyProof } from "../../core/proof/merkle.ts"
import { type BundleOptions, verifyBundle } from "../../core/proof/verifyBundle.ts"
import { verifyLog } from "../../core/proof/verifyLog.ts"
import { publicKeyOf } from "../support/ed25519.ts"
import {
  absenceLeaf,
  batches,
  batchOf,
  bothPurposes,
  bundleOf,
  checkpointOf,
  growth,
  keys,
  logOf,
  origin,
  rowLeaf,
  secret,
  stamped
} from "../support/publication.ts"

const network = "bitcoin-regtest-fixture" as const
const good = bundleOf(3, 2)
const failed = (checks: ReadonlyArray<Check>): ReadonlyArray<string> =>
  checks.filter(({ ok }) => ok === false).map(({ name }) => name)
const verdict = (bundle: Bundle, options: BundleOptions = {}) => verifyBundle(bundle, { network, ...options })
const finds = (bundle: Bundle, name: string, options: BundleOptions = {}) => {
  const { checks } = verdict(bundle, options)
  assert.include(failed(checks), name, JSON.stringify(checks, null, 1))
  assert.isFalse(allHold(checks))
}
const row = (changes: object): Bundle => ({
  ...good,
  row: { ...(isRecord(good.row) ? good.row : {}), ...changes }
})
const leaf = (changes: object): Bundle => ({
  ...good,
  leaf: canonical({ ...JSON.parse(good.leaf), ...changes })
})
const both = (changes: object): Bundle => ({ ...row(changes), leaf: leaf(changes).leaf })
const batch = (changes: Partial<Bundle["batch"]>): Bundle => ({
  ...good,
  batch: { ...good.batch, ...changes }
})
const log = (changes: Partial<Bundle["log"]>): Bundle => ({ ...good, log: { ...good.log, ...changes } })
const anchor = (changes: Partial<Bundle["anchor"]>): Bundle => ({
  ...good,
  anchor: { ...good.anchor, ...changes }
})
const without = (path: ReadonlyArray<string>) => path.slice(0, -1)
const entries = batches.map(({ entry }) => entry)

describe("an honest bundle", () => {
  it("holds, for every leaf of every batch, with the operator's key given", () => {
    const pins = [thumbprint(publicKeyOf(secret))]
    for (const [place, { leaves }] of batches.entries()) {
      for (const index of leaves.keys()) {
        const { checks, timestamp } = verdict(parseBundle(JSON.stringify(bundleOf(place, index))), { pins })
        assert.deepStrictEqual(
          checks.filter(({ ok }) => ok !== true).map(({ name, ok }) => [name, ok]),
          // A bundle of version 2 lacks them, and an absence has no run.
          (index === leaves.length - 1
            ? ["witnesses", "no run read it", "keys in log"]
            : ["witnesses", "keys in log", "run", "notaries"]
          ).map((name) => [name, "not checked"])
        )
        assert.strictEqual(timestamp?.status, "verified")
      }
    }
  })

  it("says what was not checked, and why", () => {
    const unchecked = (bundle: Bundle, options: BundleOptions = {}) =>
      verdict(bundle, options)
        .checks.filter(({ ok }) => ok === "not checked" || ok === "not proved")
        .map(({ detail, name }) => `${name}: ${detail}`)
        .join("; ")
    assert.match(unchecked(good), /operator's key: nobody vouches for key .*--key=/)
    const { header, ots, ...rest } = good.anchor
    assert.match(
      unchecked({ ...good, anchor: { ...rest, ...(ots === undefined ? {} : { ots }) } }),
      /no header given/
    )
    assert.match(
      unchecked({ ...good, anchor: { network, status: "none", reason: "replay contacts no calendar" } }),
      /timestamp: not anchored: replay contacts no calendar/
    )
    assert.match(unchecked(good, { kept: bundleOf(1, 0).log.checkpoint }), /verify log/)
    assert.strictEqual(header?.height, 200)
    assert.isTrue(allHold(verdict(good, { kept: good.log.checkpoint }).checks))
  })

  it("is read only whole", () => {
    for (const bad of [
      "{}",
      "[]",
      "x",
      JSON.stringify({ ...good, extra: 1 }),
      JSON.stringify({ ...good, leaf: 1 }),
      JSON.stringify(batch({ index: -1 })),
      JSON.stringify(batch({ path: ["00"] })),
      JSON.stringify(anchor({ network: "bitcoin-testnet" as "bitcoin" }))
    ]) {
      assert.throws(() => parseBundle(bad), Malformed)
    }
  })
})

describe("a forged bundle is found:", () => {
  it("changed value", () => {
    finds(row({ value: 42 }), "value")
    finds(leaf({ value: 42 }), "value")
    finds(both({ value: 42 }), "leaf in batch")
    finds(row({ value: "41.5" }), "value")
    finds(row({ value_text: "41.50001" }), "value")
  })

  it("changed as_of", () => {
    finds(row({ as_of: "2026-09-04T11:00:01Z" }), "value")
    finds(both({ as_of: "2026-09-04T11:00:01Z" }), "leaf in batch")
  })

  it("any other member changed, in the row and in the leaf", () => {
    for (const member of ["symbol", "metric", "unit", "source", "verify_url"]) {
      finds(row({ [member]: "other" }), "value")
      finds(both({ [member]: "other" }), "leaf in batch")
    }
    for (const change of [
      { kind: "late" },
      { n_observations: 3 },
      { readings_sha256: "0".repeat(64) },
      { recorded_at: "2026-09-04T11:00:05Z" },
      { excluded_by: 1 }
    ]) {
      finds(leaf(change), "leaf in batch")
    }
  })

  it("a row that says more than its leaf, or hides that it is simulated or excluded", () => {
    finds(row({ note: "verified twice" }), "value")
    finds(row({ simulated: true }), "value")
    finds(row({ value_text: "41.5" }), "value")
    finds(leaf({ v: "service-leaf-v2-demo", simulated: true }), "value")
    finds(leaf({ excluded_by: 7 }), "value")
    const excluded = { incident: 8, reason: "a jump", opened_at: "2026-09-04T12:00:00Z" }
    finds({ ...leaf({ excluded_by: 7 }), excluded }, "value")
    const checks = verdict({ ...leaf({ excluded_by: 7 }), excluded: { ...excluded, incident: 7 } }).checks
    assert.isTrue(checks.find(({ name }) => name === "value")?.ok)
  })

  it("readings of another day, out of order, or that do not end in the value", () => {
    // The liar commits to his readings, so only their content gives him away.
    const says = (...lines: ReadonlyArray<string>) => ({
      ...leaf({
        readings_sha256: createHash("sha256").update(lines.join("\n")).digest("hex"),
        n_observations: lines.length
      }),
      readings: lines
    })
    const [first, last] = ["2026-09-04T06:00:00Z|40", "2026-09-04T11:00:00Z|41.5"]
    const bad = [
      [first, "2026-09-04T11:00:00Z|41.6"],
      [first, "2026-09-04T11:00:00Z|41.50"],
      [first, "2026-09-04T10:00:00Z|41.5"],
      [last, first],
      ["2026-09-04T11:00:00Z|41.5", last],
      ["2026-09-03T06:00:00Z|40", last],
      ["2026-09-04T06:00:00Z|many", last],
      ["2026-09-04T06:00:00Z|40|40", last],
      ["six o'clock|40", last]
    ]
    for (const lines of bad) finds(says(...lines), "readings")
    const honest = verdict(says(first, last)).checks
    assert.isTrue(honest.find(({ name }) => name === "readings")?.ok)
  })

  it("a leaf in a batch that cannot hold it", () => {
    finds(leaf({ recorded_at: "2026-09-05T08:00:01Z" }), "batch entry")
    finds({ ...good, leaf: bundleOf(2, 2).leaf }, "batch entry")
    finds(leaf({ value_text: "41.6" }), "leaf")
    finds(leaf({ symbol: "FI\0L" }), "leaf")
    finds(leaf({ recorded_at: "2026-09-04T10:54:59Z" }), "leaf")
    const entry = (changes: object) =>
      batch({ entry: canonical({ ...JSON.parse(good.batch.entry), ...changes }) })
    finds(entry({ closed_at: "2026-09-05T07:59:59Z" }), "batch entry")
    finds(entry({ cut_off: "2026-09-04T23:00:00Z" }), "batch entry")
    finds(entry({ closed_at: "2026-09-05T10:00:00Z" }), "batch entry")
    finds(entry({ days: ["2026-09-04", "2026-09-05"] }), "batch entry")
    finds(entry({ n_late: 1 }), "batch entry")
    finds(
      log({ checkpoint: good.log.checkpoint.replace("\n\n", "\ntime 2099-02-30T00:00:00Z\n\n") }),
      "checkpoint form"
    )
  })

  it("swapped leaf", () => {
    finds({ ...good, leaf: bundleOf(3, 3).leaf }, "value")
    finds({ ...good, leaf: bundleOf(3, 3).leaf }, "leaf in batch")
    const other = bundleOf(3, 3)
    finds({ ...good, leaf: other.leaf, row: other.row }, "leaf in batch")
    finds(other, "asked for", { about: { symbol: "FIL", metric: "devices_total", day: "2026-09-04" } })
    finds(good, "asked for", { about: { day: "2026-09-03" } })
  })

  it("truncated, lengthened or reordered proof", () => {
    const { path } = good.batch
    finds(batch({ path: without(path) }), "leaf in batch")
    finds(batch({ path: [...path, path[0] ?? ""] }), "leaf in batch")
    finds(batch({ path: [...path].reverse() }), "leaf in batch")
    finds(log({ path: without(good.log.path) }), "batch in log")
    finds(batch({ index: 3 }), "leaf in batch")
    finds(log({ index: 2 }), "batch in log")
  })

  it("wrong tree size", () => {
    finds(batch({ size: 8 }), "batch entry")
    finds(batch({ size: 6 }), "batch entry")
    finds(log({ size: 5 }), "batch in log")
    const grown = good.batch.entry
      .replace('"n_late":0', '"n_late":1')
      .replace('"tree_size":7', '"tree_size":8')
    finds(batch({ size: 8, entry: grown }), "batch in log")
  })

  it("forged checkpoint signature", () => {
    const { checkpoint } = good.log
    const tree = logOf(entries.slice(0, 4))
    const stranger = new Uint8Array(32).fill(99)
    finds(log({ checkpoint: checkpointOf(tree, stranger) }), "checkpoint signature")
    const bytes = fromBase64(checkpoint.trimEnd().split(" ").at(-1) ?? "")
    bytes[20] = (bytes[20] ?? 0) ^ 1
    const changed = checkpoint.replace(/[^ ]+\n$/, `${toBase64(bytes)}\n`)
    finds(log({ checkpoint: changed }), "checkpoint signature")
    finds(log({ checkpoint: checkpoint.replace("\n4\n", "\n3\n") }), "checkpoint signature")
    finds(log({ checkpoint: parseNote(checkpoint).text }), "checkpoint form")
    const self = keyDocument({
      origin,
      keys: bothPurposes(stranger, "2026-08-01T00:00:00Z", null),
      now: Date.parse("2026-09-06T09:00:00Z")
    })
    const forged = {
      ...log({ checkpoint: checkpointOf(tree, stranger) }),
      keys: self
    }
    finds(forged, "operator's key", { pins: [thumbprint(publicKeyOf(secret))] })
  })

  it("a proof for another batch", () => {
    const other = bundleOf(2, 2)
    finds({ ...good, batch: other.batch }, "batch entry")
    finds({ ...good, batch: other.batch }, "batch in log")
    finds({ ...good, log: other.log }, "batch in log")
  })

  it("a batch that was never in the log", () => {
    const invented = batchOf("2026-09-04", [
      rowLeaf("FIL", "devices_total", "2026-09-04"),
      absenceLeaf("2026-09-04")
    ])
    finds(
      batch({ entry: new TextDecoder().decode(entryBytes(invented.entry)), size: 2, index: 0, path: [] }),
      "batch in log"
    )
  })

  it("a timestamp for another digest", () => {
    const { header, ots } = stamped(utf8("another checkpoint"), "2026-09-05T09:00:00Z")
    finds(anchor({ ots, header }), "timestamp")
    finds(anchor({ header: { height: 200, hex: header.hex } }), "timestamp")
    finds(anchor({ ots: good.anchor.ots?.slice(0, -4) ?? "" }), "timestamp")
  })

  it("a timestamp of a test network, of an older block, or said and not there", () => {
    finds(good, "timestamp", { network: "bitcoin" })
    finds(anchor({ network: "bitcoin" }), "timestamp", { network: "bitcoin" })
    finds(anchor(stamped(utf8(good.log.checkpoint), "2026-09-05T05:59:00Z")), "timestamp")
    finds({ ...good, anchor: { network, status: "confirmed" } }, "timestamp")
  })

  it("a key that was not in use yet when a block dates its signature", () => {
    const early = keyDocument({
      origin,
      keys: bothPurposes(secret, "2026-09-05T11:00:01Z", null),
      now: Date.parse("2026-09-06T09:00:00Z")
    })
    finds({ ...good, keys: early }, "key in use")
  })

  it("stale checkpoint", () => {
    finds(good, "checkpoint not stale", { notBefore: "2026-09-05T08:00:01Z" })
    assert.isTrue(allHold(verdict(good, { notBefore: "2026-09-05T08:00:00Z" }).checks))
  })

  it("another history than the one that was kept", () => {
    const other = logOf([...entries.slice(0, 2), ...entries.slice(3, 5)])
    finds(good, "kept checkpoint", { kept: checkpointOf(other) })
  })

  it("a log of another origin, and keys that contradict themselves", () => {
    finds({ ...good, keys: { ...keys, checkpoint_origin: "other.example" } }, "checkpoint signature")
    finds({ ...good, keys: {} }, "checkpoint signature")
  })

  it("readings that the leaf does not commit to", () => {
    finds({ ...good, readings: ["2026-09-04T06:00:00Z|40"] }, "readings")
  })

  it("readings that were left out, which is said", () => {
    const { readings: _, ...without } = { readings: undefined, ...good }
    const { checks } = verdict(without)
    assert.strictEqual(checks.find(({ name }) => name === "readings")?.ok, "not checked")
  })

  it("simulated rows in a live log", () => {
    const demo = { v: "service-leaf-v2-demo", simulated: true }
    finds(leaf(demo), "batch entry")
    finds(leaf({ v: "service-leaf-v2-demo" }), "leaf")
    finds(leaf({ simulated: true }), "leaf")
    const entry = canonical({ ...JSON.parse(good.batch.entry), v: "service-batch-v2-demo", simulated: true })
    finds({ ...leaf(demo), batch: { ...good.batch, entry } }, "checkpoint signature")
  })

  it("an absence that the list does not hold", () => {
    const absent = bundleOf(3, 6)
    const about = (changes: object): Bundle => ({
      ...absent,
      ...(absent.absent === undefined ? {} : { absent: { ...absent.absent, ...changes } })
    })
    assert.isTrue(allHold(verdict(absent).checks))
    finds(about({ symbol: "FIL" }), "value")
    finds(
      about({ list: '[{"metric":"nodes_online","source":"example-feed","symbol":"FIL"}]', symbol: "FIL" }),
      "value"
    )
    finds({ ...good, leaf: absent.leaf }, "value")
    finds({ ...absent, leaf: good.leaf }, "value")
  })
})

describe("the log", () => {
  const earlier = checkpointOf(logOf(entries.slice(0, 3)))
  const current = checkpointOf(logOf(entries))
  const honest = { kept: earlier, current, keys, path: growth(3) }

  it("that grew holds", () => {
    const checks = verifyLog({ ...honest, trust: { pins: [keys.keys[0]?.public_key_hex ?? ""] } })
    assert.deepStrictEqual(
      checks.filter(({ ok }) => ok !== true),
      []
    )
    assert.deepStrictEqual(failed(verifyLog({ ...honest, current: earlier, path: [] })), [])
  })

  it("whose history was rewritten is found", () => {
    const changed = [
      ...entries.slice(0, 1),
      batchOf("2026-09-02", [absenceLeaf("2026-09-02")]).entry,
      ...entries.slice(2)
    ]
    const rewritten = logOf(changed)
    const rewrittenHead = checkpointOf(rewritten)
    // The liar makes the best proof that there is: the honest algorithm over the rewritten tree.
    const path = consistencyProof(rewritten, 3)
    assert.deepStrictEqual(failed(verifyLog({ ...honest, current: rewrittenHead })), ["append-only"])
    assert.deepStrictEqual(failed(verifyLog({ ...honest, current: rewrittenHead, path })), ["append-only"])
    const fork = checkpointOf(logOf(changed.slice(0, 3)))
    assert.deepStrictEqual(failed(verifyLog({ ...honest, current: fork, path: [] })), ["append-only"])
  })

  it("that was rolled back, or is served from an old copy, is found", () => {
    const old = verifyLog({ ...honest, kept: current, current: earlier, path: [] })
    assert.deepStrictEqual(failed(old), ["append-only"])
    assert.include(old.at(-1)?.detail ?? "", "stale")
  })

  it("with a missing or cut proof, a stranger's or a retired key is refused", () => {
    assert.deepStrictEqual(failed(verifyLog({ ...honest, path: undefined })), ["append-only"])
    assert.deepStrictEqual(failed(verifyLog({ ...honest, path: honest.path.slice(1) })), ["append-only"])
    assert.deepStrictEqual(failed(verifyLog({ ...honest, path: [fromHex("00".repeat(32))] })), [
      "append-only"
    ])
    const stranger = checkpointOf(logOf(entries), new Uint8Array(32).fill(9))
    assert.deepStrictEqual(failed(verifyLog({ ...honest, current: stranger })), ["current checkpoint"])
  })
})
