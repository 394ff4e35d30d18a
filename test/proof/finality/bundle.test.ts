/** Who signed the block of a value's proof, in a bundle: apart from what its state says, and by those alone whom the reader trusts. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { afterAll, assert, describe, it } from "vitest"
import { type Bundle4, parseAnyBundle } from "../../../core/proof/bundle.ts"
import { Malformed, toHex } from "../../../core/proof/bytes.ts"
import { canonical, isRecord } from "../../../core/proof/canonical.ts"
import { chainsFor } from "../../../core/proof/chainsFor.ts"
import { type Check, refused } from "../../../core/proof/check.ts"
import type { ChainSigners } from "../../../core/proof/checkFinalityEvidence.ts"
import { type ChainFinality, finalitySubject, finalityText } from "../../../core/proof/finality/document.ts"
import { verifyBundle } from "../../../core/proof/verifyBundle.ts"
import { main } from "../../../http/client/verifier/src/cli.ts"
import { beaconBundle, cometBlock, cometBundle, cometTrust } from "../../support/chain/finalityBundle.ts"
import { publicKeyOf } from "../../support/ed25519.ts"
import { secret } from "../../support/publication.ts"

const pin = toHex(publicKeyOf(secret))
const name = "block signed on the chain"
const good = cometBundle()

/** The checks of a bundle as a file has it. */
const checksOf = async (bundle: object, signers: ChainSigners): Promise<ReadonlyArray<Check>> => {
  try {
    const read = parseAnyBundle(JSON.stringify(bundle))
    const { checks } = verifyBundle(read, {
      network: "bitcoin-regtest-fixture",
      pins: [pin],
      ...(await chainsFor(read, signers))
    })
    return checks
  } catch (error) {
    if (error instanceof Malformed) return [refused("read", error)]
    throw error
  }
}

const verdictOf = async (bundle: object, signers: ChainSigners): Promise<unknown> => {
  const one = (await checksOf(bundle, signers)).find((check) => check.name === name || check.name === "read")
  return one === undefined || one.ok === true ? one?.ok : [one.ok, one.reason]
}

const demanding = (...trusted: ReadonlyArray<string>): ChainSigners => ({ trusted, isDemanded: true })

/** A bundle whose evidence of one kind is changed, or left out. */
const withEvidence = (
  bundle: Bundle4,
  kind: string,
  change: ((item: Record<string, unknown>) => object) | undefined
): object => ({
  ...bundle,
  evidence: bundle.evidence.flatMap((item) =>
    item.kind !== kind ? [item] : change === undefined ? [] : [change({ ...item })]
  )
})

describe("who signed the block of a value", () => {
  it("is said beside what its state says, to whoever trusts those", async () => {
    const checks = await checksOf(good, demanding(cometTrust))
    assert.deepStrictEqual(
      checks.filter(({ ok }) => ok === false || ok === "not proved"),
      []
    )
    const of = (one: string) => checks.find((check) => check.name === one)
    assert.match(
      of("state of the chain")?.detail ?? "",
      /^block 100 with the hash \S+ says 4 validators at 2026-09-05T11:00:00Z/
    )
    assert.deepInclude(of("block of the chain"), { ok: "not checked", reason: "unasked" })
    assert.match(
      of(name)?.detail ?? "",
      /^40 of 40 power of the validators with the hash \S+ signed block 100 of cosmos:made-1; you trust them; this log has it in entry 1$/
    )
  })

  it("is said of Ethereum by its sync committee", async () => {
    const { bundle, trusted } = beaconBundle()
    assert.strictEqual(await verdictOf(bundle, demanding(trusted)), true)
    assert.deepStrictEqual(await verdictOf(bundle, demanding(cometTrust)), ["not proved", "key"])
    assert.deepStrictEqual(await verdictOf(bundle, {}), ["not checked", "unasked"])
  })

  it("is not proved to whoever asks and trusts others, and not checked where nobody asks", async () => {
    assert.deepStrictEqual(await verdictOf(good, demanding("00".repeat(32))), ["not proved", "key"])
    assert.deepStrictEqual(await verdictOf(good, { trusted: ["00".repeat(32)] }), ["not checked", "key"])
    assert.deepStrictEqual(await verdictOf(good, {}), ["not checked", "unasked"])
    assert.match(
      (await checksOf(good, {})).find((one) => one.name === name)?.detail ?? "",
      new RegExp(`the hash ${cometTrust} signed block 100; nobody but this document says`)
    )
  })

  it("is missing without evidence of it, or of the block", async () => {
    const without = withEvidence(good, "finality", undefined)
    assert.deepStrictEqual(await verdictOf(without, demanding(cometTrust)), ["not proved", "missing"])
    assert.strictEqual(await verdictOf(without, {}), undefined)
    const alone = withEvidence(good, "chain", undefined)
    assert.deepStrictEqual(await verdictOf(alone, demanding(cometTrust)), ["not proved", "missing"])
    assert.deepStrictEqual(await verdictOf(alone, {}), ["not checked", "missing"])
  })

  it("is read of a reader's own documents, which may lead to those who signed", async () => {
    const without = withEvidence(good, "finality", undefined)
    const own = { ...demanding(cometTrust), documents: [cometBlock()] }
    assert.strictEqual(await verdictOf(without, own), true)
    assert.strictEqual(await verdictOf(good, own), true)
    const earlier = cometBlock({}, "2026-09-04T11:00:00Z", 90)
    assert.strictEqual(await verdictOf(good, { ...demanding(cometTrust), documents: [earlier] }), true)
  })

  it("is not checked by a verifier that does not know the kind, in its version or without what checks it", () => {
    const newer = withEvidence(good, "finality", (item) => ({ ...item, v: 2 }))
    const { checks } = verifyBundle(parseAnyBundle(JSON.stringify(newer)))
    assert.deepInclude(
      checks.find((one) => one.name === "evidence finality"),
      { ok: "not checked", reason: "newer" }
    )
    assert.deepInclude(
      verifyBundle(parseAnyBundle(JSON.stringify(good))).checks.find((one) => one.name === name),
      { ok: "not checked", reason: "unavailable" }
    )
  })

  it("does not hold with too few signatures, another block or another log, whether somebody asks or not", async () => {
    const few = cometBundle(cometBlock({ votes: (at) => (at < 2 ? "block" : "absent") }))
    const other = cometBundle(cometBlock({}, "2026-09-05T11:00:01Z"))
    const later = cometBundle(cometBlock({}, "2026-09-05T11:00:00Z", 101))
    const unlogged = withEvidence(good, "finality", (item) => ({
      ...item,
      document: finalityText(cometBlock({ round: 1 }))
    }))
    for (const signers of [demanding(cometTrust), {}]) {
      assert.deepStrictEqual(await verdictOf(few, signers), [false, "missing"])
      assert.deepStrictEqual(await verdictOf(later, signers), [false, "contradiction"])
      assert.deepStrictEqual(await verdictOf(unlogged, signers), [false, "contradiction"])
    }
    assert.deepStrictEqual(await verdictOf(other, demanding(cometTrust)), [false, "contradiction"])
  })
})

const folder = mkdtempSync(join(tmpdir(), "plumbline-signed-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** What the command says of a bundle: its exit code and its lines. */
const command = async (bundle: object, ...args: ReadonlyArray<string>) => {
  const file = join(folder, "bundle.json")
  writeFileSync(file, JSON.stringify(bundle))
  const lines: Array<string> = []
  const exit = await main(
    [
      "verify",
      "bundle",
      file,
      "--network",
      "bitcoin-regtest-fixture",
      `--key=${pin}`,
      "--pins=none",
      ...args
    ],
    {
      print: (line) => void lines.push(line),
      env: {},
      get: () => Promise.reject(new Error("nothing is requested"))
    }
  )
  return { exit, text: lines.join("\n") }
}

describe("plumbline verify bundle --trust", () => {
  it("exits with 0, 2 and 1", async () => {
    const [plain, trusted, stranger] = [
      await command(good),
      await command(good, "--trust", `0x${cometTrust.toUpperCase()}`),
      await command(good, "--trust", "00".repeat(32))
    ]
    assert.deepStrictEqual([plain.exit, trusted.exit, stranger.exit], [0, 0, 2], trusted.text)
    assert.match(plain.text, /not checked +block signed on the chain: .*nobody but this document says/)
    assert.match(trusted.text, /ok +block signed on the chain: .*; you trust them/)
    assert.match(stranger.text, /not proved +block signed on the chain: .*not those whom you trust/)
    const few = cometBundle(cometBlock({ votes: (at) => (at < 2 ? "block" : "absent") }))
    assert.strictEqual((await command(few)).exit, 1)
    assert.strictEqual((await command(good, "--trust", "00")).exit, 2)
    const without = withEvidence(good, "finality", undefined)
    assert.strictEqual((await command(without, "--trust", cometTrust)).exit, 2)
    const file = join(folder, "final.json")
    writeFileSync(file, finalityText(cometBlock()))
    assert.strictEqual((await command(without, "--trust", cometTrust, "--final", file)).exit, 0)
  })
})

/** Each place of a JSON value, as the names that lead there. */
const placesOf = (value: unknown, at: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  Array.isArray(value) || isRecord(value)
    ? [[...at], ...Object.entries(value).flatMap(([key, one]) => placesOf(one, [...at, key]))]
    : [[...at]]

/** A copy with another value at a place; undefined leaves it out. */
const changedAt = (
  value: unknown,
  [first, ...rest]: ReadonlyArray<string>,
  to: (old: unknown) => unknown
): unknown => {
  if (first === undefined) return to(value)
  if (Array.isArray(value)) {
    const next = changedAt(value[Number(first)], rest, to)
    return next === undefined ? value.toSpliced(Number(first), 1) : value.with(Number(first), next)
  }
  return isRecord(value) ? { ...value, [first]: changedAt(value[first], rest, to) } : value
}

/** Another value of the same kind, or of another. */
const another = (old: unknown, n: number): unknown => {
  if (n % 7 === 0) return undefined
  if (n % 7 === 1) return null
  if (typeof old === "number") return old + 1 + (n % 5)
  if (typeof old === "string" && old.length > 0) {
    const place = n % old.length
    const letter = old[place] === "0" ? "1" : "0"
    return n % 7 === 2 ? old.slice(0, place) : `${old.slice(0, place)}${letter}${old.slice(place + 1)}`
  }
  return Array.isArray(old) ? [...old, ...old.slice(0, 1)] : {}
}

describe("evidence that was changed at random", () => {
  // With a signature fewer too few would have signed.
  const three = cometBlock({ votes: (at) => (at < 3 ? "block" : "absent") })
  const honest = cometBundle(three)
  const [log] = honest.evidence.flatMap((one) => (one.kind === "finality" && "log" in one ? [one.log] : []))
  const at = fc.nat({ max: 1_000_000 })
  const changes: Readonly<Record<string, fc.Arbitrary<object>>> = {
    "in its place in the log": fc.tuple(fc.constantFrom(...placesOf(log)), at).map(([place, n]) =>
      withEvidence(honest, "finality", (one) => ({
        ...one,
        log: changedAt(one["log"], place, (old) => another(old, n))
      }))
    ),
    // The log really has the changed document: its signatures alone are in the way.
    "in a document that was logged so": fc
      .tuple(
        fc.constantFrom(...placesOf(three).filter((place) => place.length > 0 && place[0] !== "day")),
        at
      )
      .map(([place, n]) => {
        const forged = JSON.parse(JSON.stringify(changedAt(three, place, (old) => another(old, n))))
        const { block, chain = three.chain, day } = forged
        const subject = finalitySubject({
          day,
          chain,
          block: isRecord(block) ? (block as ChainFinality["block"]) : three.block
        })
        return cometBundle({ document: canonical(forged), subject })
      })
  }

  it("is changed of what is accepted", async () => {
    assert.strictEqual(await verdictOf(honest, demanding(cometTrust)), true)
  })

  it.each(Object.entries(changes))("%s is not accepted", async (_, bundles) => {
    await fc.assert(
      fc.asyncProperty(bundles, async (bundle) => {
        if (JSON.stringify(bundle) === JSON.stringify(honest)) return
        assert.notStrictEqual(await verdictOf(bundle, demanding(cometTrust)), true, JSON.stringify(bundle))
      }),
      { numRuns: 400 }
    )
  })
})
