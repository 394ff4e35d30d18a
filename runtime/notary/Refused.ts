/** A session that a notary does not state. The message is the reason, without anything secret; the collector is told. */
export class Refused extends Error {
  override readonly name = "Refused"
}

/** Throws `Refused`. */
export const refuse = (why: string): never => {
  throw new Refused(why)
}

/** Throws `Refused` unless `condition` is true. */
export function demand(condition: boolean, why: string): asserts condition {
  if (!condition) throw new Refused(why)
}
