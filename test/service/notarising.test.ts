/** `NOTARIES`: who carries the collectors' sessions, and by which head of the log they are drawn. */
import { createHash } from "node:crypto"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, ConfigProvider, Effect, Layer, Ref } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import type { DrawnRun } from "../../core/proof/lot.ts"
import { Collector } from "../../runtime/collector/Collector.ts"
import { draw, parseNotary } from "../../runtime/notaries/drawing.ts"
import { configured, drawing } from "../../runtime/service/notarising.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { onBothEngines } from "../support/database.ts"
import { statingNotary } from "../support/notary/statements.ts"

const [n1, n2, n3] = [statingNotary(1), statingNotary(2), statingNotary(3)]
const line1 = `${n1.vkey} https://token-1@n1.example`
const line2 = `${n2.vkey} http://token-2@127.0.0.1:8091/`

const settings = (value: string | undefined) =>
  Settings.layer.pipe(
    Layer.provide(
      ConfigProvider.layer(ConfigProvider.fromUnknown(value === undefined ? {} : { NOTARIES: value }))
    )
  )

const read = (value: string | undefined) => Effect.provide(configured, settings(value))

describe("the setting NOTARIES", () => {
  it.effect("is a list, one a line or separated by commas, or the name of a file with one", () =>
    Effect.gen(function* () {
      const file = join(mkdtempSync(join(tmpdir(), "plumbline-notaries-")), "notaries")
      writeFileSync(file, `# ours\n${line1}\n${line2}\n`)
      const expected = [
        { vkey: n1.vkey, address: "https://token-1@n1.example" },
        { vkey: n2.vkey, address: "http://token-2@127.0.0.1:8091/" }
      ]
      for (const value of [`${line1}, ${line2}`, `${line1}\n${line2}\n`, file])
        assert.deepStrictEqual(yield* read(value), expected)
      for (const value of [undefined, "", "  "]) assert.deepStrictEqual(yield* read(value), [])
      assert.deepInclude(parseNotary({ vkey: n1.vkey, address: "https://a%2Bb@n1.example" }), {
        token: "a+b"
      })
    })
  )

  it.effect("says what is wrong with it, and never repeats a token", () =>
    Effect.gen(function* () {
      for (const [value, says] of [
        [
          `${n1.vkey} https://n1.example`,
          /address of notary notary\.test\/n1 must be https:\/\/<token>@<host>/
        ],
        [`${n1.vkey} ftp://secret@n1.example`, /must be https/],
        [`${n1.vkey} https://secret:x@n1.example`, /must be https/],
        [`${n1.vkey} https://secret@n1.example/path`, /must be https/],
        [`${n1.vkey.replace("+", "+0")} https://secret@n1.example`, /id does not match|verifier key/],
        [`${n1.vkey} https://secret@n1.example more`, /each notary must be/],
        [`${line1}, ${n1.vkey} https://secret@other.example`, /a notary is there twice/],
        ["https://secret@n1.example", /neither/],
        ["/nowhere/secret", /neither/]
      ] as const) {
        const { message } = yield* Effect.flip(read(value))
        assert.match(message, says)
        assert.match(message, /^NOTARIES: /)
        assert.notInclude(message, "secret")
        assert.notInclude(message, "token-1")
      }
    })
  )
})

describe("the draw", () => {
  it("depends on the head and on what was published of the run, and not on the order of the list", () => {
    const notaries = [n1, n2, n3].map(({ vkey }) => parseNotary({ vkey, address: "https://t@n.example" }))
    const run: DrawnRun = { id: "run-1", plugin: "sample", due: "2026-09-05T12:00:00.000Z" }
    const nameOf = (head: string, of: DrawnRun, list = notaries) => draw(list, head, of)?.notary.key.name
    // As a reader computes it from the leaf.
    for (const head of ["a".repeat(64), "b".repeat(64)]) {
      const digest = createHash("sha256").update(`${head}\nsample\n2026-09-05T12:00:00.000Z\n`).digest()
      const names = [n1, n2, n3].map(({ vkey }) => vkey).sort()
      const expected = names[digest.readUIntBE(0, 6) % 3]?.split("+")[0]
      assert.strictEqual(nameOf(head, run), expected)
      assert.strictEqual(nameOf(head, run, notaries.toReversed()), expected)
      // A run that a schedule asked for cannot choose its notary by its id.
      assert.strictEqual(nameOf(head, { ...run, id: "run-2" }), expected)
    }
    const ids = Array.from({ length: 60 }, (_, n) =>
      nameOf("a".repeat(64), { id: `run-${n}`, plugin: "sample" })
    )
    assert.strictEqual(new Set(ids).size, 3)
    assert.isUndefined(draw([], "a".repeat(64), run))
  })
})

onBothEngines("the head by which notaries are drawn", (database) => {
  it.effect("is the newest cosigned one, and the newest where no witness cosigns", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const heads = yield* Ref.make<ReadonlyArray<string>>([])
      const collector = Layer.succeed(
        Collector,
        Collector.of({
          states: Effect.succeed(new Map()),
          manifests: Effect.succeed([]),
          owned: Effect.succeed([]),
          lookAgain: () => Effect.die("nobody looks again here"),
          own: () => Effect.void,
          disown: () => Effect.void,
          drawBy: (head) => Ref.update(heads, (all) => [...all, head])
        })
      )
      yield* Layer.build(drawing.pipe(Layer.provide(collector), Layer.provide(settings(line1))))
      const newest = Effect.map(Ref.get(heads), (all) => all.at(-1))
      /** The next other head that is named. The queries of rounds are not on the clock of the test: one of before may still end. */
      const next = Effect.gen(function* () {
        const before = yield* newest
        yield* TestClock.adjust("1 minute")
        while ((yield* newest) === before) yield* Effect.promise(() => sleep(5))
        return yield* newest
      })
      const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
      const at = new Date(0)
      // Before the first head none is named.
      assert.lengthOf(yield* Ref.get(heads), 0)
      const checkpoints = Arr.map(Arr.make(1, 2), (size) => ({
        size,
        root: "",
        note: `note ${size}\n`,
        signed_at: at
      }))
      yield* sql`insert into checkpoint ${sql.insert(checkpoints)}`
      assert.strictEqual(yield* next, sha256("note 2\n"))
      const cosignatures = Arr.map(Arr.make("— w1 aaaa", "— w1 bbbb"), (line, n) => ({
        ...{ size: 1, witness: "w1", line },
        at: new Date((n + 1) * 1000)
      }))
      yield* sql`insert into cosignature ${sql.insert(cosignatures)}`
      assert.strictEqual(yield* next, sha256("note 1\n— w1 bbbb\n"))
    }).pipe(Effect.provide(database))
  )
})
