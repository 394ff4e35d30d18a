/**
 * Starts collector threads. This module imports only Node, so that the first thread can load its code while the main
 * thread loads its own.
 */
import { readdirSync } from "node:fs"
import { Worker } from "node:worker_threads"
import * as Heartbeat from "./Heartbeat.ts"
import { outsidePlugins } from "./outside.ts"
import type { ThreadData } from "./protocol.ts"

/** A thread that loads the plugins of a folder and then waits for the message to begin. */
export interface Thread {
  readonly worker: Worker
  readonly heartbeat: Heartbeat.Heartbeat
  readonly folder: URL
  /** The plugin folders, sorted, and then those from elsewhere. The position of a name, from 1, is its number in the heartbeat. */
  readonly names: ReadonlyArray<string>
  /** Resolves with the reason once the thread has ended or has sent an unreadable message. */
  readonly ended: Promise<string>
}

export interface Options {
  readonly folder: URL
  /** Milliseconds between two heartbeats. */
  readonly beat?: number
  /** Names to skip. */
  readonly skip?: ReadonlyArray<string>
  /** The only names to load. Default: all. */
  readonly only?: ReadonlyArray<string>
  /** Bytes of the largest body that the thread decodes. Default: `largeBody`. */
  readonly largest?: number
  /** Heap limit of the thread. A plugin that exceeds it ends the thread, not the process. */
  readonly heapMegabytes?: number
}

export const usualBeat = 1000

/** Decoding this many bytes takes a few milliseconds, in which no other plugin of the thread can go on. */
export const largeBody = 2 ** 20

export const start = ({
  beat = usualBeat,
  folder,
  heapMegabytes = 1024,
  largest = largeBody,
  only,
  skip = []
}: Options): Thread => {
  const own = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
  const names = [...own, ...outsidePlugins().map(({ id }) => id)]
  const heartbeat = Heartbeat.make(names.length)
  const others = only === undefined ? [] : names.filter((name) => !only.includes(name))
  const data: ThreadData = {
    heartbeat,
    beat,
    folder: folder.href,
    names,
    skip: [...skip, ...others],
    largest
  }
  const cacheFolder = process.env["NODE_COMPILE_CACHE"]
  const worker = new Worker(new URL("collector.thread.ts", import.meta.url), {
    name: "collector",
    workerData: data,
    // Plugins must not see the environment, which holds secrets.
    env: cacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: cacheFolder },
    // Bodies and rows are gone after a run: a young generation that grows to V8's 128 MiB would hold them for hours.
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 12 }
  })
  const ended = new Promise<string>((resolve) => {
    worker.on("messageerror", ({ message }) => resolve(`sent an unreadable message: ${message}`))
    worker.on("error", ({ message }) => resolve(`ended the thread: ${message}`))
    worker.on("exit", () => resolve("ended the thread"))
  })
  return { worker, heartbeat, folder, names, ended }
}

let early: Thread | undefined

/** Starts a thread before the service exists. It does not keep the process alive on its own. */
export const startEarly = (folder: URL): void => {
  early = start({ folder })
  early.worker.unref()
}

/** Returns the thread that was started early for this folder, once. */
export const takeEarly = (folder: URL): Thread | undefined => {
  if (early?.folder.href !== folder.href) return undefined
  const thread = early
  early = undefined
  thread.worker.ref()
  return thread
}
