/** Ports for servers that are told theirs before they start. */
import { execFileSync } from "node:child_process"
import { createServer } from "node:net"

/** Below what Linux gives to outgoing connections: none of them takes the port before its server does. */
const [lowest, highest] = [10_000, 32_000]

const assigned = new Set<number>()

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })

/** A port that nobody listens on, and that this process has not been given before. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (assigned.has(port)) continue
    assigned.add(port)
    if (await isFree(port)) return port
  }
}

/** Whether something listens on a port of this machine. */
export const isListening = (port: number): boolean => {
  try {
    execFileSync("bash", ["-c", `exec 3<>/dev/tcp/127.0.0.1/${port}`], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
