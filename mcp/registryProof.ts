/** How the registry of MCP servers is shown that a domain is the operator's. */

/** Where it looks. */
export const registryProofPath = "/.well-known/mcp-registry-auth"

/** What it has to find there, with the public key of the operator, base64. */
export const registryProof = (key: string): string => `v=MCPv1; k=ed25519; p=${key}\n`
