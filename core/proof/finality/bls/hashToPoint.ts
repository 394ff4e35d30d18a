/** Hashes a message to a point of the group of signatures (RFC 9380, BLS12381G2_XMD:SHA-256_SSWU_RO_). */
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, Malformed, utf8 } from "../../bytes.ts"
import { type Fp2, fp2, negative2, p, rootOf2 } from "./fields.ts"
import { g2, type Point } from "./points.ts"

const { add, inv, mul, one, sqr } = fp2

/** What both sides have of a message (`expand_message_xmd`), 256 bytes. */
const expanded = (message: Uint8Array, tag: Uint8Array): Uint8Array => {
  const tagged = concat(tag, Uint8Array.of(tag.length))
  const first = sha256(concat(new Uint8Array(64), message, Uint8Array.of(1, 0, 0), tagged))
  const blocks: Array<Uint8Array> = []
  let last = new Uint8Array(32)
  for (let at = 1; at <= 8; at++) {
    last = Uint8Array.from(
      sha256(
        concat(
          first.map((byte, place) => byte ^ (last[place] ?? 0)),
          Uint8Array.of(at),
          tagged
        )
      )
    )
    blocks.push(last)
  }
  return concat(...blocks)
}

const bigEndian = (bytes: Uint8Array): bigint => bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)

/** The curve that is mapped to: y² = x³ + a·x + b, and the number z of the map. */
const a: Fp2 = [0n, 240n]
const b: Fp2 = [1012n, 1012n]
const z: Fp2 = [p - 2n, p - 1n]

/** Whether a number is odd, by its first part that is not 0. */
const isOdd = ([real, imaginary]: Fp2): boolean => ((real === 0n ? imaginary : real) & 1n) === 1n

const onCurve = (x: Fp2): Fp2 => add(mul(add(sqr(x), a), x), b)

/** The point of that curve for a number (simplified SWU). */
const mapped = (u: Fp2): readonly [x: Fp2, y: Fp2] => {
  const zu = mul(z, sqr(u))
  const sum = inv(add(sqr(zu), zu))
  const x1 = fp2.isZero(sum) ? mul(b, inv(mul(z, a))) : mul(mul(negative2(b), inv(a)), add(one, sum))
  const y1 = rootOf2(onCurve(x1))
  const x = y1 === undefined ? mul(zu, x1) : x1
  const y = y1 ?? rootOf2(onCurve(x))
  if (y === undefined) throw new Malformed("a number maps to no point")
  return [x, isOdd(u) === isOdd(y) ? y : negative2(y)]
}

/** The 3-isogeny to the curve of the group (RFC 9380, appendix E.3): coefficients of the lowest power first. */
const isogeny = {
  xOver: [
    [
      0x5c759507e8e333ebb5b7a9a47d7ed8532c52d39fd3a042a88b58423c50ae15d5c2638e343d9c71c6238aaaaaaaa97d6n,
      0x5c759507e8e333ebb5b7a9a47d7ed8532c52d39fd3a042a88b58423c50ae15d5c2638e343d9c71c6238aaaaaaaa97d6n
    ],
    [0n, 0x11560bf17baa99bc32126fced787c88f984f87adf7ae0c7f9a208c6b4f20a4181472aaa9cb8d555526a9ffffffffc71an],
    [
      0x11560bf17baa99bc32126fced787c88f984f87adf7ae0c7f9a208c6b4f20a4181472aaa9cb8d555526a9ffffffffc71en,
      0x8ab05f8bdd54cde190937e76bc3e447cc27c3d6fbd7063fcd104635a790520c0a395554e5c6aaaa9354ffffffffe38dn
    ],
    [0x171d6541fa38ccfaed6dea691f5fb614cb14b4e7f4e810aa22d6108f142b85757098e38d0f671c7188e2aaaaaaaa5ed1n, 0n]
  ],
  xUnder: [
    [0n, 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaa63n],
    [
      0xcn,
      0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaa9fn
    ],
    [1n, 0n]
  ],
  yOver: [
    [
      0x1530477c7ab4113b59a4c18b076d11930f7da5d4a07f649bf54439d87d27e500fc8c25ebf8c92f6812cfc71c71c6d706n,
      0x1530477c7ab4113b59a4c18b076d11930f7da5d4a07f649bf54439d87d27e500fc8c25ebf8c92f6812cfc71c71c6d706n
    ],
    [0n, 0x5c759507e8e333ebb5b7a9a47d7ed8532c52d39fd3a042a88b58423c50ae15d5c2638e343d9c71c6238aaaaaaaa97ben],
    [
      0x11560bf17baa99bc32126fced787c88f984f87adf7ae0c7f9a208c6b4f20a4181472aaa9cb8d555526a9ffffffffc71cn,
      0x8ab05f8bdd54cde190937e76bc3e447cc27c3d6fbd7063fcd104635a790520c0a395554e5c6aaaa9354ffffffffe38fn
    ],
    [0x124c9ad43b6cf79bfbf7043de3811ad0761b0f37a1e26286b0e977c69aa274524e79097a56dc4bd9e1b371c71c718b10n, 0n]
  ],
  yUnder: [
    [
      0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffa8fbn,
      0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffa8fbn
    ],
    [0n, 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffa9d3n],
    [
      0x12n,
      0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaa99n
    ],
    [1n, 0n]
  ]
} as const satisfies Readonly<Record<string, ReadonlyArray<Fp2>>>

const valueAt = (coefficients: ReadonlyArray<Fp2>, x: Fp2): Fp2 =>
  coefficients.reduceRight((sum, each) => add(mul(sum, x), each), fp2.zero)

const pointFor = (u: Fp2): Point<Fp2> => {
  const [x, y] = mapped(u)
  const { xOver, xUnder, yOver, yUnder } = isogeny
  return {
    x: mul(valueAt(xOver, x), inv(valueAt(xUnder, x))),
    y: mul(y, mul(valueAt(yOver, x), inv(valueAt(yUnder, x)))),
    z: one
  }
}

/** What takes a point of the curve into the group. */
const cofactor =
  0xbc69f08f2ee75b3584c6a0ea91b352888e2a8e9145ad7689986ff031508ffe1329c2f178731db956d82bf015d1212b02ec0ec69d7477c1ae954cbc06689f6a359894c0adebbf6b4e8020005aaa95551n

/** The point of a message, by the tag of who signs. */
export const hashToPoint = (message: Uint8Array, tag: string): Point<Fp2> => {
  const bytes = expanded(message, utf8(tag))
  const [u0, u1, u2, u3] = [0, 64, 128, 192].map((at) => bigEndian(bytes.subarray(at, at + 64)) % p)
  return g2.times(g2.add(pointFor([u0 ?? 0n, u1 ?? 0n]), pointFor([u2 ?? 0n, u3 ?? 0n])), cofactor)
}
