/** The archive's files in a bucket, as the settings name it. */
import { createHash, randomBytes } from "node:crypto"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer, Option, Redacted, Stream } from "effect"
import { ArchiveFiles, type Content, keyOf } from "../../core/log/archive/ArchiveFiles.ts"
import * as folder from "../../runtime/archive/folder.ts"
import * as Database from "../../runtime/database/Database.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import * as Archives from "../support/archive.ts"
import { bucketServer } from "../support/bucketServer.ts"
import { missing } from "../support/programs.ts"
import { inMemory, inSwift, placeOf, type Server } from "../support/stores.ts"

/** Longer than two of the parts in which a file is sent and read. */
const length = 9 * 2 ** 20 + 5

const contentOf = (bytes: Buffer): Content => ({
  bytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
  read: (from, to) => Effect.succeed(bytes.subarray(from, to))
})

const settingsOf = (env: Readonly<Record<string, string>>) =>
  Effect.provide(Settings, Settings.layer).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))
  )

/** The port as a service with these settings gets it; what was there before is in `own`. */
const filesOf = (own: string, settings: Pick<Settings["Service"], "archiveBucket" | "archiveDir">) =>
  Effect.map(Layer.build(Database.archive(folder.layer(own), settings)), Context.get(ArchiveFiles))

const tests = (server: Server) => {
  it.live(
    "has each file once and whole, and is read by ranges; files from before are read where they were",
    () =>
      Effect.gen(function* () {
        const place = placeOf(yield* server)
        const own = Archives.temporary()
        const files = yield* filesOf(own, { archiveBucket: Option.some(place), archiveDir: Option.none() })
        const bytes = randomBytes(length)
        const content = contentOf(bytes)
        const key = keyOf("yearly/2026.parquet", content.sha256)
        yield* files.put(key, content)
        const read = (of: string, from: number, to: number) =>
          Effect.map(Stream.runCollect(files.read(of, from, to)), (parts) => Buffer.concat(Array.from(parts)))
        for (const [from, to] of [
          [0, length],
          [0, 4],
          [length - 8, length],
          [4 * 2 ** 20 - 3, 4 * 2 ** 20 + 3]
        ] as const) {
          assert.isTrue((yield* read(key, from, to)).equals(bytes.subarray(from, to)), `${from} to ${to}`)
        }
        assert.match(
          (yield* Effect.flip(read(key, length - 8, length + 1))).message,
          /ends before byte|refused GET/
        )

        // Whoever writes it again sends nothing, and cannot change it.
        yield* files.put(key, { ...content, read: () => Effect.die("read again") })
        // The store itself refuses bytes that are not those of the hash.
        const other = { ...contentOf(randomBytes(9)), sha256: "0".repeat(64) }
        const forged = keyOf("yearly/2027.parquet", other.sha256)
        assert.match((yield* Effect.flip(files.put(forged, other))).message, /refused PUT/)

        // A damaged one makes room for the whole one.
        yield* files.setAside(key)
        assert.isFalse((yield* files.list).has(key))
        yield* files.put(key, content)

        const old = contentOf(randomBytes(10))
        const oldKey = keyOf("yearly/2025.parquet", old.sha256)
        const before = Context.get(yield* Layer.build(folder.layer(own)), ArchiveFiles)
        yield* before.put(oldKey, old)
        assert.strictEqual((yield* read(oldKey, 3, 10)).length, 7)
        assert.deepStrictEqual(
          new Map([...(yield* files.list)].toSorted()),
          new Map([
            [oldKey, 10],
            [key, length]
          ])
        )
        assert.strictEqual(
          (yield* Effect.flip(read(keyOf("yearly/2024.parquet", old.sha256), 0, 1)))._tag,
          "ArchiveUnavailable"
        )
      }).pipe(Effect.scoped),
    60_000
  )
}

describe("the archive in a store in memory", () => tests(inMemory))
describe.skipIf(missing("swift"))("the archive in Swift", () => tests(inSwift))

describe("ARCHIVE_URL", () => {
  const key = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" }

  it.effect("names a bucket, with the key of the bucket of bodies", () =>
    Effect.gen(function* () {
      const { archiveBucket, bucket } = yield* settingsOf({ ARCHIVE_URL: "s3://my-bucket/archive", ...key })
      assert.isTrue(Option.isNone(bucket))
      assert.deepStrictEqual(
        Option.map(archiveBucket, ({ bucket, prefix, secretAccessKey }) => [
          bucket,
          prefix,
          Redacted.value(secretAccessKey)
        ]),
        Option.some(["my-bucket", "archive/", "secret"])
      )
      const wrong = (env: Readonly<Record<string, string>>) =>
        Effect.map(Effect.flip(settingsOf(env)), ({ message }) => message)
      assert.match(
        yield* wrong({ ARCHIVE_URL: "/folder", ...key }),
        /^ARCHIVE_URL: "\/folder" is not a bucket/
      )
      assert.match(yield* wrong({ ARCHIVE_URL: "s3://bucket" }), /must be set with ARCHIVE_URL/)
      assert.match(
        yield* wrong({ ARCHIVE_URL: "s3://bucket", ARCHIVE_DIR: "/folder", ...key }),
        /^ARCHIVE_URL and ARCHIVE_DIR both/
      )
    })
  )

  it.live("must be reachable when the service starts", () =>
    Effect.gen(function* () {
      const place = { ...placeOf(yield* bucketServer([])), bucket: "plumbline-none" }
      const { message } = yield* Effect.flip(
        filesOf(join(Archives.temporary(), "own"), {
          archiveBucket: Option.some(place),
          archiveDir: Option.none()
        })
      )
      assert.match(message, /^ARCHIVE_URL: s3:\/\/plumbline-none\/: .*NoSuchBucket\); create the bucket/)
    }).pipe(Effect.scoped)
  )
})
