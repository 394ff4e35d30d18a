/** Who vouches for what: the keys to pin, the newest statement of each party, and what remains to be trusted. */
import { Effect } from "effect"
import { Log, LogKey } from "../../../core/log/Log.ts"
import { headTime } from "../../../core/log/record/headTime.ts"
import { publishedKeys } from "../../../core/log/record/keys.ts"
import { vouchedFor } from "../../../core/log/record/vouched.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { parseVkey, vkey } from "../../../core/proof/checkpoint.ts"
import { keyRecordName, mayHaveRecord } from "../../../core/proof/keyRecord.ts"
import { type PublishedKey, thumbprint } from "../../../core/proof/keys.ts"
import { parseRotation } from "../../../core/proof/rotation.ts"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { ProvedSeries } from "../../../core/readings/read/ProvedSeries.ts"
import { seriesADay } from "../../../core/readings/recheck/drawDue.ts"
import { type Assurances, assurances, lotLately } from "../../assurances.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import type { OperatorDetails } from "../../Operator.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { askAgainSentence, lotSentence } from "../html/assuranceWords.ts"
import { proofsTable } from "../html/chainProofs.ts"
import { commandBlock } from "../html/command.ts"
import { formatDay, formatNumber, formatTime } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { onPageClock, pageTime, respondPage } from "../html/shell.ts"
import { term } from "../html/terms.ts"
import { outward } from "../html/values.ts"
import { seats } from "./seats.ts"
import { remains } from "./trustRemains.ts"

type OnPageClock = Effect.Success<typeof onPageClock>
type Vouched = Effect.Success<typeof vouchedFor>

/** A table of parties, of which each has a name, a key to pin, and what it stated last. */
const table = (
  id: string,
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Html | string>>
): Html =>
  html`<table class="cards keys" role="table" aria-labelledby="${id}"><thead role="rowgroup"><tr role="row">${heads.map((head) => html`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    ([first, ...cells]) =>
      html`<tr role="row"><th scope="row" role="rowheader">${first}</th>${cells.map((cell, n) => html`<td role="cell" class="label" data-label="${(heads[n + 1] ?? "").toLowerCase()}">${cell}</td>`)}</tr>`
  )}</tbody></table>`

const named = (name: Html | string, key: string): Html =>
  html`${name}<span class="sub"><code>${key}</code></span>`

/** A verifier key is its name, its id and the key. */
const nameOf = (key: string): string => key.split("+")[0] ?? key

const purposes = { answers: "signs answers", log: "signs the log" } as const

/** Times of a key as the page's clock shows them: keys that sign answers go by the wall clock. */
const keyTime = ({ purpose }: Pick<PublishedKey, "purpose">, time: string, onClock: OnPageClock): string =>
  formatTime(purpose === "answers" ? isoTime(onClock(Date.parse(time))) : time)

const keys = (document: Effect.Success<typeof publishedKeys>, now: number, onClock: OnPageClock): Html =>
  html`${table(
    "keys",
    ["Key", "Purpose", "State", "In use from", "Until"],
    document.keys.map((key) => [
      html`<code>${key.kid}</code>`,
      purposes[key.purpose],
      key.status,
      keyTime(key, key.not_before, onClock),
      key.not_after === null ? "no end set" : keyTime(key, key.not_after, onClock)
    ])
  )}
${
  document.rotations.length === 0
    ? html`<p class="quiet">The log’s key was never rotated.</p>`
    : html`<h3>Rotations</h3><ol>${document.rotations.map((one) => {
        const { rotation } = parseRotation(one.document)
        return html`<li>On ${formatTime(rotation.not_before)} the key <code>${rotation.new}</code> followed <code>${rotation.old}</code>, which ${Date.parse(rotation.not_after) < now ? "signed" : "signs"} until ${formatTime(rotation.not_after)}. Entry ${one.index} of the log, which the old key signed.</li>`
      })}</ol>`
}
<p><a href="/.well-known/service-signing-key.json">The document of keys</a>. A key proves something only if you obtained it independently: <a href="/verify#trust">give it to the verifier</a>.</p>`

/** Where else the key of the log is said to be. */
const elsewhere = ({ keyUrl }: OperatorDetails, host: string): Html =>
  html`<p>${
    keyUrl === undefined
      ? "The operator names no page of his own with this key."
      : html`The operator names this key on ${outward(keyUrl, "a page of his own")}.`
  }${
    mayHaveRecord(host)
      ? html` If he put it into the name service too, this finds it there:</p>${commandBlock(`dig +short TXT ${keyRecordName(host)}`)}`
      : html`</p>`
  }`

const witnessTable = (
  configured: ReadonlyArray<{ readonly name: string; readonly vkey: string }>,
  { witnesses }: Vouched,
  size: number,
  onClock: OnPageClock
): Html => {
  const earlier = witnesses.filter(({ witness }) => !configured.some(({ vkey }) => vkey === witness))
  const all = [...configured, ...earlier.map(({ witness }) => ({ name: nameOf(witness), vkey: witness }))]
  return all.length === 0
    ? html`<p>No witness has cosigned a head. A witness follows the log and signs each head that extends the one before, so that nobody can be shown a log of his own. <code>plumbline witness</code> runs one, and the operator adds it.</p>`
    : table(
        "witnesses",
        ["Witness", "Newest head that it signed", "When"],
        all.map(({ name, vkey }) => {
          const head = witnesses.find(({ witness }) => witness === vkey)
          return head === undefined
            ? [named(name, vkey), "none yet", ""]
            : [
                named(name, vkey),
                `${formatNumber(head.size)} ${head.size === 1 ? "entry" : "entries"}, ${head.size === size ? "the head" : `${formatNumber(size - head.size)} behind`}`,
                formatTime(isoTime(onClock(head.at.getTime())))
              ]
        })
      )
}

const notaryTable = (configured: ReadonlyArray<string>, { notaries }: Vouched): Html => {
  const earlier = notaries.filter(({ notary }) => !configured.includes(notary))
  const all = [...configured, ...earlier.map(({ notary }) => notary)]
  return all.length === 0
    ? html`<p>No notary carries the collectors’ sessions, so what the sources answered is the word of this service. <code>plumbline notary</code> runs one.</p>`
    : table(
        "notaries",
        ["Notary", "Statements of the last 24 hours"],
        all.map((key) => [
          named(nameOf(key), key),
          formatNumber(notaries.find(({ notary }) => notary === key)?.n ?? 0)
        ])
      )
}

const observerTable = (
  { mode, vouching: { observers: configured } }: Assurances,
  { observers }: Vouched
): Html =>
  configured.length === 0
    ? html`<p>Nobody observes this service yet. An observer is another operator of the same software with a log of his own: each closed day is compared with his. The operator names him.</p>`
    : table(
        "observers",
        ["Observer", "Newest day that was compared", "The same", "Another value"],
        configured.map(({ url, vkey: key }) => {
          const kid = thumbprint(parseVkey(key).publicKey)
          const newest = observers.find((one) => one.kid === kid)
          // One that is played has no address.
          const name = named(mode === "replay" ? nameOf(key) : outward(url, nameOf(key)), key)
          return newest === undefined
            ? [name, "none yet", "", ""]
            : newest.state === "read"
              ? [
                  name,
                  `${formatDay(newest.day)}, log entry ${formatNumber(newest.log_index)}`,
                  formatNumber(newest.n_agree),
                  formatNumber(newest.n_differs)
                ]
              : [
                  name,
                  `${formatDay(newest.day)}: ${newest.state === "silent" ? "it did not answer, or had no such day" : "what it answered did not hold"}`,
                  "",
                  ""
                ]
        })
      )

const anchored = ({ anchor }: Vouched): Html =>
  anchor === undefined
    ? html`<p>No block of Bitcoin has a head of this log yet.</p>`
    : html`<p>Block ${formatNumber(anchor.block_height)} (${anchor.network}, ${formatTime(anchor.block_time.toISOString())}) has the head of ${formatNumber(anchor.size)} entries: <a href="/v1/log/checkpoints/${anchor.size}.ots">its timestamp</a>.</p>`

const mirrorList = (mirrors: ReadonlyArray<string>): Html =>
  mirrors.length === 0
    ? html`<p>The operator names no host with a copy of the log’s files.</p>`
    : html`<ul>${mirrors.map((one) => html`<li>${outward(one)}</li>`)}</ul>`

export const trust = Effect.gen(function* () {
  const now = yield* pageTime
  const onClock = yield* onPageClock
  const { baseUrl } = yield* HttpSettings
  const { keys: all, origin } = yield* LogKey
  const head = yield* (yield* Log).served
  const [document, vouched, here, signedAt, lot] = yield* orProblem(
    Effect.all([publishedKeys, vouchedFor, assurances, headTime(head.size), lotLately])
  )
  const { operator, vouching } = here
  const { manifests } = yield* Feeds
  const proofs = yield* (yield* ProvedSeries).byFeed
  const titles = new Map(manifests.map(({ id, title }) => [id, title]))
  const signing = new Set(document.keys.flatMap(({ kid, status }) => (status === "retired" ? [] : [kid])))
  const logKeys = all().filter(
    ({ publicKey, purpose }) => purpose === "log" && signing.has(thumbprint(publicKey))
  )
  return yield* respondPage({
    title: "Who vouches for what",
    description:
      "The keys to pin, what witnesses, notaries, other operators and Bitcoin state of this service, and what remains to be trusted.",
    path: "/trust",
    script: "page",
    body: html`<h1>Who vouches for what</h1>
<p class="lede">Each party here has a key of its own. Keep the keys, obtain them a second time from somewhere else, and give them to <a href="/verify#trust">the verifier</a>.</p>
<section aria-labelledby="seats"><h2 id="seats">Who signs what</h2><p class="quiet">A dashed seat is empty.${here.mode === "replay" && " The witness, the notary and the second operator are simulated: this demonstration plays them itself, each with a key of its own, so that it can be seen what each is for."}</p>${seats(here, vouched, origin, manifests.length)}</section>
<section aria-labelledby="service"><h2 id="service">The log of this service</h2>
<dl class="facts"><dt>Its name</dt><dd><code>${origin}</code></dd>
${logKeys.map(({ publicKey }) => html`<dt>Key to pin</dt><dd><code>${thumbprint(publicKey)}</code><span class="sub"><code>${vkey(origin, publicKey)}</code></span></dd>`)}
<dt>Newest ${term("head")}</dt><dd>${formatNumber(head.size)} ${head.size === 1 ? "entry" : "entries"}${signedAt !== undefined && html`, signed ${formatTime(isoTime(onClock(signedAt.getTime())))}`}<span class="sub">root <code>${head.root}</code> · <a href="/log#head">as it was signed</a></span></dd></dl>
${elsewhere(operator, new URL(baseUrl).hostname)}</section>
<section aria-labelledby="keys"><h2 id="keys">Keys of this service</h2>${keys(document, now, onClock)}</section>
<div class="columns"><section aria-labelledby="witnesses"><h2 id="witnesses">${term("witness", "Witnesses")}</h2><p class="quiet">That there is one log, and that it only grows.</p>${witnessTable(vouching.witnesses, vouched, head.size, onClock)}</section>
<section aria-labelledby="asked-again"><h2 id="asked-again">The source, asked again</h2><p class="quiet">That a reading was no slip.</p><p>${askAgainSentence(here)} ${lotSentence(lot !== null, formatNumber(seriesADay))}</p></section></div>
<div class="columns"><section aria-labelledby="notaries"><h2 id="notaries">Notaries</h2><p class="quiet">What a source answered.</p>${notaryTable(vouching.notaries, vouched)}</section>
<section aria-labelledby="observers"><h2 id="observers">Observers</h2><p class="quiet">That others see the same.</p>${observerTable(here, vouched)}</section></div>
<div class="columns"><section aria-labelledby="bitcoin"><h2 id="bitcoin">Bitcoin</h2><p class="quiet">When it was at the latest, by the ${term("anchor")} of a head.</p>${anchored(vouched)}</section>
<section aria-labelledby="mirrors"><h2 id="mirrors">Mirrors</h2><p class="quiet">That it stays readable.</p>${mirrorList(vouching.mirrors)}</section></div>
<section aria-labelledby="chain"><h2 id="chain">The chain of a network</h2><p class="quiet">That the state of a block says the number.</p><p>Of chains whose nodes prove what they answer, the proof is kept with the answer: it leads from the number to the state root of a block’s header. It does not say that the block is one of the chain: compare its hash with a node of your own.</p>${Object.keys(proofs).length > 0 && html`${proofsTable(proofs, titles)}<p>The same for programs: <code>proofs</code> of each feed in <a href="/v1/data-dictionary">/v1/data-dictionary</a>.</p>`}</section>
<section aria-labelledby="remains"><h2 id="remains">What remains to be trusted</h2>${remains(here)}<p>What is checked when, and where: <a href="/method">the method</a>.</p></section>`
  })
})
