/**
 * What the verifier asks of a service and of block explorers. How bytes are fetched is the caller's; what comes back is
 * only ever checked, never believed.
 */
import { type Bundle, parseBundle } from "./bundle.ts"
import { fromUtf8, Malformed } from "./bytes.ts"
import { isRecord, parseJson } from "./canonical.ts"
import { type Check, demand, notChecked } from "./check.ts"
import { parseCheckpointText, parseNote } from "./checkpoint.ts"
import { parseHeader } from "./ots/bitcoin.ts"
import { entriesPath, parseEntryBundle, tilePath, tileWidth } from "./tiles.ts"
import { type BundleOptions, type BundleVerdict, blocksOf, verifyBundle } from "./verifyBundle.ts"
import { consistencyOfTiles, consistencyTiles, verifyEntries, verifyLog } from "./verifyLog.ts"
import { type ResponseOptions, verifyResponse } from "./verifyResponse.ts"
import { type SignalPages, signalPages, verifySignals } from "./verifySignals.ts"

export interface Fetched {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Without content coding. */
  readonly body: Uint8Array
}

/** GETs one address; throws `Malformed` when there is no answer. */
export type Get = (url: string, headers?: Readonly<Record<string, string>>) => Promise<Fetched>

/** Where a service publishes its keys. */
export const keysPath = "/.well-known/service-signing-key.json"
/** Under it a log is a folder of plain files: `checkpoint`, `tile/...` (C2SP tlog-tiles). */
export const logPath = "/v1/log"

const found = async (get: Get, url: string, headers?: Readonly<Record<string, string>>): Promise<Fetched> => {
  const answer = await get(url, headers)
  demand(answer.status === 200, `${url} answered ${answer.status}${reasonOf(answer)}`)
  return answer
}

/** What a problem (RFC 9457) says of itself; nothing where it is none, or cannot be read. */
const reasonOf = ({ body, headers }: Fetched): string => {
  if (headers["content-type"]?.startsWith("application/problem+json") !== true) return ""
  try {
    const problem = parseJson(fromUtf8(body))
    const detail = isRecord(problem) ? problem.detail : undefined
    // A stranger's words end up on a terminal: no control characters, and not many.
    return typeof detail === "string" ? `: ${detail.replace(/\p{C}/gu, " ").slice(0, 300)}` : ""
  } catch {
    return ""
  }
}

export const fetchKeys = async (get: Get, base: string): Promise<unknown> =>
  parseJson(fromUtf8((await found(get, base + keysPath)).body))

/** The parts of a request's address that the signatures cover. */
export const requestOf = (method: string, url: string) => {
  const match = /^(https?):\/\/([^/?#@]+)(\/[^?#]*)?(\?[^#]*)?/i.exec(url)
  demand(match !== null, `${url} is no http address`)
  const [, scheme = "", authority = "", path = "/", query = "?"] = match
  const own = scheme.toLowerCase() === "https" ? ":443" : ":80"
  const lower = authority.toLowerCase()
  return { method, authority: lower.endsWith(own) ? lower.slice(0, -own.length) : lower, path, query }
}

/**
 * Asks a service for the bundle of one value, and checks the answer and the bundle. `date` is YYYYMMDD. The headers of
 * its blocks are asked of `explorers`, where there are any; else the bundle's own stands.
 */
export const verifyValue = async (
  get: Get,
  base: string,
  value: { readonly symbol: string; readonly metric: string; readonly date: string },
  options: Omit<BundleOptions, "about"> &
    Omit<ResponseOptions, "keys"> & { readonly explorers?: ReadonlyArray<string> }
): Promise<{
  readonly answer: ReadonlyArray<Check>
  readonly blocks: ReadonlyArray<Check>
  readonly bundle: Bundle
  readonly verdict: BundleVerdict
}> => {
  demand(/^\d{8}$/.test(value.date), "--date must be YYYYMMDD")
  const { date, metric, symbol } = value
  const query = `symbol=${encodeURIComponent(symbol)}&metric=${encodeURIComponent(metric)}&date=${date}`
  const url = `${base}/v1/attest?${query}&format=bundle`
  const keys = await fetchKeys(get, base)
  const answer = await found(get, url)
  const { explorers, headers: trusted = new Map<number, string>(), notBefore, pins = [], ...rest } = options
  const bundle = { ...parseBundle(fromUtf8(answer.body)), keys }
  const unknown = explorers === undefined ? [] : blocksOf(bundle).filter((height) => !trusted.has(height))
  const { checks: blocks, headers } = await fetchHeaders(get, explorers ?? [], unknown)
  return {
    answer: verifyResponse({ ...answer, request: requestOf("GET", url) }, { keys, pins }),
    blocks,
    bundle,
    verdict: verifyBundle(bundle, {
      ...rest,
      headers: new Map([...headers, ...trusted]),
      pins,
      ...(notBefore === undefined ? {} : { notBefore }),
      about: { symbol, metric, day: `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}` }
    })
  }
}

/** Fetches the newest checkpoint and the tiles between, and checks that the log grew from the kept one. */
export const verifyGrowth = async (
  get: Get,
  base: string,
  kept: string,
  options: { readonly pins?: ReadonlyArray<string>; readonly notBefore?: string }
): Promise<{ readonly current: string; readonly checks: ReadonlyArray<Check> }> => {
  const keys = await fetchKeys(get, base)
  const current = fromUtf8((await found(get, `${base}${logPath}/checkpoint`)).body)
  const [before, now] = [kept, current].map((note) => parseCheckpointText(parseNote(note).text).size)
  const tiles = new Map<string, Uint8Array>()
  for (const tile of consistencyTiles(before ?? 0, now ?? 0)) {
    const path = tilePath(tile)
    tiles.set(path, (await found(get, `${base}${logPath}/${path}`)).body)
  }
  const path = consistencyOfTiles(before ?? 0, now ?? 0, tiles)
  return { current, checks: verifyLog({ kept, current, keys, path, ...options }) }
}

/** The newest checkpoint and every entry under it, as they are served; undefined where there is no log yet. */
const fetchLog = async (get: Get, base: string) => {
  const log = `${base}${logPath}`
  const answer = await get(`${log}/checkpoint`)
  if (answer.status === 404) return undefined
  demand(answer.status === 200, `${log}/checkpoint answered ${answer.status}`)
  const checkpoint = fromUtf8(answer.body)
  const { size } = parseCheckpointText(parseNote(checkpoint).text)
  const entries: Array<Uint8Array> = []
  for (let index = 0; index * tileWidth < size; index++) {
    const path = entriesPath(index, Math.min(tileWidth, size - index * tileWidth))
    entries.push(...parseEntryBundle((await found(get, `${log}/${path}`)).body))
  }
  return { checkpoint, entries }
}

/**
 * Reads the whole ledger from an address of `/v1/signals`, newest page first, and checks every answer, the chain, and
 * that each row which the log names is in it: the whole log is read for that. `apiKey` is that of a tier that may read
 * the ledger; `kept` the hash of a row known from elsewhere.
 */
export const verifyLedger = async (
  get: Get,
  address: string,
  options: Omit<ResponseOptions, "keys"> & {
    readonly apiKey?: string | undefined
    readonly kept?: ReadonlyArray<string>
  }
): Promise<ReadonlyArray<Check>> => {
  const { apiKey, kept, ...rest } = options
  const { path, query } = requestOf("GET", address)
  const start = address.slice(0, address.length - (query === "?" ? 0 : query.length)).replace(/[?#].*$/, "")
  const base = start.slice(0, start.length - path.length)
  const keys = await fetchKeys(get, base)
  // Before the rows: what it names is then among them.
  const log = await fetchLog(get, base)
  const logged =
    log === undefined
      ? undefined
      : verifyEntries({ ...log, keys, ...(rest.pins === undefined ? {} : { pins: rest.pins }) })
  const headers = apiKey === undefined ? {} : { "x-api-key": apiKey }
  const rows: Array<unknown> = []
  const answers: Array<Check> = []
  let first: SignalPages | undefined
  let before: number | undefined
  do {
    const url = `${start}?limit=500${before === undefined ? "" : `&cursor=${before}`}`
    const answer = await found(get, url, headers)
    const page = signalPages(parseJson(fromUtf8(answer.body)))
    answers.push(...verifyResponse({ ...answer, request: requestOf("GET", url) }, { keys, ...rest }))
    first ??= page
    rows.push(...page.rows)
    const next = page.oldest ?? 1
    demand(next < (before ?? Number.POSITIVE_INFINITY), `${url} names a next page that is not older`)
    before = next
  } while (before > 1)
  // Of many signed pages one line each check is enough: the first that failed, or else the first.
  const byName = [...Map.groupBy(answers, ({ name }) => name).values()]
  return [
    ...byName.flatMap((all) => all.find(({ ok }) => ok === false) ?? all[0] ?? []),
    ...(logged?.checks.map((one) => ({ ...one, name: `log: ${one.name}` })) ?? [
      notChecked("log", "the service shows none yet: that the ledger was not rewritten rests on its word")
    ]),
    ...verifySignals({ ...first, rows, oldest: 1 }, kept, logged?.entries)
  ]
}

/**
 * The header of a block as block explorers (Esplora) give it: 160 digits of hex. All that answer must name the same
 * block; the notes say who did. Throws `Malformed` when none answers or two differ.
 */
export const fetchHeader = async (
  get: Get,
  explorers: ReadonlyArray<string>,
  height: number
): Promise<{ readonly hex: string; readonly notes: ReadonlyArray<string> }> => {
  const notes: Array<string> = []
  const headers = new Map<string, string>()
  for (const explorer of explorers) {
    try {
      const hash = fromUtf8((await found(get, `${explorer}/block-height/${height}`)).body).trim()
      demand(/^[0-9a-f]{64}$/.test(hash), `${explorer} gave no block hash for height ${height}`)
      const hex = fromUtf8((await found(get, `${explorer}/block/${hash}/header`)).body).trim()
      demand(parseHeader(hex).hash === hash, `${explorer} gave another header than that of ${hash}`)
      headers.set(hash, hex)
      notes.push(`${explorer} names block ${height} ${hash}`)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      notes.push(`not asked with success: ${error.message}`)
    }
  }
  const [hex, ...others] = headers.values()
  demand(hex !== undefined, `no block explorer gave the header of block ${height} (${notes.join("; ")})`)
  demand(others.length === 0, `block explorers differ on block ${height}: ${notes.join("; ")}`)
  return { hex, notes }
}

/** The headers of these blocks as `fetchHeader` gives them; one that cannot be had is not checked, and says why. */
export const fetchHeaders = async (
  get: Get,
  explorers: ReadonlyArray<string>,
  heights: ReadonlyArray<number>
): Promise<{ readonly headers: ReadonlyMap<number, string>; readonly checks: ReadonlyArray<Check> }> => {
  const headers = new Map<number, string>()
  const checks: Array<Check> = []
  for (const height of heights) {
    const name = `header of block ${height}`
    try {
      const { hex, notes } = await fetchHeader(get, explorers, height)
      headers.set(height, hex)
      checks.push({ name, ok: true, detail: notes.join("; ") })
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      checks.push(notChecked(name, error.message))
    }
  }
  return { headers, checks }
}
