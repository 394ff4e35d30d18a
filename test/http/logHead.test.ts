/** Signed answers name the newest head of the log, and the signature covers it. */
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

/** The headers' value in a list of names and values. */
const valueOf = (headers: RawHeaders) => headers[headers.indexOf("X-Service-Log-Head") + 1]

it("is the head of the second of the signature, whatever bytes are signed", () => {
  let [now, head]: [number, string | undefined] = [1000, undefined]
  const key = { kid: "k", sign: () => new Uint8Array(64) }
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

      // Another head, one that was taken away, and one that is none.
      const { [name]: _, ...without } = headers
      for (const lie of [without, { ...headers, [name]: `9${headers[name]}` }, { ...headers, [name]: "" }]) {
        const changed = { ...saved, headers: lie }
        assert.isTrue(verifyResponse(changed, { keys }).some(({ ok }) => ok === false))
      }
    })
  )
})
