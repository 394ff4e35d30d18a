/** Chains of the Cosmos SDK whose staking module is read, with REST gateways of each (`cosmos/chain-registry`). */

export interface Chain {
  readonly symbol: string
  /** Hosts and paths of gateways by different operators, without the scheme; the registry lists one of some chains. */
  readonly gateways: ReadonlyArray<string>
  /** The token that is bonded; absent where it is another than the one of the symbol. */
  readonly bond?: { readonly denom: string; readonly decimals: number }
}

export const chains: ReadonlyArray<Chain> = [
  { symbol: "AIOZ", gateways: ["lcd-dataseed.aioz.network"], bond: { denom: "attoaioz", decimals: 18 } },
  {
    symbol: "ALLO",
    gateways: ["allora-api.mainnet.allora.network", "allora-api.polkachu.com"],
    bond: { denom: "uallo", decimals: 18 }
  },
  {
    symbol: "ALTHEA",
    gateways: ["api.althea.citizenweb3.com", "althea-api.polkachu.com"],
    bond: { denom: "aalthea", decimals: 18 }
  },
  {
    symbol: "ANDR",
    gateways: ["andromeda.api.kjnodes.com", "rest.lavenderfive.com/andromeda"],
    bond: { denom: "uandr", decimals: 6 }
  },
  {
    symbol: "ARCH",
    gateways: ["api.mainnet.archway.io", "archway-api.polkachu.com"],
    bond: { denom: "aarch", decimals: 18 }
  },
  {
    symbol: "ARKEO",
    gateways: ["rest-seed.arkeo.network", "arkeo-api.polkachu.com"],
    bond: { denom: "uarkeo", decimals: 8 }
  },
  {
    symbol: "AXONE",
    gateways: ["axone-api.highstakes.ch", "api.axone.nodestake.org"],
    bond: { denom: "uaxone", decimals: 6 }
  },
  {
    symbol: "BAND",
    gateways: ["laozi1.bandchain.org/api", "band-api.polkachu.com"],
    bond: { denom: "uband", decimals: 6 }
  },
  {
    symbol: "BLZ",
    gateways: ["bluzelle-api.genznodes.dev"],
    bond: { denom: "ubnt", decimals: 6 }
  },
  {
    symbol: "BTSG",
    gateways: ["lcd.explorebitsong.com", "bitsong-api.polkachu.com"],
    bond: { denom: "ubtsg", decimals: 6 }
  },
  {
    symbol: "C4E",
    gateways: ["lcd.c4e.io", "chain4energy-api.polkachu.com"],
    bond: { denom: "uc4e", decimals: 6 }
  },
  {
    symbol: "CHEQ",
    gateways: ["api.cheqd.net", "cheqd-rest.publicnode.com"],
    bond: { denom: "ncheq", decimals: 9 }
  },
  { symbol: "CYS", gateways: ["rest.cysic.xyz", "api.cysic.nodestake.org"] },
  {
    symbol: "DEC",
    gateways: ["rest.mainnet.decentr.xyz", "decentr-api.polkachu.com"],
    bond: { denom: "udec", decimals: 6 }
  },
  {
    symbol: "DYM",
    gateways: ["api.dymension.nodestake.org", "dymension-rest.publicnode.com"],
    bond: { denom: "adym", decimals: 18 }
  },
  {
    symbol: "FCT",
    gateways: ["firma.api.m.stavr.tech", "firmachain-api.polkachu.com"],
    bond: { denom: "ufct", decimals: 6 }
  },
  {
    symbol: "FET",
    gateways: ["rest-fetchhub.fetch.ai", "fetch-rest.publicnode.com"],
    bond: { denom: "afet", decimals: 18 }
  },
  {
    symbol: "IXO",
    gateways: ["impacthub.ixo.world/rest", "rest.lavenderfive.com/impacthub"],
    bond: { denom: "uixo", decimals: 6 }
  },
  {
    symbol: "KYVE",
    gateways: ["api.kyve.network", "kyve-api.polkachu.com"],
    bond: { denom: "ukyve", decimals: 6 }
  },
  {
    symbol: "LAVA",
    gateways: ["lava-rest.publicnode.com", "lava-api.polkachu.com"],
    bond: { denom: "ulava", decimals: 6 }
  },
  {
    symbol: "LORE",
    gateways: ["rest.lavenderfive.com/gitopia", "gitopia-api.polkachu.com"],
    bond: { denom: "ulore", decimals: 6 }
  },
  {
    symbol: "LUME",
    gateways: ["lcd.lumera.io", "lumera-api.polkachu.com"],
    bond: { denom: "ulume", decimals: 6 }
  },
  {
    symbol: "MANTRA",
    gateways: ["api.mantrachain.io", "mantra-api.polkachu.com"],
    bond: { denom: "amantra", decimals: 18 }
  },
  {
    symbol: "MED",
    gateways: ["api.gopanacea.org", "panacea-rest.staketab.org"],
    bond: { denom: "umed", decimals: 6 }
  },
  {
    symbol: "MPWR",
    gateways: ["empower-api.w3coins.io", "empower-api.polkachu.com"],
    bond: { denom: "umpwr", decimals: 6 }
  },
  { symbol: "NYM", gateways: ["api.nymtech.net", "nym-api.polkachu.com"] },
  {
    symbol: "ORAI",
    gateways: ["api-orai.blockval.io", "oraichain-rest.publicnode.com"],
    bond: { denom: "orai", decimals: 6 }
  },
  {
    symbol: "PUNDIX",
    gateways: ["px-rest.pundix.com"],
    bond: { denom: "ibc/55367B7B6572631B78A93C66EF9FDFCE87CDE372CC4ED7848DA78C1EB1DCDD78", decimals: 18 }
  },
  {
    symbol: "REGEN",
    gateways: ["regen-rest.publicnode.com", "regen-api.polkachu.com"],
    bond: { denom: "uregen", decimals: 6 }
  },
  {
    symbol: "SEDA",
    gateways: ["lcd.mainnet.seda.xyz", "seda-api.polkachu.com"],
    bond: { denom: "aseda", decimals: 18 }
  },
  { symbol: "SHR", gateways: ["lcd.explorer.shareri.ng"], bond: { denom: "nshr", decimals: 9 } },
  {
    symbol: "SIDE",
    gateways: ["rest.side.one", "side-rest.publicnode.com"],
    bond: { denom: "uside", decimals: 6 }
  },
  {
    symbol: "STOS",
    gateways: ["rest.thestratos.org", "api.stratos.nodestake.org"],
    bond: { denom: "wei", decimals: 18 }
  },
  {
    symbol: "SYNT",
    gateways: ["api.synternet.com", "synternet-mainnet-api.shazoes.xyz"],
    bond: { denom: "usynt", decimals: 6 }
  },
  {
    symbol: "TIA",
    gateways: ["public-celestia-lcd.numia.xyz", "celestia-rest.publicnode.com"],
    bond: { denom: "utia", decimals: 6 }
  },
  {
    symbol: "WARD",
    gateways: ["api.wardenprotocol.org", "api.warden.cumulo.org.es"],
    bond: { denom: "award", decimals: 18 }
  }
]
