/**
 * The pages and files of the explorer, for people. They are apart from `api/`, which is for programs: addresses of pages may
 * change, and OpenAPI does not list them. They pass the same delivery as every answer. The first page is in `api/meta.ts`, where it was
 * released.
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { AlertForm, MorningForm } from "../../core/wire/alerts/alert.ts"
import { OrderRequest } from "../../core/wire/credits/card.ts"
import { BuyLimitReached, KeyUnknown, ScopeMissing } from "../../core/wire/problems/accounts.ts"
import { AlertUnknown, TooManyAlerts, TooManyConfirmations } from "../../core/wire/problems/alerts.ts"
import { CardsUnavailable } from "../../core/wire/problems/cards.ts"
import {
  CreditsShort,
  DataTooOld,
  IdempotencyKeyReused,
  NotForResale,
  NothingToDeliver,
  OverBudget,
  ProductUnavailable,
  ProductWithdrawn,
  PurchaseUnknown
} from "../../core/wire/problems/purchases.ts"
import { BadParameter, NotFound, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { always, Contract, DependsOn, ForPeople } from "../api/Contract.ts"

const Text = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html; charset=utf-8" }))

const text = Schema.optionalKey(Schema.String)

const network = { symbol: Schema.String }
const metric = { symbol: Schema.String, metric: Schema.String }
/** Their refusals are pages too, with suggestions. */
const error = [UnknownSymbol, NotFound] as const

/** What depends on one metric, and is read with the number of days. */
const ofMetric = { params: metric, query: { days: text }, success: Text, error }

/** What depends on one measure. */
const ofMeasure = { params: { name: Schema.String }, query: { rung: text }, success: Text, error: NotFound }

/** A category, ranked by one of its metrics. */
const categoryOf = {
  params: { name: Schema.String },
  query: { metric: text },
  success: Text,
  error: NotFound
}

/** What is of one date. */
const dated = { params: { date: Schema.String }, success: Text, error: NotFound }

/** One published value under its short address. */
const receiptOf = { params: { code: Schema.String }, success: Text, error: NotFound }

/** A map of one network or of all, on one closed day, also as it was known on an earlier day. */
const mapOf = { query: { network: text, date: text, as_known_at: text }, success: Text, error: NotFound }

/** The same drawn, also as it was known on an earlier day. */
const datedMetric = { ...ofMetric, query: { days: text, axis: text, as_known_at: text } }

/** Six series by their letters, and how they are shown, also as they were known on an earlier day. */
const compared = {
  ...{ a: text, b: text, c: text, d: text, e: text, f: text },
  ...{ by: text, days: text, axis: text, as_known_at: text }
}

/** What a list of networks shows, and how it is ordered. */
const listed = { q: text, show: text, category: text, telemetry: text, sort: text }

/** The same as a page. */
const { sort, ...ofList } = listed
const listPage = { ...ofList, columns: text, sort, page: text }

export const Pages = HttpApiGroup.make("pages")
  .add(
    HttpApiEndpoint.get("network", "/network/:symbol", { params: network, success: Text, error }),
    HttpApiEndpoint.get("category", "/category/:name", categoryOf),
    HttpApiEndpoint.get("receipt", "/p/:code", receiptOf),
    HttpApiEndpoint.get("map", "/map", mapOf),
    HttpApiEndpoint.get("embedMap", "/embed/map", mapOf),
    HttpApiEndpoint.get("measureList", "/measures", { success: Text }),
    HttpApiEndpoint.get("measure", "/measure/:name", ofMeasure),
    HttpApiEndpoint.get("measureCsv", "/measure/:name/data.csv", ofMeasure),
    HttpApiEndpoint.get("embedMeasure", "/embed/measure/:name", ofMeasure),
    HttpApiEndpoint.get("metric", "/network/:symbol/:metric", datedMetric),
    HttpApiEndpoint.get("metricCsv", "/network/:symbol/:metric/data.csv", ofMetric),
    HttpApiEndpoint.get("metricSvg", "/network/:symbol/:metric/chart.svg", datedMetric),
    HttpApiEndpoint.get("metricPng", "/network/:symbol/:metric/chart.png", datedMetric),
    HttpApiEndpoint.get("embed", "/embed/:symbol/:metric", datedMetric),
    HttpApiEndpoint.get("log", "/log", { query: { month: text }, success: Text, error }),
    HttpApiEndpoint.get("incidentList", "/log/incidents", { query: { cursor: text }, success: Text, error }),
    HttpApiEndpoint.get("revisionList", "/log/revisions", { query: { cursor: text }, success: Text, error }),
    HttpApiEndpoint.get("logDay", "/log/:date", {
      params: { date: Schema.String },
      query: { page: text },
      success: Text,
      error
    }),
    HttpApiEndpoint.get("changes", "/changes", { success: Text, error }),
    HttpApiEndpoint.get("anomalies", "/anomalies", { success: Text, error }),
    HttpApiEndpoint.get("eventFeed", "/changes/atom.xml", {
      query: { symbol: text, category: text, kind: text },
      success: Text,
      error: [BadParameter, UnknownSymbol]
    }),
    HttpApiEndpoint.get("dayFeed", "/changes/yesterday.xml", {
      query: { symbol: text, category: text },
      success: Text,
      error: [BadParameter, UnknownSymbol]
    }),
    HttpApiEndpoint.get("changesOn", "/changes/:date", {
      params: { date: Schema.String },
      success: Text,
      error
    }),
    HttpApiEndpoint.get("verify", "/verify", {
      query: { symbol: text, metric: text, date: text, source: text },
      success: Text
    }),
    HttpApiEndpoint.get("compare", "/compare", { query: compared, success: Text }),
    HttpApiEndpoint.get("compareCsv", "/compare/data.csv", { query: compared, success: Text }),
    HttpApiEndpoint.get("compareSvg", "/compare/chart.svg", { query: compared, success: Text, error }),
    HttpApiEndpoint.get("comparePng", "/compare/chart.png", { query: compared, success: Text, error }),
    HttpApiEndpoint.get("embedCompare", "/embed/compare", { query: compared, success: Text, error }),
    HttpApiEndpoint.get("suggestions", "/suggestions", { query: { q: text }, success: Text }),
    HttpApiEndpoint.get("networks", "/networks", { query: listPage, success: Text }),
    HttpApiEndpoint.get("networksCsv", "/networks/data.csv", { query: listed, success: Text }),
    HttpApiEndpoint.get("coverage", "/coverage", { success: Text }),
    HttpApiEndpoint.get("about", "/about", { success: Text }),
    HttpApiEndpoint.get("method", "/method", { success: Text }),
    HttpApiEndpoint.get("earnedMethod", "/method/:symbol", { params: network, success: Text, error }),
    HttpApiEndpoint.get("trust", "/trust", { success: Text }),
    HttpApiEndpoint.get("sources", "/sources", { success: Text }),
    HttpApiEndpoint.get("corrections", "/corrections", { success: Text }),
    HttpApiEndpoint.get("privacy", "/privacy", { success: Text }),
    HttpApiEndpoint.get("institutions", "/institutions", { success: Text }),
    HttpApiEndpoint.get("world", "/world", { success: Text, error }),
    HttpApiEndpoint.get("status", "/status", { success: Text, error }),
    HttpApiEndpoint.get("brief", "/brief", { success: Text, error: NotFound }),
    HttpApiEndpoint.get("briefFeed", "/brief/atom.xml", { success: Text }),
    HttpApiEndpoint.get("briefOf", "/brief/:date", dated),
    HttpApiEndpoint.get("products", "/products", { success: Text }),
    HttpApiEndpoint.get("product", "/products/:key", {
      params: { key: Schema.String },
      success: Text,
      error: NotFound
    }),
    HttpApiEndpoint.get("watchlist", "/watchlist", { success: Text }),
    HttpApiEndpoint.get("account", "/account", { success: Text }),
    HttpApiEndpoint.get("sitemap", "/sitemap.xml", { success: Text }),
    HttpApiEndpoint.get("sitemapPart", "/sitemap/:part", {
      params: { part: Schema.String },
      success: Text,
      error: NotFound
    })
  )
  // A page says how things stand at the last full ten seconds, so it is made at most once in that time.
  .annotateEndpoints(DependsOn, always("clock", "incidents", "log", "revisions"))
  .annotateEndpoints(ForPeople, true)

/** Pictures for previews: of a day, since whoever shows one keeps it for weeks. */
export const Pictures = HttpApiGroup.make("pictures")
  .add(
    HttpApiEndpoint.get("networkPicture", "/network/:symbol/picture.png", {
      params: network,
      success: Text,
      error
    }),
    HttpApiEndpoint.get("metricPicture", "/network/:symbol/:metric/picture.png", {
      params: metric,
      query: { as_known_at: text },
      success: Text,
      error
    }),
    HttpApiEndpoint.get("todayPicture", "/picture.png", { success: Text }),
    HttpApiEndpoint.get("networksPicture", "/networks/picture.png", { success: Text }),
    HttpApiEndpoint.get("worldPicture", "/world/picture.png", { success: Text }),
    HttpApiEndpoint.get("categoryPicture", "/category/:name/picture.png", categoryOf),
    HttpApiEndpoint.get("changesPicture", "/changes/:date/picture.png", dated),
    HttpApiEndpoint.get("briefPicture", "/brief/:date/picture.png", dated),
    HttpApiEndpoint.get("receiptPicture", "/p/:code/picture.png", receiptOf),
    HttpApiEndpoint.get("badge", "/badge/:symbol/:file", {
      params: { symbol: Schema.String, file: Schema.String },
      success: Text,
      error
    }),
    HttpApiEndpoint.get("mapPicture", "/map/picture.png", mapOf),
    HttpApiEndpoint.get("measurePicture", "/measure/:name/picture.png", ofMeasure),
    HttpApiEndpoint.get("comparePicture", "/compare/picture.png", { query: compared, success: Text, error })
  )
  .annotateEndpoints(DependsOn, always("day", "incidents", "log", "revisions"))
  .annotateEndpoints(ForPeople, true)

/** The fields of a form that buys with credits: the key, the product, and its inputs by name. */
const purchaseForm = Schema.Record(Schema.String, Schema.String).pipe(HttpApiSchema.asFormUrlEncoded())

const purchaseErrors = [
  BadParameter,
  BuyLimitReached,
  CreditsShort,
  KeyUnknown,
  NotForResale,
  NothingToDeliver,
  OverBudget,
  ProductUnavailable,
  ProductWithdrawn,
  ScopeMissing,
  UnknownSymbol
] as const

/** Before and after a payment: for one reader, and never kept. */
export const Payments = HttpApiGroup.make("payments")
  .add(
    HttpApiEndpoint.post("order", "/buy/order", {
      payload: OrderRequest.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: Text,
      error: [BadParameter, CardsUnavailable, IdempotencyKeyReused]
    }),
    HttpApiEndpoint.post("reviewPurchase", "/buy/credits", {
      payload: purchaseForm,
      success: Text,
      error: purchaseErrors
    }),
    HttpApiEndpoint.post("payPurchase", "/buy/credits/pay", {
      payload: purchaseForm,
      success: Text,
      error: [...purchaseErrors, DataTooOld, IdempotencyKeyReused]
    }),
    HttpApiEndpoint.post("purchasedFile", "/buy/credits/file", {
      payload: purchaseForm,
      success: Text,
      error: [BadParameter, KeyUnknown, ProductUnavailable, PurchaseUnknown, ScopeMissing]
    }),
    HttpApiEndpoint.get("paid", "/paid", { query: { session_id: text }, success: Text })
  )
  .annotateEndpoints(ForPeople, true)

const link = { id: Schema.String, token: Schema.String }
const ofLink = { params: link, success: Text, error: AlertUnknown }

/** The addresses in the messages of alerts: for who has them, and never kept. */
export const AlertLinks = HttpApiGroup.make("alertLinks")
  .add(
    HttpApiEndpoint.post("tellMe", "/alerts", {
      payload: AlertForm.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: Text,
      error: [BadParameter, UnknownSymbol, KeyUnknown, ScopeMissing, TooManyAlerts, TooManyConfirmations]
    }),
    HttpApiEndpoint.post("alertList", "/alerts/mine", {
      payload: Schema.Struct({ key: Schema.String }).pipe(HttpApiSchema.asFormUrlEncoded()),
      success: Text,
      error: [KeyUnknown, ScopeMissing]
    }),
    HttpApiEndpoint.get("confirmAlert", "/alerts/:id/confirm/:token", ofLink),
    HttpApiEndpoint.post("confirmedAlert", "/alerts/:id/confirm/:token", ofLink),
    HttpApiEndpoint.get("endAlert", "/alerts/:id/end/:token", ofLink),
    HttpApiEndpoint.post("endedAlert", "/alerts/:id/end/:token", ofLink),
    HttpApiEndpoint.post("pausedAlert", "/alerts/:id/pause/:token", ofLink),
    HttpApiEndpoint.post("resumedAlert", "/alerts/:id/resume/:token", ofLink),
    HttpApiEndpoint.get("refuseMail", "/alerts/:id/never/:token", ofLink),
    HttpApiEndpoint.post("refusedMail", "/alerts/:id/never/:token", ofLink),
    HttpApiEndpoint.post("askForMorning", "/mornings", {
      payload: MorningForm.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: Text,
      error: [BadParameter, UnknownSymbol, TooManyConfirmations]
    }),
    HttpApiEndpoint.get("confirmMorningPage", "/mornings/:id/confirm/:token", ofLink),
    HttpApiEndpoint.post("confirmMorning", "/mornings/:id/confirm/:token", ofLink),
    HttpApiEndpoint.get("endMorningPage", "/mornings/:id/end/:token", ofLink),
    HttpApiEndpoint.post("endMorning", "/mornings/:id/end/:token", ofLink),
    HttpApiEndpoint.get("alertFeed", "/alerts/:id/feed/:token", ofLink)
  )
  .annotateEndpoints(ForPeople, true)

/** Under names that change with the content. */
export const Files = HttpApiGroup.make("files")
  .add(
    HttpApiEndpoint.get("asset", "/assets/:name", {
      params: { name: Schema.String },
      success: Text
    }).annotate(DependsOn, always()),
    HttpApiEndpoint.get("icon", "/favicon.svg", { success: Text }).annotate(DependsOn, always("setup")),
    HttpApiEndpoint.get("robots", "/robots.txt", { success: Text }).annotate(DependsOn, always("setup")),
    HttpApiEndpoint.get("securityTxt", "/.well-known/security.txt", {
      success: Text,
      error: NotFound
    }).annotate(DependsOn, always("day")),
    HttpApiEndpoint.get("favicon", "/favicon.ico", { success: Text }).annotate(DependsOn, always("setup"))
  )
  .annotateEndpoints(ForPeople, true)

/** What programs and agents look for at known places before they know anything of the service. */
export const Catalogs = HttpApiGroup.make("catalogs")
  .add(
    HttpApiEndpoint.get("apiCatalog", "/.well-known/api-catalog", { success: Text }),
    HttpApiEndpoint.get("skillIndex", "/.well-known/agent-skills/index.json", { success: Text }),
    HttpApiEndpoint.get("skill", "/.well-known/agent-skills/:skill/SKILL.md", {
      params: { skill: Schema.String },
      success: Text,
      error: NotFound
    }),
    HttpApiEndpoint.get("postman", "/postman.json", { success: Text }),
    HttpApiEndpoint.get("widgets", "/widgets.json", { success: Text }),
    HttpApiEndpoint.get("changelog", "/changelog", { success: Text }),
    HttpApiEndpoint.get("changelogFeed", "/changelog/atom.xml", { success: Text })
  )
  .annotateEndpoints(DependsOn, always("setup"))
  // As a page with the networks that are measured.
  .add(
    HttpApiEndpoint.get("llms", "/llms.txt", { success: Text }).annotate(
      DependsOn,
      always("clock", "incidents", "log", "revisions")
    )
  )
  // As `/x402`, whose products it lists.
  .add(
    HttpApiEndpoint.get("x402List", "/.well-known/x402", { success: Text }).annotate(
      DependsOn,
      always("clock")
    )
  )

export class Site extends HttpApi.make("explorer")
  .add(Pages)
  .add(Pictures)
  .add(Payments)
  .add(AlertLinks)
  .add(Files)
  .add(Catalogs)
  .middleware(Contract) {}

/** The first segment of each path: limits tell by it who opens a page. */
export const segmentsOfSite = (): ReadonlyArray<string> => {
  const segments = new Set([""])
  HttpApi.reflect(Site, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => void segments.add(endpoint.path.split("/")[1] ?? "")
  })
  return [...segments]
}
