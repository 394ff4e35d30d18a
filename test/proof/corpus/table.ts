/** A table of forgeries: each is a true original with one thing changed, and names the check that must find it. */
import { type Bundle, parseBundle } from "../../../core/proof/bundle.ts"
import { Malformed } from "../../../core/proof/bytes.ts"
import { allHold, allProved, type Check, failed } from "../../../core/proof/check.ts"
import { thumbprint } from "../../../core/proof/keys.ts"
import { type BundleOptions, verifyBundle } from "../../../core/proof/verifyBundle.ts"
import { publicKeyOf } from "../../support/ed25519.ts"
import { bundleOf, secret } from "../../support/publication.ts"

export interface Forgery<A> {
  readonly name: string
  /** Name of the check that finds it; `read` if it cannot even be read. */
  readonly foundBy: string
  readonly forge: (original: A) => A
  /** What the check says. */
  readonly says?: RegExp
  /** It is not refuted, but nothing proves it either: exit code 2. */
  readonly notProved?: true
}

/** One kind of original with its forgeries. */
export interface Group {
  readonly of: string
  readonly honest: () => ReadonlyArray<Check>
  readonly forgeries: ReadonlyArray<
    Omit<Forgery<unknown>, "forge"> & {
      readonly checks: () => ReadonlyArray<Check>
      readonly forged: () => unknown
    }
  >
}

export const readable = (work: () => ReadonlyArray<Check>): ReadonlyArray<Check> => {
  try {
    return work()
  } catch (error) {
    if (error instanceof Malformed) return [failed("read", error.message, error.reason)]
    throw error
  }
}

export const group = <A>(
  of: string,
  original: () => A,
  verify: (it: A) => ReadonlyArray<Check>,
  forgeries: ReadonlyArray<Forgery<A>>
): Group => ({
  of,
  honest: () => readable(() => verify(original())),
  forgeries: forgeries.map(({ forge, ...rest }) => ({
    ...rest,
    checks: () => readable(() => verify(forge(original()))),
    forged: () => forge(original())
  }))
})

/** The exit code of `verify`. */
export const exitOf = (checks: ReadonlyArray<Check>): 0 | 1 | 2 =>
  !allHold(checks) ? 1 : allProved(checks) ? 0 : 2

export const network = "bitcoin-regtest-fixture" as const
export const pins = [thumbprint(publicKeyOf(secret))]
export const now = Date.parse("2026-09-06T09:00:00Z")

/** A bundle, and what the caller asks of it. */
export interface VerifierInput {
  readonly bundle: Bundle
  readonly options: BundleOptions
}

/** A true bundle whose reader gave the operator's key, and knows what he asked for. */
export const trueInput = (bundle: Bundle = bundleOf(3, 2), options: BundleOptions = {}): VerifierInput => ({
  bundle,
  options: { network, pins, now, ...options }
})

export const verifyTold = ({ bundle, options }: VerifierInput): ReadonlyArray<Check> =>
  verifyBundle(parseBundle(JSON.stringify(bundle)), options).checks

/** Changes the bundle alone. */
export const change =
  (how: (bundle: Bundle) => Bundle) =>
  ({ bundle, options }: VerifierInput): VerifierInput => ({ bundle: how(bundle), options })
