import { nanocreditsFrom, formatCredits, nanocreditsOf, type Exact, type TeamUsageEntries } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { useTeam } from '../../api/session.ts'
import { usageEntriesQuery } from '../../api/team.ts'
import { countText } from '../../ui/count-text.ts'
import { Credits } from '../../ui/credits.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

const clockFormat = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})

type Entries = Exact<TeamUsageEntries>

/** How the credits of one request moved: hold, what became of it, and the entries in the ledger. */
export function UsageMovement({ requestId }: { readonly requestId: string }) {
  const team = useTeam()
  const { data, error } = useQuery(usageEntriesQuery(team.id, requestId))
  if (error !== null) return <Failure error={error} />
  if (data === undefined) return <Skeleton className="h-40 w-full" />
  return (
    <div className="flex flex-col gap-4">
      <Timeline entries={data} />
      {data.transfer !== null && <LedgerEntries transfer={data.transfer} />}
    </div>
  )
}

function Timeline({ entries: { hold, transfer } }: { readonly entries: Entries }) {
  const charged = transfer === null ? 0n : -chargedOf(transfer)
  const rest = nanocreditsFrom(hold.credits_reserved) - charged
  return (
    <section>
      <h3 className="mb-2 font-medium">How the credits moved</h3>
      <ol aria-label="Timeline" className="flex flex-col">
        <Moment at={hold.placed_at_ms} title="Held">
          <Credits value={hold.credits_placed} /> were set aside before the request left
          {hold.extensions.length === 0
            ? ': the most that it could cost.'
            : '. The balance was the limit of this answer, so the hold began small and grew while output came.'}
        </Moment>
        {hold.output_limit !== null && <Limited {...hold.output_limit} at={hold.placed_at_ms} />}
        {hold.extensions.map((extension) => (
          <Moment key={extension.credits_reserved} at={extension.at_ms} title="Extended">
            <Credits value={extension.credits_added} /> more were set aside:{' '}
            <Credits value={extension.credits_reserved} /> in all.
          </Moment>
        ))}
        {hold.ended_at_ms === null ? (
          <Moment at={null} title="Running" isLast>
            The request has not ended yet.
          </Moment>
        ) : (
          <Moment at={hold.ended_at_ms} title={charged === 0n ? 'Released' : 'Captured'} isLast>
            {charged === 0n ? (
              'Nothing was charged; all of it came back.'
            ) : (
              <>
                <Credits value={formatCredits(nanocreditsOf(charged))} /> were charged
                {rest > 0n && (
                  <>
                    , <Credits value={formatCredits(nanocreditsOf(rest))} /> came back
                  </>
                )}
                .
              </>
            )}
          </Moment>
        )}
      </ol>
    </section>
  )
}

type OutputLimit = NonNullable<Entries['hold']['output_limit']>

/** That the gateway set a limit, since what could be spent did not cover all that the model can make. */
function Limited({ units, is_exact: isExact, at }: OutputLimit & { readonly at: number }) {
  const limit = countText(units, 'output token')
  return (
    <Moment at={at} title={isExact ? `Limited to ${limit}` : 'Limited'}>
      The request named no limit, and what was left of the balance, the team’s cap and the key’s budget could not pay
      for all that the model can make
      {isExact ? '' : `: only for ${limit}, or some more once the prompt was counted`}. The answer ends there at the
      latest.
    </Moment>
  )
}

interface MomentProps {
  /** Milliseconds since the epoch; null where the time was not noted. */
  readonly at: number | null
  readonly title: string
  readonly isLast?: boolean
  readonly children: ReactNode
}

function Moment({ at, title, isLast = false, children }: MomentProps) {
  return (
    <li className="grid grid-cols-[0.75rem_minmax(0,1fr)] gap-x-3">
      <span aria-hidden className="flex flex-col items-center pt-1.5">
        <span className="size-2 rounded-full bg-accent" />
        {!isLast && <span className="w-px flex-1 bg-line-strong" />}
      </span>
      <div className={clsx(!isLast && 'pb-3')}>
        <div className="flex items-baseline justify-between gap-3">
          <span className="font-medium">{title}</span>
          {at !== null && (
            <time className="figures text-[12px] text-soft" dateTime={new Date(at).toISOString()}>
              {clockFormat.format(at)}
            </time>
          )}
        </div>
        <p className="text-[12px] text-soft">{children}</p>
      </div>
    </li>
  )
}

const SYSTEM = 'system:'

/** What the account's own entry says; below zero for a charge. */
function chargedOf(transfer: NonNullable<Entries['transfer']>): bigint {
  const own = transfer.entries.find(({ account }) => !account.startsWith(SYSTEM))
  return own === undefined ? 0n : nanocreditsFrom(own.credits)
}

const ACCOUNT_NAMES: Readonly<Record<string, string>> = {
  'system:upstream': 'Cost of the upstream',
  'system:margin': 'Margin of the gateway',
  'system:write_off': 'Loss of the gateway',
}

function LedgerEntries({ transfer }: { readonly transfer: NonNullable<Entries['transfer']> }) {
  const sum = transfer.entries.reduce((total, { credits }) => total + nanocreditsFrom(credits), 0n)
  return (
    <details className="rounded-lg border border-line">
      <summary className="cursor-pointer rounded-lg px-3 py-2 font-medium">Ledger entries</summary>
      <div className="border-t border-line px-3 py-2">
        <table className="w-full text-[12px]" aria-label="Ledger entries">
          <tbody>
            {transfer.entries.map(({ account, credits }) => (
              <tr key={account}>
                <th scope="row" className="py-1 text-left font-normal">
                  {ACCOUNT_NAMES[account] ?? 'This team'}
                </th>
                <td className="figures py-1 text-right">{credits}</td>
              </tr>
            ))}
            <tr className="border-t border-line font-medium">
              <th scope="row" className="py-1 text-left font-[inherit]">
                Sum
              </th>
              <td className="figures py-1 text-right">{formatCredits(nanocreditsOf(sum))}</td>
            </tr>
          </tbody>
        </table>
        <p className="pt-1 font-mono text-[12px] break-all text-soft">Transfer {transfer.id}</p>
      </div>
    </details>
  )
}
