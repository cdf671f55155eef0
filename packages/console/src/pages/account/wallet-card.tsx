import { consoleEndpoints } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Wallet } from 'lucide-react'
import { consoleApi } from '../../api/client.ts'
import { accountQuery } from '../../api/people.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Card } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { useChange } from '../../ui/use-change.ts'
import { type InjectedWallet, useInjectedWallets } from '../../wallet/injected-wallets.ts'
import { connectWallet, signText } from '../../wallet/wallet-calls.ts'

async function addWallet({ provider }: InjectedWallet): Promise<void> {
  const { address, chainId } = await connectWallet(provider)
  const place = { address, chain_id: chainId }
  const { message } = await consoleApi.call(consoleEndpoints.challengeSignInWallet, { body: place })
  const signature = await signText(provider, address, message)
  await consoleApi.call(consoleEndpoints.addSignInWallet, { body: { message, signature } })
}

/** The wallets that sign this person in. Those that pay are a team's, and are listed with its funding. */
export function WalletCard() {
  const { wallets } = useSuspenseQuery(accountQuery).data
  const injected = useInjectedWallets()
  const refresh = [accountQuery.queryKey]
  const add = useChange({ change: addWallet, refresh, done: 'You can now sign in with this wallet.' })
  const remove = useChange({
    change: (id: string) => consoleApi.call(consoleEndpoints.removeSignInWallet, { path: { wallet_id: id } }),
    refresh,
    done: 'The wallet is removed.',
  })
  return (
    <Card title="Wallets that sign you in">
      {wallets.length === 0 && <p className="text-soft">None yet.</p>}
      <ul className="divide-y divide-line">
        {wallets.map(({ id, address, linked_at: linkedAt }) => (
          <li key={id} className="flex items-center gap-3 py-2">
            <div className="min-w-0 flex-1">
              <p className="font-mono text-[12px] break-all">{address}</p>
              <p className="text-[12px] text-soft">
                added <Time seconds={linkedAt} />
              </p>
            </div>
            <Button
              look="quiet"
              aria-label={`Remove ${address}`}
              isBusy={remove.isPending && remove.variables === id}
              onClick={() => remove.mutate(id)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <div className="mt-3 flex flex-col gap-3">
        <Failure error={add.error ?? remove.error} />
        {injected.map((wallet) => (
          <Button
            key={wallet.id}
            look="secondary"
            className="self-start"
            isBusy={add.isPending}
            onClick={() => add.mutate(wallet)}
          >
            <Wallet size={16} aria-hidden />
            Add {wallet.name}
          </Button>
        ))}
        {injected.length === 0 && <p className="text-[12px] text-soft">This browser has no wallet to add.</p>}
      </div>
    </Card>
  )
}
