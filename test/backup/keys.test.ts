/** Private keys in a backup: none that ever signed is lost there, or on the way back. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { restoreKeys, saveKeys } from "../../runtime/backup/keys.ts"
import { makeKeyFile, promote, readHalf } from "../../runtime/service/keyFiles.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { newFolder } from "../support/keyring.ts"

const settingsOf = (folder: string) =>
  Effect.provide(
    Settings,
    Settings.layer.pipe(
      Layer.provide(
        Layer.succeed(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ DATA_DIR: folder }))
      )
    )
  )

it.effect("a backup in one folder keeps the keys of before a rotation, and gives them back", () =>
  Effect.gen(function* () {
    const [data, saved, elsewhere] = [newFolder(), newFolder(), newFolder()]
    const file = join(data, "log-key.pem")
    const settings = yield* settingsOf(data)
    yield* makeKeyFile(file)
    const old = readFileSync(file, "utf8")
    const { kid } = yield* readHalf("log", file)
    yield* saveKeys(saved, settings)
    yield* makeKeyFile(`${file}.next`)
    yield* promote({ purpose: "log", file, own: true }, kid)
    const next = readFileSync(file, "utf8")
    yield* saveKeys(saved, settings)
    yield* restoreKeys(saved, yield* settingsOf(elsewhere))
    for (const folder of [join(saved, "keys"), elsewhere]) {
      assert.strictEqual(readFileSync(join(folder, "log-key.pem"), "utf8"), next)
      assert.strictEqual(readFileSync(join(folder, `log-key.pem.retired-${kid}`), "utf8"), old)
    }
  })
)

it.effect("a backup keeps the last copy of a key whose file was lost and replaced", () =>
  Effect.gen(function* () {
    const [data, saved] = [newFolder(), newFolder()]
    const settings = yield* settingsOf(data)
    const file = join(data, "signing-key.pem")
    mkdirSync(data, { recursive: true })
    writeFileSync(file, "a key that nobody can read any more", { mode: 0o600 })
    yield* saveKeys(saved, settings)
    writeFileSync(file, "", { mode: 0o600 })
    yield* saveKeys(saved, settings)
    const contents = readdirSync(join(saved, "keys")).map((name) =>
      readFileSync(join(saved, "keys", name), "utf8")
    )
    assert.sameMembers(contents, ["", "a key that nobody can read any more"])
  })
)
