/** SIGHUP on a running service: it takes over what may change, names what needs a restart, and changes nothing that is wrong. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { noteKeyText } from "../../core/proof/checkpoint.ts"
import { cosignerOf } from "../../core/proof/cosignature.ts"
import { cloneUrl } from "../support/database.ts"
import { publicKeyOf } from "../support/ed25519.ts"
import { fleet, serves } from "../support/fleet.ts"
import { until } from "../support/until.ts"

const witness = noteKeyText(cosignerOf("witness.example/w1", publicKeyOf(new Uint8Array(32).fill(1))))

it.live(
  "a service reads its settings again at SIGHUP",
  () =>
    Effect.gen(function* () {
      const group = yield* fleet(yield* cloneUrl, { every: "1 second" })
      const file = join(group.folder, "settings")
      const write = (...lines: ReadonlyArray<string>) =>
        writeFileSync(file, `# a comment\n${lines.join("\n")}\n`)
      write("LOG_LEVEL=warn", "SUPPLY_SAMPLE=12")
      const member = yield* group.start("a", { SETTINGS_FILE: file })
      yield* serves(member)
      assert.notInclude(member.output(), "INFO", "the file counts from the start")
      /** Sends the signal, and gives the line that it leads to. */
      const reload = Effect.suspend(() => {
        const before = member.output().length
        member.child.kill("SIGHUP")
        return until(() => /^.* the settings were read again.*$/m.exec(member.output().slice(before))?.[0])
      })

      write("LOG_LEVEL=debug", `WITNESSES="${witness} http://127.0.0.1:9"`, "SUPPLY_SAMPLE=7", "STRANGE=1")
      const changed = yield* reload
      assert.include(changed, "WARN")
      assert.include(changed, 'changed="LOG_LEVEL, WITNESSES" needs_restart="STRANGE, SUPPLY_SAMPLE"')
      yield* until(() => member.output().includes("DEBUG"))
      const metrics = Effect.promise(() => fetch(`${member.base}/metrics`).then((answer) => answer.text()))
      while (!(yield* metrics).includes('plumbline_witness_failing{witness="w1"}')) {
        yield* Effect.sleep("100 millis")
      }

      write("LOG_LEVEL=error", "OTS_CALENDARS=https://a.example,ftp://b.example")
      const refused = yield* reload
      assert.match(refused, /ERROR .*nothing was changed.*OTS_CALENDARS/)
      write("LOG_LEVEL=error", "WITNESSES=/nowhere")
      assert.match(yield* reload, /ERROR .*nothing was changed.*WITNESSES: the policy file ..?\/nowhere/)

      write("LOG_LEVEL=debug", `WITNESSES="${witness} http://127.0.0.1:9"`)
      assert.match(yield* reload, /INFO .*changed=nothing needs_restart=nothing/)
      write("LOG_LEVEL=error")
      assert.include(yield* reload, 'changed="LOG_LEVEL, WITNESSES"')
      assert.strictEqual(member.child.exitCode, null)
    }),
  120_000
)
