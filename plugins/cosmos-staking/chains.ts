/** Chains of the Cosmos SDK whose staking module is read, with the REST gateway of each (`cosmos/chain-registry`). */

export interface Chain {
  readonly symbol: string
  /** Host and path of the gateway, without the scheme. */
  readonly lcd: string
  /** The token that is bonded; absent where it is another than the one of the symbol. */
  readonly bond?: { readonly denom: string; readonly decimals: number }
}

export const chains: ReadonlyArray<Chain> = [
  { symbol: "AIOZ", lcd: "lcd-dataseed.aioz.network", bond: { denom: "attoaioz", decimals: 18 } },
  { symbol: "ALLO", lcd: "allora-api.mainnet.allora.network", bond: { denom: "uallo", decimals: 18 } },
  { symbol: "ALTHEA", lcd: "api.althea.citizenweb3.com", bond: { denom: "aalthea", decimals: 18 } },
  { symbol: "ANDR", lcd: "andromeda.api.kjnodes.com", bond: { denom: "uandr", decimals: 6 } },
  { symbol: "ARCH", lcd: "api.mainnet.archway.io", bond: { denom: "aarch", decimals: 18 } },
  { symbol: "ARKEO", lcd: "rest-seed.arkeo.network", bond: { denom: "uarkeo", decimals: 8 } },
  { symbol: "AXONE", lcd: "axone-api.highstakes.ch", bond: { denom: "uaxone", decimals: 6 } },
  { symbol: "BAND", lcd: "laozi1.bandchain.org/api", bond: { denom: "uband", decimals: 6 } },
  { symbol: "BLZ", lcd: "bluzelle-api.genznodes.dev", bond: { denom: "ubnt", decimals: 6 } },
  { symbol: "BTSG", lcd: "lcd.explorebitsong.com", bond: { denom: "ubtsg", decimals: 6 } },
  { symbol: "C4E", lcd: "lcd.c4e.io", bond: { denom: "uc4e", decimals: 6 } },
  { symbol: "CHEQ", lcd: "api.cheqd.net", bond: { denom: "ncheq", decimals: 9 } },
  { symbol: "CYS", lcd: "rest.cysic.xyz" },
  { symbol: "DEC", lcd: "rest.mainnet.decentr.xyz", bond: { denom: "udec", decimals: 6 } },
  { symbol: "DYM", lcd: "api.dymension.nodestake.org", bond: { denom: "adym", decimals: 18 } },
  { symbol: "FCT", lcd: "firma.api.m.stavr.tech", bond: { denom: "ufct", decimals: 6 } },
  { symbol: "FET", lcd: "rest-fetchhub.fetch.ai", bond: { denom: "afet", decimals: 18 } },
  { symbol: "IXO", lcd: "impacthub.ixo.world/rest", bond: { denom: "uixo", decimals: 6 } },
  { symbol: "KYVE", lcd: "api.kyve.network", bond: { denom: "ukyve", decimals: 6 } },
  { symbol: "LAVA", lcd: "lava.rest.lava.build", bond: { denom: "ulava", decimals: 6 } },
  { symbol: "LORE", lcd: "rest.lavenderfive.com/gitopia", bond: { denom: "ulore", decimals: 6 } },
  { symbol: "LUME", lcd: "lcd.lumera.io", bond: { denom: "ulume", decimals: 6 } },
  { symbol: "MANTRA", lcd: "api.mantrachain.io", bond: { denom: "amantra", decimals: 18 } },
  { symbol: "MED", lcd: "api.gopanacea.org", bond: { denom: "umed", decimals: 6 } },
  { symbol: "MPWR", lcd: "empower-api.w3coins.io", bond: { denom: "umpwr", decimals: 6 } },
  { symbol: "NYM", lcd: "api.nymtech.net" },
  { symbol: "ORAI", lcd: "api-orai.blockval.io", bond: { denom: "orai", decimals: 6 } },
  {
    symbol: "PUNDIX",
    lcd: "px-rest.pundix.com",
    bond: { denom: "ibc/55367B7B6572631B78A93C66EF9FDFCE87CDE372CC4ED7848DA78C1EB1DCDD78", decimals: 18 }
  },
  { symbol: "REGEN", lcd: "regen-mainnet-lcd.autostake.com", bond: { denom: "uregen", decimals: 6 } },
  { symbol: "SEDA", lcd: "lcd.mainnet.seda.xyz", bond: { denom: "aseda", decimals: 18 } },
  { symbol: "SHR", lcd: "lcd.explorer.shareri.ng", bond: { denom: "nshr", decimals: 9 } },
  { symbol: "SIDE", lcd: "rest.side.one", bond: { denom: "uside", decimals: 6 } },
  { symbol: "STOS", lcd: "rest.thestratos.org", bond: { denom: "wei", decimals: 18 } },
  { symbol: "SYNT", lcd: "api.synternet.com", bond: { denom: "usynt", decimals: 6 } },
  { symbol: "TIA", lcd: "public-celestia-lcd.numia.xyz", bond: { denom: "utia", decimals: 6 } },
  { symbol: "WARD", lcd: "api.wardenprotocol.org", bond: { denom: "award", decimals: 18 } }
]
