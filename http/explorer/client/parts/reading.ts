/** Reads values off a chart of one series: the value of a day, whether the day is closed, and what its marks mean. */
import { frameOf, type LineChart, narrowed } from "../../charts/lineChart.ts"
import { formatDay, valueText } from "../../html/format.ts"
import { type Days, enableCursors } from "./cursor.ts"

export const readValues = (plot: HTMLElement, readout: HTMLElement, chart: LineChart): void =>
  enableCursors(plot, readout, { wide: daysOf(chart), narrow: daysOf(narrowed(chart)) })

const daysOf = (chart: LineChart): Days => {
  const frame = frameOf(chart)
  return {
    frame,
    places: chart.points.map((point) => frame.place(point)[0]),
    says: (place) => {
      const point = chart.points[place]
      if (point === undefined) return ""
      const marks = (chart.marks ?? []).filter(
        ({ date, to = date }) => date <= point.date && point.date <= to
      )
      return [
        `${formatDay(point.date)}: ${valueText(point.value, chart.unit)}`,
        ...(point.open === true ? ["day not closed yet"] : []),
        ...marks.map(({ reason }) => reason)
      ].join("; ")
    }
  }
}
