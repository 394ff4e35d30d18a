/** `plumbline doctor`: what it finds wrong, with what to do, whether or not the service runs. */
import { execFile } from "node:child_process"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Finding } from "../../runtime/doctor/Finding.ts"
import { cloneUrl } from "../support/database.ts"
import { type Fleet, fleet, serves } from "../support/fleet.ts"
import { freePort } from "../support/freePort.ts"

type Environment = Readonly<Record<string, string>>

/** Runs it with a checkout whose only plugin reads a stand-in. */
const doctor = ({ folder, program }: Fleet, env: Environment, ...argv: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<{ readonly code: unknown; readonly out: string }>((resolve) => {
        const bin = join(program, "runtime/bin.ts")
        const args = ["--preserve-symlinks", "--preserve-symlinks-main", bin, "doctor", ...argv]
        execFile(process.execPath, args, { cwd: folder, env }, (error, out, err) =>
          resolve({ code: error?.code ?? 0, out: out + err })
        )
      })
  )

const findings = (out: string) => (JSON.parse(out) as { readonly findings: ReadonlyArray<Finding> }).findings

describe("doctor", () => {
  it.live(
    "finds what is wrong, says what to do, and shows no secret",
    () =>
      Effect.gen(function* () {
        const url = yield* cloneUrl
        const group = yield* fleet(url)
        const port = yield* Effect.promise(freePort)
        const settings: Environment = {
          ...group.settings,
          PORT: String(port),
          DATA_DIR: join(group.folder, "a"),
          // Nothing listens here.
          OTS_CALENDARS: `http://127.0.0.1:${yield* Effect.promise(freePort)}`
        }

        const stopped = yield* doctor(group, settings)
        assert.strictEqual(stopped.code, 0, stopped.out)
        assert.match(stopped.out, /^warn {2}service {3}not running.*\n +do: node \S+ serve$/m)
        assert.match(stopped.out, /^ok {4}database {2}Postgres \d+/m)
        assert.match(stopped.out, /^ok {4}keys {6}log: /m)
        assert.match(stopped.out, /^ok {4}reach {5}all 1 hosts of upstreams$/m)
        assert.match(
          stopped.out,
          /^warn {2}reach {5}calendar 127\.0\.0\.1:\d+: .*refused.*\n +do: check OTS_CALENDARS/m
        )
        assert.match(stopped.out, /^ok {4}clock {5}agrees with the clock of Postgres$/m)

        const member = yield* group.start("a", { PORT: String(port) })
        yield* serves({ ...member, port })
        const while_ = yield* doctor(group, settings, "--json")
        assert.deepInclude(findings(while_.out), {
          check: "service",
          state: "ok",
          message: `answers on 127.0.0.1:${port}`
        })

        const wrong = new URL(url)
        wrong.password = "not-the-password"
        wrong.port = "1"
        chmodSync(join(group.folder, "log-key.pem"), 0o644)
        const broken = yield* doctor(
          group,
          {
            ...settings,
            DATABASE_URL: wrong.href,
            EVM_RPC_URL: "http://127.0.0.1:9/v2/secret-of-the-provider",
            STRIPE_SECRET_KEY: "sk_test_0123456789",
            STRIPE_WEBHOOK_SECRET: "whsec_0123456789",
            STRIPE_API_BASE: "http://127.0.0.1:9"
          },
          "--json"
        )
        assert.strictEqual(broken.code, 1)
        for (const secret of ["not-the-password", "secret-of-the-provider", "0123456789"])
          assert.notInclude(broken.out, secret)
        const failed = findings(broken.out).filter(({ state }) => state === "fail")
        assert.deepStrictEqual(failed.map(({ check }) => check).sort(), ["database", "keys"])
        for (const { action } of failed) assert.isString(action)
        assert.include(failed.map(({ message }) => message).join(), "chmod 600")

        const unset = yield* doctor(group, { ...settings, OTLP_SAMPLE: "2" })
        assert.strictEqual(unset.code, 1)
        assert.match(unset.out, /^fail {2}settings .*OTLP_SAMPLE/m)
      }),
    240_000
  )
})
