import type { DecimalText } from '@svc/contract'
import type { ReactNode } from 'react'
import type { FoundRequest } from '../../api/operator-requests.ts'
import { Credits } from '../../ui/credits.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { exactTimeText } from '../../ui/time.tsx'

/** What was charged and what it cost, the hold with each step, and the transfers. */
export function RequestMovement({ found: { record, operator, hold, transfers } }: { readonly found: FoundRequest }) {
  return (
    <div className="flex flex-col gap-5">
      <Facts>
        {record.state === 'final' && <Amount name="Charged" value={record.credits_charged} />}
        <Amount name="Cost" value={operator.credits_cost} />
        <Amount name="Written off" value={operator.credits_written_off} />
      </Facts>
      {hold !== null && <Hold hold={hold} />}
      {transfers.length > 0 && (
        <Part title="Transfers">
          {transfers.map((transfer) => (
            <li key={transfer.id} className="rounded bg-sunken px-3 py-2">
              <Transfer transfer={transfer} />
            </li>
          ))}
        </Part>
      )}
    </div>
  )
}

function Amount({ name, value }: { readonly name: string; readonly value: DecimalText | null }) {
  return <Fact name={name}>{value === null ? 'not known yet' : <Credits value={value} withUsd />}</Fact>
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-2 font-medium">{title}</h3>
      <ul className="flex flex-col gap-2">{children}</ul>
    </section>
  )
}

function Hold({ hold }: { readonly hold: NonNullable<FoundRequest['hold']> }) {
  return (
    <Part title="Hold">
      <li>
        <Credits value={hold.credits_at_first} /> held, <When at={hold.placed_at} />
      </li>
      {hold.extensions.map(({ credits, at }) => (
        <li key={at}>
          <Credits value={credits} /> more, <When at={at} />
        </li>
      ))}
      <li>
        {hold.ended_at === null ? (
          'It is open.'
        ) : (
          <>
            {hold.state}, <When at={hold.ended_at} />
          </>
        )}
      </li>
      <li className="text-[12px] break-all text-soft">Process {hold.process_id}</li>
    </Part>
  )
}

function When({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at} className="text-soft">
      {exactTimeText(Date.parse(at))}
    </time>
  )
}

const KINDS: Readonly<Record<string, string>> = { capture: 'Settlement', write_off: 'Loss', adjustment: 'Refund' }

function Transfer({ transfer }: { readonly transfer: FoundRequest['transfers'][number] }) {
  const amounts = [
    ['charged', transfer.credits_charged],
    ['cost', transfer.credits_cost],
    ['margin', transfer.credits_margin],
    ['written off', transfer.credits_written_off],
    ['given back', transfer.credits_funded],
  ] as const
  return (
    <>
      <div className="flex flex-wrap justify-between gap-x-3">
        <span className="font-medium">{KINDS[transfer.kind] ?? transfer.kind}</span>
        <When at={transfer.created_at} />
      </div>
      <ul className="flex flex-wrap gap-x-4">
        {amounts.map(([name, value]) =>
          value === '0' ? null : (
            <li key={name}>
              <span className="text-soft">{name}</span> <Credits value={value} withUnit={false} />
            </li>
          ),
        )}
      </ul>
      {transfer.reason !== null && <p className="break-words">{transfer.reason}</p>}
      <p className="font-mono text-[12px] break-all text-soft">{transfer.id}</p>
    </>
  )
}
