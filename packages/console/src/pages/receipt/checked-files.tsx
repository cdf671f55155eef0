import { formatCredits, nanocreditsOf } from '@svc/contract'
import type { Receipt } from '@svc/contract/log/receipt'
import type { ReceiptCheck } from '@svc/contract/log/verify-receipt'
import { Check, X } from 'lucide-react'
import { Code } from '../../ui/code.tsx'
import { Credits } from '../../ui/credits.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { exactTimeText } from '../../ui/time.tsx'
import type { CheckedFile, CheckedReceipts } from './check-receipts.ts'

/** What came of each file, and of all of them together. */
export function CheckedFiles({ checked: { files, line } }: { readonly checked: CheckedReceipts }) {
  return (
    <div className="flex flex-col gap-5">
      {files.map((file) => (
        <Checked key={file.name} file={file} />
      ))}
      {line.length > 0 && (
        <section>
          <h2 className="mb-2 font-semibold">Together</h2>
          <ul className="flex flex-col gap-1.5">
            {line.map(({ holds, finding }) => (
              <Step key={finding} holds={holds} name="line" finding={finding} />
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

const STEPS: Readonly<Record<ReceiptCheck['name'] | 'line', string>> = {
  charge: 'The charge',
  record: 'The record',
  inclusion: 'The place in the log',
  signature: 'The signature',
  line: 'The order',
}

function Checked({ file: { name, problem, receipt, checks } }: { readonly file: CheckedFile }) {
  const wrong = checks.filter(({ holds }) => !holds).length
  return (
    <section className="min-w-0 rounded-lg border border-line bg-surface p-4">
      <h2 className="mb-2 font-semibold wrap-anywhere">{name}</h2>
      {problem !== null && <p className="text-danger">It is no receipt. {problem}.</p>}
      {problem === null && (
        <p className={wrong === 0 ? 'mb-3 text-success' : 'mb-3 text-danger'}>
          {wrong === 0
            ? 'Everything holds.'
            : wrong === 1
              ? 'One thing does not hold.'
              : `${wrong} things do not hold.`}
        </p>
      )}
      {checks.length > 0 && (
        <ol className="mb-4 flex flex-col gap-1.5">
          {checks.map((check) => (
            <Step key={check.name} {...check} />
          ))}
        </ol>
      )}
      {receipt !== null && <Said receipt={receipt} />}
    </section>
  )
}

interface StepProps {
  readonly name: keyof typeof STEPS
  readonly holds: boolean
  readonly finding: string
}

function Step({ name, holds, finding }: StepProps) {
  return (
    <li className="flex gap-2.5">
      {holds ? (
        <Check size={16} className="mt-0.5 shrink-0 text-success" aria-label="Holds" />
      ) : (
        <X size={16} className="mt-0.5 shrink-0 text-danger" aria-label="Does not hold" />
      )}
      <span className="min-w-0 break-words">
        {STEPS[name]}: <span className="wrap-anywhere text-soft">{finding}</span>
      </span>
    </li>
  )
}

function Said({ receipt: { entry, record } }: { readonly receipt: Receipt }) {
  return (
    <Facts>
      <Fact name="Booked">{exactTimeText(entry.booked_at)}</Fact>
      <Fact name="Kind">{entry.kind}</Fact>
      <Fact name="Amount">
        <Credits value={formatCredits(nanocreditsOf(BigInt(entry.amount)))} />
      </Fact>
      <Fact name="Balance after it">
        <Credits value={formatCredits(nanocreditsOf(BigInt(entry.balance)))} isBalance />
      </Fact>
      <Fact name="Line of the account">{entry.number.toLocaleString()}</Fact>
      {record !== null && <Fact name="Model">{record.model}</Fact>}
      <Fact name="Id">
        <Code>{entry.id}</Code>
      </Fact>
    </Facts>
  )
}
