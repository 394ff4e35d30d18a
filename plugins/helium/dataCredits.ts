/** Data credits that subnetworks burned, and HNT that was emitted, as Helium's program on Solana counts them for each of its epochs, a UTC day. */
import { Effect, Schema } from "effect"
import { day, Upstream } from "#plugin"
import { distinct, nonEmpty } from "#plugin/fields"

/** `helium-sub-daos`. */
export const program = "hdaoVTCqhfHHo75XdAMxBKdUqvq1i5bF23sisBqVgGR"

/** Accounts of an epoch: the discriminator of their kind in base58, and where the number of the epoch begins in them. */
interface Kind {
  readonly discriminator: string
  readonly epochAt: number
}

/** SubDaoEpochInfoV0 (2df9b114aafb2525) of each subnetwork: epoch, address of the subnetwork, `dc_burned`. */
const burned: Kind = { discriminator: "8h25TYJjU9A", epochAt: 8 }

/** DaoEpochInfoV0 (0ba88ac49b937a2c), after a flag: epoch, address of the network, `total_rewards`. */
const emitted: Kind = { discriminator: "2x6qz37jqJb", epochAt: 9 }

/** A number of 8 bytes, an address of 32, and an amount of 8. */
const length = 48

const Accounts = nonEmpty(
  Schema.Struct({
    pubkey: Schema.String,
    account: Schema.Struct({ data: Schema.Tuple([Schema.NonEmptyString, Schema.Literal("base64")]) })
  })
)

interface OfEpoch {
  readonly epoch: number
  readonly amount: bigint
}

const readIn = (base64: string): OfEpoch | undefined => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  const view = new DataView(bytes.buffer)
  return bytes.length === length
    ? { epoch: Number(view.getBigUint64(0, true)), amount: view.getBigUint64(40, true) }
    : undefined
}

/** The amount of all accounts of a kind in the newest epoch that is over at a time, and the last moment of that epoch. */
const newest = Effect.fnUntraced(function* (kind: Kind, url: string, now: number) {
  const options = {
    encoding: "base64",
    dataSlice: { offset: kind.epochAt, length },
    filters: [{ memcmp: { offset: 0, bytes: kind.discriminator } }]
  }
  const answer = yield* Upstream.call(url, "getProgramAccounts", [program, options], Accounts)
  const read = distinct(answer.body, ({ pubkey }) => pubkey).map(({ account }) => readIn(account.data[0]))
  const all = read.filter((one) => one !== undefined)
  if (all.length < read.length)
    return yield* Upstream.implausible(answer, "data", "not the 48 bytes that were asked for")
  // Rewards are calculated some time after an epoch: until then its account has none.
  const over = all.filter(
    ({ amount, epoch }) => (epoch + 1) * day <= now && (kind !== emitted || amount > 0n)
  )
  if (over.length === 0) return yield* Upstream.implausible(answer, "data", "no epoch that is over")
  const last = over.reduce((most, { epoch }) => Math.max(most, epoch), 0)
  return {
    answer,
    as_of: (last + 1) * day - 1,
    amount: over.reduce((sum, { amount, epoch }) => (epoch === last ? sum + amount : sum), 0n)
  }
})

/** Credits that all subnetworks burned. */
export const newestBurned = (url: string, now: number) => newest(burned, url, now)

/** HNT that were emitted, in units of 10^-8. */
export const newestEmitted = (url: string, now: number) => newest(emitted, url, now)
