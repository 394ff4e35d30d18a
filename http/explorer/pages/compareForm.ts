/** What a comparison is asked for with: its fields, and comparisons to begin with. */
import { Effect } from "effect"
import { isSubnet } from "../../../core/catalog/kindOf.ts"
import { day } from "../../../core/plugin/time.ts"
import { dateOf } from "../../../core/readings/read/days.ts"
import { symbols } from "../../../core/readings/read/symbols.ts"
import { signOf } from "../charts/compareChart.ts"
import { type Letter, letters } from "../charts/letters.ts"
import { categoryTitle } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { knownField } from "../html/timeMachine.ts"
import {
  addressOf,
  type CompareParams,
  isMatch,
  type Match,
  type NoMatch,
  targetOf,
  windows
} from "./compared.ts"

/** The form; it keeps the axis. */
export const fields = (params: CompareParams, all: ReadonlyArray<Match | NoMatch>, now: number): Html => {
  const field = (letter: Letter): Html => {
    const one = all.find((each) => each.letter === letter)
    const value = one === undefined ? "" : isMatch(one) ? targetOf(one) : one.text
    const wrong = one !== undefined && !isMatch(one) ? one : undefined
    return html`<div class="pick"><label for="pick-${letter}">${raw(signOf(letter))} <span class="visually-hidden">Series </span>${letter.toUpperCase()}</label><input id="pick-${letter}" name="${letter}" value="${value}" placeholder="${letter === "a" ? "FIL or FIL/active_storage_providers" : ""}" maxlength="120" autocomplete="off" spellcheck="false" list="targets"${
      wrong === undefined ? "" : raw(` aria-invalid="true" aria-describedby="pick-${letter}-why"`)
    }>${
      wrong !== undefined &&
      html`<p class="wrong" id="pick-${letter}-why">${wrong.why}${
        wrong.near.length > 0 &&
        html` Did you mean ${wrong.near.map(
          (near, n) =>
            html`${n > 0 && ", "}<a href="${addressOf(
              params,
              all.map((each) => ({
                letter: each.letter,
                text: each === wrong ? near : isMatch(each) ? targetOf(each) : each.text
              }))
            )}">${near}</a>`
        )}?`
      }</p>`
    }</div>`
  }
  const option = (value: string | number, text: string, chosen: boolean): Html =>
    html`<option value="${value}"${chosen ? raw(" selected") : ""}>${text}</option>`
  return html`<form class="compare-form" action="/compare" method="get">
<div class="picks">${letters.map(field)}</div><datalist id="targets"></datalist>
<div class="filters"><label>Show<select name="by">${option("index", "Index, first common day = 100", params.by === "index")}${option("value", "Values as measured", params.by === "value")}</select></label>
<label>Days<select name="days">${windows.map((one) => option(one, `${one} days`, params.days === one))}</select></label>
${knownField({ value: params.at === undefined ? "" : dateOf(params.at), min: dateOf(now - (params.days - 1) * day), now, isRequired: false })}
${params.axis !== undefined && html`<input type="hidden" name="axis" value="${params.axis}">`}<button type="submit">Compare</button><span class="quiet hint">A network's symbol or name stands for its headline metric.</span></div></form>`
}

/** General chains and exchanges are there to compare with, not to begin with. */
const isReference = (category: string) => category === "reference"

/** Networks of one category with telemetry of their own, as comparisons to begin with. */
const examples = Effect.gen(function* () {
  const { symbols: all } = yield* symbols()
  const measured = all.filter(
    ({ headline, symbol, telemetry_tier }) =>
      telemetry_tier === "first_party" && headline !== undefined && !isSubnet(symbol)
  )
  return [...Map.groupBy(measured, ({ category }) => category)]
    .filter(([, of]) => of.length > 1)
    .toSorted(
      ([one, a], [other, b]) => Number(isReference(one)) - Number(isReference(other)) || b.length - a.length
    )
    .slice(0, 8)
    .map(([category, of]) => ({
      category,
      names: of.slice(0, 4).map(({ name }) => name),
      items: of
        .slice(0, 4)
        .flatMap(({ headline, symbol }, n) =>
          letters[n] === undefined ? [] : [{ letter: letters[n], text: `${symbol}/${headline ?? ""}` }]
        )
    }))
})

/** What the page has before anything is compared. */
export const empty = Effect.map(
  examples,
  (some) => html`<section aria-labelledby="begin"><h2 id="begin">Begin with</h2>
${
  some.length === 0
    ? html`<p class="quiet">Nothing is measured yet.</p>`
    : html`<ul class="plain">${some.map(
        ({ category, items, names }) =>
          html`<li><a href="${addressOf({ at: undefined, axis: undefined, by: "index", days: 30 }, items)}">${names.join(", ")}</a> <span class="quiet">${categoryTitle(category)}</span></li>`
      )}</ul>`
}</section>`
)
