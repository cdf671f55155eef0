import { consoleEndpoints, type PasskeyView, SHOWN_NAME_LENGTH_MAX } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { consoleApi } from '../../api/client.ts'
import { makePasskey } from '../../api/passkeys.ts'
import { accountQuery } from '../../api/people.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { useChange } from '../../ui/use-change.ts'
import { browserName } from './browser-name.ts'

interface NewPasskey {
  readonly name: string
  /** Of the second factor, where it is on. */
  readonly code: string | null
}

/** The gateway looks at the code before the browser asks the device: a person touches no device for what is refused. */
async function addPasskey({ name, code }: NewPasskey): Promise<void> {
  const options = await consoleApi.call(consoleEndpoints.beginPasskey, { body: code === null ? {} : { code } })
  const answer = await makePasskey(options)
  await consoleApi.call(consoleEndpoints.addPasskey, { body: { name, answer } })
}

export function AddPasskey({ onClose }: { readonly onClose: () => void }) {
  const { second_factor: factor } = useSuspenseQuery(accountQuery).data
  const add = useChange({
    change: addPasskey,
    refresh: [accountQuery.queryKey],
    done: 'You can now sign in with this passkey.',
    onDone: onClose,
  })
  return (
    <ActionDialog
      title="Add a passkey"
      lead="Your browser asks where it is to be kept: on this device, on your phone, or on a security key."
      isSensitive
      action="Continue"
      run={add}
      onSubmit={(text) => add.mutate({ name: text('name').trim(), code: factor.is_on ? text('code').trim() : null })}
      onClose={onClose}
    >
      <NameField name={browserName(navigator.userAgent)} hint="By which you will know it in the list." />
      {factor.is_on && (
        <TextField
          label="Code"
          name="code"
          required
          autoComplete="one-time-code"
          spellCheck={false}
          maxLength={64}
          className="font-mono"
          hint="Six digits of your app, or a recovery code: a passkey signs in without them."
        />
      )}
    </ActionDialog>
  )
}

interface StepProps {
  readonly passkey: PasskeyView
  readonly onClose: () => void
}

export function RenamePasskey({ passkey, onClose }: StepProps) {
  const rename = useChange({
    change: (name: string) =>
      consoleApi.call(consoleEndpoints.renamePasskey, { path: { passkey_id: passkey.id }, body: { name } }),
    refresh: [accountQuery.queryKey],
    onDone: onClose,
  })
  return (
    <ActionDialog
      title="Rename the passkey"
      action="Save the name"
      run={rename}
      onSubmit={(text) => rename.mutate(text('name').trim())}
      onClose={onClose}
    >
      <NameField name={passkey.name} />
    </ActionDialog>
  )
}

export function RemovePasskey({ passkey, onClose }: StepProps) {
  const remove = useChange({
    change: () => consoleApi.call(consoleEndpoints.removePasskey, { path: { passkey_id: passkey.id } }),
    refresh: [accountQuery.queryKey],
    done: 'The passkey is removed.',
    onDone: onClose,
  })
  return (
    <ActionDialog
      title={`Remove ${passkey.name}`}
      lead="It no longer signs in. Your device may still show it: delete it there, too."
      isSensitive
      action="Remove the passkey"
      look="danger"
      run={remove}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    />
  )
}

function NameField({ name, hint }: { readonly name: string; readonly hint?: string }) {
  return (
    <TextField
      label="Name"
      name="name"
      defaultValue={name.slice(0, SHOWN_NAME_LENGTH_MAX)}
      required
      autoFocus
      autoComplete="off"
      maxLength={SHOWN_NAME_LENGTH_MAX}
      {...(hint === undefined ? {} : { hint })}
    />
  )
}
