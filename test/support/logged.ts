/** Keeps what is logged, each with its cause, in place of writing it. */
import { Cause, Logger } from "effect"

export const logged = (heard: (line: string) => void = () => {}) => {
  const lines: Array<string> = []
  const logger = Logger.layer([
    Logger.make(({ cause, message }) => {
      const line = `${[message].flat().map(String).join(" ")}\n${Cause.pretty(cause)}`
      lines.push(line)
      heard(line)
    })
  ])
  return { lines, logger }
}
