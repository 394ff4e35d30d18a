/** Reads the values of one day off a chart of several series. */
import {
  type CompareChart,
  compareFrame,
  narrowedCompared,
  widenedCompared
} from "../../charts/compareChart.ts"
import { formatDay, valueText } from "../../html/format.ts"
import { type Days, enableCursors } from "./cursor.ts"

export const readMany = (plot: HTMLElement, readout: HTMLElement, chart: CompareChart): void =>
  enableCursors(plot, readout, {
    wide: daysOf(widenedCompared(chart)),
    narrow: daysOf(narrowedCompared(chart))
  })

const daysOf = (chart: CompareChart): Days => {
  const frame = compareFrame(chart)
  const dates = [...new Set(chart.lines.flatMap(({ points }) => points.map(({ date }) => date)))].sort()
  return {
    frame,
    places: dates.map((date) => frame.place({ date, value: 0 })[0]),
    says: (place) => {
      const date = dates[place] ?? ""
      const values = chart.lines.flatMap(({ letter, points, unit }) => {
        const point = points.find((one) => one.date === date)
        if (point === undefined) return []
        const value = chart.isIndex ? Math.round(point.value * 100) / 100 : point.value
        return [`${letter.toUpperCase()} ${valueText(value, chart.isIndex ? "count" : unit)}`]
      })
      return `${formatDay(date)}: ${values.join(" · ")}`
    }
  }
}
