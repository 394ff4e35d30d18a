/** The object stores that tests run against: one in memory, and Swift where it is installed. */
import { assert } from "@effect/vitest"
import { Effect, Option, Redacted, type Scope } from "effect"
import { request } from "undici"
import type { Bucket } from "../../runtime/outside/objectStore.ts"
import { signedHeaders } from "../../runtime/outside/sigv4.ts"
import { bucketServer, type StoreServer } from "./bucketServer.ts"
import { isInstalled, swift } from "./swift.ts"

export const bucket = "plumbline-test"

/** The bucket in a running store. */
export const placeOf = (server: StoreServer, change: Partial<Bucket> = {}): Bucket => ({
  bucket,
  prefix: "years/",
  region: "us-east-1",
  endpoint: Option.some(new URL(server.endpoint)),
  pathStyle: true,
  accessKeyId: server.accessKeyId,
  secretAccessKey: Redacted.make(server.secretAccessKey),
  ...change
})

/** Swift with the bucket, which it creates by a signed request like any other. */
const swiftWithBucket = Effect.gen(function* () {
  const server = yield* swift
  const url = new URL(`${server.endpoint}/${bucket}`)
  const headers = yield* signedHeaders({ method: "PUT", url }, placeOf(server), Date.now())
  const { statusCode } = yield* Effect.promise(() => request(url, { method: "PUT", headers }))
  assert.strictEqual(statusCode, 200)
  return server
})

/** Stores that check signatures, each with the bucket. */
export const servers: ReadonlyArray<readonly [string, Effect.Effect<StoreServer, Error, Scope.Scope>]> = [
  ["a store in memory", bucketServer([bucket])],
  // CI installs Swift, so that there it is never left out.
  ...(isInstalled || process.env["CI"] !== undefined ? [["Swift", swiftWithBucket] as const] : [])
]
