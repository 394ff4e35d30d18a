/** One published value of one day as a card, for a footnote or a filing: its short address never means another. */
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { attest } from "../../../core/log/record/attest.ts"
import { type PublishedValue, valueAt, valueOfLeaf } from "../../../core/log/record/shortAddress.ts"
import { toHex } from "../../../core/proof/bytes.ts"
import { rightsBySource, usable } from "../../../core/readings/read/rights.ts"
import type { AttestResponse } from "../../../core/wire/log/attest.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { lampsPicture } from "../charts/lampsPicture.ts"
import { Painter } from "../charts/Painter.ts"
import { pictureSvg } from "../charts/picture.ts"
import { commandBlock } from "../html/command.ts"
import { formatDay, formatTime, metricTitle, metricWords } from "../html/format.ts"
import { type Lamp, lampList } from "../html/lamps.ts"
import { leafText, leafValue } from "../html/leafValue.ts"
import { type Html, html } from "../html/markup.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { respondPage } from "../html/shell.ts"
import { metricPath, networkPath, outward } from "../html/values.ts"
import { lampsFor } from "./lamps.ts"
import { attestAddress } from "./series.ts"

export const receiptPath = (code: string): string => `/p/${code}`

interface Receipt {
  readonly value: PublishedValue
  readonly lamps: ReadonlyArray<Lamp>
  /** The proof of the day's newest version; undefined where the service gives none. */
  readonly proved: AttestResponse | undefined
}

const receiptOf = Effect.fnUntraced(function* (code: string) {
  const match = yield* orProblem(valueAt(code))
  if (Option.isNone(match))
    return yield* new NotFound({
      message:
        "No published value has this short address. The page of a metric leads to the receipt of its newest sealed value; /networks has them all."
    })
  const value = match.value
  const { day, metric, source, symbol } = value.row
  if (!(yield* usable("show"))(source))
    return yield* new NotFound({
      message: `This value is in the log, and the terms of its source, ${source}, do not let it be displayed here. /sources quotes them.`
    })
  const proved = yield* attest({ symbol, metric, source, date: day }).pipe(
    Effect.catchTags({
      BadParameter: () => Effect.succeed(undefined),
      NotAttested: () => Effect.succeed(undefined),
      UnknownSymbol: () => Effect.succeed(undefined)
    }),
    orProblem
  )
  const receipt: Receipt = { value, proved, lamps: yield* orProblem(lampsFor(value)) }
  return receipt
})

const isNewest = ({ proved, value }: Receipt): boolean => proved?.leaf_hash === toHex(value.hash)

/** What came after this version, or takes it out of what counts. */
const versionNotes = Effect.fnUntraced(function* (receipt: Receipt) {
  const { proved, value } = receipt
  const { excluded_by, n_observations, version } = value.row
  const notes: Array<Html> = []
  if (proved !== undefined && !isNewest(receipt)) {
    const newest = yield* orProblem(valueOfLeaf(proved.leaf_hash))
    notes.push(
      html`<strong>Revised.</strong> This is version ${version} of the day’s value. The newest is ${
        Option.isSome(newest)
          ? html`<a href="${receiptPath(newest.value.code)}">${leafText(newest.value.row)}</a>`
          : leafText(proved.value)
      }; both stay in the log.`
    )
  }
  if (n_observations === 0)
    notes.push(html`<strong>Withdrawn.</strong> An incident excluded every reading of the day.`)
  if (excluded_by !== undefined)
    notes.push(html`<strong>Excluded</strong> when it was published, by incident ${excluded_by}.`)
  else if (proved?.excluded !== undefined && isNewest(receipt))
    notes.push(
      html`<strong>Excluded</strong> by incident ${proved.excluded.incident}: ${proved.excluded.reason}.`
    )
  return html`${notes.map((note) => html`<p role="note">${note}</p>`)}`
})

/** What only the browser of the reader can say: its script looks, and says it here. */
const checked = ({ row, hash }: PublishedValue): Html =>
  html`<p id="checked" class="readout" role="status" data-symbol="${row.symbol}" data-metric="${row.metric}" data-source="${row.source}" data-date="${row.day}" data-leaf="${toHex(hash)}"></p>
<noscript><p>Nothing was checked in this browser: that needs a script. The command below checks it without this site.</p></noscript>`

const citation = (
  { code, hash, row }: PublishedValue,
  baseUrl: string,
  { attribution, licence }: { readonly attribution?: string; readonly licence?: string }
): string =>
  `${nameOfSymbol(row.symbol)} (${row.symbol}), ${metricWords(row.metric)}: ${leafText(row)} on ${formatDay(row.day)}. ` +
  `Source: ${row.source}${row.simulated === true ? " (simulated)" : ""}. Plumbline, ${baseUrl}${receiptPath(code)}, leaf ${toHex(hash)}.` +
  (attribution === undefined ? "" : ` ${attribution.replace(/\.$/, "")}. Licence: ${licence ?? "unknown"}.`)

export const receipt = Effect.fn("explorer.receipt")(function* (code: string) {
  const one = yield* receiptOf(code)
  const { lamps, proved, value } = one
  const { row } = value
  const { baseUrl } = yield* HttpSettings
  const name = nameOfSymbol(row.symbol)
  const title = metricTitle(row.metric)
  const path = receiptPath(value.code)
  const newest = isNewest(one)
  return yield* respondPage({
    title: `${title} of ${name}: ${leafText(row)} on ${formatDay(row.day)}`,
    description: `${title} of ${name} on ${formatDay(row.day)}: ${leafText(row)}, by ${row.source}, with what was checked of it.`,
    path,
    picture: `${path}/picture.png`,
    script: "receipt",
    body: html`<p class="trail"><a href="/networks">Networks</a> / <a href="${networkPath(row.symbol)}">${name}</a> / <a href="${metricPath(row.symbol, row.metric)}">${title}</a></p>
<div class="receipt-page"><article class="receipt"><h1>${title} <span class="quiet">of ${name}</span></h1>
<p class="big">${leafValue(row)}</p>
<p>on <strong>${formatDay(row.day)}</strong> (UTC)${row.simulated === true && html` · <strong>simulated</strong>`}<br><span class="quiet">the day’s last reading, true at ${formatTime(row.as_of)}</span></p>
${yield* versionNotes(one)}${newest && checked(value)}
<dl class="facts"><dt>Who says so</dt><dd><code>${row.source}</code>, ${outward(row.verify_url, "see it at the source")}</dd>
<dt>Address</dt><dd><code>${baseUrl}${path}</code></dd>
<dt>Leaf</dt><dd><code>${toHex(value.hash)}</code></dd></dl>
<section aria-labelledby="sure"><h2 id="sure">How sure</h2>${lampList(lamps)}</section></article>
<section aria-labelledby="take"><h2 id="take">Take it with you</h2>
<div class="actions"><a class="button" href="${path}/picture.png" download="${row.symbol}-${row.metric}-${row.day}.png">Picture</a>${
      newest
        ? html`<a class="button" href="${attestAddress(row.symbol, row.metric, row.day, row.source)}&amp;format=bundle4" download="${row.symbol}-${row.metric}-${row.day}.bundle.json">Proof bundle</a>`
        : html`<a class="button" href="${attestAddress(row.symbol, row.metric, row.day, row.source)}">All versions as JSON</a>`
    }</div>
<h3><label for="cite">Cite it</label></h3><textarea id="cite" rows="5" readonly>${citation(value, baseUrl, (yield* rightsBySource)(row.source))}</textarea>
<p>This address means this value of this day for good: a later version has an address of its own.</p>
${newest && proved !== undefined && html`<p>Check it without trusting this site, with a key that you obtained independently:</p>${commandBlock(proved.how_to_check)}`}</section></div>`
  })
})

/** The card as a picture: the number, the day and the lamps. */
export const receiptPicture = Effect.fn("explorer.receiptPicture")(function* (code: string) {
  const one = yield* receiptOf(code)
  const { lamps, value } = one
  const { row } = value
  const { baseUrl } = yield* HttpSettings
  const bytes = yield* (yield* Painter).png({
    svg: pictureSvg({
      heading: metricTitle(row.metric),
      below: `${nameOfSymbol(row.symbol)}, ${formatDay(row.day)}${row.simulated === true ? ", simulated" : ""}${isNewest(one) ? "" : ", revised since"}`,
      value: leafText(row),
      chart: lampsPicture(lamps),
      foot: `Source: ${row.source}. ${baseUrl.replace(/^https?:\/\//, "")}${receiptPath(value.code)}`
    }),
    width: 1200
  })
  return HttpServerResponse.uint8Array(bytes, { contentType: "image/png" })
})
