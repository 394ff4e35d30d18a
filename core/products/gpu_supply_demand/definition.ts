/** `gpu_supply_demand`: GPUs by device and network, available and in use. */
import { Schema } from "effect"
import { described } from "../../wire/data/valueRow.ts"
import { figure, head, inputs, missing, share, textField } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

const counts = {
  offered: figure("GPUs offered, in use or not; null if not measured"),
  in_use: figure("GPUs in use; null if not measured"),
  available: figure("GPUs offered and not in use; null if either is not measured"),
  utilisation: share("in_use / offered; null if it cannot be computed")
}

export const GpuDevice = Schema.Struct({
  symbol: described.symbol,
  device: textField("The model, as the network names it"),
  ...counts,
  price_usd_per_hour: figure("Price of one GPU per hour, in US dollars; null if not measured"),
  note: Schema.optionalKey(textField("Why a figure is withheld even though its inputs are measured")),
  missing_fields: missing,
  inputs
}).annotate({ identifier: "GpuDevice", description: "One model on one network" })
export interface GpuDevice extends Schema.Schema.Type<typeof GpuDevice> {}

export const GpuNetwork = Schema.Struct({
  symbol: described.symbol,
  ...counts,
  leased: figure("GPUs requested by active leases; null if not measured"),
  note: Schema.optionalKey(textField("Why a figure is withheld even though its inputs are measured")),
  missing_fields: missing,
  inputs
}).annotate({ identifier: "GpuNetwork", description: "All GPUs of one network" })
export interface GpuNetwork extends Schema.Schema.Type<typeof GpuNetwork> {}

export const GpuSupplyDemand = Schema.Struct({
  ...head,
  networks: Schema.Array(GpuNetwork).annotate({ description: "Networks with a GPU count, sorted by symbol" }),
  devices: Schema.Array(GpuDevice).annotate({ description: "Models, by network and name" })
}).annotate({ identifier: "GpuSupplyDemand", description: "GPUs, available and in use" })
export interface GpuSupplyDemand extends Schema.Schema.Type<typeof GpuSupplyDemand> {}

export default define({
  key: "gpu_supply_demand",
  title: "GPU supply demand",
  schema: GpuSupplyDemand,
  sale: {
    content: "Device-level GPU breakdown; available and in-use kept separate",
    free: "Free: each count at /v1/network/{symbol}. Sold: all networks side by side.",
    price: "9.99",
    perRequest: true,
    perQuery: true
  },
  view: {
    path: "/v1/gpu-supply-demand",
    title: "GPUs by device, available and in use",
    capability: "engines",
    section: "Engines"
  }
})
