/** Three services of three operators read one upstream, which lies to one of them; and observers that lie themselves. */
import { createHash } from "node:crypto"
import { zstdCompressSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { type Observer, Observers } from "../../core/log/observers/Observers.ts"
import { readDay } from "../../core/log/observers/readDay.ts"
import { attest } from "../../core/log/record/attest.ts"
import { bundle } from "../../core/log/record/bundle.ts"
import { evidence } from "../../core/log/record/evidence.ts"
import { agreementLeaves, document } from "../../core/log/record/files.ts"
import { readiness } from "../../core/log/record/readiness.ts"
import { checkComparisonsOf, parseAgreement } from "../../core/proof/agreement.ts"
import { checkComparison, parseAgreementLeaves, seenBy, verdictOf } from "../../core/proof/agreementLeaf.ts"
import { parseBundle } from "../../core/proof/bundle.ts"
import { type Checkpoint, verifierOf } from "../../core/proof/checkpoint.ts"
import { isBatch, parseEntry } from "../../core/proof/entry.ts"
import { parseLeaf } from "../../core/proof/leaf.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { network } from "../../core/readings/read/network.ts"
import { served } from "../../http/client/verifier/src/monitor/source.ts"
import { namedBodies } from "../../runtime/database/bodies.ts"
import * as Outside from "../../runtime/outside/observers.ts"
import {
  examined,
  nameObservers,
  page,
  saidOnTrust,
  seenBySome,
  toldOnce,
  vouching
} from "../support/agreementShown.ts"
import { onBothEngines } from "../support/database.ts"
import { client, monitorOnce } from "../support/monitorOnce.ts"
import * as Operators from "../support/operators.ts"
import { baseUrl, Service } from "../support/service.ts"

const first = "2026-09-04"
const second = "2026-09-05"

/** The day's newest document with its comparisons, which belong together. */
const newest = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ text: string }>`select text from log_entry order by place`
  const entry = rows
    .map(({ text }) => parseEntry(text))
    .findLast((one) => !isBatch(one) && one.kind === "agreement")
  if (entry === undefined || isBatch(entry)) return yield* Effect.die("no document of agreement")
  const agreement = parseAgreement((yield* document(entry.sha256)).body)
  const leaves = parseAgreementLeaves(yield* agreementLeaves(agreement.day))
  checkComparisonsOf(agreement, leaves)
  assert.strictEqual(entry.subject, agreement.day)
  return { agreement, leaves }
})

/** What is read of an observer: its head, or what is wrong with it. */
const look = (observer: Observer, day: string, previous?: Checkpoint) =>
  Effect.flatMap(Observers, ({ read }) =>
    readDay((path, most) => read(observer, path, most), observer.key, day, previous, false)
  ).pipe(Effect.provide(Outside.layer([])), Effect.result)

onBothEngines("agreement with other operators", (database) => {
  const services = Layer.provideMerge(
    Layer.effectDiscard(TestClock.setTime(Date.parse(`${first}T12:00:00Z`))),
    Service.layer({ database, manifests: Operators.manifests }).pipe(Layer.provide(vouching))
  )

  layer(services)((it) => {
    it.effect(
      "says who has the same, who differs, and which observer lies or is away, and waits for none",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const upstream = yield* Operators.startUpstream
          // To `c` it tells of half as many nodes again; `b` reads the bytes a little later.
          upstream.say((operator, metric) =>
            metric === "nodes_online" ? (operator === "c" ? 150 : 100) : operator === "b" ? 1001 : 1000
          )
          const [b, c] = [
            yield* Operators.startOperator("b.test/log"),
            yield* Operators.startOperator("c.test/log")
          ]
          const collect = (day: string) =>
            Effect.all([
              Operators.collect(upstream.url, "a", day),
              Effect.provide(Operators.collect(upstream.url, "b", day), b),
              Effect.provide(Operators.collect(upstream.url, "c", day), c)
            ])
          const [agreeing, other] = [
            yield* Effect.provide(Operators.named, b),
            yield* Effect.provide(Operators.named, c)
          ]
          yield* collect(first)
          yield* Operators.closeAt("2026-09-05T08:00:00Z")

          yield* nameObservers([])
          assert.match(
            yield* page("/network/FIL/nodes_online"),
            /data-lamp="operator" class="unlit".*nobody observes this service yet/
          )
          assert.match(
            yield* page("/trust"),
            /Nobody observes this service yet\.[\s\S]*nobody observes this service yet\./
          )
          yield* nameObservers([agreeing, other])
          const [unseen] = yield* network("FIL")
          assert.notProperty(unseen, "agreement")

          // They have not closed the day yet.
          assert.strictEqual(yield* Operators.agreement([agreeing, other]), 0)
          yield* Effect.provide(Operators.closeAt("2026-09-05T08:01:00Z"), b)
          assert.strictEqual(yield* Operators.agreement([agreeing, other]), 0)
          yield* Effect.provide(Operators.closeAt("2026-09-05T08:02:00Z"), c)
          assert.strictEqual(yield* Operators.agreement([agreeing, other]), 1)
          assert.strictEqual(yield* Operators.agreement([agreeing, other]), 0)

          const { agreement, leaves } = yield* newest
          assert.deepInclude(agreement, {
            day: first,
            n_compared: 2,
            n_close: 1,
            n_differs: 1,
            n_silent: 0,
            tree_size: 2
          })
          assert.deepStrictEqual(
            agreement.observers.map(({ origin, state }) => [origin, state]),
            [
              [agreeing.key.name, "read"],
              [other.key.name, "read"]
            ]
          )
          assert.deepStrictEqual(
            leaves.map((leaf) => [leaf.metric, verdictOf(leaf), seenBy(leaf)]),
            [
              ["nodes_online", "differs", { n_observers: 2, n_agree: 1 }],
              ["storage_bytes", "close", { n_observers: 2, n_agree: 2 }]
            ]
          )
          assert.deepStrictEqual(
            leaves[0]?.seen.map(({ relation, value }) => [relation, value]),
            [
              ["equal", 100],
              ["differs", 150]
            ]
          )
          const own = yield* sql<{
            text: string
          }>`select text from leaf where series is not null order by place`
          for (const [n, leaf] of leaves.entries()) {
            const row = parseLeaf(own[n]?.text ?? "")
            assert(row.kind !== "absent")
            checkComparison(leaf, row)
          }
          assert.deepStrictEqual(
            yield* sql`select n_observers, n_agree, differing is not null as differs from agreement_value order by place`,
            [
              { n_observers: 2, n_agree: 1, differs: true },
              { n_observers: 2, n_agree: 2, differs: false }
            ]
          )
          const [{ leaves: file } = { leaves: "" }] = yield* sql<{
            leaves: string
          }>`select leaves from agreement_day`
          assert.include([...(yield* Stream.runCollect(namedBodies))].flat(), file)

          yield* proved(leaves[0]?.leaf_hash ?? "")
          yield* toldOnce(other.key.name)
          yield* seenBySome
          assert.match(
            yield* page("/network/FIL/nodes_online?days=7"),
            /data-lamp="operator" class="lit".*1 of 2 other operators saw the same/
          )

          yield* watched
          yield* exchanged(file)

          yield* saidOnTrust([agreeing, other])
          yield* examined(agreeing, other)

          // The second day: `b` is read through a server that lies, and then `c` is gone.
          const middle = yield* Operators.startMiddle(agreeing.url)
          const throughMiddle = { key: agreeing.key, url: middle.url }
          const before = yield* look(throughMiddle, first)
          assert(Result.isSuccess(before))
          const { head, note } = before.success
          yield* collect(second)
          yield* Operators.closeAt("2026-09-06T08:00:00Z")
          assert.deepStrictEqual(yield* Effect.map(look(throughMiddle, second, head), stateOf), [
            "silent",
            `its log has no batch of ${second} yet`
          ])
          yield* Effect.provide(Operators.closeAt("2026-09-06T08:00:00Z"), b)
          const grown = yield* look(throughMiddle, second, head)
          assert(Result.isSuccess(grown))
          const { size } = grown.success.head
          assert.isAbove(size, head.size)

          const lies: ReadonlyArray<readonly [says: RegExp, change: Parameters<typeof middle.lie>[0]]> = [
            [/do not hash to the root/, replacing(/leaves$/, '"value":100,', '"value":101,')],
            [
              /serves 2 leaves of .*, and its batch has 3/,
              (path, body) =>
                path.endsWith("/leaves") ? Buffer.from(body.toString().split("\n").slice(1).join("\n")) : body
            ],
            [/does not serve the leaves/, (path, body) => (path.endsWith("/leaves") ? undefined : body)],
            [
              /is not in the log of its head/,
              (path, body) =>
                path.includes("tile/entries/")
                  ? Buffer.from(
                      body
                        .toString("latin1")
                        .replaceAll('"n_late":0', '"n_late":1')
                        .replaceAll('"n_readings":2', '"n_readings":1'),
                      "latin1"
                    )
                  : body
            ],
            [
              /does not start with the \d+ you kept|not in the log/,
              (path, body) => (path.includes("tile/0/") ? Buffer.alloc(body.length) : body)
            ],
            [
              /its head: the key that OBSERVERS names did not sign it/,
              replacing(/checkpoint$/, `\n${size}\n`, `\n${size + 1}\n`)
            ],
            [/its log lacks/, (path, body) => (path.includes("tile/") ? undefined : body)]
          ]
          for (const [says, change] of lies) {
            middle.lie(change)
            const [state, why] = stateOf(yield* look(throughMiddle, second, head))
            assert.strictEqual(state, "invalid", String(says))
            assert.match(String(why), says)
          }
          middle.lie((path, body) => (path.endsWith("/checkpoint") ? Buffer.from(note) : body))
          assert.match(
            String(stateOf(yield* look(throughMiddle, second, grown.success.head))[1]),
            /its head: stale: the log shows \d+ entries, but you kept \d+/
          )
          middle.behave()
          const renamed = verifierOf(agreeing.key.name, other.key.publicKey)
          const rewritten = { ...head, root: new Uint8Array(32) }
          assert.match(
            String(stateOf(yield* look(throughMiddle, second, rewritten))[1]),
            /history was rewritten/
          )
          assert.match(
            String(stateOf(yield* look({ key: renamed, url: middle.url }, second))[1]),
            /the key that OBSERVERS names did not sign it/
          )

          // One lies and one is dead: nothing of this service waits, and the document says so when the next day is due.
          const gone = yield* Operators.startMiddle(other.url)
          gone.die()
          middle.lie(replacing(/leaves$/, '"value":100,', '"value":101,'))
          const observers = [throughMiddle, { key: other.key, url: gone.url }]
          assert.strictEqual(yield* Operators.agreement(observers), 0)
          yield* collect("2026-09-06")
          const [closed] = yield* Operators.closeAt("2026-09-07T08:00:00Z")
          assert.deepInclude(closed, { day: "2026-09-06", late: false })
          assert.strictEqual(yield* Operators.agreement(observers), 1)
          const last = yield* newest
          assert.deepInclude(last.agreement, { day: second, n_compared: 0, n_silent: 2 })
          assert.deepStrictEqual(
            last.agreement.observers.map(({ state }) => state),
            ["invalid", "silent"]
          )
          assert.match(JSON.stringify(last.agreement.observers[0]), /do not hash to the root of its batch/)
        })
    )
  })
})

/** The value that `c` contradicts, as an outsider verifies it: the answer and the bundle say who saw the same. */
const proved = Effect.fnUntraced(function* (leafHash: string) {
  const params = { symbol: "FIL", metric: "nodes_online", date: first.replaceAll("-", "") }
  const answer = yield* attest(params)
  assert.deepInclude(answer.agreement, { n_observers: 2, n_agree: 1 })
  assert.strictEqual(answer.leaf_hash, leafHash)
  const close = yield* attest({ ...params, metric: "storage_bytes" })
  assert.deepInclude(close.agreement, { n_observers: 2, n_agree: 2 })
  const whole = parseBundle(JSON.stringify(yield* bundle(params)))
  const beside = yield* evidence({ ...params, size: whole.log.size })
  assert(beside.agreement !== undefined)
  const { agreement } = beside
  const resultOf = (changed: typeof agreement) =>
    verifyBundle(whole, { evidence: { ...beside, agreement: changed } }).checks.find(
      ({ name }) => name === "other operators"
    )
  assert.deepInclude(resultOf(agreement), { ok: true })
  assert.match(
    resultOf(agreement)?.detail ?? "",
    /^1 of 2 other operators saw the same, as this log says in entry \d/
  )
  const { log } = agreement
  const renamed = (text: string) => text.replace('"relation":"differs"', '"relation":"close"')
  for (const [changed, says] of [
    [
      { ...agreement, leaf: renamed(agreement.leaf) },
      /observer 1 is called close, but its value says differs/
    ],
    [
      { ...agreement, leaf: agreement.leaf.replace('"value":150', '"value":151') },
      /does not lead from the comparison/
    ],
    [{ ...agreement, index: 1 }, /does not lead from the comparison/],
    [
      { ...agreement, document: agreement.document.replace('"day":"2026-09-04"', '"day":"2026-09-03"') },
      /cannot be in the document/
    ],
    [{ ...agreement, log: { ...log, entry: whole.batch.entry } }, /entry is not about its document/],
    [{ ...agreement, log: { ...log, index: log.index - 1 } }, /does not lead from the agreement's entry/],
    [
      { ...agreement, log: { ...log, consistency: ["0".repeat(64)] } },
      /does not extend the bundle's checkpoint/
    ],
    [
      { ...agreement, log: { ...log, checkpoint: log.checkpoint.replace(/\n\d+\n/, "\n99\n") } },
      /does not verify/
    ]
  ] as const) {
    const result = resultOf(changed)
    assert.strictEqual(result?.ok, false, String(says))
    assert.match(result?.detail ?? "", says)
  }
})

/** The monitor reads the document and its comparisons, and sees when they are not those of the log, or not of its batch. */
const watched = Effect.gen(function* () {
  const now = Date.parse("2026-09-05T09:00:00Z")
  const { findings, state } = yield* monitorOnce(now)
  assert.deepStrictEqual(findings, [])
  assert.strictEqual(state?.record?.agreement, first)
  const { get } = yield* client
  const source = served(get, baseUrl)
  const read = async (path: string) => {
    const bytes = await source.read(path)
    return bytes === undefined || !path.includes("/agreements/")
      ? bytes
      : Buffer.from(Buffer.from(bytes).toString().replace('"value":150', '"value":151'))
  }
  const altered = yield* monitorOnce(now, undefined, { source: { ...source, read } })
  assert.match(altered.findings.map((finding) => finding.found).join(), /comparisons do not hash to the root/)
  const gone = {
    ...source,
    read: (path: string) => (path.includes("/agreements/") ? Promise.resolve(undefined) : source.read(path))
  }
  assert.match(
    (yield* monitorOnce(now, undefined, { source: gone })).findings.map(({ expected }) => expected).join(),
    /agreements/
  )
})

/** The day's comparisons are not sent once they are not those that the log commits to. `file` is the hash of the true ones. */
const exchanged = Effect.fnUntraced(function* (file: string) {
  const sql = yield* SqlClient.SqlClient
  const blobs = yield* Blobs
  const damaged = Effect.map(readiness, ({ warnings }) =>
    warnings.flatMap(({ code, message }) => (code === "archive_damaged" ? [message] : []))
  )
  const whole = yield* agreementLeaves(first)
  const forged = whole.replace('"value":150', '"value":151')
  const hash = createHash("sha256").update(forged).digest("hex")
  yield* blobs.put(hash, zstdCompressSync(forged))
  yield* sql`update agreement_day set leaves = ${hash} where day = ${first}::date`
  const { message } = yield* Effect.flip(agreementLeaves(first))
  assert.match(message, /comparisons of 2026-09-04 are not those that the log commits to/)
  assert.include((yield* damaged).join(), `agreements/${first}/leaves`)
  yield* sql`update agreement_day set leaves = ${file} where day = ${first}::date`
  assert.strictEqual(yield* agreementLeaves(first), whole)
  assert.deepStrictEqual(yield* damaged, [])
})

const stateOf = (reading: Effect.Success<ReturnType<typeof look>>) =>
  Result.isFailure(reading) ? [reading.failure.state, reading.failure.why] : ["read"]

/** Puts other text in the place of some in the files of these paths. */
const replacing =
  (paths: RegExp, from: string, to: string) =>
  (path: string, body: Buffer): Buffer =>
    paths.test(path) ? Buffer.from(body.toString().replace(from, to)) : body
