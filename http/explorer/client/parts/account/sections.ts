/** The sections of the account page, made of what the API answers. */
import { formatWallTime } from "../clock.ts"
import { element } from "../dom.ts"
import type { Balance, Key, Movement, Purchase } from "./api.ts"

export const dollars = (amount: number): string =>
  `${amount < 0 ? "−" : ""}$${Math.abs(amount).toFixed(Math.round(Math.abs(amount) * 1e6) % 10_000 === 0 ? 2 : 6)}`

export const button = (label: string, press: () => void): HTMLButtonElement => {
  const buttonElement = element("button", { type: "button" }, label)
  buttonElement.addEventListener("click", press)
  return buttonElement
}

export const section = (title: string, ...children: ReadonlyArray<Node | string>): HTMLElement =>
  element("section", {}, element("h2", {}, title), ...children)

const tierTitle = (tier: string): string =>
  tier.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase())

const fact = (name: string, value: string, beside: string) =>
  element("div", {}, element("dt", {}, name), element("dd", {}, value, element("small", {}, beside)))

export const overview = (balance: Balance): HTMLElement =>
  element(
    "dl",
    { class: "strip", id: "overview" },
    fact(
      "Credits",
      dollars(balance.credits_balance),
      balance.spending_status === "restricted" ? "spending is restricted" : "1 credit is 1 USD"
    ),
    fact("Tier", tierTitle(balance.tier), subscriptionWords(balance)),
    fact(
      "Reads today",
      balance.use.calls_today.toLocaleString("en-US"),
      balance.limits.per_day === null
        ? "no daily limit"
        : `of ${balance.limits.per_day.toLocaleString("en-US")}`
    ),
    fact("This key", balance.key.name === "" ? "unnamed" : balance.key.name, balance.key.scopes.join(", "))
  )

export const subscriptionWords = ({ subscription: { period_ends, state } }: Balance): string => {
  const end = period_ends === undefined ? "" : formatWallTime(period_ends)
  switch (state) {
    case "active":
      return end === "" ? "subscribed" : `renews ${end}`
    case "canceling":
      return `ends ${end}`
    case "past_due":
      return "the renewal was not paid"
    case "ended":
      return "the subscription has ended"
    default:
      return "no subscription"
  }
}

export const debtBox = ({ debt }: Balance): HTMLElement | undefined =>
  debt === undefined
    ? undefined
    : element(
        "div",
        { class: "alarm", role: "note" },
        element("h2", {}, `This account owes ${dollars(debt.owed)}`),
        element(
          "ol",
          {},
          ...debt.because.map(({ at, description, open, order_id }) =>
            element(
              "li",
              {},
              `${description}: ${dollars(open)}, ${formatWallTime(at)}${order_id === undefined ? "" : ` (order ${order_id})`}`
            )
          )
        ),
        element("p", {}, debt.how_to_settle)
      )

/** A table whose rows become cards on a phone: the first column names the row. */
const table = (
  caption: string,
  columns: ReadonlyArray<string>,
  numbers: ReadonlyArray<number>,
  rows: ReadonlyArray<ReadonlyArray<Node | string>>
): HTMLElement => {
  // On a phone the head of the table is gone, and not every cell says by itself what it is.
  const cell = (n: number): Readonly<Record<string, string>> =>
    numbers.includes(n)
      ? { class: "n" }
      : columns[n] === "Last used"
        ? { class: "label", "data-label": "last used" }
        : {}
  const head = element(
    "tr",
    { role: "row" },
    ...columns.map((name, n) =>
      element(
        "th",
        { scope: "col", role: "columnheader", ...(numbers.includes(n) ? { class: "n" } : {}) },
        name
      )
    )
  )
  const body = rows.map((row) =>
    element(
      "tr",
      { role: "row" },
      ...row.map((value, n) =>
        n === 0
          ? element("th", { scope: "row", role: "rowheader" }, value)
          : element("td", { role: "cell", ...cell(n) }, value)
      )
    )
  )
  return element(
    "div",
    {},
    element("p", { class: "quiet" }, caption),
    element(
      "table",
      { class: "cards", role: "table" },
      element("thead", { role: "rowgroup" }, head),
      element("tbody", { role: "rowgroup" }, ...body)
    )
  )
}

export const statementTable = (movements: ReadonlyArray<Movement>): HTMLElement =>
  table(
    "Newest first; the balance is the one after each movement.",
    ["What", "Amount", "When", "Balance"],
    [1, 3],
    movements.map(({ amount, at, balance, description }) => [
      description,
      amount > 0 ? `+${dollars(amount)}` : dollars(amount),
      formatWallTime(at),
      dollars(balance)
    ])
  )

export const purchaseTable = (
  purchases: ReadonlyArray<Purchase>,
  again: (purchase: Purchase, place: HTMLElement) => void
): HTMLElement =>
  table(
    "Newest first. What was bought once is delivered again free.",
    ["Product", "Price", "Bought", "SHA-256 of the data", "Again"],
    [1],
    purchases.map((purchase) => {
      const download = element("span")
      download.append(button("Get the data", () => again(purchase, download)))
      return [
        element("code", {}, purchase.product_key),
        dollars(purchase.price),
        formatWallTime(purchase.purchased_at),
        element("code", { title: purchase.payload_sha256 }, `${purchase.payload_sha256.slice(0, 16)}…`),
        download
      ]
    })
  )

export const keyTable = (
  keys: ReadonlyArray<Key>,
  act: (key: Key, what: "rotate" | "revoke") => void
): HTMLElement =>
  table(
    "Nobody can show a key again: only its hash is stored.",
    ["Key", "May", "Last used", "Replace or end it"],
    [],
    keys.map((key) => {
      const limit = key.buy_per_day === null ? "" : `, ${dollars(key.buy_per_day)} per day`
      const actions = element(
        "div",
        { class: "actions" },
        button("Rotate", () => act(key, "rotate"))
      )
      if (!key.current) actions.append(button("Revoke", () => act(key, "revoke")))
      return [
        element(
          "span",
          {},
          key.name === "" ? "unnamed" : key.name,
          element("span", { class: "sub" }, `${key.key_id}${key.current ? ", the one in this tab" : ""}`)
        ),
        `${key.scopes.join(", ")}${limit}`,
        key.last_used_at === null ? "never" : formatWallTime(key.last_used_at),
        actions
      ]
    })
  )

/** A key that was just issued: shown once, with a way to copy it. */
export const newKeyBox = (key: string, message: string): HTMLElement => {
  const copy = button("Copy", () => {
    navigator.clipboard.writeText(key).then(
      () => copy.replaceChildren("Copied"),
      () => copy.replaceChildren("Select and copy")
    )
  })
  return element(
    "div",
    { class: "checked", id: "new-key", role: "alert" },
    element("h2", {}, "Save this key now"),
    element("p", {}, element("code", { class: "key" }, key)),
    element("p", {}, message),
    copy
  )
}
