/** `OBSERVERS`: the operators whose values are compared with those of this service. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { Observers } from "../../core/log/observers/Observers.ts"
import { vkey } from "../../core/proof/checkpoint.ts"
import { observers } from "../../runtime/service/observing.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { publicKeyOf } from "../support/ed25519.ts"
import * as LogKeys from "../support/logKey.ts"

const keyOf = (n: number) => vkey(`o${n}.example/log`, publicKeyOf(new Uint8Array(32).fill(n)))
const [one, two] = [`${keyOf(1)} https://o1.example/prefix/`, `${keyOf(2)} http://127.0.0.1:8090`]

const read = (setting: string | undefined, mode: "live" | "replay" = "live") =>
  Effect.map(Observers, ({ all }) => all.map(({ key, url }) => `${key.name} ${url}`)).pipe(
    Effect.provide(
      observers(mode).pipe(
        Layer.provide(LogKeys.layer()),
        Layer.provide(Settings.layer),
        Layer.provide(
          ConfigProvider.layer(
            ConfigProvider.fromUnknown({
              BASE_URL: "https://plumbline.test",
              ...(setting === undefined ? {} : { OBSERVERS: setting })
            })
          )
        )
      )
    )
  )

describe("OBSERVERS", () => {
  it.effect("is a line of observers, lines of them, or the name of a file with such lines", () =>
    Effect.gen(function* () {
      const file = join(mkdtempSync(join(tmpdir(), "plumbline-observers-")), "observers")
      writeFileSync(file, `# our peers\n${one}\n\n${two}\n`)
      for (const setting of [`${one}, ${two}`, `${one}\n${two}\n`, file])
        assert.deepStrictEqual(yield* read(setting), [
          "o1.example/log https://o1.example/prefix",
          "o2.example/log http://127.0.0.1:8090"
        ])
    })
  )

  it.effect("is nobody by default, and nobody in a replay", () =>
    Effect.gen(function* () {
      assert.isEmpty(yield* read(undefined))
      assert.isEmpty(yield* read(one, "replay"))
    })
  )

  it.effect("refuses this service itself, an observer twice, and what is none, in one line", () =>
    Effect.gen(function* () {
      const own = vkey(LogKeys.origin, LogKeys.publicKey)
      const many = Array.from({ length: 17 }, (_, n) => `${keyOf(n + 1)} https://o${n}.example`).join(",")
      for (const [setting, says] of [
        [`${own} https://o1.example`, /the key of this service's own log/],
        [
          `${vkey(LogKeys.origin, publicKeyOf(new Uint8Array(32).fill(1)))} https://o1.example`,
          /the name of this service's own log/
        ],
        [`${keyOf(1)} https://plumbline.test/other`, /the address of this service/],
        [`${one}, ${one}`, /o1.example\/log is there twice/],
        [`${one}, ${keyOf(2)} https://o1.example/prefix`, /o2.example\/log is there twice/],
        [`${keyOf(1)} http://o1.example`, /"http:\/\/o1.example" of o1.example\/log is not an https address/],
        [`${keyOf(1)} https://o1.example?x=1`, /is not an https address/],
        [`${keyOf(1).replace(/\+[0-9a-f]{8}\+/, "+00000000+")} https://o1.example`, /id does not match/],
        [keyOf(1), /is not an observer \(expected <verifier key/],
        [many, /at most 16 observers, not 17/],
        [",", /names nobody/],
        ["/no/such/file", /the file "\/no\/such\/file" cannot be read/]
      ] as const) {
        const { message } = yield* Effect.flip(read(setting))
        assert.match(message, says)
        assert.match(message, /^OBSERVERS: [^\n]*$/)
      }
    })
  )
})
