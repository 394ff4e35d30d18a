/** The faults of a week: when each begins and ends, in hours from the week's start, and what it does. */
import { Effect, type Scope } from "effect"
import type { Failure } from "./weekUpstream.ts"
import type { Name, World } from "./weekWorld.ts"

export interface Fault {
  readonly name: string
  /** The first hour in which it is there, and the first in which it is not. */
  readonly from: number
  readonly to: number
  /** The feed whose upstream fails, if one does. */
  readonly plugin?: string
  readonly begin: (world: World) => Effect.Effect<void, never, Scope.Scope>
  readonly end: (world: World) => Effect.Effect<void, never, Scope.Scope>
  /** Begins so soon after the time was moved, in milliseconds; before it is moved otherwise. */
  readonly after?: number
}

const upstreamFault = (n: number, name: string, from: number, to: number, failure: Failure): Fault => ({
  name,
  from,
  to,
  plugin: `made-up-${n}`,
  begin: ({ upstream }) => Effect.sync(() => upstream.fail(`made-up-${n}`, failure)),
  end: ({ upstream }) => Effect.sync(() => upstream.heal(`made-up-${n}`))
})

const signal = (world: World, name: Name, kind: "SIGSTOP" | "SIGCONT") =>
  Effect.sync(() => void world.members.get(name)?.child.kill(kind))

const promised = (work: () => Promise<unknown>) => Effect.asVoid(Effect.promise(work))

export const notaryAway = "own: the notary is away for a day"
export const notaryLies = "own: the notary states other answers than the host gave"

/** In the order in which they begin. */
export const faults: ReadonlyArray<Fault> = [
  upstreamFault(0, "an upstream says ten times the truth", 10, 16, { times: 10 }),
  upstreamFault(1, "an upstream says a tenth of the truth", 18, 24, { times: 0.1 }),
  upstreamFault(2, "an upstream says a thousand times the truth", 26, 30, { times: 1000 }),
  {
    name: "the disk of Postgres is full",
    from: 34,
    to: 38,
    begin: ({ postgres }) => Effect.sync(postgres.fill),
    end: ({ postgres }) => Effect.sync(postgres.clear)
  },
  upstreamFault(3, "an upstream says fifty times the truth for a day, then the truth", 40, 64, { times: 50 }),
  upstreamFault(4, "an upstream answers in another shape", 46, 54, "shape"),
  {
    name: "a process is killed (kill -9) while it closes the day",
    from: 56,
    to: 58,
    after: 400,
    begin: (world) => world.end("one", "SIGKILL"),
    end: (world) => world.start("one")
  },
  upstreamFault(5, "an upstream answers with a page of HTML", 60, 66, "html"),
  {
    name: "the clock of a process is an hour ahead",
    from: 66,
    to: 70,
    begin: ({ time }) => Effect.sync(() => time.setAhead("two", 3_600_000)),
    end: ({ time }) => Effect.sync(() => time.setAhead("two", 0))
  },
  upstreamFault(6, "an upstream answers 503", 70, 76, "503"),
  upstreamFault(7, "an upstream says nothing", 76, 82, "silence"),
  {
    name: "Postgres is away",
    from: 84,
    to: 86,
    begin: ({ postgres }) => promised(postgres.stop),
    end: ({ postgres }) => promised(postgres.start)
  },
  {
    name: "the witness is away for a day",
    from: 88,
    to: 112,
    begin: ({ witness }) => promised(witness.stop),
    end: ({ witness }) => promised(witness.start)
  },
  {
    name: "the observer is restarted",
    from: 92,
    to: 94,
    begin: (world) => Effect.asVoid(world.restartObserver),
    end: () => Effect.void
  },
  upstreamFault(8, "own: an upstream answers 429 and asks for two hours", 96, 102, "429"),
  upstreamFault(9, "own: an upstream breaks off in the middle of its answer", 104, 110, "half"),
  {
    name: "own: a process is frozen (SIGSTOP)",
    from: 114,
    to: 116,
    begin: (world) => signal(world, "three", "SIGSTOP"),
    end: (world) => signal(world, "three", "SIGCONT")
  },
  {
    name: "own: two of three processes are restarted, one after the other",
    from: 118,
    to: 120,
    begin: Effect.fnUntraced(function* (world) {
      for (const name of ["two", "three"] as const) {
        yield* world.end(name, "SIGTERM")
        yield* world.start(name)
      }
    }),
    end: () => Effect.void
  },
  upstreamFault(10, "own: an upstream tells the observer a fifth more", 122, 146, {
    times: 1.2,
    onlyTo: "observer"
  }),
  {
    name: notaryAway,
    from: 124,
    to: 148,
    begin: ({ notary }) => promised(notary.stop),
    end: ({ notary }) => promised(notary.start)
  },
  {
    name: "own: the database takes reads only, as after a failover",
    from: 148,
    to: 152,
    begin: ({ postgres }) => promised(() => postgres.readOnly(true)),
    end: ({ postgres }) => promised(() => postgres.readOnly(false))
  },
  {
    name: notaryLies,
    from: 156,
    to: 166,
    begin: ({ notary }) => Effect.sync(() => notary.lie(true)),
    end: ({ notary }) => Effect.sync(() => notary.lie(false))
  }
]
