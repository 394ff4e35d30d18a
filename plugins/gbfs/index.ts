import { atMost, headline, metric, partOf, readOn, termsOn } from "#plugin"
import { csv } from "#plugin/csv"
import { declare } from "#plugin/declare"

const system = ["System ID", "Auto-Discovery URL"]

export default declare({
  id: "gbfs",
  title: "Shared mobility systems",
  covers: { sector: "MOBILITY_SHARED", symbols: ["GBFS"], gauges: ["mobility_systems_listed"] },
  tier: "physical",
  source: "mobilitydata_gbfs_systems",
  hosts: ["raw.githubusercontent.com"],
  every: "5 hours",
  grade: "A",
  evidence: readOn("2026-11-25", {
    "MobilityData/gbfs@8073d638 systems.csv":
      "Country Code, System ID, Auto-Discovery URL, Authentication Type",
    "MobilityData/gbfs@d8882ac1 README.md": "systems.csv"
  }),
  relations: [
    partOf("mobility_systems_keyless", "mobility_systems_listed"),
    atMost("mobility_countries", "mobility_systems_listed")
  ],
  terms: termsOn("2026-11-25", "Data: MobilityData, github.com/MobilityData/gbfs", {
    address: "MobilityData/gbfs@d8882ac1 README.md"
  }),
  metrics: {
    mobility_systems_listed: headline(
      "count",
      "Shared bicycle, scooter and car systems in MobilityData's public register that publish live data in the General Bikeshare Feed Specification (CC BY 3.0, MobilityData)."
    ),
    mobility_countries: metric("count", "Countries that these systems are in.", { max: 250 }),
    mobility_systems_keyless: metric("count", "Systems whose data anybody can read without a key.")
  },
  answers: [
    {
      ask: csv("https://raw.githubusercontent.com/MobilityData/gbfs/master/systems.csv", [
        "Country Code",
        "System ID",
        "Auto-Discovery URL",
        "Authentication Type"
      ]),
      verify_url: "https://github.com/MobilityData/gbfs/blob/master/systems.csv",
      figures: {
        // Two operators of one town share an id, and each has a feed of its own.
        mobility_systems_listed: { entries: "", by: { each: system } },
        mobility_countries: { entries: "", by: "Country Code" },
        mobility_systems_keyless: {
          entries: "",
          by: { each: system },
          // Version 3 of the register writes 0 for "none"; most rows leave the cell empty.
          where: { at: "Authentication Type", is: ["", "0"] }
        }
      }
    }
  ]
})
