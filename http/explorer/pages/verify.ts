/** The page that verifies files and values. Without a script it explains the commands that do the same. */
import { Effect } from "effect"
import { verifier } from "../../../core/proof/command.ts"
import { keyRecord, keyRecordName } from "../../../core/proof/keyRecord.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { Operator } from "../../Operator.ts"
import { commandBlock } from "../html/command.ts"
import { html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"

export interface VerifyQuery {
  readonly symbol?: string | undefined
  readonly metric?: string | undefined
  readonly date?: string | undefined
  readonly source?: string | undefined
}

/** A word of a shell. */
const word = (text: string): string =>
  /^[\w.:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const field = (text: string | undefined): string => (text ?? "").trim().slice(0, 200)

/** `2026-09-03` of either form of a day. */
const dashed = (date: string): string => date.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3")

export const verify = Effect.fn("explorer.verify")(function* (params: VerifyQuery) {
  const { baseUrl } = yield* HttpSettings
  const { keyUrl } = yield* Operator
  const [symbol, metric, source] = [params.symbol, params.metric, params.source].map(field)
  const date = dashed(field(params.date))
  const named = symbol !== "" && metric !== "" && date !== ""
  const day = date.replaceAll("-", "")
  const command =
    `${verifier} value --symbol ${word(symbol || "FIL")} --metric ${word(metric || "active_storage_providers")} ` +
    `--date ${word(day || "20260903")}${source === "" || source === undefined ? "" : ` --source ${word(source)}`} --url ${baseUrl} --key=LOG_KEY`
  const bundle = `/v1/attest?${new URLSearchParams({ symbol: symbol ?? "", metric: metric ?? "", date: day, ...(source === "" || source === undefined ? {} : { source }), format: "bundle" })}`
  return yield* respondPage({
    title: "Verify a value or a file",
    description:
      "Check a value, a bundle, a saved answer or a timestamp in your own browser, without trusting this service.",
    path: "/verify",
    script: "verify",
    body: html`<h1>Verify</h1>
<p class="lede">Check a value or a file in your own browser. The steps run on your machine; files stay there. What you must still trust is said in each result.</p>
<div class="columns">
<section aria-labelledby="value"><h2 id="value">A value</h2>
<form id="ask" class="stack" action="/verify" method="get">
<label>Symbol<input id="symbol" name="symbol" value="${symbol}" list="symbols" required autocomplete="off" spellcheck="false" maxlength="40"></label>
<label>Metric<input id="metric" name="metric" value="${metric}" list="metrics" required autocomplete="off" spellcheck="false" maxlength="120"></label>
<label>Day (UTC)<input name="date" type="date" value="${date}" required></label>
<label>Source <span class="quiet">if several report it</span><input name="source" value="${source}" autocomplete="off" spellcheck="false" maxlength="120"></label>
<button type="submit" class="primary">Verify the value</button>
<datalist id="symbols"></datalist><datalist id="metrics"></datalist></form>
<noscript>${
      named
        ? html`<p>Without a script this page cannot run the verifier. Run it in a shell:</p>${commandBlock(command)}<p>Or take <a href="${bundle}" download>the bundle</a> with you, and check it offline.</p>`
        : html`<p>Without a script this form shows the command that verifies the value.</p>`
    }</noscript></section>
<section aria-labelledby="file"><h2 id="file">A file</h2>
<div id="drop" class="drop needs-script"><p><label class="button" for="files">Choose files</label> or drop them here.</p>
<input id="files" class="visually-hidden" type="file" multiple aria-describedby="kinds">
<p id="kinds" class="quiet">Bundles (<code>format=bundle4</code>, or <code>format=bundle</code>), answers saved with <code>curl -i</code>, timestamps (<code>.ots</code>), several at once. With a timestamp, give the file that it covers; with an answer, the document of keys if you are offline.</p></div>
<div class="stack needs-script"><label>Address that a saved answer came from<input id="address" type="url" inputmode="url" autocomplete="off" spellcheck="false" placeholder="${baseUrl}/v1/network/FIL"></label>
<label>Bitcoin headers that you trust<textarea id="headers" rows="2" spellcheck="false" placeholder="840000=00e0…"></textarea></label><p id="headers-said" class="said" role="status"></p></div>
<noscript><p>Without a script this page cannot read files. In a shell, offline:</p>
${commandBlock(
  `${verifier} bundle proof.bundle.json --key=LOG_KEY`,
  `${verifier} response answer.txt --url ${baseUrl}/v1/network/FIL --keys keys.json --key=ANSWERS_KEY`,
  `${verifier} timestamp head.ots --file head`
)}</noscript></section>
</div>
<section id="answer" class="outcome" aria-label="Result for the value" hidden></section>
<div id="results"></div>
<section aria-labelledby="trust"><h2 id="trust">Keys that you trust</h2>
<div class="columns"><div><p>The keys of this service come from this service, so by themselves they prove nothing: an attacker would do the same. Enter a key that the operator published elsewhere, on a website, in a repository or in a mail that you have. It is kept in this browser and sent nowhere.</p>
<p>An operator publishes the key of the log in the name service too, beside his host: <code>dig +short TXT ${keyRecordName(new URL(baseUrl).hostname)}</code> answers <code>${keyRecord("…")}</code>. ${keyUrl !== undefined && html`This operator names it on <a href="${keyUrl}">a page of his own</a>. `}A key that this browser has seen before is named with its first day in each result.</p></div>
<div><form id="trust-form" class="stack needs-script">
<label>Keys of the log and of answers, one on a line<textarea id="keys" rows="3" spellcheck="false"></textarea></label>
<label>Keys of witnesses that you trust, one on a line<textarea id="witnesses" rows="2" spellcheck="false"></textarea></label>
<label>Keys of notaries that you trust, one on a line<textarea id="notaries" rows="2" spellcheck="false"></textarea></label>
<label>How many of these notaries must have carried what a value was read from<input id="least-notaries" type="number" inputmode="numeric" min="1" max="9999" placeholder="1"></label>
<label>Who may sign blocks of chains, one hash on a line: validators (CometBFT), authorities (GRANDPA), or a block of Ethereum’s beacon chain<textarea id="signers" rows="2" spellcheck="false"></textarea></label>
<div class="actions"><button type="submit">Keep them in this browser</button></div><p id="trust-said" class="said" role="status"></p></form>
<noscript><p>In a shell they are options: <code>--key=…</code>, <code>--witness …</code>, <code>--notary …</code> and <code>--trust …</code>, each as often as you need, and <code>--notaries …</code> for how many of the notaries you ask.</p></noscript></div></div></section>
<div class="columns"><section aria-labelledby="heads"><h2 id="heads">Heads that this browser remembers</h2>
<p>A log only grows. This browser keeps the last head of each log that it sees, and compares every later one with it. If one does not follow, it raises an alarm on every page of this site, with both heads.</p>
<div id="remembered"></div>
<noscript><p>This needs a script. In a shell, keep a head and compare it later:</p>${commandBlock(
      `curl -sS ${baseUrl}/v1/log/checkpoint > kept`,
      `${verifier} log --from kept --save kept --url ${baseUrl}`
    )}</noscript></section>
<section aria-labelledby="shell"><h2 id="shell">In a shell</h2>
<p>The verifier of this page is the command <code>plumbline verify</code>: the same code, without this site in between.</p>
${commandBlock(command)}
<p>This page protects you from altered data. It cannot protect you from an altered script: whoever replaces the script decides what it says. The command, from a copy that you checked, has no such gap.</p>
<p>It ends with 0 if everything holds by a key that you gave, with 1 if something does not hold, and with 2 if something is not proved.</p></section></div>`
  })
})
