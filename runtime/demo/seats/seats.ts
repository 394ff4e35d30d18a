/** Plays the seats beside the demo: a witness, a notary and a second operator. */
import { Effect, Layer } from "effect"
import { SimulatedSeats } from "../../outside/simulatedSeats.ts"
import { notary } from "./notary.ts"
import { operator } from "./operator.ts"
import { witness } from "./witness.ts"

export const layer = Layer.effect(SimulatedSeats, Effect.all({ witness, notary, observers: operator }))
