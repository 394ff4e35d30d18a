/** Fields with a length before them (RFC 8446, 3.4), read strictly. */
import { demand } from "../Refused.ts"

export class Fields {
  private readonly bytes: Buffer
  private at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  take(length: number): Buffer {
    demand(this.at + length <= this.bytes.length, "a field is cut short")
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  /** A big-endian number of so many bytes. */
  number(length: number): number {
    return this.take(length).readUIntBE(0, length)
  }

  /** A field whose length is a number of so many bytes before it. */
  vector(lengthBytes: number): Buffer {
    return this.take(this.number(lengthBytes))
  }

  get isDone(): boolean {
    return this.at === this.bytes.length
  }
}

/** Extensions by their type, none of them twice (RFC 8446, 4.2). */
export const extensionsOf = (bytes: Buffer): ReadonlyMap<number, Buffer> => {
  const extensions = new Map<number, Buffer>()
  for (const fields = new Fields(bytes); !fields.isDone; ) {
    const type = fields.number(2)
    demand(!extensions.has(type), "an extension twice")
    extensions.set(type, fields.vector(2))
  }
  return extensions
}

export const extension = {
  serverName: 0,
  protocols: 16,
  preSharedKey: 41,
  earlyData: 42,
  versions: 43,
  encryptedClientHello: 0xfe0d
} as const
