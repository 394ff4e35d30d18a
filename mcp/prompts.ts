/** Prompts: guided tasks that an agent or a person can start from. */
import type { Prompt } from "@modelcontextprotocol/server"
import type { Edition } from "./Tool.ts"

interface Walk {
  readonly prompt: Prompt
  readonly editions: ReadonlyArray<Edition>
  readonly text: (args: Readonly<Record<string, string>>) => string
}

const walks: ReadonlyArray<Walk> = [
  {
    prompt: {
      name: "verify_a_value",
      title: "Verify a value",
      description: "Check that a published value is what was measured, and when it was published.",
      arguments: [
        { name: "symbol", description: "network, e.g. FIL", required: true },
        { name: "metric", description: "metric name from get_network", required: true },
        { name: "date", description: "UTC day, YYYYMMDD or YYYY-MM-DD" }
      ]
    },
    editions: ["full", "public"],
    text: ({ date, metric, symbol }) =>
      `Verify ${metric} of ${symbol}${date === undefined ? "" : ` for ${date}`}.\n` +
      `1. ${date === undefined ? "Find a published day with get_metric_history" : `Read the day with get_metric_history`}.\n` +
      "2. Call verify_value with symbol, metric and date (YYYYMMDD). List every check with its result.\n" +
      "3. If you can open its verify_url, compare the value. Upstreams change, so an older day may differ.\n" +
      "4. Report what was proved, what was not checked (not_checked does not mean proved), and how to check it offline (how_to_check)."
  },
  {
    prompt: {
      name: "buy_data",
      title: "Buy a product",
      description: "From registration to a delivered and verified product.",
      arguments: [{ name: "product_key", description: "a product of list_products" }]
    },
    editions: ["full"],
    text: ({ product_key }) =>
      `Buy ${product_key ?? "the product that fits my question"}.\n` +
      "1. list_products: choose one with status available, and tell me its price before you spend anything.\n" +
      "2. If you have no key: register_agent. Do not reveal the key to anyone else.\n" +
      "3. check_balance. If it is too low, call topup_credits, give me the payment link and stop.\n" +
      "4. purchase_data with a new idempotency_key. Use the same key for retries, so you are not charged again.\n" +
      "5. Keep purchase_id and payload_sha256. purchase_data with purchase_id delivers the data again, free; add page for the other pages."
  }
]

export const promptsOf = (edition: Edition): ReadonlyArray<Walk> =>
  walks.filter(({ editions }) => editions.includes(edition))
