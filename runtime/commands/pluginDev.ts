/** `plumbline plugin dev`: replays a plugin's cases on each save, and shows the network's page made of its rows. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { watch } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { Console, Effect, Exit, Option, Queue, Schema, Scope, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { Expected } from "../../core/plugin/Recording.ts"
import { guarded } from "../../core/process/guarded.ts"
import { metricPath, networkPath } from "../../http/explorer/html/values.ts"
import { pluginName } from "../cli/arguments.ts"
import { UsageError } from "../cli/usage.ts"
import * as Plugins from "../collector/plugins.ts"
import * as Fixtures from "../contributor/fixtures.ts"
import { changesOf } from "../contributor/kit/changes.ts"
import { table } from "../contributor/rows.ts"
import { onDisk } from "../outside/disk.ts"

const host = "127.0.0.1"

/** This program, as its processes are started. */
const program = process.argv[1] ?? ""

/** An editor writes a file in several steps. */
const settled = "200 millis"

/** A save in one of these folders; the first comes at once. */
const saves = (folders: ReadonlyArray<string>) =>
  Stream.callback<string>((queue) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        Queue.offerUnsafe(queue, "begin")
        return folders.map((folder) =>
          watch(folder, { recursive: true }, () => Queue.offerUnsafe(queue, folder))
        )
      }),
      (watchers) =>
        Effect.sync(() => {
          for (const watcher of watchers) watcher.close()
        })
    )
  ).pipe(Stream.debounce(settled))

const Replayed = Schema.fromJsonString(Schema.Record(Schema.String, Expected))

/**
 * The rows by case, or what is wrong with the plugin. Another process makes them: it has the code as it is on disk, and ends
 * where that never does.
 */
const replayed = Effect.fnUntraced(function* (id: string) {
  const { errors, output } = yield* Effect.callback<{ readonly errors: string; readonly output: string }>(
    (resume) => {
      const child = execFile(
        process.execPath,
        [...process.execArgv, program, "replay", id, "--json"],
        { maxBuffer: 256 << 20 },
        (_, output, errors) => resume(Effect.succeed({ errors, output }))
      )
      return Effect.sync(() => child.kill("SIGKILL"))
    }
  )
  const rows = yield* Effect.option(Schema.decodeUnknownEffect(Replayed)(output))
  return Option.isSome(rows) ? rows.value : errors.trim()
})

/** Ends a process, and waits until it is gone; one that does not end by itself is killed. */
const ended = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once(
      "exit",
      guarded("the end of the preview", () => resume(Effect.void))
    )
    child.kill("SIGTERM")
  }).pipe(
    Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.sync(() => child.kill("SIGKILL")) })
  )

/** A demo with this plugin alone, in a folder of its own; done when it serves. It ends with its scope. */
const preview = Effect.fnUntraced(function* (id: string, port: number) {
  const folder = yield* Effect.acquireRelease(
    onDisk(() => mkdtemp(join(tmpdir(), "plumbline-dev-"))),
    (folder) => Effect.ignore(onDisk(() => rm(folder, { recursive: true, force: true })))
  )
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...process.execArgv, program, "serve", "--replay"], {
        env: {
          ...process.env,
          DEMO_PLUGIN: id,
          HOST: host,
          PORT: String(port),
          DATA_DIR: join(folder, "data")
        },
        stdio: ["ignore", "pipe", "pipe"]
      })
    ),
    ended
  )
  return yield* Effect.callback<boolean>((resume) => {
    child.once(
      "exit",
      guarded("the end of the preview", () => resume(Effect.succeed(false)))
    )
    child.stderr.resume()
    child.stdout.on(
      "data",
      guarded("hearing the preview", (chunk: Buffer) => {
        if (chunk.includes("is serving")) resume(Effect.succeed(true))
      })
    )
  })
})

/** Prints what a replay gave, and what differs from the one before. */
const print = Effect.fnUntraced(function* (
  id: string,
  rows: Readonly<Record<string, Expected>>,
  before: Readonly<Record<string, Expected>> | undefined
) {
  for (const [name, after] of Object.entries(rows)) {
    const expected = yield* Effect.option(Fixtures.expected(join(Fixtures.root, id, name)))
    const isSame = Option.isSome(expected) && isDeepStrictEqual(expected.value, after)
    const changes = before === undefined ? [] : changesOf(before[name], after)
    yield* Console.log(
      [
        `${id}/${name}: ${isSame ? "as expected" : "differs from the expected rows"}${before === undefined || changes.length > 0 ? "" : ", nothing changed"}`,
        ...(before === undefined && name === "ok" ? [table(after)] : []),
        ...changes.map((line) => `  ${line}`)
      ].join("\n")
    )
  }
})

const pagesOf = (rows: Expected | undefined): ReadonlyArray<string> => {
  const [first] = rows === undefined || "error" in rows ? [] : rows.observations
  return first === undefined ? [] : [networkPath(first.symbol), metricPath(first.symbol, first.metric)]
}

/** `plumbline plugin dev`. */
export const dev = Command.make(
  "dev",
  {
    id: pluginName,
    port: Flag.Int("port").pipe(
      Flag.withDescription("Port of the preview on 127.0.0.1 (default 8788)"),
      Flag.withDefault(8788)
    ),
    preview: Flag.Boolean("preview").pipe(
      Flag.withDescription("Serve the network's page from the rows (--no-preview leaves it out)"),
      Flag.withDefault(true)
    )
  },
  Effect.fnUntraced(function* ({ id, port, preview: shows }) {
    if (!(yield* Plugins.names()).includes(id)) {
      return yield* new UsageError({ message: `plugins/${id} does not exist` })
    }
    let last: Readonly<Record<string, Expected>> | undefined
    let scope: Scope.Closeable | undefined
    const folders = [fileURLToPath(new URL(`${id}/`, Plugins.root)), join(Fixtures.root, id)]
    yield* Console.log(`watching plugins/${id} and fixtures/${id}; stop with Ctrl-C`)
    yield* Stream.runForEach(
      saves(folders),
      Effect.fnUntraced(function* () {
        const rows = yield* replayed(id)
        if (typeof rows === "string") return yield* Console.log(rows)
        if (isDeepStrictEqual(rows, last)) return yield* Console.log(`${id}: nothing changed`)
        yield* print(id, rows, last)
        last = rows
        const pages = pagesOf(rows["ok"])
        if (!shows || pages.length === 0) return
        // The one before has the port.
        if (scope !== undefined) yield* Scope.close(scope, Exit.void)
        scope = yield* Scope.fork(yield* Effect.scope)
        const isServed = yield* preview(id, port).pipe(Effect.provideService(Scope.Scope, scope))
        yield* Console.log(
          isServed
            ? `preview:\n${pages.map((page) => `  http://${host}:${port}${page}`).join("\n")}`
            : `no preview: the demo did not start; is port ${port} free? (--port)`
        )
      })
    )
  }, Effect.scoped)
).pipe(Command.withDescription("Replay a plugin's cases on each save, and show the network's page"))
