/** Titles of the gated views, by path without parameters: the same for REST and MCP. */
export const viewTitles = {
  "/v1/compare": "One metric across networks",
  "/v1/digest": "Daily digest",
  "/v1/changes": "Largest changes",
  "/v1/correlations": "Correlated networks",
  "/v1/lead-lag": "Which assets lead others",
  "/v1/indicators": "Indicators over hourly bars of 14 assets",
  "/v1/node-quality": "Quality-adjusted node counts",
  "/v1/divergence": "Where capacity and demand move apart",
  "/v1/dilution-risk": "FDV to market cap, by class",
  "/v1/gpu-supply-demand": "GPUs by device, available and in use",
  "/v1/sector-health": "Composite health by category",
  "/v1/geo-concentration": "Geographic distribution",
  "/v1/dev-velocity": "Repository activity",
  "/v1/competitive-landscape": "Market share by category",
  "/v1/market-regime": "Regime and stability",
  "/v1/signals": "Measured events, hash-chained, newest first",
  "/v1/intel": "Analyses by network",
  "/v1/health-profile": "Health of one network"
} as const
export type ViewPath = keyof typeof viewTitles
