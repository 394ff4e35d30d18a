/** Lighthouse, for the benchmark of the pages. */
import lighthouse, { desktopConfig } from "lighthouse"
import type { Lighthouse } from "../bench/pages.ts"

export const measured: Lighthouse["measured"] = async (url, port, screen, only) => {
  const result = await lighthouse(
    url,
    {
      port,
      output: "json",
      logLevel: "silent",
      onlyCategories: [...only],
      disableFullPageScreenshot: true,
      // The demo asks search engines to stay away: its values are made up.
      skipAudits: ["is-crawlable"],
      // The load is real, the processor is slowed by Chromium itself: nothing is estimated.
      throttlingMethod: "devtools",
      throttling: {
        cpuSlowdownMultiplier: screen === "mobile" ? 4 : 1,
        requestLatencyMs: 0,
        downloadThroughputKbps: 0,
        uploadThroughputKbps: 0,
        rttMs: 0,
        throughputKbps: 0
      }
    },
    screen === "desktop" ? desktopConfig : undefined
  )
  if (result === undefined) throw new Error(`Lighthouse gave nothing for ${url}`)
  return result.lhr
}
