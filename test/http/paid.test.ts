/** The page after a payment, against a stub of Stripe's HTTP interface, as an answer and in Chromium. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Chromium } from "../support/browser.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"
import { type Signed, type StripeStub, stripeStub } from "../support/stripe.ts"

class Stub extends Context.Service<Stub, StripeStub>()("test/Stub") {}

const service = Layer.unwrap(
  Effect.map(stripeStub, ({ processor, stub }) =>
    Service.layer({
      cards: processor,
      products: [{ key: "depin_networks", build: () => Effect.succeed({ networks: ["FIL"] }) }]
    }).pipe(Layer.provideMerge(Layer.succeed(Stub, stub)))
  )
)

const post = Effect.fnUntraced(function* (
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {}
) {
  const { call } = yield* Service
  return yield* call({
    method: "POST",
    path,
    headers: { "content-type": "application/json", ...headers },
    body
  })
})

const deliver = ({ body, signature }: Signed) =>
  post("/webhooks/stripe", body, { "stripe-signature": signature })

const sessionOf = (url: unknown) => String(url).split("/").at(-1) ?? ""

/** A checkout that waits for its payment, and the address that Stripe sends its buyer to. */
const ordered = Effect.fnUntraced(function* (sku: string) {
  const stub = yield* Stub
  const reply = yield* post("/buy/api/order", JSON.stringify({ sku, email: "a@b.example" }))
  const session = sessionOf(json(reply)["checkout_url"])
  const form = stub.requests.at(-1)?.form
  const path = (form?.get("success_url") ?? "")
    .replace("https://plumbline.test", "")
    .replace("{CHECKOUT_SESSION_ID}", session)
  const pay = () => deliver(stub.sign(stub.complete(session)))
  return { stub, session, path, pay }
})

const page = Effect.fnUntraced(function* (path: string) {
  const { call } = yield* Service
  const reply = yield* call({ path, headers: { accept: "text/html" } })
  return { reply, body: reply.body.toString("utf8") }
})

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(service)), { timeout: 120_000 })(
  "after a payment",
  (it) => {
    it.effect("a page waits for the webhook, and a reload then shows what was bought and the key", () =>
      Effect.gen(function* () {
        const { path, pay } = yield* ordered("dp_partner_199")
        const before = yield* page(path)
        assert.include(before.body, 'data-state="waiting"')
        assert.include(before.body, "Design Partner, monthly, $199.00")
        assert.strictEqual(before.reply.headers["cache-control"], "private, no-store")
        yield* pay()
        const { body, reply } = yield* page(path)
        assert.match(body, /<code class="key">[\w-]{20,}<\/code>/)
        assert.include(body, "<dt>Tier</dt><dd>Design Partner</dd>")
        assert.strictEqual([...body.matchAll(/class="key"/g)].length, 1)
        assert.strictEqual(reply.headers["cache-control"], "private, no-store")
        assert.include(body, '<meta name="robots" content="noindex">')
      })
    )

    it.effect("a form on the page of a product leads to the checkout", () =>
      Effect.gen(function* () {
        const stub = yield* Stub
        const { open } = yield* Chromium
        yield* open("/products/depin_networks", async ({ page: tab }) => {
          const email = tab.getByLabel("E-mail, for the receipt")
          await email.fill("buyer@example.org")
          const [checkout] = await Promise.all([
            tab.waitForRequest((one) => !one.url().startsWith(new URL(tab.url()).origin)),
            email.press("Enter")
          ])
          assert.strictEqual(checkout.url(), [...stub.sessions.values()].at(-1)?.url)
        })
        const form = stub.requests.at(-1)?.form
        assert.strictEqual(form?.get("customer_email"), "buyer@example.org")
      })
    )

    it.effect("an order of a form that is not in order is refused with a page", () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const order = (body: string) =>
          call({
            method: "POST",
            path: "/buy/order",
            headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
            body
          })
        const placed = yield* order("sku=dp_agent_499&email=buyer%40example.org")
        assert.strictEqual(placed.status, 200)
        assert.strictEqual(placed.headers["cache-control"], "private, no-store")
        assert.match(placed.body.toString("utf8"), /http-equiv="refresh" content="0; url=https:\/\/checkout/)
        for (const wrong of [
          "sku=nothing&email=a%40b.example",
          "sku=dp_agent_499&email=nobody",
          "sku=dp_agent_499"
        ]) {
          const reply = yield* order(wrong)
          assert.strictEqual(reply.status, 400, wrong)
          assert.include(String(reply.headers["content-type"]), "text/html")
        }
      })
    )

    it.effect("a top-up says what was added and shows no key", () =>
      Effect.gen(function* () {
        const stub = yield* Stub
        const registered = json(yield* post("/v1/credits/register", "{}"))
        const reply = yield* post("/v1/credits/topup", '{"method":"stripe","amount":20}', {
          "x-api-key": String(registered["api_key"])
        })
        const session = sessionOf(json(reply)["checkout_url"])
        yield* deliver(stub.sign(stub.complete(session)))
        const { body } = yield* page(`/paid?session_id=${session}`)
        assert.include(body, "20 credits: added to the key that requested the payment")
        assert.notInclude(body, 'class="key"')
      })
    )

    it.effect("an unknown session shows nothing", () =>
      Effect.gen(function* () {
        for (const path of ["/paid", "/paid?session_id=cs_nothing", "/paid?session_id=%27"]) {
          const { body, reply } = yield* page(path)
          assert.strictEqual(reply.status, 200)
          assert.include(body, "No such payment")
        }
      })
    )

    it.effect("the page asks again by itself until the payment has arrived", () =>
      Effect.gen(function* () {
        const { path, pay } = yield* ordered("dp_credits_499")
        const { open } = yield* Chromium
        const context = yield* Effect.context<Service | Stub>()
        yield* open(path, async ({ errors, page: tab }) => {
          await tab.locator("#waiting", { hasText: "Asking again by itself" }).waitFor()
          await Effect.runPromiseWith(context)(pay())
          await tab.locator("#paid .key").waitFor()
          assert.strictEqual(await tab.locator("h1").textContent(), "Paid")
          assert.strictEqual(await tab.getByRole("button", { name: "Copy the key" }).count(), 1)
          assert.deepStrictEqual(errors, [])
        })
      })
    )
  }
)
