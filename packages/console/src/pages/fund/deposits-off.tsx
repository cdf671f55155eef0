import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSignedIn, useTeam } from '../../api/session.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Card } from '../../ui/page.tsx'
import { textLink } from '../../ui/text-link.ts'
import { fundCommand } from './fund-command.ts'

const SETTINGS = `SVC_RPC_URLS_4663=https://…
SVC_DEPOSIT_XPUB=xpub…`

/** Where deposits are off: what is missing, for operators who can change it. */
export function DepositsOff() {
  const { gateway, user } = useSignedIn()
  const team = useTeam()
  if (gateway.has_local_chains) {
    return (
      <Note title="The local chains are starting">
        <p role="status">They come some seconds after the gateway. This page shows them as soon as they are there.</p>
        <Command />
      </Note>
    )
  }
  if (gateway.is_sandbox) {
    return (
      <Note title="No chain is running">
        <p>
          The sandbox brings chains of its own where <code className="font-mono">@foundry-rs/anvil</code> and{' '}
          <code className="font-mono">solc</code> are installed; <code className="font-mono">npm install</code> brings
          both. Start the gateway again then.
        </p>
        <Command />
      </Note>
    )
  }
  if (!user.is_operator) {
    return (
      <Note title="Deposits are off">
        <p>This gateway takes no deposits. Ask its operator for credits.</p>
      </Note>
    )
  }
  return (
    <Note title="Deposits are off">
      <p>
        To take them, name a node of the chain and an extended public key, from which every account gets an address of
        its own. The private key stays with you. Then start the gateway again.
      </p>
      <pre className="overflow-x-auto rounded border border-line bg-sunken p-3 font-mono text-[12.5px]" tabIndex={0}>
        {SETTINGS}
      </pre>
      <CopyButton text={SETTINGS} what="the settings" className="self-start">
        Copy the settings
      </CopyButton>
      <p>
        Until then give credits by hand, on the page of an{' '}
        <Link to="/team/$teamId/operator/accounts" params={{ teamId: team.id }} className={textLink}>
          account
        </Link>{' '}
        or with <code className="font-mono">npm run admin -- credits grant</code>.
      </p>
    </Note>
  )
}

function Note({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Card title={title}>
      <div className="flex max-w-2xl flex-col gap-3 text-soft">{children}</div>
    </Card>
  )
}

function Command() {
  const command = fundCommand()
  return (
    <div className="flex flex-wrap items-center gap-3">
      <code className="rounded border border-line bg-sunken px-3 py-1.5 font-mono text-[12.5px] text-text">
        {command}
      </code>
      <CopyButton text={command} what="the command" />
      <span>pays the demo account, as a wallet would.</span>
    </div>
  )
}
