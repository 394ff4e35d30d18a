/**
 * Base for tests: anvil (chain id 8453) with an EIP-3009 token at the address of native USDC. Two blocks
 * make a block final (`finalized` is the newest less 2).
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { Context, Effect, Layer } from "effect"
import {
  type Address,
  concatHex,
  createTestClient,
  encodeAbiParameters,
  type Hex,
  http,
  parseAbi,
  publicActions,
  walletActions
} from "viem"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { base } from "viem/chains"
import { contract } from "./contracts.ts"
import { counterparties } from "./programs.ts"

/** Native USDC on Base. */
export const usdc: Address = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

export const tokenAbi = parseAbi([
  "function balanceOf(address account) view returns (uint256)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function mint(address to, uint256 value)",
  "function setBlacklisted(address account, bool listed)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function transferMany(address[] to, uint256[] value)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)"
])

/** A key that anvil gives ether to: the first of the well-known test mnemonic. Worth nothing anywhere. */
export const funder = privateKeyToAccount(
  "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
)

const clientOf = (rpcUrl: string) =>
  createTestClient({
    mode: "anvil",
    chain: base,
    account: funder,
    transport: http(rpcUrl),
    // Anvil answers at once: what is sent is in the next block.
    pollingInterval: 20
  })
    .extend(publicActions)
    .extend(walletActions)

export type ChainClient = ReturnType<typeof clientOf>

/** The platform's own binary: the package's wrapper would leave it running when it is killed. */
const binary = (): string => {
  const require = createRequire(counterparties)
  const platform = `anvil-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`
  const from = createRequire(require.resolve("@foundry-rs/anvil/package.json"))
  return join(dirname(from.resolve(`@foundry-rs/${platform}/package.json`)), "bin", "anvil")
}

const start = (flags: ReadonlyArray<string>): Promise<{ process: ChildProcess; rpcUrl: string }> =>
  new Promise((resolve, reject) => {
    const anvil = spawn(
      binary(),
      ["--port", "0", "--chain-id", "8453", "--slots-in-an-epoch", "1", ...flags],
      { stdio: ["ignore", "pipe", "pipe"] }
    )
    const stderrChunks: Array<string> = []
    anvil.stderr?.on("data", (chunk: Buffer) => stderrChunks.push(chunk.toString("utf8")))
    anvil.once("error", reject)
    anvil.once("exit", (code) =>
      reject(new Error(`anvil ended with ${code}: ${stderrChunks.join("").slice(-500)}`))
    )
    createInterface({ input: anvil.stdout }).on("line", (line) => {
      const address = /Listening on (127\.0\.0\.1:\d+)/.exec(line)?.[1]
      if (address !== undefined) resolve({ process: anvil, rpcUrl: `http://${address}` })
    })
  })

export class Chain extends Context.Service<
  Chain,
  {
    readonly rpcUrl: string
    /** Sends as `funder`; has the test, public and wallet actions of viem. */
    readonly client: ChainClient
    /** A new key that holds this many millionths of a dollar in the token, and no ether. */
    readonly payer: (micros: bigint) => Effect.Effect<PrivateKeyAccount & { readonly key: Hex }>
    readonly mint: (to: Address, micros: bigint) => Effect.Effect<void>
    readonly balance: (of: Address) => Effect.Effect<bigint>
    /** A transfer of tokens by an account that then also has ether; gives the transaction. */
    readonly transfer: (from: PrivateKeyAccount, to: Address, micros: bigint) => Effect.Effect<Hex>
    /** Makes this many blocks. */
    readonly mineBlocks: (blocks: number) => Effect.Effect<void>
    /** Puts other code at the token's address; its balances stay. */
    readonly setToken: (name: "Token" | "LyingToken" | "RenamedToken") => Effect.Effect<void>
    /** Deploys a contract wallet (ERC-1271) that `owner` signs for. */
    readonly wallet: (owner: Address) => Effect.Effect<Address>
    /** Deploys a contract as it is. */
    readonly deploy: (name: "Delegate" | "Batch") => Effect.Effect<Address>
    /** The key lends its address to a contract (EIP-7702). */
    readonly delegate: (from: PrivateKeyAccount, to: Address) => Effect.Effect<void>
  }
>()("test/Chain") {
  /** A chain of its own; `flags` are anvil's. */
  static readonly layerWith = (flags: ReadonlyArray<string> = []) =>
    Layer.effect(
      Chain,
      Effect.gen(function* () {
        const { rpcUrl } = yield* Effect.acquireRelease(
          Effect.promise(() => start(flags)),
          ({ process }) =>
            Effect.callback<void>((resume) => {
              process.once("exit", () => resume(Effect.void))
              process.kill("SIGKILL")
            })
        )
        const client = clientOf(rpcUrl)
        const setToken = (name: "Token" | "LyingToken" | "RenamedToken") =>
          Effect.promise(() => client.setCode({ address: usdc, bytecode: contract(name).code }))
        yield* setToken("Token")

        const done = (send: () => Promise<Hex>) =>
          Effect.promise(async () => {
            const hash = await send()
            const receipt = await client.waitForTransactionReceipt({ hash })
            if (receipt.status !== "success") throw new Error(`${hash} was reverted`)
            return { hash, receipt }
          })
        const deploy = Effect.fnUntraced(function* (data: Hex) {
          const { receipt } = yield* done(() => client.sendTransaction({ data }))
          return receipt.contractAddress ?? (yield* Effect.die(new Error("no contract was made")))
        })
        const mint = (to: Address, micros: bigint) =>
          done(() =>
            client.writeContract({ address: usdc, abi: tokenAbi, functionName: "mint", args: [to, micros] })
          ).pipe(Effect.asVoid)

        return Chain.of({
          rpcUrl,
          client,
          setToken,
          mint,
          payer: Effect.fnUntraced(function* (micros) {
            const key = generatePrivateKey()
            const account = privateKeyToAccount(key)
            if (micros > 0n) yield* mint(account.address, micros)
            return { ...account, key }
          }),
          balance: (of) =>
            Effect.promise(() =>
              client.readContract({ address: usdc, abi: tokenAbi, functionName: "balanceOf", args: [of] })
            ),
          transfer: Effect.fnUntraced(function* (from, to, micros) {
            yield* Effect.promise(() => client.setBalance({ address: from.address, value: 10n ** 18n }))
            const { hash } = yield* done(() =>
              client.writeContract({
                account: from,
                address: usdc,
                abi: tokenAbi,
                functionName: "transfer",
                args: [to, micros]
              })
            )
            return hash
          }),
          mineBlocks: (blocks) => Effect.promise(() => client.mine({ blocks })),
          wallet: (owner) =>
            deploy(
              concatHex([contract("Wallet").creation, encodeAbiParameters([{ type: "address" }], [owner])])
            ),
          deploy: (name) => deploy(contract(name).creation),
          delegate: (from, to) =>
            done(async () => {
              const nonce = await client.getTransactionCount({ address: from.address })
              const signed = await from.signAuthorization({ chainId: base.id, address: to, nonce })
              return client.sendTransaction({ to: funder.address, authorizationList: [signed] })
            }).pipe(Effect.asVoid)
        })
      })
    )

  static readonly layer = Chain.layerWith()
}
