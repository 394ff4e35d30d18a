/** `gpu_supply_demand`: GPUs by device and network, those available and those in use apart. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"
import { figure, head, inputs, missing, share, words } from "./payload.ts"

const apart = {
  offered: figure("GPUs offered, in use or not; null where it is not measured"),
  in_use: figure("GPUs in use; null where it is not measured"),
  available: figure("GPUs offered and not in use; null where either is not measured"),
  utilisation: share("in_use / offered; null where it cannot be formed")
}

export const GpuDevice = Schema.Struct({
  symbol: described.symbol,
  device: words("The model, in the words of the network"),
  ...apart,
  price_usd_per_hour: figure("Price of one GPU for an hour, in US dollars; null where it is not measured"),
  note: Schema.optionalKey(words("Why a figure is withheld although its inputs are measured")),
  missing_fields: missing,
  inputs
}).annotate({ identifier: "GpuDevice", description: "One model on one network" })
export interface GpuDevice extends Schema.Schema.Type<typeof GpuDevice> {}

export const GpuNetwork = Schema.Struct({
  symbol: described.symbol,
  ...apart,
  leased: figure("GPUs asked for by active leases; null where it is not measured"),
  note: Schema.optionalKey(words("Why a figure is withheld although its inputs are measured")),
  missing_fields: missing,
  inputs
}).annotate({ identifier: "GpuNetwork", description: "All GPUs of one network" })
export interface GpuNetwork extends Schema.Schema.Type<typeof GpuNetwork> {}

export const GpuSupplyDemand = Schema.Struct({
  ...head,
  networks: Schema.Array(GpuNetwork).annotate({ description: "Networks with a GPU count, sorted by symbol" }),
  devices: Schema.Array(GpuDevice).annotate({ description: "Models, by network and name" })
}).annotate({ identifier: "GpuSupplyDemand", description: "GPUs, available and in use apart" })
export interface GpuSupplyDemand extends Schema.Schema.Type<typeof GpuSupplyDemand> {}
