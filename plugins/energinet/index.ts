import { everyUse, headline, metric, readOn, termsOn } from "#plugin"
import { declare } from "#plugin/declare"

const generation = {
  plus: ["ProductionGe100MW", "ProductionLt100MW", "SolarPower", "OffshoreWindPower", "OnshoreWindPower"]
}

export default declare({
  id: "energinet",
  title: "Electricity grid of Denmark",
  covers: {
    sector: "PHYSICAL_GRID",
    symbols: [
      "DK_GRID",
      "DK_GRID_LARGE_PLANTS",
      "DK_GRID_SMALL_PLANTS",
      "DK_GRID_SOLAR",
      "DK_GRID_OFFSHORE_WIND",
      "DK_GRID_ONSHORE_WIND"
    ],
    gauges: ["carbon_intensity"]
  },
  tier: "physical",
  source: "energinet_right_now",
  hosts: ["api.energidataservice.dk"],
  every: "5 minutes",
  grade: "B",
  evidence: readOn("2026-11-25", {
    "clemensv/real-time-sources@9a34d15c feeders/energidataservice-dk/energidataservice_dk/energidataservice_dk.py:35":
      "Minutes1UTC, CO2Emission, ProductionGe100MW, ProductionLt100MW, SolarPower, OffshoreWindPower, OnshoreWindPower"
  }),
  terms: termsOn("2026-11-25", "Data: Energinet, www.energidataservice.dk", {
    address: "https://www.energidataservice.dk/terms-and-conditions",
    licence: "CC-BY-4.0",
    ...everyUse,
    quote: "Users may copy, change and distribute data freely, even for commercial purposes."
  }),
  metrics: {
    carbon_intensity: headline(
      "g_co2_per_kwh",
      "Carbon dioxide emitted for each kilowatt-hour consumed in Denmark, imports included, as Energinet estimates it every minute.",
      { max: 2000, collapse: 1 }
    ),
    generation_mw: metric(
      "mw",
      "Power generated in Denmark: plants of 100 MW and over, smaller plants, solar, offshore and onshore wind, which are its parts.",
      { max: 50_000 }
    )
  },
  answers: [
    {
      // Without an order, nothing says that five rows are the newest five.
      ask: "https://api.energidataservice.dk/dataset/PowerSystemRightNow?limit=5&sort=Minutes1UTC%20DESC",
      newest: { of: "records", at: "Minutes1UTC" },
      positive: [generation],
      verify_url: "https://www.energidataservice.dk/tso-electricity/PowerSystemRightNow",
      symbol: "DK_GRID",
      figures: { carbon_intensity: "CO2Emission", generation_mw: generation },
      parts: {
        DK_GRID_LARGE_PLANTS: { generation_mw: "ProductionGe100MW" },
        DK_GRID_SMALL_PLANTS: { generation_mw: "ProductionLt100MW" },
        DK_GRID_SOLAR: { generation_mw: "SolarPower" },
        DK_GRID_OFFSHORE_WIND: { generation_mw: "OffshoreWindPower" },
        DK_GRID_ONSHORE_WIND: { generation_mw: "OnshoreWindPower" }
      }
    }
  ]
})
