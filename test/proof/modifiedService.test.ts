/**
 * By command, on a settled service that seals another number than its run gave: an honest day is proved, from the service and from a
 * folder of its files alone, and the day of the lie is not.
 */

import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Cosignatures } from "../../core/log/Cosignatures.ts"
import { Log } from "../../core/log/Log.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { Witnesses } from "../../core/log/Witnesses.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import type { Bundle4 } from "../../core/proof/bundle.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Operators from "../support/operators.ts"
import { filesOfLog } from "../support/publicCopy.ts"
import * as Runs from "../support/runs.ts"
import { closedDays, SettledService, settledValue } from "../support/settled.ts"

const top = new URL("../../", import.meta.url).pathname
const hour = 3_600_000
/** The day after the settled ones, whose value is sealed as 9999. */
const lie = "2026-09-06"

/** The command as people call it. */
const verify = (...args: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<{ readonly exit: unknown; readonly text: string }>((done) =>
        execFile(
          process.execPath,
          ["http/client/verifier/src/cli.ts", "verify", ...args, "--pins", "none"],
          { cwd: top, maxBuffer: 2 ** 26 },
          (error, out, err) => done({ exit: error?.code ?? 0, text: out + err })
        )
      )
  )

const valueOf = (day: string) => [
  "--symbol",
  settledValue.symbol,
  "--metric",
  settledValue.metric,
  "--date",
  day.replaceAll("-", ""),
  "--network",
  "bitcoin-regtest-fixture"
]

layer(SettledService.layer)("a service that seals 9999 for what its run gave", (it) => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-modified-"))

  it.effect(
    "is not proved, by service, bundle and folder, and its monitor finds it; an honest day holds",
    () =>
      Effect.gen(function* () {
        const { base, keys } = yield* SettledService
        const sql = yield* SqlClient.SqlClient
        const at = Date.parse(`${lie}T20:00:00Z`)
        yield* TestClock.setTime(at)
        const row = Runs.row(110, isoTime(at - 60_000))
        yield* (yield* Ingest).write(Runs.delivery(at, [row]))
        // The one changed line, once the root of the run is computed.
        yield* sql`update observation set value = 9999 where value = 110`
        yield* sql`update daily set value = 9999 where value = 110`
        yield* TestClock.setTime(at + 2 * hour)
        yield* (yield* RunLog).run
        yield* Operators.closeAt(isoTime(at + 12 * hour))
        yield* TestClock.adjust("5 minutes")
        yield* (yield* RunLog).run
        // The head is served once its witness cosigned it.
        yield* TestClock.adjust("1 minute")
        yield* Effect.forEach((yield* Witnesses).all, (yield* Cosignatures).offer, { discard: true })
        yield* (yield* Log).refresh
        for (const [path, bytes] of yield* filesOfLog()) {
          mkdirSync(dirname(join(folder, path)), { recursive: true })
          writeFileSync(join(folder, path), bytes)
        }
        const trusted = [`--key=${keys.rotated}`, `--key=${keys.log}`, `--key=${keys.answers}`]

        for (const from of [
          ["--url", base],
          ["--dir", folder]
        ]) {
          const honest = yield* verify("value", ...valueOf(closedDays[2]), ...from, ...trusted)
          assert.strictEqual(honest.exit, 0, honest.text)
          assert.match(honest.text, /ok +run: run .* gave this value/)
          const sealed = yield* verify("value", ...valueOf(lie), ...from, ...trusted)
          assert.strictEqual(sealed.exit, 2, sealed.text)
          assert.match(sealed.text, /9999/)
          assert.match(sealed.text, /not proved +run: no run is known that gave this value/)
        }

        const bundle = join(folder, "bundle.json")
        const query = `symbol=${settledValue.symbol}&metric=${settledValue.metric}&date=${lie.replaceAll("-", "")}`
        const answer = yield* Effect.promise(() => fetch(`${base}/v1/attest?${query}&format=bundle`))
        writeFileSync(bundle, new Uint8Array(yield* Effect.promise(() => answer.arrayBuffer())))
        for (const from of [
          ["--url", base],
          ["--dir", folder]
        ]) {
          const { exit, text } = yield* verify(
            "bundle",
            bundle,
            ...from,
            ...trusted,
            "--network",
            "bitcoin-regtest-fixture"
          )
          assert.strictEqual(exit, 2, text)
          assert.match(text, /not proved +run:/)
        }

        // Of an honest value whose bundle lost its run, the run is fetched as for version 2.
        const whole = yield* Effect.promise(() =>
          fetch(
            `${base}/v1/attest?${query.replace(lie.replaceAll("-", ""), `${closedDays[2]}`.replaceAll("-", ""))}&format=bundle4`
          )
        )
        const { evidence, ...spine } = (yield* Effect.promise(() => whole.json())) as Bundle4
        const without = evidence.filter(({ kind }) => kind !== "run")
        assert.strictEqual(without.length, evidence.length - 1)
        writeFileSync(bundle, JSON.stringify({ ...spine, evidence: without }))
        for (const [says, ...from] of [
          [/not checked +run: made before runs were logged/],
          [/ok +run: run .* gave this value/, "--url", base],
          [/ok +run: run .* gave this value/, "--dir", folder]
        ] as const) {
          const checked = yield* verify(
            "bundle",
            bundle,
            ...from,
            ...trusted,
            "--network",
            "bitcoin-regtest-fixture"
          )
          assert.strictEqual(checked.exit, 0, checked.text)
          assert.match(checked.text, says)
        }

        for (const from of [
          ["--url", base, "--log-only"],
          ["--dir", folder]
        ]) {
          const { exit, text } = yield* verify("monitor", ...from, "--once", ...trusted)
          assert.strictEqual(exit, 1, text)
          assert.match(text, /FOUND +run: batch 2026-09-06, version 1 of FIL nodes_online/)
          assert.strictEqual(text.match(/^FOUND +(?!promise| )/gm)?.length, 1, text)
        }
        rmSync(folder, { recursive: true })
      })
  )
})
