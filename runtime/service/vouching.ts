/** Names those who vouch for the service to the pages. */
import { Effect, Layer, SubscriptionRef } from "effect"
import { Observers } from "../../core/log/observers/Observers.ts"
import { noteKeyText } from "../../core/proof/checkpoint.ts"
import { Vouching } from "../../http/Vouching.ts"
import { SimulatedSeats } from "../outside/simulatedSeats.ts"
import { Settings } from "../settings/Settings.ts"
import { configured } from "./notarising.ts"
import { WitnessPolicy } from "./witnessing.ts"

/** A replay has those whom it plays itself, if any: nothing that it signs is true. */
export const vouching = (mode: "live" | "mapped" | "replay") =>
  Layer.effect(
    Vouching,
    Effect.gen(function* () {
      const { logMirrors } = yield* Settings
      const { current } = yield* WitnessPolicy
      const { all } = yield* Observers
      const seats = yield* SimulatedSeats
      const simulated = seats === undefined ? [] : [noteKeyText(seats.notary.verifier)]
      const notaries = mode === "replay" ? simulated : (yield* configured).map(({ vkey }) => vkey)
      return Effect.sync(() => {
        const { all: witnesses, isRequired } = SubscriptionRef.getUnsafe(current)
        return {
          observers: all.map(({ key, url }) => ({ vkey: noteKeyText(key), url })),
          notaries,
          witnesses: witnesses.map(({ key, name }) => ({ name, vkey: noteKeyText(key) })),
          needsWitnesses: isRequired,
          mirrors: mode === "replay" ? [] : logMirrors
        }
      })
    })
  )
