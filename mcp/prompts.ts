/** Prompts: guided tasks that an agent or a person can start from. */
import type { Prompt } from "@modelcontextprotocol/server"
import type { Edition } from "./Tool.ts"

interface Walk {
  readonly prompt: Prompt
  readonly editions: ReadonlyArray<Edition>
  readonly text: (args: Readonly<Record<string, string>>) => string
}

const everyEdition = ["full", "public"] as const

const symbol = { name: "symbol", description: "network, e.g. FIL", required: true }
const metric = { name: "metric", description: "metric name from get_network" }

/** The task, and the numbered steps to it. */
const walk = (task: string, ...steps: ReadonlyArray<string>): string =>
  [task, ...steps.map((step, n) => `${n + 1}. ${step}`)].join("\n")

/** How to quote figures, at the end of every prompt that reports some. */
const quoting =
  "Give every figure with its day or as_of, its source and its verify_url. What is absent was not measured: say so, and " +
  "never write 0 for it."

const walks: ReadonlyArray<Walk> = [
  {
    prompt: {
      name: "network_growth",
      title: "How did a network grow?",
      description: "Growth of a network over a number of days, with what is not known about it.",
      arguments: [symbol, metric, { name: "days", description: "days to look back, default 30" }]
    },
    editions: everyEdition,
    text: ({ days = "30", metric, symbol }) =>
      walk(
        `How did ${symbol} grow in the last ${days} days${metric === undefined ? "" : `, by ${metric}`}?`,
        metric === undefined
          ? `get_network with symbol ${symbol}: choose the metrics that show its size, such as nodes, devices or capacity.`
          : `get_network with symbol ${symbol} and metric ${metric}: the value now.`,
        `get_metric_history for each metric, with days ${days}: change_pct is from the first closed day of the window to the last, as change says with both, ` +
          "so name both days and values; where it is null, note says why. A point with open: true can still change.",
        "fetch_dataset with dataset revisions, and with dataset incidents, both with this symbol: say whether a value in the " +
          "window was restated or is withheld.",
        quoting
      )
  },
  {
    prompt: {
      name: "compare_two_networks",
      title: "How do two networks compare?",
      description: "Two networks by the same metric, at the same time.",
      arguments: [
        symbol,
        { name: "other_symbol", description: "the other network", required: true },
        { ...metric, description: "a metric that both have" }
      ]
    },
    editions: everyEdition,
    text: ({ metric, other_symbol, symbol }) =>
      walk(
        `Compare ${symbol} and ${other_symbol}${metric === undefined ? "" : ` by ${metric}`}.`,
        `get_network for each${metric === undefined ? ": find the metrics that both have, with the same unit" : `, with metric ${metric}`}. ` +
          "Similar names can count different things: get_data_dictionary with metrics has their meaning.",
        "get_metric_history for each, with the same days. Compare days that both have, and name the days that one lacks.",
        "If as_of of the two lie more than a day apart, say so before you compare.",
        quoting
      )
  },
  {
    prompt: {
      name: "what_changed",
      title: "What changed since?",
      description: "New values, restated values and incidents since a day.",
      arguments: [
        { name: "since", description: "UTC day, YYYY-MM-DD", required: true },
        { ...symbol, description: "only this network, e.g. FIL", required: false }
      ]
    },
    editions: everyEdition,
    text: ({ since, symbol }) => {
      const of = symbol === undefined ? "" : ` with symbol ${symbol}`
      return walk(
        `What changed${symbol === undefined ? "" : ` at ${symbol}`} since ${since}?`,
        `fetch_dataset with dataset events${of}: what happened in the last three days, oldest first. Follow next_cursor to the end.`,
        symbol === undefined
          ? "If that day is earlier: get_metric_history of the networks that matter, with enough days to include it."
          : `If that day is earlier: get_metric_history with symbol ${symbol}, with enough days to include it. Compare the first ` +
              "point at or after it with the newest.",
        `fetch_dataset with dataset revisions${of}: published values that were changed since, with the previous value.`,
        `fetch_dataset with dataset incidents${of}: readings that are withheld, and why.`,
        "Report new, restated and withheld values apart from each other. A series without a new reading did not stay the " +
          "same; it is not known.",
        quoting
      )
    }
  },
  {
    prompt: {
      name: "measured_networks",
      title: "What is measured in a category?",
      description: "The networks of a category, how far each is measured, and how fresh its values are.",
      arguments: [{ name: "category", description: "e.g. storage", required: true }]
    },
    editions: everyEdition,
    text: ({ category }) =>
      walk(
        `Which ${category} networks are measured, and how fresh are their values?`,
        `find_networks with query ${category}: telemetry_tier says how far each is measured; not_covered and also_matching name ` +
          "the others.",
        "get_network for those with first-party telemetry: their values, each with its as_of.",
        "List the networks that are measured, those with market figures alone, and those that are not covered with the reason.",
        quoting
      )
  },
  {
    prompt: {
      name: "verify_a_value",
      title: "Is this value true?",
      description: "Check that a published value is what was measured, and when it was published.",
      arguments: [
        symbol,
        { ...metric, required: true },
        { name: "date", description: "UTC day, YYYYMMDD or YYYY-MM-DD" },
        { name: "value", description: "the value that you were given" }
      ]
    },
    editions: everyEdition,
    text: ({ date, metric, symbol, value }) =>
      walk(
        `Verify ${metric} of ${symbol}${date === undefined ? "" : ` for ${date}`}${value === undefined ? "" : `: is it ${value}?`}`,
        date === undefined
          ? "Find a published day with get_metric_history: one without open: true."
          : "Read the day with get_metric_history.",
        "Call verify_value with symbol, metric and date (YYYYMMDD). List every check with its result.",
        ...(value === undefined
          ? []
          : [
              `Call verify_footprint with values [{"symbol": "${symbol}", "metric": "${metric}", "value": ${value}${date === undefined ? "" : `, "date": "${date}"`}}]: ` +
                "it says whether this very value was published, superseded, or never was."
            ]),
        "If you can open its verify_url, compare the value. Upstreams change, so an older day may differ.",
        "Report what was proved, what was not checked (not_checked does not mean proved), and how to check it offline (how_to_check)."
      )
  },
  {
    prompt: {
      name: "what_can_i_buy",
      title: "What can I buy with N dollars?",
      description: "The products within a budget, what each covers today, and what is free instead.",
      arguments: [
        { name: "budget_usd", description: "dollars, e.g. 5", required: true },
        { name: "question", description: "what you want to know" }
      ]
    },
    editions: ["full"],
    text: ({ budget_usd, question }) =>
      walk(
        `What can I buy with ${budget_usd} USD${question === undefined ? "" : ` that answers: ${question}`}?`,
        `list_products: the sections with status available and price_usd up to ${budget_usd}. Then with product_key, ` +
          "for each that fits: covers says what it has today: networks, series, days, and what is missing.",
        "list_datasets: what fetch_dataset gives free. Name what answers the question without a purchase first.",
        `If there is a key: check_balance, and for each candidate purchase_data with dry_run true and max_price_usd ${budget_usd}. It ` +
          "charges nothing, and says whether the purchase would be made and how long the payload is.",
        "Answer with a table: product, price, what it covers, what is missing. Buy nothing unless I say so; then follow the prompt buy_data."
      )
  },
  {
    prompt: {
      name: "buy_data",
      title: "Buy a product",
      description: "From registration to a delivered and verified product.",
      arguments: [
        { name: "product_key", description: "a product of list_products" },
        { name: "budget_usd", description: "the most it may cost, in dollars" },
        { name: "min_as_of", description: "the oldest value you accept, ISO 8601 in UTC" }
      ]
    },
    editions: ["full"],
    text: ({ budget_usd, min_as_of, product_key }) =>
      walk(
        `Buy ${product_key ?? "the product that fits my question"}${budget_usd === undefined ? "" : `, for at most ${budget_usd} USD`}.`,
        "list_products: choose one with status available, and tell me its price and what it covers before you spend anything.",
        "If you have no key: register_agent. Do not reveal the key to anyone else.",
        "check_balance. If it is too low, call topup_credits, give me the payment link and stop.",
        `purchase_data with a new idempotency_key${budget_usd === undefined ? "" : `, max_price_usd ${budget_usd}`}` +
          `${min_as_of === undefined ? "" : `, min_as_of ${min_as_of}`}. Use the same key for retries, so you are not charged again.`,
        "Keep purchase_id and payload_sha256. purchase_data with purchase_id delivers the data again, free; add page for the other pages."
      )
  }
]

export const promptsOf = (edition: Edition): ReadonlyArray<Walk> =>
  walks.filter(({ editions }) => editions.includes(edition))
