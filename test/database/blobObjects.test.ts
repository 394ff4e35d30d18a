/** Bodies in a bucket, as the settings name it. */
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import * as blobFiles from "../../runtime/database/blobFiles.ts"
import * as Database from "../../runtime/database/Database.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { bucketServer } from "../support/bucketServer.ts"

const bodyOf = (text: string) => ({
  sha256: createHash("sha256").update(text).digest("hex"),
  compressed: new Uint8Array(zstdCompressSync(text))
})

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-bodies-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const settingsOf = (env: Readonly<Record<string, string>>) =>
  Effect.provide(Settings, Settings.layer).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))
  )

/** The settings of a service whose bodies are in this store. */
const settingsWith = Effect.fnUntraced(function* (change: Readonly<Record<string, string>> = {}) {
  const folder = yield* temporary
  const server = yield* bucketServer(["plumbline-test"])
  const env = {
    DATA_DIR: join(folder, "data"),
    BLOBS_URL: "s3://plumbline-test/bodies",
    AWS_ENDPOINT_URL: server.endpoint,
    AWS_ACCESS_KEY_ID: server.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
    ...change
  }
  return { server, settings: yield* settingsOf(env) }
})

const filesOf = ({ dataDir }: Settings["Service"]) => blobFiles.layer(join(dataDir, "blobs"))

/** The port as a service with these settings gets it. */
const bodiesOf = (settings: Settings["Service"]) =>
  Effect.provide(Blobs, Database.bodies(filesOf(settings), settings))

describe("bodies in a bucket", () => {
  it.live(
    "are stored once under their hash, found and removed; earlier ones are still found in DATA_DIR",
    () =>
      Effect.gen(function* () {
        const { server, settings } = yield* settingsWith()
        const [older, newer] = [bodyOf("before there was a bucket"), bodyOf("after")]
        const files = yield* Effect.provide(Blobs, filesOf(settings))
        yield* files.put(older.sha256, older.compressed)
        const blobs = yield* bodiesOf(settings)
        yield* blobs.put(newer.sha256, newer.compressed)
        yield* blobs.put(newer.sha256, newer.compressed)
        assert.deepStrictEqual(
          [...server.objects.keys()],
          [`plumbline-test/bodies/${newer.sha256.slice(0, 2)}/${newer.sha256}.zst`]
        )
        for (const { compressed, sha256 } of [older, newer]) {
          assert.deepStrictEqual(
            Option.map(yield* blobs.get(sha256), Buffer.from),
            Option.some(Buffer.from(compressed))
          )
        }
        const hashes = [older.sha256, newer.sha256, "0".repeat(64)]
        assert.deepStrictEqual(yield* blobs.stored(hashes), new Set([older.sha256, newer.sha256]))
        yield* blobs.remove(hashes)
        assert.strictEqual((yield* blobs.stored(hashes)).size, 0)
        assert.isTrue(Option.isNone(yield* blobs.get(older.sha256)))
      }).pipe(Effect.scoped)
  )

  it.live("that were replaced in the bucket are not handed out", () =>
    Effect.gen(function* () {
      const { server, settings } = yield* settingsWith()
      const blobs = yield* bodiesOf(settings)
      const body = bodyOf("as it was fetched")
      yield* blobs.put(body.sha256, body.compressed)
      const [name = ""] = server.objects.keys()
      for (const forged of [Buffer.from(zstdCompressSync("as somebody wants it")), Buffer.from("no zstd")]) {
        server.objects.set(name, forged)
        const error = yield* Effect.flip(blobs.get(body.sha256))
        assert.strictEqual(error._tag, "BlobsUnavailable")
        assert.match(error.message, /is not the body that was stored/)
      }
    }).pipe(Effect.scoped)
  )

  it.live("need a bucket that can be reached when the service starts", () =>
    Effect.gen(function* () {
      const { settings } = yield* settingsWith({ BLOBS_URL: "s3://plumbline-none" })
      const error = yield* Effect.flip(bodiesOf(settings))
      assert.match(error.message, /^BLOBS_URL: s3:\/\/plumbline-none\/: .*NoSuchBucket\); create the bucket/)
    }).pipe(Effect.scoped)
  )
})

describe("the settings of a bucket", () => {
  const wrong = (env: Readonly<Record<string, string>>) =>
    Effect.map(Effect.flip(settingsOf(env)), ({ message }) => message)

  it.effect("that cannot be used are named", () =>
    Effect.gen(function* () {
      for (const url of ["bucket", "https://bucket.s3.amazonaws.com", "s3://UPPER", "s3://"]) {
        assert.match(
          yield* wrong({ BLOBS_URL: url }),
          /^BLOBS_URL: ".*" is not a bucket \(expected e\.g\. s3:/
        )
      }
      assert.match(
        yield* wrong({ BLOBS_URL: "s3://bucket/prefix", AWS_ACCESS_KEY_ID: "id" }),
        /^AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set with BLOBS_URL/
      )
    })
  )

  it.effect("have the defaults of Amazon's own store", () =>
    Effect.gen(function* () {
      const { bucket } = yield* settingsOf({
        BLOBS_URL: "s3://my-bucket",
        AWS_ACCESS_KEY_ID: "id",
        AWS_SECRET_ACCESS_KEY: "secret"
      })
      assert.deepStrictEqual(
        bucket,
        Option.some({
          bucket: "my-bucket",
          prefix: "",
          region: "us-east-1",
          endpoint: Option.none(),
          pathStyle: false,
          accessKeyId: "id",
          secretAccessKey: Redacted.make("secret")
        })
      )
    })
  )
})
