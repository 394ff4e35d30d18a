/** The commands of the operator's page, as it writes them. */
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { plumbline } from "../support/plumbline.ts"
import { ran } from "../support/tools.ts"

const top = new URL("../../", import.meta.url).pathname
const page = readFileSync(join(top, "runtime/deploy/README.md"), "utf8")

describe("the operator's page", () => {
  it.live(
    "has a rehearsal of a restore that works",
    () =>
      Effect.gen(function* () {
        const folder = mkdtempSync(join(tmpdir(), "plumbline-rehearsal-"))
        const env = {
          PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
          DATA_DIR: join(folder, "data"),
          SAVED: join(folder, "saved"),
          ELSEWHERE: join(folder, "elsewhere")
        }
        mkdirSync(env.DATA_DIR, { mode: 0o700 })
        yield* plumbline(folder, env, "key", "new")
        const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(page) ?? []
        assert.strictEqual(block.trim().split("\n").length, 3)
        const bin = `${process.execPath} ${join(top, "runtime/bin.ts")}`
        const { out, status } = ran("sh", ["-ec", block.replaceAll("npx plumbline", bin)], {
          cwd: folder,
          env
        })
        assert.strictEqual(status, 0, out)
        assert.match(out, /private files: .*\n[\s\S]*restored the backup of [\s\S]*nothing found/)
      }),
    60_000
  )

  it("names commands, scripts and settings that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(top, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    for (const [, script = ""] of page.matchAll(/`npm run ([\w:]+)/g)) assert.property(scripts, script)
    const { out } = ran(process.execPath, [join(top, "runtime/bin.ts"), "--help"])
    for (const [, command = ""] of page.matchAll(/npx plumbline (\w+)/g)) assert.include(out, `  ${command} `)
    const settings = readFileSync(join(top, "runtime/service/settingsHelp.ts"), "utf8")
    for (const [, name = ""] of page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)) assert.include(settings, name)
  })
})
