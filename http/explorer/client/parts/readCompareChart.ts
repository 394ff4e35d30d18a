/** Reads the values of one day off a chart of several series. */
import {
  type CompareChart,
  compareFrame,
  narrowedCompared,
  widenedCompared
} from "../../charts/compareChart.ts"
import { formatDay, formatIndex, valueText } from "../../html/format.ts"
import { enableCursors } from "./cursor.ts"

export const readMany = (plot: HTMLElement, readout: HTMLElement, chart: CompareChart): void => {
  const { isIndex, lines } = chart
  enableCursors(plot, readout, {
    wide: compareFrame(widenedCompared(chart)),
    narrow: compareFrame(narrowedCompared(chart)),
    dates: [...new Set(lines.flatMap(({ points }) => points.map(({ date }) => date)))].sort(),
    says: (day) => {
      const values = lines.flatMap(({ letter, points, unit }) => {
        const point = points.find(({ date }) => date === day)
        if (point === undefined) return []
        const value = isIndex ? formatIndex(point.value) : valueText(point.value, unit)
        return [`${letter.toUpperCase()} ${value}`]
      })
      return `${formatDay(day)}: ${values.join(" · ")}`
    }
  })
}
