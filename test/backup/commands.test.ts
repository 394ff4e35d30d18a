/** `plumbline backup` and `restore`, as an operator runs them. */
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { backupAge } from "../../runtime/metrics/lastBackup.ts"
import { embeddedIn } from "../../runtime/settings/dataDir.ts"
import { compiled } from "../support/compiled.ts"
import { pgliteIn } from "../support/database.ts"
import { prepare } from "../support/dataDirectory.ts"
import { plumbline, plumblineHere } from "../support/plumbline.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-backup-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const operated = new URL("../fault/operated.ts", import.meta.url).pathname

it.live(
  "a running service is backed up with its keys, and restored to another place, where commands go on",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const env = { DATA_DIR: join(folder, "data") }
      prepare(env.DATA_DIR)
      const child = spawn(process.execPath, [operated], {
        env: { ...env, ...compiled },
        stdio: ["ignore", "pipe", "inherit"]
      })
      const ended = new Promise((resolve) => child.once("exit", resolve))
      yield* Effect.promise(
        () =>
          new Promise<void>((resolve) =>
            createInterface({ input: child.stdout }).on(
              "line",
              (line) => line.startsWith("kept ") && resolve()
            )
          )
      )
      // A relative folder is the operator's, not the service's.
      const saved = yield* plumbline(folder, env, "backup", "saved", "--keys")
      // The one before is noted in it.
      const second = yield* plumbline(folder, env, "backup", "saved", "--keys")
      assert.deepStrictEqual([second.code, second.err], [0, ""])
      child.kill("SIGTERM")
      yield* Effect.promise(() => ended)
      assert.deepStrictEqual([saved.code, saved.err], [0, ""])
      assert.match(saved.out, /\d+ {2}run\n.*bodies: \d+ copied, 0 were there\n/s)
      assert.match(saved.out, /private files: signing-key\.pem, log-key\.pem, server-secret \(mode 600; /)
      const keys = join(folder, "saved", "keys")
      for (const name of readdirSync(keys)) {
        assert.strictEqual(statSync(join(keys, name)).mode & 0o777, 0o600)
        assert.deepStrictEqual(readFileSync(join(keys, name)), readFileSync(join(env.DATA_DIR, name)))
      }

      const there = { DATA_DIR: join(folder, "there") }
      const restored = yield* plumbline(folder, there, "restore", "saved", "--keys")
      assert.deepStrictEqual([restored.code, restored.err], [0, ""], restored.err)
      assert.match(
        restored.out,
        /the files have their hashes\n.*restored the backup of .*nothing found: log of/s
      )
      assert.match(restored.out, /restored .*server-secret \(mode 600\)/)
      assert.isDefined(
        yield* backupAge.pipe(Effect.provide(pgliteIn(embeddedIn(there.DATA_DIR), false)), Effect.scoped)
      )
      const checked = yield* plumblineHere(there, "log", "check", "--full", "--json")
      assert.deepStrictEqual([checked.code, JSON.parse(checked.out).findings], [0, []], checked.err)

      const again = yield* plumblineHere(env, "restore", join(folder, "saved"))
      assert.strictEqual(again.code, 1)
      assert.match(
        again.err,
        /^plumbline: the target is not empty: its table \w+ has rows; use a new database/
      )
    }).pipe(Effect.scoped),
  180_000
)
