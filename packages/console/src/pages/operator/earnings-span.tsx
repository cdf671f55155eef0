import { getRouteApi } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { type FormEvent, useState } from 'react'
import { EARNINGS_SPANS, type EarningsSearch } from '../../app/operator-search.ts'
import { Button } from '../../ui/button.tsx'
import { Field, inputLook } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Segments } from '../../ui/segments.tsx'

const route = getRouteApi('/signed-in/team/$teamId/operator/earnings')

const SPANS = [
  ...EARNINGS_SPANS.map((days) => ({ value: String(days), text: `${days} days` })),
  { value: 'own', text: 'Other' },
]

const DAY_MS = 86_400_000
const DAYS_MAX = 366

/** Which days are shown: some up to today, or a span of the person's own. */
export function EarningsSpan({ search }: { readonly search: EarningsSearch }) {
  const navigate = route.useNavigate()
  const isOwn = search.from !== undefined
  const [isAsking, setAsking] = useState(isOwn)
  const pick = (value: string): void => {
    setAsking(value === 'own')
    const days = EARNINGS_SPANS.find((each) => String(each) === value)
    if (days !== undefined) void navigate({ search: days === 7 ? {} : { days }, resetScroll: false })
  }
  return (
    <div className="flex flex-col items-start gap-3">
      <Segments label="Days" value={isAsking ? 'own' : String(search.days ?? 7)} options={SPANS} onPick={pick} />
      {isAsking && <OwnSpan search={search} />}
    </div>
  )
}

function OwnSpan({ search: { from = '', to = '' } }: { readonly search: EarningsSearch }) {
  const navigate = route.useNavigate()
  const [problem, setProblem] = useState<string | null>(null)
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const span = { from: formText(fields, 'from'), to: formText(fields, 'to') }
    const found = problemOf(span)
    setProblem(found)
    if (found === null) void navigate({ search: span, resetScroll: false })
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <DayField label="First day" name="from" value={from} problem={null} />
      <DayField label="Last day" name="to" value={to} problem={problem} />
      <Button type="submit" look="secondary" className="h-9! max-md:h-10!">
        Show
      </Button>
    </form>
  )
}

function problemOf({ from, to }: { readonly from: string; readonly to: string }): string | null {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (Number.isNaN(days)) return 'Give both days.'
  if (days < 1) return 'The last day is before the first.'
  return days > DAYS_MAX ? `At most ${DAYS_MAX} days.` : null
}

interface DayFieldProps {
  readonly label: string
  readonly name: string
  readonly value: string
  readonly problem: string | null
}

function DayField({ label, name, value, problem }: DayFieldProps) {
  return (
    <Field label={label} problem={problem}>
      {(tied) => (
        <input {...tied} type="date" name={name} required defaultValue={value} className={clsx(inputLook, 'w-40!')} />
      )}
    </Field>
  )
}
