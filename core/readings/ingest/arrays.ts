/** Arrays as SQL parameters with the element type that the wire protocol requires. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Result } from "effect"

/** The most rows that one statement is about. */
export const rowsAtOnce = 5000

const array = (values: ReadonlyArray<unknown>, oid: number) => Result.getOrThrow(PgTypes.array(values, oid))

export const ints = (values: ReadonlyArray<number>) => array(values, PgTypes.OID.int4)
export const texts = (values: ReadonlyArray<string | null>) => array(values, PgTypes.OID.text)
/** Points in time; numbers are epoch milliseconds. */
export const times = (values: ReadonlyArray<Date | number>) => array(values, PgTypes.OID.timestamptz)
export const timesOrNull = (values: ReadonlyArray<Date | null>) => array(values, PgTypes.OID.timestamptz)
export const doubles = (values: ReadonlyArray<number>) => array(values, PgTypes.OID.float8)
export const booleans = (values: ReadonlyArray<boolean>) => array(values, PgTypes.OID.bool)
export const byteas = (values: ReadonlyArray<Uint8Array>) => array(values, PgTypes.OID.bytea)
