/** The pinned vectors, which another implementation made: they never change, and ours must agree with every byte. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { checkLeavesOf } from "../../core/proof/batch.ts"
import { parseBundle } from "../../core/proof/bundle.ts"
import { toHex, utf8 } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { checkpointText, parseCheckpointText, parseNote } from "../../core/proof/checkpoint.ts"
import { entryBytes, isBatch, parseEntry } from "../../core/proof/entry.ts"
import { parseEvidence } from "../../core/proof/evidence.ts"
import { keyDocument, parseKeyDocument, thumbprint } from "../../core/proof/keys.ts"
import { keysText, parseKeysDocument } from "../../core/proof/keysDocument.ts"
import { absenceList, compareLeaves, leafBytes, parseLeaf } from "../../core/proof/leaf.ts"
import { consistencyProof, inclusionProof, leafHash, root, treeOf } from "../../core/proof/merkle.ts"
import { parseDetached, serializeDetached } from "../../core/proof/ots/codec.ts"
import { parseRotation, rotationSubject } from "../../core/proof/rotation.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { main } from "../../http/client/verifier/src/cli.ts"

const folder = new URL("../../fixtures/vectors/", import.meta.url)
const bytes = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)))
const text = (name: string) => readFileSync(new URL(name, folder), "utf8")
const path = (name: string) => new URL(name, folder).pathname
const hexes = (hashes: ReadonlyArray<Uint8Array>) => hashes.map((hash) => toHex(hash))
const fixture = ["--network", "bitcoin-regtest-fixture"]

const vectors: {
  readonly leaves: ReadonlyArray<string>
  readonly leaf_hashes: ReadonlyArray<string>
  readonly root: string
  readonly inclusion: ReadonlyArray<ReadonlyArray<string>>
  readonly log_entries: ReadonlyArray<string>
  readonly log_root: string
  readonly consistency: Readonly<Record<string, ReadonlyArray<string>>>
} = JSON.parse(text("vectors.json"))

const run = async (...args: ReadonlyArray<string>) => {
  const lines: Array<string> = []
  const print = (line: string) => lines.push(line)
  const get = async () => {
    throw new Error("a vector needs no network")
  }
  const exit = await main(["verify", ...args], { print, env: {}, get })
  return { exit, text: lines.join("\n") }
}

describe("the pinned vectors", () => {
  it("have our leaves, hashes, root and proofs", () => {
    assert.deepStrictEqual(
      vectors.leaves.map((leaf) => hexes([leafBytes(parseLeaf(leaf)), leafHash(utf8(leaf))])),
      vectors.leaves.map((leaf, at) => [toHex(utf8(leaf)), vectors.leaf_hashes[at]])
    )
    const sorted = vectors.leaves.map(parseLeaf).sort(compareLeaves)
    assert.deepStrictEqual(
      sorted.map((leaf) => canonical(leaf)),
      [...vectors.leaves]
    )
    const tree = treeOf(vectors.leaves.map(utf8))
    assert.strictEqual(toHex(root(tree)), vectors.root)
    assert.deepStrictEqual(
      vectors.leaves.map((_, index) => hexes(inclusionProof(tree, index))),
      vectors.inclusion.map((one) => [...one])
    )
  })

  it("have our log entries, root and consistency proofs", () => {
    const tree = treeOf(vectors.log_entries.map((entry) => entryBytes(parseEntry(entry))))
    assert.strictEqual(toHex(root(tree)), vectors.log_root)
    for (const [first, proof] of Object.entries(vectors.consistency)) {
      assert.deepStrictEqual(hexes(consistencyProof(tree, Number(first))), [...proof])
    }
    const checkpoint = parseCheckpointText(parseNote(text("checkpoint.rotated")).text)
    assert.strictEqual(toHex(checkpoint.root), vectors.log_root)
    assert.strictEqual(checkpointText(checkpoint), parseNote(text("checkpoint.rotated")).text)
  })

  it("have our rotation, and a late leaf in a batch that counts it", () => {
    const { new: next, rotation } = parseRotation(text("rotation"))
    const entry = parseEntry(text("rotation.json"))
    assert.strictEqual(isBatch(entry) ? "" : entry.subject, rotationSubject(rotation))
    assert.strictEqual(thumbprint(next.publicKey), JSON.parse(text("keys.json")).keys[2].kid)
    const batch = parseEntry(text("batch.json"))
    if (!isBatch(batch)) return assert.fail("not a batch")
    checkLeavesOf(batch, vectors.leaves.map(parseLeaf))
    assert.strictEqual(batch.n_late, 1)
  })

  it("have our document of the keys in the log", () => {
    const { n, origin, rotations } = parseKeysDocument(text("keys.logged.json"))
    const { answers, log } = parseKeyDocument(JSON.parse(text("keys.json")))
    assert.strictEqual(
      keysText({ n, origin, keys: [...answers, ...log], rotations }),
      text("keys.logged.json")
    )
    assert.deepStrictEqual(rotations, [text("rotation")])
  })

  it("have our key document, absence list and timestamp", () => {
    const {
      answers,
      checkpointOrigin: origin,
      log,
      rotations
    } = parseKeyDocument(JSON.parse(text("keys.json")))
    assert.deepStrictEqual(
      keyDocument({ origin, keys: [...answers, ...log], rotations, now: Date.parse("2026-09-05T12:00:00Z") }),
      JSON.parse(text("keys.json"))
    )
    assert.strictEqual(absenceList(JSON.parse(text("absent.json"))).text, text("absent.json"))
    assert.deepStrictEqual(serializeDetached(parseDetached(bytes("checkpoint.ots"))), bytes("checkpoint.ots"))
  })

  it("are verified whole: bundle, answer and timestamp", async () => {
    const [answers, log] = JSON.parse(text("keys.json")).keys
    for (const [name, owner, beside] of [
      ["bundle.json", /signed with the given key/, undefined],
      ["bundle.rotated.json", /the successor of the given key/, undefined],
      ["bundle.keys.json", /the successor of the given key/, "evidence.keys.json"]
    ] as const) {
      const { checks } = verifyBundle(parseBundle(text(name)), {
        ...(beside === undefined ? {} : { evidence: parseEvidence(text(beside)) }),
        network: "bitcoin-regtest-fixture",
        pins: [log.kid],
        now: Date.parse("2026-11-22T00:00:00Z")
      })
      assert.deepStrictEqual(
        checks.filter(({ ok }) => ok !== true).map(({ name, ok }) => [name, ok]),
        ["witnesses", ...(beside === undefined ? ["keys in log"] : []), "run", "notaries"].map((one) => [
          one,
          "not checked"
        ])
      )
      assert.match(checks.find((one) => one.name === "operator's key")?.detail ?? "", owner)
    }
    const answer = [
      "--headers",
      path("response.headers"),
      "--keys",
      path("keys.json"),
      `--key=${answers.kid}`
    ]
    const url = "https://vectors.example/v1/supply"
    const good = await run("response", path("response.body"), ...answer, "--url", `${url}?limit=3`)
    assert.strictEqual(good.exit, 0, good.text)
    assert.match(good.text, /ok\s+query and status/)
    assert.strictEqual((await run("response", path("response.body"), ...answer, "--url", url)).exit, 1)
    const stamp = ["--file", path("checkpoint"), "--header", `200=${path("header-200.hex")}`, ...fixture]
    assert.strictEqual((await run("timestamp", path("checkpoint.ots"), ...stamp)).exit, 0)
  })
})
