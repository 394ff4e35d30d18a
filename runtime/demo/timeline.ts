/** The demo's past in its true order: who reads when, and the moments in between. */
import { instants, lastReading, reads, start } from "../tape/instants.ts"
import { timeOn } from "../tape/tape.ts"
import type { Player } from "./players.ts"
import { isStill, late, moments, type Retold, restated } from "./script.ts"

/** One run: at `at`, of `payloadTime`. */
export interface Reading {
  readonly player: Player
  readonly at: number
  readonly payloadTime: number
}

/** What happens at one time. */
export interface Step {
  readonly at: number
  readonly readings: ReadonlyArray<Reading>
  /** Something other than a reading happens before these (`pastEvents.ts`). */
  readonly isMoment: boolean
}

const isLate = (plugin: string, at: number): boolean =>
  plugin === late.plugin && new Date(at).toDateString() === new Date(late.payloadTime).toDateString()

/** The readings of a player before `start`, each once. */
const readingsOf = (player: Player): ReadonlyArray<Reading> => {
  const { manifest } = player.plugin
  const due = instants.filter((instant) => reads(manifest.every, instant)).map(({ at }) => at)
  const times = new Set([...due, lastReading(manifest, start)].map((at) => timeOn(player.reel, at)))
  const again = [late, restated].filter((retold: Retold) => retold.plugin === manifest.id)
  return [
    ...[...times]
      .filter((at) => !isStill(at) && !isLate(manifest.id, at))
      .map((at) => ({ player, at, payloadTime: at })),
    ...again.map(({ at, payloadTime }) => ({ player, at, payloadTime }))
  ]
}

/** Everything before `start`, oldest first. */
export const timeline = (players: ReadonlyArray<Player>): ReadonlyArray<Step> => {
  const readings = Map.groupBy(players.flatMap(readingsOf), ({ at }) => at)
  const times = new Set([...readings.keys(), ...moments])
  return [...times]
    .sort((a, b) => a - b)
    .map((at) => ({ at, readings: readings.get(at) ?? [], isMoment: moments.includes(at) }))
}
