/** What the page of `core/proof` says that anybody can repeat, typed as it stands on a demo; and a demo behind another name on Postgres. */
import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { emptyUrl } from "../support/database.ts"
import { onPostgres, startDemo } from "../support/demo.ts"
import { plumbline } from "../support/plumbline.ts"

const top = new URL("../..", import.meta.url).pathname
const page =
  readFileSync(join(top, "core/proof/README.md"), "utf8").split("## Three things to repeat")[1] ?? ""
/** The commands after a bold title of the page. */
const commandsOf = (title: string): ReadonlyArray<string> => {
  const [text = ""] = page.split(`**${title}`).slice(1)
  return [...(text.split("\n**")[0] ?? "").matchAll(/^ {4}(.*)$/gm)].map(([, line = ""]) => line)
}
/** A day that is closed early, in place of the one that the page names. */
const early = "20260808"

describe("the page of the verifier", () => {
  it("names a test that exists for the changed line", () => {
    const [line = ""] = commandsOf("`verify value` on a service")
    assert.isTrue(existsSync(join(top, line.split(" ").at(-1) ?? "")), line)
  })

  it.live(
    "has commands that end as it says: the verifier of 1.0.0, and a purchase that rights refuse",
    () =>
      Effect.gen(function* () {
        const { base, keys } = yield* startDemo("closed 2026-08-09", { SIMULATED_PERMISSIONS: "false" })
        // What the commands write stays out of the checkout.
        const folder = mkdtempSync(join(tmpdir(), "plumbline-repeat-"))
        for (const name of ["test", "node_modules", "package.json"])
          symlinkSync(join(top, name), join(folder, name))
        const typed = (lines: ReadonlyArray<string>) =>
          Effect.promise(() =>
            promisify(execFile)(
              "bash",
              [
                "-euc",
                lines
                  .join("\n")
                  .replaceAll("http://127.0.0.1:8080", base)
                  .replaceAll("<key for answers>", keys.answers)
                  .replaceAll("<key of the log>", keys.log)
                  .replaceAll("20260903", early)
              ],
              { cwd: folder }
            )
          )
        const released = commandsOf("The verifier of 1.0.0")
        assert.lengthOf(released, 3)
        const { stdout } = yield* typed(released)
        assert.strictEqual(stdout.match(/^holds$/gm)?.length, 2, stdout)
        const refused = yield* typed(commandsOf("A purchase that rights refuse"))
        const answer = JSON.parse(refused.stdout)
        assert.deepInclude(answer, { status: 403, error: "not_for_resale" })
        assert.match(answer.message, /^run .* allow its payloads to be resold; .* Nothing was charged\.$/)
      }),
    300_000
  )
})

describe("a demo on Postgres behind another name", () => {
  it.live(
    "is not called altered at the address of its process",
    () =>
      Effect.gen(function* () {
        const own = "plumbline.test"
        const settings = yield* onPostgres(yield* emptyUrl, `https://${own}`)
        const { base, folder, keys } = yield* startDemo("closed 2026-08-09", settings)
        const verify = (...args: ReadonlyArray<string>) =>
          plumbline(
            folder,
            { PATH: process.env["PATH"] ?? "", HOME: folder, ESPLORA_URL: "http://127.0.0.1:9" },
            ...["verify", ...args],
            `--key=${keys.answers}`,
            `--key=${keys.log}`
          )
        const value = ["value", "--symbol", "FIL", "--metric", "active_storage_providers", "--date", early]
        for (const [exit, ...command] of [
          [2, "response", `${base}/v1/supply?network=FIL`],
          [0, ...value, "--url", base]
        ] as const) {
          const addressed = yield* verify(...command)
          assert.strictEqual(addressed.code, exit, addressed.out)
          assert.include(addressed.out, `pass --authority ${own}`)
          const named = yield* verify(...command, "--authority", own)
          assert.strictEqual(named.code, 0, named.out)
        }
      }),
    300_000
  )
})
