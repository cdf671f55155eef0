import type { PasskeyView } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { hasPasskeys, isOpenedByName } from '../../api/passkeys.ts'
import { accountQuery } from '../../api/people.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { AddPasskey, RemovePasskey, RenamePasskey } from './passkey-dialogs.tsx'

type Step = { readonly name: 'add' } | { readonly name: 'rename' | 'remove'; readonly passkey: PasskeyView }

/** Keys in a person's devices that sign them in. */
export function PasskeyCard() {
  const { passkeys, passkeys_off: obstacle } = useSuspenseQuery(accountQuery).data
  const [step, setStep] = useState<Step | null>(null)
  const close = (): void => setStep(null)
  const why = obstacle === null ? whyNotHere() : OBSTACLES[obstacle]
  return (
    <Card title="Passkeys">
      <p className="text-soft">
        A passkey signs you in with your fingerprint, your face or the PIN of your device: no password, no email and no
        code besides.
      </p>
      <ul className="mt-1 divide-y divide-line">
        {passkeys.map((passkey) => (
          <PasskeyRow key={passkey.id} passkey={passkey} onStep={(name) => setStep({ name, passkey })} />
        ))}
      </ul>
      {why === null ? (
        <Button look="secondary" className="mt-3" onClick={() => setStep({ name: 'add' })}>
          Add a passkey
        </Button>
      ) : (
        <p className="mt-3 rounded bg-sunken px-3 py-2 text-soft">{why}</p>
      )}
      {step?.name === 'add' && <AddPasskey onClose={close} />}
      {step?.name === 'rename' && <RenamePasskey passkey={step.passkey} onClose={close} />}
      {step?.name === 'remove' && <RemovePasskey passkey={step.passkey} onClose={close} />}
    </Card>
  )
}

const OBSTACLES = {
  bare_address:
    'This gateway has no passkeys: browsers tie them to a name, and its address is a bare IP address. Its operator ' +
    'can give it a name.',
  plain_http:
    'This gateway has no passkeys: browsers take them over HTTPS alone, and its address is plain HTTP. Its operator ' +
    'can change that.',
  turned_off: 'The operator of this gateway has turned passkeys off.',
} as const

function whyNotHere(): string | null {
  if (hasPasskeys()) return null
  return isOpenedByName()
    ? 'This browser knows no passkeys.'
    : 'Browsers tie passkeys to a name: open this console by its name, such as localhost, to add one.'
}

interface RowProps {
  readonly passkey: PasskeyView
  readonly onStep: (name: 'rename' | 'remove') => void
}

function PasskeyRow({ passkey, onStep }: RowProps) {
  const { name, added_at: addedAt, last_used_at: lastUsedAt } = passkey
  return (
    <li className="flex items-center gap-1 py-2">
      <div className="min-w-0 flex-1">
        <p className="break-words">{name}</p>
        <p className="text-[12px] text-soft">
          added <Time seconds={addedAt} />,{' '}
          {lastUsedAt === null ? (
            'never used'
          ) : (
            <>
              last used <Time seconds={lastUsedAt} />
            </>
          )}
          {passkey.is_backed_up && ', synced'}
        </p>
        {!passkey.is_usable && (
          <p className="text-[12px] text-warning">
            Made for another address of this gateway: it no longer signs in. Remove it.
          </p>
        )}
      </div>
      <Button look="quiet" aria-label={`Rename ${name}`} onClick={() => onStep('rename')}>
        Rename
      </Button>
      <Button look="quiet" aria-label={`Remove ${name}`} onClick={() => onStep('remove')}>
        Remove
      </Button>
    </li>
  )
}
