/** Signed answers name the newest head of the log, with a signature of its own. */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { toHex } from "../../core/proof/bytes.ts"
import { parseCheckpointText, parseNote } from "../../core/proof/checkpoint.ts"
import { logHeadText } from "../../core/proof/logHead.ts"
import { verifyResponse } from "../../core/proof/verifyResponse.ts"
import { makeSign, type RawHeaders } from "../../http/signing/sign.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { authority, Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const name = "x-service-log-head"
const signatureName = "x-service-log-head-signature"

/** The headers' value in a list of names and values. */
const valueOf = (headers: RawHeaders) => headers[headers.indexOf("X-Service-Log-Head") + 1]

it("is the head of the second of the signature, whatever bytes are signed", () => {
  let [now, head]: [number, string | undefined] = [1000, undefined]
  let signed = 0
  const key = {
    kid: "k",
    sign: () => {
      signed++
      return new Uint8Array(64)
    }
  }
  const context = { authority: "a.test", basePath: "", keyAddress: "", now: () => now, logHead: () => head }
  const sign = makeSign({ ...context, key: () => key })
  const of = { method: "GET", url: "/a", contentType: "text/plain", sha256: "00", digest: "" }
  assert.notInclude(sign({ ...of, status: 200 }), "X-Service-Log-Head")
  head = "1 aa"
  now = 2000
  assert.strictEqual(valueOf(sign({ ...of, status: 200 })), "1 aa")
  head = "2 bb"
  assert.strictEqual(valueOf(sign({ ...of, url: "/b", status: 200 })), "1 aa")
  now = 3000
  assert.strictEqual(valueOf(sign({ ...of, status: 200 })), "2 bb")
  assert.notInclude(sign({ ...of, status: 304 }), "X-Service-Log-Head")
  // Its signature is made once a second, whatever is asked, and what covers the answer does not name it.
  const before = signed
  for (const url of ["/c", "/d"]) {
    const headers = sign({ ...of, url, status: 200 })
    assert.include(headers, "X-Service-Log-Head-Signature")
    assert.notMatch(headers[headers.indexOf("Signature-Input") + 1] ?? "", /log-head/)
  }
  assert.strictEqual(signed - before, 4)
})

layer(Service.layer())("the head of the log in an answer", (it) => {
  it.effect("is that of the checkpoint, signed, also on cached bytes of before", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const path = "/v1/data-dictionary?limit=1"
      const terms = "/terms"
      assert.isUndefined((yield* call(terms)).headers[name])
      yield* storeExplorerDays
      // The head is read once per second of real time.
      const reply = yield* call(terms).pipe(
        Effect.repeat({ until: ({ headers }) => headers[name] !== undefined })
      )
      const note = (yield* call("/v1/log/checkpoint")).body.toString("utf8")
      const checkpoint = parseCheckpointText(parseNote(note).text)
      assert.strictEqual(reply.headers[name], logHeadText(checkpoint))
      assert.strictEqual((yield* call(path)).headers[name], logHeadText(checkpoint))

      const keys = json(yield* call("/.well-known/service-signing-key.json"))
      const headers = Object.fromEntries(
        Object.entries(reply.headers).map(([name, value]) => [name, String(value)])
      )
      const request = { method: "GET", authority, path: terms, query: "?" }
      const saved = { status: reply.status, headers, body: reply.body, request }
      const checks = verifyResponse(saved, { keys })
      assert.deepStrictEqual(
        checks.filter(({ name, ok }) => ok !== true && name !== "operator's key"),
        []
      )
      const named = checks.find(({ name }) => name === "head of the log")
      assert.strictEqual(named?.detail, `${checkpoint.size} entries, root ${toHex(checkpoint.root)}`)

      const headIn = (changed: Readonly<Record<string, string>>, asked = authority) =>
        verifyResponse(
          { ...saved, headers: changed, request: { ...request, authority: asked } },
          { keys }
        ).find((one) => one.name === "head of the log")
      // Another head, one of another time, and one that is none.
      const ofYesterday = { ...headers, "x-service-timestamp": "2026-09-05T00:00:00Z" }
      assert.strictEqual(headIn(ofYesterday), undefined)
      for (const lie of [`9${headers[name]}`, ""])
        assert.strictEqual(headIn({ ...headers, [name]: lie })?.ok, false)
      // Without its signature it proves nothing; without both there is none, as in answers of earlier releases.
      const { [signatureName]: _, ...unsigned } = headers
      assert.strictEqual(headIn(unsigned)?.ok, "not proved")
      const { [name]: _head, ...without } = unsigned
      assert.deepStrictEqual(
        verifyResponse({ ...saved, headers: without }, { keys }).filter(({ ok }) => ok === false),
        []
      )
      // Reached under another name: no alteration, and the name is said.
      const elsewhere = headIn(headers, "127.0.0.1:9")
      assert.strictEqual(elsewhere?.ok, "not proved")
      assert.include(elsewhere?.detail, `signed for ${authority}, and you asked 127.0.0.1:9`)
    })
  )
})
