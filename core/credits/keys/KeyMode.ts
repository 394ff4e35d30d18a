/**
 * Which keys a service issues and takes: its own, or those of test mode. A test service is a service of its own,
 * with its own database, and this is what tells its keys apart: neither of the two takes the other's.
 */
import { Context, Redacted } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { hasKeyForm, keyPrefixes, type KeyMode as Mode } from "./keyForm.ts"

export type KeyMode = Mode

export const KeyMode = Context.Reference<KeyMode>("core/credits/keys/KeyMode", {
  defaultValue: () => "live"
})

/** The key that 32 bytes make. */
export const keyOf = (mode: KeyMode, bytes: Uint8Array): string => keyPrefixes[mode] + Base64Url.encode(bytes)

/** True for what may be a key of this mode, by its form alone. */
export const isKeyOf = (mode: KeyMode, key: Redacted.Redacted): boolean =>
  hasKeyForm(mode, Redacted.value(key))

/** What everything that moves money says in test mode, and nothing outside of it. */
export const testMark = (mode: KeyMode): { readonly test?: true } => (mode === "test" ? { test: true } : {})
