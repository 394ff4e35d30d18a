/** Public nodes of EVM chains that answer without a key, as ethereum-lists/chains lists them; the first is asked first. */
export const evmNodes = {
  arbitrum: ["https://arbitrum-one-rpc.publicnode.com/", "https://arb1.arbitrum.io/rpc"],
  base: ["https://base-rpc.publicnode.com/", "https://mainnet.base.org/"],
  bsc: ["https://bsc-rpc.publicnode.com/", "https://bsc-dataseed1.binance.org/"],
  ethereum: ["https://ethereum-rpc.publicnode.com/", "https://mainnet.gateway.tenderly.co/"],
  gnosis: ["https://gnosis-rpc.publicnode.com/", "https://rpc.gnosischain.com/"],
  polygon: ["https://polygon-bor-rpc.publicnode.com/", "https://polygon.gateway.tenderly.co/"]
} as const

/** The numbers that these chains have for themselves (EIP-155). */
export const chainIds: Readonly<Record<keyof typeof evmNodes, number>> = {
  arbitrum: 42161,
  base: 8453,
  bsc: 56,
  ethereum: 1,
  gnosis: 100,
  polygon: 137
}

/** Hosts whose operators count a proof in a batch as too many requests, by their recorded answers: they are asked for values alone. */
export const asksForNoProofs: ReadonlySet<string> = new Set(
  evmNodes.bsc.map((address) => new URL(address).host)
)

/** The hosts of these chains, for a manifest. */
export const evmHosts = (chains: ReadonlyArray<keyof typeof evmNodes>): ReadonlyArray<string> => [
  ...new Set(chains.flatMap((chain) => evmNodes[chain].map((address) => new URL(address).host)))
]
