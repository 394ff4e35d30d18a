/** Witnesses on loopback, and logs that they can cosign: real servers, real keys, real trees. */
import { randomBytes } from "node:crypto"
import { appendFileSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { addCheckpointText } from "../../core/log/addCheckpoint.ts"
import { utf8 } from "../../core/proof/bytes.ts"
import { checkpointText, noteText, signatureLine, verifierOf, vkey } from "../../core/proof/checkpoint.ts"
import { consistencyProof, root, treeOf } from "../../core/proof/merkle.ts"
import { create } from "../../runtime/witness/Store.ts"
import { layer } from "../../runtime/witness/server.ts"
import { publicKeyOf, signEd25519 } from "./ed25519.ts"

/** A log of numbered entries. `fork` gives another history from that entry on. */
export const makeLog = (origin: string, options: { readonly fork?: number } = {}) => {
  const secret = new Uint8Array(randomBytes(32))
  return logWith(origin, secret, options.fork)
}

const logWith = (origin: string, secret: Uint8Array, fork = Number.POSITIVE_INFINITY) => {
  const verifier = verifierOf(origin, publicKeyOf(secret))
  const treeAt = (size: number) =>
    treeOf(Array.from({ length: size }, (_, index) => utf8(`${index}${index >= fork ? " forked" : ""}`)))
  const text = (size: number) => checkpointText({ origin, size, root: root(treeAt(size)) })
  const line = (signed: string) => signatureLine(verifier, signEd25519(utf8(signed), secret))
  const checkpoint = (size: number) => noteText(text(size), [line(text(size))])
  const path = (from: number, to: number) => consistencyProof(treeAt(to), from)
  return {
    origin,
    vkey: vkey(origin, verifier.publicKey),
    text,
    line,
    checkpoint,
    path,
    /** The body of a request that is in order. */
    body: (from: number, to: number) =>
      addCheckpointText({ oldSize: from, path: path(from, to), note: checkpoint(to) }),
    /** The same log with other entries from an index on: the same key, another history. */
    forked: (from: number) => logWith(origin, secret, from),
    /** The same log after it changed its key. */
    rekeyed: () => logWith(origin, new Uint8Array(randomBytes(32)), fork)
  }
}

export const newFolder = (): string => join(mkdtempSync(join(tmpdir(), "plumbline-witness-")), "w")

/** Creates a witness that cosigns these logs; returns its folder and its verifier key. */
export const newWitness = Effect.fnUntraced(function* (
  logs: ReadonlyArray<string>,
  name = "witness.example/w1"
) {
  const folder = newFolder()
  const key = yield* create(folder, name)
  appendFileSync(join(folder, "logs"), logs.map((log) => `log ${log}\n`).join(""))
  return { folder, vkey: key }
})

/** Runs the witness in a folder until the scope closes; returns its address. */
export const runWitness = Effect.fnUntraced(function* (folder: string, port = 0) {
  const context = yield* Layer.build(Layer.fresh(layer(folder, { host: "127.0.0.1", port })))
  const { address } = yield* Effect.provideContext(HttpServer.HttpServer, context)
  return HttpServer.formatAddress(address)
})

export interface WitnessReply {
  readonly status: number
  readonly type: string | null
  readonly text: string
}

export const ask = (url: string, init: RequestInit = {}): Effect.Effect<WitnessReply> =>
  Effect.promise(async () => {
    const answer = await fetch(url, { signal: AbortSignal.timeout(20_000), ...init })
    return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() }
  })

export const post = (address: string, body: string | Uint8Array<ArrayBuffer>) =>
  ask(`${address}/add-checkpoint`, { method: "POST", body })

export const stateOf = (folder: string): string => readFileSync(join(folder, "state.json"), "utf8")
