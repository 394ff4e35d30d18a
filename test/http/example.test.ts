/** The commands of `core/README.md` for a running service, run exactly as they are printed against one. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { promisify } from "node:util"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as DataClock from "../../core/clock/DataClock.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Sources } from "../../core/log/Sources.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as CodeHash from "../../runtime/collector/codeHash.ts"
import { Keyring } from "../../runtime/service/Keyring.ts"
import { rotateLog } from "../../runtime/service/newKeys.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const top = new URL("../..", import.meta.url).pathname
const page = readFileSync(`${top}core/README.md`, "utf8")
const section = (title: string) => (page.split(`\n## ${title}\n`)[1] ?? "").split("\n## ")[0] ?? ""
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, block]) => block ?? "")

const runningSection = section("The same with a running service")
/** What the page has the reader type before, in the same shell: the folder and the functions. */
const before = [
  blocks(section("Worked example"), "sh")[0] ?? "",
  ...blocks(section("Worked example"), "sh").flatMap((block) => block.match(/^header\(\).*$/m) ?? [])
].join("\n")

const run = (script: string, port: number) =>
  Effect.promise(() =>
    promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], {
      cwd: top,
      env: { ...process.env, service: `http://127.0.0.1:${port}` }
    })
  ).pipe(Effect.map(({ stdout }) => stdout))

layerNeeding("curl", "openssl")(Service.layer())("the commands for a running service", (it) => {
  const served = Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 8, 5, 8))
    const settings = { rpc_url: "https://node.example/rpc", depth: "3" }
    const files = ["plugins/made-up/index.ts", "core/plugin/Value.ts"].map((path) => {
      const bytes = new TextEncoder().encode(path)
      return { path, bytes, size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") }
    })
    const code_hash = CodeHash.codeHash(files, settings)
    yield* (yield* Sources).keep(
      { code_hash, plugin: "made-up", files: files.map(({ bytes: _, ...file }) => file), settings },
      () => Effect.succeed(new Uint8Array()),
      0
    )
    const row = (symbol: string, day: number, hour: number) =>
      Runs.row(day * 100 + hour, `2026-09-0${day}T0${hour}:00:00Z`, {
        symbol,
        metric: "active_storage_providers",
        source: "made-up"
      })
    const delivery = Runs.delivery(
      Date.UTC(2026, 8, 4),
      ["GEOD", "FIL"].flatMap((symbol) => [
        row(symbol, 1, 1),
        row(symbol, 2, 1),
        row(symbol, 3, 1),
        row(symbol, 3, 2)
      ]),
      "made-up"
    )
    yield* (yield* Ingest).write({ ...delivery, run: { ...delivery.run, code_hash, settings } })
    yield* (yield* DailyClose).run
    return yield* Service
  })

  it.effect("print what the page says", () =>
    Effect.gen(function* () {
      const { port } = yield* served
      const printed = yield* run([before, ...blocks(runningSection, "sh")].join("\n"), port)
      assert.strictEqual(printed, blocks(runningSection, "text").join(""))
      assert.isAtLeast(blocks(runningSection, "sh").length, 4)
    })
  )

  it.effect("print the same once both keys were rotated", () =>
    Effect.gen(function* () {
      const { port } = yield* served
      yield* (yield* Keyring).rotateAnswers
      yield* rotateLog(yield* DataClock.now)
      const printed = yield* run([before, ...blocks(runningSection, "sh")].join("\n"), port)
      assert.strictEqual(printed, blocks(runningSection, "text").join(""))
    })
  )

  it.effect("find a changed leaf", () =>
    Effect.gen(function* () {
      const { port } = yield* served
      const forged = [before, ...blocks(runningSection, "sh").slice(0, 2)]
        .join("\n")
        .replace("text leaf > leaf.json", "text leaf | sed s/302/303/ > leaf.json")
      const printed = yield* run(forged, port)
      assert.strictEqual(printed, "batch: in the log\n")
    })
  )
})
