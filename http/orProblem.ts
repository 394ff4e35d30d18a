/** What core fails with, as the API declares it. */
import { Effect } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { BlobsUnavailable } from "../core/data/ingest/Blobs.ts"
import { NotAttested } from "../core/log/read/attest.ts"
import { NotDerived } from "../core/log/read/derivation.ts"
import { BriefUnknown } from "../core/publications/Brief.ts"
import { NotFound } from "../core/wire/problems/request.ts"

/** Of its own name in core, where others tell it from what else may be missing. */
type Absent = BriefUnknown | NotAttested | NotDerived

/** What was read from the database or the store of bodies did not come. */
type Failed = SqlError | BlobsUnavailable

type Declared<E> = Exclude<E, Failed | Absent> | (E extends Absent ? NotFound : never)

const isAbsent = (error: unknown): error is Absent =>
  error instanceof BriefUnknown || error instanceof NotAttested || error instanceof NotDerived

/**
 * Refusals of core are problems already. A database or a store of bodies that fails is no refusal: the defect is answered
 * where all are. What is not there is a 404.
 */
export const orProblem = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Declared<E>, R> =>
  Effect.catch(effect, (error) => {
    if (isSqlError(error) || error instanceof BlobsUnavailable) return Effect.die(error)
    return Effect.fail((isAbsent(error) ? new NotFound({ message: error.message }) : error) as Declared<E>)
  })
