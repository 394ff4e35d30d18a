/** The sessions of one run: through its notary where that answers in time, and else direct. Never both with a request. */
import type { Agent } from "undici"
import { guarded } from "../../core/process/guarded.ts"
import type { Carrier } from "../upstream/Carrier.ts"
import type { Connector } from "../upstream/Egress.ts"
import type { OverSession } from "./disclose.ts"
import type { Notary } from "./drawing.ts"
import { NoTunnel, openTunnel, startTls, type Tunnel } from "./tunnel.ts"
import type { Rests, Waits } from "./Waits.ts"

/** What sessions are made with. */
export interface SessionParts {
  readonly notary: Notary
  readonly rests: Rests
  readonly waits: Waits
  /** Certificates to trust instead of the public ones, as PEM: only tests have any. */
  readonly ca: string | undefined
  readonly agentBy: (connect: (direct: Connector) => Connector, keepsAlive: boolean) => Agent
}

interface OpenSession {
  readonly host: string
  readonly isHidden: boolean
  readonly tunnel: Tunnel
}

type To = Parameters<Connector>[0]
type Done = Parameters<Connector>[1]

/** Milliseconds of real time: how long a notary takes has nothing to do with the clock by which runs are dated. */
const now = (): number => performance.now()

export class RunSessions implements Carrier {
  private readonly parts: SessionParts
  private readonly sessions: Array<OpenSession> = []
  private readonly withheld = new Set<string>()
  /** Hosts that see our own address. */
  private readonly direct = new Set<string>()
  private readonly keyless: Agent
  private readonly keyed: Agent

  constructor(parts: SessionParts) {
    this.parts = parts
    this.keyless = parts.agentBy((direct) => this.connector(direct, false), true)
    this.keyed = parts.agentBy((direct) => this.connector(direct, true), false)
  }

  agent(isKeyed: boolean): Agent {
    return isKeyed ? this.keyed : this.keyless
  }

  via(host: string): string | undefined {
    const { key } = this.parts.notary
    return this.direct.has(host) || !this.mayAsk(host) ? undefined : key.name
  }

  withhold(host: string): void {
    this.withheld.add(host)
  }

  /** Closes all connections. Returns the sessions that may be disclosed. */
  async end(): Promise<ReadonlyArray<OverSession>> {
    await Promise.all([this.keyless.destroy(), this.keyed.destroy()])
    await Promise.all(this.sessions.map(({ tunnel }) => tunnel.over))
    return this.sessions
      .filter(({ host }) => !this.withheld.has(host))
      .map(({ host, isHidden, tunnel }) => ({
        id: tunnel.id,
        host,
        isHidden,
        secrets: tunnel.secrets()
      }))
  }

  private mayAsk(host: string): boolean {
    const { notary, rests, waits } = this.parts
    return waits.left(now()) > 0 && rests.mayAsk(notary.key.name, host, now())
  }

  private connector(direct: Connector, isHidden: boolean): Connector {
    return (to, done) => {
      const isCarried = to.protocol === "https:" && (to.port || "443") === "443" && this.mayAsk(to.hostname)
      if (!isCarried) return this.connectDirect(direct, to, done)
      const connect = guarded(
        "a connection through a notary",
        async () => this.connectThrough(direct, to, done, isHidden),
        () => this.connectDirect(direct, to, done)
      )
      connect()
    }
  }

  private connectDirect(direct: Connector, to: To, done: Done): void {
    this.direct.add(to.hostname)
    direct(to, done)
  }

  /** Nothing of a request is sent before there is a connection, so going direct never asks the host twice. */
  private async connectThrough(direct: Connector, to: To, done: Done, isHidden: boolean): Promise<void> {
    const host = to.hostname
    const tunnel = await this.tunnelTo(host)
    if (tunnel === undefined) return this.connectDirect(direct, to, done)
    this.sessions.push({ host, isHidden, tunnel })
    done(null, tunnel.socket)
  }

  /** Undefined where the notary is not fit for it; it rests then, or it alone from this host. */
  private async tunnelTo(host: string): Promise<Tunnel | undefined> {
    const { ca, notary, rests, waits } = this.parts
    const signal = AbortSignal.timeout(Math.max(1, Math.ceil(waits.left(now()))))
    waits.begin(now())
    try {
      const tunnel = await openTunnel(notary, host, signal)
      return await startTls(tunnel, host, ca, signal)
    } catch (error) {
      if (error instanceof NoTunnel && error.of === "host") rests.restHost(notary.key.name, host, now())
      else rests.restNotary(notary.key.name, now())
      return undefined
    } finally {
      waits.end(now())
    }
  }
}
