/**
 * The token's contract and its chain over JSON-RPC: what an authorization needs, and what became of it. The chain is the
 * only witness; what a facilitator says is checked here as well.
 */
import { Clock, Data, type Duration, Effect, Result, Schedule } from "effect"
import {
  type Address,
  type BaseError,
  createPublicClient,
  domainSeparator,
  ExecutionRevertedError,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  http,
  type PublicClient,
  parseAbi,
  parseEventLogs,
  parseSignature,
  recoverAddress,
  type TransactionReceipt,
  TransactionReceiptNotFoundError
} from "viem"
import {
  type Authorization,
  type Payment,
  PaymentRefused,
  type Settlement,
  SettlerUnavailable,
  type SubmittedTransaction,
  type Terms
} from "../../../core/credits/x402/Settler.ts"

export interface Where {
  readonly rpcUrl: string
  readonly chainId: number
  readonly asset: Address
  readonly payTo: Address
  /** How often, and how many times more, a request looks for the receipt before the sale is left to be followed up. */
  readonly waits?: { readonly every: Duration.Input; readonly times: number }
}

const defaultWaits = { every: "400 millis", times: 50 } as const

/** The chain or the token is not what the settings say: nothing must be sold. */
export class TermsWrong extends Data.TaggedError("TermsWrong")<{ readonly message: string }> {}

const abi = parseAbi([
  "function name() view returns (string)",
  "function version() view returns (string)",
  "function decimals() view returns (uint8)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function balanceOf(address account) view returns (uint256)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)"
])

/** What an authorization is signed over, beside the token's domain. */
export const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
} as const

/** Networks as version 1 names them, and native USDC's domain there (Circle's and the protocol's lists, 2026-11-20). */
const knownNetworks: Readonly<
  Record<number, { readonly v1: string; readonly usdc: string; readonly name: string }>
> = {
  8453: { v1: "base", usdc: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", name: "USD Coin" },
  84532: { v1: "base-sepolia", usdc: "0x036cbd53842c5426634e7929541ec2318f3dcf7e", name: "USDC" }
}

const hex = (text: string): Hex => `0x${text.replace(/^0x/, "")}`

const isViem = (error: unknown): error is BaseError =>
  error instanceof Error && "walk" in error && typeof error.walk === "function"

export const isReverted = (error: unknown): boolean =>
  isViem(error) &&
  (error.walk((cause) => cause instanceof ExecutionRevertedError) !== null ||
    /revert/i.test(error.shortMessage))

/** An RPC's own words may quote its address with a key in it: they do not leave this file. */
const unreachable = () => new SettlerUnavailable({ message: "the chain cannot be asked at the moment." })

const read = <A>(run: () => Promise<A>): Effect.Effect<A, SettlerUnavailable> =>
  Effect.tryPromise({ try: run, catch: unreachable })

const refuse = (reason: string, message: string) =>
  new PaymentRefused({ reason, message: `${message} Nothing was charged.` })

/** A signature that carries what would deploy its wallet (ERC-6492) ends in this. */
const counterfactual = "6492649264926492649264926492649264926492649264926492649264926492"
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
/** r, s and v of a key: 65 bytes. */
const keySignature = /^0x[0-9a-f]{128}(1b|1c|00|01)$/
const valid1271 = "0x1626ba7e"

/** Blocks in one question for logs, and of the past in which an authorization that still holds was used. */
const blocksAtOnce = 2000n
const lookBack = 2000n
const mostQuestions = 30

/** The token's contract on its chain, and who is paid there. */
interface Place {
  readonly client: PublicClient
  readonly token: { readonly address: Address; readonly abi: typeof abi }
  readonly chainId: number
  readonly asset: Address
  readonly payTo: Address
}

/** The same with what signing will use, which is read from it. */
interface Contract extends Place {
  readonly terms: Effect.Effect<Terms, SettlerUnavailable>
}

export const makeToken = ({ asset, chainId, payTo, rpcUrl, waits = defaultWaits }: Where) => {
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: 10_000, retryCount: 1 }) })
  const place: Place = { client, token: { address: asset, abi }, chainId, asset, payTo }
  const contract: Contract = { ...place, terms: cachedTerms(place) }
  return {
    client,
    readTerms: readTerms(place),
    terms: contract.terms,
    callData,
    verify: (payment: Payment) => verify(contract, payment),
    /** What the chain says of a payment now; reads only. `unknown` while it may still go either way. */
    outcome: (payment: Payment, since: bigint, submission: SubmittedTransaction | undefined) =>
      outcome(contract, payment, since, submission),
    /** The same, looked for again while it is unknown. */
    awaited: (payment: Payment, since: bigint, submission: SubmittedTransaction | undefined) =>
      outcome(contract, payment, since, submission).pipe(
        Effect.repeat({
          schedule: Schedule.spaced(waits.every),
          times: waits.times,
          while: ({ kind }) => kind === "unknown"
        }),
        // The chain is outside this process: its blocks come in real time, whatever clock the service runs by.
        Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
      ),
    finality: (transaction: string) => finality(contract, transaction)
  }
}

export type Token = ReturnType<typeof makeToken>

const verify = Effect.fn("Token.verify")(function* (contract: Contract, payment: Payment) {
  const { asset, client } = contract
  const { authorization } = payment
  yield* checkSignature(contract, payment)
  const since = yield* read(() => client.getBlockNumber({ cacheTime: 0 }))
  if (yield* isUsed(contract, authorization, since)) {
    const use = yield* useOf(contract, authorization, since, since)
    if (use?.kind === "paid") return { since, settled: use.transaction }
    return yield* refuse("invalid_transaction_state", "The authorization is used or canceled.")
  }
  if ((yield* balanceOf(contract, authorization.from)) < authorization.value) {
    return yield* refuse("insufficient_funds", "The payer does not hold the amount.")
  }
  yield* Effect.tryPromise({
    try: () => client.call({ to: asset, data: callData(payment) }),
    catch: (error) =>
      isReverted(error)
        ? refuse("invalid_transaction_state", "The token's contract would not take it.")
        : unreachable()
  })
  return { since }
})

const checkSignature = Effect.fnUntraced(function* (
  contract: Contract,
  { authorization, signature }: Payment
) {
  const { asset, chainId, client } = contract
  const wrong = (message: string) => refuse("invalid_exact_evm_payload_signature", `signature: ${message}`)
  if (signature.endsWith(counterfactual)) {
    return yield* wrong("the wallet is not deployed, and we deploy none for a payer.")
  }
  const { domain } = yield* contract.terms
  const digest = hashTypedData({
    domain: { ...domain, chainId, verifyingContract: asset },
    types,
    primaryType: "TransferWithAuthorization",
    message: {
      from: hex(authorization.from),
      to: hex(authorization.to),
      value: authorization.value,
      validAfter: authorization.validAfter,
      validBefore: authorization.validBefore,
      nonce: hex(authorization.nonce)
    }
  })
  const code = yield* read(() => client.getCode({ address: hex(authorization.from) }))
  if (code !== undefined) {
    // A wallet that is a contract, or a key that has lent its address to one: it says itself what it signed.
    const answer = yield* Effect.tryPromise({
      try: () =>
        client.readContract({
          address: hex(authorization.from),
          abi,
          functionName: "isValidSignature",
          args: [digest, hex(signature)]
        }),
      catch: (error) =>
        isViem(error) && !/HTTP|fetch|timed? ?out/i.test(error.shortMessage)
          ? wrong("the wallet's contract does not confirm it.")
          : unreachable()
    })
    if (answer !== valid1271) return yield* wrong("the wallet's contract does not confirm it.")
    return
  }
  if (!keySignature.test(signature)) {
    return yield* wrong("it takes the 65 bytes of a key's signature.")
  }
  if (BigInt(`0x${signature.slice(66, 130)}`) > halfOrder) {
    return yield* wrong("s is in the upper half of its range.")
  }
  // biome-ignore lint/plugin/promise: recovers a key in memory; what is no signature gives undefined
  const signer = yield* Effect.promise(() =>
    recoverAddress({ hash: digest, signature: hex(signature) }).catch(() => undefined)
  )
  if (signer?.toLowerCase() !== authorization.from) {
    return yield* wrong("it is not the payer's over these values.")
  }
})

/** The call that settles: with v, r, s where it is a key's signature, which every version of the token takes. */
const callData = ({ authorization, signature }: Payment): Hex => {
  if (!keySignature.test(signature)) {
    return encodeFunctionData({
      abi,
      functionName: "transferWithAuthorization",
      args: [...argumentsOf(authorization), hex(signature)]
    })
  }
  const { r, s, yParity } = parseSignature(hex(signature))
  return encodeFunctionData({
    abi,
    functionName: "transferWithAuthorization",
    args: [...argumentsOf(authorization), 27 + yParity, r, s]
  })
}

const argumentsOf = ({ from, nonce, to, validAfter, validBefore, value }: Authorization) =>
  [hex(from), hex(to), value, validAfter, validBefore, hex(nonce)] as const

/** What the chain says of a payment now; reads only. `unknown` while it may still go either way. */
const outcome = Effect.fnUntraced(
  function* (
    contract: Contract,
    payment: Payment,
    since: bigint,
    submission: SubmittedTransaction | undefined
  ) {
    const { client } = contract
    const { authorization } = payment
    const unknown = unknownOf(submission)
    const receipt = submission === undefined ? undefined : yield* receiptOf(contract, submission.transaction)
    if (receipt !== undefined && paysIn(contract, authorization, receipt)) {
      return { kind: "settled", transaction: receipt.transactionHash } as const
    }
    const block = yield* read(() => client.getBlock({ blockTag: "latest" }))
    // A lagging node must not say of an older block that the authorization is unused.
    const at =
      receipt !== undefined && receipt.blockNumber > block.number ? receipt.blockNumber : block.number
    if (yield* isUsed(contract, authorization, at)) {
      const use = yield* useOf(contract, authorization, since, at)
      if (use === undefined) return unknown
      return use.kind === "paid"
        ? ({ kind: "settled", transaction: use.transaction } as const)
        : ({
            kind: "failed",
            reason: "invalid_transaction_state",
            message: "The authorization was used, and it did not pay us."
          } as const)
    }
    if (receipt !== undefined) {
      const short = (yield* balanceOf(contract, authorization.from)) < authorization.value
      return {
        kind: "failed",
        reason: short ? "insufficient_funds" : "invalid_transaction_state",
        message: short
          ? "The payer no longer held the amount when it was to move. Nothing was charged."
          : "The token's contract did not take the payment. Nothing was charged.",
        ...(block.timestamp < authorization.validBefore ? { submittable: true as const } : {})
      } as const
    }
    if (block.timestamp >= authorization.validBefore) {
      return {
        kind: "failed",
        reason: "invalid_exact_evm_payload_authorization_valid_before",
        message: "The authorization ended before the payment was on the chain. Nothing was charged."
      } as const
    }
    return unknown
  },
  (settlement, _contract, _payment, _since, submission) =>
    Effect.orElseSucceed(settlement, () => unknownOf(submission))
)

const unknownOf = (submission: SubmittedTransaction | undefined): Settlement => ({
  kind: "unknown",
  ...(submission === undefined ? {} : { transaction: submission.transaction })
})

/** An authorization that is used: by a transfer to us, or by something else; undefined where no log is found. */
const useOf = Effect.fnUntraced(function* (
  contract: Contract,
  authorization: Authorization,
  since: bigint,
  latest: bigint
) {
  const { client, token } = contract
  const { from, nonce } = authorization
  let start = since > lookBack ? since - lookBack : 0n
  for (let n = 0; start <= latest && n < mostQuestions; n++) {
    const end = start + blocksAtOnce - 1n > latest ? latest : start + blocksAtOnce - 1n
    const logs = yield* read(() =>
      client.getContractEvents({
        ...token,
        eventName: "AuthorizationUsed",
        args: { authorizer: hex(from), nonce: hex(nonce) },
        fromBlock: start,
        toBlock: end
      })
    )
    const [log] = logs
    if (log !== undefined) {
      const receipt = yield* receiptOf(contract, log.transactionHash)
      if (receipt === undefined) return undefined
      return paysIn(contract, authorization, receipt)
        ? ({ kind: "paid", transaction: log.transactionHash } as const)
        : ({ kind: "other" } as const)
    }
    const canceled = yield* read(() =>
      client.getContractEvents({
        ...token,
        eventName: "AuthorizationCanceled",
        args: { authorizer: hex(from), nonce: hex(nonce) },
        fromBlock: start,
        toBlock: end
      })
    )
    if (canceled.length > 0) return { kind: "other" } as const
    start = end + 1n
  }
  return undefined
})

/**
 * Did this transaction use the authorization and pay its recipient with it? The token tells the transfer right after the use: a
 * transfer elsewhere in the same transaction belongs to another authorization.
 */
const paysIn = (
  { asset }: Place,
  { from, nonce, to, value }: Authorization,
  { logs, status }: TransactionReceipt
): boolean => {
  if (status !== "success") return false
  const events = parseEventLogs({
    abi,
    logs: logs.filter(({ address }) => address.toLowerCase() === asset.toLowerCase())
  })
  const used = events.find(
    (event) =>
      event.eventName === "AuthorizationUsed" &&
      event.args.authorizer.toLowerCase() === from &&
      event.args.nonce === nonce
  )
  if (used === undefined) return false
  return events.some(
    (event) =>
      event.eventName === "Transfer" &&
      event.logIndex === used.logIndex + 1 &&
      event.args.from.toLowerCase() === from &&
      event.args.to.toLowerCase() === to &&
      event.args.value === value
  )
}

const finality = Effect.fnUntraced(function* (contract: Contract, transaction: string) {
  const { client } = contract
  const receipt = yield* receiptOf(contract, transaction)
  if (receipt?.status !== "success") return "gone" as const
  const finalized = yield* read(() => client.getBlock({ blockTag: "finalized" }))
  return receipt.blockNumber <= finalized.number ? ("final" as const) : ("included" as const)
})

const isUsed = (
  { client, token }: Place,
  { from, nonce }: Pick<Authorization, "from" | "nonce">,
  blockNumber: bigint
) =>
  read(() =>
    client.readContract({
      ...token,
      functionName: "authorizationState",
      args: [hex(from), hex(nonce)],
      blockNumber
    })
  )

const balanceOf = ({ client, token }: Place, account: string) =>
  read(() => client.readContract({ ...token, functionName: "balanceOf", args: [hex(account)] }))

const receiptOf = ({ client }: Place, transaction: string) =>
  Effect.tryPromise({
    try: () => client.getTransactionReceipt({ hash: hex(transaction) }),
    catch: (error) => (error instanceof TransactionReceiptNotFoundError ? undefined : unreachable())
  }).pipe(Effect.catch((error) => (error === undefined ? Effect.succeed(undefined) : Effect.fail(error))))

/** Reads the contract's own words, and holds them against what signing will use. */
const readTerms = Effect.fnUntraced(function* (place: Place) {
  const { asset, chainId, client, payTo, token } = place
  const native = knownNetworks[chainId]
  const actual = yield* read(() => client.getChainId())
  if (actual !== chainId) {
    return yield* new TermsWrong({
      message: `EVM_CHAIN_ID is ${chainId}, but EVM_RPC_URL serves chain ${actual}`
    })
  }
  const code = yield* read(() => client.getCode({ address: asset }))
  if (code === undefined) {
    return yield* new TermsWrong({
      message: `USDC_ADDRESS ${asset}: chain ${chainId} has no contract at this address`
    })
  }
  const fields = yield* Effect.tryPromise({
    try: () =>
      Promise.all([
        client.readContract({ ...token, functionName: "name" }),
        client.readContract({ ...token, functionName: "version" }),
        client.readContract({ ...token, functionName: "decimals" }),
        client.readContract({ ...token, functionName: "DOMAIN_SEPARATOR" })
      ]),
    catch: (error) =>
      isReverted(error)
        ? new TermsWrong({ message: `USDC_ADDRESS ${asset}: not a token with EIP-3009` })
        : unreachable()
  })
  const [name, version, decimals, separator] = fields
  if (decimals !== 6) {
    return yield* new TermsWrong({
      message: `USDC_ADDRESS ${asset}: the token has ${decimals} decimals, not 6`
    })
  }
  const expected = domainSeparator({ domain: { name, version, chainId, verifyingContract: asset } })
  if (separator !== expected) {
    return yield* new TermsWrong({
      message: `USDC_ADDRESS ${asset}: its signing domain does not match its name, version and chain (${name}, ${version})`
    })
  }
  if (native?.usdc === asset.toLowerCase() && (name !== native.name || version !== "2")) {
    return yield* new TermsWrong({
      message: `USDC_ADDRESS ${asset}: the token is ${name} ${version}, but native USDC is ${native.name} 2`
    })
  }
  return {
    network: `eip155:${chainId}`,
    ...(native === undefined ? {} : { networkV1: native.v1 }),
    asset,
    payTo,
    domain: { name, version }
  } satisfies Terms
})

/** The terms, read once; after a failure the next question is 10 s later. */
const cachedTerms = (place: Place): Effect.Effect<Terms, SettlerUnavailable> => {
  let terms: Terms | undefined
  let failure: { readonly at: number; readonly error: SettlerUnavailable } | undefined
  return Effect.gen(function* () {
    if (terms !== undefined) return terms
    const now = yield* Clock.currentTimeMillis
    if (failure !== undefined && now - failure.at < 10_000) return yield* failure.error
    const result = yield* Effect.result(readTerms(place))
    if (Result.isFailure(result)) {
      failure = { at: now, error: new SettlerUnavailable({ message: result.failure.message }) }
      return yield* failure.error
    }
    terms = result.success
    return terms
  })
}
