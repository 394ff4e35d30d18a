/** Every tool in listing order, with those an agent needs first at the top. */
import type { Edition, Tool } from "../Tool.ts"
import {
  challengeWallet,
  checkBalance,
  listProducts,
  purchaseData,
  registerAgent,
  topUpCredits,
  verifyWallet
} from "./account.ts"
import { manageAlerts } from "./alerts.ts"
import { getDataDictionary, getDerivationLedger, getStats } from "./data.ts"
import { fetchDataset, listDatasets } from "./datasets.ts"
import { findNetworks, getMetricHistory, getNetwork } from "./networks.ts"
import { verifyFootprint, verifyValue } from "./proofs.ts"
import { query } from "./query.ts"

const all = [
  findNetworks,
  getNetwork,
  getMetricHistory,
  query,
  verifyValue,
  verifyFootprint,
  getDataDictionary,
  getDerivationLedger,
  listDatasets,
  fetchDataset,
  getStats,
  listProducts,
  registerAgent,
  checkBalance,
  purchaseData,
  topUpCredits,
  manageAlerts,
  challengeWallet,
  verifyWallet
] as const

/** The services of core that the tools need. */
export type Needs = (typeof all)[number] extends Tool<infer R> ? R : never

/** The tools of an edition by name; the public one has no account or payment tools. */
export const toolsOf = (edition: Edition): ReadonlyMap<string, Tool<Needs>> =>
  new Map(all.filter(({ editions }) => editions.includes(edition)).map((tool) => [tool.name, tool] as const))
