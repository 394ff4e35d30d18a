/** One call while its code is executed: stack and memory, each with its bound. */
import { Malformed } from "../bytes.ts"
import { demand } from "../check.ts"
import { type Meter, most } from "./evmMeter.ts"
import { unsignedOf } from "./rlp.ts"

/** A call of a contract's code. */
export interface Call {
  /** Whose storage it reads. */
  readonly to: Uint8Array
  readonly caller: Uint8Array
  readonly data: Uint8Array
  readonly depth: number
}

/** What a call gives; it is not `ok` where the code says that it fails. */
export interface Outcome {
  readonly ok: boolean
  readonly data: Uint8Array
}

/** How much gas is left stands for a number that nobody can tell: it can only be handed on to a call. */
const gasLeft = -1n

/** What older code keeps back of its gas for itself is less. */
const mostKeptBack = 100_000n

/** More than a node has for any call: so much is as good as all. */
const allGas = 1n << 32n

/** Bytes from a place on, with zeros after their end. */
export const padded = (bytes: Uint8Array, from: bigint, size: number): Uint8Array => {
  const part = new Uint8Array(size)
  if (from < BigInt(bytes.length))
    part.set(bytes.subarray(Number(from), Math.min(bytes.length, Number(from) + size)))
  return part
}

const words = (bytes: number): number => Math.ceil(bytes / 32)

/** Each method throws `Malformed` where the code does what no chain lets it do, or more than the bounds. */
export class Frame {
  /** The place of the instruction. */
  at = 0
  outcome: Outcome | undefined
  /** What the last call from here gave. */
  returned: Uint8Array = new Uint8Array()
  readonly call: Call
  readonly code: Uint8Array
  readonly #meter: Meter
  readonly #stack: Array<bigint> = []
  #memory: Uint8Array = new Uint8Array()
  #size = 0

  constructor(call: Call, code: Uint8Array, meter: Meter) {
    this.call = call
    this.code = code
    this.#meter = meter
  }

  #take(): bigint {
    const top = this.#stack.pop()
    if (top === undefined) throw new Malformed("the code takes from an empty stack")
    return top
  }

  /** The top of the stack, a word. */
  pop(): bigint {
    const top = this.#take()
    demand(top !== gasLeft, "the result depends on how much gas is left")
    return top
  }

  drop(): void {
    this.#take()
  }

  push(word: bigint): void {
    demand(this.#stack.length < most.stack, "the stack is too deep")
    this.#stack.push(word)
  }

  pushGas(): void {
    this.push(gasLeft)
  }

  /** Takes the gas that is given to a call: all that is left, or all but a little. */
  popGas(): void {
    const gas = this.#take()
    demand(gas === gasLeft || gas >= allGas, "the result depends on how much gas is left")
  }

  /** Takes back a little of the gas that is left, if that is what two words are subtracted for. */
  keepsBack(): boolean {
    const { length } = this.#stack
    if (this.#stack[length - 1] !== gasLeft || (this.#stack[length - 2] ?? gasLeft) > mostKeptBack)
      return false
    this.#take()
    this.pop()
    this.pushGas()
    return true
  }

  /** Puts the word at a depth on top once more. */
  duplicate(depth: number): void {
    const word = this.#stack.at(-depth)
    if (word === undefined) throw new Malformed("the code takes from an empty stack")
    this.push(word)
  }

  /** Changes the top and the word so far below it. */
  swap(below: number): void {
    const top = this.#stack.length - 1
    const other = this.#stack[top - below]
    const word = this.#stack[top]
    if (other === undefined || word === undefined) throw new Malformed("the code takes from an empty stack")
    this.#stack[top] = other
    this.#stack[top - below] = word
  }

  /** Bytes of memory that were touched. */
  get size(): number {
    return this.#size
  }

  /** Makes memory reach so far. Each word that is read or written, and each that is added, is a step. */
  #room(from: bigint, size: bigint): number {
    if (size === 0n) return 0
    const end = from + size
    demand(
      end <= BigInt(most.memory),
      `code that is executed must use at most ${most.memory} bytes of memory`
    )
    const reach = words(Number(end)) * 32
    this.#meter.spend(words(Number(size)) + Math.max(0, reach - this.#size) / 32)
    if (reach > this.#memory.length) {
      const larger = new Uint8Array(Math.min(most.memory, Math.max(reach, this.#memory.length * 2)))
      larger.set(this.#memory)
      this.#memory = larger
    }
    this.#size = Math.max(this.#size, reach)
    return Number(from)
  }

  load(from: bigint, size: bigint): Uint8Array {
    const at = this.#room(from, size)
    return this.#memory.slice(at, at + Number(size))
  }

  word(from: bigint): bigint {
    return unsignedOf(this.load(from, 32n))
  }

  /** Writes bytes, so many of them as there is room for. */
  store(to: bigint, bytes: Uint8Array, size = BigInt(bytes.length)): void {
    const at = this.#room(to, size)
    this.#memory.set(bytes.subarray(0, Number(size)), at)
  }

  /** Copies a part of bytes to memory: where to, from where and how much are on the stack. */
  copy(source: Uint8Array): void {
    const [to, from, size] = [this.pop(), this.pop(), this.pop()]
    const at = this.#room(to, size)
    this.#memory.set(padded(source, from, Number(size)), at)
  }
}
