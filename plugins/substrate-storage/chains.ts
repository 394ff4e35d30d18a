/** Chains and the items of their storage that become metrics. A key is twox_128 of the pallet, then of the item. */
import * as Substrate from "#plugin/substrate"

export const timestampNow = "0xf0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb"

export interface Item {
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
    | "paid_out_block"
    | "paid_out_round"
    | "paid_out_total"
  /** Pallet and item. */
  readonly name: string
  readonly key: string
  readonly codec: Substrate.Codec<bigint>
  /** Of an amount in base units; absent for a count. */
  readonly decimals?: number
  /** The figure is what is gone of this, in base units: the item counts down from it. */
  readonly from?: bigint
}

export interface Chain {
  readonly symbol: string
  /** Nodes, asked in turn while one is gone. */
  readonly nodes: readonly [string, ...Array<string>]
  /** The hash of the chain's first block, where a registry of chains tells it. */
  readonly genesis?: string
  /** An explorer on which a person sees the figures. */
  readonly page: string
  readonly items: ReadonlyArray<Item>
  /** How the figure is read that its staking pallet has of the newest era (`eras.ts`). */
  readonly eras?: Pick<Item, "metric" | "codec" | "decimals">
}

export const chains: ReadonlyArray<Chain> = [
  {
    symbol: "ACU",
    nodes: ["https://archive.mainnet.acurast.com", "https://public-rpc.mainnet.acurast.com"],
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
    nodes: ["https://rpc.mainnet.autonomys.xyz", "https://rpc.mainnet.subspace.foundation"],
    genesis: "0x66455a580aabff303720aa83adbe6c44502922251c03ba73686d5245da9e21bd",
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
      },
      {
        metric: "paid_out_total",
        name: "Rewards.RemainingIssuance",
        key: "0x540a4f8754aa5298a3d6e9aa09e93f970094ed11a4fa1515abfc26aca89ae4eb",
        codec: Substrate.u128,
        decimals: 18,
        // What farmers were to receive at genesis (`crates/subspace-node/src/chain_spec.rs`).
        from: 350_000_000n * 10n ** 18n
      }
    ]
  },
  {
    symbol: "AVAIL",
    nodes: ["https://mainnet-rpc.avail.so/rpc", "https://avail-rpc.publicnode.com"],
    genesis: "0xb91746b45e0346cc2f815a520b9c6cb4d5c0902af848db0a80f85932d2e8276a",
    page: "https://avail.subscan.io",
    eras: { metric: "paid_out_round", codec: Substrate.u128, decimals: 18 },
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
    nodes: ["https://rpc.mainnet.cere.network", "https://archive.mainnet.cere.network"],
    genesis: "0x81443836a9a24caaa23f1241897d1235717535711d1d3fe24eae4fdc942c092c",
    page: "https://cere.statescan.io",
    eras: { metric: "paid_out_round", codec: Substrate.u128, decimals: 10 },
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
    nodes: ["https://rpc.polkadot.io", "https://polkadot-rpc.publicnode.com"],
    genesis: "0x91b171bb158e2d3848fa23a9f1c25182fb8e20313b2c1eb49219da7a70ce90c3",
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
    nodes: ["https://erpc-mpfn1.peaq.network", "https://peaq.api.onfinality.io/public"],
    genesis: "0xd2a5d385932d1f650dae03ef8e2748983779ee342c614f80854d32b8cd8fa48c",
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
      },
      {
        metric: "paid_out_block",
        name: "InflationManager.BlockRewards",
        key: "0x635aa23890f1d97585362fec6f14e76cc2ad8813901dcccdf6f4b6ce11257734",
        codec: Substrate.u128,
        decimals: 18
      }
    ]
  },
  {
    symbol: "XRT",
    nodes: ["https://kusama.rpc.robonomics.network"],
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
