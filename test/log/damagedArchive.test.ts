/** Files of the archive that were damaged: they are found, kept aside, and made again; none is made of damaged leaves. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Archive } from "../../core/log/archive/Archive.ts"
import { ArchiveFiles, keyOf } from "../../core/log/archive/ArchiveFiles.ts"
import { faultsOf, requireIntact } from "../../core/log/archive/requireIntact.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { archivedFile } from "../../core/log/record/archive.ts"
import type { Terms } from "../../core/plugin/Manifest.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Archives from "../support/archive.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as Runs from "../support/runs.ts"

const at = (time: string) => Date.parse(`2026-09-${time}Z`)

onBothEngines("a damaged file of the archive", (database) => {
  let terms: Terms = {
    read: "2026-08-01",
    licence: "CC-BY-4.0",
    show: "yes",
    bulk: "yes",
    sell: "yes",
    bodies: "yes",
    attribution: "Data: Example"
  }
  const services = Archives.layer(Archives.inFolder).pipe(
    Layer.provideMerge(DailyClose.layer),
    Layer.provideMerge(
      logged(
        database,
        Date.UTC(2026, 9, 2),
        Runs.feedsUnder(() => terms)
      )
    )
  )

  const closeDay = Effect.fnUntraced(function* (day: string, value: number) {
    yield* TestClock.setTime(at(`${day}T12:00:00`))
    yield* (yield* Ingest).write(
      Runs.delivery(at(`${day}T12:00:00`), [Runs.row(value, `2026-09-${day}T10:00:00Z`)])
    )
    yield* TestClock.setTime(at(`${day}T12:00:00`) + 20 * 3_600_000)
    yield* (yield* DailyClose).run
  })

  /** The path of the file of a day, and its bytes. */
  const fileOf = Effect.fnUntraced(function* (day: string) {
    const file = yield* archivedFile(`daily/2026/09/${day}.parquet`)
    const path = join((yield* ArchiveFiles).folder ?? "", keyOf(file.name, file.sha256))
    return { file, path, whole: readFileSync(path) }
  })

  layer(services)((it) => {
    it.effect("is refused, and made again as it was, whatever was done to it", () =>
      Effect.gen(function* () {
        yield* closeDay("01", 1)
        yield* closeDay("02", 2)
        const archive = yield* Archive
        assert.lengthOf(yield* archive.run, 2)
        const files = yield* ArchiveFiles
        const { file, path, whole } = yield* fileOf("01")
        const other = yield* fileOf("02")
        yield* requireIntact(files, file)
        // It is made again as it was made, not as it would be made under what is known today.
        terms = { ...terms, licence: "proprietary", attribution: "Example" }

        const flipped = Buffer.from(whole)
        flipped[100] = ~(flipped[100] ?? 0)
        for (const [what, damage] of [
          ["one byte", () => writeFileSync(path, flipped)],
          ["cut", () => writeFileSync(path, whole.subarray(0, -1))],
          ["removed", () => rmSync(path)],
          ["the file of another day", () => writeFileSync(path, other.whole)]
        ] as const) {
          damage()
          yield* Effect.flip(requireIntact(files, file))
          assert.deepStrictEqual([...faultsOf(files).keys()], [file.name], what)
          yield* archive.run
          assert.isTrue(readFileSync(path).equals(whole), what)
          assert.strictEqual(faultsOf(files).size, 0, what)
          // Nobody asked for it: the next look finds it.
          damage()
          yield* archive.run
          assert.isTrue(readFileSync(path).equals(whole), what)
        }
        const aside = readdirSync(dirname(path)).filter((one) => one.includes(".damaged-"))
        assert.isTrue(aside.some((one) => readFileSync(join(dirname(path), one)).equals(flipped)))
      })
    )

    it.effect("is found within a day where the disk changed it without a word", () =>
      Effect.gen(function* () {
        const { file, path, whole } = yield* fileOf("01")
        const files = yield* ArchiveFiles
        /** The same disk, whose stamps say nothing. */
        const silent = ArchiveFiles.of({ ...files, stamp: () => Effect.succeed("the same") })
        const dayAgo = Effect.map(Clock.currentTimeMillis, (now) => now - 86_400_000)
        yield* requireIntact(silent, file)
        writeFileSync(path, Buffer.from(whole).fill(0xff, 100, 104))
        yield* requireIntact(silent, file, yield* dayAgo)
        yield* TestClock.adjust("25 hours")
        const { message } = yield* Effect.flip(requireIntact(silent, file, yield* dayAgo))
        assert.match(message, /01\.[0-9a-f]{64}\.parquet is damaged: /)
        writeFileSync(path, whole)
      })
    )

    it.effect("is not made of leaves that the log does not commit to, and the archive waits", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const archive = yield* Archive
        const files = yield* ArchiveFiles
        yield* closeDay("03", 3)
        yield* closeDay("04", 4)
        yield* sql`create table kept_leaf as select * from leaf`
        const restore = Effect.andThen(sql`delete from leaf`, sql`insert into leaf select * from kept_leaf`)
        const [name, served] = ["daily/2026/09/03.parquet", "/v1/log/batches/2026-09-03/leaves"]
        const leafOfThird = sql`strpos(text, '"day":"2026-09-03"') > 0 and series is not null`
        const other = `replace(text, '"value":3,', '"value":5,')`
        for (const [alter, says] of [
          [sql`update leaf set text = ${sql.literal(other)} where ${leafOfThird}`, /does not have its hash/],
          [
            sql`update leaf set text = ${sql.literal(other)},
              hash = sha256('\\x00'::bytea || convert_to(${sql.literal(other)}, 'UTF8')) where ${leafOfThird}`,
            /have the root/
          ],
          [sql`delete from leaf where ${leafOfThird}`, /have the root/]
        ] as const) {
          yield* alter
          assert.deepStrictEqual(yield* archive.run, [])
          assert.match(faultsOf(files).get(name) ?? "", says)
          assert.match(faultsOf(files).get(name) ?? "", /bring the leaves back from a backup/)
          // A day's leaves are compared in turn, ten minutes apart.
          for (let day = 0; day < 5; day++) {
            yield* TestClock.adjust("10 minutes")
            yield* archive.run
          }
          assert.isTrue(faultsOf(files).has(served))
          yield* restore
        }
        assert.deepStrictEqual(yield* archive.run, [name, "daily/2026/09/04.parquet"])
        assert.isFalse(faultsOf(files).has(name))
        for (let day = 0; day < 5; day++) {
          yield* TestClock.adjust("10 minutes")
          yield* archive.run
        }
        assert.strictEqual(faultsOf(files).size, 0)
      })
    )

    it.effect("of a month is not made of other leaves than those of its days", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const archive = yield* Archive
        const files = yield* ArchiveFiles
        for (let day = 5; day <= 30; day++) yield* closeDay(String(day).padStart(2, "0"), day)
        yield* sql`drop table kept_leaf`
        yield* sql`create table kept_leaf as select * from leaf where day = '2026-09-03' and series is not null`
        assert.strictEqual((yield* archive.run).at(-1), "monthly/2026/09.parquet")
        yield* sql`delete from archive_file where period = 'month'`
        yield* sql`delete from leaf where day = '2026-09-03' and series is not null`
        assert.deepStrictEqual(yield* archive.run, [])
        assert.match(
          faultsOf(files).get("monthly/2026/09.parquet") ?? "",
          /stored leaves of 2026-09-03 have the root/
        )
        yield* sql`insert into leaf select * from kept_leaf`
        assert.deepStrictEqual(yield* archive.run, ["monthly/2026/09.parquet"])
      })
    )
  })
})
