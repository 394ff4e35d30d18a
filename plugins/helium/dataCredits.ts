/** Data credits that subnetworks burned, as Helium's program on Solana counts them for each of its epochs, a UTC day. */
import { Effect, Schema } from "effect"
import { day, Upstream } from "#plugin"
import { distinct, nonEmpty } from "#plugin/fields"

/** `helium-sub-daos`. */
export const program = "hdaoVTCqhfHHo75XdAMxBKdUqvq1i5bF23sisBqVgGR"

/** Anchor discriminator of SubDaoEpochInfoV0 (2df9b114aafb2525), in base58. */
const subDaoEpochInfo = "8h25TYJjU9A"

/** Epoch, address of the subnetwork and `dc_burned`: what stands after the discriminator. */
const slice = { offset: 8, length: 48 }

const Accounts = nonEmpty(
  Schema.Struct({
    pubkey: Schema.String,
    account: Schema.Struct({ data: Schema.Tuple([Schema.NonEmptyString, Schema.Literal("base64")]) })
  })
)

interface Burned {
  readonly epoch: number
  readonly credits: bigint
}

const burnedIn = (base64: string): Burned | undefined => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  const view = new DataView(bytes.buffer)
  return bytes.length === slice.length
    ? { epoch: Number(view.getBigUint64(0, true)), credits: view.getBigUint64(40, true) }
    : undefined
}

/** The credits that all subnetworks burned in the newest epoch that is over at a time, and the last moment of that epoch. */
export const newestBurned = Effect.fnUntraced(function* (url: string, now: number) {
  const options = {
    encoding: "base64",
    dataSlice: slice,
    filters: [{ memcmp: { offset: 0, bytes: subDaoEpochInfo } }]
  }
  const answer = yield* Upstream.call(url, "getProgramAccounts", [program, options], Accounts)
  const read = distinct(answer.body, ({ pubkey }) => pubkey).map(({ account }) => burnedIn(account.data[0]))
  const all = read.filter((one) => one !== undefined)
  if (all.length < read.length)
    return yield* Upstream.implausible(answer, "data", "not the 48 bytes that were asked for")
  const over = all.filter(({ epoch }) => (epoch + 1) * day <= now)
  if (over.length === 0) return yield* Upstream.implausible(answer, "data", "no epoch that is over")
  const newest = over.reduce((most, { epoch }) => Math.max(most, epoch), 0)
  return {
    answer,
    as_of: (newest + 1) * day - 1,
    credits: over.reduce((sum, { credits, epoch }) => (epoch === newest ? sum + credits : sum), 0n)
  }
})
