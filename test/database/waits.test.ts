/** Nothing waits for Postgres without an end: what a statement may take, and what is done with a connection that is mute. */
import { assert, it, layer } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Layer, Redacted, Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { mayTakeLong } from "../../core/sql/mayTakeLong.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { cloneUrl } from "../support/database.ts"
import { tcpGate } from "../support/tcpGate.ts"

/** Short ones, so that a test need not wait for those of a service. */
const short: Postgres.Waits = { statement: "300 millis", silence: "1 second" }

const gated = Effect.gen(function* () {
  const url = new URL(yield* cloneUrl)
  const gate = yield* tcpGate(Number(url.port))
  url.port = String(gate.port)
  const another = Effect.map(
    Effect.suspend(() =>
      Layer.build(
        Postgres.layer(Redacted.make(url.href), {
          waits: short,
          long: { statement: "1 minute", silence: "2 minutes" }
        })
      )
    ),
    Context.get(SqlClient.SqlClient)
  )
  return { another, gate, sql: yield* another }
})

const causeOf = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "it succeeded"

it.live("a statement is ended by the server, waits for locks included; the connection goes on", () =>
  Effect.gen(function* () {
    const { another, sql } = yield* gated
    assert.match(causeOf(yield* Effect.exit(sql`select pg_sleep(30)`)), /statement timeout/)
    const inTransaction = sql`select pg_sleep(30)`.pipe(sql.withTransaction, Effect.exit)
    assert.match(causeOf(yield* inTransaction), /statement timeout/)
    const other = yield* another
    const locked = (client: SqlClient.SqlClient) =>
      client.withTransaction(client`lock table series in exclusive mode`)
    const waited = yield* sql.withTransaction(
      Effect.andThen(sql`lock table series in exclusive mode`, Effect.exit(locked(other)))
    )
    assert.match(causeOf(waited), /statement timeout/)
    yield* locked(other)
    assert.deepStrictEqual(yield* sql`select 1 as one`, [{ one: 1 }])
  }).pipe(Effect.scoped)
)

it.live(
  "a connection that is mute is destroyed: whoever waits gets an error, and the next one is answered",
  () =>
    Effect.gen(function* () {
      const { gate, sql } = yield* gated
      const nothing = sql`select 1 as one`
      // Several connections, of which some do nothing when they go mute.
      yield* Effect.all(
        Array.from({ length: 6 }, () => sql.withTransaction(nothing)),
        { concurrency: "unbounded" }
      )
      gate.mute()
      assert.isAbove(gate.muted(), 1)
      const exits = yield* Effect.all([Effect.exit(nothing), Effect.exit(sql.withTransaction(nothing))], {
        concurrency: "unbounded"
      })
      for (const exit of exits) assert.match(causeOf(exit), /nothing was heard for 1 s/)
      while (gate.muted() > 0) yield* Effect.sleep("50 millis")
      assert.deepStrictEqual(yield* sql.withTransaction(nothing), [{ one: 1 }])

      gate.mute({ newOnes: true })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(nothing)))
      gate.heal()
      while (Exit.isFailure(yield* Effect.exit(nothing))) yield* Effect.sleep("50 millis")
    }).pipe(Effect.scoped)
)

it.live("who waits while a connection is lost that another has for himself is answered afterwards", () =>
  Effect.gen(function* () {
    const url = new URL(yield* cloneUrl)
    const gate = yield* tcpGate(Number(url.port))
    url.port = String(gate.port)
    const options = { waits: short, connections: Postgres.leastConnections, allOpen: true }
    const context = yield* Layer.build(Postgres.layer(Redacted.make(url.href), options))
    const sql = Context.get(context, SqlClient.SqlClient)
    const one = sql`select 1 as one`
    const own = yield* Scope.make()
    yield* Scope.provide(sql.reserve, own)
    gate.shut()
    // Until it has failed to replace the lost one.
    yield* Effect.sleep("200 millis")
    const waiter = yield* Effect.forkChild(Effect.exit(one), { startImmediately: true })
    yield* Scope.close(own, Exit.void)
    gate.open()
    yield* Fiber.join(waiter)
    while (Exit.isFailure(yield* Effect.exit(Effect.timeout(one, "5 seconds"))))
      yield* Effect.sleep("50 millis")
  }).pipe(Effect.scoped)
)

layer(
  Layer.effect(
    SqlClient.SqlClient,
    Effect.map(gated, ({ sql }) => sql)
  )
)("what may take long", (it) => {
  it.effect("has connections of its own, on which the server and the silence are waited for longer", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* mayTakeLong(sql.withTransaction(sql`select pg_sleep(1.5)`))
      // A transaction in another is of the same connection.
      yield* mayTakeLong(
        sql.withTransaction(Effect.andThen(sql`select 1`, sql.withTransaction(sql`select pg_sleep(0.5)`)))
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(sql.withTransaction(sql`select pg_sleep(1.5)`))))
    })
  )

  it.effect("commits, rolls back and rolls back to where an inner transaction began, as others do", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table kept (n int)`
      const add = (n: number) => sql`insert into kept values (${n})`
      const messages: Array<string> = []
      const tell = (text: string) => sql.afterCommit(Effect.sync(() => void messages.push(text)))
      for (const way of [(work: Effect.Effect<unknown, unknown>) => work, mayTakeLong] as const) {
        yield* way(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* add(1)
              yield* tell("one")
              yield* sql
                .withTransaction(Effect.andThen(add(2), Effect.andThen(tell("two"), Effect.fail("no"))))
                .pipe(Effect.ignore)
              yield* sql.withTransaction(add(3))
            })
          )
        )
        yield* Effect.ignore(way(sql.withTransaction(Effect.andThen(add(4), Effect.fail("no")))))
        // What failed and was caught fails the commit.
        const caught = yield* Effect.exit(
          way(sql.withTransaction(Effect.andThen(add(5), Effect.ignore(sql`select nothing`))))
        )
        assert.isTrue(Exit.isFailure(caught))
        assert.deepStrictEqual(yield* sql`select n from kept order by n`, [{ n: 1 }, { n: 3 }])
        assert.deepStrictEqual(messages, ["one"])
        messages.length = 0
        yield* sql`delete from kept`
      }
    })
  )
})
