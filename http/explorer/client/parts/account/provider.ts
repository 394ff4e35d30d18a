/** The wallet of this browser (EIP-1193). */
export interface Provider {
  readonly request: (call: {
    readonly method: string
    readonly params?: ReadonlyArray<unknown>
  }) => Promise<unknown>
}

export const providerOf = (): Provider | undefined => (window as { readonly ethereum?: Provider }).ethereum

export const hexOf = (bytes: Uint8Array): string =>
  `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`

/** The account that its owner shows to this page. */
export const accountOf = async (provider: Provider): Promise<string> => {
  const [from] = (await provider.request({ method: "eth_requestAccounts" })) as ReadonlyArray<string>
  if (from === undefined) throw new Error("The wallet shows no account.")
  return from
}

export const switchTo = async (provider: Provider, chainId: number): Promise<void> => {
  if (Number(await provider.request({ method: "eth_chainId" })) === chainId) return
  await provider.request({
    method: "wallet_switchEthereumChain",
    params: [{ chainId: `0x${chainId.toString(16)}` }]
  })
}

/** Why the wallet did not do what it was asked for. */
export const walletErrorMessage = (error: unknown, did: string): string => {
  const { code, message } = error as { readonly code?: number; readonly message?: string }
  return code === 4001 ? `The wallet did not ${did}.` : (message ?? `The wallet could not ${did}.`)
}
