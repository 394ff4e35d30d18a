import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { utf8 } from "../../core/proof/bytes.ts"
import { entryBytes, type LogEntry } from "../../core/proof/entry.ts"
import {
  messageSignatureHeader,
  signatureBase,
  signatureInput,
  unencodedDigest
} from "../../core/proof/messageSignature.ts"
import { parseHeader } from "../../core/proof/ots/bitcoin.ts"
import { genesis, type HashedSignal, signalHash, signalText } from "../../core/proof/signal.ts"
import { signatureHeader, statementPayload } from "../../core/proof/statement.ts"
import { entryBundle, parseTilePath, tileAt, tileBytes, tileWidth } from "../../core/proof/tiles.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import { signEd25519 } from "../support/ed25519.ts"
import { batches, bundleOf, checkpointOf, keys, logOf, secret, stamped } from "../support/publication.ts"

export const bundle = bundleOf(3, 2)
const tree = logOf(batches.map(({ entry }) => entry))
export const newest = checkpointOf(tree)
export const kid = keys.keys[0]?.kid ?? ""
export const fixture = ["--network", "bitcoin-regtest-fixture"]

/** A block of the same network that holds something else. */
const otherHeader = stamped(utf8("else"), "2026-09-06T08:10:00Z").header.hex

/** More rows than a page has. */
export const signals: Array<HashedSignal> = []
for (let n = 1; n <= 1203; n++) {
  const row = {
    v: "service-signal-v1",
    n,
    prev_hash: signals[0]?.hash ?? genesis,
    kind: "revision",
    unit: "count",
    before_value: n,
    after_value: n / 3,
    as_of: "2026-09-05T08:00:00Z",
    verify_url: "https://upstream.example/stats",
    recorded_at: "2026-09-05T08:00:00Z"
  } as const
  signals.unshift({ ...row, hash: signalHash(signalText(row)) })
}
/** An entry of the log that names a row. */
export const entryOf = (row: HashedSignal | undefined): LogEntry => ({
  v: "service-entry-v2",
  kind: "signals",
  sha256: row?.hash ?? "",
  subject: String(row?.n),
  recorded_at: "2026-09-05T08:00:01Z"
})
/** A log that is longer than a bundle of entries, and names rows 400, 800 and 1200. */
export const longLog: ReadonlyArray<LogEntry> = [
  ...batches.map(({ entry }) => entry),
  ...[400, 800, 1200].map((n) => entryOf(signals[1203 - n])),
  ...Array.from({ length: 300 }, (_, n) => ({ ...entryOf(signals[n]), kind: "revision" }))
]
export const logged = (entries: ReadonlyArray<LogEntry>) => ({
  checkpoint: checkpointOf(logOf(entries)),
  entries
})

/** A page of a ledger; without its head where it is empty. */
export const page = (rows: ReadonlyArray<HashedSignal>, query: URLSearchParams) => {
  const cursor = query.get("cursor")
  const before = Number(cursor ?? rows.length + 1)
  const part = rows.filter(({ n }) => n < before).slice(0, Number(query.get("limit")))
  const last = part.at(-1)?.n ?? 1
  return {
    head: rows[0] === undefined ? null : { n: rows[0].n, hash: rows[0].hash },
    ...(cursor === null ? {} : { cursor }),
    signals: part,
    ...(last > 1 ? { next_cursor: String(last) } : {})
  }
}

// What the loopback service shows; a test may make it lie.
export let published: {
  readonly bundle: string
  readonly checkpoint: string | undefined
  readonly entries: ReadonlyArray<LogEntry>
  readonly spoil: boolean
  /** Other files of the log, by path. */
  readonly files: ReadonlyMap<string, string>
  readonly signals: ReadonlyArray<HashedSignal>
} = {
  bundle: JSON.stringify(bundle),
  checkpoint: newest,
  entries: batches.map(({ entry }) => entry),
  spoil: false,
  files: new Map(),
  signals
}
let server: Server
export let base = ""
export let folder = ""

const signed = (method: string, url: string, status: number, body: Uint8Array) => {
  const timestamp = "2026-09-06T09:00:00Z"
  const [path = "", query] = url.split("?")
  const hash = createHash("sha256").update(body).digest("hex")
  const parameters = { created: Date.parse(timestamp) / 1000, keyid: kid }
  const message = {
    status,
    contentType: "application/json",
    unencodedDigest: unencodedDigest(body),
    timestamp,
    method,
    authority: base.replace("http://", ""),
    path,
    query: `?${query ?? ""}`
  }
  return {
    "content-type": message.contentType,
    "x-service-timestamp": timestamp,
    "x-service-signature": signatureHeader(
      signEd25519(utf8(statementPayload(hash, timestamp, path)), secret)
    ),
    "unencoded-digest": message.unencodedDigest,
    "signature-input": signatureInput(parameters),
    signature: messageSignatureHeader(signEd25519(utf8(signatureBase(message, parameters)), secret))
  }
}

const answer = (path: string): Uint8Array | undefined => {
  // Each explorer has a twin, of the same mind.
  const url = path.replace(/^\/twin\//, "/")
  if (url === "/.well-known/service-signing-key.json") return utf8(JSON.stringify(keys))
  // As a service of an earlier release, which does not know it.
  if (url.includes("format=evidence")) return undefined
  if (url.startsWith("/v1/attest?")) return utf8(published.bundle)
  if (url === "/v1/history?network=FIL") return utf8('{"history":[]}')
  if (url === "/v1/log/checkpoint") {
    return published.checkpoint === undefined ? undefined : utf8(published.checkpoint)
  }
  if (url.startsWith("/v1/signals?"))
    return utf8(JSON.stringify(page(published.signals, new URLSearchParams(url.split("?")[1]))))
  const tile = url.startsWith("/v1/log/tile/") ? parseTilePath(url.slice("/v1/log/tile/".length)) : undefined
  if (tile?.level === "entries") {
    const from = tile.index * tileWidth
    return entryBundle(published.entries.slice(from, from + tile.width).map(entryBytes))
  }
  if (tile !== undefined) {
    const treeTile = tileAt(tree.size, tile.level, tile.index)
    return treeTile === undefined ? undefined : tileBytes(tree, treeTile)
  }
  const other = published.files.get(url)
  if (other !== undefined) return utf8(other)
  const header = bundle.anchor.header?.hex ?? ""
  if (url === "/esplora/block-height/200" || url === "/liar/block-height/200")
    return utf8(parseHeader(header).hash)
  if (url === `/esplora/block/${parseHeader(header).hash}/header`) return utf8(header)
  if (url === `/liar/block/${parseHeader(header).hash}/header`) return utf8(header.replace(/^../, "ff"))
  if (url === "/other/block-height/200") return utf8(parseHeader(otherHeader).hash)
  if (url === `/other/block/${parseHeader(otherHeader).hash}/header`) return utf8(otherHeader)
  return undefined
}

/** Serves while the tests of the calling file run. */
export const serveLoopback = (): void => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plumbline-verify-"))
    server = createServer((request, response) => {
      const url = request.url ?? ""
      const body = answer(url)
      const closed = url.startsWith("/v1/signals") && request.headers["x-api-key"] !== "plk_reader"
      const status = closed ? 402 : body === undefined ? 404 : 200
      response.writeHead(status, signed(request.method ?? "", url, status, body ?? utf8("")))
      response.end(published.spoil && url.startsWith("/v1/history") ? utf8("{}") : body)
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const address = server.address()
    base = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  })

  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await new Promise((done) => server.close(done))
  })
}

export const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

export const run = async (args: ReadonlyArray<string>, env: Record<string, string> = {}) => {
  const lines: Array<string> = []
  const exit = await main(["verify", ...args], {
    print: (line) => lines.push(line),
    env,
    get: async (url, headers = {}) => {
      const response = await fetch(url, { headers, redirect: "error" })
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: new Uint8Array(await response.arrayBuffer())
      }
    }
  })
  return { exit, text: lines.join("\n") }
}

export const lying = async <A>(lie: Partial<typeof published>, work: () => Promise<A>): Promise<A> => {
  const honest = published
  published = { ...published, ...lie }
  try {
    return await work()
  } finally {
    published = honest
  }
}
