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
import { Malformed, utf8 } from "../../core/proof/bytes.ts"
import { isRecord } from "../../core/proof/canonical.ts"
import { type Check, refused } from "../../core/proof/check.ts"
import { noteKeyText } from "../../core/proof/checkpoint.ts"
import { type Evidence, evidenceTag, parseEvidence } from "../../core/proof/evidence.ts"
import { requestOf } from "../../core/proof/fetched.ts"
import { evidenceOf } from "../../core/proof/kinds.ts"
import type { Quorum } from "../../core/proof/policy.ts"
import { parseSaved } from "../../core/proof/saved.ts"
import { type BundleOptions, verifyBundle } from "../../core/proof/verifyBundle.ts"
import { verifyReceipt } from "../../core/proof/verifyReceipt.ts"
import { verifyResponse } from "../../core/proof/verifyResponse.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import { missing, pathOf } from "../support/programs.ts"
import { batches, bundleOf, keys } from "../support/publication.ts"
import { filesOf, formats, type Vector, vectorsOf, verdictOf } from "../support/vectors.ts"
import { besideAbsence, bodies, honestBodies, notarisedBody, verifyTold4 } from "./corpus/bodies.ts"
import { changed, changes, rewritten } from "./corpus/changes.ts"
import { loggedKeys, observedRuns } from "./corpus/logged.ts"
import { missingEvidence } from "./corpus/missing.ts"
import { cosignatures, keyDocuments, notes } from "./corpus/notes.ts"
import { documents, notaries, operatorBundle } from "./corpus/operatorBundle.ts"
import { operatorSale, saleDocuments } from "./corpus/operatorSale.ts"
import { signed } from "./corpus/signed.ts"
import { payees, receipts } from "./corpus/statements.ts"
import { type Group, network, now, pins, type VerifierInput } from "./corpus/table.ts"
import { answers, rotations, texts } from "./corpus/texts.ts"
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

const outcomeOf = (one: Check): Outcome => [one.name, one.ok, one.ok === true ? null : one.reason]

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

const environment = {
  get path() {
    return pathOf("python")
  },
  env: { PYTHONPATH: sources, PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" }
}

/** What the second verifier says of each case. */
const second = (cases: ReadonlyArray<object>): ReadonlyArray<ReadonlyArray<Outcome> | null> => {
  const { env, path } = environment
  const { status, stderr, stdout } = spawnSync(path, [program], {
    input: cases.map((one) => `${JSON.stringify(one)}\n`).join(""),
    env,
    encoding: "utf8",
    maxBuffer: 2 ** 30
  })
  assert.strictEqual(status, 0, stderr)
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

/** What the first one says. */
const first = (work: () => ReadonlyArray<Check>): ReadonlyArray<Outcome> => {
  try {
    return work().map(outcomeOf)
  } catch (error) {
    if (error instanceof Malformed) return [outcomeOf(refused("read", error))]
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

/** A bundle of version 4 as the table of bodies has it. */
const bodyCase = ({ json, options }: ReturnType<typeof besideAbsence>) => {
  const { evidence: _, ...rest } = options
  return bundleCase({ text: json, options: rest })
}

/** Forgeries beside those of the bundles above, each with how it is put to the second verifier. */
const others: ReadonlyArray<{ readonly group: Group; readonly ask: (forged: never) => object }> = [
  { group: rotations, ask: (text: string) => bundleCase({ text, options: afterRotation }) },
  {
    group: answers,
    ask: (answer: object) => ({
      what: "answer",
      ...answer,
      keys: JSON.parse(vector("keys.json")),
      pins: [kid("answers")],
      now
    })
  },
  { group: bodies, ask: bodyCase },
  { group: receipts, ask: (text: string) => ({ what: "receipt", text, keys, pins, now }) },
  {
    group: payees,
    ask: (statement: object) => ({
      what: "payee",
      statement,
      keys,
      pins,
      now,
      expected: { domain: "plumbline.test", pay_to: "0xb", network: "eip155:8453", asset: "0xa", fresh: true }
    })
  }
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

const afterRotation = { network, pins: [kid("log")], now: Date.parse("2026-11-22T00:00:00Z") } as const

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
    options: afterRotation
  })),
  {
    text: JSON.stringify(
      version4(parseBundle(vector("bundle.keys.json")), parseEvidence(vector("evidence.keys.json")))
    ),
    options: { network, pins: [kid("log")] }
  },
  ...honestBodies.map(({ json: text, options: { evidence: _, ...options } }) => ({ text, options })),
  // A run with its rows and its hour, by both versions.
  ...observedRuns.forgeries.slice(0, 60).flatMap(({ forged }) => {
    const { bundle, options } = forged() as VerifierInput
    const { evidence, ...rest } = options
    return evidence === undefined ? [] : [{ text: JSON.stringify(version4(bundle, evidence)), options: rest }]
  })
]

/** What is cases of vectors that the second verifier does not answer: nothing that a bundle, an answer or a receipt has. */
const unknown: ReadonlySet<string> = new Set([
  "archive",
  "brief",
  "chain",
  "derivation",
  "events document",
  "events",
  "feeds",
  "finality",
  "looks",
  "origin",
  "permissions",
  "restart",
  "revisions",
  "sale",
  "sales document",
  "schedule",
  "signals"
])

const vectorCase = (format: string, vector: Vector) => ({
  what: "vector",
  asks: vector.asks,
  given: vector["given"] ?? {},
  files: Object.fromEntries(
    [...filesOf(format, vector)].map(([role, bytes]) => [role, Buffer.from(bytes).toString("base64")])
  )
})

/** Both say the same of each; `drafts` say what was changed. */
const compare = (cases: ReadonlyArray<Case>, drafts: ReadonlyArray<unknown>): void => {
  const outcomes = second(cases.map(bundleCase))
  for (const [place, one] of cases.entries())
    assert.deepStrictEqual(
      outcomes[place],
      firstOf(one),
      `SEED=${seed}, bundle ${place}: ${JSON.stringify(drafts[place])}`
    )
}

const at = (name: string) => fileURLToPath(new URL(name, vectors))
const answered = (key: string) => [
  ...["response", at("response.body"), "--headers", at("response.headers"), "--keys", at("keys.json")],
  ...["--url", "https://vectors.example/v1/supply?limit=3", `--key=${key}`]
]

/** Command lines that both programs take, with their exit codes. */
const commands: ReadonlyArray<readonly [what: string, exit: number, args: ReadonlyArray<string>]> = [
  [
    "a bundle that holds",
    0,
    ["bundle", at("bundle.json"), "--network", "bitcoin-regtest-fixture", `--key=${kid("log")}`]
  ],
  ["a bundle without a key", 2, ["bundle", at("bundle.json"), "--network", "bitcoin-regtest-fixture"]],
  ["a bundle on another network", 1, ["bundle", at("bundle.json"), `--key=${kid("log")}`]],
  ["a file that is no bundle", 1, ["bundle", at("leaf.json")]],
  ["a file that is not there", 2, ["bundle", at("nothing.json")]],
  ["a quorum of nobody", 2, ["bundle", at("bundle.json"), "--quorum", "1"]],
  ["an answer that holds", 0, answered(kid("answers"))],
  ["an answer by another key", 1, answered("A".repeat(43))],
  ["a receipt that is none", 1, ["receipt", at("leaf.json"), "--keys", at("keys.json")]]
]

/** The answer among the vectors, as it was saved. */
const savedAnswer = {
  ...parseSaved(new Uint8Array(readFileSync(new URL("response.headers", vectors)))),
  body: vector("response.body"),
  request: requestOf("GET", "https://vectors.example/v1/supply?limit=3")
}

/** An answer that `curl` may have saved; undefined for what has another form. */
const asAnswer = (text: string): typeof savedAnswer | undefined => {
  try {
    const { body, headers: lines, request, status } = JSON.parse(text)
    const { authority, method, path, query } = request
    const isText = [body, authority, method, path, query, ...Object.values(lines)].every(
      (one) => typeof one === "string" && one.isWellFormed()
    )
    return isText && Number.isInteger(status)
      ? { status, headers: { ...lines }, body, request: { authority, method, path, query } }
      : undefined
  } catch {
    return undefined
  }
}

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31)

describe.skipIf(missing("python's cryptography"))("the second verifier", () => {
  it("judges signatures with points of small and mixed order as the first one does", () => {
    const script = [
      "import json, sys",
      "from plumbline_client.proof.ed25519 import verify_ed25519 as verify",
      "hexes = ('signature', 'message', 'public_key')",
      "print(json.dumps([one['name'] for one in json.load(sys.stdin)",
      "  if verify(*(bytes.fromhex(one[name]) for name in hexes)) != one['valid']]))"
    ].join("\n")
    const { status, stderr, stdout } = spawnSync(pathOf("python"), ["-c", script], {
      input: vector("ed25519.json"),
      env: { PYTHONPATH: sources, PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" },
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stderr)
    assert.deepStrictEqual(JSON.parse(stdout), [])
  })

  it.each(groups)("says of $of what the first one says", ({ forgeries }) => {
    const cases = forgeries.map(({ forged }) => caseOf(forged()))
    const outcomes = second(cases.map(bundleCase))
    for (const [place, one] of cases.entries())
      assert.deepStrictEqual(outcomes[place], firstOf(one), forgeries[place]?.name)
  })

  it.each(others)("says of $group.of what the first one says", ({ ask, group: { forgeries } }) => {
    const outcomes = second(forgeries.map(({ forged }) => ask(forged() as never)))
    for (const [place, { checks, name }] of forgeries.entries())
      assert.deepStrictEqual(outcomes[place], checks().map(outcomeOf), name)
  })

  it("says of bodies that hold, and of one beside an absence, what the first one says", () => {
    const cases = [...honestBodies, notarisedBody(), besideAbsence()]
    const outcomes = second(cases.map(bodyCase))
    for (const [place, one] of cases.entries())
      assert.deepStrictEqual(outcomes[place], verifyTold4(one).map(outcomeOf), one.json)
    assert.strictEqual(
      outcomes.filter((checks) => checks?.some(([name, ok]) => name === "body" && ok === true)).length,
      cases.length - 1
    )
  })

  it.each(formats)("says of the vectors of the format %s what the first one says", async (format) => {
    const cases = vectorsOf(format).filter(({ asks }) => !unknown.has(asks))
    const outcomes = second(cases.map((vector) => vectorCase(format, vector)))
    for (const [place, vector] of cases.entries())
      assert.deepStrictEqual(
        outcomes[place],
        (await verdictOf(format, vector)).checks.map(({ name, ok, reason }) => [name, ok, reason ?? null]),
        vector.name
      )
  })

  it("verifies Ed25519 as the vectors of points of small and mixed order say", () => {
    const edges: ReadonlyArray<{ readonly name: string; readonly valid: boolean }> = JSON.parse(
      vector("ed25519.json")
    )
    const outcomes = second(
      edges.map((edge) => ({ what: "vector", asks: "ed25519", given: edge, files: {} }))
    )
    assert.isAtLeast(edges.length, 60)
    for (const [place, { name, valid }] of edges.entries())
      assert.deepStrictEqual(outcomes[place], [["ed25519", valid, valid ? null : "signature"]], name)
  })

  it("knows not what a log has of events, sales and signals, nor the origin of a day, and says so", () => {
    const cases = formats.flatMap((format) =>
      vectorsOf(format).map((vector) => [vector.asks, vectorCase(format, vector)] as const)
    )
    const outcomes = second(cases.map(([, one]) => one))
    assert.deepStrictEqual(
      new Set(cases.flatMap(([asks], place) => (outcomes[place] === null ? [asks] : []))),
      unknown
    )
  })

  it.each(commands)("is a command: %s", async (_, exit, args) => {
    const { env, path } = environment
    const run = spawnSync(path, ["-m", "plumbline_client", "verify", ...args, "--json"], {
      env,
      encoding: "utf8"
    })
    const lines: Array<string> = []
    const code = await main([...args, "--json"], {
      print: (line) => lines.push(line),
      env: {},
      get: () => Promise.reject(new Error("a file needs no network"))
    })
    const [ofSecond, ofFirst] = [JSON.parse(run.stdout), JSON.parse(lines.join("\n"))]
    assert.deepStrictEqual([run.status, code], [exit, exit], run.stdout)
    assert.deepStrictEqual(
      [ofSecond.verdict, ofSecond.exit, ofSecond.checks.map(outcomeOf)],
      [ofFirst.verdict, ofFirst.exit, ofFirst.checks.map(outcomeOf)]
    )
    assert.deepStrictEqual(Object.keys(ofSecond).sort(), Object.keys(ofFirst).sort())
  })

  it("says of what an operator may write and sign what the first one says", { timeout: 60_000 }, () => {
    const options = { network, pins, notaries: { notaries, least: 1 } } as const
    const honest: Case = { text: operatorBundle((_, text) => text), options }
    assert.deepStrictEqual(
      firstOf(honest).filter(([, ok]) => ok === false || ok === "not proved"),
      []
    )
    const drafts = fc.sample(fc.tuple(fc.constantFrom(...documents), changes), { seed, numRuns: 500 })
    const cases = drafts.map(
      ([document, list]): Case => ({
        text: operatorBundle((name, text) => (name === document ? list.reduce(rewritten, text) : text)),
        options
      })
    )
    compare([honest, ...cases], [[], ...drafts])
  })

  it("says of what an operator may sell and sign what the first one says", { timeout: 60_000 }, () => {
    const honest = operatorSale((_, text) => text)
    const drafts = fc.sample(fc.tuple(fc.constantFrom(...saleDocuments), changes), { seed, numRuns: 500 })
    const sales = [
      honest,
      ...drafts.map(([document, list]) =>
        operatorSale((name, text) => (name === document ? list.reduce(rewritten, text) : text))
      )
    ].map((text) => text.toWellFormed())
    const outcomes = second(sales.map((text) => ({ what: "receipt", text, keys, pins, now })))
    assert.deepStrictEqual(
      outcomes[0]?.filter(([, ok]) => ok === true).map(([name]) => name),
      ["receipt", "key in use", "operator's key", "data", "sale", "warranty"]
    )
    for (const [place, text] of sales.entries())
      assert.deepStrictEqual(
        outcomes[place],
        first(() => verifyReceipt(utf8(text), { keys, pins, now })),
        `SEED=${seed}, sale ${place}: ${JSON.stringify(drafts[place - 1])}`
      )
  })

  it("says of an answer that was changed at random what the first one says", { timeout: 60_000 }, () => {
    const honest = JSON.stringify(savedAnswer)
    const drafts = fc.sample(changes, { seed, numRuns: 500 })
    const answersOf = drafts
      .map((list) => list.reduce(changed, honest))
      .flatMap((text) => {
        const answer = asAnswer(text)
        return answer === undefined ? [] : [answer]
      })
    assert.isAtLeast(answersOf.length, 100)
    const served = JSON.parse(vector("keys.json"))
    const outcomes = second(
      answersOf.map((answer) => ({ what: "answer", ...answer, keys: served, pins: [kid("answers")], now }))
    )
    for (const [place, answer] of answersOf.entries())
      assert.deepStrictEqual(
        outcomes[place],
        first(() =>
          verifyResponse(
            { ...answer, body: utf8(answer.body) },
            { keys: served, pins: [kid("answers")], now }
          )
        ),
        `SEED=${seed}: ${JSON.stringify(answer)}`
      )
  })

  it("says of 1,500 bundles that were changed at random what the first one says", { timeout: 60_000 }, () => {
    const drafts = fc.sample(fc.tuple(fc.nat(originals.length - 1), changes), { seed, numRuns: 1500 })
    const cases = drafts.map(([place, list]): Case => {
      const original = originals[place]
      if (original === undefined) throw new RangeError("no such bundle")
      return { ...original, text: list.reduce(changed, original.text) }
    })
    compare(cases, drafts)
  })
})
