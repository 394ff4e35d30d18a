/** Checks what an owner asks for, against what there is. */
import { Clock, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Secret } from "../credits/Secret.ts"
import { hour } from "../plugin/time.ts"
import { isoTime } from "../plugin/Value.ts"
import { declaredMetric, declaredSource, knownSymbol } from "../readings/read/parameters.ts"
import { rowsOf } from "../sql/rows.ts"
import { isReady } from "../webhooks/handOver.ts"
import type { AlertChannel, AlertRequest } from "../wire/alerts/alert.ts"
import { TooManyConfirmations } from "../wire/problems/alerts.ts"
import { BadParameter } from "../wire/problems/request.ts"
import { isMailAddress } from "../wire/text.ts"
import { isHappening } from "./condition.ts"
import { Messengers } from "./Messengers.ts"
import { domainOf, mailboxOf } from "./mailbox.ts"
import { isRefused } from "./refusals.ts"

const refused = (field: string, message: string, valid: string) =>
  new BadParameter({ field, message: `${field}: ${message}`, valid })

/** The request with the symbol as the catalog has it. */
export const checkedRequest = Effect.fnUntraced(function* (account: string, request: AlertRequest) {
  const { category, channel, condition, metric, source, symbol } = request
  if ((symbol === undefined) === (category === undefined)) {
    const valid = "a symbol, or a category"
    return yield* refused("symbol", "send one of symbol and category.", valid)
  }
  if (metric === undefined && !isHappening(condition)) {
    const message = `a condition of kind ${condition.kind} looks at one metric; name it.`
    return yield* refused("metric", message, "a metric of /v1/data-dictionary")
  }
  if (metric === undefined && source !== undefined)
    return yield* refused("source", "it goes with a metric.", "absent, or with metric")
  const resolved = symbol === undefined ? undefined : yield* knownSymbol("symbol", symbol)
  if (metric !== undefined) yield* declaredMetric("metric", metric, [])
  if (source !== undefined) yield* declaredSource("source", source, [])
  yield* checkChannel(account, channel)
  return { ...request, ...(resolved === undefined ? {} : { symbol: resolved }) }
})

/** Whether this service can send to a channel. Fails with `BadParameter`. */
export const checkChannel = Effect.fnUntraced(function* (account: string, channel: AlertChannel) {
  const { offered } = yield* Messengers
  if (channel.kind === "feed") return
  if (channel.kind === "email" && !isMailAddress(channel.address)) {
    const valid = "one address in ASCII, such as name@example.org"
    return yield* refused("channel.address", `it is not ${valid}.`, valid)
  }
  if (channel.kind !== "webhook") {
    if (offered.has(channel.kind)) return
    const kinds = [...offered, "webhook", "feed"]
    return yield* new BadParameter({
      field: "channel.kind",
      message: `channel.kind: this service does not send by ${channel.kind}. Valid values: ${kinds.join(", ")}.`,
      valid_values: kinds
    })
  }
  if (yield* isReady(channel.webhook_id, account)) return
  const valid = "the id of a webhook of /v1/webhooks that has answered its challenge"
  return yield* refused("channel.webhook_id", `it is not ${valid}.`, valid)
})

/** The addressee as the limits count it: of mail its mailbox, whatever is behind a `+`. */
const addresseeOf = (channel: AlertChannel): string | undefined => {
  switch (channel.kind) {
    case "email":
      return mailboxOf(channel.address)
    case "telegram":
      return `telegram ${channel.chat_id}`
    case "slack":
    case "discord":
      return channel.url
    case "ntfy":
      return `ntfy ${channel.topic}`
    default:
      return undefined
  }
}

/**
 * Per hour, whoever asks: nobody is flooded with what they did not ask for. Accounts cost nothing, so the asking network counts too,
 * and a domain, all of whose addresses may be of one receiver.
 */
export const mostConfirmations = {
  account: 20,
  addressee: 5,
  domain: 50,
  network: 20,
  inAll: 500
} as const

const lastRows = rowsOf({
  account: Schema.NullOr(Schema.Date),
  addressee: Schema.NullOr(Schema.Date),
  domain: Schema.NullOr(Schema.Date),
  network: Schema.NullOr(Schema.Date),
  in_all: Schema.NullOr(Schema.Date)
})

/**
 * Counts a message that asks for a confirmation; false if the channel needs none. Fails if its receiver refused all mail. In a
 * transaction that holds the account's row, where there is one: who asks without a key has none.
 */
export const countConfirmation = Effect.fnUntraced(function* (
  account: string | null,
  channel: AlertChannel,
  askingNetwork: string
) {
  const addressee = addresseeOf(channel)
  if (addressee === undefined) return false
  if (channel.kind === "email" && (yield* isRefused(addressee))) {
    const valid = "an address whose receiver has not refused all mail of this service"
    return yield* refused("channel.address", "its receiver asked never to get mail from this service.", valid)
  }
  const sql = yield* SqlClient.SqlClient
  // As the limits of calls store it.
  const network = Buffer.from((yield* Secret).hmac("confirmations", askingNetwork)).toString("hex")
  const domain = channel.kind === "email" ? domainOf(channel.address) : null
  const now = yield* Clock.currentTimeMillis
  const since = new Date(now - hour)
  const nth = (most: number) => sql`and at > ${since} order by at desc offset ${most - 1} limit 1`
  // One at a time: two that ask at once are both counted before either is let through.
  yield* sql`select pg_advisory_xact_lock(hashtext('alert confirmations'))`
  const [last] = yield* sql`
    select
      (select at from alert_confirmation where account = ${account} ${nth(mostConfirmations.account)}) as account,
      (select at from alert_confirmation where addressee = ${addressee} ${nth(mostConfirmations.addressee)}) as addressee,
      (select at from alert_confirmation where domain = ${domain} ${nth(mostConfirmations.domain)}) as domain,
      (select at from alert_confirmation where network = ${network} ${nth(mostConfirmations.network)}) as network,
      (select at from alert_confirmation where true ${nth(mostConfirmations.inAll)}) as in_all`.pipe(lastRows)
  const used = Math.max(...Object.values(last ?? {}).map((at) => at?.getTime() ?? 0))
  if (used > 0) {
    const again = used + hour
    return yield* new TooManyConfirmations({
      message: `No more alerts that need a confirmation can be made for this account, addressee, domain or network before ${isoTime(again)}.`,
      retry_after: Math.ceil((again - now) / 1000)
    })
  }
  yield* sql`insert into alert_confirmation ${sql.insert({ account, addressee, domain, network, at: new Date(now) })}`
  return true
})
