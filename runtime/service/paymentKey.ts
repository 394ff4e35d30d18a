/** The key that pays the gas of settlements. */
import { Effect, Redacted } from "effect"
import { type Settings, SettingsError } from "../settings/Settings.ts"
import { holds, keyFilesOf } from "./keyFiles.ts"

const wrong = (message: string) => new SettingsError({ message })

/** Such a key moves funds and the signing keys must not, so they can never be the same key. */
export const paymentKey = Effect.fnUntraced(function* (
  settings: Settings["Service"],
  key: Redacted.Redacted
) {
  const text = Redacted.value(key)
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) {
    return yield* wrong("X402_SETTLER_KEY is not a private key (expected 0x and 64 hex digits)")
  }
  for (const file of Object.values(keyFilesOf(settings))) {
    if (yield* holds(file, Buffer.from(text.slice(2), "hex"))) {
      return yield* wrong("X402_SETTLER_KEY is a signing key, which must not move funds; use a separate key")
    }
  }
  return Redacted.make(`0x${text.slice(2).toLowerCase()}` as const)
})
