/** Chains of the Cosmos SDK whose staking module is read, with RPC and REST gateways of each (`cosmos/chain-registry`, which lists no RPC of some at the usual port). */
import type { StakingNetwork } from "#plugin/cosmosStaking"

export const chains: ReadonlyArray<StakingNetwork> = [
  {
    symbol: "AIOZ",
    id: "aioz_168-1",
    rpc: ["rpc-dataseed.aioz.network"],
    gateways: ["lcd-dataseed.aioz.network"],
    bond: { denom: "attoaioz", decimals: 18 }
  },
  {
    symbol: "ALLO",
    id: "allora-mainnet-1",
    rpc: ["allora-rpc.mainnet.allora.network", "allora-rpc.polkachu.com"],
    gateways: ["allora-api.mainnet.allora.network", "allora-api.polkachu.com"],
    bond: { denom: "uallo", decimals: 18 }
  },
  {
    symbol: "ALTHEA",
    id: "althea_258432-1",
    rpc: ["rpc.althea.citizenweb3.com", "althea-rpc.polkachu.com"],
    gateways: ["api.althea.citizenweb3.com", "althea-api.polkachu.com"],
    bond: { denom: "aalthea", decimals: 18 }
  },
  {
    symbol: "ANDR",
    id: "andromeda-1",
    rpc: ["andromeda.rpc.kjnodes.com", "rpc.lavenderfive.com/andromeda"],
    gateways: ["andromeda.api.kjnodes.com", "rest.lavenderfive.com/andromeda"],
    bond: { denom: "uandr", decimals: 6 }
  },
  {
    symbol: "ARCH",
    id: "archway-1",
    rpc: ["rpc.mainnet.archway.io", "archway-rpc.polkachu.com"],
    gateways: ["api.mainnet.archway.io", "archway-api.polkachu.com"],
    bond: { denom: "aarch", decimals: 18 }
  },
  {
    symbol: "ARKEO",
    id: "arkeo-main-v1",
    rpc: ["rpc-seed.arkeo.network", "arkeo-rpc.polkachu.com"],
    gateways: ["rest-seed.arkeo.network", "arkeo-api.polkachu.com"],
    bond: { denom: "uarkeo", decimals: 8 }
  },
  {
    symbol: "AXONE",
    id: "axone-1",
    rpc: ["axone-rpc.highstakes.ch", "rpc.axone.nodestake.org"],
    gateways: ["axone-api.highstakes.ch", "api.axone.nodestake.org"],
    bond: { denom: "uaxone", decimals: 6 }
  },
  {
    symbol: "BAND",
    id: "laozi-mainnet",
    rpc: ["band-rpc.polkachu.com", "band.ibs.team/rpc"],
    gateways: ["laozi1.bandchain.org/api", "band-api.polkachu.com"],
    bond: { denom: "uband", decimals: 6 }
  },
  {
    symbol: "BLZ",
    id: "bluzelle-9",
    rpc: [],
    gateways: ["bluzelle-api.genznodes.dev"],
    bond: { denom: "ubnt", decimals: 6 }
  },
  {
    symbol: "BTSG",
    id: "bitsong-2b",
    rpc: ["rpc.explorebitsong.com", "bitsong-rpc.polkachu.com"],
    gateways: ["lcd.explorebitsong.com", "bitsong-api.polkachu.com"],
    bond: { denom: "ubtsg", decimals: 6 }
  },
  {
    symbol: "C4E",
    id: "perun-1",
    rpc: ["rpc.c4e.io", "chain4energy-rpc.polkachu.com"],
    gateways: ["lcd.c4e.io", "chain4energy-api.polkachu.com"],
    bond: { denom: "uc4e", decimals: 6 }
  },
  {
    symbol: "CHEQ",
    id: "cheqd-mainnet-1",
    rpc: ["rpc.cheqd.net", "cheqd-rpc.publicnode.com"],
    gateways: ["api.cheqd.net", "cheqd-rest.publicnode.com"],
    bond: { denom: "ncheq", decimals: 9 }
  },
  {
    symbol: "CYS",
    id: "cysicmint_4399-1",
    rpc: ["rpc.cysic.xyz", "rpc.cysic.nodestake.org"],
    gateways: ["rest.cysic.xyz", "api.cysic.nodestake.org"]
  },
  {
    symbol: "DEC",
    id: "mainnet-3",
    rpc: ["poseidon.mainnet.decentr.xyz", "decentr-rpc.polkachu.com"],
    gateways: ["rest.mainnet.decentr.xyz", "decentr-api.polkachu.com"],
    bond: { denom: "udec", decimals: 6 }
  },
  {
    symbol: "DYM",
    id: "dymension_1100-1",
    rpc: ["rpc.dymension.nodestake.org", "dymension-rpc.publicnode.com"],
    gateways: ["api.dymension.nodestake.org", "dymension-rest.publicnode.com"],
    bond: { denom: "adym", decimals: 18 }
  },
  {
    symbol: "FCT",
    id: "colosseum-1",
    rpc: ["firma.rpc.m.stavr.tech", "firmachain-rpc.polkachu.com"],
    gateways: ["firma.api.m.stavr.tech", "firmachain-api.polkachu.com"],
    bond: { denom: "ufct", decimals: 6 }
  },
  {
    symbol: "FET",
    id: "fetchhub-4",
    rpc: ["rpc-fetchhub.fetch.ai", "fetch-rpc.publicnode.com"],
    gateways: ["rest-fetchhub.fetch.ai", "fetch-rest.publicnode.com"],
    bond: { denom: "afet", decimals: 18 }
  },
  {
    symbol: "IXO",
    id: "ixo-5",
    rpc: ["impacthub.ixo.world/rpc", "rpc.lavenderfive.com/impacthub"],
    gateways: ["impacthub.ixo.world/rest", "rest.lavenderfive.com/impacthub"],
    bond: { denom: "uixo", decimals: 6 }
  },
  {
    symbol: "KYVE",
    id: "kyve-1",
    rpc: ["rpc.kyve.network", "kyve-rpc.polkachu.com"],
    gateways: ["api.kyve.network", "kyve-api.polkachu.com"],
    bond: { denom: "ukyve", decimals: 6 }
  },
  {
    symbol: "LAVA",
    id: "lava-mainnet-1",
    rpc: ["lava-rpc.publicnode.com", "lava-rpc.polkachu.com"],
    gateways: ["lava-rest.publicnode.com", "lava-api.polkachu.com"],
    bond: { denom: "ulava", decimals: 6 }
  },
  {
    symbol: "LORE",
    id: "gitopia",
    rpc: ["rpc.lavenderfive.com/gitopia", "gitopia-rpc.polkachu.com"],
    gateways: ["rest.lavenderfive.com/gitopia", "gitopia-api.polkachu.com"],
    bond: { denom: "ulore", decimals: 6 }
  },
  {
    symbol: "LUME",
    id: "lumera-mainnet-1",
    rpc: ["rpc.lumera.io", "lumera-rpc.polkachu.com"],
    gateways: ["lcd.lumera.io", "lumera-api.polkachu.com"],
    bond: { denom: "ulume", decimals: 6 }
  },
  {
    symbol: "MANTRA",
    id: "mantra-1",
    rpc: ["rpc.mantrachain.io", "mantra-rpc.polkachu.com"],
    gateways: ["api.mantrachain.io", "mantra-api.polkachu.com"],
    bond: { denom: "amantra", decimals: 18 }
  },
  {
    symbol: "MED",
    id: "panacea-3",
    rpc: ["rpc.gopanacea.org", "panacea-rpc.staketab.org"],
    gateways: ["api.gopanacea.org", "panacea-rest.staketab.org"],
    bond: { denom: "umed", decimals: 6 }
  },
  {
    symbol: "MPWR",
    id: "empowerchain-1",
    rpc: ["empower-rpc.w3coins.io", "empower-rpc.polkachu.com"],
    gateways: ["empower-api.w3coins.io", "empower-api.polkachu.com"],
    bond: { denom: "umpwr", decimals: 6 }
  },
  {
    symbol: "NYM",
    id: "nyx",
    rpc: ["rpc.nymtech.net", "nym-rpc.polkachu.com"],
    gateways: ["api.nymtech.net", "nym-api.polkachu.com"]
  },
  {
    symbol: "ORAI",
    id: "Oraichain",
    rpc: ["rpc-orai.blockval.io", "oraichain-rpc.publicnode.com"],
    gateways: ["api-orai.blockval.io", "oraichain-rest.publicnode.com"],
    bond: { denom: "orai", decimals: 6 }
  },
  {
    symbol: "PUNDIX",
    id: "PUNDIX",
    rpc: ["px-json.pundix.com"],
    gateways: ["px-rest.pundix.com"],
    bond: { denom: "ibc/55367B7B6572631B78A93C66EF9FDFCE87CDE372CC4ED7848DA78C1EB1DCDD78", decimals: 18 }
  },
  {
    symbol: "REGEN",
    id: "regen-1",
    rpc: ["regen-rpc.publicnode.com", "regen-rpc.polkachu.com"],
    gateways: ["regen-rest.publicnode.com", "regen-api.polkachu.com"],
    bond: { denom: "uregen", decimals: 6 }
  },
  {
    symbol: "SEDA",
    id: "seda-1",
    rpc: ["rpc.mainnet.seda.xyz", "seda-rpc.polkachu.com"],
    gateways: ["lcd.mainnet.seda.xyz", "seda-api.polkachu.com"],
    bond: { denom: "aseda", decimals: 18 }
  },
  {
    symbol: "SHR",
    id: "ShareRing-VoyagerNet",
    rpc: ["rpc.explorer.shareri.ng"],
    gateways: ["lcd.explorer.shareri.ng"],
    bond: { denom: "nshr", decimals: 9 }
  },
  {
    symbol: "SIDE",
    id: "sidechain-1",
    rpc: ["rpc.side.one", "side.publicnode.com"],
    gateways: ["rest.side.one", "side-rest.publicnode.com"],
    bond: { denom: "uside", decimals: 6 }
  },
  {
    symbol: "STOS",
    id: "stratos-1",
    rpc: ["rpc.thestratos.org", "rpc.stratos.nodestake.org"],
    gateways: ["rest.thestratos.org", "api.stratos.nodestake.org"],
    bond: { denom: "wei", decimals: 18 }
  },
  {
    symbol: "SYNT",
    id: "synternet-1",
    rpc: ["rpc.synternet.com"],
    gateways: ["api.synternet.com", "synternet-mainnet-api.shazoes.xyz"],
    bond: { denom: "usynt", decimals: 6 }
  },
  {
    symbol: "TIA",
    id: "celestia",
    rpc: ["public-celestia-rpc.numia.xyz", "celestia-rpc.publicnode.com"],
    gateways: ["public-celestia-lcd.numia.xyz", "celestia-rest.publicnode.com"],
    bond: { denom: "utia", decimals: 6 }
  },
  {
    symbol: "WARD",
    id: "warden_8765-1",
    rpc: ["rpc.wardenprotocol.org", "rpc.warden.cumulo.org.es"],
    gateways: ["api.wardenprotocol.org", "api.warden.cumulo.org.es"],
    bond: { denom: "award", decimals: 18 }
  }
]
