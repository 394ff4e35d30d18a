/** Every setting that is read is told to the operator, and none is told that is not read. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { Settings } from "../../runtime/settings/Settings.ts"
import { settingsHelp } from "../../runtime/settings/settingsHelp.ts"

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
