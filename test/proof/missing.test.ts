/** What a bundle lacks is judged by whether the log had its kind by then. */
import { assert, describe, it } from "vitest"
import { parseBundle } from "../../core/proof/bundle.ts"
import { utf8 } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import type { Check } from "../../core/proof/check.ts"
import { parseCheckpointText, parseNote } from "../../core/proof/checkpoint.ts"
import type { FirstKeys } from "../../core/proof/evidence.ts"
import { isBeforeFirst, loggedFrom } from "../../core/proof/firstEntry.ts"
import { parseKeyDocument } from "../../core/proof/keys.ts"
import { keysText } from "../../core/proof/keysDocument.ts"
import { consistencyProof, inclusionProof, treeOf } from "../../core/proof/merkle.ts"
import { signersOf } from "../../core/proof/verifyCheckpoint.ts"
import { checkFirstKeys, checkLoggedKeys } from "../../core/proof/verifyLoggedKeys.ts"
import {
  batches,
  bundleOf,
  checkpointOf,
  hexes,
  keys,
  origin,
  publishedKeys
} from "../support/publication.ts"
import { entryOf, verifyBoth } from "./corpus/logged.ts"
import { honestlyWithout } from "./corpus/missing.ts"
import { exitOf } from "./corpus/table.ts"

describe("a kind that a log may have had by then", () => {
  it("is judged by the first entry, and where that is not known by the release that began it", () => {
    const at = "2026-09-04T11:00:00Z"
    assert.isTrue(isBeforeFirst({ at }, "2026-09-04T11:00:01Z"))
    assert.isFalse(isBeforeFirst({ at }, at))
    assert.isTrue(isBeforeFirst({ at }, undefined))
    assert.isFalse(isBeforeFirst({ at: `${loggedFrom}T00:00:00Z` }, undefined))
    assert.isFalse(isBeforeFirst({ at, simulated: true }, undefined))
  })
})

it.each(honestlyWithout)("%s is said, and the value holds", (_, input, says) => {
  const checks = verifyBoth(input)
  const schedule = checks.find(({ name }) => name === "schedule")
  assert.deepInclude(schedule, { ok: "not checked" })
  assert.match(schedule?.detail ?? "", says)
  assert.strictEqual(exitOf(checks), 0, JSON.stringify(checks, null, 1))
})

describe("a bundle without the keys of the log", () => {
  const batch = batches[0]?.entry
  assert.isDefined(batch)
  const bundle = parseBundle(JSON.stringify(bundleOf(0, 1)))
  const note = bundle.log.checkpoint
  const checkpoint = parseCheckpointText(parseNote(note).text)
  const document = parseKeyDocument(keys)
  const signed = { document, signers: signersOf(note, document) }
  const without = (closed_at: string): Check =>
    checkLoggedKeys(undefined, checkpoint, signed, batch === undefined ? undefined : { ...batch, closed_at })

  it("is not proved from the release on that enters them, and as it was before", () => {
    assert.deepInclude(without("2026-11-28T08:00:00Z"), { ok: "not checked" })
    assert.deepInclude(without(`${loggedFrom}T08:00:00Z`), { ok: "not proved", reason: "missing" })
  })

  const later = (n = 1): FirstKeys => {
    const text = keysText({ n, origin, keys: publishedKeys, rotations: [] })
    const own = batches.slice(0, 1).map((one) => canonical(one.entry))
    const texts = [...own, entryOf("keys", String(n), text)]
    const log = treeOf(texts.map(utf8))
    return {
      head: { checkpoint: checkpointOf(log), consistency: hexes(consistencyProof(log, own.length)) },
      document: text,
      log: { entry: texts[1] ?? "", index: 1, size: log.size, path: hexes(inclusionProof(log, 1)) }
    }
  }

  it("is as old as it says where the first document of keys came after its head", () => {
    assert.deepInclude(checkFirstKeys(later(), checkpoint, signed), { ok: "not checked" })
  })

  it("is not excused by another document, another head, or an entry that its own head has", () => {
    assert.deepInclude(checkFirstKeys(later(2), checkpoint, signed), {
      ok: false,
      reason: "contradiction"
    })
    const other = { ...later(), head: { ...later().head, consistency: [] } }
    assert.deepInclude(checkFirstKeys(other, checkpoint, signed), { ok: false })
    // Under a head that has the document already, it excuses nothing.
    const whole = parseCheckpointText(parseNote(later().head.checkpoint).text)
    const same = { ...later(), head: { checkpoint: later().head.checkpoint, consistency: [] } }
    assert.deepInclude(checkFirstKeys(same, whole, signed), { ok: "not proved" })
  })
})
