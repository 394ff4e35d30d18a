/** What a verifier reads of a proof at most: what is larger is refused before anything of it is hashed or decoded. */
export const bounds = {
  /** Characters of the document: nodes and codes are hex in it. */
  text: 16 * 1024 * 1024,
  /** Bytes of all nodes together, and of all codes. */
  bytes: 8 * 1024 * 1024,
  nodes: 40_000,
  /** Bytes of one node, code or value. */
  node: 256 * 1024,
  header: 1024 * 1024,
  codes: 256,
  claims: 10_000,
  /** Bytes of a key: tries of chains have shorter ones, and each step of a key is a node to be read. */
  key: 512,
  /** How often nodes are read, for all claims together. */
  steps: 100_000
} as const
