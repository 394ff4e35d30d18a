/** The commands that check something once. */
import { writeFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import {
  type Bundle,
  type Bundle4,
  type Parts,
  parseAnyBundle,
  partsOf
} from "../../../../../core/proof/bundle.ts"
import { CouldNotLook, fromUtf8, Malformed, toHex } from "../../../../../core/proof/bytes.ts"
import { parseChainProof } from "../../../../../core/proof/chain/document.ts"
import { verifyChain } from "../../../../../core/proof/chain/verifyChain.ts"
import { chainVerdict } from "../../../../../core/proof/chain/verifyProof.ts"
import { chainsFor } from "../../../../../core/proof/chainsFor.ts"
import {
  allHold,
  allProved,
  type Check,
  failed,
  notChecked,
  notProved,
  ofPart
} from "../../../../../core/proof/check.ts"
import { parseCheckpointText, parseNote } from "../../../../../core/proof/checkpoint.ts"
import { parseEntry } from "../../../../../core/proof/entry.ts"
import { type Evidence, parseEvidence } from "../../../../../core/proof/evidence.ts"
import { fetchKeys, keysPath, requestOf } from "../../../../../core/proof/fetched.ts"
import { parseJson } from "../../../../../core/proof/json.ts"
import { parseKeyDocument } from "../../../../../core/proof/keys.ts"
import { isAbout, parseDetached } from "../../../../../core/proof/ots/codec.ts"
import { heightsOf, verifyTimestamp } from "../../../../../core/proof/ots/verify.ts"
import { fetchEvidence, fetchHeaders, verifyLedger, verifyValue } from "../../../../../core/proof/remote.ts"
import { parseSaved, savedHead, savedUrl } from "../../../../../core/proof/saved.ts"
import { checkTimestamp } from "../../../../../core/proof/timestamp.ts"
import { tlogProof } from "../../../../../core/proof/tlogProof.ts"
import type { Trust } from "../../../../../core/proof/trust.ts"
import { blocksOf, verifyBundle } from "../../../../../core/proof/verifyBundle.ts"
import { signersOf } from "../../../../../core/proof/verifyCheckpoint.ts"
import { verifyGrowth } from "../../../../../core/proof/verifyGrowth.ts"
import { verifyPayee, verifyReceipt } from "../../../../../core/proof/verifyReceipt.ts"
import {
  answerSigners,
  type SavedResponse,
  verifyResponse
} from "../../../../../core/proof/verifyResponse.ts"
import { firstHourOf } from "../../../../../core/proof/verifyRun.ts"
import { signalPages, verifySignals } from "../../../../../core/proof/verifySignals.ts"
import { checkNewest, eventsOf, readLog } from "../besideLog.ts"
import { inFolder } from "../folder.ts"
import { bundleOfFiles } from "../fromFiles/bundle.ts"
import { evidenceOfFiles } from "../fromFiles/evidence.ts"
import { patient, served } from "../monitor/source.ts"
import { eventsIn, verifyEvents } from "../verifyEvents.ts"
import {
  asksExplorers,
  authorityOf,
  base,
  blockHeadersOf,
  bundleOptions,
  chainSignersOf,
  explorers,
  finalOf,
  keysFor,
  looksOf,
  need,
  network,
  notBefore,
  read,
  readText,
  readTextOf,
  type Surroundings,
  trustOf
} from "./inputs.ts"
import { type Verified, withMemory } from "./memory.ts"
import { notaryCommand } from "./notary.ts"
import type { Values } from "./options.ts"
import { saleCommand } from "./sale.ts"

/** The checks of a command and its exit code. */
export interface Result {
  readonly exit: 0 | 1 | 2
  readonly checks: ReadonlyArray<Check>
  /** The last line, in place of the questions that are asked of what a service signed. */
  readonly says?: string
}

const exitOf = (checks: ReadonlyArray<Check>): Result => ({
  exit: !allHold(checks) ? 1 : allProved(checks) ? 0 : 2,
  checks
})

/** The head of a checkpoint, and the kids of the keys in the document that signed it; none if it does not hold. */
const headOf = (note: string, keys: unknown): Pick<Verified, "head" | "signers"> => {
  try {
    const { root, size } = parseCheckpointText(parseNote(note).text)
    const signers = signersOf(note, parseKeyDocument(keys)).map(({ kid }) => kid)
    return { head: { size, root: toHex(root), note }, signers }
  } catch (error) {
    if (error instanceof Malformed) return { signers: [] }
    throw error
  }
}

/**
 * What the log has beside a bundle that lacks its run, as each of version 2 does: from a file, a mirror's folder, a service, or the files
 * of another host of its log; without any the value has no run.
 */
const evidenceFor = async (
  bundle: Bundle | Bundle4,
  values: Values,
  { get }: Surroundings
): Promise<{ readonly evidence: Evidence | undefined; readonly checks: ReadonlyArray<Check> }> => {
  if (partsOf(bundle).members.run !== undefined) return { evidence: undefined, checks: [] }
  const saved = await readTextOf(values.evidence)
  if (saved !== undefined) return { evidence: parseEvidence(saved), checks: [] }
  if (values.dir !== undefined)
    return { evidence: await evidenceOfFiles(inFolder(values.dir), bundle), checks: [] }
  if (values.url === undefined) return { evidence: undefined, checks: [] }
  const fetched = await fetchEvidence(get, base(values), bundle)
  if (fetched.evidence !== undefined || fetched.checks.length > 0) return fetched
  const files = served(patient(get, { wait: (ms) => sleep(ms) }), base(values))
  // A service of an earlier release has no such files beside it, and another host no log of this value.
  return { evidence: await evidenceOfFiles(files, bundle).catch(ifNotThere), checks: [] }
}

const ifNotThere = (error: unknown): undefined => {
  if (error instanceof CouldNotLook) return undefined
  throw error
}

/** A value of a mirror's folder, proved by its files alone. */
const valueInFolder = async (folder: string, values: Values, io: Surroundings): Promise<Result> => {
  const [symbol, metric, date] = [
    need(values.symbol, "--symbol"),
    need(values.metric, "--metric"),
    need(values.date, "--date")
  ]
  if (!/^\d{8}$/.test(date)) throw new CouldNotLook(`--date: "${date}" must be YYYYMMDD`)
  const about = {
    symbol,
    metric,
    day: `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`,
    ...(values.source === undefined ? {} : { source: values.source })
  }
  const files = inFolder(folder)
  const bundle = await bundleOfFiles(files, about)
  const evidence = await evidenceOfFiles(files, bundle)
  const options = await bundleOptions(values)
  const keys = await readTextOf(values.keys)
  const source = { keys: keys === undefined ? bundle.keys : parseJson(keys), isLive: false }
  return exitOf(
    await withMemory(values, io, source, async (document, trust) => ({
      checks: verifyBundle({ ...bundle, keys: document }, { ...options, ...trust, evidence, about }).checks,
      runsFrom: runsFromOf(partsOf(bundle, evidence)),
      ...headOf(bundle.log.checkpoint, document)
    }))
  )
}

/** The hour of the log's first document of runs, where the evidence proves it under the bundle's checkpoint. */
const runsFromOf = ({ head, members: { run } }: Parts): string | undefined => {
  if (run?.first_runs === undefined || run.head !== undefined) return undefined
  try {
    return firstHourOf(run.first_runs, parseCheckpointText(parseNote(head).text))
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** The log that was named; undefined if none was. */
const namedLog = async ({ log }: Values, { get }: Surroundings, keys: unknown, trust: Trust) =>
  log === undefined ? undefined : readLog(get, log.replace(/\/+$/, ""), keys, trust)

/** Whether the value of a bundle that holds is the newest version, if a log was named. */
const newestOf = async (
  values: Values,
  io: Surroundings,
  { batch, leaf }: Parts,
  checks: ReadonlyArray<Check>,
  keys: unknown,
  trust: Trust
): Promise<ReadonlyArray<Check>> => {
  const named = allHold(checks) ? await namedLog(values, io, keys, trust) : undefined
  if (named === undefined) return []
  const { checks: ofLog, log } = named
  return log === undefined
    ? ofLog
    : [...ofLog, await checkNewest(log, { batch: parseEntry(batch.entry), leaf })]
}

/**
 * Below which URL the key document is: where the answer says, if that is above its own address, as in test mode; else at the
 * host. Whose keys they are is for the pins to say.
 */
const keysBase = (url: string, { "x-service-signing-key": named = "" }: SavedResponse["headers"]): string => {
  const base = named.endsWith(keysPath) ? named.slice(0, -keysPath.length) : undefined
  return base !== undefined && url.startsWith(`${base}/`)
    ? base
    : url.slice(0, url.length - url.replace(/^https?:\/\/[^/?#]+/i, "").length)
}

/** By name. `target` is the word after it. */
export const commands: Readonly<
  Record<string, (target: string | undefined, values: Values, io: Surroundings) => Promise<Result>>
> = {
  response: async (target, values, io) => {
    const from = need(target, "the URL or saved answer")
    const live = /^https?:\/\//i.test(from)
    const saved = live ? undefined : await read(values.headers ?? from)
    const url = live
      ? from
      : need(values.url ?? savedUrl(saved ?? new Uint8Array()), "--url (the URL the answer came from)")
    const request = requestOf(values.method, url, values.authority)
    let answer: Omit<SavedResponse, "request">
    if (saved === undefined) answer = await io.get(from)
    else if (values.headers === undefined) answer = parseSaved(saved)
    else answer = { ...parseSaved(saved), body: await read(from) }
    if (live && values.save !== undefined)
      await writeFile(
        values.save,
        Buffer.concat([Buffer.from(savedHead(url, answer), "latin1"), answer.body])
      )
    const savedKeys = await readTextOf(values.keys)
    const keys =
      savedKeys === undefined ? await fetchKeys(io.get, keysBase(url, answer.headers)) : parseJson(savedKeys)
    const source = { keys, isLive: savedKeys === undefined, isAnswer: true }
    const options = { bodyOnly: values["body-only"], ...notBefore(values) }
    return exitOf(
      await withMemory(values, io, source, (document, trust) => ({
        checks: verifyResponse({ ...answer, request }, { ...trust, keys: document, ...options }),
        signers: answerSigners({ ...answer, request }, document)
      }))
    )
  },

  value: async (_target, values, io) => {
    if (values.dir !== undefined) return valueInFolder(values.dir, values, io)
    const { symbol, metric, date, source } = values
    const query = {
      symbol: need(symbol, "--symbol"),
      metric: need(metric, "--metric"),
      date: need(date, "--date"),
      ...(source === undefined ? {} : { source })
    }
    const options = await bundleOptions(values)
    const chainSigners = await chainSignersOf(values)
    const served = { keys: await fetchKeys(io.get, base(values)), isLive: true }
    return exitOf(
      await withMemory(values, io, served, async (keys, trust) => {
        const { answer, blocks, bundle, verdict } = await verifyValue(io.get, base(values), query, {
          ...options,
          ...trust,
          keys,
          chainSigners,
          ...authorityOf(values),
          ...(asksExplorers(values, io) ? { explorers: explorers(io) } : {})
        })
        const checks = [...ofPart("answer", answer), ...blocks, ...verdict.checks]
        const parts = partsOf(bundle)
        return {
          checks: [...checks, ...(await newestOf(values, io, parts, checks, keys, trust))],
          runsFrom: runsFromOf(parts),
          ...headOf(parts.head, keys)
        }
      })
    )
  },

  bundle: async (target, values, io) => {
    const bundle = parseAnyBundle(await readText(need(target, "the bundle file")))
    const keys = await readTextOf(values.keys)
    const options = await bundleOptions(values)
    // Offline, unless a block is required and its header was not given.
    const heights = values.anchored && asksExplorers(values, io) ? blocksOf(bundle, network(values)) : []
    const fetched = await fetchHeaders(io.get, explorers(io), heights, true)
    const { checks: besides, evidence } = await evidenceFor(bundle, values, io)
    const parts = partsOf(bundle, evidence)
    const chains = await chainsFor(bundle, await chainSignersOf(values))
    const proofFile = values["tlog-proof"]
    if (proofFile !== undefined) {
      await writeFile(proofFile, tlogProof(parts))
      await writeFile(`${proofFile}.entry`, bundle.batch.entry)
    }
    const source = { keys: keys === undefined ? bundle.keys : parseJson(keys), isLive: false }
    return exitOf(
      await withMemory(values, io, source, async (document, trust) => {
        const { checks } = verifyBundle(
          { ...bundle, keys: document },
          {
            ...options,
            ...trust,
            ...chains,
            ...(evidence === undefined ? {} : { evidence }),
            headers: new Map([...fetched.headers, ...options.headers])
          }
        )
        const newest = await newestOf(values, io, parts, checks, document, trust)
        return {
          checks: [...besides, ...fetched.checks, ...checks, ...newest],
          runsFrom: runsFromOf(parts),
          ...headOf(parts.head, document)
        }
      })
    )
  },

  log: async (_target, values, io) => {
    const savedCheckpoint = await readText(need(values.from, "--from"))
    const source = { keys: await fetchKeys(io.get, base(values)), isLive: true }
    let head = ""
    const checks = await withMemory(values, io, source, async (keys, trust) => {
      // Without a given key, the signers of the kept checkpoint count.
      const pins = values.key.length === 0 ? [] : (trust.pins ?? [])
      const grown = await verifyGrowth(io.get, base(values), savedCheckpoint, {
        ...trust,
        pins,
        keys,
        ...notBefore(values)
      })
      head = grown.current
      return { checks: grown.checks, ...headOf(grown.current, keys) }
    })
    if (allHold(checks) && values.save !== undefined) await writeFile(values.save, head)
    return exitOf(checks)
  },

  archive: async (target, values, io) => {
    // Only here is a Parquet library needed.
    const { verifyArchive } = await import("../archive.ts")
    const source =
      values.dir !== undefined
        ? inFolder(values.dir)
        : values.url === undefined
          ? undefined
          : served(patient(io.get, { wait: (ms) => sleep(ms) }), base(values))
    const trust = { ...(await trustOf(values)), now: Date.now() }
    return exitOf(await verifyArchive(need(target, "the archive file"), source, trust))
  },

  signals: async (target, values, io) => {
    const from = need(target, "the URL or saved answer")
    const checks = /^https?:\/\//i.test(from)
      ? await verifyLedger(io.get, from, {
          apiKey: io.env["PLUMBLINE_API_KEY"],
          knownHashes: values.head,
          ...authorityOf(values),
          ...(await trustOf(values)),
          ...notBefore(values)
        })
      : [
          ...verifySignals(signalPages(parseJson(await readText(from))), values.head),
          ...(values.head.length > 0
            ? []
            : [
                notProved(
                  "operator's ledger",
                  "rows carry no signature, so anybody can make a ledger; pass a hash that you kept (--head), or the URL",
                  "key"
                )
              ])
        ]
    return exitOf(checks)
  },

  event: async (target, values, io) => {
    const from = need(target, "the URL or saved event")
    const live = /^https?:\/\//i.test(from)
    const keys = await keysFor(values, io, live ? new URL(from).origin : undefined)
    const page = live ? await io.get(from) : undefined
    const events = eventsIn(page === undefined ? await read(from) : page.body)
    return exitOf(
      await withMemory(values, io, { keys, isLive: live, isAnswer: true }, async (document, trust) => {
        const ofPage =
          page === undefined
            ? []
            : verifyResponse(
                { ...page, request: requestOf("GET", from, values.authority) },
                { ...trust, keys: document, ...notBefore(values) }
              )
        const named = await namedLog(values, io, document, trust)
        const logged = named?.log === undefined ? undefined : await eventsOf(named.log)
        const checks = verifyEvents(events, {
          ...trust,
          keys: document,
          ...(logged === undefined ? {} : { logged })
        })
        return {
          checks: [...ofPart("page", ofPage), ...checks, ...(named?.checks ?? [])],
          signers: []
        }
      })
    )
  },

  receipt: async (target, values, io) => {
    const file = await read(need(target, "the saved sale or receipt"))
    const payee = await readTextOf(values.payee)
    return exitOf(
      verifyReceipt(file, {
        ...(await trustOf(values)),
        ...authorityOf(values),
        keys: await keysFor(values, io),
        earlierCheckpoint: await readTextOf(values.kept),
        ...(payee === undefined ? {} : { payee: parseJson(payee) })
      })
    )
  },

  notary: (target, values, io) => notaryCommand(target, values, io).then(exitOf),

  sale: (target, values, io) => saleCommand(target, values, io).then(exitOf),

  payee: async (target, values, io) => {
    const from = need(target, "the URL or saved payee statement")
    const service = /^https?:\/\//i.test(from) ? new URL(from) : undefined
    const statement = service === undefined ? await read(from) : (await io.get(from)).body
    const payTo = values["pay-to"]
    return exitOf(
      verifyPayee(
        parseJson(fromUtf8(statement)),
        {
          ...(await trustOf(values)),
          ...authorityOf(values),
          keys: await keysFor(values, io, service?.origin)
        },
        {
          fresh: true,
          ...(service === undefined ? {} : { reachedAt: service.host }),
          ...(payTo === undefined ? {} : { paid: { payTo } })
        }
      )
    )
  },

  chain: async (target, values) => {
    const proof = parseChainProof(await readText(need(target, "the file")))
    const ofState = verifyChain(proof, await looksOf(values, proof))
    const final = await finalOf(values, proof)
    const checks = [...ofState, ...(final === undefined ? [] : [final.check])]
    return { ...exitOf(checks), says: chainVerdict(checks, final?.by) }
  },

  timestamp: async (target, values, io) => {
    const detached = parseDetached(await read(need(target, "the .ots file")))
    const checks: Array<Check> = []
    if (values.file === undefined) {
      checks.push(notChecked("file", "no --file given, so the proof was not compared with a file"))
    } else if (isAbout(detached, await read(values.file))) {
      checks.push({ name: "file", ok: true, detail: `the proof covers ${values.file}` })
    } else {
      checks.push(failed("file", `the proof does not cover ${values.file}`, "hash"))
    }
    let headers: ReadonlyMap<number, string> = await blockHeadersOf(values)
    if (values.header.length === 0) {
      const fetched = await fetchHeaders(
        io.get,
        explorers(io),
        heightsOf(detached.timestamp, network(values)),
        true
      )
      headers = fetched.headers
      checks.push(...fetched.checks)
    }
    checks.push(checkTimestamp(verifyTimestamp(detached.timestamp, headers, network(values))))
    return exitOf(checks)
  }
}
