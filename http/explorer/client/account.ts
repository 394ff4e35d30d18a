/** The account page: everything is read and done with the key of this tab, through the API. */
import "./page.ts"
import {
  addressOf,
  type Balance,
  call,
  isTestKey,
  type Key,
  type Movement,
  type Offers,
  type Purchase,
  storedKey,
  storeKey
} from "./parts/account/api.ts"
import { busy, busyAll } from "./parts/account/busy.ts"
import { type Bought, confirmation, csvButton, dataButton } from "./parts/account/purchase.ts"
import {
  button,
  debtBox,
  dollars,
  keyTable,
  newKeyBox,
  overview,
  purchaseTable,
  section,
  statementTable,
  subscriptionWords
} from "./parts/account/sections.ts"
import { type CryptoStatus, followTopUp, pendingTopUp, sendTopUp } from "./parts/account/topUp.ts"
import { buyWithWallet, pendingPayment } from "./parts/account/wallet.ts"
import { element } from "./parts/dom.ts"
import { turns } from "./parts/newest.ts"

const find = <E extends HTMLElement>(selector: string): E => {
  const match = document.querySelector<E>(selector)
  if (match === null) throw new Error(`${selector} is not on this page`)
  return match
}

const offers: Offers = JSON.parse(find("#offers").textContent ?? "")
const accountView = find<HTMLElement>("#shown")
const enter = find<HTMLFormElement>("#enter")
const keyField = find<HTMLInputElement>("#enter [name=key]")
const buy = find<HTMLFormElement>("#buy")
const product = find<HTMLSelectElement>("#buy [name=product]")
const withCredits = find<HTMLButtonElement>("#with-credits")
const withWallet = find<HTMLButtonElement>("#with-wallet")

const say = (text: string) => find("#said").replaceChildren(text)
const sayBought = (...parts: ReadonlyArray<Node | string>) => find("#bought").replaceChildren(...parts)

const moneyActions = (balance: Balance): HTMLElement => {
  const statusLine = element("p", { role: "status", class: "readout" })
  const actions = element("div", { class: "actions" })
  const takeTurn = turns()
  const follow = async (path: string, body: unknown, member: string) => {
    const isNewest = takeTurn()
    const answer = await call<Readonly<Record<string, string>>>(path, { body })
    if (!isNewest()) return
    if ("problem" in answer) return statusLine.replaceChildren(answer.problem)
    const address = answer.value[member]
    if (address === undefined) return statusLine.replaceChildren(answer.value["message"] ?? "")
    location.assign(address)
  }
  for (const amount of offers.packs) {
    const add = button(`Add ${dollars(amount)}`, () =>
      busy(add, () => follow("/v1/credits/topup", { method: "stripe", amount }, "checkout_url"))
    )
    actions.append(add)
  }
  const { state } = balance.subscription
  if (state !== "none") {
    const portal = button("Change the card", () =>
      busy(portal, () => follow("/v1/credits/portal", {}, "portal_url"))
    )
    actions.append(portal)
  }
  return element("div", {}, actions, statusLine)
}

/** Adding credits with a wallet, where the service takes stablecoins. */
const walletSection = (balance: Balance, status: CryptoStatus): HTMLElement => {
  const statusLine = element("p", { role: "status", class: "readout", id: "topped-up" })
  const say = (text: string) => statusLine.replaceChildren(text)
  const { account } = balance
  const form = element("form", { class: "filters", id: "top-up" })
  const amount = element("input", {
    name: "amount",
    inputmode: "decimal",
    required: "",
    size: "8",
    value: String(Math.max(20, status.min_usd))
  })
  const send = element("button", { type: "submit" }, "Add with a wallet")
  form.append(element("label", {}, "USDC", amount), send)
  const follow = async () => {
    if (await followTopUp(account, status, say)) await open(statusLine.textContent ?? "")
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    busy(send, async () => {
      if (await sendTopUp(account, amount.value.trim(), say)) await follow()
    })
  })
  if (pendingTopUp(account)?.transaction !== undefined) busy(send, follow)
  const explanation =
    `From ${dollars(status.min_usd)} to ${dollars(status.max_usd)} in USDC on ${status.chain ?? "the chain"}, in one transfer that your wallet ` +
    `shows before it sends it. ${status.credited_when}`
  return section("Credits by stablecoin", element("p", { class: "quiet" }, explanation), form, statusLine)
}

const subscriptionSection = (balance: Balance): HTMLElement => {
  const { sku, state } = balance.subscription
  const statusLine = element("p", { role: "status", class: "readout" })
  const actions = element("div", { class: "actions" })
  const live = state === "active" || state === "canceling" || state === "past_due"
  const takeTurn = turns()
  const change = async (to: string) => {
    const isNewest = takeTurn()
    const preview = await call<{ due_now: number; message: string }>("/v1/credits/subscription", {
      body: { sku: to, preview: true }
    })
    if (!isNewest()) return
    if ("problem" in preview) return statusLine.replaceChildren(preview.problem)
    const { due_now } = preview.value
    const notice =
      due_now < 0
        ? `${dollars(-due_now)} are credited to the next invoices.`
        : `${dollars(due_now)} are charged now.`
    const confirm = button("Do it", () =>
      busy(confirm, async () => {
        const done = await call<{ checkout_url?: string; message: string }>("/v1/credits/subscription", {
          body: { sku: to }
        })
        if ("problem" in done) return statusLine.replaceChildren(done.problem)
        if (done.value.checkout_url !== undefined) return location.assign(done.value.checkout_url)
        await open(done.value.message)
      })
    )
    statusLine.replaceChildren(`${notice} `, confirm)
  }
  for (const plan of offers.plans) {
    if (live && plan.sku === sku && state !== "canceling") continue
    const title = plan.tier.replaceAll("_", " ")
    const label = `${live && plan.sku === sku ? "Keep" : live ? "Change to" : "Subscribe to"} ${title}, ${dollars(plan.price_usd ?? 0)} per month`
    const press = button(label, () => busy(press, () => change(plan.sku)))
    actions.append(press)
  }
  if (live && state !== "canceling") {
    const cancel = button("Cancel at the end of the period", () =>
      busy(cancel, async () => {
        const done = await call("/v1/credits/subscription/cancel", { body: {} })
        if ("problem" in done) statusLine.replaceChildren(done.problem)
        else await open("The subscription ends with the paid period.")
      })
    )
    actions.append(cancel)
  }
  const statusText = subscriptionWords(balance)
  return section(
    "Subscription",
    element("p", {}, `${statusText[0]?.toUpperCase() ?? ""}${statusText.slice(1)}.`),
    actions,
    statusLine
  )
}

const keysSection = (keys: ReadonlyArray<Key>): HTMLElement => {
  const statusLine = element("p", { role: "status", class: "readout" })
  const place = element("div")
  // A new key is shown once: no other takes its place before it was seen.
  const once = (work: () => Promise<void>) => busyAll([...container.querySelectorAll("button")], work)
  const act = async (key: Key, what: "rotate" | "revoke") => {
    const done = await call<{ api_key?: string; message?: string }>(
      `/v1/credits/keys/${key.key_id}/${what}`,
      {
        body: {}
      }
    )
    if ("problem" in done) return statusLine.replaceChildren(done.problem)
    const { api_key, message = "" } = done.value
    if (api_key === undefined) return open(`The key ${key.name} no longer works.`)
    if (key.current) storeKey(api_key)
    place.replaceChildren(newKeyBox(api_key, message))
    if (key.current) statusLine.replaceChildren("This tab uses the new key now.")
  }
  const form = element("form", { class: "filters", id: "issue" })
  const name = element("input", { name: "name", maxlength: "100", placeholder: "dashboard" })
  const scopes = element("select", { name: "scopes" })
  for (const [value, label] of [
    ["read", "read"],
    ["read,buy", "read and buy"],
    ["read,buy,account", "everything"]
  ] as const) {
    scopes.append(element("option", { value }, label))
  }
  const limit = element("input", { name: "limit", inputmode: "decimal", placeholder: "no limit", size: "8" })
  form.append(
    element("label", {}, "Name", name),
    element("label", {}, "It may", scopes),
    element("label", {}, "USD per day", limit),
    element("button", { type: "submit" }, "Create a key")
  )
  const issue = async () => {
    const body = {
      name: name.value,
      scopes: scopes.value.split(","),
      ...(limit.value.trim() === "" ? {} : { buy_per_day: limit.value.trim() })
    }
    const issued = await call<{ api_key: string; message: string }>("/v1/credits/keys", { body })
    if ("problem" in issued) return statusLine.replaceChildren(issued.problem)
    statusLine.replaceChildren()
    place.replaceChildren(newKeyBox(issued.value.api_key, issued.value.message))
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    once(issue)
  })
  const table = keyTable(keys, (key, what) => once(() => act(key, what)))
  const container = section("Keys", table, form, statusLine, place)
  return container
}

const purchasesSection = (purchases: ReadonlyArray<Purchase>): HTMLElement =>
  section(
    "Purchases",
    purchases.length === 0
      ? element("p", { class: "quiet" }, "Nothing was bought yet.")
      : purchaseTable(purchases, async (purchase, place) => {
          const again = await call<{ data: unknown }>(
            `/v1/credits/purchases/${purchase.purchase_id}?include=data`
          )
          place.replaceChildren(
            ...("problem" in again
              ? [again.problem]
              : [dataButton(purchase.purchase_id, again.value.data), csvButton(purchase.purchase_id)])
          )
        })
  )

interface Page {
  readonly movements: ReadonlyArray<Movement>
  readonly next_cursor?: string
}

const statementSection = (page: Page): HTMLElement => {
  const place = element("div", { class: "pages" })
  const csv = button("Save as CSV", () =>
    busy(csv, async () => {
      const response = await fetch(addressOf("/v1/credits/statement?format=csv&limit=500"), {
        headers: { "x-api-key": storedKey() }
      })
      const address = URL.createObjectURL(await response.blob())
      element("a", { href: address, download: "statement.csv" }).click()
      URL.revokeObjectURL(address)
    })
  )
  place.append(csv)
  if (page.next_cursor !== undefined) {
    const older = button("Older", () =>
      busy(older, async () => {
        const next = await call<Page>(`/v1/credits/statement?limit=20&cursor=${page.next_cursor}`)
        if ("value" in next) container.replaceWith(statementSection(next.value))
      })
    )
    place.append(older)
  }
  const container = section("Statement", statementTable(page.movements), place)
  return container
}

/** Above everything of an account of test mode. */
const testNotice = (): HTMLElement =>
  element(
    "p",
    { class: "alarm", id: "test-mode", role: "note" },
    "Test mode: this is a test key. What it buys is simulated, and its credits are no money. ",
    element("a", { href: "/docs/test-mode" }, "How test mode works")
  )

const takeOpening = turns()

/** Shows the account of the kept key; without one, only the form. */
const open = async (message = ""): Promise<void> => {
  const isNewest = takeOpening()
  const key = storedKey()
  withCredits.disabled = key === ""
  nameButtons()
  if (key === "") {
    accountView.replaceChildren()
    enter.hidden = false
    return say(message)
  }
  say("Loading …")
  const focused = document.activeElement
  const balance = await call<Balance>("/v1/credits/balance")
  if (!isNewest()) return
  if ("problem" in balance) {
    accountView.replaceChildren()
    enter.hidden = false
    return say(balance.problem)
  }
  const [crypto, statement, purchases, keys] = await Promise.all([
    call<CryptoStatus>("/v1/credits/crypto"),
    call<Page>("/v1/credits/statement?limit=20"),
    call<{ purchases: ReadonlyArray<Purchase> }>("/v1/credits/purchases?limit=20"),
    call<{ keys: ReadonlyArray<Key> }>("/v1/credits/keys")
  ])
  if (!isNewest()) return
  enter.hidden = true
  const forget = button("Forget the key", () => {
    storeKey("")
    keyField.value = ""
    void open("The key is forgotten.").then(() => keyField.focus())
  })
  const debt = debtBox(balance.value)
  accountView.replaceChildren(
    ...(isTestKey() ? [testNotice()] : []),
    ...(debt === undefined ? [] : [debt]),
    overview(balance.value),
    moneyActions(balance.value),
    element("div", { class: "actions" }, forget),
    ...("value" in keys && "value" in crypto && crypto.value.enabled
      ? [walletSection(balance.value, crypto.value)]
      : []),
    ...("value" in keys ? [subscriptionSection(balance.value)] : []),
    ...("value" in purchases ? [purchasesSection(purchases.value.purchases)] : []),
    ...("value" in statement ? [statementSection(statement.value)] : []),
    ...("value" in keys ? [keysSection(keys.value.keys)] : [])
  )
  say(message)
  // The form had the focus, and is gone.
  if (enter.contains(focused)) accountView.focus()
}

enter.addEventListener("submit", (event) => {
  event.preventDefault()
  storeKey(keyField.value.trim())
  void open()
})

const register = async () => {
  // A new account is of the live service, whatever key was tried before. That key stays until there is another.
  const registered = await call<{ api_key: string; message: string }>("/v1/credits/register", {
    body: {},
    key: ""
  })
  if ("problem" in registered) return say(registered.problem)
  storeKey(registered.value.api_key)
  await open()
  accountView.prepend(newKeyBox(registered.value.api_key, registered.value.message))
}

const registerButton = find<HTMLButtonElement>("#register")
registerButton.addEventListener("click", () =>
  busyAll([registerButton, find<HTMLButtonElement>("#enter [type=submit]")], register)
)

const chosen = () => offers.products.find(({ key }) => key === product.value)

/** Each button says what it takes. */
const nameButtons = () => {
  const offer = chosen()
  const price = dollars(offer?.price_usd ?? 0)
  withCredits.replaceChildren(`Buy for ${price} of credits`)
  withWallet.disabled = isTestKey() || offer?.x402 !== true
  withWallet.replaceChildren(
    isTestKey()
      ? "A wallet pays real money here"
      : offer?.x402 !== true
        ? "Not sold to wallets here"
        : pendingPayment(product.value) === null
          ? `Pay ${price} with a wallet`
          : "Get what was paid for"
  )
}

/** What would be bought, as it is shown in `#bought`. What was paid for is shown whatever was asked since. */
const takeOffer = turns()

const showChosen = () => {
  takeOffer()
  const offer = chosen()
  const covers = offer?.covers === undefined ? "" : ` Today: ${offer.covers}.`
  find("#content").replaceChildren(offer === undefined ? "" : `${offer.content}.${covers}`)
  nameButtons()
  // What was said of another product does not hold for this one.
  sayBought()
}

product.addEventListener("change", showChosen)
// A product's page links to here with its key.
const linked = location.hash.slice(1)
if (offers.products.some(({ key }) => key === linked)) product.value = linked

const pay = (key: string) => async (order: string, price: number) => {
  sayBought("Buying …")
  const bought = await call<Bought>("/v1/credits/purchase", {
    body: { product_key: key, max_price_usd: price },
    headers: { "idempotency-key": order }
  })
  if ("problem" in bought) return sayBought(bought.problem)
  const { data, payload_sha256, price_paid, purchase_id } = bought.value
  await open()
  sayBought(
    `${purchase_id}, ${dollars(price_paid)}. SHA-256 of the data: ${payload_sha256} `,
    dataButton(purchase_id, data),
    csvButton(purchase_id)
  )
}

buy.addEventListener("submit", (event) => {
  event.preventDefault()
  busy(withCredits, async () => {
    sayBought("Looking at what you would get …")
    const isNewest = takeOffer()
    const key = product.value
    const paying = pay(key)
    const offer = await confirmation(
      key,
      (order, price) => busy(withCredits, () => paying(order, price)),
      () => sayBought()
    )
    if (isNewest()) sayBought(...offer)
  })
})

withWallet.addEventListener("click", () =>
  busy(withWallet, async () => {
    takeOffer()
    sayBought("Waiting for the wallet …")
    const outcome = await buyWithWallet(product.value)
    if ("sale" in outcome) {
      const { data, payload_sha256, payment, price_paid, purchase_id } = outcome.sale
      sayBought(
        `${purchase_id}, ${dollars(price_paid)}, transaction ${payment.transaction}. SHA-256 of the data: ${payload_sha256} `,
        dataButton(purchase_id, data)
      )
    } else {
      sayBought(
        outcome.problem,
        outcome.again ? " Press again for the same payment: it is not charged twice." : ""
      )
    }
    nameButtons()
  })
)

showChosen()
void open()
