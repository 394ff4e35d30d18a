/**
 * The second verifier, of the Python client, beside the first: the same verdict, names and reasons, of every vector and forgery, and of
 * bundles that were changed at random.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { bundle4Tag, parseAnyBundle, parseBundle, partsOf } from "../../core/proof/bundle.ts"
import { Malformed } from "../../core/proof/bytes.ts"
import { isRecord } from "../../core/proof/canonical.ts"
import { type Check, refused } from "../../core/proof/check.ts"
import { noteKeyText } from "../../core/proof/checkpoint.ts"
import { type Evidence, evidenceTag, parseEvidence } from "../../core/proof/evidence.ts"
import { evidenceOf } from "../../core/proof/kinds.ts"
import type { Quorum } from "../../core/proof/policy.ts"
import { type BundleOptions, verifyBundle } from "../../core/proof/verifyBundle.ts"
import { missing, pathOf } from "../support/programs.ts"
import { batches, bundleOf } from "../support/publication.ts"
import { changed, changes } from "./corpus/changes.ts"
import { loggedKeys, observedRuns } from "./corpus/logged.ts"
import { missingEvidence } from "./corpus/missing.ts"
import { cosignatures, keyDocuments, notes } from "./corpus/notes.ts"
import { signed } from "./corpus/signed.ts"
import { type Group, network, now, pins, type VerifierInput } from "./corpus/table.ts"
import { texts } from "./corpus/texts.ts"
import { headers, stamps, trees } from "./corpus/trees.ts"
import { absences, values } from "./corpus/values.ts"

const sources = fileURLToPath(new URL("../../http/client/python/src", import.meta.url))
const program = fileURLToPath(new URL("second.py", import.meta.url))
const vectors = new URL("../../fixtures/vectors/", import.meta.url)
const vector = (name: string) => readFileSync(new URL(name, vectors), "utf8")

/** What is verified, by both. */
interface Case {
  readonly text: string
  readonly evidence?: string
  readonly options: Omit<BundleOptions, "evidence">
}

type Outcome = readonly [name: string, ok: Check["ok"], reason: string | null]

const quorumOf = (quorum: Quorum): object =>
  "witness" in quorum
    ? { witness: noteKeyText(quorum.witness) }
    : { least: quorum.least, members: quorum.members.map(quorumOf) }

const asJson = ({ headers: blocks, notaries, quorum, witnesses, ...options }: Case["options"]) => ({
  ...options,
  ...(blocks === undefined ? {} : { headers: Object.fromEntries(blocks) }),
  ...(notaries === undefined
    ? {}
    : { notaries: { keys: notaries.notaries.map(noteKeyText), least: notaries.least } }),
  ...(quorum === undefined ? {} : { quorum: quorumOf(quorum) }),
  ...(witnesses === undefined ? {} : { witnesses: witnesses.map(noteKeyText) })
})

/** What the second verifier says of each case. */
const second = (cases: ReadonlyArray<object>): ReadonlyArray<ReadonlyArray<Outcome>> => {
  const { status, stderr, stdout } = spawnSync(pathOf("python"), [program], {
    input: cases.map((one) => `${JSON.stringify(one)}\n`).join(""),
    env: { PYTHONPATH: sources, PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" },
    encoding: "utf8",
    maxBuffer: 2 ** 30
  })
  assert.strictEqual(status, 0, stderr)
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
}

/** What the first one says. */
const first = (work: () => ReadonlyArray<Check>): ReadonlyArray<Outcome> => {
  const outcome = (one: Check): Outcome => [one.name, one.ok, one.ok === true ? null : one.reason]
  try {
    return work().map(outcome)
  } catch (error) {
    if (error instanceof Malformed) return [outcome(refused("read", error))]
    throw error
  }
}

const firstOf = ({ evidence, options, text }: Case) =>
  first(() => {
    const bundle = parseAnyBundle(text)
    return verifyBundle(bundle, {
      ...options,
      ...(evidence === undefined ? {} : { evidence: parseEvidence(evidence) })
    }).checks
  })

const bundleCase = ({ options, ...rest }: Case) => ({ what: "bundle", ...rest, options: asJson(options) })

/** A forged input as the table of its group has it: a bundle with options, or its text. */
const caseOf = (forged: unknown): Case => {
  if (typeof forged === "string") return { text: forged, options: { network, pins, now } }
  const { bundle, options } = forged as VerifierInput
  const { evidence, ...rest } = options
  return {
    text: JSON.stringify(bundle),
    ...(evidence === undefined ? {} : { evidence: JSON.stringify({ v: evidenceTag, ...evidence }) }),
    options: rest
  }
}

const groups: ReadonlyArray<Group> = [
  values,
  absences,
  signed,
  trees,
  stamps,
  headers,
  notes,
  keyDocuments,
  cosignatures,
  loggedKeys,
  observedRuns,
  missingEvidence,
  texts
]

const version4 = (bundle: ReturnType<typeof bundleOf>, beside: Evidence = {}) => {
  const { batch, block, cosignatures: lines, head, keys, leaf, log, members } = partsOf(bundle, beside)
  return {
    v: bundle4Tag,
    leaf,
    batch,
    log,
    head,
    keys,
    cosignatures: lines,
    block,
    evidence: [...evidenceOf(members), { kind: "moon", v: 3 }]
  }
}

const kid = (purpose: string): string => {
  const { keys } = JSON.parse(vector("keys.json"))
  return keys.find((one: unknown) => isRecord(one) && one["purpose"] === purpose).kid
}

/** Bundles that hold, or nearly, from which others are drafted. */
const originals: ReadonlyArray<Case> = [
  ...[0, 2, (batches[3]?.leaves.length ?? 0) - 1].flatMap((index) =>
    [bundleOf(3, index), version4(bundleOf(3, index))].map((bundle) => ({
      text: JSON.stringify(bundle),
      options: { network, pins, now }
    }))
  ),
  ...[
    ["bundle.json", undefined],
    ["bundle.rotated.json", undefined],
    ["bundle.keys.json", "evidence.keys.json"]
  ].map(([name = "", beside]) => ({
    text: vector(name),
    ...(beside === undefined ? {} : { evidence: vector(beside) }),
    options: { network, pins: [kid("log")], now: Date.parse("2026-11-22T00:00:00Z") }
  })),
  {
    text: JSON.stringify(
      version4(parseBundle(vector("bundle.keys.json")), parseEvidence(vector("evidence.keys.json")))
    ),
    options: { network, pins: [kid("log")] }
  },
  // A run with its rows and its hour, by both versions.
  ...observedRuns.forgeries.slice(0, 60).flatMap(({ forged }) => {
    const { bundle, options } = forged() as VerifierInput
    const { evidence, ...rest } = options
    return evidence === undefined ? [] : [{ text: JSON.stringify(version4(bundle, evidence)), options: rest }]
  })
]

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31)

describe.skipIf(missing("python's cryptography"))("the second verifier", () => {
  it.each(groups)("says of $of what the first one says", ({ forgeries }) => {
    const cases = forgeries.map(({ forged }) => caseOf(forged()))
    const outcomes = second(cases.map(bundleCase))
    for (const [place, one] of cases.entries())
      assert.deepStrictEqual(outcomes[place], firstOf(one), forgeries[place]?.name)
  })

  it("says of 2,000 bundles that were changed at random what the first one says", { timeout: 60_000 }, () => {
    const drafts = fc.sample(fc.tuple(fc.nat(originals.length - 1), changes), { seed, numRuns: 2000 })
    const cases = drafts.map(([place, list]): Case => {
      const original = originals[place]
      if (original === undefined) throw new RangeError("no such bundle")
      return { ...original, text: list.reduce(changed, original.text) }
    })
    const outcomes = second(cases.map(bundleCase))
    for (const [place, one] of cases.entries())
      assert.deepStrictEqual(
        outcomes[place],
        firstOf(one),
        `SEED=${seed}, bundle ${place}: ${JSON.stringify(drafts[place])}`
      )
  })
})
