/** Files of the archive that were damaged on the disk: they are found, kept aside, and made again from their leaves. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Archive } from "../../core/log/archive/Archive.ts"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { faultsOf, requireIntact } from "../../core/log/archive/requireIntact.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { archivedFile } from "../../core/log/read/archive.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import * as Archives from "../support/archive.ts"
import { onBothEngines } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

const at = (time: string) => Date.parse(`2026-09-${time}Z`)

onBothEngines("a damaged file of the archive", (database) => {
  const services = Archives.layer(Archives.inFolder).pipe(
    Layer.provideMerge(DailyClose.layer),
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(at("02T00:00:00"))))),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(database)
  )

  layer(services)((it) => {
    it.effect("is refused, and made again as it was, also where it was removed or cut", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(at("01T12:00:00"))
        const { write } = yield* Ingest
        yield* write(Runs.delivery(at("01T12:00:00"), [Runs.row(1, "2026-09-01T10:00:00Z")]))
        yield* TestClock.setTime(at("02T08:00:00"))
        yield* (yield* DailyClose).run
        const archive = yield* Archive
        yield* archive.run
        const files = yield* ArchiveFiles
        const folder = join(files.folder ?? "", "daily/2026/09")
        const [name = ""] = readdirSync(folder)
        const path = join(folder, name)
        const whole = readFileSync(path)
        const file = yield* archivedFile("daily/2026/09/01.parquet")
        yield* requireIntact(files, file)

        const flipped = Buffer.from(whole)
        flipped.fill(0xff, 100, 104)
        writeFileSync(path, flipped)
        const { message } = yield* Effect.flip(requireIntact(files, file))
        assert.match(message, /01\.[0-9a-f]{64}\.parquet is damaged: /)
        assert.deepStrictEqual([...faultsOf(files).keys()], [file.name])
        yield* archive.run
        assert.isTrue(readFileSync(path).equals(whole))
        assert.strictEqual(faultsOf(files).size, 0)
        const [aside = ""] = readdirSync(folder).filter((one) => one.includes(".damaged-"))
        assert.isTrue(readFileSync(join(folder, aside)).equals(flipped))

        // Nobody asked for it: the next look finds it.
        rmSync(path)
        yield* archive.run
        assert.isTrue(readFileSync(path).equals(whole))
        assert.strictEqual(faultsOf(files).size, 0)
      })
    )
  })
})
