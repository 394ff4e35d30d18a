import { Effect } from "effect"
import { Plugin } from "#plugin"
import * as Figures from "#plugin/figures"
import { metrics, services } from "./services.ts"

export default Plugin.define({
  id: "network-services",
  title: "Services that networks run themselves",
  covers: { networks: [...new Set(services.map(({ symbol }) => symbol))] },
  source: "network_service",
  tier: "supply_telemetry",
  hosts: [
    "allora-api.mainnet.allora.network",
    "analytics.oncompute.ai",
    "api.avax.network",
    "api.clore.ai",
    "api.evernode.network",
    "api.hyperliquid.xyz",
    "api.multiversx.com",
    "api.trongrid.io",
    "api.tzkt.io",
    "api.v2.sondehub.org",
    "app.spheron.ai",
    "data.xrpl.org",
    "explorer.beldex.io",
    "explorer.pkt.cash",
    "fullnode.mainnet.aptoslabs.com",
    "graphql.mainnet.sui.io",
    "httpinfo.dbcwallet.io",
    "l0-lb-mainnet.constellationnetwork.io",
    "laozi1.bandchain.org",
    "lava.rest.lava.build",
    "mainnet-api.tig.foundation",
    "mainnet.koii.network",
    "network.hoprnet.org",
    "query.joystream.org",
    "reference-data-directory.vercel.app",
    "rest.thestratos.org",
    "rpc.mainnet.near.org",
    "subsquid.squids.live"
  ],
  every: "3 hours",
  timeout: "5 minutes",
  calls: 40,
  grade: "B",
  evidence: [
    { source: "the operators' own repositories, each named in the README", read: "2026-11-22", members: [] }
  ],
  metrics,
  collect: (observe) =>
    Plugin.forEach(services, (service) =>
      Effect.map(Figures.read(service), ({ answer, as_of, values }) =>
        observe(answer, values, { symbol: service.symbol, as_of, verify_url: service.page })
      )
    )
})
