/** Calls of the API with the key of this tab. */
import { keyPrefixes } from "../../../../../core/credits/keys/keyForm.ts"

const place = "key"

/** The key that this tab keeps; empty without one. */
export const storedKey = (): string => sessionStorage.getItem(place) ?? ""

export const storeKey = (key: string): void => {
  if (key === "") sessionStorage.removeItem(place)
  else sessionStorage.setItem(place, key)
}

/** Whether a key, that of this tab by default, is one of test mode, whose accounts are in a service of its own. */
export const isTestKey = (key = storedKey()): boolean => key.startsWith(keyPrefixes.test)

/** The address of a path where a key is valid, that of this tab by default. */
export const addressOf = (path: string, key = storedKey()): string => (isTestKey(key) ? `/test${path}` : path)

/** An answer, or what the service says is wrong. */
export type CallResult<A> =
  | { readonly value: A }
  | { readonly problem: string; readonly error?: string | undefined }

interface Problem {
  readonly error?: string
  readonly message?: string
}

interface CallOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The key of the call, that of this tab by default; an empty one means none. */
  readonly key?: string
}

export const call = async <A>(path: string, options: CallOptions = {}): Promise<CallResult<A>> => {
  const key = options.key ?? storedKey()
  try {
    const response = await fetch(addressOf(path, key), {
      ...(options.body === undefined ? {} : { method: "POST", body: JSON.stringify(options.body) }),
      headers: {
        accept: "application/json",
        ...(key === "" ? {} : { "x-api-key": key }),
        ...(options.body === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers
      }
    })
    const body: unknown = await response.json()
    if (response.ok) return { value: body as A }
    const { error, message } = body as Problem
    return { problem: message ?? `The service answered ${response.status}.`, error }
  } catch {
    return { problem: "The service did not answer. Try again." }
  }
}

export interface Balance {
  readonly account: string
  readonly credits_balance: number
  readonly agent_name: string
  readonly spending_status: string
  readonly tier: string
  readonly subscription: Subscription
  readonly limits: { readonly per_day: number | null }
  readonly use: { readonly calls_today: number }
  readonly key: { readonly key_id: string; readonly name: string; readonly scopes: ReadonlyArray<string> }
  readonly debt?: {
    readonly owed: number
    readonly how_to_settle: string
    readonly because: ReadonlyArray<{
      readonly at: string
      readonly description: string
      readonly open: number
      readonly order_id?: string
    }>
  }
}

export interface Subscription {
  readonly state: string
  readonly sku?: string
  readonly tier?: string
  readonly price_usd?: number
  readonly period_ends?: string
}

export interface Movement {
  readonly at: string
  readonly description: string
  readonly amount: number
  readonly balance: number
}

export interface Purchase {
  readonly purchase_id: string
  readonly product_key: string
  readonly price: number
  readonly payload_sha256: string
  readonly purchased_at: string
}

export interface Key {
  readonly key_id: string
  readonly name: string
  readonly scopes: ReadonlyArray<string>
  readonly buy_per_day: number | null
  readonly bought_today: number
  readonly last_used_at: string | null
  readonly current: boolean
}

export interface Offers {
  readonly products: ReadonlyArray<{
    readonly key: string
    readonly content: string
    /** What it covers today, in words. */
    readonly covers?: string
    readonly price_usd: number
    readonly x402: boolean
  }>
  readonly plans: ReadonlyArray<{ readonly sku: string; readonly tier: string; readonly price_usd?: number }>
  readonly packs: ReadonlyArray<number>
}
