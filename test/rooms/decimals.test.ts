/**
 * A `Decimal` is an object: `===` asks whether two are one object, `typeof` says that it is no number, and an operator throws. Where one
 * of these stands in a plugin or a shape, a check is void or a figure is lost as soon as an upstream prints more digits. What the
 * compiler knows of each operand tells; `compareNumbers`, `isSame` and `isNumber` are what to use instead.
 */
import { globSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Node, SourceFile } from "typescript/unstable/ast"
import { SyntaxKind } from "typescript/unstable/ast"
import {
  isBinaryExpression,
  isCallExpression,
  isPropertyAccessExpression,
  isTypeOfExpression
} from "typescript/unstable/ast/is"
import { API, type Type, TypeFlags } from "typescript/unstable/sync"
import { assert, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Where these are the rule itself, and not a breach of it. */
const homes: Readonly<Record<string, string>> = {
  "core/plugin/decimals.ts": "here numbers are compared",
  "core/plugin/numbers.ts": "here decimals are made, of what JSON.parse gives",
  "core/plugin/Plugin.ts": "asks whether a reading was calculated as a double",
  "core/plugin/statedErrors.ts": "codes of errors are small"
}

/** Operators between two numbers. */
const operators: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
  SyntaxKind.LessThanToken,
  SyntaxKind.LessThanEqualsToken,
  SyntaxKind.GreaterThanToken,
  SyntaxKind.GreaterThanEqualsToken,
  SyntaxKind.PlusToken,
  SyntaxKind.MinusToken,
  SyntaxKind.AsteriskToken,
  SyntaxKind.SlashToken
])

/** Methods whose argument is looked for by identity. */
const lookups = new Set(["has", "get", "set", "add", "delete", "includes", "indexOf", "lastIndexOf"])

/** What a number may be compared with by identity: a decimal is none of them. */
const isConstant = (node: Node): boolean =>
  [SyntaxKind.NullKeyword, SyntaxKind.NumericLiteral, SyntaxKind.StringLiteral].includes(node.kind) ||
  node.getText() === "undefined"

const isDecimal = (type: Type | undefined): boolean =>
  type !== undefined &&
  (type.isUnionType() ? type.getTypes().some(isDecimal) : type.getSymbol()?.name === "Decimal")

const isUnknown = (type: Type | undefined): boolean =>
  type !== undefined && (type.flags & TypeFlags.Unknown) !== 0

/** An operand that must be no decimal; what is unknown, as from JSON, may be one. */
interface Operand {
  readonly node: Node
  readonly where: Node
  readonly mayBeUnknown: boolean
}

const operandsIn = (file: SourceFile): ReadonlyArray<Operand> => {
  const operands: Array<Operand> = []
  const add = (where: Node, mayBeUnknown: boolean, ...nodes: ReadonlyArray<Node>) => {
    for (const node of nodes) operands.push({ node, where, mayBeUnknown })
  }
  const visit = (node: Node): void => {
    if (isBinaryExpression(node) && operators.has(node.operatorToken.kind)) {
      const { left, right } = node
      const typeOf = [left, right].find(isTypeOfExpression)
      if (typeOf !== undefined) {
        if (/["']number["']/.test(node.getText())) add(node, false, typeOf.expression)
      } else if (!isConstant(left) && !isConstant(right)) add(node, true, left, right)
    }
    if (isCallExpression(node) && isPropertyAccessExpression(node.expression)) {
      if (lookups.has(node.expression.name.getText())) add(node, true, ...node.arguments.slice(0, 1))
    }
    if (isCallExpression(node) && node.expression.getText() === "Number") add(node, true, ...node.arguments)
    node.forEachChild(visit)
  }
  visit(file)
  return operands
}

it("no plugin compares decimals by identity, or takes them for no number", () => {
  const api = new API({ cwd: root })
  try {
    const config = fileURLToPath(new URL("decimals.tsconfig.json", import.meta.url))
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects()
    if (project === undefined) return assert.fail("the compiler did not open the project")
    const files = globSync(["plugins/**/*.ts", "core/plugin/**/*.ts"], { cwd: root }).sort()
    assert.isAbove(files.length, 100)
    const breaking = files.flatMap((name) => {
      const file = project.program.getSourceFile(`${root}${name}`)
      if (file === undefined) return [`${name} is not in the project`]
      const operands = operandsIn(file)
      if (operands.length === 0) return []
      const types = project.checker.getTypeAtLocation(operands.map(({ node }) => node))
      const breaches = operands.filter(
        ({ mayBeUnknown }, index) => isDecimal(types[index]) || (!mayBeUnknown && isUnknown(types[index]))
      )
      return [...new Set(breaches.map(({ where }) => `${name}: ${where.getText().replace(/\s+/g, " ")}`))]
    })
    assert.deepStrictEqual(
      breaking.filter((breach) => !Object.keys(homes).some((home) => breach.startsWith(`${home}:`))),
      []
    )
    // What breaks no rule any more needs no exception.
    assert.deepStrictEqual(
      Object.keys(homes).filter((home) => !breaking.some((breach) => breach.startsWith(`${home}:`))),
      []
    )
  } finally {
    api.close()
  }
})
