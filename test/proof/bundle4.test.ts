/** Bundles of version 4: they prove what version 2 with its evidence does, and what a verifier does not know of them it says. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { agreementKind } from "../../core/proof/agreement.ts"
import {
  type Bundle,
  type Bundle4,
  bundle4Tag,
  parseAnyBundle,
  parseBundle,
  partsOf
} from "../../core/proof/bundle.ts"
import { Malformed, Newer } from "../../core/proof/bytes.ts"
import { chainLooksKind } from "../../core/proof/chainLooks.ts"
import { allHold, type Check } from "../../core/proof/check.ts"
import { type Evidence, parseEvidence } from "../../core/proof/evidence.ts"
import { finalityKind } from "../../core/proof/finality/document.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { keysKind } from "../../core/proof/keysDocument.ts"
import { stepTitles } from "../../core/proof/kind.ts"
import { type AnyKind, evidenceOf, kinds, stepsOfEvidence } from "../../core/proof/kinds.ts"
import { runsKind } from "../../core/proof/runs.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { usage } from "../../http/client/verifier/src/cli/options.ts"
import { stepsOf } from "../../http/explorer/client/verifier/steps.ts"
import { publicKeyOf } from "../support/ed25519.ts"
import { batches, bundleOf, secret } from "../support/publication.ts"
import { loggedKeys, observedRuns } from "./corpus/logged.ts"
import { signed } from "./corpus/signed.ts"
import { exitOf, readable, trueInput, type VerifierInput } from "./corpus/table.ts"
import { headers, stamps, trees } from "./corpus/trees.ts"
import { absences, values } from "./corpus/values.ts"

const monitorText = readFileSync(
  new URL("../../http/client/verifier/src/monitor/units.ts", import.meta.url),
  "utf8"
)
const vectors = new URL("../../fixtures/vectors/", import.meta.url)
const text = (name: string) => readFileSync(new URL(name, vectors), "utf8")
const network = "bitcoin-regtest-fixture" as const
const pins = [thumbprint(publicKeyOf(secret))]
const options = { network, pins }

/** The same by version 4. */
const asVersion4 = (bundle: Bundle, beside: Evidence = {}): Bundle4 => {
  const { batch, block, cosignatures, head, keys, leaf, log, members } = partsOf(bundle, beside)
  return { v: bundle4Tag, leaf, batch, log, head, keys, cosignatures, block, evidence: evidenceOf(members) }
}

const good = asVersion4(bundleOf(3, 2))
const read = (bundle: object): Bundle | Bundle4 => parseAnyBundle(JSON.stringify(bundle))
const saysOf = (checks: ReadonlyArray<Check>) => checks.map(({ detail, name, ok }) => [name, ok, detail])

describe("a bundle of version 4", () => {
  it("has the checks of version 2 with the evidence beside it", () => {
    const bundle = parseBundle(text("bundle.keys.json"))
    const beside = parseEvidence(text("evidence.keys.json"))
    const of2 = verifyBundle(bundle, { network, evidence: beside }).checks
    const of4 = verifyBundle(read(asVersion4(bundle, beside)), { network }).checks
    assert.deepStrictEqual(saysOf(of4), saysOf(of2))
  })

  it("proves values and absences", () => {
    for (const bundle of [
      bundleOf(3, 2),
      bundleOf(3, 0),
      bundleOf(3, (batches[3]?.leaves.length ?? 0) - 1)
    ]) {
      const { checks } = verifyBundle(read(asVersion4(bundle)), options)
      assert.isTrue(allHold(checks), JSON.stringify(checks))
      const isAbsent = bundle.leaf.includes('"kind":"absent"')
      const unread = checks.filter(({ name }) => name === "no run read it")
      assert.deepStrictEqual(
        unread.map(({ ok }) => ok),
        isAbsent ? ["not checked"] : []
      )
    }
  })

  it("says of evidence that it does not know that it was not checked, and holds", () => {
    const evidence = [...good.evidence, { kind: "sun", v: 1, nodes: ["00"] }, { kind: "moon", v: 3 }]
    const { checks } = verifyBundle(read({ ...good, evidence }), options)
    assert.deepStrictEqual(
      checks.filter(({ name }) => name.startsWith("evidence ")),
      [
        {
          name: "evidence sun",
          ok: "not checked",
          detail: "this verifier does not know it",
          reason: "newer"
        },
        {
          name: "evidence moon",
          ok: "not checked",
          detail: "this verifier does not know it",
          reason: "newer"
        }
      ]
    )
    assert.isTrue(allHold(checks))
  })

  it("says the same of a kind in a later version, and what the kind proves is then missing", () => {
    const evidence = [{ kind: "readings", v: 2, lines: "packed" }]
    const { checks } = verifyBundle(read({ ...good, evidence }), options)
    const of = (name: string) => checks.find((one) => one.name === name)
    assert.deepInclude(of("evidence readings"), {
      ok: "not checked",
      detail: "this verifier does not know it in version 2"
    })
    assert.strictEqual(of("readings")?.ok, "not checked")
  })

  it.each([
    ["a member of the spine that nobody knows", { more: 1 }, /unknown member `more`/],
    ["no cosignatures", { cosignatures: undefined }, /`cosignatures` is missing/],
    [
      "a kind twice",
      {
        evidence: [
          { kind: "a", v: 1 },
          { kind: "a", v: 2 }
        ]
      },
      /a is there twice/
    ],
    ["a kind in capitals", { evidence: [{ kind: "Run", v: 1 }] }, /`kind` in lower case/],
    ["a kind without a version", { evidence: [{ kind: "run" }] }, /and a `v`/],
    ["a member that its kind lacks", { evidence: [{ kind: "run", v: 1, more: 1 }] }, /unknown member `more`/],
    ["65 kinds", { evidence: Array.from({ length: 65 }, (_, n) => ({ kind: `k${n}`, v: 1 })) }, /at most 64/],
    ["evidence that is no list", { evidence: {} }, /a list/]
  ])("with %s is refused", (_, changes, says) => {
    assert.throws(() => read({ ...good, ...changes }), says)
    assert.throws(() => read({ ...good, ...changes }), Malformed)
  })

  it("of a later version was made by a newer release", () => {
    assert.throws(() => read({ ...good, v: "service-bundle-v5" }), Newer)
  })

  it("with an absence beside a value, or none beside an absence, does not hold", () => {
    const absent = asVersion4(bundleOf(3, (batches[3]?.leaves.length ?? 0) - 1))
    const both = {
      ...good,
      evidence: [...good.evidence, ...absent.evidence.filter(({ kind }) => kind === "absence")]
    }
    const none = { ...absent, evidence: absent.evidence.filter(({ kind }) => kind !== "absence") }
    for (const bundle of [both, none])
      assert.isFalse(allHold(verifyBundle(read(bundle), options).checks), JSON.stringify(bundle.evidence))
  })

  it("is shown whole: each check is in a step, in the order of the chain", () => {
    const bundle = read(
      asVersion4(parseBundle(text("bundle.keys.json")), parseEvidence(text("evidence.keys.json")))
    )
    const { checks } = verifyBundle(bundle, { network })
    const steps = stepsOf(bundle, checks)
    assert.sameMembers(
      steps.flatMap((step) => step.checks.map(({ name }) => name)),
      checks.map(({ name }) => name)
    )
    assert.deepStrictEqual(
      steps.map(({ title }) => title),
      stepTitles.filter((title) => steps.some((step) => step.title === title))
    )
  })
})

const isInput = (forged: unknown): forged is VerifierInput =>
  typeof forged === "object" && forged !== null && "bundle" in forged

/** A verdict on what a forger has, told as version 4. */
const exitBy4 = ({ bundle, options: { evidence, ...rest } }: VerifierInput) =>
  exitOf(readable(() => verifyBundle(read(asVersion4(bundle, evidence)), rest).checks))

/** Of version 4 these say nothing else than the original: it has no row beside the leaf. */
const isOfRow = ({ bundle }: VerifierInput): boolean => {
  const { row: _, ...rest } = bundle
  const { row: __, ...original } = trueInput().bundle
  return JSON.stringify(rest) === JSON.stringify(original)
}

const forgeries = [values, absences, signed, trees, stamps, headers, loggedKeys, observedRuns].flatMap(
  (group) =>
    group.forgeries.flatMap(({ forged, foundBy, name, notProved = false }) => {
      const input = forged()
      // What cannot be read as version 2 cannot be told as version 4.
      return isInput(input) && foundBy !== "read" && !isOfRow(input)
        ? [{ name: `${group.of}: ${name}`, input, notProved }]
        : []
    })
)

describe("the forgeries of version 2", () => {
  it("are many", () => assert.isAbove(forgeries.length, 100))

  it.each(forgeries)("are found in version 4: $name", ({ input, notProved }) => {
    assert.strictEqual(exitBy4(input), notProved ? 2 : 1)
  })
})

/** The kind of the log's entries by which the monitor follows each kind of evidence: none is forgotten. */
const monitored: Readonly<Record<AnyKind["kind"], string | undefined>> = {
  absence: undefined,
  excluded: "incidents",
  readings: undefined,
  keys: keysKind,
  "first-keys": keysKind,
  run: runsKind,
  body: undefined,
  chain: chainLooksKind,
  finality: finalityKind,
  agreement: agreementKind
}

describe("a kind of evidence", () => {
  it("is followed by the monitor, where the log has entries of it", () => {
    for (const kind of Object.values(monitored))
      if (kind !== undefined)
        assert.match(
          monitorText,
          new RegExp(`"${kind}"|${kind.replace("-looks", "Looks").replace("chain-f", "f")}Kind`),
          kind
        )
  })

  const page = readFileSync(new URL("../../core/proof/formats/bundle.md", import.meta.url), "utf8")

  it.each(kinds.map((kind) => [kind.kind, kind] as const))(
    "%s is in the page of formats, and its options in the help",
    (_, kind) => {
      assert.include(page, `| \`${kind.kind}\` | ${kind.v} |`)
      for (const option of kind.options) assert.include(usage, `  --${option} `)
      for (const title of Object.values(kind.steps)) assert.include([...stepTitles], title)
    }
  )

  it("shows every check in one step", () => {
    const names = kinds.flatMap(({ steps }) => Object.keys(steps))
    assert.deepStrictEqual([...new Set(names)].sort(), Object.keys(stepsOfEvidence).sort())
    assert.strictEqual(new Set(names).size, names.length)
  })
})
