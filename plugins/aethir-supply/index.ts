import { headline, Plugin, Upstream } from "#plugin"
import { figureOn } from "#plugin/page"

export default Plugin.define({
  id: "aethir-supply",
  title: "Aethir GPU containers",
  covers: { networks: ["ATH"] },
  source: "aethir_dashboard_supply",
  hosts: ["dashboard.aethir.com"],
  disabled: "read out of a web page, and the operator does not say what it counts as a node",
  every: "1 day",
  grade: "C",
  evidence: { source: "notes of a stored client on the page's server-rendered payload", read: "2026-11-20" },
  metrics: {
    devices_total: headline(
      "count",
      "GPU containers that the operator's dashboard states; its data name them nodes."
    )
  },
  collect: (observe) =>
    Plugin.from(
      observe,
      figureOn("https://dashboard.aethir.com/protocol/supply-metric", "nodes"),
      (nodes, answer) =>
        Number(nodes ?? Number.NaN) === 0
          ? Upstream.implausible(answer, `"nodes"`, "no container at all")
          : { devices_total: nodes }
    )
})
