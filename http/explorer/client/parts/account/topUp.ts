/**
 * Adding credits with a wallet in the browser: it proves that it belongs to this account, then sends one transfer of exactly
 * the amount of a quote. The quote is kept in the tab until it is credited, so that nothing is sent a second time.
 */
import { call, storedKey } from "./api.ts"
import { accountOf, hexOf, type Provider, providerOf, switchTo, walletErrorMessage } from "./provider.ts"

export interface CryptoStatus {
  readonly enabled: boolean
  readonly chain?: string
  readonly min_usd: number
  readonly max_usd: number
  readonly credited_when: string
}

interface Quote {
  readonly quote_id: string
  readonly deposit_address: string
  readonly amount: string
  readonly expires_at: string
  readonly from_address: string
  readonly token: string
  readonly chain_id: number
}

interface Receipt {
  readonly transaction: string
  readonly from_address: string
  readonly amount: string
  readonly status: "seen" | "finalized" | "credited" | "unmatched"
  readonly reason?: string
}

/** A quote, and the transaction that pays it once the wallet has sent one. */
interface Pending {
  readonly account: string
  readonly quote: Quote
  readonly transaction?: string
}

const place = "topup"

/** What this tab has begun for the account; null if nothing. */
export const pendingTopUp = (account: string): Pending | null => {
  const pending: Pending | null = JSON.parse(sessionStorage.getItem(place) ?? "null")
  return pending?.account === account ? pending : null
}

const keep = (pending: Pending) => sessionStorage.setItem(place, JSON.stringify(pending))
const forget = () => sessionStorage.removeItem(place)

/** What is left of a quote is looked at this often, in milliseconds. */
const every = 2000

/** Says what happens; the last words are the answer. */
type Say = (text: string) => void

/** Asks for a quote; a wallet that this account does not know signs first that it belongs to it. */
const quoteFor = async (
  provider: Provider,
  amount: string,
  from: string,
  say: Say
): Promise<Quote | string> => {
  const ask = () => call<Quote>("/v1/credits/topup", { body: { method: "usdc", amount, from_address: from } })
  const first = await ask()
  if ("value" in first) return first.value
  if (first.error !== "wallet_unverified") return first.problem
  const challenge = await call<{ message: string; nonce: string }>("/v1/credits/crypto/challenge", {
    body: { wallet: from }
  })
  if ("problem" in challenge) return challenge.problem
  say("Waiting for the wallet to sign that it is yours …")
  const { message, nonce } = challenge.value
  const signature = await provider.request({
    method: "personal_sign",
    params: [hexOf(new TextEncoder().encode(message)), from]
  })
  const verified = await call("/v1/credits/crypto/verify", { body: { nonce, signature } })
  if ("problem" in verified) return verified.problem
  const second = await ask()
  return "value" in second ? second.value : second.problem
}

/** USDC as its smallest unit. */
const unitsOf = (amount: string): bigint => {
  const [whole = "", part = ""] = amount.split(".")
  return BigInt(whole + part.padEnd(6, "0"))
}

const word = (value: bigint): string => value.toString(16).padStart(64, "0")

/** `transfer(address,uint256)` of the token. */
const transferOf = ({ amount, deposit_address }: Quote): string =>
  `0xa9059cbb${word(BigInt(deposit_address))}${word(unitsOf(amount))}`

/** The transfer that pays the quote, as the service sees it; undefined if it has not seen it yet. */
const receiptOf = async ({ quote, transaction }: Pending): Promise<Receipt | undefined> => {
  const response = await call<{ receipts: ReadonlyArray<Receipt> }>("/v1/credits/crypto/receipts")
  if ("problem" in response) return undefined
  return response.value.receipts.find((one) =>
    transaction === undefined
      ? one.amount === quote.amount && one.from_address === quote.from_address
      : one.transaction.toLowerCase() === transaction.toLowerCase()
  )
}

/** Counts who follows: the page that is shown does, and nobody else. */
let followers = 0

/** Follows a transfer that was sent until it is credited; false if it is not, or if another key or page follows. */
export const followTopUp = async (account: string, status: CryptoStatus, say: Say): Promise<boolean> => {
  const me = ++followers
  const key = storedKey()
  for (;;) {
    const pending = pendingTopUp(account)
    if (pending === null || me !== followers || storedKey() !== key) return false
    const receipt = await receiptOf(pending)
    const amountText = `${pending.quote.amount} USDC`
    switch (receipt?.status) {
      case "credited":
        forget()
        say(`${amountText} arrived and were credited.`)
        return true
      case "unmatched":
        forget()
        say(
          `${amountText} arrived and were not credited: ${receipt.reason ?? ""} Tell the operator ${receipt.transaction}.`
        )
        return false
      case "seen":
      case "finalized":
        say(`${amountText} are on the chain. ${status.credited_when} You can close this page.`)
        break
      default:
        say(`${amountText} were sent and are not on the chain yet. Do not send them again.`)
    }
    await new Promise((resolve) => setTimeout(resolve, every))
  }
}

/** Gets a quote and has the wallet pay it; true once the transfer is sent. */
export const sendTopUp = async (account: string, amount: string, say: Say): Promise<boolean> => {
  const provider = providerOf()
  if (provider === undefined) {
    say("This browser has no wallet. Install one, or add credits by card.")
    return false
  }
  try {
    say("Waiting for the wallet …")
    const from = await accountOf(provider)
    const pending = pendingTopUp(account)
    // The tab was closed while the wallet asked: it may have sent the transfer all the same.
    if (pending !== null && (pending.transaction !== undefined || (await receiptOf(pending)) !== undefined))
      return true
    const quote =
      pending !== null && Date.parse(pending.quote.expires_at) > Date.now()
        ? pending.quote
        : await quoteFor(provider, amount, from, say)
    if (typeof quote === "string") {
      say(quote)
      return false
    }
    await switchTo(provider, quote.chain_id)
    keep({ account, quote })
    say(`Waiting for the wallet to send ${quote.amount} USDC …`)
    const transaction = await provider.request({
      method: "eth_sendTransaction",
      params: [{ from: quote.from_address, to: quote.token, value: "0x0", data: transferOf(quote) }]
    })
    keep({ account, quote, transaction: String(transaction) })
    return true
  } catch (error) {
    // Refused by its owner: nothing was sent, and the quote expires by itself.
    if ((error as { readonly code?: number }).code === 4001) forget()
    say(`${walletErrorMessage(error, "send")} Nothing was charged.`)
    return false
  }
}
