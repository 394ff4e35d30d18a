/** Pages say things as people do, and lead to what they name. */
import { assert, describe, layer, it as plainIt } from "@effect/vitest"
import { Effect } from "effect"
import { headsInWords } from "../../http/assurances.ts"
import { headSentence, proofSentence, sealSentence } from "../../http/explorer/html/assuranceWords.ts"
import { coded } from "../../http/explorer/html/coded.ts"
import { formatRoughly, sourceWords } from "../../http/explorer/html/format.ts"
import { places } from "../../http/explorer/html/nav.ts"
import { seriesWords } from "../../http/explorer/html/seriesLink.ts"
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

  plainIt("of money in a column have three digits from a thousand on, and other units their own", () => {
    const roughly = (value: number, unit: "usd" | "count") => {
      const { before, number } = formatRoughly(value, unit)
      return `${before}${number}`
    }
    assert.deepStrictEqual(
      [896_994.4, 337.65, 3_343_000_000, 2.4, -1234].map((value) => roughly(value, "usd")),
      ["$897K", "$337.65", "$3.34B", "$2.40", "−$1.23K"]
    )
    assert.strictEqual(roughly(5612, "count"), "5,612")
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

  it.effect("says of a line from where to where it goes, and counts one network as one", () =>
    Effect.gen(function* () {
      const { text } = yield* page("/networks")
      assert.include(text, "298 to 304")
      assert.include((yield* page("/category/storage")).text, "1 network has telemetry of its own, of")
    })
  )
})
