/** `gpu_supply_demand`: GPUs by device and network, available and in use. */
import { Effect } from "effect"
import type { CurrentRow } from "../../readings/read/Current.ts"
import { soldAndViewed } from "../build.ts"
import { ofValues } from "../shared/coverage.ts"
import { depinRule, inputOf, leftOut, liveRule, networks, quotient, readings } from "../shared/inputs.ts"
import definition, { type GpuSupplyDemand } from "./definition.ts"

const perDevice = /^gpu_(?:allocatable|allocated|price)_(.+)$/

/** Available and in-use counts; withheld if more are in use than offered. */
const split = (offered: number | null, in_use: number | null, measured?: number | null) => {
  const left = measured ?? (offered === null || in_use === null ? null : offered - in_use)
  const utilisation = quotient(in_use, offered)
  const outside = (left !== null && left < 0) || (utilisation !== null && utilisation > 1)
  return {
    offered,
    in_use,
    available: outside ? null : left,
    utilisation: outside ? null : utilisation,
    ...(outside
      ? { note: "More GPUs are in use than are offered, so the figures computed from both are withheld." }
      : {})
  }
}

const missingOf = (rowsByName: Readonly<Record<string, CurrentRow | undefined>>) =>
  Object.entries(rowsByName).flatMap(([name, row]) => (row === undefined ? [name] : []))

const inputsOf = (rows: ReadonlyArray<CurrentRow | undefined>) =>
  rows.flatMap((row) => (row === undefined ? [] : [inputOf(row)]))

const isOfGpus = ({ row }: CurrentRow): boolean => row.metric.includes("gpu_")

export const gpuSupplyDemand = Effect.map(readings, (current): GpuSupplyDemand => {
  const { generated_utc, measured } = current
  const all = networks.map(({ symbol }) => measured(symbol))
  return {
    generated_utc,
    ...leftOut(current, isOfGpus),
    networks: all.flatMap((network) => {
      const [offered, used, free, leased] = [
        network.of("registered_gpu_count"),
        network.of("gpu_in_use"),
        network.of("gpu_available"),
        network.of("leased_gpu_count")
      ]
      if (offered === undefined && used === undefined && free === undefined) return []
      return [
        {
          symbol: network.symbol,
          ...split(offered?.row.value ?? null, used?.row.value ?? null, free?.row.value ?? null),
          leased: leased?.row.value ?? null,
          missing_fields: missingOf({
            registered_gpu_count: offered,
            gpu_in_use: used,
            leased_gpu_count: leased
          }),
          inputs: inputsOf([offered, used, free, leased])
        }
      ]
    }),
    devices: all.flatMap((network) => {
      const models = new Set(network.confirmed.flatMap(({ row }) => perDevice.exec(row.metric)?.[1] ?? []))
      return [...models].sort().map((device) => {
        const [offered, used, price] = [
          network.of(`gpu_allocatable_${device}`),
          network.of(`gpu_allocated_${device}`),
          network.of(`gpu_price_${device}`)
        ]
        return {
          symbol: network.symbol,
          device,
          ...split(offered?.row.value ?? null, used?.row.value ?? null),
          price_usd_per_hour: price?.row.value ?? null,
          missing_fields: missingOf({
            [`gpu_allocatable_${device}`]: offered,
            [`gpu_allocated_${device}`]: used,
            // Models not on the known list have no price.
            ...(device === "other" ? {} : { [`gpu_price_${device}`]: price })
          }),
          inputs: inputsOf([offered, used, price])
        }
      })
    }),
    methodology: {
      formula: "available = offered - in_use; utilisation = in_use / offered",
      fields: [
        "registered_gpu_count",
        "gpu_in_use",
        "gpu_available",
        "leased_gpu_count",
        "gpu_allocatable_<device>",
        "gpu_allocated_<device>",
        "gpu_price_<device>"
      ],
      rules: [
        "A network's available is gpu_available if measured. Available and in use are never summed across networks.",
        "registered_gpu_count is each network's own count, as defined in the data dictionary.",
        depinRule,
        liveRule
      ]
    }
  }
})

export default soldAndViewed(definition, gpuSupplyDemand, {
  covers: ofValues(isOfGpus),
  holds: ({ devices, networks }) => devices.length > 0 || networks.length > 0
})
