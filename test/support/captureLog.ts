/** Keeps what is logged, each with its cause, in place of writing it. */
import { Cause, Logger } from "effect"

export const captureLog = (onLine: (line: string) => void = () => {}) => {
  const lines: Array<string> = []
  const logger = Logger.layer([
    Logger.make(({ cause, message }) => {
      const line = `${[message].flat().map(String).join(" ")}\n${Cause.pretty(cause)}`
      lines.push(line)
      onLine(line)
    })
  ])
  return { lines, logger }
}
