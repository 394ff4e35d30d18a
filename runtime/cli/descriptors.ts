/**
 * How many descriptors (files, sockets, pipes) the process may have, and how many of them connections of clients may take.
 * This module imports only Node: it is asked before the service's code is loaded.
 */
import { readFileSync } from "node:fs"

/** What the service needs for itself: 160 files of an embedded database, some forty of threads, and upstreams. */
const own = 320

/** With fewer connections than this, a service would refuse more than it answers. */
const leastConnections = 32

/** Where a system has no limit, or does not tell it. */
const usual = 4096

const readLimit = (): number => {
  try {
    const openFiles = /^Max open files\s+(\d+|unlimited)/m.exec(
      readFileSync("/proc/self/limits", "latin1")
    )?.[1]
    return openFiles === undefined || openFiles === "unlimited" ? usual : Number(openFiles)
  } catch {
    return usual
  }
}

/** The limit of this process. Node has already raised it as far as the system allows, and each request asks for it. */
const limit = readLimit()

/** The most connections that leave the service what it needs. */
export const roomForConnections = (): number => limit - own

/** Why the process cannot serve with so few descriptors, in one line; undefined if it can. */
export const tooFewDescriptors = (): string | undefined =>
  roomForConnections() >= leastConnections
    ? undefined
    : `this process may open only ${limit} files and sockets, and the service needs at least ${own + leastConnections}; ` +
      "raise the limit: ulimit -n 65536 in the shell, LimitNOFILE= of a systemd unit, or nofile under ulimits of a container"
