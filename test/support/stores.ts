/** The object stores that tests run against: one in memory, and Swift. */
import { assert } from "@effect/vitest"
import { Effect, Option, Redacted, type Scope } from "effect"
import { request } from "undici"
import type { Bucket } from "../../runtime/outside/objectStore.ts"
import { signedHeaders } from "../../runtime/outside/sigv4.ts"
import { bucketServer, type StoreServer } from "./bucketServer.ts"
import { swiftServer } from "./swiftServer.ts"

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

/** A store that checks signatures, with the bucket. */
export type Server = Effect.Effect<StoreServer, Error, Scope.Scope>

export const inMemory: Server = bucketServer([bucket])

/** Swift with the bucket, which it creates by a signed request like any other. */
export const inSwift: Server = Effect.gen(function* () {
  const server = yield* swiftServer
  const url = new URL(`${server.endpoint}/${bucket}`)
  const headers = yield* signedHeaders({ method: "PUT", url }, placeOf(server), Date.now())
  const { statusCode } = yield* Effect.promise(() => request(url, { method: "PUT", headers }))
  assert.strictEqual(statusCode, 200)
  return server
})
