/** Test mode: how to buy before you pay. */
import { keyPrefixes } from "../../../core/credits/keys/keyForm.ts"
import { escapeXml } from "../../explorer/charts/xml.ts"
import { prose } from "../../explorer/html/prose.ts"
import { columns, row } from "./columns.ts"
import { anchor, block } from "./html.ts"

interface Step {
  readonly title: string
  readonly explanation: string
  readonly command: string
}

/** From nothing to a paid answer; each command is run by a test as it stands here. */
export const testSteps = (testUrl: string): ReadonlyArray<Step> => [
  {
    title: "1. Get a test key",
    explanation: `It begins with \`${keyPrefixes.test}\`, and comes with credits where the service grants them. It is shown once.`,
    command: `KEY=$(curl -s -X POST '${testUrl}/v1/credits/register' -H 'Content-Type: application/json' \\
  -d '{"agent_name":"my-agent"}' | sed 's/.*"api_key":"\\([^"]*\\)".*/\\1/')`
  },
  {
    title: "2. Ask what a purchase would do",
    explanation: "Nothing is charged. The price is the real one.",
    command: `curl -s -X POST '${testUrl}/v1/credits/purchase/dry-run' -H "X-API-Key: $KEY" \\
  -H 'Content-Type: application/json' -d '{"product_key":"depin_provenance"}'`
  },
  {
    title: "3. Buy",
    explanation:
      "The answer has the shape of a real one, with `test: true`, and its data has `simulated: true`.",
    command: `curl -s -X POST '${testUrl}/v1/credits/purchase' -H "X-API-Key: $KEY" -H 'Idempotency-Key: order-1' \\
  -H 'Content-Type: application/json' -d '{"product_key":"depin_provenance"}'`
  },
  {
    title: "4. Look at your balance",
    explanation: "Test credits alone were spent.",
    command: `curl -s '${testUrl}/v1/credits/balance' -H "X-API-Key: $KEY"`
  }
]

const others = (testUrl: string) => [
  {
    title: "Pay per request",
    explanation:
      `\`${testUrl}/x402\` lists what is sold without an account, and in which token of a test chain. A client such as @x402/fetch pays there with test ` +
      "tokens as it pays here with real ones: register the network that `accepts` names.",
    command: `curl -s '${testUrl}/x402'`
  },
  {
    title: "Pay by card",
    explanation:
      "Where the test service takes cards, the checkout is one of Stripe's test mode. Pay with a test card of Stripe, such as 4242 4242 4242 4242; no other card works.",
    command: `curl -s -X POST '${testUrl}/v1/credits/topup' -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \\
  -d '{"method":"stripe","amount":20}'`
  },
  {
    title: "Language models",
    explanation: `The MCP server of test mode is at \`${testUrl}/mcp\`, and takes test keys.`,
    command: `${testUrl}/mcp`
  }
]

const rules = `<h2>What is different</h2>
<ul>
<li>${prose("Every answer has the header `Plumbline-Mode: test`, and answers about money have `test: true`.")}</li>
<li>The data is demo data (recorded and simulated), never today's values, so a test key gives no access to what is sold.</li>
<li>Prices, inputs, receipts and errors are the same; limits of calls are those of the test service. Nothing bought in test mode appears in the live service's books, log or sales.</li>
<li>${prose("Answers are signed with keys of the test service (`/test/.well-known/service-signing-key.json`). A receipt of test mode does not verify against the live keys.")}</li>
<li>A test key is refused at live addresses, and a live key in test mode.</li>
<li>Test mode contacts no one: no webhooks, and alerts only as a feed that you read.</li>
<li>When you go live, change the address and the key. Nothing else changes.</li>
</ul>`

const none = row(`<h1>Test mode</h1>
<p>This service has no test mode: its operator has set up none. What a purchase would do can be asked without paying
(<code>POST /v1/credits/purchase/dry-run</code>), and the demo of Plumbline runs on your own machine.</p>`)

const step = ({ command, explanation, title }: Step): string =>
  row(`<h2>${escapeXml(title)}</h2><p>${prose(explanation)}</p>`, block(command), anchor(title))

/** HTML of the page's body. `testUrl` is undefined where there is no test mode. */
export const testModePage = (testUrl: string | undefined): string =>
  testUrl === undefined
    ? columns("/docs/test-mode", none)
    : columns(
        "/docs/test-mode",
        [
          row(`<h1>Test mode</h1>
<p>Buy before you pay: below <code>${escapeXml(testUrl)}</code> is the same API with keys of its own, test cards and a test
chain. No money moves there.</p>`),
          ...testSteps(testUrl).map(step),
          ...others(testUrl).map(step),
          row(rules)
        ].join("\n"),
        [...testSteps(testUrl), ...others(testUrl)].map(({ title }) => ({
          id: anchor(title),
          text: escapeXml(title)
        }))
      )
