/** Lists of modules that chains of the Cosmos SDK have beside staking, with the REST gateway of each chain. */

export interface List {
  readonly symbol: string
  readonly metric: Metric
  /** Host and path, without the scheme. */
  readonly url: string
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

const dymension = "api.dymension.nodestake.org/dymensionxyz/dymension"
const regen = "regen-mainnet-lcd.autostake.com/regen/ecocredit/v1"

export const lists: ReadonlyArray<List> = [
  {
    symbol: "ARKEO",
    metric: "service_offers",
    url: "rest-seed.arkeo.network/arkeo/providers",
    member: "provider"
  },
  {
    symbol: "ARKEO",
    metric: "service_contracts",
    url: "rest-seed.arkeo.network/arkeo/contracts",
    member: "contract"
  },
  {
    symbol: "BAND",
    metric: "data_tunnels",
    url: "laozi1.bandchain.org/api/tunnel/v1beta1/tunnels",
    member: "tunnels"
  },
  { symbol: "DYM", metric: "rollapps_registered", url: `${dymension}/rollapp/rollapp`, member: "rollapp" },
  {
    symbol: "DYM",
    metric: "sequencers_registered",
    url: `${dymension}/sequencer/sequencers`,
    member: "sequencers"
  },
  {
    symbol: "KYVE",
    metric: "data_pools",
    url: "api.kyve.network/kyve/query/v1beta1/pools",
    member: "pools"
  },
  {
    symbol: "LAVA",
    metric: "subscriptions_active",
    url: "lava.rest.lava.build/lavanet/lava/subscription/list",
    member: "subs_info"
  },
  {
    symbol: "LORE",
    metric: "storage_providers_registered",
    url: "rest.lavenderfive.com/gitopia/gitopia/gitopia/storage/providers",
    member: "providers"
  },
  {
    symbol: "LUME",
    metric: "supernodes_registered",
    url: "lcd.lumera.io/LumeraProtocol/lumera/supernode/v1/list_super_nodes",
    member: "supernodes"
  },
  { symbol: "REGEN", metric: "credit_classes", url: `${regen}/classes`, member: "classes" },
  { symbol: "REGEN", metric: "credit_projects", url: `${regen}/projects`, member: "projects" },
  { symbol: "REGEN", metric: "credit_batches", url: `${regen}/batches`, member: "batches" },
  {
    symbol: "SEDA",
    metric: "oracle_programs",
    url: "lcd.mainnet.seda.xyz/seda-chain/wasm-storage/oracle_programs",
    member: "list"
  }
]
