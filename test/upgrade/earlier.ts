/** Databases as earlier versions left them (`make.mjs` made the dumps), and the keys that had signed in them. */
import { createPrivateKey, createPublicKey } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { brotliDecompressSync } from "node:zlib"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Tables from "../../runtime/database/tables.ts"

/** The databases that are here: by their commits the last of format 1 and one of format 2, and one of each release. */
export type Version = "c7b9205" | "43d2ae32" | `${number}.${number}.${number}`

/** Origin of their logs. */
export const origin = "log.example.net/log"

/** Fills an empty database. */
export const load = Effect.fnUntraced(function* (version: Version) {
  const sql = yield* SqlClient.SqlClient
  const dump = brotliDecompressSync(readFileSync(new URL(`${version}.sql.br`, import.meta.url)))
    .toString("utf8")
    .split("\n")
    // What is for psql, and for the session of a restore.
    .filter((line) => !/^(\\|--|SET |SELECT pg_catalog\.set_config)/.test(line))
    .join("\n")
  // A function's body has no line that ends in a semicolon but its last.
  const statements = dump.split(/;\n/).filter((statement) => statement.trim() !== "")
  yield* sql.withTransaction(
    Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
  )
})

/** Every table with a hash over its rows: what is equal was not touched. */
export const contents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hashes: Record<string, string> = {}
  const work = Effect.gen(function* () {
    yield* Tables.patient
    for (const table of yield* Tables.tablesOf) hashes[table] = yield* Tables.sumOf(table)
    return hashes
  })
  return yield* sql.withTransaction(work)
})

const keyOf = (seed: string) =>
  createPrivateKey({
    key: Buffer.from(`302e020100300506032b657004220420${seed.repeat(32)}`, "hex"),
    format: "der",
    type: "pkcs8"
  })

/** The key that signed everything in the older version, and the log in the newer one; and the newer one's for answers. */
export const seeds = { first: "07", answers: "08" } as const

/** The 32 bytes of the public key. */
export const publicKeyOf = (seed: string): Uint8Array =>
  new Uint8Array(createPublicKey(keyOf(seed)).export({ type: "spki", format: "der" }).subarray(-32))

/** Writes a key as the key file that a setting names. */
export const writeKey = (seed: string, file: string): void =>
  writeFileSync(file, keyOf(seed).export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
