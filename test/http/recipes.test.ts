/** The recipes of the documentation, typed as they stand: those whose tools are here. */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { recipes } from "../../http/pages/docs/recipes.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { fixtureNow } from "../support/fixtureRows.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { pathOf } from "../support/programs.ts"
import { baseUrl, Service } from "../support/service.ts"
import { closedDays, providers, SettledService } from "../support/settled.ts"

const sources = fileURLToPath(new URL("../../http/client/python/src", import.meta.url))

layer(Service.layer())("the recipes", (it) => {
  it.effect("name networks that have the metric, and a day of the archive that is over", () =>
    Effect.gen(function* () {
      const plugins = yield* Plugins.all()
      const covered = new Set(
        plugins
          .filter(({ manifest }) => "active_storage_providers" in manifest.metrics)
          .flatMap(({ manifest }) => ("networks" in manifest.covers ? manifest.covers.networks : []))
      )
      for (const symbol of ["FIL", "SC"]) assert.isTrue(covered.has(symbol), symbol)
      const texts = (now: number) => JSON.stringify(recipes(baseUrl, now))
      assert.include(texts(fixtureNow), "network=FIL,SC&metric=active_storage_providers")
      assert.include(texts(fixtureNow), "/v1/archive/daily/2026/09/03.parquet")
      assert.include(texts(Date.UTC(2027, 0, 1, 3)), "/v1/archive/daily/2026/12/30.parquet")
    })
  )
})

layerNeeding("counterparties", "curl", "python's cryptography")(SettledService.layer)(
  "the recipes, on a settled service",
  (it) => {
    it.effect("for curl, DuckDB and Python give the same days, typed as they stand", () =>
      Effect.gen(function* () {
        const { base } = yield* SettledService
        const texts = new Map(recipes(base, fixtureNow).map(({ blocks, tool }) => [tool, blocks]))
        const of = (tool: string, language: string) =>
          (texts.get(tool) ?? []).filter(([one]) => one === language).map(([, text]) => text)
        const folder = mkdtempSync(join(tmpdir(), "plumbline-recipes-"))
        const run = promisify(execFile)
        yield* Effect.promise(async () => {
          for (const text of of("A file", "sh")) await run("bash", ["-euc", text], { cwd: folder })
          const duck = await DuckDBInstance.create(":memory:", { file_search_path: folder })
          const connection = await duck.connect()
          const answers: Array<unknown> = []
          for (const sql of of("DuckDB", "sql")) {
            answers.push((await connection.runAndReadAll(sql)).getRowsJson())
          }
          connection.closeSync()
          const days = ["FIL", "SC"].flatMap((symbol) =>
            closedDays.map((day) => [
              symbol,
              day,
              String(providers(day).find((one) => one.symbol === symbol)?.value)
            ])
          )
          assert.deepStrictEqual(answers, [
            days,
            [
              ["FIL", "4"],
              ["SC", "4"]
            ]
          ])
          for (const text of of("Python", "python")) {
            const env = { PYTHONPATH: sources, PYTHONDONTWRITEBYTECODE: "1" }
            const { stdout } = await run(pathOf("python"), ["-c", text], { env })
            assert.strictEqual(stdout, "6 ['FIL', 'SC']\n")
          }
        })
        rmSync(folder, { recursive: true })
      })
    )
  }
)
