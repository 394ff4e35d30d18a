/** `plumbline witness` as an operator meets it. */
import { existsSync, mkdtempSync, readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parseCosigner } from "../../core/proof/cosignature.ts"
import { plumbline } from "../support/plumbline.ts"

describe("plumbline witness", () => {
  it.live(
    "creates a witness once, says what to do next, and refuses in one line what it cannot do",
    () =>
      Effect.gen(function* () {
        const cwd = mkdtempSync(join(tmpdir(), "plumbline-command-"))
        const run = (...args: ReadonlyArray<string>) =>
          plumbline(cwd, { HOME: cwd, PATH: process.env["PATH"] ?? "" }, "witness", ...args)
        const created = yield* run("new", "w", "--name", "witness.example/w1")
        assert.strictEqual(created.code, 0, created.err)
        const vkey = /created witness (\S+)/.exec(created.out)?.[1] ?? ""
        assert.strictEqual(parseCosigner(vkey).name, "witness.example/w1")
        assert.include(readFileSync(join(cwd, "w/state.json"), "utf8"), vkey)
        assert.strictEqual(statSync(join(cwd, "w/key.pem")).mode & 0o777, 0o600)
        const key = readFileSync(join(cwd, "w/key.pem"), "utf8")

        const again = yield* run("new", "w", "--name", "witness.example/w2")
        assert.strictEqual(again.code, 1)
        assert.match(again.err, /^plumbline: \S+ already contains a witness and was not changed; [^\n]*\n$/)
        assert.strictEqual(readFileSync(join(cwd, "w/key.pem"), "utf8"), key)

        const odd = yield* run("new", "other", "--name", "a b+c")
        assert.match(odd.err, /^plumbline: --name "a b\+c" cannot be the name of a witness[^\n]*\n$/)
        assert.isFalse(existsSync(join(cwd, "other")))

        const nowhere = yield* run("serve", "nowhere")
        assert.strictEqual(nowhere.code, 1)
        assert.match(
          nowhere.err,
          /^plumbline: \S+ does not exist; create a witness with: (npx plumbline|node \S+) witness new[^\n]*\n$/
        )

        const help = yield* run("--help")
        for (const word of ["witness new", "witness serve", "Never restore"]) assert.include(help.out, word)
      }),
    120_000
  )
})
