/** The warranty of what is sold, as the operator sets it: all of it, or nothing. */
import { Config, Option, Schema } from "effect"

const whole = (name: string, least: number, most: number) =>
  Config.option(
    Config.schema(
      Schema.NumberFromString.check(
        Schema.makeFilter((value) => Number.isInteger(value) && value >= least && value <= most, {
          expected: `a whole number from ${least} to ${most}`
        })
      ),
      name
    )
  )

const amount = (name: string) =>
  Config.option(
    Config.schema(
      Schema.String.check(
        Schema.makeFilter((text) => /^(0|[1-9]\d{0,8})(\.\d{1,6})?$/.test(text) && Number(text) > 0, {
          expected: "an amount in USD above 0, e.g. 5 or 5.50"
        })
      ),
      name
    )
  )

/** A revision is looked for as long as readings are kept for certain. */
const mostDays = 60

export const warrantyConfig = Config.all({
  WARRANTY_DAYS: whole("WARRANTY_DAYS", 1, mostDays),
  WARRANTY_MAX_AGE_HOURS: whole("WARRANTY_MAX_AGE_HOURS", 1, 24 * 14),
  WARRANTY_SHARE: whole("WARRANTY_SHARE", 1, 100),
  WARRANTY_PER_SALE: amount("WARRANTY_PER_SALE"),
  WARRANTY_PER_DAY: amount("WARRANTY_PER_DAY"),
  WARRANTY_TOTAL: amount("WARRANTY_TOTAL")
})
type Values = Config.Success<typeof warrantyConfig>

/** What the warranty depends on beside its own settings. */
interface RelatedSettings {
  readonly keepReadingsDays: number
  readonly perRequest: boolean
  readonly stablecoins: boolean
}

/** As set. Amounts are decimal numbers of USD; who gives the warranty makes money of them (`runtime/service/credits.ts`). */
export interface WarrantySettings {
  readonly days: number
  readonly greatestAgeHours: number
  readonly share: number
  readonly perSale: string
  readonly perDay: string
  readonly inTotal: string
}

/** What is wrong with the settings as a line that names one, or what is set; undefined where nothing is set. */
export const warrantyOf = (
  values: Values,
  related: RelatedSettings
): WarrantySettings | string | undefined => {
  const missing = Object.entries<Option.Option<unknown>>(values).flatMap(([name, value]) =>
    Option.isNone(value) ? [name] : []
  )
  if (missing.length === Object.keys(values).length) return undefined
  const all = Option.all({
    days: values.WARRANTY_DAYS,
    greatestAgeHours: values.WARRANTY_MAX_AGE_HOURS,
    share: values.WARRANTY_SHARE,
    perSale: values.WARRANTY_PER_SALE,
    perDay: values.WARRANTY_PER_DAY,
    inTotal: values.WARRANTY_TOTAL
  })
  if (Option.isNone(all)) return `a warranty needs all of its settings; set also ${missing.join(", ")}`
  const { days, greatestAgeHours, inTotal, perDay, perSale } = all.value
  if (Number(perSale) > Number(perDay))
    return `WARRANTY_PER_SALE (${perSale}) must be at most WARRANTY_PER_DAY (${perDay})`
  if (Number(perDay) > Number(inTotal))
    return `WARRANTY_PER_DAY (${perDay}) must be at most WARRANTY_TOTAL (${inTotal})`
  const needed = days + Math.ceil(greatestAgeHours / 24) + 2
  if (related.keepReadingsDays < needed)
    return `KEEP_READINGS_DAYS must be at least ${needed} with this WARRANTY_DAYS and WARRANTY_MAX_AGE_HOURS, because an incident is compared with the readings`
  if (related.perRequest && !related.stablecoins)
    return "a warranty with X402_PAY_TO needs DEPOSIT_ADDRESS and EVM_RPC_URL, so that a payer without an account can verify his wallet and is paid back"
  return all.value
}
