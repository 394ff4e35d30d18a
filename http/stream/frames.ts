/**
 * What a stream says about itself (server-sent events, as the HTML standard has them). Only events of the feed have an `id`
 * together with data; these have none, so a client that reconnects goes on after the last event it got.
 */
import type { AccessNote } from "../../core/wire/data/access.ts"

const frame = (event: string, data: object): Uint8Array =>
  Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

/** How long a client waits before it reconnects, in milliseconds. */
const retry = 3000

/** The first thing that a client gets. */
export const opened = (data: {
  readonly after: number
  readonly oldest_id: number
  readonly newest_id: number
  readonly access: AccessNote
}): Uint8Array => Buffer.concat([Buffer.from(`retry: ${retry}\n`), frame("open", data)])

/** Events were asked for that are not kept: which, and where all of it is. */
export const gap = ({ from, to }: { readonly from: number; readonly to: number }): Uint8Array =>
  frame("gap", {
    from,
    to,
    message:
      "These events are not kept, or do not exist. Read the values you follow again (/v1/network/{symbol}, /v1/revisions, " +
      "/v1/incidents, /v1/attestations); the stream goes on with the next event."
  })

const reasons = {
  slow: "You read more slowly than events come, so nothing more is sent to you.",
  age: "A stream ends after an hour, so that it never outlives the access of its key.",
  stopping: "This process is stopping.",
  failed: "Earlier events could not be read. The error was logged."
} as const
export type Reason = keyof typeof reasons

/** The last thing that a client gets. `wait` is how long it should wait, in milliseconds. */
export const closed = (reason: Reason, resumeAfter: number, wait: number): Uint8Array =>
  Buffer.concat([
    Buffer.from(`retry: ${wait}\n`),
    frame("close", {
      reason,
      resume_after: resumeAfter,
      message: `${reasons[reason]} Connect again with Last-Event-ID: ${resumeAfter}.`
    })
  ])

/**
 * Keeps the connection alive, and moves the client's `Last-Event-ID` on although nothing was sent: a block of an id
 * without data is no event.
 */
export const heartbeat = (id: number): Uint8Array => Buffer.from(`: heartbeat\nid: ${id}\n\n`)

/** The same for a client that has not got everything up to now. */
export const bareHeartbeat: Uint8Array = Buffer.from(": heartbeat\n\n")
