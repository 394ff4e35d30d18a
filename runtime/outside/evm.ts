/** An EVM chain over JSON-RPC behind the ports of `core/credits`. */
import { Effect } from "effect"
import { createPublicClient, http, parseAbiItem, parseEventLogs, TransactionReceiptNotFoundError } from "viem"
import { type Chain, ChainUnreachable } from "../../core/credits/chain/Chain.ts"

const transferEvent = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)")

export interface Options {
  readonly rpcUrl: string
  readonly chainId: number
  readonly token: string
  readonly depositAddress: string
}

const hex = (address: string): `0x${string}` => address as `0x${string}`

/** RPC errors may quote the URL with a key in it, so their text does not leave this file. */
const ask = <A>(run: () => Promise<A>): Effect.Effect<A, ChainUnreachable> =>
  Effect.tryPromise({
    try: run,
    catch: (error) =>
      error instanceof ChainUnreachable
        ? error
        : new ChainUnreachable({ message: "The chain cannot be read right now. Nothing was changed." })
  })

export const make = ({ chainId, depositAddress, rpcUrl, token }: Options): Chain => {
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: 15_000, retryCount: 2 }) })
  let checked = false
  /** A node of another chain would show transfers of a different token. */
  const check = async () => {
    if (checked) return
    const nodeChainId = await client.getChainId()
    if (nodeChainId !== chainId) {
      throw new ChainUnreachable({
        message: `EVM_RPC_URL serves chain ${nodeChainId}, but EVM_CHAIN_ID is ${chainId}. No transfers are read.`
      })
    }
    checked = true
  }
  return {
    chainId,
    token: token.toLowerCase(),
    depositAddress: depositAddress.toLowerCase(),
    code: (address) =>
      ask(async () => {
        await check()
        return (await client.getCode({ address: hex(address) })) ?? "0x"
      }),
    block: (which) =>
      ask(async () => {
        await check()
        const block =
          typeof which === "bigint"
            ? await client.getBlock({ blockNumber: which })
            : await client.getBlock({ blockTag: which })
        return {
          number: block.number ?? 0n,
          hash: block.hash ?? "",
          time: new Date(Number(block.timestamp) * 1000)
        }
      }),
    finalTransaction: (tx) =>
      ask(async () => {
        await check()
        const receipt = await client
          .getTransactionReceipt({ hash: hex(tx) })
          .catch((error) =>
            error instanceof TransactionReceiptNotFoundError ? undefined : Promise.reject(error)
          )
        if (receipt === undefined || receipt.status !== "success") return undefined
        const [block, final] = await Promise.all([
          client.getBlock({ blockNumber: receipt.blockNumber }),
          client.getBlock({ blockTag: "finalized" })
        ])
        if (receipt.blockNumber > (final.number ?? 0n) || block.hash !== receipt.blockHash) return undefined
        const logs = parseEventLogs({ abi: [transferEvent], logs: receipt.logs }).filter(
          ({ address }) => address.toLowerCase() === token.toLowerCase()
        )
        return {
          time: new Date(Number(block.timestamp) * 1000),
          transfers: logs.map(({ args }) => ({
            from: args.from.toLowerCase(),
            to: args.to.toLowerCase(),
            units: args.value
          }))
        }
      }),
    transfers: (from, to) =>
      ask(async () => {
        await check()
        const logs = await client.getLogs({
          address: hex(token),
          event: transferEvent,
          args: { to: hex(depositAddress) },
          fromBlock: from,
          toBlock: to,
          strict: true
        })
        return logs
          .filter(({ address, removed }) => !removed && address.toLowerCase() === token.toLowerCase())
          .map((log) => ({
            tx: log.transactionHash,
            logIndex: log.logIndex,
            block: log.blockNumber,
            blockHash: log.blockHash,
            sender: log.args.from.toLowerCase(),
            units: log.args.value
          }))
      })
  }
}
