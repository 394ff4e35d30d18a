/** Proves control of a wallet with a signed text and a one-time nonce. This decides who is credited and moves no funds. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { minute } from "../../plugin/time.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Challenge, Verified } from "../../wire/credits/chain.ts"
import { CryptoUnavailable, WalletUnverified } from "../../wire/problems/chain.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import type { Account } from "../Accounts.ts"
import { sha256 } from "../Secret.ts"
import { challengeMinutes } from "./bounds.ts"
import { Chain } from "./Chain.ts"
import { addressOf, checksummed, signatureFault, signerOf, walletKind } from "./signature.ts"

const challengeRows = rowsOf({ wallet: Schema.String, message: Schema.String })

/** Why no stablecoins can be sent to a service without a chain. */
export const notConfigured = "This service takes no stablecoins: no chain is configured for them."

/** Parses the wallet address in a field. */
export const readAddress = (field: string, text: string): Effect.Effect<string, BadParameter> => {
  const address = addressOf(text)
  return address === undefined
    ? Effect.fail(
        new BadParameter({
          field,
          message: `${field} must be 0x and 40 hex digits, in lower case or with a valid checksum.`
        })
      )
    : Effect.succeed(address)
}

export class Wallets extends Context.Service<
  Wallets,
  {
    readonly challenge: (
      account: Account,
      wallet: string,
      baseUrl: string
    ) => Effect.Effect<typeof Challenge.Type, CryptoUnavailable | BadParameter | SqlError>
    readonly verify: (
      account: Account,
      nonce: string,
      signature: string
    ) => Effect.Effect<typeof Verified.Type, CryptoUnavailable | BadParameter | SqlError>
    /** Fails unless this key has verified the wallet and the wallet is still not a contract. */
    readonly requireVerified: (
      account: Account,
      wallet: string
    ) => Effect.Effect<void, CryptoUnavailable | BadParameter | WalletUnverified | SqlError>
  }
>()("core/credits/chain/Wallets") {
  static readonly layer = Layer.effect(
    Wallets,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom
      const chain = yield* Chain

      const configured =
        chain === null
          ? Effect.fail(new CryptoUnavailable({ message: notConfigured }))
          : Effect.succeed(chain)

      /** Whether the wallet delegates (EIP-7702). Fails for a contract, which cannot sign. */
      const kindOf = Effect.fnUntraced(function* (field: string, wallet: string) {
        const code = (yield* configured)
          .code(wallet)
          .pipe(Effect.mapError(({ message }) => new CryptoUnavailable({ message })))
        const kind = walletKind(yield* code)
        if (kind === "contract") {
          return yield* new BadParameter({
            field,
            message:
              `${field} is the address of a contract. Only externally owned wallets are supported, ` +
              "not smart-contract wallets or exchange withdrawal addresses."
          })
        }
        return kind === "delegated"
      })

      return Wallets.of({
        challenge: Effect.fn("Wallets.challenge")(function* (account, named, baseUrl) {
          const { chainId } = yield* configured
          const wallet = yield* readAddress("wallet", named)
          // Checked now, because a contract could not sign the challenge.
          yield* kindOf("wallet", wallet)
          const nonce = Hex.encode(yield* random.randomBytes(16))
          const now = yield* Clock.currentTimeMillis
          const expires = new Date(now + challengeMinutes * minute)
          const host = new URL(baseUrl).host
          const message = [
            `${host} wants you to sign in with your Ethereum account:`,
            checksummed(wallet),
            "",
            `Verify that you control this wallet, to top up the Plumbline account ${account.id}. This moves no funds.`,
            "",
            `URI: ${baseUrl}/v1/credits/crypto/verify`,
            "Version: 1",
            `Chain ID: ${chainId}`,
            `Nonce: ${nonce}`,
            `Issued At: ${new Date(now).toISOString()}`,
            `Expiration Time: ${expires.toISOString()}`
          ].join("\n")
          yield* sql`
            insert into wallet_challenge (nonce_hash, account, wallet, message, expires_at)
            values (${sha256(nonce)}, ${account.id}, ${wallet}, ${message}, ${expires})`
          return { message, nonce, expires_at: expires.toISOString() }
        }),

        verify: Effect.fn("Wallets.verify")(function* (account, nonce, signature) {
          yield* configured
          const message = signatureFault(signature)
          if (message !== undefined) return yield* new BadParameter({ field: "signature", message })
          const now = new Date(yield* Clock.currentTimeMillis)
          const spent = new BadParameter({
            field: "nonce",
            message:
              "Invalid nonce for this key: it is unknown, already used or older than 10 minutes. Request a new challenge."
          })
          const open = sql`nonce_hash = ${sha256(nonce)} and account = ${account.id} and used_at is null
            and expires_at >= ${now}`
          const [challenge] = yield* sql`
            select wallet, message from wallet_challenge where ${open}`.pipe(challengeRows)
          if (challenge === undefined) return yield* spent
          // biome-ignore lint/plugin/promise: recovers a key in memory; an invalid signature gives undefined
          const signer = yield* Effect.promise(() => signerOf(challenge.message, signature))
          if (signer !== challenge.wallet) {
            return yield* new BadParameter({
              field: "signature",
              message: "signature does not match: the wallet must sign exactly the message of the challenge."
            })
          }
          const delegated = yield* kindOf("wallet", challenge.wallet)
          yield* sql.withTransaction(
            Effect.gen(function* () {
              // A single update claims the nonce; of two concurrent calls, one finds it used.
              const claimed =
                yield* sql`update wallet_challenge set used_at = ${now} where ${open} returning wallet`
              if (claimed.length === 0) return yield* spent
              yield* sql`
                insert into wallet (account, address, delegated, verified_at)
                values (${account.id}, ${challenge.wallet}, ${delegated}, ${now})
                on conflict (account, address) do update set delegated = excluded.delegated,
                  verified_at = excluded.verified_at`
            })
          )
          return {
            status: "verified",
            wallet: checksummed(challenge.wallet),
            delegated,
            message:
              "This key can now be topped up from this wallet. The signature proves control of the wallet, not identity."
          }
        }),

        requireVerified: Effect.fn("Wallets.requireVerified")(function* (account, wallet) {
          const rows = yield* sql`
            select 1 as one from wallet where account = ${account.id} and address = ${wallet}`
          if (rows.length === 0) {
            return yield* new WalletUnverified({
              field: "from_address",
              message:
                "This key has not verified the wallet in from_address. Start with POST /v1/credits/crypto/challenge."
            })
          }
          yield* kindOf("from_address", wallet)
        })
      })
    })
  )
}
