/** The files of a log in a place that the service does not serve: filled, compared, followed through genuine nginx. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Archive } from "../../core/log/archive/Archive.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { checkPlace, publish } from "../../core/log/record/publish/publish.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { get } from "../../http/client/verifier/src/cli/get.ts"
import { mirror } from "../../http/client/verifier/src/mirror.ts"
import { look } from "../../http/client/verifier/src/monitor/look.ts"
import { patient, served } from "../../http/client/verifier/src/monitor/source.ts"
import type { State } from "../../http/client/verifier/src/monitor/state.ts"
import * as ObjectStore from "../../runtime/outside/objectStore.ts"
import { bucketPlace, folderPlace } from "../../runtime/outside/publishPlace.ts"
import * as Archives from "../support/archive.ts"
import { bucketServer } from "../support/bucketServer.ts"
import { onBothEngines } from "../support/database.ts"
import { freePort, isListening } from "../support/freePort.ts"
import { missing, pathOf } from "../support/programs.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { bucket, placeOf } from "../support/stores.ts"
import { startProgram } from "../support/tools.ts"
import { until } from "../support/until.ts"

const hour = 3_600_000

/** The shipped example over a folder, with this test's port and without TLS, in the least that nginx needs around it. */
const nginx = Effect.fnUntraced(function* (root: string, port: number) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-nginx-"))
  const site = readFileSync(new URL("../../runtime/deploy/published.conf", import.meta.url), "utf8")
    .replace("/srv/plumbline;", `${root};`)
    .replace("listen 443 ssl http2;", `listen 127.0.0.1:${port};`)
    .replace(/ *ssl_certificate.*\n/g, "")
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(" ")
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${places}\n${site}\n}`
  )
  const base = `http://127.0.0.1:${port}`
  yield* startProgram(pathOf("nginx"), ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr"])
  yield* TestClock.withLive(until(() => isListening(port)))
  return base
})

const silent = () => Effect.void
const flip = (path: string) => {
  const bytes = readFileSync(path)
  writeFileSync(path, Buffer.from(bytes).fill((bytes[20] ?? 0) ^ 1, 20, 21))
}

onBothEngines("the published log", (database) => {
  const services = Archive.layer.pipe(
    Layer.provide(Archives.drafts),
    Layer.provideMerge(Service.layer({ database, manifests: [Runs.manifest] }))
  )

  layer(services)((it) => {
    const root = mkdtempSync(join(tmpdir(), "plumbline-published-"))
    const place = folderPlace(root)

    const closeDay = Effect.fnUntraced(function* (day: string) {
      const noon = Date.parse(`${day}T12:00:00Z`)
      yield* TestClock.setTime(noon)
      yield* (yield* Ingest).write(Runs.delivery(noon, [Runs.row(noon / 1000, `${day}T10:00:00Z`)]))
      yield* TestClock.setTime(noon + 20 * hour)
      yield* (yield* DailyClose).run
      yield* (yield* Archive).run
    })

    it.effect("has every file as the service serves it, and no more is written than it lacks", () =>
      Effect.gen(function* () {
        yield* partitions.ensure(Date.parse("2026-09-08"))
        for (const day of ["2026-09-01", "2026-09-02", "2026-09-03"]) yield* closeDay(day)
        const { size } = yield* (yield* Log).served
        const first = yield* publish(place, silent)
        assert.deepInclude(first, { size, present: 0, gone: 0, faults: [] })
        const { call } = yield* Service
        const paths = [...(yield* place.list)]
        assert.strictEqual(paths.length, first.written)
        for (const path of paths) {
          const reply = yield* call(`/${path}`)
          assert.strictEqual(reply.status, 200, path)
          assert.isTrue(reply.body.equals(readFileSync(join(root, path))), path)
        }
        for (const needed of [
          "v1/log/checkpoint",
          `v1/log/tile/entries/000.p/${size}`,
          `v1/log/tile/0/000.p/${size}`,
          "v1/log/batches/2026-09-02/leaves",
          "v1/log/batches/2026-09-02/absent",
          "v1/archive/daily/2026/09/03.parquet",
          "v1/archive/iceberg/metadata/version-hint.text",
          "v1/archive/iceberg/metadata/v3.metadata.json",
          ".well-known/service-signing-key.json"
        ])
          assert.include(paths, needed)
        const second = yield* publish(place, silent)
        assert.deepInclude(second, { size, written: 0, present: paths.length })
        assert.deepInclude(yield* checkPlace(place, silent), { size, written: 0, faults: [] })
      })
    )

    it.effect.skipIf(missing("nginx"))("is followed and mirrored through nginx like the service", () =>
      Effect.gen(function* () {
        const base = yield* nginx(root, yield* Effect.promise(freePort))
        const source = served(patient(get, { wait: () => Promise.resolve() }), base)
        const now = Date.parse("2026-09-04T08:00:00Z")
        const watch = (at: number, state?: State) =>
          Effect.promise(() =>
            look(
              {
                trust: {},
                source,
                now: () => at,
                random: () => 0,
                say: () => undefined,
                checked: () => Promise.resolve()
              },
              state
            )
          )
        const first = yield* watch(now)
        assert.deepStrictEqual([first.findings, first.counts.batches], [[], 3])
        yield* closeDay("2026-09-04")
        assert.isAbove((yield* publish(place, silent)).written, 0)
        const next = yield* watch(now + 24 * hour, first.state)
        assert.deepStrictEqual(next.findings, [])
        assert.strictEqual(next.counts.size, (yield* (yield* Log).served).size)
        const copy = mkdtempSync(join(tmpdir(), "plumbline-copy-"))
        const copied = yield* Effect.promise(() =>
          mirror(source, copy, {
            trust: {},
            now: () => now + 24 * hour,
            random: () => 0,
            say: () => undefined
          })
        )
        assert.deepStrictEqual(copied.findings, [])
        const leaves = "v1/log/batches/2026-09-04/leaves"
        assert.isTrue(readFileSync(join(copy, leaves)).equals(readFileSync(join(root, leaves))))
        const answer = yield* Effect.promise(() => fetch(`${base}/${leaves}`))
        assert.deepStrictEqual(
          ["content-type", "cache-control", "access-control-allow-origin"].map((name) =>
            answer.headers.get(name)
          ),
          ["application/x-ndjson", "public, max-age=31536000, immutable", "*"]
        )
        const head = yield* Effect.promise(() => fetch(`${base}/v1/log/checkpoint`))
        assert.include(head.headers.get("cache-control"), "must-revalidate")
      })
    )

    it.effect("is compared by hash, and repaired", () =>
      Effect.gen(function* () {
        const [leaves, tile] = ["v1/log/batches/2026-09-02/leaves", "v1/log/tile/0/000.p/"]
        yield* publish(place, silent)
        const { size } = yield* (yield* Log).served
        flip(join(root, leaves))
        rmSync(join(root, `${tile}${size}`))
        const { faults } = yield* checkPlace(place, silent)
        assert.deepStrictEqual(faults.map(({ fault, path }) => `${path} ${fault}`).sort(), [
          `${leaves} damaged`,
          `${tile}${size} missing`
        ])
        // What is there is not looked at again, unless it is asked for.
        assert.strictEqual((yield* publish(place, silent)).written, 1)
        assert.strictEqual(
          (yield* publish(place, silent, new Set(faults.map(({ path }) => path)))).written,
          2
        )
        assert.deepStrictEqual((yield* checkPlace(place, silent)).faults, [])
        // A head that this log never signed is of another one.
        const checkpoint = join(root, "v1/log/checkpoint")
        const note = readFileSync(checkpoint, "utf8")
        writeFileSync(checkpoint, note.replace(/\n[A-Za-z0-9+/]{43}=\n/, `\n${"A".repeat(43)}=\n`))
        assert.match((yield* Effect.flip(checkPlace(place, silent))).message, /never signed/)
        writeFileSync(checkpoint, note)
      })
    )

    it.effect("gets no head whose files are missing", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const before = readFileSync(join(root, "v1/log/checkpoint"), "utf8")
        yield* closeDay("2026-09-05")
        yield* sql`create table kept_leaf as select * from leaf where day = '2026-09-05'`
        yield* sql`delete from leaf where day = '2026-09-05' and series is not null`
        const { faults, size } = yield* publish(place, silent)
        assert.deepStrictEqual(
          faults.map(({ path }) => path),
          ["v1/log/batches/2026-09-05/leaves"]
        )
        assert.strictEqual(readFileSync(join(root, "v1/log/checkpoint"), "utf8"), before)
        const checked = yield* checkPlace(place, silent)
        assert.deepStrictEqual([checked.size, checked.faults], [size, []])
        yield* sql`insert into leaf select * from kept_leaf where series is not null`
        assert.deepInclude(yield* publish(place, silent), {
          faults: [],
          size: (yield* (yield* Log).served).size
        })
      })
    )

    it.effect("is the same in a bucket, whose checkpoint is written last", () =>
      Effect.gen(function* () {
        // The store compares the clocks.
        yield* TestClock.setTime(Date.now())
        const server = yield* bucketServer([bucket])
        const store = yield* ObjectStore.make(placeOf(server, { prefix: "public/" }))
        const inBucket = bucketPlace(`s3://${bucket}/public`, store)
        const done = yield* publish(inBucket, silent)
        assert.deepStrictEqual(done.faults, [])
        const hint = readFileSync(join(root, "v1/archive/iceberg/metadata/version-hint.text"), "utf8")
        assert.deepStrictEqual(
          [...(yield* inBucket.list)].sort(),
          [...(yield* place.list)].filter((path) => inBucketToo(path, done.size, hint)).sort()
        )
        const puts = server.requests.filter((request) => request.startsWith("PUT"))
        assert.match(puts.at(-1) ?? "", /\/v1\/log\/checkpoint$/)
        assert.strictEqual((yield* publish(inBucket, silent)).written, 0)
        const key = [...server.objects.keys()].find((name) => name.endsWith("/2026-09-01/leaves")) ?? ""
        server.objects.set(key, Buffer.from("other"))
        const { faults } = yield* checkPlace(inBucket, silent)
        assert.deepStrictEqual(faults, [{ path: "v1/log/batches/2026-09-01/leaves", fault: "damaged" }])
      })
    )
  })
})

/**
 * Whether a file of the folder is in a place that had nothing before: partial tiles of earlier heads and earlier versions of the
 * table are not.
 */
const inBucketToo = (path: string, size: number | undefined, version: string): boolean =>
  path.endsWith(".metadata.json")
    ? path.endsWith(`/v${version}.metadata.json`)
    : !/\.p\/\d+$/.test(path) || path.endsWith(`.p/${size}`)
