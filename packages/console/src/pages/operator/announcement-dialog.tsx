import { ANNOUNCEMENT_BODY_LENGTH_MAX, ANNOUNCEMENT_TITLE_LENGTH_MAX, consoleEndpoints } from '@svc/contract'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { named } from '../../api/named.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useOperatorAction } from './use-operator-action.ts'

type Kind = 'news' | 'maintenance'

/** A time of the browser's own zone as seconds since the epoch; null for none. */
function secondsFrom(text: string): number | null {
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.floor(at / 1_000)
}

interface Written {
  readonly kind: Kind
  readonly title: string
  readonly body: string
  readonly starts_at: number | null
  readonly ends_at: number | null
}

/** Writes an announcement, and publishes it. */
export function AnnouncementDialog({ onClose }: { readonly onClose: () => void }) {
  const [kind, setKind] = useState<Kind>('news')
  const publish = useOperatorAction(
    (body: Written, name) => consoleApi.call(consoleEndpoints.publishAnnouncement, { body }, named(name)),
    'It is announced.',
    onClose,
  )
  const isMaintenance = kind === 'maintenance'
  return (
    <ActionDialog
      title="New announcement"
      lead="Everybody who signs in reads it. It cannot be changed later, only taken back."
      action="Announce it"
      run={publish}
      onClose={onClose}
      onSubmit={(text) =>
        publish.mutate({
          ...{ kind, title: text('title').trim(), body: text('body').trim() },
          ...{ starts_at: secondsFrom(text('from')), ends_at: secondsFrom(text('to')) },
        })
      }
    >
      <SelectField
        label="Kind"
        value={kind}
        options={[
          { value: 'news', text: 'News' },
          { value: 'maintenance', text: 'Maintenance' },
        ]}
        onPick={(picked) => setKind(picked === 'maintenance' ? 'maintenance' : 'news')}
      />
      <TextField label="Title" name="title" required maxLength={ANNOUNCEMENT_TITLE_LENGTH_MAX} autoComplete="off" />
      <TextAreaField
        label="Text"
        hint="Plain text."
        name="body"
        required
        rows={4}
        maxLength={ANNOUNCEMENT_BODY_LENGTH_MAX}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label={isMaintenance ? 'It begins' : 'Shown from'}
          name="from"
          type="datetime-local"
          required={isMaintenance}
          hint={isMaintenance ? 'In your time zone. It is shown at once.' : 'Empty: at once.'}
        />
        <TextField
          label={isMaintenance ? 'It ends' : 'Shown until'}
          name="to"
          type="datetime-local"
          required={isMaintenance}
          hint={isMaintenance ? 'Then it is not shown any more.' : 'Empty: until you take it back.'}
        />
      </div>
    </ActionDialog>
  )
}
