/** Several addresses of one thing: gateways of a chain, versions of a module, mirrors. One is asked, and the next if it is not there. */
import { Context, Effect } from "effect"
import type * as Upstream from "../Upstream.ts"

/** All addresses of what is being read through one of them. */
export const Alternatives = Context.Reference<ReadonlyArray<string>>("core/plugin/Alternatives", {
  defaultValue: () => []
})

/** Statuses of an address that is gone, or that its operator closed to strangers. */
export const isGone = (status: number): boolean =>
  status === 403 || status === 404 || status === 410 || status >= 500

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : address)

/** The address to ask after this failure: any other where this one is gone, one of another host where this host limits its callers. */
const nextAfter = (
  error: Upstream.UpstreamError,
  address: string,
  others: ReadonlyArray<string>,
  isElsewhere: (error: Upstream.UpstreamError) => boolean
): ReadonlyArray<string> => {
  if (isElsewhere(error)) return others
  if (error._tag === "UpstreamChanged") return []
  if (error._tag === "UpstreamUnreachable") return others
  if (error.isLimit) return others.filter((other) => hostOf(other) !== hostOf(address))
  return isGone(error.status) ? others : []
}

/**
 * Reads from the first of these addresses that is there. The next is asked after a status of 403, 404, 410 or 500 and more,
 * and after silence; after a limit (429, or a JSON-RPC error that is one) the next of another host. Any other failure is the
 * result, and so is the first one if no address is left; `isElsewhere` names
 * failures of one address that another need not have. What belongs together, such as values at one block, is read in one
 * `read`, so that one node gives it all.
 */
export const firstOf = Effect.fnUntraced(function* <A, R>(
  addresses: ReadonlyArray<string>,
  read: (address: string) => Effect.Effect<A, Upstream.UpstreamError, R>,
  isElsewhere: (error: Upstream.UpstreamError) => boolean = () => false
) {
  let first: Upstream.UpstreamError | undefined
  let [address, ...others] = addresses
  while (address !== undefined) {
    const outcome = yield* Effect.result(Effect.provideService(read(address), Alternatives, addresses))
    if (outcome._tag === "Success") return outcome.success
    first ??= outcome.failure
    ;[address, ...others] = nextAfter(outcome.failure, address, others, isElsewhere)
  }
  return yield* first ?? Effect.die("no address to read from")
})
