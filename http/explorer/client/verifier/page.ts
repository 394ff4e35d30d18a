/** Checks the page itself: a script cannot read the signature of its own page, so it asks for the data behind it. */
import { CouldNotLook, fromUtf8, Malformed } from "../../../../core/proof/bytes.ts"
import { type Check, demand } from "../../../../core/proof/check.ts"
import { parseJson } from "../../../../core/proof/json.ts"
import { fetchKeys, type Get, requestOf } from "../../../../core/proof/remote.ts"
import { verifyResponse } from "../../../../core/proof/verifyResponse.ts"
import type { HistoryResponse, HistorySeries } from "../../../../core/wire/data/history.ts"
import { formatTime } from "../../html/format.ts"
import { raise } from "../parts/alarm.ts"
import { element } from "../parts/dom.ts"
import { compareHeads } from "./heads.ts"
import { type Difference, differences } from "./shown.ts"
import { here, oneLook, Unanswered } from "./transport.ts"
import { trustNow } from "./trust.ts"

/** A page is made at most once in ten seconds, so a new value may take as long to appear on it. */
const pageLasts = 11_000

interface Signed {
  readonly series: HistorySeries | undefined
  readonly changed: string
  readonly checks: ReadonlyArray<Check>
}

const signedSeries = async (figure: DOMStringMap, get: Get): Promise<Signed> => {
  const { days = "30", metric = "", source = "", symbol = "" } = figure
  const query = new URLSearchParams({ network: symbol, metric, source, days })
  const url = `${here()}/v1/history?${query}`
  const answer = await get(url)
  if (answer.status !== 200)
    throw new CouldNotLook(`the data behind this page could not be read (status ${answer.status})`)
  const trust = trustNow()
  const checks = verifyResponse(
    { ...answer, request: requestOf("GET", url) },
    { keys: await fetchKeys(get, here()), pins: trust.pins ?? [], bodyOnly: true, now: Date.now() }
  )
  // The body's form is that of the API: it is compared with the page member by member, and never shown as it is.
  const body = parseJson(fromUtf8(answer.body)) as HistoryResponse
  demand(
    body.window_days === Number(days) && Object.keys(body.data ?? {}).every((one) => one === symbol),
    "the signed answer is about another network or another window than this page"
  )
  const series = body.data[symbol]?.[metric]
  demand(
    series === undefined || series.source === source,
    `the signed answer is from ${series?.source}, and this page names ${source}`
  )
  return { series, changed: body.generated_utc, checks }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** The page as it is served now: one that was opened before the newest value came differs, and is not forged. */
const servedNow = async (): Promise<Document> => {
  const { body } = await oneLook()(location.href.replace(/#.*$/, ""))
  return new DOMParser().parseFromString(fromUtf8(body), "text/html")
}

const list = (found: ReadonlyArray<Difference>): HTMLElement => {
  const table = element("table", { class: "differences" })
  const heads = ["Where", "This page shows", "The service signed"]
  const body = element(
    "tbody",
    {},
    ...found
      .slice(0, 40)
      .map(({ shown, signed, where }) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, where),
          element("td", {}, shown),
          element("td", {}, signed)
        )
      )
  )
  const row = element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))
  table.append(element("thead", {}, row), body)
  return table
}

const raiseDifference = (found: ReadonlyArray<Difference>): void =>
  raise(
    "page",
    "This page does not show what the service signed",
    element(
      "p",
      {},
      "Somebody between the service and you altered the page, or the service itself shows people other values than programs. Do not use the values of this page. Load it over another network, and tell the operator if it stays so."
    ),
    list(found)
  )

const raiseFailure = (why: string): void =>
  raise(
    "page",
    "The data behind this page is not signed by the service",
    element("p", {}, `${why}. Do not use the values of this page until you know why.`)
  )

const raiseUnanswered = (why: string): void =>
  raise(
    "page",
    "This page could not be checked",
    element(
      "p",
      {},
      `The service answers, but not with the data behind this page: ${why}. Somebody may keep it from you. Load the page again, or verify a value by its button before you use it.`
    )
  )

/** The key that the page names is the one that signed. */
const namedKey = (kid: string | undefined, says: string): ReadonlyArray<Difference> => {
  const shown = document.querySelector("#page-key")?.textContent ?? ""
  return kid === undefined || shown === kid ? [] : [{ where: says, shown, signed: kid }]
}

/** Compares what the page shows with what is signed; says what was checked. */
const comparePage = async (served: Document, figure: DOMStringMap): Promise<string> => {
  const signed = await signedSeries(figure, oneLook())
  const wrong = signed.checks.find(({ ok }) => ok === false)
  if (wrong !== undefined) {
    raiseFailure(wrong.detail)
    return `It does not hold: ${wrong.detail}.`
  }
  const kid = /, key ([A-Za-z0-9_-]{43})$/.exec(signed.checks[0]?.detail ?? "")?.[1]
  const keyed = namedKey(kid, "Key")
  const { compared, found } = differences(served, signed.series)
  if (found.length + keyed.length > 0) {
    const made = document.querySelector(".foot time")?.getAttribute("datetime") ?? ""
    if (keyed.length === 0 && Date.parse(signed.changed) > Date.parse(made)) {
      await pause(pageLasts)
      const again = await signedSeries(figure, oneLook())
      if (differences(await servedNow(), again.series).found.length === 0)
        return `Newer values came at ${formatTime(signed.changed)}, after this page was made. Load it again.`
    }
    raiseDifference([...keyed, ...found])
    return "It does not hold: this page shows other values."
  }
  const open = signed.checks.find(({ ok }) => ok === "not proved")
  const vouched =
    open === undefined
      ? "by a key that you gave"
      : open.name === "operator's key"
        ? "but nobody vouches for that key until you give it on the page “Verify”"
        : open.detail
  return `Checked just now in this browser: ${compared} values and the chart are what the key signed, ${vouched}.`
}

/** Checks this page, and the log behind it, and says so in the footer. */
export const checkPage = async (served: Document): Promise<void> => {
  const place = document.querySelector("#page-check")
  const figure = served.querySelector<HTMLElement>("#figure")
  const say = (text: string): void => {
    if (place !== null) place.textContent = text
  }
  say("Checking …")
  const said: Array<string> = []
  let unanswered: string | undefined
  try {
    said.push(
      figure === null
        ? "What this page says was not compared with signed data; each proof can be verified by itself."
        : await comparePage(served, figure.dataset)
    )
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    if (error instanceof Unanswered) unanswered = error.message
    if (error instanceof CouldNotLook) said.push(`Not checked: ${error.message}.`)
    else {
      raiseFailure(error.message)
      said.push(`It does not hold: ${error.message}.`)
    }
  }
  const memory = await compareHeads()
  // Without a network nothing answers, and there is nothing to warn of.
  if (unanswered !== undefined && memory.ok !== "not checked") raiseUnanswered(unanswered)
  said.push(
    memory.ok === true
      ? `The log has only grown: ${memory.detail}.`
      : memory.ok === false
        ? `The log does not follow from the one seen before: ${memory.detail}.`
        : `The log was not compared: ${memory.detail}.`
  )
  say(said.join(" "))
}
