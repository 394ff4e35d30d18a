/** Reads values off a chart of one series: the value of a day, whether the day is closed, and what its marks mean. */
import { type LineChart, lineFrame, narrowed } from "../../charts/lineChart.ts"
import { formatDay, valueText } from "../../html/format.ts"
import { enableCursors } from "./cursor.ts"

export const readValues = (plot: HTMLElement, readout: HTMLElement, chart: LineChart): void => {
  const { marks = [], points, unit } = chart
  const byDate = new Map(points.map((point) => [point.date, point]))
  enableCursors(plot, readout, {
    wide: lineFrame(chart),
    narrow: lineFrame(narrowed(chart)),
    dates: [...byDate.keys()],
    says: (day) => {
      const point = byDate.get(day)
      if (point === undefined) return ""
      return [
        `${formatDay(day)}: ${valueText(point.value, unit)}`,
        ...(point.open === true ? ["day not closed yet"] : []),
        ...marks.filter(({ date, to = date }) => date <= day && day <= to).map(({ reason }) => reason)
      ].join("; ")
    }
  })
}
