import type { GatewayLimit } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Fragment, useState } from 'react'
import { gatewayLimitsQuery } from '../../api/operator.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Card, Empty, Page } from '../../ui/page.tsx'
import { bodyRow, cell, headCell, restCell, right, table } from '../../ui/table.ts'
import { Time } from '../../ui/time.tsx'
import { amountText } from './amount-text.ts'
import { GatewayLimitDialog } from './gateway-limit-dialog.tsx'
import { RowsSkeleton } from './rows-skeleton.tsx'

function isFound({ name, description }: GatewayLimit, typed: string): boolean {
  const text = `${name} ${name.replaceAll('_', ' ')} ${description}`.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** Limits of the whole gateway: those that the console sets, and those that are read at a start. */
export function GatewayLimitsPage() {
  const { data, error } = useQuery(gatewayLimitsQuery)
  const [typed, setTyped] = useState('')
  const [picked, setPicked] = useState<GatewayLimit | null>(null)
  const found = data?.data.filter((limit) => isFound(limit, typed)) ?? []
  const live = found.filter(({ restart }) => restart === null)
  const atStart = found.filter(({ restart }) => restart !== null)
  return (
    <Page
      title="Limits"
      lead="What holds for everybody without limits of their own. Those of an account are set on its page."
    >
      <div className="flex flex-col gap-4">
        <div className="sm:max-w-md">
          <TextField
            label="Search"
            type="search"
            value={typed}
            placeholder="such as images, or a name of the file"
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        <Failure error={error} />
        {data === undefined && error === null && <RowsSkeleton />}
        {data?.problems.map((problem) => (
          <p key={problem} className="text-danger">
            {problem}
          </p>
        ))}
        {data !== undefined && found.length === 0 && (
          <Empty
            text="No limit matches."
            action={
              <Button look="secondary" onClick={() => setTyped('')}>
                Show all limits
              </Button>
            }
          />
        )}
        {live.length > 0 && (
          <Card title="Set while the gateway runs">
            <p className="mb-3 max-w-3xl text-soft">
              A change holds at once in this process, and within five seconds in the others. What{' '}
              <Code>svc.config.json</Code> sets goes first and is changed there.
            </p>
            <LimitTable name="Set while the gateway runs" limits={live} onPick={setPicked} />
          </Card>
        )}
        {atStart.length > 0 && (
          <Card title="Read at a start alone">
            <LimitTable name="Read at a start alone" limits={atStart} onPick={setPicked} />
          </Card>
        )}
      </div>
      {picked !== null && <GatewayLimitDialog limit={picked} onClose={() => setPicked(null)} />}
    </Page>
  )
}

interface LimitTableProps {
  readonly name: string
  readonly limits: readonly GatewayLimit[]
  readonly onPick: (limit: GatewayLimit) => void
}

function LimitTable({ name, limits, onPick }: LimitTableProps) {
  return (
    <div className="overflow-x-auto" role="region" aria-label={name} tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={clsx(headCell, 'pl-0')}>Limit</th>
            <th className={clsx(headCell, right, 'max-sm:pr-0')}>In force</th>
            <th className={clsx(headCell, right, 'max-md:hidden')}>Default</th>
            <th className={clsx(headCell, 'max-sm:hidden')}>Where</th>
            <th className={clsx(headCell, right, 'pr-0 max-sm:hidden')}>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {limits.map((limit) => (
            <LimitRow key={limit.name} limit={limit} onEdit={() => onPick(limit)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function LimitRow({ limit, onEdit }: { readonly limit: GatewayLimit; readonly onEdit: () => void }) {
  const { name, description, restart, set_in: place } = limit
  const change = restart === null && place !== 'file' && (
    <Button look="quiet" onClick={onEdit} aria-label={`Change ${name}`}>
      Change
    </Button>
  )
  return (
    <tr className={bodyRow}>
      <td className={clsx(restCell, 'pl-0')}>
        <div className="font-mono text-[12.5px]">
          {name.split('_').map((word, at) => (
            <Fragment key={word + at}>
              {at > 0 && (
                <>
                  _<wbr />
                </>
              )}
              {word}
            </Fragment>
          ))}
        </div>
        <div className="text-[12px] text-soft">
          {description}
          {restart !== null && ` ${restart}`}
        </div>
        <div className="mt-0.5 sm:hidden">
          <Where limit={limit} />
        </div>
      </td>
      <td className={clsx(cell, right, 'whitespace-nowrap max-sm:pr-0')}>
        {amountText(limit.value, limit.unit)}
        <div className="mt-1 sm:hidden">{change}</div>
      </td>
      <td className={clsx(cell, right, 'whitespace-nowrap text-soft max-md:hidden')}>
        {amountText(limit.default, limit.unit)}
      </td>
      <td className={clsx(cell, 'max-sm:hidden')}>
        <Where limit={limit} />
      </td>
      <td className={clsx(cell, right, 'pr-0 max-sm:hidden')}>{change}</td>
    </tr>
  )
}

function Where({ limit: { set_in: place, at, by } }: { readonly limit: GatewayLimit }) {
  if (place === 'file') return <Mark>in the file</Mark>
  return (
    <span className="text-[12px] text-soft">
      {place === 'default' ? (
        'default'
      ) : (
        <>
          in the console {at !== null && <Time seconds={at} />}
          {by !== null && ` by ${by}`}
        </>
      )}
    </span>
  )
}
