import type { LinkedWalletBody } from '@svc/contract'
import { useState } from 'react'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Card } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { useInjectedWallets } from '../../wallet/injected-wallets.ts'
import { LinkByHand } from './link-by-hand.tsx'
import { Network } from '../../ui/network-mark.tsx'
import type { Place } from './place.ts'
import { useLinkInjected, useUnlinkWallet } from './wallet-changes.ts'

interface LinkedWalletsProps {
  /** Those that are linked now. */
  readonly wallets: readonly LinkedWalletBody[]
  readonly place: Place
}

/** Where all pay to one address, a payment is the team's that owns the wallet: so wallets are linked first. */
export function LinkedWallets({ wallets, place }: LinkedWalletsProps) {
  return (
    <Card title="Your wallets">
      <div className="flex flex-col gap-4">
        <p className="text-soft">
          All teams pay to one address here. What a linked wallet sends there is credited to this team, whichever team
          claims it. Withdrawals of an exchange cannot be linked.
        </p>
        {wallets.length > 0 && (
          <ul className="divide-y divide-line/70 rounded border border-line">
            {wallets.map((wallet) => (
              <WalletRow key={wallet.id} wallet={wallet} />
            ))}
          </ul>
        )}
        <LinkInjected place={place} hasAny={wallets.length > 0} />
        <LinkByHand key={place.chainId} place={place} />
      </div>
    </Card>
  )
}

function WalletRow({ wallet }: { readonly wallet: LinkedWalletBody }) {
  const [isAsked, setAsked] = useState(false)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-3 py-2">
      <div className="min-w-0">
        <p className="font-mono text-[12.5px] break-all">{wallet.address}</p>
        <p className="text-[12px] text-soft">
          <Network chainId={wallet.chainId} />, linked <Time seconds={wallet.linked} />
        </p>
      </div>
      <Button look="secondary" onClick={() => setAsked(true)}>
        Unlink
      </Button>
      {isAsked && <UnlinkDialog wallet={wallet} onClose={() => setAsked(false)} />}
    </li>
  )
}

function UnlinkDialog({ wallet, onClose }: { readonly wallet: LinkedWalletBody; readonly onClose: () => void }) {
  const unlink = useUnlinkWallet(wallet.id)
  const short = `${wallet.address.slice(0, 8)}…${wallet.address.slice(-6)}`
  return (
    <ActionDialog
      title={`Unlink ${short}?`}
      lead="Its future payments are not credited to this team. Credits already added stay."
      onClose={onClose}
      action="Unlink the wallet"
      look="danger"
      cancel="Keep it"
      run={unlink}
      onSubmit={() => unlink.mutate(undefined, { onSuccess: onClose })}
    />
  )
}

function LinkInjected({ place, hasAny }: { readonly place: Place; readonly hasAny: boolean }) {
  const found = useInjectedWallets()
  const link = useLinkInjected(place.chainId)
  if (found.length === 0) return <p className="text-[12px] text-soft">No wallet extension was found in this browser.</p>
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        {found.map((wallet) => (
          <Button
            key={wallet.id}
            look={hasAny ? 'secondary' : 'primary'}
            disabled={link.isPending}
            isBusy={link.isPending && link.variables.id === wallet.id}
            onClick={() => link.mutate(wallet)}
          >
            {wallet.icon !== null && <img src={wallet.icon} alt="" className="size-4 rounded-sm" />}
            {hasAny ? 'Link another account of' : 'Link'} {wallet.name}
          </Button>
        ))}
      </div>
      <p className="text-[12px] text-soft">For {place.name}. The wallet signs a message; that costs nothing.</p>
      <Failure error={link.error} />
    </div>
  )
}
