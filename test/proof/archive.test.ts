/** `verify archive`, with a service, with a mirror of it, and alone. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { parquetMetadata } from "hyparquet"
import { parquetWriteBuffer } from "hyparquet-writer"
import { Archive } from "../../core/log/archive/Archive.ts"
import { checkLog } from "../../core/log/check/checkLog.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { LogKey } from "../../core/log/Log.ts"
import { metadataKey } from "../../core/proof/archive.ts"
import { toHex } from "../../core/proof/bytes.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { get } from "../../http/client/verifier/src/cli/get.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import { mirror } from "../../http/client/verifier/src/mirror.ts"
import { served } from "../../http/client/verifier/src/monitor/source.ts"
import * as Archives from "../support/archive.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const day = 86_400_000
const folder = mkdtempSync(join(tmpdir(), "plumbline-verify-archive-"))
const copy = join(folder, "copy")
const daily = join(copy, "v1/archive/daily/2026/09/30.parquet")
const monthly = join(copy, "v1/archive/monthly/2026/09.parquet")

const services = Archive.layer.pipe(
  Layer.provide(Archives.drafts),
  Layer.provideMerge(Service.layer({ manifests: [Runs.manifest] }))
)

const verified = (...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const lines: Array<string> = []
    const exit = await main(["archive", ...args], { print: (line) => void lines.push(line), env: {}, get })
    return { exit, text: lines.join("\n") }
  })

layer(services)("verify archive", (it) => {
  const setting = Effect.gen(function* () {
    const { port } = yield* Service
    const key = (yield* LogKey).keys().find(({ purpose }) => purpose === "log")
    return {
      url: `http://127.0.0.1:${port}`,
      key: `--key=${toHex(key?.publicKey ?? new Uint8Array())}`,
      pin: toHex(key?.publicKey ?? new Uint8Array())
    }
  })

  it.effect("holds for what a mirror copied, by the service and by the mirror", () =>
    Effect.gen(function* () {
      yield* partitions.ensure(Date.parse("2026-09-30"))
      for (let at = Date.parse("2026-09-28"); at <= Date.parse("2026-09-30"); at += day) {
        const date = new Date(at).toISOString().slice(0, 10)
        yield* TestClock.setTime(at + day / 2)
        yield* (yield* Ingest).write(
          Runs.delivery(at + day / 2, [
            Runs.row(at / day / 3, `${date}T10:00:00.001Z`),
            Runs.row(-0.1, `${date}T10:00:00Z`, {
              metric: "price_change_24h_pct",
              unit: "pct",
              value_text: "-0.1000000000000000000001"
            })
          ])
        )
        yield* TestClock.setTime(at + 32 * 3_600_000)
        yield* (yield* DailyClose).run
      }
      yield* (yield* Archive).run
      const { key, pin, url } = yield* setting
      const outcome = yield* Effect.promise(() =>
        mirror(served(get, url), copy, {
          trust: { pins: [pin] },
          now: () => Date.parse("2026-10-01T09:00:00Z"),
          random: () => 0,
          say: () => undefined
        })
      )
      assert.deepStrictEqual(outcome.findings, [])
      for (const file of [daily, monthly]) {
        const byService = yield* verified(file, "--url", url, key)
        assert.strictEqual(byService.exit, 0, byService.text)
        const byMirror = yield* verified(file, "--dir", copy, key)
        assert.strictEqual(byMirror.exit, 0, byMirror.text)
        assert.include(byMirror.text, "the log commits to this file")
      }
      const sums = readFileSync(join(copy, "v1/archive/SHA256SUMS"), "utf8").trim().split("\n")
      assert.strictEqual(sums.length, 4)
    })
  )

  it.effect("is not proved without a log, or without a key that the caller gave", () =>
    Effect.gen(function* () {
      const { url } = yield* setting
      const alone = yield* verified(daily)
      assert.deepStrictEqual(
        [alone.exit, /2 rows hash to their leaf_hash/.test(alone.text)],
        [2, true],
        alone.text
      )
      assert.strictEqual((yield* verified(daily, "--url", url)).exit, 2)
    })
  )

  it.effect("fails for a file that was changed, or is another's", () =>
    Effect.gen(function* () {
      const { key } = yield* setting
      const other = join(folder, "other.parquet")
      const bytes = readFileSync(daily)
      let caught = 0
      for (let at = 4; at < bytes.length; at += 97) {
        const forged = Buffer.from(bytes)
        forged[at] = (forged[at] ?? 0) ^ 1
        writeFileSync(other, forged)
        const { exit } = yield* verified(other, "--dir", copy, key)
        assert.strictEqual(exit, 1, `byte ${at}`)
        caught++
      }
      assert.isAbove(caught, 20)
      copyFileSync(join(copy, "v1/log/checkpoint"), other)
      assert.strictEqual((yield* verified(other, "--dir", copy, key)).exit, 1)
      rmSync(other)
      assert.strictEqual((yield* verified(other, "--dir", copy, key)).exit, 2)
    })
  )

  it.effect(
    "reads no row of a file that the log does not have, nor of one that says that it has any number",
    () =>
      Effect.gen(function* () {
        const { key } = yield* setting
        const statement = yield* Effect.promise(async () => {
          const metadata = parquetMetadata(new Uint8Array(readFileSync(daily)).buffer)
          return metadata.key_value_metadata?.find(({ key }) => key === metadataKey)?.value ?? ""
        })
        const many = join(folder, "many.parquet")
        const written = parquetWriteBuffer({
          columnData: [
            { name: "simulated", data: new Array<boolean>(1_000_001).fill(true), type: "BOOLEAN" }
          ],
          kvMetadata: [{ key: metadataKey, value: statement }]
        })
        writeFileSync(many, new Uint8Array(written))
        const alone = yield* verified(many)
        assert.strictEqual(alone.exit, 2)
        assert.match(alone.text, /not proved +rows: 1000001 rows are more than are read without a log/)
        const compared = yield* verified(many, "--dir", copy, key)
        assert.strictEqual(compared.exit, 1)
        assert.match(compared.text, /FAILED +log: the log has daily\/2026\/09\/30.parquet with SHA-256/)
        assert.match(compared.text, /not proved +rows: not read, since the log does not have this file/)
      })
  )

  it.effect("is joined by the operator's own check, which names a file that is away", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const archiveFindings = Effect.map(checkLog(true), ({ findings }) =>
        findings.filter(({ what }) => what === "archive").map(({ where }) => where.split(" ")[0])
      )
      assert.deepStrictEqual(yield* archiveFindings, [])
      yield* sql`delete from archive_part where key like 'daily/2026/09/29.%'`
      assert.deepStrictEqual(yield* archiveFindings, ["daily/2026/09/29.parquet"])
    })
  )
})
