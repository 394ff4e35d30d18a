/** The tape of a session while it is carried, and the memory that all tapes take. */
import type { NotaryLimits } from "./limits.ts"
import type { Chunk, Tape } from "./tape.ts"

/** Bytes that the tapes of all sessions take. */
export interface TapeMemory {
  bytes: number
}

/** What a chunk takes beyond its bytes: else a host that sends single bytes would cost more than is counted. */
const chunkOverhead = 200

export type Way = "fromHost" | "toHost"

export class Recording {
  private readonly memory: TapeMemory
  private readonly limits: Pick<NotaryLimits, "tape" | "tapes" | "toHost">
  private chunks: { readonly fromHost: Array<Chunk>; readonly toHost: Array<Chunk> } = {
    fromHost: [],
    toHost: []
  }
  private bytes = 0
  private bytesToHost = 0
  private n = 0
  private isDropped = false

  constructor(memory: TapeMemory, limits: Pick<NotaryLimits, "tape" | "tapes" | "toHost">) {
    this.memory = memory
    this.limits = limits
  }

  /** True once the tape was too large: what comes is carried on, and not kept. */
  get isTooLarge(): boolean {
    return this.isDropped
  }

  add(way: Way, bytes: Uint8Array, at: number): void {
    if (this.isDropped) return
    const size = bytes.length + chunkOverhead
    this.chunks[way].push({ n: this.n++, at, bytes })
    this.bytes += size
    this.memory.bytes += size
    if (way === "toHost") this.bytesToHost += bytes.length
    const { tape, tapes, toHost } = this.limits
    if (this.bytes > tape || this.bytesToHost > toHost || this.memory.bytes > tapes) {
      this.isDropped = true
      this.release()
    }
  }

  tape(of: Omit<Tape, Way>): Tape {
    return { ...of, ...this.chunks }
  }

  /** Frees the tape. */
  release(): void {
    this.memory.bytes -= this.bytes
    this.bytes = 0
    this.chunks = { fromHost: [], toHost: [] }
  }
}
