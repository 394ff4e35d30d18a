/** Failures as a worker's messages carry them, which would make a plain `Error` of every one. */
import { CouldNotLook, Malformed } from "../../../../core/proof/bytes.ts"

/** There was no answer at all, or one that the browser refused because its digest is of another body. */
export class Unanswered extends CouldNotLook {}

const kinds = { Unanswered, CouldNotLook, Malformed, Error }

export interface Failure {
  readonly kind: keyof typeof kinds
  readonly message: string
}

export const failureOf = (error: unknown): Failure => ({
  kind:
    error instanceof Unanswered
      ? "Unanswered"
      : error instanceof CouldNotLook
        ? "CouldNotLook"
        : error instanceof Malformed
          ? "Malformed"
          : "Error",
  message: error instanceof Error ? error.message : String(error)
})

export const errorOf = ({ kind, message }: Failure): Error => new kinds[kind](message)
