/** CPU time of processes, in milliseconds, as Linux counts it. */
import { readdirSync, readFileSync } from "node:fs"

/** What follows the name in `/proc/<pid>/stat`; empty for a process that has ended. */
const fieldsOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  } catch {
    return []
  }
}

/** Of a process, and of its children that have ended. Linux counts hundredths of a second. */
export const cpuOf = (pid: number): number =>
  fieldsOf(pid)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks) * 10, 0)

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

/** Of the children of a process that are running, or of those whose command has this in it. */
export const cpuOfChildren = (pid: number, command = ""): number =>
  readdirSync("/proc")
    .map(Number)
    .filter((one) => Number(fieldsOf(one)[1]) === pid && commandOf(one).includes(command))
    .reduce((sum, one) => sum + cpuOf(one), 0)
