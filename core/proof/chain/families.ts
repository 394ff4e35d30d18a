/** The kinds of chains whose proofs are read. Of all others a proof is not checked. */
import { cosmos } from "./cosmos.ts"
import { evm } from "./evm.ts"
import type { Family } from "./family.ts"
import { substrate } from "./substrate.ts"

export const families: ReadonlyArray<Family> = [cosmos, evm, substrate]
