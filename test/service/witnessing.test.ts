/** `WITNESSES`: whom the log asks for cosignatures. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Cosignatures } from "../../core/log/Cosignatures.ts"
import { RequiredQuorum } from "../../core/log/heads.ts"
import { Witnesses } from "../../core/log/Witnesses.ts"
import { noteKeyOf, noteKeyText } from "../../core/proof/checkpoint.ts"
import { cosignerOf, mlDsaType } from "../../core/proof/cosignature.ts"
import { isMet } from "../../core/proof/policy.ts"
import { Duties } from "../../runtime/cluster/Duties.ts"
import { Readiness } from "../../runtime/service/Readiness.ts"
import { heads, offering } from "../../runtime/service/witnessing.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { publicKeyOf } from "../support/ed25519.ts"
import * as LogKeys from "../support/logKey.ts"

const w1 = cosignerOf("witness.example/w1", publicKeyOf(new Uint8Array(32).fill(1)))
const w2 = cosignerOf("witness.example/w2", publicKeyOf(new Uint8Array(32).fill(2)))
const quantum = noteKeyOf("witness.example/pq", mlDsaType, new Uint8Array(1312).fill(7))

const policy = [
  "# our witnesses",
  `witness gr\u00fcn ${noteKeyText(w1)} https://w1.example/prefix/`,
  `witness w2 ${noteKeyText(w2)} http://127.0.0.1:8090`,
  "group all-of-them all gr\u00fcn w2",
  "quorum all-of-them"
].join("\n")

const witnessesOf = (setting: string | undefined, mode: "live" | "replay" = "live") =>
  heads(mode).pipe(
    Layer.provide(LogKeys.layer()),
    Layer.provide(Settings.layer),
    Layer.provide(
      ConfigProvider.layer(ConfigProvider.fromUnknown(setting === undefined ? {} : { WITNESSES: setting }))
    )
  )

const read = (setting: string | undefined, mode: "live" | "replay" = "live") =>
  Effect.provide(Witnesses, witnessesOf(setting, mode))

describe("the witnesses", () => {
  it.effect("are offered heads by the process that has the duty, and by no other", () =>
    Effect.gen(function* () {
      const duties: Array<string> = []
      const offered: Array<string> = []
      const cosignatures = Layer.mock(Cosignatures)({
        offer: ({ name }) => Effect.sync(() => void offered.push(name)),
        hear: Effect.void
      })
      const without = Layer.mock(Duties)({
        take: ({ name, role }) => Effect.sync(() => void duties.push(`${role}: ${name}`))
      })
      const process = (having: Layer.Layer<Duties>) =>
        Layer.build(
          offering.pipe(
            Layer.provide([cosignatures, having, witnessesOf(policy), Readiness.layerNow]),
            Layer.fresh
          )
        )

      yield* process(without)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(duties, [
        "jobs: cosigning by witness gr\u00fcn",
        "jobs: cosigning by witness w2"
      ])
      assert.deepStrictEqual(offered, [])
      yield* process(Duties.layerAlone)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(offered, ["gr\u00fcn", "w2"])
    }).pipe(Effect.scoped)
  )
})

describe("WITNESSES", () => {
  it.effect("is a policy, or the name of a file that contains one", () =>
    Effect.gen(function* () {
      const file = join(mkdtempSync(join(tmpdir(), "plumbline-policy-")), "policy")
      writeFileSync(file, `${policy}\n`)
      for (const setting of [policy, file]) {
        const { all, quorum } = yield* read(setting)
        assert.deepStrictEqual(
          all.map(({ name, url }) => `${name} ${url}`),
          ["gr\u00fcn https://w1.example/prefix", "w2 http://127.0.0.1:8090"]
        )
        assert.isTrue(isMet(quorum, () => true))
        assert.isFalse(isMet(quorum, (key) => key === all[0]?.key))
      }
    })
  )

  it.effect("is a line of witnesses, all of which or some of which must cosign", () =>
    Effect.gen(function* () {
      const line = `${noteKeyText(w1)} https://w1.example/, ${noteKeyText(w2)} http://127.0.0.1:8090`
      const [every, some] = [yield* read(line), yield* read(`1 of ${line}`)]
      for (const { all } of [every, some])
        assert.deepStrictEqual(
          all.map(({ key, url }) => `${noteKeyText(key)} ${url}`),
          [`${noteKeyText(w1)} https://w1.example`, `${noteKeyText(w2)} http://127.0.0.1:8090`]
        )
      const isFirst = (key: typeof w1) => key === every.all[0]?.key || key === some.all[0]?.key
      assert.isFalse(isMet(every.quorum, isFirst))
      assert.isTrue(isMet(some.quorum, isFirst))
      assert.isTrue(isMet((yield* read(`${noteKeyText(w1)} https://w1.example`)).quorum, () => true))
      assert.match(
        (yield* Effect.flip(read(`3 of ${line}`))).message,
        /WITNESSES: policy, line 3: "3" must be all, any, or a number from 1 to 2/
      )
    })
  )

  it.effect("may be required, in each of its forms: then no head is served without them", () =>
    Effect.gen(function* () {
      const file = join(mkdtempSync(join(tmpdir(), "plumbline-policy-")), "policy")
      writeFileSync(file, `${policy}\n`)
      const line = `1 of ${noteKeyText(w1)} https://w1.example/, ${noteKeyText(w2)} http://127.0.0.1:8090`
      const required = (setting: string, mode: "live" | "replay" = "live") =>
        Effect.provide(Effect.all([RequiredQuorum, Witnesses]), witnessesOf(setting, mode))
      for (const setting of [file, line, policy]) {
        const [quorum, { quorum: named }] = yield* required(`required ${setting}`)
        assert.deepStrictEqual(quorum(), named)
        assert.isTrue(isMet(named, () => true) && !isMet(named, () => false))
        assert.isUndefined((yield* required(setting))[0]())
        assert.isUndefined((yield* required(`required ${setting}`, "replay"))[0]())
      }
      assert.deepStrictEqual((yield* required(`required\n${policy}`))[0](), (yield* read(policy)).quorum)
    })
  )

  it.effect("is nobody by default, and nobody in a replay", () =>
    Effect.gen(function* () {
      assert.isEmpty((yield* read(undefined)).all)
      assert.isEmpty((yield* read(policy, "replay")).all)
    })
  )

  it.effect("says what is wrong with it, in one line", () =>
    Effect.gen(function* () {
      const message = (setting: string) =>
        Effect.map(Effect.flip(read(setting)), (error) => {
          assert.notInclude(error.message, "\n")
          return error.message
        })
      assert.match(
        yield* message("/nowhere/policy"),
        /^WITNESSES: the policy file "\/nowhere\/policy" cannot be read: ENOENT/
      )
      assert.match(yield* message("required "), /^WITNESSES: `required` must be followed by/)
      assert.match(
        yield* message(`required\nwitness w1 ${noteKeyText(w1)} https://w1.example\nquorum none`),
        /`quorum none` needs no witness/
      )
      assert.match(yield* message("witness w1\nquorum w1"), /^WITNESSES: policy, line 1: must be `witness/)
      assert.match(yield* message(`witness w1 ${noteKeyText(w1)}\nquorum w1`), /w1 needs its address/)
      assert.match(
        yield* message(`witness w1 ${noteKeyText(w1)} ftp://a.example\nquorum w1`),
        /w1 needs its address/
      )
      assert.match(
        yield* message(`witness pq ${noteKeyText(quantum)} https://pq.example\nquorum pq`),
        /pq has an ML-DSA key; only Ed25519/
      )
    })
  )
})
