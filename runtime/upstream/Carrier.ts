import type { Agent } from "undici"

/** What carries the requests of one run to their hosts, instead of the sockets that all runs share: its notary, or else a socket of ours. */
export interface Carrier {
  /** The agent of a host's requests. A host with a key gets a connection for each request, which is then the only one in its session. */
  readonly agent: (isKeyed: boolean) => Agent
  /** From whose address the host sees the run: the name of a notary, or undefined for ours. */
  readonly via: (host: string) => string | undefined
  /** Never discloses a session of the run with this host: an answer repeats a key. */
  readonly withhold: (host: string) => void
}
