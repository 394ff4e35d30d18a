/** The recipes of the documentation, typed as they stand: those whose tools are here. */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
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
import { missing, pathOf } from "../support/programs.ts"
import { readCsv } from "../support/readCsv.ts"
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

/** What the recipes of a service say for a tool, in a language. */
const textsOf = (base: string, tool: string, language: string): ReadonlyArray<string> =>
  recipes(base, fixtureNow)
    .filter((recipe) => recipe.tool === tool)
    .flatMap(({ blocks }) => blocks.flatMap(([one, text]) => (one === language ? [text] : [])))

interface Target {
  readonly url: string
  readonly columns: ReadonlyArray<{ readonly selector: string; readonly type: string }>
}
const board = JSON.parse(
  readFileSync(new URL("../../runtime/deploy/infinity.json", import.meta.url), "utf8")
) as { readonly panels: ReadonlyArray<{ readonly targets: ReadonlyArray<Target> }> }

/** What a text must be to be of a column's type. */
const ofType: Readonly<Record<string, (text: string) => boolean>> = {
  timestamp: (text) => !Number.isNaN(Date.parse(text)),
  number: (text) => text !== "" && Number.isFinite(Number(text)),
  string: (text) => text !== ""
}

layerNeeding("counterparties", "curl", "python's cryptography")(SettledService.layer)(
  "the recipes, on a settled service",
  (it) => {
    it.effect("for curl, DuckDB and Python give the same days, typed as they stand", () =>
      Effect.gen(function* () {
        const { base } = yield* SettledService
        const of = (tool: string, language: string) => textsOf(base, tool, language)
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

    it.effect.skipIf(missing("python's pandas"))("for pandas give a table of days by network", () =>
      Effect.gen(function* () {
        const { base } = yield* SettledService
        const [text = ""] = textsOf(base, "pandas", "python (pandas)")
        const { stdout } = yield* Effect.promise(() => promisify(execFile)(pathOf("python"), ["-c", text]))
        const [head = "", , ...days] = stdout.trimEnd().split("\n")
        assert.deepStrictEqual(head.trim().split(/\s+/), ["symbol", "FIL", "SC"])
        assert.deepStrictEqual(
          days.map((line) => line.split(/\s+/)),
          closedDays.map((day) => [day, ...providers(day).map(({ value }) => String(value))])
        )
      })
    )

    it.effect.skipIf(missing("r"))("for R give the median of each network", () =>
      Effect.gen(function* () {
        const { base } = yield* SettledService
        const [text = ""] = textsOf(base, "R", "r")
        const { stdout } = yield* Effect.promise(() => promisify(execFile)(pathOf("r"), ["-e", text]))
        const middle = providers(closedDays[1]).map(({ symbol, value }) => [symbol, String(value)])
        assert.deepStrictEqual(
          stdout
            .trimEnd()
            .split("\n")
            .slice(1)
            .map((line) => line.split(/\s+/).slice(1)),
          middle
        )
      })
    )

    it.effect.skipIf(missing("libreoffice"))("for LibreOffice give a spreadsheet with the same numbers", () =>
      Effect.gen(function* () {
        const { base } = yield* SettledService
        const folder = mkdtempSync(join(tmpdir(), "plumbline-sheet-"))
        const run = promisify(execFile)
        // Its profile is in the home.
        const options = { cwd: folder, env: { PATH: process.env["PATH"], HOME: folder } }
        const text = yield* Effect.promise(async () => {
          for (const text of textsOf(base, "LibreOffice", "sh (libreoffice)"))
            await run("bash", ["-euc", text], options)
          await run(
            pathOf("libreoffice"),
            ["--headless", "--convert-to", "csv", join(folder, "history.xlsx")],
            options
          )
          return readFileSync(join(folder, "history.csv"), "utf8")
        })
        rmSync(folder, { recursive: true })
        // LibreOffice ends its lines as Linux does.
        const { rows } = yield* readCsv(Buffer.from(text.replaceAll("\n", "\r\n")))
        assert.deepStrictEqual(
          rows.map(({ symbol, value }) => [symbol, value]),
          ["FIL", "SC"].flatMap((symbol) =>
            closedDays.map((day) => [
              symbol,
              String(providers(day).find((one) => one.symbol === symbol)?.value)
            ])
          )
        )
      })
    )

    // Neither program is available: their part is done by the rules of CSV (RFC 4180).
    it.effect("for a spreadsheet and for Grafana name tables with the columns that they read", () =>
      Effect.gen(function* () {
        const { base } = yield* SettledService
        const { call } = yield* Service
        const table = (url: string) =>
          Effect.flatMap(call(url.replace(base, "")), ({ body, headers, status }) => {
            assert.deepStrictEqual([status, headers["content-type"]], [200, "text/csv; charset=utf-8"], url)
            return readCsv(body)
          })
        const [formula = ""] = textsOf(base, "Google Sheets", "text")
        const [, imported = ""] = /^=IMPORTDATA\("([^"]+)"\)$/.exec(formula) ?? []
        assert.lengthOf((yield* table(imported)).rows, 2 * closedDays.length)
        const values: Readonly<Record<string, string>> = {
          base,
          networks: "FIL,SC",
          metric: "active_storage_providers"
        }
        for (const { columns, url } of board.panels.flatMap(({ targets }) => targets)) {
          const { rows } = yield* table(url.replace(/\$\{(\w+)\}/g, (_, name) => values[name] ?? ""))
          assert.isNotEmpty(rows, url)
          for (const row of rows)
            for (const { selector, type } of columns)
              assert.isTrue(
                ofType[type]?.(String(row[selector] ?? "")),
                `${url}: ${selector} ${row[selector]}`
              )
        }
      })
    )
  }
)
