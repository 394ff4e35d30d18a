/**
 * A service that a subnet runs itself, with the registration that it belongs to: when the chain tells another block, the service is
 * somebody else's, whatever it answers.
 */
import type { Evidence } from "#plugin"
import type { Figures, Query } from "#plugin/declare"
import type { metrics } from "./metrics.ts"

export type Name = keyof typeof metrics & string

export interface Service extends Query<Figures<Name>> {
  readonly netuid: number
  /** `NetworkRegisteredAt` of the owner whose service this is. */
  readonly registered_at: number
  /** Where the members were read. */
  readonly evidence: ReadonlyArray<Evidence>
  readonly ask: string
}

/** Where members of an answer were read. */
export const readIn = (source: string, ...members: ReadonlyArray<string>): Evidence => ({
  source,
  read: "2026-11-25",
  members
})
