/** Checks the page itself: compares what it shows with the signed data behind it. */
import { CouldNotLook, Malformed } from "../../../../core/proof/bytes.ts"
import { formatTime } from "../../html/format.ts"
import { raise } from "../parts/alarm.ts"
import { element } from "../parts/dom.ts"
import { Unanswered } from "../parts/failure.ts"
import { pageOf } from "../parts/trusted.ts"
import { ask } from "../parts/workerCall.ts"
import { type Compare, type Difference, renderTimeOf } from "./comparison.ts"
import { memory, remember } from "./memory.ts"

/** What is on a page of each kind, and how it is compared. A page loads what compares its own kind. */
const kinds: ReadonlyArray<readonly [hook: string, load: () => Promise<Compare>]> = [
  ["#figure[data-metric]", async () => (await import("./compareMetric.ts")).compareMetric],
  ["[data-network]", async () => (await import("./compareNetwork.ts")).compareNetwork],
  ["[data-open]", async () => (await import("./compareHome.ts")).compareHome],
  ["[data-before]", async () => (await import("./compareLog.ts")).compareLog],
  ["[data-closed]", async () => (await import("./compareLog.ts")).compareDay]
]

const compareOf = async (page: Document): Promise<Compare | undefined> =>
  await kinds.find(([hook]) => page.querySelector(hook) !== null)?.[1]()

/** A page is made at most once in ten seconds, so a new value may take as long to appear on it. */
const pageLasts = 11_000
/** Values come all the time, so a page is looked at more than once before it is called forged. */
const looks = 3

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** The page as it is served now: one that was opened before the newest value came differs, and is not forged. */
const servedNow = async (): Promise<Document> => {
  const page = await ask("pageNow", location.href.replace(/#.*$/, ""))
  return pageOf(page)
}

const list = (mismatches: ReadonlyArray<Difference>): HTMLElement => {
  const table = element("table", { class: "differences" })
  const heads = ["Where", "This page shows", "The service signed"]
  const body = element(
    "tbody",
    {},
    ...mismatches
      .slice(0, 40)
      .map(({ displayed, signed, where }) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, where),
          element("td", {}, displayed),
          element("td", {}, signed)
        )
      )
  )
  const row = element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))
  table.append(element("thead", {}, row), body)
  return table
}

const raiseDifference = (mismatches: ReadonlyArray<Difference>): void =>
  raise(
    "page",
    "This page does not show what the service signed",
    element(
      "p",
      {},
      "Somebody between the service and you altered the page, or the service itself shows people other values than programs. Do not use the values of this page. Load it over another network, and tell the operator if it stays so."
    ),
    list(mismatches)
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
  const displayed = document.querySelector("#page-key")?.textContent ?? ""
  return kid === undefined || displayed === kid ? [] : [{ where: says, displayed, signed: kid }]
}

/** What differs now and differed before; a value that changed in between is newer, and not forged. */
const persistentOf = async (
  compare: Compare,
  before: ReadonlyArray<Difference>
): Promise<ReadonlyArray<Difference>> => {
  let remaining = before
  for (let look = 1; look < looks && remaining.length > 0; look++) {
    await pause(pageLasts)
    const page = await servedNow()
    const again = new Set((await compare(page)).mismatches.map(({ where }) => where))
    remaining = remaining.filter(({ where }) => again.has(where))
  }
  return remaining
}

/** Says what was checked, or raises the alarm. */
const comparePage = async (served: Document, compare: Compare): Promise<string> => {
  const { checks, mismatches, isNewer, what } = await compare(served)
  const wrong = checks.find(({ ok }) => ok === false)
  if (wrong !== undefined) {
    raiseFailure(wrong.detail)
    return `It does not hold: ${wrong.detail}.`
  }
  const kid = /, key ([A-Za-z0-9_-]{43})$/.exec(checks[0]?.detail ?? "")?.[1]
  const keyed = namedKey(kid, "Key")
  if (mismatches.length + keyed.length > 0) {
    if (keyed.length === 0 && isNewer && (await persistentOf(compare, mismatches)).length === 0)
      return `Newer values came after this page was made at ${formatTime(renderTimeOf(served))}. Load it again.`
    raiseDifference([...keyed, ...mismatches])
    return "It does not hold: this page shows other values."
  }
  const open = checks.find(({ ok }) => ok === "not proved")
  const vouched =
    open === undefined
      ? "by a key that you gave"
      : open.name === "operator's key"
        ? "but nobody vouches for that key until you give it on the page “Verify”"
        : open.detail
  return `Checked just now in this browser: ${what} are what the key signed, ${vouched}.`
}

/** Checks this page, and the log behind it, and says so in the footer. */
export const checkPage = async (served: Document): Promise<void> => {
  const place = document.querySelector("#page-check")
  const say = (text: string): void => {
    if (place !== null) place.textContent = text
  }
  say("Checking …")
  const compare = await compareOf(served)
  const sentences: Array<string> = []
  let unanswered: string | undefined
  try {
    sentences.push(
      compare === undefined
        ? "What this page says was not compared with signed data; each proof can be verified by itself."
        : await comparePage(served, compare)
    )
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    if (error instanceof Unanswered) unanswered = error.message
    if (error instanceof CouldNotLook) sentences.push(`Not checked: ${error.message}.`)
    else {
      raiseFailure(error.message)
      sentences.push(`It does not hold: ${error.message}.`)
    }
  }
  const growth = await ask("compareHeads", memory())
  remember(growth)
  const { detail, ok } = growth.check
  // Without a network nothing answers, and there is nothing to warn of.
  if (unanswered !== undefined && ok !== "not checked") raiseUnanswered(unanswered)
  sentences.push(
    ok === true
      ? `The log has only grown: ${detail}.`
      : ok === false
        ? `The log does not follow from the one seen before: ${detail}.`
        : `The log was not compared: ${detail}.`
  )
  say(sentences.join(" "))
}
