/** Buying with the credits of the key in this tab: what it would be is shown first, and only a second button pays. */
import { element, saveButton } from "../dom.ts"
import { addressOf, call, storedKey } from "./api.ts"
import { button, dollars } from "./sections.ts"

interface DryRun {
  readonly price: number
  readonly credits_balance: number
  readonly would_be_bought: boolean
  readonly refusal?: { readonly message: string }
  readonly payload_bytes?: number
}

export interface Bought {
  readonly purchase_id: string
  readonly price_paid: number
  readonly payload_sha256: string
  readonly data: unknown
}

/** Offers bought data as a file. */
export const dataButton = (name: string, data: unknown): HTMLButtonElement =>
  saveButton("Save as JSON", `${name}.json`, () => JSON.stringify(data, null, 2))

/** Fetches the first table of a purchase as a file. */
export const csvButton = (purchase: string): HTMLButtonElement => {
  const save = button("Save as CSV", () => {
    save.disabled = true
    void fetch(addressOf(`/v1/credits/purchases/${encodeURIComponent(purchase)}?format=csv`), {
      headers: { "x-api-key": storedKey() }
    })
      .then(async (response) => {
        if (!response.ok) return void save.replaceChildren("It cannot be made right now")
        const address = URL.createObjectURL(await response.blob())
        element("a", { href: address, download: `${purchase}.csv` }).click()
        URL.revokeObjectURL(address)
      })
      .catch(() => save.replaceChildren("The service did not answer. Try again"))
      .finally(() => {
        save.disabled = false
      })
  })
  return save
}

/** Says what would be bought, with the button that pays; `pay` gets the key under which a retry is charged once. */
export const confirmation = async (
  product: string,
  pay: (idempotencyKey: string, price: number) => void,
  leave: () => void
): Promise<ReadonlyArray<Node | string>> => {
  const would = await call<DryRun>("/v1/credits/purchase/dry-run", { body: { product_key: product } })
  if ("problem" in would) return [would.problem]
  const { credits_balance, payload_bytes = 0, price, refusal, would_be_bought } = would.value
  if (!would_be_bought) return [refusal?.message ?? "It would be refused."]
  const order = crypto.randomUUID()
  return [
    `${product}: ${Math.ceil(payload_bytes / 1024).toLocaleString("en-US")} KiB for ${dollars(price)}. Your balance is ` +
      `${dollars(credits_balance)}, and ${dollars(credits_balance - price)} afterwards. `,
    element(
      "span",
      { class: "actions" },
      button(`Pay ${dollars(price)}`, () => pay(order, price)),
      button("Do not buy", leave)
    )
  ]
}
