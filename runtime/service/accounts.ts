/** Accounts and the server's secret, which the service and operator commands share. */
import { Effect, Layer, Option } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { Accounts, RegistrationsPerDay, StarterOffer } from "../../core/credits/Accounts.ts"
import { KeyMode } from "../../core/credits/keys/KeyMode.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import { largest, usd } from "../../core/credits/Money.ts"
import { storedFact } from "../../core/sql/keyValue.ts"
import { Settings, SettingsError } from "../settings/Settings.ts"
import * as Secret from "./secret.ts"

/** The server's secret, which must be the one that the database knows. */
export const secret = Layer.unwrap(
  Effect.gen(function* () {
    const { dataDir, serverSecretFile } = yield* Settings
    const isKnown = (yield* storedFact(Secret.secretFact)) !== undefined
    const options = { file: Option.getOrUndefined(serverSecretFile), dataDir, isKnown }
    return Layer.provideMerge(
      Layer.effectDiscard(Secret.refuseOther(Secret.fileOf(options))),
      Secret.layer(options)
    )
  })
)

const starterOffer = Layer.effect(
  StarterOffer,
  Effect.gen(function* () {
    const { starterCredits, starterGrants } = yield* Settings
    if (BigInt(starterCredits) * 1_000_000n > largest) {
      return yield* new SettingsError({
        message: `STARTER_CREDITS: ${starterCredits} is more than an account can hold (at most ${largest / 1_000_000n})`
      })
    }
    return { credits: usd(String(starterCredits)), grants: starterGrants }
  })
)

/** Turning the daily limit off also turns off the limit on registrations. */
const registrations = Layer.effect(
  RegistrationsPerDay,
  Effect.map(Effect.all([Settings, RegistrationsPerDay]), ([{ keylessPerDay }, perDay]) =>
    keylessPerDay === null ? null : perDay
  )
)

const keyMode = Layer.effect(
  KeyMode,
  Effect.map(Settings, ({ testMode }) => testMode.keys)
)

/** Accounts and their money, for the service and for operator commands. */
export const accounts = Accounts.layer.pipe(
  Layer.provideMerge(Ledger.layer),
  Layer.provideMerge(SecureRandom.layerWebCrypto),
  Layer.provide([starterOffer, registrations]),
  // Read by whatever else issues or takes keys, too.
  Layer.provideMerge(keyMode)
)
