/** The Python client against a running service, and against somebody between the two. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Current } from "../../core/readings/read/Current.ts"
import { honest, startBetween } from "../support/interceptor.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { pathOf } from "../support/programs.ts"
import { baseUrl, latestRow, Service } from "../support/service.ts"

const sources = fileURLToPath(new URL("../../http/client/python/src", import.meta.url))

/** Runs a script with Debian's Python, which has `cryptography`; gives what it prints, as JSON. */
const run = (script: string, origin: string) =>
  Effect.promise(async () => {
    const before = [
      "import json",
      "from plumbline_client import ForgedAnswer, Plumbline, ServiceError",
      "from plumbline_client.sending import Retries, over_http, retrying",
      "from plumbline_client.verifying import Answer, Request",
      `base, public = ${JSON.stringify(origin)}, ${JSON.stringify(baseUrl)}`,
      "client = Plumbline(base, public_url=public)",
      "def outcome(work):",
      "    try: work()",
      "    except Exception as error: return type(error).__name__",
      "    return 'ok'"
    ]
    const { stdout } = await promisify(execFile)(pathOf("python"), ["-c", [...before, script].join("\n")], {
      env: { PYTHONPATH: sources, PYTHONDONTWRITEBYTECODE: "1" }
    })
    return JSON.parse(stdout) as unknown
  })

layerNeeding("python's cryptography")(Service.layer())("the Python client", (it) => {
  const setUp = Effect.gen(function* () {
    const { port } = yield* Service
    yield* (yield* Current).apply(
      ["AKT", "FIL", "GEOD"].map((symbol, n) =>
        latestRow(n + 1, { symbol, metric: "price_usd", tier: "market", unit: "usd", value: n + 0.5 })
      )
    )
    return yield* startBetween(port)
  })

  it.effect("reads rows of all pages, tables, and problems, and asks again with the ETag", () =>
    Effect.gen(function* () {
      const { origin } = yield* setUp
      const script = `
statuses = []
def counted(request, send=over_http(30)):
    answer = send(request)
    statuses.append(answer.status)
    return answer
client = Plumbline(base, public_url=public, send=counted)
first = client.get("/v1/network/FIL")
again = client.get("/v1/network/FIL")
problem = None
try:
    client.get("/v1/network/SN129")
except ServiceError as error:
    problem = [error.status, error.problem["error"]]
print(json.dumps({
    "price": first[0]["value"], "same": first == again, "statuses": statuses[:3], "problem": problem,
    "rows": [row["symbol"] for row in client.rows("/v1/market", limit=1)],
    "csv": client.text("/v1/market", format="csv").splitlines()[0],
}))`
      assert.deepStrictEqual(yield* run(script, origin), {
        price: 1.5,
        same: true,
        // The second one is the key document.
        statuses: [200, 200, 304],
        problem: [404, "unknown_symbol"],
        rows: ["AKT", "FIL", "GEOD"],
        csv: "symbol,price_usd,market_cap_usd,fully_diluted_valuation_usd,verify_url,source,as_of,field_sources,simulated,unconfirmed,licence,attribution,source_method,by_definition,by_definition_reason,reviewed"
      })
    })
  )

  it.effect("refuses an answer that somebody changed, moved or stripped, and any key but the given one", () =>
    Effect.gen(function* () {
      const between = yield* setUp
      between.alter = (path, body) =>
        path.includes("/network/FIL") ? body.toString().replace("1.5", "2.5") : body
      const script = `
from dataclasses import replace
send = over_http(30)
def stripped(request):
    answer = send(request)
    return replace(answer, headers={k: v for k, v in answer.headers.items() if not k.startswith("signature")})
def moved(request):
    return send(replace(request, url=request.url.replace("limit=1", "limit=2")))
def client_of(**options):
    return Plumbline(base, public_url=public, **options)
print(json.dumps([
    outcome(lambda: client.get("/v1/network/FIL")),
    outcome(lambda: client_of(send=stripped).get("/v1/world")),
    outcome(lambda: client_of(send=moved).get("/v1/market", limit=1)),
    outcome(lambda: client_of(keys=["another"]).get("/v1/world")),
    outcome(lambda: Plumbline(base).get("/v1/world")),
    outcome(lambda: client.get("/v1/world")),
    outcome(lambda: client_of(verify=False).get("/v1/network/FIL")),
]))`
      const forged = "ForgedAnswer"
      const unproved = "UnprovedAnswer"
      assert.deepStrictEqual(yield* run(script, between.origin), [
        forged,
        unproved,
        forged,
        forged,
        // Signed for the service's own address.
        unproved,
        "ok",
        "ok"
      ])
      between.alter = honest
    })
  )

  it.effect("retries as the service says, repeats no order, and pays an offer once", () =>
    Effect.gen(function* () {
      const { origin } = yield* setUp
      const script = `
import base64
def given(request, answers):
    waits, left = [], list(answers)
    def send(_):
        answer = left.pop(0) if left else Answer(200, {}, b"{}")
        if isinstance(answer, Exception): raise answer
        return answer
    try:
        status = retrying(Retries(longest_wait=5, sleep=waits.append), send)(request).status
    except OSError as error:
        status = str(error)
    return [status, len(waits)]
def refusal(status, after=None):
    return Answer(status, {} if after is None else {"retry-after": str(after)}, b"")
get, post = Request("GET", base, {}), Request("POST", base, {}, b"{}")
lost = OSError("lost")
offer = base64.b64encode(json.dumps({"accepts": [{"amount": "490000"}]}).encode()).decode()
sent = []
def shop(request):
    sent.append(request.headers.get("PAYMENT-SIGNATURE"))
    return Answer(200, {}, b'{"status":"purchased"}') if sent[-1] else Answer(402, {"payment-required": offer}, b"{}")
client = Plumbline(base, verify=False, send=shop, pay=lambda offer: "paid " + offer["accepts"][0]["amount"])
bought = client.get("/x402/v1/data/depin_provenance")
print(json.dumps({
    "told": given(get, [refusal(429, 2), refusal(503, 1)]), "tooLong": given(get, [refusal(429, 3600)]),
    "lost": given(get, [lost] * 9), "order": given(post, [refusal(503, 1)]), "lostOrder": given(post, [lost]),
    "rejected": given(post, [refusal(429, 1)]), "hopeless": given(get, [refusal(503)]),
    "bought": bought["status"], "sent": sent,
}))`
      assert.deepStrictEqual(yield* run(script, origin), {
        told: [200, 2],
        tooLong: [429, 0],
        lost: ["lost", 3],
        order: [503, 0],
        lostOrder: ["lost", 0],
        rejected: [200, 1],
        hopeless: [503, 0],
        bought: "purchased",
        sent: [null, "paid 490000"]
      })
    })
  )
})
