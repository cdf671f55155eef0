import { consoleEndpoints } from '@svc/contract'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { FileCheck2 } from 'lucide-react'
import { type DragEvent, useId, useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextAreaField } from '../../ui/field.tsx'
import { textLink } from '../../ui/text-link.ts'
import { Gate } from '../sign-in/gate.tsx'
import { type CheckedReceipts, checkReceipts } from './check-receipts.ts'
import { CheckedFiles } from './checked-files.tsx'
import { keepPinnedKeys, readPinnedKeys } from './pinned-keys.ts'

/** Files that are checked at once. */
const FILES_MAX = 200

/** Checks receipts without a question to any server: a page for whoever has one, with or without a session. */
export function ReceiptPage() {
  const [keys, setKeys] = useState(readPinnedKeys)
  const [checked, setChecked] = useState<CheckedReceipts | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const check = async (list: FileList | null): Promise<void> => {
    const files = [...(list ?? [])].slice(0, FILES_MAX)
    if (files.length === 0) return
    setError(null)
    setChecked(null)
    try {
      setChecked(await checkReceipts(files, keys))
      keepPinnedKeys(keys)
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error('The file could not be checked.'))
    }
  }
  return (
    <Gate title="Check a receipt" isWide>
      <p className="text-soft">
        A receipt says what was booked and proves that the line is in the signed ledger log. It is checked on this
        machine: the charge from its prices and quantities, the record, the proof and the signature. Nothing is sent.
      </p>
      <Keys keys={keys} onChange={setKeys} />
      <DropPlace hasKeys={keys.trim() !== ''} onFiles={(list) => void check(list)} />
      <Failure error={error} />
      <div role="status">{checked !== null && <CheckedFiles checked={checked} />}</div>
      <Link to="/" className={clsx(textLink, 'self-start')}>
        To the console
      </Link>
    </Gate>
  )
}

function Keys({ keys, onChange }: { readonly keys: string; readonly onChange: (keys: string) => void }) {
  const { user } = useSession()
  const [error, setError] = useState<Error | null>(null)
  const fetchOwn = async (): Promise<void> => {
    try {
      onChange((await consoleApi.call(consoleEndpoints.getLogKeys)).keys.join('\n'))
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error('The keys could not be fetched.'))
    }
  }
  return (
    <div className="flex flex-col items-start gap-2 [&>*:first-child]:w-full">
      <TextAreaField
        label="Key of the ledger log"
        hint="One on a line, as you kept it when you first saw it. This browser remembers it after a check."
        rows={2}
        spellCheck={false}
        autoComplete="off"
        value={keys}
        onChange={({ target }) => onChange(target.value)}
        placeholder="ai.example.com/api/log+…"
        className="font-mono text-[12.5px] break-all"
      />
      {user !== null && keys.trim() === '' && (
        <>
          <Button look="secondary" onClick={() => void fetchOwn()}>
            Use the key that this gateway names
          </Button>
          <p className="text-[12px] text-soft">
            Keep it: a key that is fetched anew each time proves only that the gateway agrees with itself.
          </p>
        </>
      )}
      <Failure error={error} />
    </div>
  )
}

interface DropPlaceProps {
  readonly hasKeys: boolean
  readonly onFiles: (files: FileList | null) => void
}

function DropPlace({ hasKeys, onFiles }: DropPlaceProps) {
  const id = useId()
  const [isOver, setOver] = useState(false)
  const over = (event: DragEvent): void => {
    event.preventDefault()
    setOver(true)
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    onFiles(event.dataTransfer.files)
  }
  return (
    <div
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={clsx(
        'flex flex-col items-center gap-3 rounded-lg border border-dashed px-4 py-8 text-center',
        isOver ? 'border-accent bg-accent-soft' : 'border-line-strong',
      )}
    >
      <FileCheck2 size={22} className="text-soft" aria-hidden />
      <label htmlFor={id} className="font-medium">
        Drop receipts here, or choose them
      </label>
      <input
        id={id}
        type="file"
        multiple
        accept="application/json,.json"
        onChange={({ target }) => {
          onFiles(target.files)
          target.value = ''
        }}
        className={clsx(
          'min-h-6 max-w-full text-[13px] text-soft file:mr-3 file:h-8 file:rounded file:border file:border-line',
          'file:bg-control file:px-3 file:font-medium file:text-text',
        )}
      />
      {!hasKeys && <p className="text-[12px] text-soft">Without a key everything but the signature is checked.</p>}
    </div>
  )
}
