/** Merkle paths, places and sizes; and the `.ots` proof over the checkpoint. */
import type { Bundle } from "../../../core/proof/bundle.ts"
import { fromBase64, fromHex, toBase64, toHex, utf8 } from "../../../core/proof/bytes.ts"
import { leafHash } from "../../../core/proof/merkle.ts"
import { bundleOf, stamped } from "../../support/publication.ts"
import { change, type Forgery, group, trueInput, type VerifierInput, verifyTold } from "./table.ts"

type Path = ReadonlyArray<string>
const zero = "0".repeat(64)

const paths: ReadonlyArray<readonly [name: string, how: (path: Path) => Path, foundBy?: string]> = [
  ["one short at the leaf", (path) => path.slice(1)],
  ["one short at the root", (path) => path.slice(0, -1)],
  ["empty", () => []],
  ["one long", (path) => [...path, path[0] ?? zero]],
  ["with a zero hash", (path) => [...path, zero]],
  ["in reverse", (path) => path.toReversed()],
  ["with its first hash twice", (path) => [path[0] ?? zero, ...path]],
  ["of zeros", (path) => path.map(() => zero)],
  ["of 64 hashes", () => Array.from({ length: 64 }, () => zero)],
  ["of 65 hashes", () => Array.from({ length: 65 }, () => zero), "read"],
  ["of 100,000 hashes", () => Array.from({ length: 100_000 }, () => zero), "read"],
  ["in upper case", (path) => path.map((hash) => hash.toUpperCase()), "read"],
  [
    "in upper case at one digit",
    (path) =>
      path.with(
        0,
        (path[0] ?? "").replace(/[a-f]/, (one) => one.toUpperCase())
      ),
    "read"
  ],
  ["with white space", (path) => path.with(0, ` ${path[0]}`), "read"],
  ["with a line break", (path) => path.with(0, `${path[0]}\n`), "read"],
  ["with 0x in front", (path) => path.with(0, `0x${path[0]}`), "read"],
  ["with half a byte", (path) => path.with(0, path[0]?.slice(1) ?? ""), "read"],
  ["in base64", (path) => path.map((hash) => toBase64(fromHex(hash))), "read"]
]

const places: ReadonlyArray<readonly [name: string, at: { index?: number; size?: number }, foundBy: string]> =
  [
    ["the place before", { index: 1 }, "leaf in batch"],
    ["the place after", { index: 3 }, "leaf in batch"],
    ["the place of the absence leaf", { index: 6 }, "batch entry"],
    ["a place beyond the tree", { index: 7 }, "leaf in batch"],
    ["a place far beyond", { index: 2 ** 32 + 2 }, "leaf in batch"],
    ["a place below zero", { index: -1 }, "read"],
    ["half a place", { index: 2.5 }, "read"],
    ["a place beyond the integers", { index: 2 ** 53 }, "read"],
    ["a smaller tree", { size: 6 }, "batch entry"],
    ["a bigger tree", { size: 8 }, "batch entry"],
    ["an empty tree", { size: 0 }, "batch entry"],
    ["the biggest tree", { size: 2 ** 53 - 1 }, "batch entry"]
  ]

const batch = (members: Partial<Bundle["batch"]>) =>
  change((bundle) => ({ ...bundle, batch: { ...bundle.batch, ...members } }))
const log = (members: Partial<Bundle["log"]>) =>
  change((bundle) => ({ ...bundle, log: { ...bundle.log, ...members } }))
const anchor = (members: Partial<Bundle["anchor"]>) =>
  change((bundle) => ({ ...bundle, anchor: { ...bundle.anchor, ...members } }))

const forgeries: ReadonlyArray<Forgery<VerifierInput>> = [
  ...paths.flatMap(([name, how, foundBy]) => [
    {
      name: `the leaf's path ${name}`,
      foundBy: foundBy ?? "leaf in batch",
      forge: change((bundle) => ({ ...bundle, batch: { ...bundle.batch, path: how(bundle.batch.path) } }))
    },
    {
      name: `the entry's path ${name}`,
      foundBy: foundBy ?? "batch in log",
      forge: change((bundle) => ({ ...bundle, log: { ...bundle.log, path: how(bundle.log.path) } }))
    }
  ]),
  ...places.map(([name, at, foundBy]) => ({ name, foundBy, forge: batch(at) })),
  { name: "the entry's place before", foundBy: "batch in log", forge: log({ index: 2 }) },
  { name: "the entry's place beyond the log", foundBy: "batch in log", forge: log({ index: 4 }) },
  { name: "a smaller log", foundBy: "batch in log", forge: log({ size: 3 }) },
  { name: "a bigger log", foundBy: "batch in log", forge: log({ size: 5 }) },
  { name: "an empty log", foundBy: "batch in log", forge: log({ size: 0, index: 0, path: [] }) },
  { name: "a log of one", foundBy: "batch in log", forge: log({ size: 1, index: 0, path: [] }) },
  {
    name: "a node of the tree as the leaf",
    foundBy: "leaf",
    forge: change((bundle) => ({
      ...bundle,
      leaf: `\u0001${toHex(leafHash(utf8(bundle.leaf)))}${bundle.batch.path[0]}`,
      batch: { ...bundle.batch, index: 1, path: bundle.batch.path.slice(1) }
    }))
  },
  {
    name: "the leaf's own hash beside it",
    foundBy: "leaf in batch",
    forge: change((bundle) => ({
      ...bundle,
      batch: { ...bundle.batch, path: bundle.batch.path.with(0, toHex(leafHash(utf8(bundle.leaf)))) }
    }))
  },
  {
    name: "the batch of another day in the log",
    foundBy: "batch in log",
    forge: change((bundle) => ({ ...bundle, batch: bundleOf(2, 2).batch }))
  }
]

export const trees = group("a bundle's paths", () => trueInput(), verifyTold, forgeries)

const elsewhere = stamped(utf8("another checkpoint"), "2026-09-05T09:00:00Z")
const bytes = (how: (ots: Uint8Array) => Uint8Array) =>
  change((bundle) => ({
    ...bundle,
    anchor: { ...bundle.anchor, ots: toBase64(how(fromBase64(bundle.anchor.ots ?? ""))) }
  }))
const text = (how: (ots: string) => string) =>
  change((bundle) => ({ ...bundle, anchor: { ...bundle.anchor, ots: how(bundle.anchor.ots ?? "") } }))
const header = (how: (hex: string) => string) =>
  change((bundle) => ({
    ...bundle,
    anchor: { ...bundle.anchor, header: { height: 200, hex: how(bundle.anchor.header?.hex ?? "") } }
  }))
const flipped = (at: number) => (ots: Uint8Array) => ots.with(at, (ots.at(at) ?? 0) ^ 1)
const genesis =
  "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617f" +
  "c81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c"

/** The header that the caller trusts is the block's. */
const anchored = (): VerifierInput => {
  const { bundle, options } = trueInput()
  return {
    bundle,
    options: { ...options, anchored: true, headers: new Map([[200, bundle.anchor.header?.hex ?? ""]]) }
  }
}

export const stamps = group("a bundle's timestamp", anchored, verifyTold, [
  {
    name: "of another checkpoint",
    foundBy: "timestamp",
    says: /the timestamp covers/,
    forge: anchor(elsewhere)
  },
  {
    name: "that claims a block, with no header of it",
    foundBy: "timestamp",
    notProved: true,
    says: /claims confirmed/,
    forge: ({ bundle, options }) => {
      const { header: _, ...rest } = bundle.anchor
      const { anchored: __, headers: ___, ...others } = options
      return { bundle: { ...bundle, anchor: rest }, options: others }
    }
  },
  {
    name: "with the header of a block that it does not name",
    foundBy: "timestamp",
    says: /does not name/,
    forge: change((bundle) => ({
      ...bundle,
      anchor: { ...bundle.anchor, header: { height: 201, hex: bundle.anchor.header?.hex ?? "" } }
    }))
  },
  {
    name: "in a block of a time to come",
    foundBy: "timestamp",
    says: /not come yet/,
    forge: ({ bundle, options }) => {
      const later = stamped(utf8(bundle.log.checkpoint), "2026-09-06T11:30:00Z")
      return {
        bundle: { ...bundle, anchor: { ...bundle.anchor, ...later } },
        options: { ...options, headers: new Map([[later.header.height, later.header.hex]]) }
      }
    }
  },
  {
    name: "without a header from outside",
    foundBy: "timestamp",
    notProved: true,
    says: /the header comes from the bundle/,
    forge: ({ bundle, options }) => ({ bundle, options: { ...options, headers: new Map() } })
  },
  {
    name: "of a header from outside at another height",
    foundBy: "timestamp",
    notProved: true,
    forge: ({ bundle, options }) => ({
      bundle,
      options: { ...options, headers: new Map([[201, bundle.anchor.header?.hex ?? ""]]) }
    })
  },
  {
    name: "of another block than the one from outside",
    foundBy: "timestamp",
    says: /Merkle root/,
    forge: ({ bundle, options }) => ({
      bundle,
      options: { ...options, headers: new Map([[200, elsewhere.header.hex]]) }
    })
  },
  {
    name: "of Bitcoin's first block, which is said to be block 200",
    foundBy: "timestamp",
    forge: ({ bundle, options }) => ({ bundle, options: { ...options, headers: new Map([[200, genesis]]) } })
  },
  {
    name: "of no network that counts",
    foundBy: "timestamp",
    says: /test network/,
    forge: ({ bundle, options }) => ({ bundle, options: { ...options, network: "bitcoin" as const } })
  },
  {
    name: "of a test network that says it is Bitcoin",
    foundBy: "timestamp",
    forge: ({ bundle, options }) => ({
      bundle: { ...bundle, anchor: { ...bundle.anchor, network: "bitcoin" as const } },
      options: { ...options, network: "bitcoin" as const }
    })
  },
  {
    name: "of Bitcoin for a test network",
    foundBy: "timestamp",
    forge: anchor({ network: "bitcoin" as const })
  },
  {
    name: "of an unknown network",
    foundBy: "read",
    forge: change((bundle) =>
      JSON.parse(
        JSON.stringify(bundle).replace('"network":"bitcoin-regtest-fixture"', '"network":"bitcoin-testnet"')
      )
    )
  },
  {
    name: "said to be final, and not there",
    foundBy: "timestamp",
    forge: change((bundle) => ({ ...bundle, anchor: { network: bundle.anchor.network, status: "final" } }))
  },
  {
    name: "said to be pending, and not there",
    foundBy: "timestamp",
    forge: change((bundle) => ({ ...bundle, anchor: { network: bundle.anchor.network, status: "pending" } }))
  },
  {
    name: "not there, and required",
    foundBy: "timestamp",
    notProved: true,
    forge: change((bundle) => ({
      ...bundle,
      anchor: { network: bundle.anchor.network, status: "none", reason: "replay" }
    }))
  },
  { name: "cut off", foundBy: "timestamp", forge: bytes((ots) => ots.slice(0, -3)) },
  {
    name: "with a byte after it",
    foundBy: "timestamp",
    says: /follow the end/,
    forge: bytes((ots) => Uint8Array.of(...ots, 0))
  },
  { name: "twice in one file", foundBy: "timestamp", forge: bytes((ots) => Uint8Array.of(...ots, ...ots)) },
  { name: "empty", foundBy: "timestamp", forge: text(() => "") },
  { name: "of another format", foundBy: "timestamp", forge: bytes(flipped(0)) },
  { name: "of another version", foundBy: "timestamp", forge: bytes(flipped(31)) },
  { name: "of another kind of hash", foundBy: "timestamp", forge: bytes((ots) => ots.with(32, 3)) },
  { name: "of another hash", foundBy: "timestamp", forge: bytes(flipped(40)) },
  { name: "on another way", foundBy: "timestamp", forge: bytes(flipped(70)) },
  {
    name: "with Bitcoin's tag in place of the network's",
    foundBy: "timestamp",
    says: /notaries/,
    forge: bytes((ots) => {
      const at = toHex(ots).indexOf("19c1320cb60a738a") / 2
      const forged = ots.slice()
      forged.set(fromHex("0588960d73d71901"), at)
      return forged
    })
  },
  {
    name: "with the tag of a notary that nobody knows",
    foundBy: "timestamp",
    forge: bytes((ots) => ots.with(toHex(ots).indexOf("19c1320cb60a738a") / 2, 0))
  },
  {
    name: "at another height",
    foundBy: "timestamp",
    says: /does not name/,
    forge: bytes((ots) => ots.with(-2, 0xc9))
  },
  {
    name: "in base64 without its padding",
    foundBy: "timestamp",
    says: /base64/,
    forge: text((ots) => `${ots}=`)
  },
  {
    name: "in base64 with a line break",
    foundBy: "timestamp",
    says: /base64/,
    forge: text((ots) => `${ots.slice(0, 76)}\n${ots.slice(76)}`)
  },
  {
    name: "in base64 of the other alphabet",
    foundBy: "timestamp",
    says: /base64/,
    forge: text((ots) => `${ots.slice(0, -4)}-_-_`)
  },
  { name: "in hexadecimal", foundBy: "timestamp", forge: text((ots) => toHex(fromBase64(ots))) }
])

/** Offline: the header in the bundle is all there is. */
export const headers = group("a bundle's own header", () => trueInput(), verifyTold, [
  { name: "cut off", foundBy: "timestamp", forge: header((hex) => hex.slice(2)) },
  { name: "with a byte more", foundBy: "timestamp", forge: header((hex) => `${hex}00`) },
  { name: "of another Merkle root", foundBy: "timestamp", forge: header(() => elsewhere.header.hex) },
  {
    name: "of 1970",
    foundBy: "timestamp",
    forge: header((hex) => `${hex.slice(0, 136)}00000000${hex.slice(144)}`)
  },
  {
    name: "with an easier target than the network's",
    foundBy: "timestamp",
    forge: header((hex) => `${hex.slice(0, 144)}ffff7f21${hex.slice(152)}`)
  },
  {
    name: "with a target of zero",
    foundBy: "timestamp",
    forge: header((hex) => `${hex.slice(0, 144)}00000020${hex.slice(152)}`)
  },
  {
    name: "with a harder target that it does not meet",
    foundBy: "timestamp",
    says: /own target/,
    forge: header((hex) => `${hex.slice(0, 144)}ffff001d${hex.slice(152)}`)
  },
  { name: "no hexadecimal", foundBy: "timestamp", forge: header((hex) => hex.replace(/^../, "zz")) },
  {
    name: "at half a height",
    foundBy: "read",
    forge: change((bundle) => ({
      ...bundle,
      anchor: { ...bundle.anchor, header: { height: 200.5, hex: bundle.anchor.header?.hex ?? "" } }
    }))
  },
  {
    name: "below the ground",
    foundBy: "read",
    forge: change((bundle) => ({
      ...bundle,
      anchor: { ...bundle.anchor, header: { height: -200, hex: bundle.anchor.header?.hex ?? "" } }
    }))
  },
  {
    name: "older than the batch",
    foundBy: "timestamp",
    says: /older/,
    forge: change((bundle) => ({
      ...bundle,
      anchor: { ...bundle.anchor, ...stamped(utf8(bundle.log.checkpoint), "2026-09-05T05:59:59Z") }
    }))
  }
])
