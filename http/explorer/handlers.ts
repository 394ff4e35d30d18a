/** The pages and files of `Site.ts`: one function each. */
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { NotFound } from "../../core/wire/problems/request.ts"
import { respond } from "../problems/fromRequest.ts"
import { type Asset, Assets } from "./assets/Assets.ts"
import { about } from "./pages/about.ts"
import { account } from "./pages/account.ts"
import {
  confirm,
  confirmPage,
  end,
  endPage,
  feed,
  pause,
  refuseMail,
  refuseMailPage,
  resume
} from "./pages/alertLinks.ts"
import { alertList } from "./pages/alertList.ts"
import { anomalies } from "./pages/anomalies.ts"
import { badge } from "./pages/badge.ts"
import { brief, briefFeed } from "./pages/brief.ts"
import { payPurchase, purchasedFile, reviewPurchase } from "./pages/buyCredits.ts"
import { category } from "./pages/category.ts"
import { changes, changesOn } from "./pages/changes.ts"
import { compare } from "./pages/compare.ts"
import { compareCsv, comparePng, compareSvg } from "./pages/compareFiles.ts"
import { corrections } from "./pages/corrections.ts"
import { coverage } from "./pages/coverage.ts"
import { dayFeed } from "./pages/dayFeed.ts"
import { robots, sitemap, sitemapPart } from "./pages/discovery.ts"
import { earned, earnedCsv, embedEarned } from "./pages/earned.ts"
import { earnedMethod } from "./pages/earnedMethod.ts"
import { embed, embedCompare, embedMeasure } from "./pages/embed.ts"
import { eventFeed } from "./pages/eventFeed.ts"
import { institutions } from "./pages/institutions.ts"
import { log } from "./pages/log.ts"
import { logDay } from "./pages/logDay.ts"
import { incidentList, revisionList } from "./pages/logLists.ts"
import { embedMap, map, mapPicture } from "./pages/map.ts"
import { measure, measureList } from "./pages/measure.ts"
import { measureCsv, measurePicture } from "./pages/measureFiles.ts"
import { method } from "./pages/method.ts"
import { metric } from "./pages/metric.ts"
import { chartPng, chartSvg, csv } from "./pages/metricFiles.ts"
import {
  askForMorning,
  confirmMorning,
  confirmMorningPage,
  endMorning,
  endMorningPage
} from "./pages/mornings.ts"
import { network } from "./pages/network.ts"
import { networks } from "./pages/networks.ts"
import { networksCsv } from "./pages/networksCsv.ts"
import { order } from "./pages/order.ts"
import {
  briefPicture,
  categoryPicture,
  changesPicture,
  earnedPicture,
  networksPicture,
  todayPicture,
  worldPicture
} from "./pages/pagePictures.ts"
import { paid } from "./pages/paid.ts"
import { comparePicture, metricPicture, networkPicture } from "./pages/pictures.ts"
import { privacy } from "./pages/privacy.ts"
import { product } from "./pages/product.ts"
import { products } from "./pages/products.ts"
import { receipt, receiptPicture } from "./pages/receipt.ts"
import { securityTxt } from "./pages/securityTxt.ts"
import { sources } from "./pages/sources.ts"
import { status } from "./pages/status.ts"
import { suggestions } from "./pages/suggestions.ts"
import { tellMe } from "./pages/tellMe.ts"
import { trust } from "./pages/trust.ts"
import { verify } from "./pages/verify.ts"
import { watchlist } from "./pages/watchlist.ts"
import { world } from "./pages/world.ts"
import { Site } from "./Site.ts"

const pages = HttpApiBuilder.group(Site, "pages", (handlers) =>
  handlers.handleAll({
    network: ({ params }) => network(params.symbol),
    category: ({ params, query }) => category(params.name, query.metric),
    receipt: ({ params }) => receipt(params.code),
    map: ({ query }) => map(query),
    embedMap: ({ query }) => embedMap(query),
    measureList: () => measureList,
    measure: ({ params, query }) => (params.name === "earned" ? earned(query.rung) : measure(params.name)),
    measureCsv: ({ params }) => (params.name === "earned" ? earnedCsv : measureCsv(params.name)),
    embedMeasure: ({ params }) => (params.name === "earned" ? embedEarned : embedMeasure(params.name)),
    metric: ({ params, query }) => metric({ ...params, ...query }),
    metricCsv: ({ params, query }) => csv({ ...params, ...query }),
    metricSvg: ({ params, query }) => chartSvg({ ...params, ...query }),
    metricPng: ({ params, query }) => chartPng({ ...params, ...query }),
    embed: ({ params, query }) => embed({ ...params, ...query }),
    embedCompare: ({ query }) => embedCompare(query),
    log: ({ query }) => log(query),
    incidentList: ({ query }) => incidentList(query),
    revisionList: ({ query }) => revisionList(query),
    logDay: ({ params, query }) => logDay({ ...params, ...query }),
    verify: ({ query }) => verify(query),
    compare: ({ query }) => compare(query),
    compareCsv: ({ query }) => compareCsv(query),
    compareSvg: ({ query }) => compareSvg(query),
    comparePng: ({ query }) => comparePng(query),
    suggestions: ({ query }) => suggestions(query.q ?? ""),
    networks: ({ query }) => networks(query),
    networksCsv: ({ query }) => networksCsv(query),
    coverage: () => coverage,
    about: () => about,
    method: () => method,
    earnedMethod: ({ params }) => earnedMethod(params.symbol),
    trust: () => trust,
    changes: () => changes,
    eventFeed: ({ query }) => eventFeed(query),
    anomalies: () => anomalies,
    dayFeed: ({ query }) => dayFeed(query),
    changesOn: ({ params }) => changesOn(params),
    sources: () => sources,
    corrections: () => corrections,
    privacy: () => privacy,
    institutions: () => institutions,
    world: () => world(),
    status: () => status(),
    brief: () => brief(undefined),
    briefFeed: () => briefFeed(),
    briefOf: ({ params }) => brief(params.date),
    products: () => products(),
    product: ({ params }) => product(params.key),
    watchlist: () => watchlist,
    account: () => account(),
    sitemap: () => sitemap,
    sitemapPart: ({ params }) => sitemapPart(params.part)
  })
)

const pictures = HttpApiBuilder.group(Site, "pictures", (handlers) =>
  handlers.handleAll({
    networkPicture: ({ params }) => networkPicture(params.symbol),
    metricPicture: ({ params, query }) => metricPicture({ ...params, ...query }),
    todayPicture: () => todayPicture,
    networksPicture: () => networksPicture,
    worldPicture: () => worldPicture,
    categoryPicture: ({ params, query }) => categoryPicture(params.name, query.metric),
    changesPicture: ({ params }) => changesPicture(params.date),
    briefPicture: ({ params }) => briefPicture(params.date),
    receiptPicture: ({ params }) => receiptPicture(params.code),
    badge: ({ params }) => badge(params.symbol, params.file),
    mapPicture: ({ query }) => mapPicture(query),
    measurePicture: ({ params }) => (params.name === "earned" ? earnedPicture : measurePicture(params.name)),
    comparePicture: ({ query }) => comparePicture(query)
  })
)

const payments = HttpApiBuilder.group(Site, "payments", (handlers) =>
  handlers.handleAll({
    order: ({ payload }) => order(payload),
    reviewPurchase: ({ payload }) => reviewPurchase(payload),
    payPurchase: ({ payload }) => payPurchase(payload),
    purchasedFile: ({ payload }) => purchasedFile(payload),
    paid: ({ query }) => paid(query.session_id)
  })
)

const alertLinks = HttpApiBuilder.group(Site, "alertLinks", (handlers) =>
  handlers.handleAll({
    tellMe: ({ payload }) => tellMe(payload),
    alertList: ({ payload }) => alertList(payload),
    confirmAlert: ({ params }) => confirmPage(params),
    confirmedAlert: ({ params }) => confirm(params),
    endAlert: ({ params }) => endPage(params),
    endedAlert: ({ params }) => end(params),
    pausedAlert: ({ params }) => pause(params),
    resumedAlert: ({ params }) => resume(params),
    refuseMail: ({ params }) => refuseMailPage(params),
    refusedMail: ({ params }) => refuseMail(params),
    askForMorning: ({ payload }) => askForMorning(payload),
    confirmMorningPage: ({ params }) => confirmMorningPage(params),
    confirmMorning: ({ params }) => confirmMorning(params),
    endMorningPage: ({ params }) => endMorningPage(params),
    endMorning: ({ params }) => endMorning(params),
    alertFeed: ({ params }) => feed(params)
  })
)

const assetResponse = ({ bytes, contentType, headers }: Asset) =>
  HttpServerResponse.uint8Array(bytes, { contentType, ...(headers === undefined ? {} : { headers }) })

const files = HttpApiBuilder.group(
  Site,
  "files",
  Effect.fn(function* (handlers) {
    const { favicon, find, icon } = yield* Assets
    return handlers.handleAll({
      asset: ({ params }) => {
        const asset = find(params.name)
        return asset === undefined
          ? respond(
              new NotFound({ message: "There is no such file. Load the page again for the current ones." })
            )
          : Effect.succeed(assetResponse(asset))
      },
      robots: () => robots,
      securityTxt: () => securityTxt,
      icon: () => Effect.succeed(assetResponse(icon)),
      favicon: () => Effect.map(favicon, assetResponse)
    })
  })
)

export const layer = Layer.mergeAll(pages, pictures, payments, alertLinks, files)
