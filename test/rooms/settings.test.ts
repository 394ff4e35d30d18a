/** Every setting that is read is told to the operator, and none is told that is not read. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"
import { Settings } from "../../runtime/settings/Settings.ts"
import { settingsHelp } from "../../runtime/settings/settingsHelp.ts"

describe("a key for the registry of MCP servers", () => {
  const settingsOf = (env: Readonly<Record<string, string>>) =>
    Effect.provide(Settings, Settings.layer).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))
    )

  it.effect("is 32 bytes in base64, and nothing else starts a service", () =>
    Effect.gen(function* () {
      const key = Buffer.alloc(32, 7).toString("base64")
      const { mcpRegistryKey } = yield* settingsOf({ MCP_REGISTRY_KEY: key })
      assert.deepStrictEqual(mcpRegistryKey, Option.some(key))
      for (const wrong of ["key", key.slice(1), `${key}\nk=rsa`, Buffer.alloc(31).toString("base64")]) {
        const { message } = yield* Effect.flip(settingsOf({ MCP_REGISTRY_KEY: wrong }))
        assert.match(message, /^MCP_REGISTRY_KEY must be a public Ed25519 key/)
      }
    })
  )
})

describe("serve --help", () => {
  it.effect("names the settings, each once", () =>
    Effect.gen(function* () {
      const read = new Set<string>()
      const provider = ConfigProvider.make((path) => {
        read.add(path.join("_"))
        return Effect.succeed(undefined)
      })
      yield* Effect.provide(Settings, Settings.layer).pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, provider)
      )
      assert.isAbove(read.size, 30)
      const listed = settingsHelp
        .split("\n")
        .flatMap((line) => /^ {2}(\S.*)$/.exec(line)?.[1]?.split(", ") ?? [])
      assert.deepStrictEqual(listed.toSorted(), [...read].toSorted())
    })
  )
})
