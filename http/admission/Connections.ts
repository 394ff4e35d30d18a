/**
 * Bounds connections, by process and by network, so that clients never take the last descriptor. A connection is busy while
 * it has a request without its whole response. One that is not can be closed for another: first those that wait for their
 * next request, then those that never sent a whole one. What is busy is bounded by refusing calls, by their importance.
 *
 * While there is room, a request costs one assignment: who is busy is only counted when the bound is near.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { LRUCache } from "lru-cache"
import { guarded } from "../../core/process/guarded.ts"
import { networkOf, wideFactor, wideOf } from "../../core/process/network.ts"
import { kindOf, leastShare, mostPaymentsOfNetwork, pathOf, shares } from "./importance.ts"
import { isProbe } from "./paths.ts"

export interface Bounds {
  /** The most connections at a time. */
  readonly most: number
  /**
   * The most of one network (an IPv4 address, or the /64 around an IPv6 one); behind proxies, the most requests in progress of one. The
   * /16 or /32 around it may have a few times as many (`wideFactor`), unless the network is known.
   */
  readonly mostOfNetwork: number
  /** The share of all connections that is kept for known networks; none without it. */
  readonly keptForKnown?: number
}

/** Why a connection was closed or a call refused. */
export type Reason = "idle" | "silent" | "network" | "full"

export interface Connections {
  /** Takes a new connection, or refuses it. */
  readonly connected: (socket: Socket) => void
  /** Notes that a connection has a request; false if the connection was refused, and the request is to be dropped. */
  readonly begun: (request: IncomingMessage, response: ServerResponse) => boolean
  /** True while a response is being sent over the connection. */
  readonly isAnswering: (socket: Duplex) => boolean
  /** Why a request that has begun is refused; undefined if it is not. */
  readonly refusal: (request: IncomingMessage) => Reason | undefined
  /** Notes that the network of a connection has proved who it is: it has a share that strangers cannot take. */
  readonly known: (socket: Duplex) => void
  /** Notes that a connection carries something else from now on, and is busy until it closes. */
  readonly carries: (socket: Duplex) => void
  /** Closes some of the connections that are not busy: the process has run out of descriptors before the bound. */
  readonly starved: () => void
}

interface Connection {
  readonly socket: Socket
  /** Those of its network, and of the wide one around it. */
  readonly groups: ReadonlyArray<Set<Connection>>
  /** Its newest request and response; a pipelined one ends last. */
  request: IncomingMessage | undefined
  response: ServerResponse | undefined
  isCarrying: boolean
}

/** How many networks that have proved who they are are remembered, those that did last. */
const mostKnown = 1000

/** From this share of the most connections on, idle ones are closed for every new one. */
const nearlyFull = 0.9

/** What is counted or closed at a time: one pass over all connections then serves many calls. */
const portion = 0.02

const isBusy = ({ isCarrying, response }: Connection): boolean =>
  isCarrying || (response !== undefined && !response.writableFinished && !response.destroyed)

const isSilent = ({ isCarrying, response }: Connection): boolean => !isCarrying && response === undefined

const isIdle = (connection: Connection): boolean => !isSilent(connection) && !isBusy(connection)

/**
 * `bounds` are those of the moment. `clientOf` is the network of the client, behind our proxies; undefined if there are none, and a
 * connection is a client's own. `refuse` tells a client why and closes; `count` counts what was closed or refused; `knows` is true
 * for a key that was identified lately.
 */
export const makeConnections = (
  bounds: () => Bounds,
  clientOf: ((request: IncomingMessage) => string) | undefined,
  refuse: (socket: Socket) => void,
  count: (reason: Reason) => void,
  knows: (key: string) => boolean = () => false
): Connections => {
  const networkOfRequest = (request: IncomingMessage): string =>
    networkOf(clientOf === undefined ? (request.socket.remoteAddress ?? "") : clientOf(request))

  const all = new Map<Duplex, Connection>()
  /** By network, and by wide network. */
  const groups = new Map<string, Set<Connection>>()
  const knownNetworks = new LRUCache<string, true>({ max: mostKnown })
  const atOnce = () => Math.max(1, Math.floor(bounds().most * portion))
  /** Connections and requests that came or went: what was counted holds until enough of them did. */
  let changes = 0
  let census = { at: Number.NEGATIVE_INFINITY, busy: 0, requests: new Map<string, number>() }
  const fruitlessAt = { idle: Number.NEGATIVE_INFINITY, silent: Number.NEGATIVE_INFINITY }

  /** Closes up to so many of these, the oldest first; whether there was one. */
  const letGo = (these: Iterable<Connection>, reason: "idle" | "silent", most: number): boolean => {
    let closed = 0
    const is = reason === "idle" ? isIdle : isSilent
    for (const connection of these) {
      if (!is(connection)) continue
      forget(connection)
      count(reason)
      if (reason === "idle") connection.socket.destroy()
      else refuse(connection.socket)
      if (++closed === most) break
    }
    return closed > 0
  }

  /** The same of all connections, unless nothing was found just now. */
  const makeRoom = (reason: "idle" | "silent"): void => {
    if (changes - fruitlessAt[reason] < atOnce()) return
    if (!letGo(all.values(), reason, atOnce())) fruitlessAt[reason] = changes
  }

  const forget = (connection: Connection): void => {
    if (!all.delete(connection.socket)) return
    changes++
    for (const members of connection.groups) members.delete(connection)
  }

  /** Who is busy now, or was a moment ago. */
  const looked = () => {
    if (changes - census.at < atOnce()) return census
    const requests = new Map<string, number>()
    let busy = 0
    for (const connection of all.values()) {
      if (!isBusy(connection)) continue
      busy++
      if (connection.request === undefined) continue
      const client = networkOfRequest(connection.request)
      for (const name of new Set([client, wideOf(client)])) requests.set(name, (requests.get(name) ?? 0) + 1)
    }
    census = { at: changes, busy, requests }
    return census
  }

  const turnAway = (socket: Socket, reason: Reason): void => {
    count(reason)
    refuse(socket)
  }

  return {
    connected: (socket) => {
      // Behind proxies, a connection is a proxy's.
      const network = clientOf === undefined ? networkOf(socket.remoteAddress ?? "") : undefined
      changes++
      const { keptForKnown = 0, most: mostOfAll, mostOfNetwork } = bounds()
      const isKnown = network !== undefined && knownNetworks.has(network)
      const most = isKnown ? mostOfAll : Math.floor(mostOfAll * (1 - keptForKnown))
      const named = [...new Set(network === undefined ? [] : [network, wideOf(network)])].map(
        (name, n) => [name, groups.get(name) ?? new Set<Connection>(), n === 0 ? 1 : wideFactor] as const
      )
      for (const [, members, factor] of named) {
        const isFull = members.size >= mostOfNetwork * factor && !(factor > 1 && isKnown)
        if (isFull && !letGo(members, "idle", 1) && !letGo(members, "silent", 1))
          return turnAway(socket, "network")
      }
      if (all.size >= most * nearlyFull) makeRoom("idle")
      if (all.size >= most) makeRoom("silent")
      if (all.size >= most) return turnAway(socket, "full")
      const connection: Connection = {
        socket,
        groups: named.map(([, members]) => members),
        request: undefined,
        response: undefined,
        isCarrying: false
      }
      all.set(socket, connection)
      for (const [name, members] of named) {
        members.add(connection)
        groups.set(name, members)
      }
      socket.once(
        "close",
        guarded("a closed connection", () => {
          forget(connection)
          for (const [name, members] of named)
            if (members.size === 0 && groups.get(name) === members) groups.delete(name)
        })
      )
    },
    begun: (request, response) => {
      const connection = all.get(request.socket)
      if (connection === undefined) return false
      connection.request = request
      connection.response = response
      changes++
      return true
    },
    isAnswering: (socket) => {
      const response = all.get(socket)?.response
      if (response === undefined || response.writableFinished) return false
      // A response without a socket waits for the one before it.
      return response.headersSent || response.socket === null
    },
    refusal: (request) => {
      const { most, mostOfNetwork } = bounds()
      // As many as are open are busy at most.
      if (all.size < most * leastShare) return undefined
      const { busy, requests } = looked()
      const client = networkOfRequest(request)
      const ofNetwork = requests.get(client) ?? 0
      const ofWide = requests.get(wideOf(client)) ?? 0
      const kind = kindOf(request, knows)
      const isOneOfMany =
        kind === "payments" && ofNetwork > mostPaymentsOfNetwork && !isProbe(pathOf(request.url ?? "/"))
      if (busy > most * shares[isOneOfMany ? "keyless" : kind]) {
        count("full")
        return "full"
      }
      const isWithin = ofNetwork <= mostOfNetwork && ofWide <= mostOfNetwork * wideFactor
      if (clientOf === undefined || isWithin || isProbe(pathOf(request.url ?? "/"))) return undefined
      count("network")
      return "network"
    },
    known: (socket) => {
      if (clientOf === undefined && "remoteAddress" in socket)
        knownNetworks.set(networkOf(String(socket.remoteAddress)), true)
    },
    carries: (socket) => {
      const connection = all.get(socket)
      if (connection !== undefined) connection.isCarrying = true
    },
    starved: () => {
      letGo(all.values(), "idle", atOnce())
      letGo(all.values(), "silent", atOnce())
    }
  }
}
