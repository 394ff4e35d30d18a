/** The body of a response that is hashed and compressed already, such as a file that is kept in all codings. */
import type { Coding } from "./coding.ts"

export class Coded {
  readonly _tag = "Coded"
  /** SHA-256 before compression, lower-case hex. */
  readonly sha256: string
  readonly coding: Coding
  readonly bytes: Uint8Array

  constructor(sha256: string, coding: Coding, bytes: Uint8Array) {
    this.sha256 = sha256
    this.coding = coding
    this.bytes = bytes
  }
}
