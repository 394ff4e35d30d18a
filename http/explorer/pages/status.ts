/** How the service fares: its feeds one by one, and what it promised and kept in the last 30 days. */
import { Effect } from "effect"
import { attestations } from "../../../core/log/record/attestations.ts"
import { incidentCounts, incidents } from "../../../core/log/record/incidents.ts"
import { readiness } from "../../../core/log/record/readiness.ts"
import { day as dayMs, hour, minute } from "../../../core/plugin/time.ts"
import { verifier } from "../../../core/proof/command.ts"
import { batchWithinHours } from "../../../core/proof/keys.ts"
import { cutOffOf } from "../../../core/proof/leaf.ts"
import { givesNothing } from "../../../core/readings/Feeds.ts"
import { dataDictionary } from "../../../core/readings/read/dataDictionary.ts"
import { uptime } from "../../../core/readings/read/uptime.ts"
import type { Feed } from "../../../core/wire/data/dataDictionary.ts"
import type { UptimePart, UptimeResponse } from "../../../core/wire/data/uptime.ts"
import type { Attestation } from "../../../core/wire/log/attestations.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { dateOfDay, dayNumber } from "../charts/scale.ts"
import { coded } from "../html/coded.ts"
import { absent, formatAge, formatDay, formatNumber, formatTime, tierWords } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { seriesWords } from "../html/seriesLink.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { term } from "../html/terms.ts"
import { ageOf } from "../html/values.ts"
import { waitingFeeds } from "./waiting.ts"

const days = 30

/** What delivers nothing comes first. */
const order = ["open", "failing", "refusing", "needs_key", "running", "waiting", "disabled"] as const

const stateLabels: Readonly<
  Record<Feed["state"], { readonly text: string; readonly mark: "bad" | "ok" | "off" }>
> = {
  open: { text: "paused after failures", mark: "bad" },
  failing: { text: "last run failed", mark: "bad" },
  refusing: { text: "readings rejected", mark: "bad" },
  needs_key: { text: "needs a key", mark: "off" },
  running: { text: "delivers, running now", mark: "ok" },
  waiting: { text: "delivers", mark: "ok" },
  disabled: { text: "switched off", mark: "off" }
}

const lastOf = ({ last_success, newest_read }: Feed, now: number): Html => {
  const time = last_success ?? newest_read
  return time === null ? html`<span class="quiet">never</span>` : ageOf(time, now)
}

/** Until its next run: the only times on the site that lie ahead. */
const nextOf = ({ next_run }: Feed, now: number): Html =>
  next_run === null
    ? html`<span class="quiet">${absent}</span>`
    : html`<time datetime="${next_run}" title="${formatTime(next_run)}">${Date.parse(next_run) < now + minute ? "now" : `in ${formatAge(Date.parse(next_run) - now)}`}</time>`

const feedRow = (feed: Feed, now: number): Html => {
  const { mark, text } = stateLabels[feed.state]
  const why = feed.reason ?? (givesNothing(feed.state) ? (feed.last_error ?? undefined) : undefined)
  return html`<tr role="row" id="feed-${feed.feed}"><th scope="row" role="rowheader">${feed.title}<span class="sub"><code>${feed.feed}</code> · ${tierWords[feed.tier]}</span></th>
<td role="cell"><span class="mark ${mark}">${text}</span>${why !== undefined && html`<span class="sub why">${coded(why.slice(0, 240))}</span>`}</td>
<td role="cell" class="n label" data-label="last success">${lastOf(feed, now)}</td><td role="cell" class="n label" data-label="next run">${nextOf(feed, now)}</td>
<td role="cell" class="n extra">${feed.runs}${feed.failures > 0 && html` <span class="quiet">(${feed.failures} failed)</span>`}</td><td role="cell" class="n extra">${formatNumber(feed.coverage.live_series)}</td></tr>`
}

const feedTable = (feeds: ReadonlyArray<Feed>, now: number, label: string): Html =>
  html`<table class="cards feeds" role="table" aria-label="${label}"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Collector</th><th scope="col" role="columnheader">State</th><th scope="col" role="columnheader" class="n">Last success</th><th scope="col" role="columnheader" class="n">Next run</th><th scope="col" role="columnheader" class="n">Runs</th><th scope="col" role="columnheader" class="n">Live series</th></tr></thead>
<tbody role="rowgroup">${feeds.map((feed) => feedRow(feed, now))}</tbody></table>`

/** One promise over the days. */
interface PromiseRecord {
  readonly title: string
  readonly what: string
  readonly days: ReadonlyArray<{ readonly day: string; readonly met: boolean; readonly detail: string }>
}

const strip = ({ days: all, title }: PromiseRecord): Html =>
  html`<ol class="days-strip" aria-label="${title}, day by day">${all.map(
    ({ day, met, detail }) =>
      html`<li class="${met ? "kept" : "missed"}" title="${formatDay(day)}: ${detail}"><span class="visually-hidden">${formatDay(day)}: ${detail}</span></li>`
  )}</ol>`

/** Days that are named; the strip shows all of them. */
const named = 4

/** What was missed: the newest days of each reason. */
const missedWords = (missed: PromiseRecord["days"]): string =>
  [...Map.groupBy(missed, ({ detail }) => detail)]
    .slice(-named)
    .map(([detail, of]) => {
      const last = of.at(-1)?.day ?? ""
      return of.length === 1
        ? `${formatDay(last)} (${detail})`
        : `${of.length} days to ${formatDay(last)} (${detail})`
    })
    .join("; ")

const promise = (one: PromiseRecord): Html => {
  const metCount = one.days.filter((day) => day.met).length
  const missed = one.days.filter((day) => !day.met)
  return html`<article class="promise"><h3>${one.title}</h3><p>${one.what}</p>
${
  one.days.length === 0
    ? html`<p class="quiet">No day to judge yet.</p>`
    : html`${strip(one)}<p><strong>${metCount} of ${one.days.length}</strong> ${one.days.length === 1 ? "day" : "days"} kept${missed.length > 0 && `; missed: ${missedWords(missed)}`}.</p>`
}</article>`
}

/** What was expected and what arrived: a measure, since nobody can promise another's upstream. */
const arrived = (batches: ReadonlyArray<Attestation>): Html => {
  const read = batches.reduce((sum, { n_readings }) => sum + n_readings, 0)
  const absent = batches.reduce((sum, { n_absent }) => sum + n_absent, 0)
  const worst = batches
    .filter(({ n_absent }) => n_absent > 0)
    .toSorted((a, b) => b.n_absent - a.n_absent)
    .slice(0, 3)
  return html`<article class="promise"><h3>Readings that were expected</h3>
<p>A series with a value in the last two weeks is expected again. One that is not read is named in the day's ${term("batch")} as absent. Nobody can promise another's upstream, so this is a measure.</p>
${
  read + absent === 0
    ? html`<p class="quiet">No day to judge yet.</p>`
    : html`<p><strong>${formatNumber((read / (read + absent)) * 100)} %</strong> of ${formatNumber(read + absent)} arrived${worst.length > 0 && html`; most were absent on ${worst.map(({ absent_url, day, n_absent }, n) => html`${n > 0 && ", "}<a href="${absent_url}">${formatDay(day)}</a> (${formatNumber(n_absent)})`)}`}.</p>`
}</article>`
}

const promisesOf = (batches: ReadonlyArray<Attestation>, now: number): ReadonlyArray<PromiseRecord> => {
  const byDay = new Map(batches.map((batch) => [batch.day, batch]))
  const oldest = batches.at(-1)?.day
  const today = dayNumber(new Date(now).toISOString().slice(0, 10))
  const first = Math.max(today - days, oldest === undefined ? today : dayNumber(oldest))
  const judged = Array.from({ length: Math.max(0, today - first) }, (_, n) => dateOfDay(first + n)).filter(
    (day) => byDay.has(day) || now > cutOffOf(day)
  )
  const hours = (day: string, at: string) =>
    (Date.parse(at) - (Date.parse(`${day}T00:00:00Z`) + dayMs)) / hour
  const closed = batches.filter(({ day }) => judged.includes(day)).toReversed()
  return [
    {
      title: "Every day is closed on time",
      what: "A day is closed at 08:00 UTC on the next day. A batch that is closed later says so itself and is never back-dated.",
      days: judged.map((day) => {
        const batch = byDay.get(day)
        return {
          day,
          met: batch !== undefined && !batch.late,
          detail:
            batch === undefined
              ? "not closed"
              : `${batch.late ? "closed late" : "closed"}, ${formatTime(batch.closed_at)}`
        }
      })
    },
    {
      title: `A day's batch is in the log within ${batchWithinHours} hours`,
      what: `The key document promises it: at most ${batchWithinHours} hours after the end of the day.`,
      days: judged
        .map((day) => {
          const batch = byDay.get(day)
          const after =
            batch === undefined ? hours(day, new Date(now).toISOString()) : hours(day, batch.closed_at)
          return {
            day,
            met: after <= batchWithinHours,
            judged: batch !== undefined || after > batchWithinHours,
            detail:
              batch === undefined
                ? "not in the log"
                : `in the log ${Math.round(after * 10) / 10} h after its end`
          }
        })
        .filter((one) => one.judged)
    },
    {
      title: "A block of Bitcoin for every batch",
      what: "The head of the log is to be stamped after each close, and a block to confirm it some hours later.",
      // A fresh batch waits for its stamp.
      days: closed
        .filter(({ anchor, closed_at }) => anchor.state !== "none" || now - Date.parse(closed_at) > dayMs)
        .map(({ anchor, day }) => ({
          day,
          met: anchor.state !== "none",
          detail:
            anchor.block_height !== undefined
              ? `block ${formatNumber(anchor.block_height)}`
              : (anchor.reason ?? (anchor.state === "pending" ? "waiting for a block" : anchor.state))
        }))
    }
  ]
}

/** A share that never says more than was measured. */
const percentOf = ({ percent }: UptimePart): string => (percent === null ? absent : `${percent.toFixed(3)} %`)

const lengthOf = (minutes: number): string =>
  minutes < 1 ? "less than a minute" : formatAge(minutes * minute)

const uptimePart = (title: string, what: string, part: UptimePart): Html => {
  const [newest] = part.gaps
  return html`<article class="promise"><h3>${title}</h3><p>${what}</p>
${
  part.percent === null
    ? html`<p class="quiet">Nothing is recorded yet.</p>`
    : html`<p><strong>${percentOf(part)}</strong> of ${lengthOf(part.of_minutes)}${
        newest === undefined
          ? ", without a gap"
          : html`; ${part.n_gaps} ${part.n_gaps === 1 ? "gap" : "gaps"}, the newest of ${lengthOf(newest.minutes)} from ${formatTime(newest.from)}`
      }.</p>`
}</article>`
}

const uptimeSection = ({
  answering,
  collecting,
  measured_from,
  method,
  not_measured
}: UptimeResponse): Html =>
  html`<section aria-labelledby="uptime"><h2 id="uptime">Up, by its own record</h2>
${measured_from !== null && html`<p class="quiet">Measured since ${formatTime(measured_from)}. What nobody recorded counts as down.</p>`}
<div class="promises">${uptimePart("The service answered", "A process ran, listened, and had its database.", answering)}${uptimePart(
    "The service collected",
    "At least one collector was healthy and on schedule.",
    collecting
  )}</div>
<details><summary>How it is measured, and what it does not say</summary><p>${method}</p><p>${not_measured}</p></details></section>`

export const status = Effect.fn("explorer.status")(function* () {
  const now = yield* pageTime
  const { feeds } = yield* dataDictionary
  const { warnings } = yield* readiness
  const { attestations: batches } = yield* orProblem(attestations({ limit: days }))
  const { incidents: open } = yield* orProblem(incidents({ open: "true", limit: 20 }))
  const counts = yield* orProblem(incidentCounts)
  const up = yield* orProblem(uptime)
  const by = Map.groupBy(feeds, ({ state }) => state)
  const ordered = order.flatMap((state) => by.get(state) ?? [])
  const bad = ordered.filter(({ state }) => givesNothing(state))
  const good = ordered.filter(({ state }) => stateLabels[state].mark === "ok")
  const off = ordered.filter(({ state }) => stateLabels[state].mark === "off")
  const summary =
    bad.length === 0 && warnings.length === 0
      ? `All ${good.length} running feeds deliver`
      : bad.length === 0
        ? `${good.length} feeds deliver, with a warning`
        : `${bad.length} of ${bad.length + good.length} running feeds ${bad.length === 1 ? "delivers" : "deliver"} nothing`
  return yield* respondPage({
    title: `Status: ${summary.toLowerCase()}`,
    description: `${summary}. Each feed with its state, last success, reason and next run, and the promises kept and missed over ${days} days.`,
    path: "/status",
    script: "page",
    body: html`<h1>${summary}</h1>
<dl class="strip"><div><dt><a href="/coverage#feeds">Feeds that deliver</a></dt><dd>${good.length}<small>of ${feeds.length} collectors</small></dd></div>
<div><dt><a href="/coverage#silent">Deliver nothing</a></dt><dd>${bad.length}<small>failing, paused or rejected</small></dd></div>
<div><dt><a href="/coverage#off">Off</a></dt><dd>${off.length}<small>switched off, or need a key</small></dd></div>
<div><dt>Open incidents</dt><dd>${formatNumber(counts.open)}<small><a href="/v1/incidents?open=true">readings held back</a></small></dd></div>
<div><dt>Last closed day</dt><dd>${batches[0] === undefined ? absent : html`${formatDay(batches[0].day)}<small>${batches[0].late ? "closed late" : "closed on time"}</small>`}</dd></div></dl>
${warnings.length > 0 && html`<section aria-labelledby="warnings"><h2 id="warnings">What the operator should look at</h2><ul class="plain">${warnings.map(({ message }) => html`<li>${coded(message)}</li>`)}</ul></section>`}
${open.length > 0 && html`<section aria-labelledby="incidents"><h2 id="incidents">Open incidents</h2><ul class="plain">${open.map(({ from, id, metric, reason, series = [], symbol }) => html`<li>${series.length > 1 && `${series.length} series, first `}${metric === undefined ? nameOfSymbol(symbol) : seriesWords({ symbol, metric })}: ${coded(reason)} <span class="quiet">since ${formatDay(from)}, incident ${id}</span></li>`)}</ul>${counts.open > open.length && html`<p>The newest ${open.length} of ${formatNumber(counts.open)}; <a href="/log/incidents">all of them</a>.</p>`}</section>`}
${yield* waitingFeeds}${uptimeSection(up)}
<section aria-labelledby="promises"><h2 id="promises">Promises, kept and missed in ${days} days</h2>
<div class="promises">${promisesOf(batches, now).map(promise)}${arrived(batches)}</div>
<h3>What is not measured here</h3>
<p>A service cannot vouch for its own reach: whether it answered from where you are, and how fast. Watch <a href="/readyz"><code>/readyz</code></a> from outside, and let <code>${verifier} monitor --url …</code> watch the log.</p></section>
<section aria-labelledby="feeds"><h2 id="feeds">Feeds</h2>
${bad.length > 0 && html`<h3>Deliver nothing now</h3>${feedTable(bad, now, "Feeds that deliver nothing")}`}
<h3>Deliver</h3>${feedTable(good, now, "Feeds that deliver")}
${off.length > 0 && html`<details><summary>${off.length} switched off, or without a key</summary>${feedTable(off, now, "Feeds that are off")}</details>`}
<p>For programs: <a href="/v1/data-dictionary">/v1/data-dictionary</a>, <a href="/v1/uptime">/v1/uptime</a>, <a href="/health">/health</a>.</p></section>`
  })
})
