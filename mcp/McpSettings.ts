/** The settings of the MCP room, which `runtime` provides. */
import { Context, type Effect, type Redacted } from "effect"

/** Who sent a request. */
export interface Sender {
  readonly key: Redacted.Redacted | undefined
  /** The originating network, by which starter credits and calls without a key are counted. */
  readonly network: string
}

/**
 * Does work once it is the caller's turn; gives `crowded` if too many of its network wait. What `spends` its time with others (sales)
 * waits for its turn and keeps nobody else from theirs.
 */
export type InTurn = <A>(
  work: Effect.Effect<A>,
  spends: "alone" | "with others",
  crowded: () => A
) => Effect.Effect<A>

export class McpSettings extends Context.Service<
  McpSettings,
  {
    /** The public URL of the service, without a trailing slash; never taken from a request. */
    readonly baseUrl: string
    /** Origins of web pages that may call `/mcp` (`MCP_ORIGINS`), in addition to that of `baseUrl`. */
    readonly origins: ReadonlyArray<string>
    /** The operator's public Ed25519 key for the registry of MCP servers (`MCP_REGISTRY_KEY`), base64; undefined without one. */
    readonly registryKey: string | undefined
    /** The originating network of a request. */
    readonly networkOf: (source: object) => string
    /** Counts calls in addition to the request itself; returns the seconds to wait if there are too many. */
    readonly count: (sender: Sender, path: string, calls: number) => Effect.Effect<number | undefined>
    /** How the current request does its work: in its turn among all callers. */
    readonly inTurn: Effect.Effect<InTurn>
  }
>()("mcp/McpSettings") {}

/** Where the registry of MCP servers looks for the proof that a domain is the operator's. */
export const registryProofPath = "/.well-known/mcp-registry-auth"

/** That proof, with the public key of the operator, base64. */
export const registryProof = (key: string): string => `v=MCPv1; k=ed25519; p=${key}\n`
