/** An alert as people say it: `Helium: devices total below 1,100,000`. */
import { predicate } from "../../../core/alerts/condition.ts"
import type { Alert } from "../../../core/wire/alerts/alert.ts"
import { categoryTitle, formatNumber, metricWords } from "./format.ts"
import { nameOfSymbol } from "./nameOfSymbol.ts"

const conditionWords = ({ condition }: Pick<Alert, "condition">): string =>
  condition.kind === "above" || condition.kind === "below"
    ? `${condition.kind} ${formatNumber(condition.value)}`
    : predicate(condition)

export const alertWords = (alert: Pick<Alert, "condition" | "symbol" | "category" | "metric">): string => {
  const { category, metric, symbol } = alert
  const whose =
    symbol === undefined
      ? `Any network of ${category === undefined ? "the catalog" : categoryTitle(category)}`
      : nameOfSymbol(symbol)
  return `${whose}: ${metric === undefined ? "any figure" : metricWords(metric)} ${conditionWords(alert)}`
}

const states = {
  unconfirmed: "waits until its message is confirmed",
  active: "is looked at",
  over_limit: "is paused: the account has more alerts than its tier includes",
  paused: "is paused"
} as const

export const alertState = ({ state }: Pick<Alert, "state">): string => states[state]
