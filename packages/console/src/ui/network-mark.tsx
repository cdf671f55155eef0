const TEST_CHAIN = 46_630

/** What is worth nothing elsewhere: coins of a test network, and of a chain that runs on the gateway's own machine. */
export function isPlayMoney(chainId: number, isLocal: boolean): boolean {
  return isLocal || chainId === TEST_CHAIN
}

interface NetworkMarkProps {
  readonly chainId: number
  readonly isLocal?: boolean
}

/** Says of a network that its coins are worth nothing; says nothing of others. */
export function NetworkMark({ chainId, isLocal = false }: NetworkMarkProps) {
  if (!isPlayMoney(chainId, isLocal)) return null
  return (
    <span className="rounded bg-test-net-soft px-1.5 text-[12px] font-medium whitespace-nowrap text-test-net">
      {isLocal ? 'local chain' : 'test network'}
    </span>
  )
}

const NAMES: Readonly<Record<number, string>> = { 4663: 'Robinhood Chain', 46630: 'Robinhood Chain Testnet' }

export function networkName(chainId: number): string {
  return NAMES[chainId] ?? `Chain ${chainId}`
}

/** The name of a network, with its mark. */
export function Network({ chainId, isLocal = false }: NetworkMarkProps) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      {networkName(chainId)}
      <NetworkMark chainId={chainId} isLocal={isLocal} />
    </span>
  )
}
