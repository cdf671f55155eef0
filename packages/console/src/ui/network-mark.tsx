import { useSession } from '../api/session.ts'

const TEST_CHAIN = 46_630

/** Why coins of a chain are worth nothing elsewhere. */
export type TestMoney = 'local' | 'test'

/**
 * Tells whether coins of a chain are test money: on the gateway's own machine all of them are, whatever id the chain
 * has; elsewhere those of the test network.
 *
 * @returns null where they are worth something.
 */
export function useTestMoney(chainId: number): TestMoney | null {
  const { has_local_chains: isLocal } = useSession().gateway
  if (isLocal) return 'local'
  return chainId === TEST_CHAIN ? 'test' : null
}

interface NetworkMarkProps {
  readonly chainId: number
}

/** Says of a network that its coins are worth nothing; says nothing of others. */
export function NetworkMark({ chainId }: NetworkMarkProps) {
  const kind = useTestMoney(chainId)
  if (kind === null) return null
  return (
    <span
      title={kind === 'local' ? 'Test money: this chain runs on the gateway’s own machine.' : 'Test money.'}
      className="rounded bg-test-net-soft px-1.5 text-[12px] font-medium whitespace-nowrap text-test-net"
    >
      {kind === 'local' ? 'local chain, test money' : 'test network'}
    </span>
  )
}

const NAMES: Readonly<Record<number, string>> = { 4663: 'Robinhood Chain', 46630: 'Robinhood Chain Testnet' }

export function networkName(chainId: number): string {
  return NAMES[chainId] ?? `Chain ${chainId}`
}

/** The name of a network, with its mark. */
export function Network({ chainId }: NetworkMarkProps) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      {networkName(chainId)}
      <NetworkMark chainId={chainId} />
    </span>
  )
}
