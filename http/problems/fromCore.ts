/** Turns core's failures into those that the API declares. */
import { Effect } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { NotDerived } from "../../core/log/record/derivation.ts"
import { BriefUnknown } from "../../core/publications/Brief.ts"
import { BlobsUnavailable } from "../../core/readings/ingest/Blobs.ts"
import { NotFound } from "../../core/wire/problems/request.ts"

/** Core has separate errors for these; REST reports each as 404. */
type Absent = BriefUnknown | NotDerived

/** The database or the blob store failed. */
type Failed = SqlError | BlobsUnavailable

type Declared<E> = Exclude<E, Failed | Absent> | (E extends Absent ? NotFound : never)

const isAbsent = (error: unknown): error is Absent =>
  error instanceof BriefUnknown || error instanceof NotDerived

/**
 * Most errors of core are already problems and pass through. Missing things become a 404; failures of the database or
 * blob store become defects, which `toProblem.ts` answers.
 */
export const orProblem = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Declared<E>, R> =>
  Effect.catch(effect, (error) => {
    if (isSqlError(error) || error instanceof BlobsUnavailable) return Effect.die(error)
    return Effect.fail((isAbsent(error) ? new NotFound({ message: error.message }) : error) as Declared<E>)
  })
