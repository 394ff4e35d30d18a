/** Contracts and the functions that become metrics; a selector is the first four bytes of the function's hash. */
import type { evmNodes } from "#plugin/evmNodes"

export interface Figure {
  readonly metric:
    | "staked_amount"
    | "epoch"
    | "nodes_online"
    | "nodes_registered_total"
    | "chains_total"
    | "validators_registered"
    | "projects_total"
    | "earned_block"
    | "earned_total"
    | "paid_out_block"
    | "paid_out_round"
  readonly contract: string
  /** The selector, with the argument of `balanceOf` where it is that. */
  readonly data: string
  /** What the same contract gives to this is multiplied with it. */
  readonly times?: string
  /** Of an amount in base units; absent for a count. */
  readonly decimals?: number
}

interface Network {
  readonly symbol: string
  readonly chain: keyof typeof evmNodes
  /** The page of an explorer that shows the figures. */
  readonly page: string
  readonly figures: ReadonlyArray<Figure>
}

export const networks: ReadonlyArray<Network> = [
  {
    symbol: "API3",
    chain: "ethereum",
    page: "https://etherscan.io/token/0x0b38210ea11411557c13457d4da7dc6ea731b88a?a=0x6dd655f10d4b9e242ae186d9050b68f725c76d76",
    figures: [
      {
        metric: "staked_amount",
        contract: "0x0b38210ea11411557c13457d4da7dc6ea731b88a",
        data: "0x70a082310000000000000000000000006dd655f10d4b9e242ae186d9050b68f725c76d76",
        decimals: 18
      }
    ]
  },
  {
    symbol: "ARPA",
    chain: "ethereum",
    page: "https://etherscan.io/address/0xee710f79aa85099e200be4d40cdf1bfb2b467a01#readContract",
    figures: [
      {
        metric: "staked_amount",
        contract: "0xee710f79aa85099e200be4d40cdf1bfb2b467a01",
        data: "0x049b2ca0",
        decimals: 18
      }
    ]
  },
  {
    symbol: "BZZ",
    chain: "gnosis",
    page: "https://gnosisscan.io/address/0x45a1502382541Cd610CC9068e88727426b696293#readContract",
    figures: [
      {
        metric: "earned_block",
        contract: "0x45a1502382541cd610cc9068e88727426b696293",
        data: "0x053f14da",
        times: "0x8a5e8e32",
        decimals: 16
      }
    ]
  },
  {
    symbol: "GEOD",
    chain: "polygon",
    page: "https://polygonscan.com/token/0xAC0F66379A6d7801D7726d5a943356A172549Adb?a=0x000000000000000000000000000000000000dEaD",
    figures: [
      {
        metric: "earned_total",
        contract: "0xac0f66379a6d7801d7726d5a943356a172549adb",
        data: "0x70a08231000000000000000000000000000000000000000000000000000000000000dead",
        decimals: 18
      }
    ]
  },
  {
    symbol: "GRT",
    chain: "arbitrum",
    page: "https://arbiscan.io/token/0x9623063377AD1B27544C965cCd7342f7EA7e88C7?a=0x00669A4CF01450B64E8A2A20E9b1FCB71E61eF03",
    figures: [
      {
        metric: "staked_amount",
        contract: "0x9623063377ad1b27544c965ccd7342f7ea7e88c7",
        data: "0x70a0823100000000000000000000000000669a4cf01450b64e8a2a20e9b1fcb71e61ef03",
        decimals: 18
      },
      { metric: "epoch", contract: "0x5a843145c43d328b9bb7a4401d94918f131bb281", data: "0x76671808" },
      {
        metric: "paid_out_block",
        contract: "0xb64f29b2d81140ffc3a135e319561a1bd03b1a7e",
        data: "0x79d5fc54",
        decimals: 18
      }
    ]
  },
  {
    symbol: "LPT",
    chain: "arbitrum",
    page: "https://arbiscan.io/address/0xc20DE37170B45774e6CD3d2304017fc962f27252#readContract",
    figures: [
      {
        metric: "paid_out_round",
        contract: "0xc20de37170b45774e6cd3d2304017fc962f27252",
        data: "0x9ae6309a",
        decimals: 18
      }
    ]
  },
  {
    symbol: "OXT",
    chain: "ethereum",
    page: "https://etherscan.io/address/0x918101FB64f467414e9a785aF9566ae69C3e22C5#readContract",
    figures: [
      {
        metric: "staked_amount",
        contract: "0x918101fb64f467414e9a785af9566ae69c3e22c5",
        data: "0x9d9f9155",
        decimals: 18
      }
    ]
  },
  {
    symbol: "SKL",
    chain: "ethereum",
    page: "https://etherscan.io/address/0xD489665414D051336CE2F2C6e4184De0409e40ba#readProxyContract",
    figures: [
      { metric: "nodes_online", contract: "0xd489665414d051336ce2f2c6e4184de0409e40ba", data: "0xa4e69229" },
      {
        metric: "nodes_registered_total",
        contract: "0xd489665414d051336ce2f2c6e4184de0409e40ba",
        data: "0xb81c806a"
      },
      { metric: "chains_total", contract: "0x836df73065cb143bddf3106e46783d43c12c6012", data: "0x77ad87c1" },
      {
        metric: "validators_registered",
        contract: "0x840c8122433a5aa7ad60c1bcdc36ab9dccf761a5",
        data: "0xd6832ea9"
      }
    ]
  },
  {
    symbol: "SQT",
    chain: "base",
    page: "https://basescan.org/token/0x858c50C3AF1913b0E849aFDB74617388a1a5340d?a=0x7A68b10EB116a8b71A9b6f77B32B47EB591B6Ded",
    figures: [
      {
        metric: "staked_amount",
        contract: "0x858c50c3af1913b0e849afdb74617388a1a5340d",
        data: "0x70a082310000000000000000000000007a68b10eb116a8b71a9b6f77b32b47eb591b6ded",
        decimals: 18
      },
      { metric: "epoch", contract: "0xf80a8e45a13d2c116aa8cffef3dcb6049cd8059e", data: "0x7d884c74" },
      { metric: "projects_total", contract: "0x5499c960cc54563e7264fb96be4e0907a93e825b", data: "0xe935b7b1" }
    ]
  }
]
