/** Verification in a real browser where others vouch: a witness, a Bitcoin block, and a key that another one followed. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import type { Page } from "playwright-core"
import * as DataClock from "../../core/clock/DataClock.ts"
import { Anchors } from "../../core/log/Anchors.ts"
import { Cosignatures } from "../../core/log/Cosignatures.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { headToDrawBy } from "../../core/log/drawingHeads.ts"
import { Log, LogKey } from "../../core/log/Log.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { WitnessHeads } from "../../core/log/WitnessHeads.ts"
import { vkey } from "../../core/proof/checkpoint.ts"
import { parseCosigner } from "../../core/proof/cosignature.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { noteHash } from "../../core/proof/notarisation.ts"
import { quorumOf } from "../../core/proof/policy.ts"
import { Changes } from "../../core/readings/Changes.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { keepNotes } from "../../core/readings/ingest/runs/notes.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import * as CalendarsOutside from "../../runtime/outside/calendars.ts"
import * as Esplora from "../../runtime/outside/esplora.ts"
import * as WitnessesOutside from "../../runtime/outside/witnesses.ts"
import { rotateLog } from "../../runtime/service/newKeys.ts"
import { Chromium } from "../support/browser.ts"
import { startCalendar } from "../support/calendar.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { startBetween } from "../support/interceptor.ts"
import { origin } from "../support/keyring.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { noteOf, statedExchange, statingNotary } from "../support/notary/statements.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { newWitness, runWitness } from "../support/witness.ts"

const network = "bitcoin-regtest-fixture"
const keyFolder = mkdtempSync(join(tmpdir(), "plumbline-keys-"))

const calendar = Effect.acquireRelease(
  Effect.promise(() => startCalendar()),
  (one) => Effect.promise(() => one.close())
)

/** The key of the log that is the newest now. */
const logKey = Effect.map(LogKey, ({ keys, origin }) => {
  const [newest] = keys()
    .filter(({ purpose }) => purpose === "log")
    .toSorted((a, b) => (a.notBefore < b.notBefore ? 1 : -1))
  if (newest === undefined) throw new Error("there is no key of the log")
  return { origin, publicKey: newest.publicKey, kid: thumbprint(newest.publicKey) }
})

/** Gives keys to the verifier, then verifies a value: the verdict, and what some of the steps say. */
const verified = async (
  page: Page,
  trust: {
    readonly keys?: string
    readonly witnesses?: string
    readonly notaries?: string
    readonly leastNotaries?: string
  },
  day = "2026-09-03"
) => {
  await page.goto(new URL("/verify", page.url()).href)
  await page.locator("#keys").fill(trust.keys ?? "")
  await page.locator("#witnesses").fill(trust.witnesses ?? "")
  await page.locator("#notaries").fill(trust.notaries ?? "")
  await page.locator("#least-notaries").fill(trust.leastNotaries ?? "")
  await page.locator("#trust-form button").press("Enter")
  await page.locator("#trust-said", { hasText: "Kept" }).waitFor()
  await page.locator("#symbol").fill("FIL")
  await page.locator("#metric").fill("active_storage_providers")
  await page.locator("[name=date]").fill(day)
  await page.locator("#ask button").press("Enter")
  await page.locator("#answer .verdict").waitFor()
  const step = async (title: string) =>
    (await page.locator("#answer .step", { has: page.locator("h3", { hasText: title }) }).textContent()) ?? ""
  return {
    verdict: await page.locator("#answer .verdict .state").textContent(),
    head: await step("Head"),
    witnesses: await step("Witnesses"),
    notaries: await step("Notaries"),
    command: (await page.locator("#answer pre").textContent()) ?? "",
    bitcoin: await step("Bitcoin")
  }
}

/** `/trust` names the witness, the notary and the block of the tests before it, with what each stated last. */
const trustPage = Effect.fnUntraced(function* (notary: string) {
  const { open } = yield* Chromium
  yield* open("/trust", async ({ errors, page }) => {
    const rows = async (table: string) =>
      (await page.locator(`table[aria-labelledby="${table}"] tbody tr`).allTextContents()).map((text) =>
        text.replaceAll(/\s+/g, " ")
      )
    const [witness = "", ...witnesses] = await rows("witnesses")
    assert.isAtMost(witnesses.length, 1)
    assert.match(
      witness,
      /^witness\.example\/w1witness\.example\/w1\+[0-9a-f]{8}\+\S+.* entr(y|ies), .* 2026/
    )
    assert.deepStrictEqual(await rows("notaries"), [`notary.test/n1${notary}1`])
    assert.match((await page.locator("section[aria-labelledby=bitcoin]").textContent()) ?? "", /Block 100 \(/)
    assert.deepStrictEqual(errors, [])
  })
})

layerNeeding("chromium")(
  Layer.merge(Chromium.layer, RunLog.layer).pipe(Layer.provideMerge(Service.layer({ keyFolder }))),
  {
    timeout: 120_000
  }
)("a browser to which others vouch", (it) => {
  /** A witness that cosigns every head from now on. */
  const witnessed = Effect.gen(function* () {
    const { origin, publicKey } = yield* logKey
    const { folder, vkey: text } = yield* newWitness([vkey(origin, publicKey)])
    const witness = { name: "w1", key: parseCosigner(text), url: yield* runWitness(folder) }
    const outside = WitnessesOutside.layer(() => ({ all: [witness], quorum: quorumOf([witness.key], 1) }))
    const offer = Effect.flatMap(Cosignatures, (cosignatures) => cosignatures.offer(witness)).pipe(
      Effect.provide(
        Cosignatures.layer.pipe(
          Layer.provideMerge(Log.layer),
          Layer.provideMerge(WitnessHeads.layer),
          Layer.provideMerge(outside),
          Layer.provideMerge(Changes.layer)
        ),
        { local: true }
      )
    )
    return { text, offer }
  })

  it.effect("the cosignature of a trusted witness holds, and the one of a stranger is missed", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { kid } = yield* logKey
      const { offer, text } = yield* witnessed
      yield* offer
      const stranger = yield* newWitness([], "witness.example/stranger")
      const { open } = yield* Chromium
      yield* open("/verify", async ({ errors, page }) => {
        const result = await verified(page, { keys: kid, witnesses: text })
        assert.strictEqual(result.verdict, "holds")
        assert.match(result.witnesses, /^Witnesses holds.*witness\.example\/w1/s)
        const other = await verified(page, { keys: kid, witnesses: stranger.vkey })
        assert.notStrictEqual(other.verdict, "holds")
        assert.match(other.witnesses, /^Witnesses (?:fails|not proved)/)
        assert.deepStrictEqual(errors, [])
      })
    })
  )

  it.effect("a head in a Bitcoin block is led to its header, whose hash is shown for comparison", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { kid } = yield* logKey
      const [one, two] = [yield* calendar, yield* calendar]
      const outside = Layer.mergeAll(
        CalendarsOutside.layer(() => [one.address, two.address]),
        Esplora.layer(() => [one.address], network),
        layerWebCrypto,
        Changes.layer
      )
      const round = Effect.flatMap(Anchors, ({ run }) => run).pipe(
        Effect.provide(Anchors.layer.pipe(Layer.provide(outside)), { local: true })
      )
      yield* round
      for (const each of [one, two]) each.mineBlock(Date.UTC(2026, 8, 4, 8, 30) / 1000)
      yield* TestClock.setTime(Date.UTC(2026, 8, 4, 10))
      yield* round
      yield* (yield* Versions).changed("anchors")
      const between = yield* startBetween((yield* Service).port)
      let replaced = 0
      // Blocks of the real chain cannot be mined here: in this browser, “bitcoin” is the chain of the tests.
      between.alter = (path, body) => {
        if (!path.startsWith("/assets/") || !path.endsWith(".js")) return body
        const script = body.toString("utf8")
        const other = script.replace(/(?<=\w=|\?\?)"bitcoin"/g, `"${network}"`)
        if (other === script) return body
        replaced++
        return other
      }
      const { open } = yield* Chromium
      yield* open(
        "/verify",
        async ({ page }) => {
          const { bitcoin, verdict } = await verified(page, { keys: kid })
          assert.isAbove(replaced, 0)
          assert.match(bitcoin, /^Bitcoin holds/)
          assert.strictEqual(verdict, "holds", (await page.locator("#answer").textContent()) ?? "")
          assert.include(bitcoin, "The header of block 100 came from this service")
          assert.match(bitcoin, /hash of the block, computed here[0-9a-f]{64}/)
          const link = page.locator("#answer a", { hasText: "Compare the block" })
          assert.match(
            (await link.getAttribute("href")) ?? "",
            /^https:\/\/mempool\.space\/block\/[0-9a-f]{64}$/
          )
        },
        { at: between.origin, forbidden: true }
      )
    })
  )

  it.effect("a key that another one followed still leads to the log, by the rotation in it", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const before = yield* logKey
      const { offer, text } = yield* witnessed
      yield* rotateLog(yield* DataClock.now)
      yield* offer
      // By then the old key signs no more, so only the new one has signed the head over this day.
      yield* TestClock.setTime(Date.UTC(2026, 9, 9, 8))
      const row = Runs.row(310, "2026-10-08T01:00:00Z", {
        symbol: "FIL",
        metric: "active_storage_providers",
        source: "made-up"
      })
      yield* (yield* Ingest).write(Runs.delivery(Date.UTC(2026, 9, 8, 2), [row], "made-up"))
      yield* (yield* DailyClose).run
      const after = yield* logKey
      assert.notStrictEqual(after.kid, before.kid)
      const { open } = yield* Chromium
      yield* open("/verify", async ({ page }) => {
        const { head } = await verified(page, { keys: before.kid, witnesses: text }, "2026-10-08")
        assert.include(head, `signed with key ${after.kid}, the successor of the given key ${before.kid}`)
        assert.match(head, /operator's key holds/)
      })
    })
  )

  it.effect(
    "the notaries of a run are named in the words of the command, by the keys that the reader gives",
    () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const [n1, stranger] = [statingNotary(1), statingNotary(2)]
        const read = Date.UTC(2026, 9, 10, 2)
        yield* TestClock.setTime(read)
        const row = Runs.row(320, "2026-10-10T01:00:00Z", {
          symbol: "FIL",
          metric: "active_storage_providers",
          source: "made-up"
        })
        const { bodies, run } = Runs.delivery(read, [row], "made-up")
        const head = (yield* headToDrawBy) ?? assert.fail("no head")
        yield* (yield* Ingest).write({
          bodies,
          run: { ...run, lot: { head, notary: n1.vkey, from: [n1.vkey] } }
        })
        const note = noteOf(
          n1,
          "stats.example.net",
          run.exchanges.map((exchange) => statedExchange(exchange)),
          { collector: origin }
        )
        const exchanges = [{ n: 0, notes: [noteHash(note)] }]
        assert.isTrue(yield* keepNotes({ run: run.id, notes: [note], exchanges }, [n1.verifier]))
        yield* TestClock.setTime(Date.UTC(2026, 9, 10, 3, 6))
        yield* (yield* RunLog).run
        yield* trustPage(n1.vkey)
        yield* TestClock.setTime(Date.UTC(2026, 9, 11, 8))
        yield* (yield* DailyClose).run
        const { kid } = yield* logKey
        const { open } = yield* Chromium
        yield* open("/verify", async ({ errors, page }) => {
          const day = "2026-10-10"
          const unnamed = await verified(page, { keys: kid }, day)
          assert.strictEqual(unnamed.verdict, "holds")
          assert.match(unnamed.notaries, /^Notaries not checked.*1 statement by notary\.test\/n1/s)
          const named = await verified(page, { keys: kid, notaries: n1.vkey }, day)
          assert.strictEqual(named.verdict, "holds")
          assert.match(named.notaries, /^Notaries holds/)
          assert.include(
            named.notaries,
            "1 notary (notary.test/n1) carried this answer from the holder of the host's certificate (stats.example.net); it remains to be trusted"
          )
          assert.include(named.command, `--notary ${n1.vkey}`)
          const both = { keys: kid, notaries: `${n1.vkey}\n${stranger.vkey}`, leastNotaries: "2" }
          const missed = await verified(page, both, day)
          assert.strictEqual(missed.verdict, "not proved")
          assert.match(missed.notaries, /^Notaries not proved.*1 notary of the 2 that you ask for/s)
          assert.include(missed.command, "--notaries 2")
          const wrong = await verified(page, { keys: kid, notaries: stranger.vkey }, day)
          assert.match(wrong.notaries, /^Notaries not proved/)
          assert.deepStrictEqual(errors, [])
        })
      })
  )
})
