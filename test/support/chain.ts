/** A real EVM chain on loopback (anvil) with a real EIP-3009 token, compiled from `Token.sol`. */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import {
  type Abi,
  createTestClient,
  createWalletClient,
  defineChain,
  http,
  publicActions,
  walletActions
} from "viem"
import { privateKeyToAccount } from "viem/accounts"

const require = createRequire(import.meta.url)

interface Compiled {
  readonly abi: Abi
  readonly bytecode: `0x${string}`
}

const compile = (): Readonly<Record<"Token" | "Wallet", Compiled>> => {
  const solc = require("solc") as { compile: (input: string) => string }
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: "Solidity",
        sources: { "Token.sol": { content: readFileSync(new URL("Token.sol", import.meta.url), "utf8") } },
        settings: {
          optimizer: { enabled: true, runs: 200 },
          viaIR: true,
          outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } }
        }
      })
    )
  ) as {
    errors?: ReadonlyArray<{ severity: string; formattedMessage: string }>
    contracts?: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
  }
  const broken = output.errors?.find(({ severity }) => severity === "error")
  if (broken !== undefined) throw new Error(broken.formattedMessage)
  const of = (name: string): Compiled => {
    const found = output.contracts?.["Token.sol"]?.[name]
    if (found === undefined) throw new Error(`no ${name}`)
    return { abi: found.abi, bytecode: `0x${found.evm.bytecode.object}` }
  }
  return { Token: of("Token"), Wallet: of("Wallet") }
}

/** The platform's own binary: the package's wrapper would leave a child behind when it is ended. */
const anvil = (): string => {
  const platform = `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`
  return join(dirname(require.resolve(`${platform}/package.json`)), "bin", "anvil")
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Keys of the tests: what they own is worth nothing anywhere. */
const keyOf = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`

export const chainId = 8453

const makeChain = (port: number) => {
  const url = `http://127.0.0.1:${port}`
  const chain = defineChain({
    id: chainId,
    name: "test",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [url] } }
  })
  const { Token, Wallet } = compile()
  const deployer = privateKeyToAccount(keyOf(0xd1))
  const client = createTestClient({ chain, mode: "anvil", transport: http(url), account: deployer })
    .extend(publicActions)
    .extend(walletActions)

  const deploy = async (contract: Compiled, args: ReadonlyArray<unknown>): Promise<`0x${string}`> => {
    const hash = await client.deployContract({ ...contract, args: [...args] })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash })
    if (contractAddress == null) throw new Error("nothing was deployed")
    return contractAddress
  }

  /** A wallet with gas; its token is minted by `mint`. */
  const wallet = async (n: number) => {
    const account = privateKeyToAccount(keyOf(0xa000 + n))
    await client.setBalance({ address: account.address, value: 10n ** 20n })
    return createWalletClient({ chain, transport: http(url), account })
  }

  const write = async (
    token: `0x${string}`,
    functionName: string,
    args: ReadonlyArray<unknown>,
    from?: Awaited<ReturnType<typeof wallet>>
  ) => {
    const request = { address: token, abi: Token.abi, functionName, args: [...args], chain }
    const hash =
      from === undefined
        ? await client.writeContract({ ...request, account: deployer })
        : await from.writeContract({ ...request, account: from.account })
    return client.waitForTransactionReceipt({ hash })
  }

  return {
    url,
    chain,
    client,
    deployer,
    wallet,
    abi: Token.abi,
    ready: async () => {
      await client.setBalance({ address: deployer.address, value: 10n ** 21n })
    },
    deployToken: (name = "USD Coin") => deploy(Token, [name]),
    deployWallet: (owner: `0x${string}`) => deploy(Wallet, [owner]),
    mint: (token: `0x${string}`, to: `0x${string}`, value: bigint) => write(token, "mint", [to, value]),
    transfer: (
      token: `0x${string}`,
      from: Awaited<ReturnType<typeof wallet>>,
      to: `0x${string}`,
      value: bigint
    ) => write(token, "transfer", [to, value], from),
    write,
    balance: (token: `0x${string}`, of: `0x${string}`) =>
      client.readContract({
        address: token,
        abi: Token.abi,
        functionName: "balanceOf",
        args: [of]
      }) as Promise<bigint>,
    /** Makes everything so far final: with one slot an epoch, two blocks are behind the head. */
    finalize: () => client.mine({ blocks: 4 })
  }
}

export type TestChain = ReturnType<typeof makeChain>

const start = async (): Promise<{ readonly child: ChildProcess; readonly chain: TestChain }> => {
  const port = await freePort()
  const child = spawn(
    anvil(),
    [
      "--host",
      "127.0.0.1",
      "--port",
      String(port),
      "--chain-id",
      String(chainId),
      "--slots-in-an-epoch",
      "1",
      "--silent"
    ],
    { stdio: "ignore" }
  )
  const chain = makeChain(port)
  for (let attempt = 0; ; attempt++) {
    try {
      await chain.client.getChainId()
      break
    } catch (error) {
      if (attempt > 200 || child.exitCode !== null) throw error
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  await chain.ready()
  return { child, chain }
}

/** A chain of its own, ended with the scope. */
export const testChain = Effect.map(
  Effect.acquireRelease(Effect.promise(start), ({ child }) => Effect.sync(() => child.kill("SIGKILL"))),
  ({ chain }) => chain
)
