/** Handshake messages (RFC 8446, 4), cut out of what the records brought. */
import { demand } from "../Refused.ts"

export const messageType = {
  clientHello: 1,
  serverHello: 2,
  newSessionTicket: 4,
  encryptedExtensions: 8,
  certificate: 11,
  certificateRequest: 13,
  certificateVerify: 15,
  finished: 20,
  keyUpdate: 24
} as const

export interface Message {
  readonly type: number
  readonly body: Buffer
  /** With its header, as it is in the transcript. */
  readonly bytes: Buffer
}

const headerLength = 4
const longest = 2 ** 17

/** Collects messages that may lie in several records, or several in one. */
export class Messages {
  private pending = Buffer.alloc(0)

  /** True within a message. */
  get isWithin(): boolean {
    return this.pending.length > 0
  }

  take(data: Buffer): ReadonlyArray<Message> {
    demand(data.length > 0, "an empty handshake record")
    this.pending = Buffer.concat([this.pending, data])
    const messages: Array<Message> = []
    while (this.pending.length >= headerLength) {
      const length = headerLength + this.pending.readUIntBE(1, 3)
      demand(length <= longest, "a handshake message that is too long")
      if (this.pending.length < length) break
      messages.push({
        type: this.pending[0] ?? 0,
        body: this.pending.subarray(headerLength, length),
        bytes: this.pending.subarray(0, length)
      })
      this.pending = this.pending.subarray(length)
    }
    return messages
  }
}
