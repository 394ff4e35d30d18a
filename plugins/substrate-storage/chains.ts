/** Chains and the items of their storage that become metrics. A key is twox_128 of the pallet, then of the item. */

import * as Substrate from "#plugin/substrate"

export const timestampNow = "0xf0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb"

interface Item {
  readonly metric:
    | "validators_active"
    | "nominators"
    | "collator_candidates"
    | "staked_amount"
    | "managers_total"
    | "buckets_total"
    | "history_segments"
    | "operators_registered"
    | "digital_twins_total"
  /** Pallet and item. */
  readonly name: string
  readonly key: string
  readonly codec: Substrate.Codec<bigint>
  /** Of an amount in base units; absent for a count. */
  readonly decimals?: number
}

interface Chain {
  readonly symbol: string
  readonly rpc: string
  /** An explorer on which a person sees the figures. */
  readonly page: string
  readonly items: ReadonlyArray<Item>
}

export const chains: ReadonlyArray<Chain> = [
  {
    symbol: "ACU",
    rpc: "https://archive.mainnet.acurast.com",
    page: "https://hub.acurast.com",
    items: [
      {
        metric: "managers_total",
        name: "AcurastProcessorManager.LastManagerId",
        key: "0xc698b31ad72d251a494de23e0dd668469f7e300437b22b1146bdaf4f3c28d553",
        codec: Substrate.u128
      },
      {
        metric: "staked_amount",
        name: "AcurastCompute.TotalStake",
        key: "0x56c55973ec96db3a5ef84bbd48553aeb4f85a3603259384a5fa5494b7d7fdb8c",
        codec: Substrate.u128,
        decimals: 12
      }
    ]
  },
  {
    symbol: "AI3",
    rpc: "https://rpc.mainnet.autonomys.xyz",
    page: "https://autonomys.subscan.io",
    items: [
      {
        metric: "history_segments",
        name: "Subspace.CounterForSegmentCommitment",
        key: "0x3e1e8e35b440038ed6e6cf14c413a1024af4862a19ce60d602be752ec2731385",
        codec: Substrate.u32
      },
      {
        metric: "operators_registered",
        name: "Domains.NextOperatorId",
        key: "0x0b41d0c7f7b4485bd7be1d66066b00adf5de92577f4cf0b74c4a24f84713cf20",
        codec: Substrate.u64
      }
    ]
  },
  {
    symbol: "AVAIL",
    rpc: "https://mainnet-rpc.avail.so/rpc",
    page: "https://avail.subscan.io",
    items: [
      {
        metric: "validators_active",
        name: "Session.Validators",
        key: "0xcec5070d609dd3497f72bde07fc96ba088dcde934c658227ee1dfafcd6e16903",
        codec: Substrate.lengthOf(32)
      },
      {
        metric: "nominators",
        name: "Staking.CounterForNominators",
        key: "0x5f3e4907f716ac89b6347d15ececedcaf99b25852d3d69419882da651375cdb3",
        codec: Substrate.u32
      }
    ]
  },
  {
    symbol: "CERE",
    rpc: "https://rpc.mainnet.cere.network",
    page: "https://cere.statescan.io",
    items: [
      {
        metric: "buckets_total",
        name: "DdcCustomers.BucketsCount",
        key: "0xaffb44e1082c7d59adbb5ebdf73bb14cb6dfd3cec2cac977f53c1245fd67e6b3",
        codec: Substrate.u64
      }
    ]
  },
  {
    symbol: "DOT",
    rpc: "https://rpc.polkadot.io",
    page: "https://polkadot.subscan.io",
    items: [
      {
        metric: "validators_active",
        name: "Session.Validators",
        key: "0xcec5070d609dd3497f72bde07fc96ba088dcde934c658227ee1dfafcd6e16903",
        codec: Substrate.lengthOf(32)
      }
    ]
  },
  {
    symbol: "PEAQ",
    rpc: "https://erpc-mpfn1.peaq.network",
    page: "https://peaq.subscan.io",
    items: [
      {
        metric: "collator_candidates",
        name: "ParachainStaking.CounterForCandidatePool",
        key: "0xa686a3043d0adcf2fa655e57bc595a7833782e87398d8c8df86c711d2cba4e63",
        codec: Substrate.u32
      },
      {
        metric: "staked_amount",
        name: "ParachainStaking.TotalCollatorStake",
        key: "0xa686a3043d0adcf2fa655e57bc595a78fc4be2423e9507ac15720245b39865ba",
        codec: Substrate.sumOf(16),
        decimals: 18
      }
    ]
  },
  {
    symbol: "XRT",
    rpc: "https://kusama.rpc.robonomics.network",
    page: "https://robonomics.subscan.io",
    items: [
      {
        metric: "digital_twins_total",
        name: "DigitalTwin.Total",
        key: "0xa356c695fcf3012370657d354149d4c4f43d6436dec51f09c3b71287a8fc9d48",
        codec: Substrate.u32
      }
    ]
  }
]
