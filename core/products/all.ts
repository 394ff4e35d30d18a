/** Every product that can be delivered. A new one is one file and one line here. */
import { Effect } from "effect"
import { depinNetworks } from "./depinNetworks.ts"
import { depinProvenance } from "./depinProvenance.ts"

export const products = Effect.all([depinNetworks, depinProvenance])
