import { consoleEndpoints, INVOICE_BYTES_MAX, type ReconciliationList } from '@svc/contract'
import { clsx } from 'clsx'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { named } from '../../api/named.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { Field, inputLook, TextField } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useOperatorAction } from './use-operator-action.ts'

/** What a column says, by the name that it has where no header is named. */
const COLUMNS = {
  generation_id: 'Column of the upstream’s ids',
  cost_usd: 'Column of costs in USD',
  created_at: 'Column of times',
  model: 'Column of models',
} as const
type Column = keyof typeof COLUMNS

interface Asked extends Partial<Record<Column | 'utc_offset', string>> {
  readonly upstream: string
  readonly day: string
  readonly file: File | null
  /** Tells one file from another: what is asked for twice is the same. */
  readonly fileName: string
}

interface ReconcileDialogProps {
  readonly upstreams: ReconciliationList['upstreams']
  readonly onStarted: (runId: string) => void
  readonly onClose: () => void
}

const DAY_MS = 86_400_000
const dayBefore = (): string => new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)

/** Asks which upstream and day, and for the invoice where the upstream does not tell its figures. */
export function ReconcileDialog({ upstreams, onStarted, onClose }: ReconcileDialogProps) {
  const [upstream, setUpstream] = useState(upstreams[0]?.name ?? '')
  const [file, setFile] = useState<File | null>(null)
  const tellsFigures = upstreams.find(({ name }) => name === upstream)?.tells_figures === true
  const run = useOperatorAction(start, 'The reconciliation runs.', onClose)
  async function start({ file: invoice, fileName: _name, ...query }: Asked, name: string): Promise<void> {
    if (invoice !== null && invoice.size > INVOICE_BYTES_MAX) throw new Error(TOO_LARGE)
    const form = invoice === null ? {} : { file: invoice }
    const { id } = await consoleApi.call(consoleEndpoints.startReconciliation, { query, form }, named(name))
    if (id === null) throw new Error('A reconciliation with this upstream runs already. Try again once it has ended.')
    onStarted(id)
  }
  const submit = (text: (name: string) => string): void => {
    const columns = [...(Object.keys(COLUMNS) as Column[]), 'utc_offset' as const]
    const said = columns.flatMap((column) => (text(column) === '' ? [] : [[column, text(column)] as const]))
    const fileName = file === null ? '' : `${file.name} ${file.size} ${file.lastModified}`
    run.mutate({ upstream, day: text('day'), file, fileName, ...Object.fromEntries(said) })
  }
  return (
    <ActionDialog
      title="Reconcile a day"
      lead="Compares what the records of a UTC day cost with what an upstream has billed for it. It changes nothing."
      onClose={onClose}
      action="Reconcile"
      run={run}
      onSubmit={submit}
    >
      <SelectField
        label="Upstream"
        name="upstream"
        value={upstream}
        options={upstreams.map(({ name }) => ({ value: name, text: name }))}
        onPick={setUpstream}
      />
      <TextField label="Day" name="day" type="date" required max={dayBefore()} defaultValue={dayBefore()} />
      <Field
        label="Invoice"
        hint={
          tellsFigures
            ? 'A CSV file with a row for each generation. Without one the upstream is asked for its figures.'
            : 'A CSV file with a row for each generation: this upstream does not tell its figures.'
        }
      >
        {(tied) => (
          <input
            {...tied}
            type="file"
            accept=".csv,text/csv"
            required={!tellsFigures}
            onChange={({ target }) => setFile(target.files?.[0] ?? null)}
            className={clsx(inputLook, 'h-auto py-1.5')}
          />
        )}
      </Field>
      {file !== null && <Columns />}
    </ActionDialog>
  )
}

const TOO_LARGE = `The file is larger than ${INVOICE_BYTES_MAX / 1024 ** 2} MiB: run “npm run admin -- reconcile --file”, which takes any.`

function Columns() {
  return (
    <details>
      <summary className="cursor-pointer py-1 font-medium">Other headers and times</summary>
      <div className="flex flex-col gap-3 pt-2">
        {Object.entries(COLUMNS).map(([name, label]) => (
          <TextField key={name} label={label} name={name} placeholder={name} maxLength={200} autoComplete="off" />
        ))}
        <TextField
          label="Times without a zone are of"
          name="utc_offset"
          placeholder="+00:00"
          pattern="[+\-](0[0-9]|1[0-4]):[0-5][0-9]"
          wants="An offset such as +02:00"
          autoComplete="off"
        />
      </div>
    </details>
  )
}
