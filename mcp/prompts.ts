/** Ways through the service that an agent or a person may start from. */
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
      description: "Check that a published value is what was measured, and when it was fixed.",
      arguments: [
        { name: "symbol", description: "network, such as FIL", required: true },
        { name: "metric", description: "metric, as get_network names it", required: true },
        { name: "date", description: "UTC day, YYYYMMDD or YYYY-MM-DD" }
      ]
    },
    editions: ["full", "public"],
    text: ({ date, metric, symbol }) =>
      `Verify ${metric} of ${symbol}${date === undefined ? "" : ` for ${date}`}.\n` +
      `1. ${date === undefined ? "Find a published day with get_metric_history" : `Read the day with get_metric_history`}.\n` +
      "2. Call verify_value with symbol, metric and date (YYYYMMDD). List every check with its result.\n" +
      "3. Compare the value with its verify_url if you can open it: upstreams move on, so an older day may differ.\n" +
      "4. Say what was proved and what was not checked (not_checked is not proved), and how to check it offline (how_to_check)."
  },
  {
    prompt: {
      name: "buy_data",
      title: "Buy a product",
      description: "From no account to a delivered and checked product.",
      arguments: [{ name: "product_key", description: "a product of list_products" }]
    },
    editions: ["full"],
    text: ({ product_key }) =>
      `Buy ${product_key ?? "the product that fits my question"}.\n` +
      "1. list_products: take only one with status available, and tell me its price before you spend.\n" +
      "2. Without a key: register_agent. Keep the key out of your answers to others.\n" +
      "3. check_balance. If it is short, topup_credits gives a payment link that I must pay; stop there.\n" +
      "4. purchase_data with an idempotency_key that you make up once: the same key on a retry is not charged again.\n" +
      "5. Keep purchase_id and payload_sha256. purchase_data with purchase_id delivers it again, free; with page the rest of a long one."
  }
]

export const promptsOf = (edition: Edition): ReadonlyArray<Walk> =>
  walks.filter(({ editions }) => editions.includes(edition))
