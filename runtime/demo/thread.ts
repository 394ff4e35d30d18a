/**
 * Starts the demo's thread. This module imports only Node, so that the thread can load its code while the main thread
 * loads its own.
 */
import { Worker } from "node:worker_threads"
import type { ThreadData } from "./protocol.ts"

export interface Options {
  /** There is no database yet, so the last readings will be those of the demo's start: they are made at once. */
  readonly isNew?: boolean
}

/** A thread that loads the plugins and then waits for the message to begin. */
export interface Thread {
  readonly worker: Worker
  /** Resolves with the error that ended the thread. */
  readonly failed: Promise<Error>
}

export const start = ({ isNew = false }: Options = {}): Thread => {
  const worker = new Worker(new URL("demo.thread.ts", import.meta.url), {
    name: "demo",
    workerData: { isNew } satisfies ThreadData
  })
  return { worker, failed: new Promise((resolve) => worker.once("error", resolve)) }
}

let early: Thread | undefined

/** Starts a thread before the service exists. It does not keep the process alive on its own. */
export const startEarly = (options: Options = {}): void => {
  early = start(options)
  early.worker.unref()
}

/** Returns the thread that was started early, once. */
export const takeEarly = (): Thread | undefined => {
  const thread = early
  early = undefined
  thread?.worker.ref()
  return thread
}
