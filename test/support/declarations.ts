/** What a module declares at its top, and what of a declaration runs only when somebody calls it. */
import { parseAst } from "vitest/node"

/** A node of the syntax tree, of which only what all nodes have is read without asking its type. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const childrenOf = (node: Node): ReadonlyArray<Node> => Object.values(node).flat().filter(isNode)

export interface Declaration {
  /** Its name, or those that it takes apart, with commas. */
  readonly name: string
  readonly start: number
  readonly end: number
  /** Its text without the bodies of what is called later: what runs when the module is loaded. */
  readonly atLoad: string
  /** Its whole text. */
  readonly text: string
}

export interface Module {
  readonly declarations: ReadonlyArray<Declaration>
  /** Texts of the statements that declare nothing, but imports and types: what they do, they do at load. */
  readonly statements: ReadonlyArray<string>
}

/** What calls its functions when the program runs it, not when the module is loaded. */
const lazy = new Set(["Cause", "Context", "Effect", "Layer", "Schedule", "Schema", "Stream"])

const rootOf = (node: unknown): string | undefined =>
  !isNode(node)
    ? undefined
    : node.type === "Identifier"
      ? String(node["name"])
      : rootOf(node["object"] ?? node["callee"])

const functions = new Set(["ArrowFunctionExpression", "FunctionDeclaration", "FunctionExpression"])

/** Places of the functions of a node that are called later: those inside a call only where its callee is lazy. */
const laterIn = (node: Node, isLater = true): ReadonlyArray<readonly [start: number, end: number]> => {
  if (functions.has(node.type) && isLater) return [[node.start, node.end]]
  const inCall = node.type === "CallExpression" || node.type === "NewExpression"
  const next = inCall ? lazy.has(rootOf(node["callee"]) ?? "") : isLater
  return childrenOf(node).flatMap((child) => laterIn(child, next))
}

const namesIn = (pattern: unknown): ReadonlyArray<string> =>
  !isNode(pattern)
    ? []
    : pattern.type === "Identifier"
      ? [String(pattern["name"])]
      : pattern.type === "Property"
        ? namesIn(pattern["value"])
        : childrenOf(pattern).flatMap(namesIn)

const isType = ({ declaration, exportKind, type }: Node): boolean =>
  type.startsWith("TS") || exportKind === "type" || (isNode(declaration) && declaration.type.startsWith("TS"))

/** The body of a module, also of one as Vitest runs it: inside a function that is given what it imports. */
const bodyOf = (code: string, lang: "js" | "ts"): ReadonlyArray<Node> => {
  const body: ReadonlyArray<Node> = childrenOf(parseAst(code, { lang }) as unknown as Node)
  const wrapped = body.find(
    ({ expression }) =>
      isNode(expression) && expression.type === "ArrowFunctionExpression" && expression["async"] === true
  )
  const block = (wrapped?.["expression"] as Node | undefined)?.["body"]
  return isNode(block) ? childrenOf(block).flatMap(childrenOf) : body
}

/** @throws where the code is none. */
export const moduleOf = (code: string, lang: "js" | "ts" = "ts"): Module => {
  const declarations: Array<Declaration> = []
  const statements: Array<string> = []
  const declared = (names: ReadonlyArray<string>, node: Node) => {
    let atLoad = ""
    let at = node.start
    for (const [start, end] of laterIn(node)) {
      atLoad += code.slice(at, start)
      at = end
    }
    atLoad += code.slice(at, node.end)
    const { end, start } = node
    declarations.push({ name: names.join(), start, end, atLoad, text: code.slice(start, end) })
  }
  for (const node of bodyOf(code, lang)) {
    const inner = isNode(node["declaration"]) ? node["declaration"] : node
    if (node.type === "ImportDeclaration" || isType(node)) continue
    if (inner.type === "VariableDeclaration")
      for (const one of childrenOf(inner)) declared(namesIn(one["id"]), one)
    else if (isNode(inner["id"])) declared(namesIn(inner["id"]), inner)
    else statements.push(code.slice(node.start, node.end))
  }
  return { declarations, statements }
}
