/** What an operator meets who starts this version on a database of format 1, up to the service that goes on with it. */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Postgres from "../../runtime/database/Postgres.ts"
import type { Finding } from "../../runtime/doctor/Finding.ts"
import { makeSecretFile } from "../../runtime/service/secret.ts"
import { emptyUrl } from "../support/database.ts"
import { fleet } from "../support/fleet.ts"
import { plumblineHere } from "../support/plumbline.ts"
import { contents, load, seeds, writeKey } from "./earlier.ts"

const on = (url: string) => Layer.orDie(Postgres.layer(Redacted.make(url)))

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-earlier-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const theWay = /format 1, .*commits 054a6865 to dad7c5d2.*(npx plumbline|node \S+) log restart --yes/

describe("a database of format 1", () => {
  it.live(
    "is refused untouched by every command that would migrate it, and is saved and restored as it is",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporary
        const url = yield* emptyUrl
        yield* Effect.provide(load("c7b9205"), on(url))
        const before = yield* Effect.provide(contents, on(url))
        const env = {
          DATABASE_URL: url,
          DATA_DIR: join(folder, "data"),
          SIGNING_KEY_FILE: join(folder, "signing-key.pem"),
          LOG_KEY_FILE: join(folder, "log-key.pem"),
          SERVER_SECRET_FILE: join(folder, "server-secret")
        }
        writeKey(seeds.first, env.SIGNING_KEY_FILE)
        yield* makeSecretFile(env.SERVER_SECRET_FILE)
        for (const args of [
          ["db", "migrate"],
          ["db", "copy", "--to", join(folder, "copy")],
          ["key", "new"],
          ["key", "adopt", "--purpose", "answers"],
          ["key", "rotate", "--purpose", "log"],
          ["log", "check"],
          ["incident", "list"],
          ["ledger", "check"]
        ]) {
          const { code, err } = yield* plumblineHere(env, ...args)
          assert.strictEqual(code, 1, args.join(" "))
          assert.match(err, theWay, args.join(" "))
          assert.lengthOf(err.trim().split("\n"), 1, err)
        }
        const checked = yield* plumblineHere(env, "upgrade", "--check")
        assert.strictEqual(checked.code, 1)
        assert.match(checked.out.replaceAll("\n", " "), theWay)
        const unconfirmed = yield* plumblineHere(env, "log", "restart")
        assert.notStrictEqual(unconfirmed.code, 0)
        assert.match(unconfirmed.err, /ends the log .* make a backup .* then add --yes/)
        assert.deepStrictEqual(yield* Effect.provide(contents, on(url)), before)

        const saved = yield* plumblineHere(env, "backup", join(folder, "saved"))
        assert.deepStrictEqual([saved.code, saved.err], [0, ""])
        const other = { ...env, DATABASE_URL: yield* emptyUrl }
        const restored = yield* plumblineHere(other, "restore", join(folder, "saved"))
        assert.strictEqual(restored.code, 1)
        assert.match(restored.err, /restored as they were saved, and not migrated: .*format 1/)
        const there = yield* Effect.provide(contents, on(other.DATABASE_URL))
        assert.deepStrictEqual({ ...there, fact: "" }, { ...before, fact: "" })
        const restarted = yield* plumblineHere(other, "log", "restart", "--yes")
        assert.deepStrictEqual([restarted.code, restarted.err], [0, ""])
        assert.match(restarted.out, /^the log log\.example\.net\/2\/log begins in the place of /)
        const afterRestart = yield* plumblineHere(other, "log", "check", "--full")
        assert.match(afterRestart.out, /^nothing found: log of 1 entries/m)
      }).pipe(Effect.scoped),
    240_000
  )

  it.live(
    "is called by its name by doctor and by the start, and served after its log was restarted",
    () =>
      Effect.gen(function* () {
        const url = yield* emptyUrl
        const stored = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* load("c7b9205")
          yield* sql`update fact set value = 'mapped' where name = 'mode'`
        })
        yield* Effect.provide(stored, on(url))
        const before = yield* Effect.provide(contents, on(url))
        const group = yield* fleet(url)
        writeKey(seeds.first, join(group.folder, "signing-key.pem"))
        const doctor = yield* Effect.promise(
          () =>
            new Promise<ReadonlyArray<Finding>>((resolve) => {
              const bin = join(group.program, "runtime/bin.ts")
              const args = ["--preserve-symlinks", "--preserve-symlinks-main", bin, "doctor", "--json"]
              const env = { ...group.settings, DATA_DIR: join(group.folder, "a") }
              execFile(process.execPath, args, { cwd: group.folder, env }, (_, out) =>
                resolve((JSON.parse(out) as { readonly findings: ReadonlyArray<Finding> }).findings)
              )
            })
        )
        const [format] = doctor.filter(({ check, state }) => check === "database" && state === "fail")
        assert.match(`${format?.message} ${format?.action}`, theWay)
        assert.notMatch(JSON.stringify(doctor), /is empty|key new|key adopt/)

        const refused = yield* group.start("a")
        assert.strictEqual(yield* refused.ended, 1, refused.output())
        assert.match(refused.output(), theWay)
        assert.deepStrictEqual(yield* Effect.provide(contents, on(url)), before)

        const restarted = yield* plumblineHere(group.settings, "log", "restart", "--yes")
        assert.deepStrictEqual([restarted.code, restarted.err], [0, ""])
        const member = yield* group.join("a")
        const get = (path: string) =>
          Effect.promise(async () => {
            const answer = await fetch(`${member.base}${path}`)
            return { status: answer.status, text: await answer.text() }
          })
        const series = "symbol=FIL&metric=nodes_online"
        const day = yield* get(`/v1/attest?${series}&date=20260905`)
        assert.strictEqual(day.status, 404)
        assert.include(day.text, '"reason":"earlier_log"')
        const network = yield* get("/v1/network/FIL")
        assert.include(network.text, '"value":208')
        assert.match((yield* get("/v1/log/checkpoint")).text, /^log\.example\.net\/2\/log\n/)
        for (const path of ["/log", "/log/2026-09-05", "/v1/incidents", "/v1/revisions", "/v1/brief"])
          assert.isBelow((yield* get(path)).status, 500, path)
        assert.notMatch(member.output(), /ERROR|\n {4}at /)
      }).pipe(Effect.scoped),
    240_000
  )
})
