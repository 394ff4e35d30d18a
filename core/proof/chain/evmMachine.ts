/**
 * Executes a call that only reads, over proved state: what `eth_call` of a view gives. Code that writes, logs, creates, sends, depends on
 * gas, or asks for what a header does not say is refused, and so is what no chain lets code do.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { fromHex, Malformed, toHex } from "../bytes.ts"
import { demand } from "../check.ts"
import { type Call, Frame, type Outcome, padded } from "./evmFrame.ts"
import { cost, type Meter, most } from "./evmMeter.ts"
import { emptyCode } from "./evmState.ts"
import { mask, ofTwo } from "./evmWords.ts"
import type { World } from "./evmWorld.ts"
import { once } from "./once.ts"
import { unsignedOf } from "./rlp.ts"
import { arbitrum } from "./rollups.ts"

/** Where code is executed. */
export interface Machine {
  readonly world: World
  readonly meter: Meter
  /** The number that the chain has for itself. */
  readonly chain: bigint
  readonly number: bigint
  /** The block's own time, in seconds. */
  readonly seconds: bigint
}

type Instruction = (frame: Frame, machine: Machine) => void

/** A word as 32 bytes. */
export const bytesOfWord = (word: bigint): Uint8Array => fromHex(word.toString(16).padStart(64, "0"))

const addressOf = (word: bigint): Uint8Array => bytesOfWord(word).subarray(12)

/** The places to which code may jump, a byte for each of its bytes: what follows an instruction that pushes is none. */
const destinationsOf = once((code: Uint8Array): Uint8Array => {
  const places = new Uint8Array(code.length)
  for (let at = 0; at < code.length; at++) {
    const op = code[at] ?? 0
    if (op === 0x5b) places[at] = 1
    if (op >= 0x60 && op <= 0x7f) at += op - 0x5f
  }
  return places
})

const jump = (frame: Frame, to: bigint): void => {
  const isDestination = to < BigInt(frame.code.length) && destinationsOf(frame.code)[Number(to)] === 1
  demand(isDestination, "the code jumps to no destination")
  frame.at = Number(to) - 1
}

/** Addresses of contracts that chains have built in, each its own. */
const builtIn = 0xffffn

const outcomeOf = (machine: Machine, call: Call, address: Uint8Array): Outcome => {
  const number = unsignedOf(address)
  if (number === 2n) return { ok: true, data: sha256(call.data) }
  if (number === 4n) return { ok: true, data: call.data }
  demand(number === 0n || number > builtIn, `the code calls a contract that is built in: ${number}`)
  demand(call.depth <= most.depth, `calls must be at most ${most.depth} deep`)
  return run(machine, call, machine.world.code(address))
}

/** A call of the code at an address: as itself, or in the place of the caller, whose storage the code then reads. */
const calling =
  (takesValue: boolean, delegates: boolean): Instruction =>
  (frame, machine) => {
    machine.meter.spend(cost.account)
    frame.popGas()
    const address = addressOf(frame.pop())
    if (takesValue) demand(frame.pop() === 0n, "the code sends value")
    const data = frame.load(frame.pop(), frame.pop())
    const [into, size] = [frame.pop(), frame.pop()]
    const { caller, depth, to } = frame.call
    const outcome = outcomeOf(
      machine,
      {
        to: delegates ? to : address,
        caller: delegates ? caller : to,
        data,
        depth: depth + 1
      },
      address
    )
    frame.returned = outcome.data
    frame.store(into, outcome.data, size)
    frame.push(outcome.ok ? 1n : 0n)
  }

const ending =
  (ok: boolean): Instruction =>
  (frame) => {
    frame.outcome = { ok, data: frame.load(frame.pop(), frame.pop()) }
  }

const accountOf = (frame: Frame, { meter, world }: Machine) => {
  meter.spend(cost.account)
  const address = addressOf(frame.pop())
  return { account: () => world.account(address), code: () => world.code(address) }
}

const refusing =
  (what: string): Instruction =>
  () => {
    throw new Malformed(`the code ${what}`)
  }

const byGas = refusing("depends on gas")
const byBlock = refusing("asks for what a header does not say on each chain")

const emptyCodeHash = toHex(emptyCode)

const instructions: Readonly<Record<number, Instruction>> = {
  0: (frame) => {
    frame.outcome = { ok: true, data: new Uint8Array() }
  },
  8: (frame) => {
    const [a, b, modulus] = [frame.pop(), frame.pop(), frame.pop()]
    frame.push(modulus === 0n ? 0n : (a + b) % modulus)
  },
  9: (frame) => {
    const [a, b, modulus] = [frame.pop(), frame.pop(), frame.pop()]
    frame.push(modulus === 0n ? 0n : (a * b) % modulus)
  },
  21: (frame) => frame.push(frame.pop() === 0n ? 1n : 0n),
  25: (frame) => frame.push(frame.pop() ^ mask),
  32: (frame, { meter }) => {
    meter.spend(cost.hash)
    frame.push(unsignedOf(keccak_256(frame.load(frame.pop(), frame.pop()))))
  },
  48: (frame) => frame.push(unsignedOf(frame.call.to)),
  49: (frame, machine) => frame.push(accountOf(frame, machine).account().balance),
  // A call that is only read is of nobody, and brings nothing.
  50: (frame) => frame.push(0n),
  51: (frame) => frame.push(unsignedOf(frame.call.caller)),
  52: (frame) => frame.push(0n),
  53: (frame) => frame.push(unsignedOf(padded(frame.call.data, frame.pop(), 32))),
  54: (frame) => frame.push(BigInt(frame.call.data.length)),
  55: (frame) => frame.copy(frame.call.data),
  56: (frame) => frame.push(BigInt(frame.code.length)),
  57: (frame) => frame.copy(frame.code),
  58: byGas,
  59: (frame, machine) => frame.push(BigInt(accountOf(frame, machine).code().length)),
  60: (frame, machine) => frame.copy(accountOf(frame, machine).code()),
  61: (frame) => frame.push(BigInt(frame.returned.length)),
  62: (frame) => {
    const [to, from, size] = [frame.pop(), frame.pop(), frame.pop()]
    demand(from + size <= BigInt(frame.returned.length), "the code reads beyond what a call gave")
    frame.store(to, frame.returned.subarray(Number(from), Number(from + size)))
  },
  63: (frame, machine) => {
    const { balance, codeHash, nonce } = accountOf(frame, machine).account()
    const isNobody = nonce === 0n && balance === 0n && toHex(codeHash) === emptyCodeHash
    frame.push(isNobody ? 0n : unsignedOf(codeHash))
  },
  64: byBlock,
  65: byBlock,
  66: (frame, { seconds }) => frame.push(seconds),
  67: (frame, { chain, number }) => {
    demand(!arbitrum.has(chain), "the code asks for the number of a block below this chain")
    frame.push(number)
  },
  68: byBlock,
  69: byGas,
  70: (frame, { chain }) => frame.push(chain),
  71: (frame, { meter, world }) => {
    meter.spend(cost.account)
    frame.push(world.account(frame.call.to).balance)
  },
  72: byGas,
  73: byBlock,
  74: byGas,
  80: (frame) => frame.drop(),
  81: (frame) => frame.push(frame.word(frame.pop())),
  82: (frame) => frame.store(frame.pop(), bytesOfWord(frame.pop())),
  83: (frame) => frame.store(frame.pop(), Uint8Array.of(Number(frame.pop() & 255n))),
  84: (frame, { meter, world }) => {
    meter.spend(cost.slot)
    frame.push(world.slot(frame.call.to, bytesOfWord(frame.pop())))
  },
  86: (frame) => jump(frame, frame.pop()),
  87: (frame) => {
    const to = frame.pop()
    if (frame.pop() !== 0n) jump(frame, to)
  },
  88: (frame) => frame.push(BigInt(frame.at)),
  89: (frame) => frame.push(BigInt(frame.size)),
  90: (frame) => frame.pushGas(),
  91: () => undefined,
  // Nothing was written in this call, so that it has nothing for a while either.
  92: (frame) => {
    frame.pop()
    frame.push(0n)
  },
  94: (frame) => {
    const [to, from, size] = [frame.pop(), frame.pop(), frame.pop()]
    frame.store(to, frame.load(from, size))
  },
  241: calling(true, false),
  243: ending(true),
  244: calling(false, true),
  250: calling(false, false),
  253: ending(false)
}

/** Instructions of which there are several with a number in their code. */
const numbered = (frame: Frame, op: number): boolean => {
  if (op >= 0x5f && op <= 0x7f) {
    const size = op - 0x5f
    frame.push(unsignedOf(padded(frame.code, BigInt(frame.at + 1), size)))
    frame.at += size
  } else if (op >= 0x80 && op <= 0x8f) frame.duplicate(op - 0x7f)
  else if (op >= 0x90 && op <= 0x9f) frame.swap(op - 0x8f)
  else return false
  return true
}

const arithmetic = (frame: Frame, op: number, { meter }: Machine): boolean => {
  const two = ofTwo[op]
  if (two === undefined) return false
  if (op === 0x0a) meter.spend(cost.power)
  if (op !== 0x03 || !frame.keepsBack()) frame.push(two(frame.pop(), frame.pop()))
  return true
}

const run = (machine: Machine, call: Call, code: Uint8Array): Outcome => {
  const frame = new Frame(call, code, machine.meter)
  for (; frame.outcome === undefined; frame.at += 1) {
    machine.meter.spend(1)
    const op = code[frame.at] ?? 0
    if (arithmetic(frame, op, machine) || numbered(frame, op)) continue
    const instruction = instructions[op]
    if (instruction === undefined)
      throw new Malformed(`the code does more than read: instruction 0x${op.toString(16).padStart(2, "0")}`)
    instruction(frame, machine)
  }
  return frame.outcome
}

/** The number of a chain in its CAIP-2 name. */
export const chainNumber = (chain: string): bigint => BigInt(chain.slice(chain.indexOf(":") + 1))

/** What a call from nobody gives, hex. Throws `Malformed`: `Lacks` where the proof lacks what the code reads. */
export const resultOf = (machine: Machine, to: Uint8Array, data: Uint8Array): string => {
  const outcome = outcomeOf(machine, { to, caller: new Uint8Array(20), data, depth: 0 }, to)
  if (!outcome.ok) throw new Malformed("the call fails by the code's own word", "contradiction")
  return toHex(outcome.data)
}
