/**
 * An honest OpenTimestamps calendar with a chain of its own, on loopback, for tests: it does the real arithmetic, makes
 * real Merkle trees and mines real 80-byte headers at the difficulty of the network "bitcoin-regtest-fixture". Beside
 * `/digest` and `/timestamp/<hex>` it answers as a block explorer (Esplora). `faults` lets it misbehave.
 */
import { createServer, type ServerResponse } from "node:http"
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, fromHex, toHex, utf8 } from "../../core/proof/bytes.ts"
import { parseHeader } from "../../core/proof/ots/bitcoin.ts"
import { serializeTimestamp } from "../../core/proof/ots/codec.ts"
import { type Op, opAppend, opPrepend, opSha256 } from "../../core/proof/ots/op.ts"
import { along, attested } from "../../core/proof/ots/timestamp.ts"
import { mineHeader } from "./publication.ts"

export interface Faults {
  /** Answers every request of a calendar with this status. */
  status?: number
  /** Never answers. */
  silent?: boolean
  /** Answers this instead of a timestamp. */
  bytes?: Uint8Array
  /** Names this calendar in its promises. */
  uri?: string
  /** Forgets what it promised. */
  forgets?: boolean
  /** Shows another header than the one it mined. */
  header?: string
}

export interface Calendar {
  readonly address: string
  readonly faults: Faults
  /** Paths of all requests so far. */
  readonly requests: ReadonlyArray<string>
  /** Mines a block over all that is pending; gives its height. `time` is in seconds. */
  readonly mineBlock: (time: number) => number
  /** Mines blocks without commitments on top. */
  readonly grow: (blocks: number, time: number) => void
  /** Replaces the newest blocks from this height on by others; what was in them is pending again. */
  readonly reorganize: (height: number, time: number) => void
  readonly close: () => Promise<void>
}

interface Block {
  readonly hex: string
  readonly commitments: ReadonlyArray<Uint8Array>
}

const double = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes))
const wrap = { before: fromHex("0100000001"), after: fromHex("00000000") }

/** The steps from each commitment to the root: a transaction around it, and Bitcoin's tree over the transactions. */
const steps = (commitments: ReadonlyArray<Uint8Array>) => {
  let nodes = commitments.map((commitment) => double(concat(wrap.before, commitment, wrap.after)))
  const paths: Array<Array<Op>> = commitments.map(() => [
    opPrepend(wrap.before),
    opAppend(wrap.after),
    opSha256,
    opSha256
  ])
  let places = commitments.map((_, index) => index)
  while (nodes.length > 1) {
    const level = nodes
    const node = (index: number) => level[index] ?? new Uint8Array(32)
    for (const [at, place] of places.entries()) {
      const even = place % 2 === 0
      const sibling = even ? (level[place + 1] ?? node(place)) : node(place - 1)
      paths[at]?.push(even ? opAppend(sibling) : opPrepend(sibling), opSha256, opSha256)
    }
    nodes = Array.from({ length: Math.ceil(level.length / 2) }, (_, index) =>
      // Bitcoin pairs a lone last node with itself.
      double(concat(node(2 * index), level[2 * index + 1] ?? node(2 * index)))
    )
    places = places.map((place) => Math.floor(place / 2))
  }
  return { root: nodes[0] ?? new Uint8Array(32), paths }
}

export const startCalendar = async (firstHeight = 100): Promise<Calendar> => {
  const faults: Faults = {}
  const requests: Array<string> = []
  let pending: Array<Uint8Array> = []
  const blocks: Array<Block> = []
  let address = ""

  const add = (commitments: ReadonlyArray<Uint8Array>, time: number) => {
    const { root } = steps(
      commitments.length === 0 ? [utf8(`coinbase ${blocks.length} ${time}`)] : commitments
    )
    const before = blocks.at(-1)
    const previous =
      before === undefined ? new Uint8Array(32) : fromHex(parseHeader(before.hex).hash).reverse()
    blocks.push({ hex: mineHeader(root, time, previous), commitments })
    return firstHeight + blocks.length - 1
  }

  const digest = (message: Uint8Array): Uint8Array => {
    const nonce = sha256(concat(message, utf8(address))).slice(0, 8)
    const timestamp = along(
      message,
      [opPrepend(Uint8Array.of(95, 1, 2, 3)), opAppend(nonce), opSha256],
      () => [{ attestation: { kind: "pending", uri: faults.uri ?? address } }]
    )
    const commitment = attested(timestamp)[0]?.message ?? message
    if (!pending.some((each) => toHex(each) === toHex(commitment))) pending.push(commitment)
    return serializeTimestamp(timestamp)
  }

  const timestampOf = (hex: string): Uint8Array | undefined => {
    for (const [index, { commitments }] of blocks.entries()) {
      const at = commitments.findIndex((commitment) => toHex(commitment) === hex)
      if (at < 0) continue
      const path = steps(commitments).paths[at] ?? []
      return serializeTimestamp(
        along(fromHex(hex), path, () => [
          { attestation: { kind: "bitcoin-regtest-fixture", height: firstHeight + index } }
        ])
      )
    }
    return undefined
  }

  const explore = (path: string): string | undefined => {
    if (path === "/blocks/tip/height") return String(firstHeight + blocks.length - 1)
    const height = /^\/block-height\/(\d+)$/.exec(path)?.[1]
    if (height !== undefined) {
      const block = blocks[Number(height) - firstHeight]
      return block === undefined ? undefined : parseHeader(block.hex).hash
    }
    const hash = /^\/block\/([0-9a-f]{64})\/header$/.exec(path)?.[1]
    return hash === undefined
      ? undefined
      : (faults.header ?? blocks.find(({ hex }) => parseHeader(hex).hash === hash)?.hex)
  }

  const send = (response: ServerResponse, status: number, body: string | Uint8Array) => {
    response.writeHead(status)
    response.end(body)
  }

  const server = createServer((request, response) => {
    const path = request.url ?? ""
    requests.push(`${request.method} ${path}`)
    const parts: Array<Uint8Array> = []
    request.on("data", (part: Uint8Array) => parts.push(part))
    request.on("end", () => {
      const explored = explore(path)
      if (explored !== undefined) return send(response, 200, explored)
      if (faults.silent === true) return
      if (faults.status !== undefined) return send(response, faults.status, "out of order")
      const commitment = /^\/timestamp\/([0-9a-f]+)$/.exec(path)?.[1]
      const answer =
        path === "/digest" && request.method === "POST"
          ? digest(new Uint8Array(Buffer.concat(parts)))
          : commitment !== undefined && faults.forgets !== true
            ? timestampOf(commitment)
            : undefined
      if (answer === undefined) return send(response, 404, "Pending confirmation in Bitcoin blockchain")
      send(response, 200, faults.bytes ?? answer)
    })
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const bound = server.address()
  address = `http://127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : 0}`

  return {
    address,
    faults,
    requests,
    mineBlock: (time) => {
      const height = add(pending, time)
      pending = []
      return height
    },
    grow: (count, time) => {
      for (let block = 0; block < count; block++) add([], time + block)
    },
    reorganize: (height, time) => {
      const lost = blocks.splice(height - firstHeight)
      pending.push(...lost.flatMap(({ commitments }) => commitments))
      for (const [index] of lost.entries()) add([], time + index)
    },
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => done())
      })
  }
}
