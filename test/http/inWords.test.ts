/** Pages say things as people do, and lead to what they name. */
import { assert, describe, layer, it as plainIt } from "@effect/vitest"
import { Effect } from "effect"
import { headsInWords } from "../../http/assurances.ts"
import { headSentence, proofSentence, sealSentence } from "../../http/explorer/html/assuranceWords.ts"
import { coded } from "../../http/explorer/html/coded.ts"
import { places } from "../../http/explorer/html/nav.ts"
import { roughly, roughRange, roughText } from "../../http/explorer/html/roughly.ts"
import { seriesWords } from "../../http/explorer/html/seriesLink.ts"
import { sourceWords } from "../../http/explorer/html/sourceWords.ts"
import { addingWords } from "../../http/explorer/html/ways.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { Service } from "../support/service.ts"

const textOf = (markup: string): string =>
  markup
    .replaceAll(/<span popover[^>]*>[^<]*<\/span>/g, "")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+/g, " ")

describe("words", () => {
  plainIt("of the navigation are five, and Yesterday is one of them", () => {
    assert.deepStrictEqual(
      places.map(({ name, path }) => `${name} ${path}`),
      ["Today /", "Yesterday /changes", "Networks /networks", "World /world", "Verify /verify"]
    )
  })

  plainIt("of a series are the name of its network and what it counts", () => {
    assert.strictEqual(
      seriesWords({ symbol: "FIL", metric: "active_storage_providers" }),
      "Filecoin active storage providers"
    )
    assert.strictEqual(seriesWords({ symbol: "GB_GRID", metric: "generation_mw" }).includes("_"), false)
    assert.strictEqual(sourceWords("elexon_bmrs"), "elexon bmrs")
  })

  plainIt("of programs stand as code", () => {
    assert.strictEqual(
      String(coded("Each <row> has verify_url, and `as is`.")),
      "Each &lt;row&gt; has <code>verify_url</code>, and <code>as is</code>."
    )
  })

  plainIt("of figures read at a glance have no more digits than tell them apart", () => {
    const all = [
      [896_994.4, "usd", "$897K"],
      [337.65, "usd", "$337.65"],
      [3_343_000_000, "usd", "$3.34B"],
      [2.4, "usd", "$2.40"],
      [-1234, "usd", "−$1.23K"],
      [1.4, "usd_per_hour", "$1.40 / h"],
      [5612, "count", "5,612"],
      [32_613_407, "count", "32,613,407"],
      [128_900_431, "count", "129M"],
      [1_228_338.79, "tokens", "1.23M tokens"],
      [43_000_000, "tokens", "43M tokens"],
      [44.5614, "tokens", "44.6 tokens"],
      [0.0044783, "tokens", "0.00448 tokens"],
      [-1_228_338.79, "tokens", "−1.23M tokens"],
      [1444.37, "mw", "1,444 MW"],
      [22.553, "mw", "22.6 MW"],
      [49.973, "hz", "49.97 Hz"],
      [18.54, "percent", "18.54 %"],
      [0, "tokens", "0 tokens"],
      [19_990_000_000_000_000_000, "bytes", "17.3 EiB"]
    ] as const
    for (const [value, unit, text] of all) {
      assert.strictEqual(roughText(value, unit), text)
      assert.strictEqual(textOf(String(roughly({ value, unit }))).replaceAll("&nbsp;", " "), text)
    }
  })

  plainIt("of a range have its unit once, and more digits only where three would hide it", () => {
    assert.strictEqual(roughRange(42_582_773, 42_910_805, "tokens"), "42.6M to 42.9M tokens")
    assert.strictEqual(roughRange(42_582_773, 42_584_805, "tokens"), "42,582,773 to 42,584,805 tokens")
    assert.strictEqual(roughRange(298, 304, "count"), "298 to 304")
    assert.strictEqual(roughRange(7, 7, "mw"), "7 MW")
  })

  plainIt("of ways that are both shut say so once, with the reason of the second", () => {
    const shut = { available: false, reason: "It is shut." }
    const open = { available: true }
    assert.strictEqual(
      addingWords({ card: shut, stablecoin: shut }),
      "Nothing adds credits to a key here now: no card is taken. It is shut."
    )
    assert.include(addingWords({ card: open, stablecoin: shut }), "A card adds credits to a key. It is shut.")
  })

  plainIt("of a demonstration call its witness simulated, and those of a service do not", () => {
    const of = (mode: "live" | "replay") => {
      const here = { isAnchored: false, isCosigned: true, mode }
      return [headSentence(here), proofSentence(here), sealSentence(here), headsInWords(here)].map((one) =>
        textOf(String(one))
      )
    }
    for (const sentence of of("replay")) assert.include(sentence, "a simulated witness")
    for (const sentence of of("live")) assert.notInclude(sentence, "simulated")
  })
})

layer(Service.layer())("a page in words", (it) => {
  const page = Effect.fnUntraced(function* (path: string) {
    yield* storeExplorerDays
    const { body, headers, status } = yield* (yield* Service).call({ path, headers: { accept: "text/html" } })
    assert.strictEqual(status, 200, `${path} ${JSON.stringify(headers)}`)
    const source = body.toString("utf8")
    return { source, text: textOf(source) }
  })

  it.effect("compares a metric by its words, and offers figures for a text that is no name", () =>
    Effect.gen(function* () {
      const matched = yield* page("/compare?a=FIL/Active+storage+providers")
      assert.include(matched.source, 'value="FIL/active_storage_providers"')
      assert.notInclude(matched.text, "is not measured")
      const proposing = yield* page("/compare?a=active+storage+providers")
      assert.match(proposing.text, /No network has this name\. Did you mean FIL\/active_storage_providers/)
    })
  )

  it.effect("leads on from an address without anything, without a word for programs", () =>
    Effect.gen(function* () {
      const { body, status } = yield* (yield* Service).call({
        path: "/about-us",
        headers: { accept: "text/html" }
      })
      assert.strictEqual(status, 404)
      assert.match(textOf(body.toString("utf8")), /No such page.*Today.*Yesterday.*Measures.*Watchlist/)
      assert.notInclude(textOf(body.toString("utf8")), "See /docs for all paths")
    })
  )

  it.effect("says of a line from where to where it goes, and counts one network as one", () =>
    Effect.gen(function* () {
      const { text } = yield* page("/networks")
      assert.include(text, "298 to 304")
      assert.include((yield* page("/category/storage")).text, "1 network has telemetry of its own, of")
    })
  )
})
