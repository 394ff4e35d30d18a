/** For a part of somebody else's that logs the same of each of its many pieces at once: one line of a text is enough. */
import { Duration, Effect, Layer, Logger, type LogLevel } from "effect"

/**
 * Passes on the first entry of each text in a while, and leaves out the others; errors are all passed on, but for those that begin
 * with one of `passing`: what they say is over by itself, and they are warnings here.
 */
export const oncePer = (window: Duration.Input, passing: ReadonlyArray<string> = []) =>
  Layer.effect(
    Logger.CurrentLoggers,
    Effect.map(Effect.service(Logger.CurrentLoggers), (loggers) => {
      const writtenAt = new Map<string, number>()
      const isRepeated = (level: LogLevel.LogLevel, text: string, at: number): boolean => {
        const before = writtenAt.get(text)
        if (level === "Error" || level === "Fatal") return false
        if (before !== undefined && at - before < Duration.toMillis(window)) return true
        // The texts of a part are few; this is for one that has a number in them.
        if (writtenAt.size >= 1000) writtenAt.clear()
        writtenAt.set(text, at)
        return false
      }
      return new Set([
        Logger.make<unknown, void>((entry) => {
          const text = [entry.message].flat().map(String).join(" ")
          const isMild = entry.logLevel === "Error" && passing.some((begin) => text.startsWith(begin))
          const logLevel = isMild ? "Warn" : entry.logLevel
          if (isRepeated(logLevel, text, entry.date.getTime())) return
          for (const logger of loggers) logger.log({ ...entry, logLevel })
        })
      ])
    })
  )
