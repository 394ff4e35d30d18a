/** The vectors of the formats (`fixtures/vectors`): their manifests, and what this verifier says of each. */

import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkComparisonsOf, parseAgreement } from "../../core/proof/agreement.ts"
import { checkComparison, parseAgreementLeaf, parseAgreementLeaves } from "../../core/proof/agreementLeaf.ts"
import { demandExtends } from "../../core/proof/appendOnly.ts"
import { checkLeavesOf } from "../../core/proof/batch.ts"
import { parseAnyBundle } from "../../core/proof/bundle.ts"
import { fromHex, fromUtf8, Malformed, utf8 } from "../../core/proof/bytes.ts"
import { leastOperators } from "../../core/proof/chain/canonicalBlock.ts"
import { parseChainProof } from "../../core/proof/chain/document.ts"
import { verifyChain } from "../../core/proof/chain/verifyChain.ts"
import { looksAt, parseChainLooks } from "../../core/proof/chainLooks.ts"
import { type Check, check, demand, failed, notProved, refused } from "../../core/proof/check.ts"
import {
  type Checkpoint,
  parseCheckpointText,
  parseNote,
  parseVkey,
  verifyNote
} from "../../core/proof/checkpoint.ts"
import { parseCosigner } from "../../core/proof/cosignature.ts"
import { verifyEd25519 } from "../../core/proof/ed25519.ts"
import { type DocumentEntry, isBatch, type LogEntry, parseEntry } from "../../core/proof/entry.ts"
import { parseEvents } from "../../core/proof/eventsDocument.ts"
import { parseEvidence } from "../../core/proof/evidence.ts"
import { parseFeeds } from "../../core/proof/feeds.ts"
import { requestOf } from "../../core/proof/fetched.ts"
import { parseFinality } from "../../core/proof/finality/document.ts"
import { verifyFinality } from "../../core/proof/finality/verifyFinality.ts"
import { parseIncidents } from "../../core/proof/incidents.ts"
import { parseJson } from "../../core/proof/json.ts"
import { parseKeyDocument } from "../../core/proof/keys.ts"
import { demandContinues, parseKeysDocument } from "../../core/proof/keysDocument.ts"
import { parseAbsenceList, parseLeafBytes, provenAbsence } from "../../core/proof/leaf.ts"
import { readNotarisation } from "../../core/proof/notarisation.ts"
import { notaryPolicyOf } from "../../core/proof/notaryPolicy.ts"
import { BatchRows, demandOrigin, parseOrigins } from "../../core/proof/origin.ts"
import { isAbout, parseDetached } from "../../core/proof/ots/codec.ts"
import { verifyTimestamp } from "../../core/proof/ots/verify.ts"
import { parsePermissionsDocument } from "../../core/proof/permissions.ts"
import { quorumOf } from "../../core/proof/policy.ts"
import type { Reason } from "../../core/proof/reason.ts"
import { parseRestart } from "../../core/proof/restart.ts"
import { parseRevisions } from "../../core/proof/revisions.ts"
import { parseRotation } from "../../core/proof/rotation.ts"
import { parseRunLeaf, parseRunLeaves, type Row } from "../../core/proof/runLeaf.ts"
import { checkRunsOf, parseRuns } from "../../core/proof/runs.ts"
import { parseSaleProof, verifySaleProof } from "../../core/proof/saleProof.ts"
import { commitmentOf, parseSales } from "../../core/proof/sales.ts"
import { parseSaved } from "../../core/proof/saved.ts"
import { parseSchedule } from "../../core/proof/schedule.ts"
import { checkTimestamp } from "../../core/proof/timestamp.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { verifyPayee, verifyReceipt } from "../../core/proof/verifyReceipt.ts"
import { verifyResponse } from "../../core/proof/verifyResponse.ts"
import { signalPages, verifySignals } from "../../core/proof/verifySignals.ts"
import { verifyArchiveFile } from "../../http/client/verifier/src/archive.ts"
import { afterBrief } from "../../http/client/verifier/src/monitor/publications.ts"
import { noRecord } from "../../http/client/verifier/src/monitor/state.ts"
import { eventsIn, verifyEvents } from "../../http/client/verifier/src/verifyEvents.ts"
import type { Exported } from "../../runtime/derivation/export.ts"
import { asPublished, underRoot } from "../../runtime/derivation/inLog.ts"

const folder = new URL("../../fixtures/vectors/", import.meta.url)

/** A file, or another with changes (a JSON Patch). */
type FileName = string | { readonly of: string; readonly patch: string }

export interface Vector {
  readonly name: string
  /** What the verifier is asked to do with the files. */
  readonly asks: string
  readonly files: Readonly<Record<string, FileName>>
  readonly given?: Beside
  readonly verdict: "holds" | "does not hold" | "not proved"
  readonly check?: string
  readonly reason?: string
  /** What it must say that it did not check. */
  readonly not_checked?: ReadonlyArray<{ readonly check: string; readonly reason: string }>
}

/** What the verifier has beside the files. */
interface Beside {
  readonly key?: ReadonlyArray<string>
  readonly now?: string
  readonly not_before?: string
  readonly kept?: string
  readonly anchored?: boolean
  readonly about?: object
  readonly witness?: ReadonlyArray<string>
  readonly quorum?: number
  readonly notary?: ReadonlyArray<string>
  readonly notaries?: number
  readonly vkeys?: ReadonlyArray<string>
  readonly series?: { readonly symbol: string; readonly metric: string; readonly source: string }
  readonly url?: string | null
  readonly authority?: string
  readonly domain?: string
  readonly pay_to?: string
  readonly salt?: string
  readonly payload_sha256?: string
  readonly head?: string
  /** Operators with the hash that each has at the height of a block. */
  readonly blocks?: ReadonlyArray<readonly [operator: string, hash: string]>
  /** Hashes by which the reader names whom he trusts to sign blocks. */
  readonly trust?: ReadonlyArray<string>
  readonly height?: number
  readonly network?: "bitcoin" | "bitcoin-regtest-fixture"
  readonly public_key?: string
  readonly signature?: string
  readonly message?: string
}

/** Names of the formats that have vectors. */
export const formats: ReadonlyArray<string> = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^(making|__pycache__)$/.test(entry.name))
  .map(({ name }) => name)

export const vectorsOf = (format: string): ReadonlyArray<Vector> =>
  JSON.parse(readFileSync(new URL(`${format}/manifest.json`, folder), "utf8"))

interface Change {
  readonly op: "add" | "remove" | "replace"
  readonly path: string
  readonly value?: unknown
}

const patched = (document: unknown, changes: ReadonlyArray<Change>): unknown => {
  const root = { top: document }
  for (const { op, path, value } of changes) {
    const names = ["top", ...path.split("/").slice(1)].map((name) =>
      name.replaceAll("~1", "/").replaceAll("~0", "~")
    )
    const last = names.pop() ?? ""
    // biome-ignore lint/suspicious/noExplicitAny: any JSON
    const at: any = names.reduce((one: any, name) => one[name], root)
    if (op === "remove") delete at[last]
    else at[last] = value
  }
  return root.top
}

const bytesOf = (format: string, file: FileName): Uint8Array => {
  const read = (name: string) => new Uint8Array(readFileSync(new URL(`${format}/${name}`, folder)))
  if (typeof file === "string") return read(file)
  return utf8(
    JSON.stringify(patched(JSON.parse(fromUtf8(read(file.of))), JSON.parse(fromUtf8(read(file.patch)))))
  )
}

const only = (files: ReadonlyMap<string, Uint8Array>): string =>
  fromUtf8([...files.values()][0] ?? new Uint8Array())

const headOf = (note: string): Checkpoint => parseCheckpointText(parseNote(note).text)

const signedHead = (note: string, vkeys: ReadonlyArray<string>): Checkpoint => {
  const parsed = parseNote(note)
  const head = parseCheckpointText(parsed.text)
  const signers = verifyNote(
    parsed,
    vkeys.map(parseVkey).filter(({ name }) => name === head.origin)
  )
  demand(signers !== undefined && signers.length > 0, "no key that counts signed it", "signature")
  return head
}

const timeOf = (text: string | undefined) => (text === undefined ? {} : { now: Date.parse(text) })

/** The checks of a vector that is one check. */
const one = (asks: string, work: () => unknown): ReadonlyArray<Check> => [
  check(asks, () => {
    work()
    return ""
  })
]

/** A library of Parquet reads files alone. */
const checkArchive = async (bytes: Uint8Array, log: string | undefined): Promise<ReadonlyArray<Check>> => {
  const folder = mkdtempSync(join(tmpdir(), "vector-"))
  const path = join(folder, "file.parquet")
  writeFileSync(path, bytes)
  try {
    return await verifyArchiveFile(path, log === undefined ? undefined : linesOf(log).map(parseEntry))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const isOfBrief = (entry: LogEntry): entry is DocumentEntry => !isBatch(entry) && entry.kind === "brief"

const rowOfLine = (line: string): Row => {
  const [symbol, metric, source, as_of, value, value_text, unit, verify_url] = JSON.parse(line)
  return {
    symbol,
    metric,
    source,
    as_of,
    value,
    unit,
    verify_url,
    ...(value_text === null ? {} : { value_text })
  }
}

/** What is read before there are checks. */
const readable = async (asks: string, work: () => ReturnType<Ask>): Promise<ReadonlyArray<Check>> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Malformed) return [refused(asks, error)]
    throw error
  }
}

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").slice(0, -1)

type Ask = (
  file: (role: string) => string,
  beside: Beside,
  asks: string,
  files: ReadonlyMap<string, Uint8Array>
) => ReadonlyArray<Check> | Promise<ReadonlyArray<Check>>

const reads =
  (parse: (text: string) => unknown): Ask =>
  (_file, _beside, asks, files) =>
    one(asks, () => parse(only(files)))

const questions: Readonly<Record<string, Ask>> = {
  leaf: (_file, _beside, asks, files) =>
    one(asks, () => parseLeafBytes([...files.values()][0] ?? new Uint8Array())),
  absent: (file, { series }, asks) =>
    one(asks, () => {
      const leaf = parseLeafBytes(utf8(file("leaf")))
      parseAbsenceList(file("list"))
      if (leaf.kind === "absent" && series !== undefined) provenAbsence(leaf, file("list"), series)
    }),
  batch: (file, _beside, asks) =>
    one(asks, () => {
      const entry = parseEntry(file("entry"))
      const leaves = linesOf(file("leaves")).map((line) => parseLeafBytes(utf8(line)))
      if (isBatch(entry)) checkLeavesOf(entry, leaves)
    }),
  entry: reads(parseEntry),
  revisions: reads(parseRevisions),
  incidents: reads(parseIncidents),
  feeds: reads(parseFeeds),
  permissions: reads(parsePermissionsDocument),
  head: (_file, { vkeys = [] }, asks, files) => one(asks, () => signedHead(only(files), vkeys)),
  growth: (file) =>
    one("append-only", () => {
      const [before, now] = [headOf(file("before")), headOf(file("now"))]
      demandExtends(
        before,
        now,
        (JSON.parse(file("path")) as ReadonlyArray<string>).map((hash) => fromHex(hash, 32))
      )
    }),
  ed25519: (_file, { message = "", public_key = "", signature = "" }, asks) =>
    one(asks, () =>
      demand(
        verifyEd25519(fromHex(signature), fromHex(message), fromHex(public_key)),
        "the signature does not hold",
        "signature"
      )
    ),
  "key document": (_file, _beside, asks, files) => one(asks, () => parseKeyDocument(parseJson(only(files)))),
  "logged keys": reads(parseKeysDocument),
  "later keys": (file, _beside, asks) =>
    one(asks, () => demandContinues(parseKeysDocument(file("earlier")), parseKeysDocument(file("later")))),
  rotation: reads(parseRotation),
  restart: reads(parseRestart),
  run: reads(parseRunLeaf),
  skipped: reads(parseRunLeaf),
  hour: (file, _beside, asks) =>
    one(asks, () => checkRunsOf(parseRuns(file("document")), parseRunLeaves(file("leaves")))),
  "hour document": reads(parseRuns),
  schedule: reads(parseSchedule),
  origin: (file, _beside, asks) =>
    one(asks, () => {
      const runs = parseRunLeaves(file("runs"))
      const rows = new BatchRows(linesOf(file("leaves")).map((line) => parseLeafBytes(utf8(line))))
      for (const origin of [...parseOrigins(file("origin"))]) {
        const run = runs[origin.index]
        if (run !== undefined && run.outcome !== "skipped") demandOrigin(origin, run, rows)
      }
    }),
  statement: async (_file, { notary = [] }, asks, files) => {
    const checks = await readable(asks, () => {
      const read = readNotarisation(only(files), notary.map(parseVkey))
      return read === undefined ? [notProved(asks, "no notary that counts signed it", "key")] : []
    })
    return checks.length === 0 ? [{ name: asks, ok: true, detail: "" }] : checks
  },
  archive: (_file, _beside, asks, files) =>
    readable(asks, () => {
      const log = files.get("log")
      return checkArchive(
        files.get("file") ?? new Uint8Array(),
        log === undefined ? undefined : fromUtf8(log)
      )
    }),
  brief: (file, _beside, asks) =>
    one(asks, () => {
      const [entry, text] = [parseEntry(file("entry")), file("brief")]
      demand(isOfBrief(entry), "the entry is not of a brief", "contradiction")
      demand(
        createHash("sha256").update(text).digest("hex") === entry.sha256,
        "the log has another text",
        "hash"
      )
      afterBrief(noRecord, entry, text)
    }),
  chain: (file, { blocks = [] }, asks, files) =>
    readable(asks, () => {
      const proof = parseChainProof(file("proof"))
      const { block, chain } = proof
      const logged = files.has("looks")
        ? (looksAt(parseChainLooks(file("looks")), { chain, ...block }) ?? [])
        : []
      const looks = [...blocks.map(([operator, hash]) => ({ operator, hash })), ...logged]
      return verifyChain(proof, { looks, least: leastOperators })
    }),
  looks: reads(parseChainLooks),
  finality: (file, { trust = [] }, asks, files) =>
    readable(asks, () => {
      const target = parseFinality(file("final"))
      const before = files.has("before") ? [parseFinality(file("before"))] : []
      return [verifyFinality(target, [target, ...before], trust).check]
    }),
  derivation: (file) => {
    const [run, leaf] = [JSON.parse(file("run")) as Exported, parseRunLeaf(file("leaf"))]
    return leaf.outcome === "skipped"
      ? []
      : [asPublished(run, leaf), ...underRoot(leaf, linesOf(file("rows")).map(rowOfLine))]
  },
  agreement: reads(parseAgreement),
  comparison: reads(parseAgreementLeaf),
  comparisons: (file, _beside, asks) =>
    one(asks, () =>
      checkComparisonsOf(parseAgreement(file("document")), parseAgreementLeaves(file("leaves")))
    ),
  "comparison of a leaf": (file, _beside, asks) =>
    one(asks, () => {
      const leaf = parseLeafBytes(utf8(file("leaf")))
      if (leaf.kind !== "absent") checkComparison(parseAgreementLeaf(file("comparison")), leaf)
    }),
  "events document": reads(parseEvents),
  events: (file, { key = [], now }, asks, files) =>
    readable(asks, () =>
      verifyEvents(eventsIn(utf8(file("events"))), {
        keys: parseJson(file("keys")),
        pins: key,
        ...timeOf(now),
        ...(files.has("logged") ? { logged: linesOf(file("logged")).map(parseEvents) } : {})
      })
    ),
  receipt: (file, { authority, key = [], now }, asks, files) =>
    readable(asks, () =>
      verifyReceipt(utf8(file("receipt")), {
        keys: parseJson(file("keys")),
        pins: key,
        ...timeOf(now),
        ...(authority === undefined ? {} : { authority }),
        ...(files.has("payee") ? { payee: parseJson(file("payee")) } : {}),
        ...(files.has("kept") ? { earlierCheckpoint: file("kept") } : {})
      })
    ),
  payee: (file, { domain, key = [], now, pay_to }, asks) =>
    readable(asks, () =>
      verifyPayee(
        parseJson(file("payee")),
        { keys: parseJson(file("keys")), pins: key, ...timeOf(now) },
        {
          fresh: true,
          ...(domain === undefined ? {} : { domain }),
          ...(pay_to === undefined ? {} : { paid: { payTo: pay_to } })
        }
      )
    ),
  "sales document": reads(parseSales),
  sale: (file, { key = [], now, payload_sha256 = "", salt = "" }, asks) =>
    readable(asks, () =>
      verifySaleProof(parseSaleProof(file("proof")), commitmentOf(salt, payload_sha256), {
        pins: key,
        ...timeOf(now)
      })
    ),
  signals: (_file, { head }, asks, files) =>
    readable(asks, () =>
      verifySignals(signalPages(parseJson(only(files))), head === undefined ? [] : [head])
    ),
  answer: (file, { key = [], not_before, now, url }, asks, files) =>
    readable(asks, () =>
      verifyResponse(
        {
          ...parseSaved(files.get("http") ?? new Uint8Array()),
          request:
            url == null
              ? {
                  ...requestOf("GET", "https://vectors.example/v1/supply"),
                  authority: undefined,
                  query: undefined
                }
              : requestOf("GET", url)
        },
        {
          keys: parseJson(file("keys")),
          pins: key,
          ...timeOf(now),
          ...(not_before === undefined ? {} : { notBefore: not_before })
        }
      )
    ),
  timestamp: (file, { height, network = "bitcoin" }, asks, files) =>
    readable(asks, () => {
      const detached = parseDetached(files.get("ots") ?? new Uint8Array())
      const headers =
        height !== undefined && files.has("header")
          ? new Map([[height, file("header")]])
          : new Map<number, string>()
      return [
        isAbout(detached, files.get("file") ?? new Uint8Array())
          ? { name: "file", ok: true, detail: "" }
          : failed("file", "the proof does not cover it", "hash"),
        checkTimestamp(verifyTimestamp(detached.timestamp, headers, network))
      ]
    }),
  bundle: (file, beside, asks, files) =>
    readable(asks, () => {
      const witnesses = (beside.witness ?? []).map(parseCosigner)
      const notaries = notaryPolicyOf(beside.notary ?? [], beside.notaries?.toString())
      return verifyBundle(parseAnyBundle(file("bundle")), {
        pins: beside.key ?? [],
        ...timeOf(beside.now),
        ...(beside.about === undefined ? {} : { about: beside.about }),
        ...(beside.kept === undefined ? {} : { kept: beside.kept }),
        ...(beside.not_before === undefined ? {} : { notBefore: beside.not_before }),
        ...(beside.anchored === true ? { anchored: true } : {}),
        ...(witnesses.length === 0
          ? {}
          : { witnesses, quorum: quorumOf(witnesses, beside.quorum ?? witnesses.length) }),
        ...(notaries === undefined ? {} : { notaries }),
        ...(files.has("evidence") ? { evidence: parseEvidence(file("evidence")) } : {})
      }).checks
    })
}

const words = { true: "holds", false: "does not hold" } as const

/** Why a check does not hold. */
const reasonOf = (one: Check): Reason | undefined => (one.ok === true ? undefined : one.reason)

/** The files of a vector, by role. */
export const filesOf = (format: string, { files }: Vector): ReadonlyMap<string, Uint8Array> =>
  new Map(Object.entries(files).map(([role, file]) => [role, bytesOf(format, file)]))

/** What this verifier says of a vector: every check that neither holds nor is left out, and the verdict. */
export const verdictOf = async (format: string, vector: Vector) => {
  const files = filesOf(format, vector)
  const ask = questions[vector.asks]
  if (ask === undefined) throw new Error(`nobody is asked for ${vector.asks}`)
  const checks = await readable(vector.asks, () =>
    ask((role) => fromUtf8(files.get(role) ?? new Uint8Array()), vector["given"] ?? {}, vector.asks, files)
  )
  const stated = checks.map((one) => ({ ...one, reason: reasonOf(one) }))
  const open = stated.filter(({ ok }) => ok === false || ok === "not proved")
  const verdict: Vector["verdict"] = open.some(({ ok }) => ok === false)
    ? words.false
    : open.length > 0
      ? "not proved"
      : words.true
  return { verdict, open, checks: stated }
}
