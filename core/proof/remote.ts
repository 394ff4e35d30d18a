/**
 * What the verifier requests from a service and from block explorers. The caller supplies the transport; every response
 * is checked, never trusted.
 */
import { type Bundle, type Bundle4, parseAnyBundle, partsOf } from "./bundle.ts"
import { CouldNotLook, fromUtf8, Malformed } from "./bytes.ts"
import { chainsFor } from "./chainsFor.ts"
import { type Check, demand, notChecked, notProved, ofPart, reading } from "./check.ts"
import type { ChainSigners } from "./checkFinalityEvidence.ts"
import { parseCheckpointText, parseNote } from "./checkpoint.ts"
import { type EvidenceDocument, parseEvidence } from "./evidence.ts"
import { demandOk, fetchKeys, fetchOk, type Get, logPath, reasonOf, requestOf } from "./fetched.ts"
import { parseJson } from "./json.ts"
import { parseLeaf } from "./leaf.ts"
import { parseHeader } from "./ots/bitcoin.ts"
import { entriesPath, parseEntryBundle, tileWidth } from "./tiles.ts"
import type { Trust } from "./trust.ts"
import { type BundleOptions, type BundleVerdict, blocksOf, verifyBundle } from "./verifyBundle.ts"
import { verifyEntries } from "./verifyLog.ts"
import { type ResponseOptions, verifyResponse } from "./verifyResponse.ts"
import { type SignalPages, signalPages, verifySignals } from "./verifySignals.ts"

/**
 * Fetches the bundle of one value, and checks the answer and the bundle. `date` is YYYYMMDD. Block headers come from
 * `explorers` if given, otherwise from the bundle itself.
 */
export const verifyValue = async (
  get: Get,
  base: string,
  value: {
    readonly symbol: string
    readonly metric: string
    readonly date: string
    /** Without it, the service picks one. */
    readonly source?: string
  },
  options: Omit<BundleOptions, "about"> & {
    readonly explorers?: ReadonlyArray<string>
    /** Whom the reader trusts to sign blocks of chains. */
    readonly chainSigners?: ChainSigners
    /** The public-key document; that of the service without it. */
    readonly keys?: unknown
    /** The service may be reached under another name than its own, which its signature of the query covers. */
    readonly bodyOnly?: boolean
    /** That own name: host, with the port unless it is the scheme's default. */
    readonly authority?: string
  }
): Promise<{
  readonly answer: ReadonlyArray<Check>
  readonly blocks: ReadonlyArray<Check>
  readonly bundle: Bundle | Bundle4
  readonly verdict: BundleVerdict
}> => {
  if (!/^\d{8}$/.test(value.date)) throw new CouldNotLook(`--date: "${value.date}" must be YYYYMMDD`)
  const { date, metric, source, symbol } = value
  const named = source === undefined ? "" : `&source=${encodeURIComponent(source)}`
  const query = `symbol=${encodeURIComponent(symbol)}&metric=${encodeURIComponent(metric)}&date=${date}${named}`
  const keys = options.keys ?? (await fetchKeys(get, base))
  const { answer, url } = await fetchBundle(get, `${base}/v1/attest?${query}`)
  const {
    authority,
    bodyOnly = false,
    chainSigners,
    explorers,
    headers: trusted = new Map<number, string>(),
    keys: _,
    ...rest
  } = options
  const bundle = { ...parseAnyBundle(fromUtf8(answer.body)), keys }
  const unknown =
    explorers === undefined ? [] : blocksOf(bundle, options.network).filter((height) => !trusted.has(height))
  const { checks: blocks, headers } = await fetchHeaders(get, explorers ?? [], unknown, rest.anchored)
  return {
    // The bundle proves itself, and what it is about is checked; the answer only carries it.
    answer: verifyResponse({ ...answer, request: requestOf("GET", url, authority) }, { keys, bodyOnly })
      .filter(({ name }) => name !== "operator's key")
      .map((one) => (one.ok === "not proved" ? { ...one, ok: "not checked" as const } : one)),
    blocks,
    bundle,
    verdict: verifyBundle(bundle, {
      ...rest,
      ...(await chainsFor(bundle, chainSigners)),
      headers: new Map([...headers, ...trusted]),
      about: {
        symbol,
        metric,
        ...(source === undefined ? {} : { source }),
        day: `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`
      }
    })
  }
}

/** The newest form of a value's bundle that a service has: one of 2.0.0 and before refuses the format of version 4. */
const fetchBundle = async (get: Get, address: string) => {
  const url = `${address}&format=bundle4`
  const answer = await get(url)
  if (answer.status !== 400) return { url, answer: demandOk(url, answer) }
  const older = `${address}&format=bundle`
  return { url: older, answer: await fetchOk(get, older) }
}

/** The value or absence that a bundle is of, as the query of a service; undefined if it does not say. */
const queryOf = (bundle: Bundle | Bundle4): string | undefined => {
  const { leaf, members } = partsOf(bundle)
  try {
    const read = parseLeaf(leaf)
    const series = read.kind === "absent" ? members.absence : read
    if (series === undefined) return undefined
    const { metric, source, symbol } = series
    const named = Object.entries({ symbol, metric, source }).map(
      ([name, value]) => `${name}=${encodeURIComponent(value)}`
    )
    return `${named.join("&")}&date=${read.day.replaceAll("-", "")}`
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/**
 * What a service has beside a bundle of version 2, under the bundle's own checkpoint. No evidence is no fault: what a value then lacks, the checks of
 * the bundle say. An answer that cannot be read is one.
 */
export const fetchEvidence = async (
  get: Get,
  base: string,
  bundle: Bundle | Bundle4
): Promise<{ readonly evidence: EvidenceDocument | undefined; readonly checks: ReadonlyArray<Check> }> => {
  const query = queryOf(bundle)
  if (query === undefined) return { evidence: undefined, checks: [] }
  const answer = await get(`${base}/v1/attest?${query}&format=evidence&size=${partsOf(bundle).log.size}`)
  if (answer.status === 429 || answer.status >= 500)
    return {
      evidence: undefined,
      checks: [
        notProved(
          "evidence",
          `${base} returned ${answer.status}${reasonOf(answer)}: ask again later`,
          "unavailable"
        )
      ]
    }
  // A service of an earlier release does not know the format, and another one does not know the value.
  if (answer.status !== 200) return { evidence: undefined, checks: [] }
  const { check, value } = reading(
    "evidence",
    () => parseEvidence(fromUtf8(answer.body)),
    () => "read"
  )
  return { evidence: value, checks: check.ok === true ? [] : [check] }
}

/** Fetches the latest checkpoint and all its entries; undefined if there is no log yet. */
export const fetchLog = async (get: Get, base: string) => {
  const log = `${base}${logPath}`
  const answer = await get(`${log}/checkpoint`)
  if (answer.status === 404) return undefined
  if (answer.status !== 200) throw new CouldNotLook(`${log}/checkpoint returned ${answer.status}`)
  const checkpoint = fromUtf8(answer.body)
  const { size } = parseCheckpointText(parseNote(checkpoint).text)
  const entries: Array<Uint8Array> = []
  for (let index = 0; index * tileWidth < size; index++) {
    const path = entriesPath(index, Math.min(tileWidth, size - index * tileWidth))
    entries.push(...parseEntryBundle((await fetchOk(get, `${log}/${path}`)).body))
  }
  return { checkpoint, entries }
}

/**
 * Reads the whole ledger from a `/v1/signals` URL, newest page first, and checks every answer, the chain, and that the
 * ledger contains each row named in the log (which means reading the whole log). `apiKey` needs a tier that includes the
 * ledger; `knownHashes` lists hashes of rows known from elsewhere.
 */
export const verifyLedger = async (
  get: Get,
  address: string,
  options: Omit<ResponseOptions, "keys"> &
    Trust & {
      /** The service's own authority, where it is reached under another. */
      readonly authority?: string
      readonly apiKey?: string | undefined
      readonly knownHashes?: ReadonlyArray<string>
    }
): Promise<ReadonlyArray<Check>> => {
  const { apiKey, authority, knownHashes, ...rest } = options
  const { path, query } = requestOf("GET", address)
  const start = address.slice(0, address.length - (query === "?" ? 0 : query.length)).replace(/[?#].*$/, "")
  const base = start.slice(0, start.length - path.length)
  const keys = await fetchKeys(get, base)
  // Read before the rows, so that every row it names must be among them.
  const log = await fetchLog(get, base)
  const logged = log === undefined ? undefined : verifyEntries({ ...log, keys, trust: rest })
  const headers = apiKey === undefined ? {} : { "x-api-key": apiKey }
  const rows: Array<unknown> = []
  const answers: Array<Check> = []
  let first: SignalPages | undefined
  let before: number | undefined
  do {
    const url = `${start}?limit=500${before === undefined ? "" : `&cursor=${before}`}`
    const answer = await fetchOk(get, url, headers)
    const page = signalPages(parseJson(fromUtf8(answer.body)))
    answers.push(
      ...verifyResponse({ ...answer, request: requestOf("GET", url, authority) }, { keys, ...rest })
    )
    first ??= page
    rows.push(...page.rows)
    const next = page.oldest ?? 1
    demand(
      next < (before ?? Number.POSITIVE_INFINITY),
      `${url} links to a next page that is not older`,
      "contradiction"
    )
    before = next
  } while (before > 1)
  // Reports each check once for all pages: the first failure, or else the first result.
  const byName = [...Map.groupBy(answers, ({ name }) => name).values()]
  return [
    ...byName.flatMap(
      (all) => all.find(({ ok }) => ok === false) ?? all.find(({ ok }) => ok === "not proved") ?? all[0] ?? []
    ),
    ...(logged === undefined
      ? [
          notChecked(
            "log",
            "the service has no log yet, so nothing proves that the ledger was not rewritten",
            "unavailable"
          )
        ]
      : ofPart("log", logged.checks)),
    ...verifySignals({ ...first, rows, oldest: 1 }, knownHashes, logged?.entries)
  ]
}

/**
 * Fetches a block header (160 hex digits) from block explorers (Esplora). All that answer must agree; `notes` say which
 * did, and `agreed` how many. Throws `Malformed` if none answers or two differ.
 */
export const fetchHeader = async (
  get: Get,
  explorers: ReadonlyArray<string>,
  height: number
): Promise<{ readonly hex: string; readonly notes: ReadonlyArray<string>; readonly agreed: number }> => {
  const notes: Array<string> = []
  let agreed = 0
  const headers = new Map<string, string>()
  for (const explorer of new Set(explorers)) {
    try {
      const hash = fromUtf8((await fetchOk(get, `${explorer}/block-height/${height}`)).body).trim()
      demand(/^[0-9a-f]{64}$/.test(hash), `${explorer} returned no block hash for height ${height}`)
      const hex = fromUtf8((await fetchOk(get, `${explorer}/block/${hash}/header`)).body).trim()
      demand(
        parseHeader(hex).hash === hash,
        `${explorer} returned a header that does not hash to ${hash}`,
        "hash"
      )
      headers.set(hash, hex)
      agreed++
      notes.push(`${explorer}: block ${height} is ${hash}`)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      notes.push(`failed: ${error.message}`)
    }
  }
  const [hex, ...others] = headers.values()
  demand(
    hex !== undefined,
    `no block explorer returned the header of block ${height} (${notes.join("; ")})`,
    "unavailable"
  )
  demand(
    others.length === 0,
    `block explorers disagree on block ${height}: ${notes.join("; ")}`,
    "contradiction"
  )
  return { hex, notes, agreed }
}

/** A block that one explorer alone shows rests on its word. */
const leastExplorers = 2

/**
 * Fetches the headers of several blocks that two explorers agree on. One that cannot be had like that is left out, and
 * reported with the reason: as not proved if the caller needs it, else as not checked.
 */
export const fetchHeaders = async (
  get: Get,
  explorers: ReadonlyArray<string>,
  heights: ReadonlyArray<number>,
  needed = false
): Promise<{ readonly headers: ReadonlyMap<number, string>; readonly checks: ReadonlyArray<Check> }> => {
  const headers = new Map<number, string>()
  const checks: Array<Check> = []
  for (const height of heights) {
    const name = `header of block ${height}`
    try {
      const { agreed, hex, notes } = await fetchHeader(get, explorers, height)
      demand(
        agreed >= leastExplorers,
        `only one block explorer answered, and two must agree: ${notes.join("; ")}; name more in ESPLORA_URL, or pass --header`,
        "unavailable"
      )
      headers.set(height, hex)
      checks.push({ name, ok: true, detail: notes.join("; ") })
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      checks.push((needed ? notProved : notChecked)(name, error.message))
    }
  }
  return { headers, checks }
}
