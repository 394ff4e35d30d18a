/**
 * Which keys a service issues and takes: its own, or those of test mode (`plk_test_`). A test service is a service of its own,
 * with its own database, and this is what tells its keys apart: neither of the two takes the other's.
 */
import { Context, Redacted } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"

export type KeyMode = "live" | "test"

export const KeyMode = Context.Reference<KeyMode>("core/credits/keys/KeyMode", {
  defaultValue: () => "live"
})

/** Prefix of every key, so that secret scanners can find leaked ones. */
const prefixes: Readonly<Record<KeyMode, string>> = { live: "plk_", test: "plk_test_" }

/** Of different lengths, so no text is a key of both. */
const forms: Readonly<Record<KeyMode, RegExp>> = {
  live: /^plk_[A-Za-z0-9_-]{43}$/,
  test: /^plk_test_[A-Za-z0-9_-]{43}$/
}

/** The key that 32 bytes make. */
export const keyOf = (mode: KeyMode, bytes: Uint8Array): string => prefixes[mode] + Base64Url.encode(bytes)

/** True for what may be a key of this mode, by its form alone. */
export const isKeyOf = (mode: KeyMode, key: Redacted.Redacted): boolean =>
  forms[mode].test(Redacted.value(key))

/** What everything that moves money says in test mode, and nothing outside of it. */
export const testMark = (mode: KeyMode): { readonly test?: true } => (mode === "test" ? { test: true } : {})
