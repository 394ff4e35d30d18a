/** Lists of modules that chains of the Cosmos SDK have beside staking, with REST gateways of each chain. */

export interface List {
  readonly symbol: keyof typeof gateways
  readonly metric: Metric
  /** Without the gateway, with which it begins. */
  readonly path: string
  /** The member of the answer that holds the list. */
  readonly member: string
}

export type Metric =
  | "service_offers"
  | "service_contracts"
  | "data_pools"
  | "storage_providers_registered"
  | "supernodes_registered"
  | "credit_classes"
  | "credit_projects"
  | "credit_batches"
  | "data_tunnels"
  | "rollapps_registered"
  | "sequencers_registered"
  | "subscriptions_active"
  | "oracle_programs"

/** Hosts and paths of each chain's gateways by different operators, without the scheme (`cosmos/chain-registry`). */
export const gateways = {
  ARKEO: ["rest-seed.arkeo.network", "arkeo-api.polkachu.com"],
  BAND: ["laozi1.bandchain.org/api", "band-api.polkachu.com"],
  DYM: ["api.dymension.nodestake.org", "dymension-rest.publicnode.com"],
  KYVE: ["api.kyve.network", "kyve-api.polkachu.com"],
  LAVA: ["lava-rest.publicnode.com", "lava-api.polkachu.com"],
  LORE: ["rest.lavenderfive.com/gitopia", "gitopia-api.polkachu.com"],
  LUME: ["lcd.lumera.io", "lumera-api.polkachu.com"],
  NYM: ["api.nymtech.net", "nym-api.polkachu.com"],
  REGEN: ["regen-rest.publicnode.com", "regen-api.polkachu.com"],
  SEDA: ["lcd.mainnet.seda.xyz", "seda-api.polkachu.com"]
} as const

const dymension = "/dymensionxyz/dymension"
const regen = "/regen/ecocredit/v1"

export const lists: ReadonlyArray<List> = [
  { symbol: "ARKEO", metric: "service_offers", path: "/arkeo/providers", member: "provider" },
  { symbol: "ARKEO", metric: "service_contracts", path: "/arkeo/contracts", member: "contract" },
  { symbol: "BAND", metric: "data_tunnels", path: "/tunnel/v1beta1/tunnels", member: "tunnels" },
  { symbol: "DYM", metric: "rollapps_registered", path: `${dymension}/rollapp/rollapp`, member: "rollapp" },
  {
    symbol: "DYM",
    metric: "sequencers_registered",
    path: `${dymension}/sequencer/sequencers`,
    member: "sequencers"
  },
  { symbol: "KYVE", metric: "data_pools", path: "/kyve/query/v1beta1/pools", member: "pools" },
  {
    symbol: "LAVA",
    metric: "subscriptions_active",
    path: "/lavanet/lava/subscription/list",
    member: "subs_info"
  },
  {
    symbol: "LORE",
    metric: "storage_providers_registered",
    path: "/gitopia/gitopia/storage/providers",
    member: "providers"
  },
  {
    symbol: "LUME",
    metric: "supernodes_registered",
    path: "/LumeraProtocol/lumera/supernode/v1/list_super_nodes",
    member: "supernodes"
  },
  { symbol: "REGEN", metric: "credit_classes", path: `${regen}/classes`, member: "classes" },
  { symbol: "REGEN", metric: "credit_projects", path: `${regen}/projects`, member: "projects" },
  { symbol: "REGEN", metric: "credit_batches", path: `${regen}/batches`, member: "batches" },
  {
    symbol: "SEDA",
    metric: "oracle_programs",
    path: "/seda-chain/wasm-storage/oracle_programs",
    member: "list"
  }
]
