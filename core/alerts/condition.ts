/** What a condition needs, and how it is said. */
import type { AlertCondition, AlertRequest, HappeningCondition } from "../wire/alerts/alert.ts"

/** What an alert is about. Absent: not narrowed by it. */
export type AlertSubject = Pick<AlertRequest, "symbol" | "category" | "metric" | "source">

/** True of a condition on what happens, which the feed of events and the judgement of closed values tell; the others look at values. */
export const isHappening = (condition: AlertCondition): condition is HappeningCondition => {
  switch (condition.kind) {
    case "revised":
    case "held":
    case "incident":
    case "disagree":
    case "unusual":
      return true
    default:
      return false
  }
}

const plural = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? "" : "s"}`

/** The condition as the end of a sentence: "… is above 100". */
export const predicate = (condition: AlertCondition): string => {
  switch (condition.kind) {
    case "above":
    case "below":
      return `is ${condition.kind} ${condition.value}`
    case "change":
      return `changes by ${condition.percent} % or more within ${plural(condition.hours, "hour")}`
    case "new_high":
      return `is higher than on any of the ${plural(condition.days, "day")} before`
    case "new_low":
      return `is lower than on any of the ${plural(condition.days, "day")} before`
    case "stale":
      return `has no newer value for ${plural(condition.hours, "hour")}`
    case "absent":
      return "has no value on a closed day"
    case "revised":
      return "has a published value revised"
    case "held":
      return "has a reading held back by a guard"
    case "incident":
      return "has an incident opened"
    case "disagree":
      return "has sources or operators that contradict each other"
    case "unusual":
      return "has a closed value that is unusual by a rule"
  }
}

/** A condition in words, such as "nodes_online of FIL is above 100". */
export const conditionSays = (condition: AlertCondition, of: AlertSubject): string => {
  const whose = of.symbol ?? `any network of ${of.category}`
  const what = of.metric === undefined ? `Any metric of ${whose}` : `${of.metric} of ${whose}`
  return `${what}${of.source === undefined ? "" : ` from ${of.source}`} ${predicate(condition)}`
}
