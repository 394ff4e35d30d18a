/**
 * Starts collector threads. Nothing but Node is imported here: the first thread of a service reads its code while the
 * main thread reads its own.
 */
import { readdirSync } from "node:fs"
import { Worker } from "node:worker_threads"
import * as Heartbeat from "./Heartbeat.ts"
import type { ThreadData } from "./protocol.ts"

/** A thread that loads the plugins of a folder, and then waits to be told to begin. */
export interface Thread {
  readonly worker: Worker
  readonly heartbeat: Heartbeat.Heartbeat
  readonly folder: URL
  /** The folders that it was given, sorted; the place of a name is its number in the heartbeat, from 1. */
  readonly names: ReadonlyArray<string>
  /** Resolved with the reason once the thread has ended, or has said what cannot be read. */
  readonly ended: Promise<string>
}

export interface Options {
  readonly folder: URL
  /** Milliseconds between two heartbeats. */
  readonly beat?: number
  /** Names that are not loaded. */
  readonly skip?: ReadonlyArray<string>
  /** Heap of the thread: a plugin that fills it ends the thread and not the process. */
  readonly heapMegabytes?: number
}

export const usualBeat = 1000

export const start = ({ beat = usualBeat, folder, heapMegabytes = 1024, skip = [] }: Options): Thread => {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
  const heartbeat = Heartbeat.make(names.length)
  const data: ThreadData = { heartbeat, beat, folder: folder.href, names, skip }
  const kept = process.env["NODE_COMPILE_CACHE"]
  const worker = new Worker(new URL("collector.thread.ts", import.meta.url), {
    name: "collector",
    workerData: data,
    // Plugins have no business with the environment, which holds secrets.
    env: kept === undefined ? {} : { NODE_COMPILE_CACHE: kept },
    // Bodies and rows are gone after a run: a young generation that grows to V8's 128 MiB would hold them for hours.
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 12 }
  })
  const ended = new Promise<string>((resolve) => {
    worker.on("messageerror", ({ message }) => resolve(`sent what cannot be read: ${message}`))
    worker.on("error", ({ message }) => resolve(`ended the thread: ${message}`))
    worker.on("exit", () => resolve("ended the thread"))
  })
  return { worker, heartbeat, folder, names, ended }
}

let early: Thread | undefined

/** Starts a thread before there is a service; it keeps no process alive that does not come to one. */
export const startEarly = (folder: URL): void => {
  early = start({ folder })
  early.worker.unref()
}

/** The thread that was started early over this folder; once. */
export const takeEarly = (folder: URL): Thread | undefined => {
  if (early?.folder.href !== folder.href) return undefined
  const taken = early
  early = undefined
  taken.worker.ref()
  return taken
}
